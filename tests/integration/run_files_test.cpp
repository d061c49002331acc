#include <fcntl.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/job_folder.hpp"
#include "tests/support/run_command.hpp"

// Files of jobs: numpy's and ours, large ones, full disks, sudden ends.

namespace vyre::tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kVyre = VYRE_BIN_DIR "/vyre";

TEST(RunFiles, NumpyAndVyreReadEachOther) {
  const JobFolder folder;
  // Every type, shape and version that numpy writes, both byte orders; what comes back must be the same array.
  static_cast<void>(folder.python(R"(
types = ['u1', 'i1', 'u2', 'i2', 'u4', 'i4', 'u8', 'i8', 'f2', 'f4', 'f8', 'c8', 'c16']
shapes = [(), (1,), (7,), (3, 4), (2, 3, 4)]
random = np.random.default_rng(1)
job = open('job.toml', 'w')
steps = ''
for type in types:
  for order in '<>':
    for shape in shapes:
      for version in [(1, 0), (2, 0), (3, 0)]:
        name = f'{type}_{"le" if order == "<" else "be"}_{"x".join(map(str, shape)) or "one"}_{version[0]}'
        count = int(np.prod(shape))
        dtype = np.dtype(order + type)
        array = np.frombuffer(random.bytes(count * dtype.itemsize), dtype).reshape(shape)
        if dtype.kind in 'fc': array = np.round(random.standard_normal(shape) * 100, 1).astype(dtype)
        array = np.asarray(array, dtype)
        with open(name + '.npy', 'wb') as file: np.lib.format.write_array(file, array, version)
        job.write(f'[buffers.{name}]\nnpy = "{name}.npy"\n')
        steps += f'[[outputs]]\nbuffer = "{name}"\nnpy = "out/{name}.npy"\n[[checks]]\nbuffer = "{name}"\nequal = "{name}.npy"\n'
job.write('[buffers.unused]\nzeros = 1\ntype = "u8"\n[[steps]]\nfill = { buffer = "unused", value = 1 }\n' + steps)
)"));
  const CommandResult result = run_vyre({"run", folder.path("job.toml")});
  ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
  EXPECT_EQ(folder.python(R"(
count = 0
for name in sorted(os.listdir('out')):
  a, b = np.load(name), np.load('out/' + name)
  assert a.shape == b.shape, name
  assert b.dtype == a.dtype.newbyteorder('<'), (name, a.dtype, b.dtype)
  assert a.astype(b.dtype).tobytes() == b.tobytes(), name
  count += 1
print(count)
)"),
            std::to_string(13 * 2 * 5 * 3) + "\n");
}

TEST(RunFiles, WhatIsMadeIsAsTheReferenceSays) {
  const JobFolder folder;
  const CommandResult result = folder.run(R"(
buffers.range = { range = { start = 10, step = -3, count = 5 }, type = "i16" }
buffers.fine = { range = { start = 0.1, step = 0.1, count = 1000 }, type = "f32" }
buffers.half = { random = { seed = 3, count = 1000, min = -2, max = 2 }, type = "f16" }
buffers.unit = { random = { seed = 4, shape = [10, 100] }, type = "f32" }
buffers.dice = { random = { seed = 5, count = 1000, min = 1, max = 6 }, type = "u8" }
buffers.any = { random = { seed = 6, count = 1000 }, type = "i64" }
steps = [ { fill = { buffer = "range", value = 7, count = 1 } } ]
[[outputs]]
buffer = "range"
npy = "range.npy"
[[outputs]]
buffer = "fine"
npy = "fine.npy"
[[outputs]]
buffer = "half"
npy = "half.npy"
[[outputs]]
buffer = "unit"
npy = "unit.npy"
[[outputs]]
buffer = "dice"
npy = "dice.npy"
[[outputs]]
buffer = "any"
raw = "any.bin"
)");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(folder.python(R"(
def bits(seed, count):
  z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9e3779b97f4a7c15)
  z = (z ^ z >> np.uint64(30)) * np.uint64(0xbf58476d1ce4e5b9)
  z = (z ^ z >> np.uint64(27)) * np.uint64(0x94d049bb133111eb)
  return z ^ z >> np.uint64(31)
def unit(seed): return (bits(seed, 1000) >> np.uint64(11)).astype('f8') * 2.0**-53
def whole(seed, low, high): return [low + (int(z) * (high - low + 1) >> 64) for z in bits(seed, 1000)]
assert (np.load('range.npy') == [7, 7, 4, 1, -2]).all()
assert (np.load('fine.npy') == (0.1 + np.arange(1000) * 0.1).astype('f4')).all()
assert (np.load('half.npy') == (-2 + unit(3) * 4).astype('f2')).all()
assert (np.load('unit.npy') == unit(4).astype('f4').reshape(10, 100)).all()
assert (np.load('dice.npy') == whole(5, 1, 6)).all()
assert (np.fromfile('any.bin', 'i8') == whole(6, -2**63, 2**63 - 1)).all()
print('ok')
)"),
            "ok\n");
}

TEST(RunFiles, AnOutputMayReplaceItsInput) {
  const JobFolder folder;
  static_cast<void>(folder.python("np.save('a.npy', np.arange(4, dtype='u4'))"));
  const std::string job =
      "[buffers.a]\nnpy = 'a.npy'\n[[steps]]\ncopy = { from = { buffer = 'a', offset = 1, count = 1 }, "
      "to = { buffer = 'a', offset = 3, count = 1 } }\n[[outputs]]\nbuffer = 'a'\nnpy = 'a.npy'\n";
  EXPECT_EQ(folder.run(job).exit_code, 0);
  EXPECT_EQ(folder.python("print(np.load('a.npy'))"), "[0 1 2 1]\n");
  EXPECT_THAT(folder.list(), ElementsAre("a.npy", "job.toml"));
}

/// The most memory that any command of this process has had.
std::uint64_t peak_bytes() {
  rusage usage = {};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
}

TEST(RunFiles, AFileBeyondTheDeviceIsRefusedWithTheLimit) {
  const JobFolder folder;
  // Sparse: 4 GiB that take no room.
  static_cast<void>(folder.python(R"(
with open('big.npy', 'wb') as file:
  np.lib.format.write_array_header_1_0(file, {'descr': '<f4', 'fortran_order': False, 'shape': (1 << 30,)})
  file.truncate(file.tell() + (4 << 30))
)"));
  ASSERT_GT(fs::file_size(folder.path("big.npy")), std::uint64_t{4} << 30);
  const std::string job =
      "[buffers.big]\nnpy = 'big.npy'\n[[steps]]\nfill = { buffer = 'big', value = 0 }\n"
      "[[outputs]]\nbuffer = 'big'\nnpy = 'out.npy'\n";
  const CommandResult result = folder.run(job);
  if (result.exit_code != 0) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err,
                AllOf(HasSubstr("job.toml:1:10: buffer 'big' has 4294967296 bytes, the most for one buffer on '"),
                      HasSubstr("' is ")));
  }
  EXPECT_EQ(folder.run(job, {"--dry-run"}).exit_code, 0);
  EXPECT_LT(peak_bytes(), std::uint64_t{1} << 30);
}

TEST(RunFiles, ALargeFileIsNotHeldTwice) {
  const JobFolder folder;
  fs::create_directories(folder.path("out"));
  // 512 MiB, seen by the kernel in pieces.
  constexpr std::uint64_t kBytes = std::uint64_t{512} << 20;
  folder.write("big.bin", "");
  fs::resize_file(folder.path("big.bin"), kBytes);
  folder.write("count.comp", R"(#version 450
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer Data { uint data[]; };
layout(binding = 1) buffer Total { uint total; };
void main() { if (data[gl_GlobalInvocationID.x * 4096] == 0) atomicAdd(total, 1); }
)");
  const CommandResult result = folder.run(R"(
programs.count.glsl = "count.comp"
buffers.big = { raw = "big.bin", type = "u32" }
buffers.total = { zeros = 1, type = "u32" }
[[steps]]
for = { i = { stop = 134217728, step = 16777216 } }
[[steps.steps]]
program = "count"
size = 4096
bindings = { Data = { buffer = "big", offset = "$i", count = 16777216 }, Total = "total" }
[[outputs]]
buffer = "total"
print = true
[[outputs]]
buffer = "big"
raw = "out/copy.bin"
)");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("    32768\n"));
  EXPECT_EQ(fs::file_size(folder.path("out/copy.bin")), kBytes);
  // The device's own, and little besides. The sanitizers and the driver's threads take their part.
  EXPECT_LT(peak_bytes(), kBytes + (std::uint64_t{400} << 20));
}

constexpr const char* kWriteJob = R"(
buffers.a = { full = 4194304, value = 7, type = "u32" }
steps = [ { fill = { buffer = "a", value = 9 } } ]
outputs = [ { buffer = "a", raw = "out/a.bin" }, { buffer = "a", npy = "out/a.npy" } ]
)";

/// What a run that was killed may leave: the file before, or the whole new one.
void expect_whole(const JobFolder& folder, std::string_view name, std::size_t header) {
  const std::string found = folder.read(name);
  if (found == "old") return;
  ASSERT_EQ(found.size(), header + (std::size_t{16} << 20));
  EXPECT_EQ(found.substr(header, 4), std::string_view("\x09\0\0\0", 4));
  EXPECT_EQ(found.substr(found.size() - 4), std::string_view("\x09\0\0\0", 4));
}

TEST(RunFiles, AJobKilledAtAnyMomentLeavesWholeFiles) {
  const JobFolder folder;
  folder.write("job.toml", kWriteJob);
  fs::create_directories(folder.path("out"));
  folder.write("out/a.bin", "old");
  folder.write("out/a.npy", "old");
  // How long a run takes, so that some are killed late.
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(run_vyre({"run", folder.path("job.toml")}).exit_code, 0);
  auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);

  std::mt19937 random{42};
  int killed = 0;
  for (int i = 0; i < 40; ++i) {
    folder.write("out/a.bin", "old");
    folder.write("out/a.npy", "old");
    const std::string job = folder.path("job.toml");
    const char* const arguments[] = {kVyre.c_str(), "run", job.c_str(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    ASSERT_EQ(posix_spawn(&child, kVyre.c_str(), &actions, nullptr, const_cast<char**>(arguments), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    // Late more often than early: that is when files are written.
    const auto moment = whole.count() * (40 + static_cast<std::int64_t>(random() % 70)) / 100;
    std::this_thread::sleep_for(std::chrono::microseconds{moment});
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
      ++killed;
    } else {
      // The first may have been slow.
      whole = whole * 9 / 10;
    }
    expect_whole(folder, "out/a.bin", 0);
    expect_whole(folder, "out/a.npy", 128);
  }
  EXPECT_GT(killed, 5);
}

TEST(RunFiles, AFileThatCannotGrowLosesNothing) {
  const JobFolder folder;
  folder.write("job.toml", kWriteJob);
  fs::create_directories(folder.path("out"));
  folder.write("out/a.bin", "old");
  const CommandResult result =
      run_command({"sh", "-c", "ulimit -f 2000; exec \"$0\" run \"$1\"", kVyre, folder.path("job.toml")});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, AllOf(HasSubstr("error[unavailable]: "), HasSubstr("job.toml:4:"), HasSubstr("out/a.bin"),
                                HasSubstr("File too large")));
  EXPECT_EQ(folder.read("out/a.bin"), "old");
  EXPECT_THAT(folder.list("out"), ElementsAre("a.bin"));
}

TEST(RunFiles, AFullDiskIsSaidAndLosesNothing) {
  const JobFolder folder;
  const std::string disk = folder.path("disk");
  fs::create_directories(disk);
  if (mount("none", disk.c_str(), "tmpfs", 0, "size=20m") != 0) GTEST_SKIP() << "no right to mount a small disk";
  // Room for one of the two outputs.
  folder.write("disk/a.bin", "old");
  const CommandResult result = folder.run(R"(
buffers.a = { full = 4194304, value = 7, type = "u32" }
steps = [ { fill = { buffer = "a", value = 9 } } ]
outputs = [ { buffer = "a", raw = "disk/a.bin" }, { buffer = "a", npy = "disk/a.npy" } ]
)");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, AllOf(HasSubstr("job.toml:4:"), HasSubstr("there is no room for the 16777344 bytes of '"),
                                HasSubstr("disk/a.npy': No space left on device")));
  EXPECT_EQ(folder.read("disk/a.bin"), "old");
  EXPECT_THAT(folder.list("disk"), ElementsAre("a.bin"));
  umount(disk.c_str());
}

TEST(RunFiles, ADeviceThatIsFullIsSaid) {
  const JobFolder folder;
  const CommandResult result = folder.run(
      "buffers.a = { zeros = 4, type = 'u8' }\nsteps = [ { fill = { buffer = 'a', value = 9 } } ]\n"
      "outputs = [ { buffer = 'a', raw = '/dev/full' } ]\n");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("job.toml:3:13: cannot write '/dev/full': No space left on device"));
  folder.write("job.toml",
               "buffers.a = { zeros = 4, type = 'u8' }\nsteps = [ { fill = { buffer = 'a', value = 9 } } ]\n");
  const CommandResult output = run_vyre({"run", folder.path("job.toml")}, "", "/dev/full");
  EXPECT_EQ(output.exit_code, 4);
  EXPECT_THAT(output.err, HasSubstr("cannot write to standard output: No space left on device"));
  const CommandResult report = run_vyre({"run", folder.path("job.toml"), "--report", "/dev/full"});
  EXPECT_EQ(report.exit_code, 4);
}

}  // namespace
}  // namespace vyre::tests
