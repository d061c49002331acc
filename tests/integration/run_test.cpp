#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <vyre/runtime/session.hpp>

#include "tests/support/job_folder.hpp"
#include "tests/support/run_command.hpp"

namespace vyre::tests {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kVyre = VYRE_BIN_DIR "/vyre";

/// y = scale * x + y, one at a time; the size of a group can be chosen.
constexpr const char* kAxpy = R"(#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL = 64;
layout(constant_id = 1) const bool NEGATE = false;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Params { float scale; uint count; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) y[i] += (NEGATE ? -scale : scale) * x[i];
})";

constexpr const char* kJob = R"(
[programs.axpy]
glsl = "axpy.comp"
[buffers.x]
range = { count = 1000 }
type = "f32"
[buffers.y]
full = [1000]
value = 1.0
type = "f32"
[[steps]]
program = "axpy"
bindings = { X = "x", Y = "y" }
size = 1000
params = { scale = 2.0, count = 1000 }
repeat = 10
[[outputs]]
buffer = "y"
npy = "y.npy"
)";

class RunCommand : public testing::Test {
 protected:
  RunCommand() { folder_.write("axpy.comp", kAxpy); }

  JobFolder folder_;
};

/// Every element that a job prints, as JSON has it.
json printed(const CommandResult& result, std::size_t output = 0) {
  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  const json parsed = json::parse(result.out, nullptr, false);
  return parsed.is_object() ? parsed["outputs"][output]["elements"] : json{};
}

TEST_F(RunCommand, SaysWhatWasDoneToAPerson) {
  const CommandResult result = folder_.run(std::string{"name = \"ten\"\n"} + kJob);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("ten: on "), HasSubstr(", mode auto\n"),
                                HasSubstr("launched  10 dispatches in 10 waves and 1 submission\n"),
                                HasSubstr("axpy: 10 dispatches (0 plain, 10 batched, 0 replayed)"), HasSubstr("time "),
                                HasSubstr("wrote     y.npy: y, f32 [1000]\n")));
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(folder_.python("y = np.load('y.npy'); print(y.dtype, y.shape, (y == 1 + 20 * np.arange(1000)).all())"),
            "float32 (1000,) True\n");
}

TEST_F(RunCommand, SpeaksJson) {
  const CommandResult result = folder_.run(kJob, {"--json", "--repeat", "4"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json said = json::parse(result.out);
  EXPECT_EQ(said["job"], "job");
  EXPECT_EQ(said["passed"], true);
  EXPECT_EQ(said["run"]["mode"], "auto");
  EXPECT_EQ(said["run"]["runs"], 4);
  EXPECT_GT(said["run"]["first_ns"], 0);
  EXPECT_GT(said["run"]["median_ns"], 0);
  EXPECT_LE(said["run"]["replays"], 1);
  EXPECT_EQ(said["outputs"][0], (json{{"buffer", "y"}, {"type", "f32"}, {"shape", {1000}}, {"path", "y.npy"}}));
  EXPECT_EQ(said["report"]["dispatches"], 10);
  EXPECT_EQ(said["report"]["device"], said["device"]);
}

TEST_F(RunCommand, RepeatsFromTheSameContents) {
  const CommandResult result = folder_.run(kJob, {"--repeat", "3"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" in the middle of 3 runs\n"));
  EXPECT_EQ(folder_.python("print(np.load('y.npy')[:3])"), "[ 1. 21. 41.]\n");
}

TEST_F(RunCommand, RunsInEveryMode) {
  for (const std::string mode : {"auto", "plain", "batched", "replay"}) {
    SCOPED_TRACE(mode);
    const CommandResult result = folder_.run(kJob, {"--mode", mode, "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json said = json::parse(result.out);
    EXPECT_EQ(said["run"]["mode"], mode);
    // What is chosen depends on what was measured.
    if (mode != "auto") {
      EXPECT_EQ(said["run"]["submissions"], mode == "plain" ? 10 : 1);
    }
    EXPECT_LE(said["run"]["submissions"], 10);
    EXPECT_EQ(folder_.python("print(np.load('y.npy')[999])"), "19981.0\n");
  }
}

TEST_F(RunCommand, SaysInWhichFormProgramsRan) {
  EXPECT_THAT(folder_.run(kJob, {"--mode", "merged"}).out, HasSubstr("in the merged form, "));
  EXPECT_THAT(folder_.run(kJob, {"--mode", "batched"}).out, Not(HasSubstr(" form")));
}

TEST_F(RunCommand, BindsOneBufferTwice) {
  for (const std::string mode : {"plain", "merged", "bindless"}) {
    const CommandResult result = folder_.run(R"(
[programs.axpy]
glsl = "axpy.comp"
[buffers.x]
range = { count = 100 }
type = "f32"
[[steps]]
program = "axpy"
bindings = { X = "x", Y = "x" }
size = 100
params = { scale = 2.0, count = 100 }
[[outputs]]
buffer = "x"
print = 4
)",
                                             {"--mode", mode});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("buffers overlap: binding 0 'X', binding 1 'Y' are declared aliased\n")) << mode;
    EXPECT_THAT(result.out, HasSubstr("0, 3, 6, 9, …\n")) << mode;
  }
}

TEST_F(RunCommand, SaysThatTheDeviceWasMeasuredBesides) {
  EXPECT_THAT(folder_.run(kJob, {"--repeat", "2"}).out, HasSubstr("besides, the device was measured, in "));
  EXPECT_THAT(folder_.run(kJob).out, Not(HasSubstr("measured")));
}

TEST_F(RunCommand, VerifiesEveryModeAgainstPlain) {
  const CommandResult result = folder_.run(kJob, {"--verify"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("of plain"), HasSubstr("compared with plain"), HasSubstr("  plain "),
                                HasSubstr("  batched "), HasSubstr("  replay "), HasSubstr("  bindless "),
                                HasSubstr("  merged "), HasSubstr("  persistent "), HasSubstr("  auto "),
                                HasSubstr("the same"), Not(HasSubstr("differs"))));
  const json said = json::parse(folder_.run(kJob, {"--verify", "--json", "--mode", "replay"}).out);
  ASSERT_EQ(said["verified"].size(), runtime::kAllLaunchModes.size());
  EXPECT_EQ(said["verified"][0]["mode"], "plain");
  EXPECT_EQ(said["verified"][0]["runs"], 3);
  for (const json& mode : said["verified"]) EXPECT_EQ(mode["same"], true);
  EXPECT_EQ(said["run"]["mode"], "replay");
}

TEST_F(RunCommand, VerifyFindsResultsThatDependOnTheRun) {
  // Who comes first is written down, and threads take turns as they like: for long enough that each has its turn.
  folder_.write("race.comp", R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Order { uint next; uint order[]; };
void main() {
  uint x = gl_WorkGroupID.x;
  for (int i = 0; i < 20000; ++i) x = x * 1664525u + 1013904223u;
  order[atomicAdd(next, 1)] = gl_WorkGroupID.x + x % 2u;
}
)");
  const CommandResult result = folder_.run(
      "[programs.race]\nglsl = 'race.comp'\n[buffers.order]\nzeros = 2001\ntype = 'u32'\n"
      "[[steps]]\nprogram = 'race'\nbindings = { Order = 'order' }\ngroups = 2000\n",
      {"--verify"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("differs: order, element ["), HasSubstr(", expected is "),
                                HasSubstr(" of 2001 differ\n")));
}

TEST_F(RunCommand, WritesAReport) {
  const std::string report = folder_.path("report.json");
  EXPECT_EQ(folder_.run(kJob, {"--report", report}).exit_code, 0);
  const json said = json::parse(folder_.read("report.json"));
  EXPECT_EQ(said["dispatches"], 10);
  EXPECT_EQ(said["programs"][0]["program"], "axpy");
}

TEST_F(RunCommand, ChoosesADevice) {
  const CommandResult listed = run_vyre({"devices", "--json"});
  const std::string name = json::parse(listed.out)["backends"][0]["devices"][0]["name"];
  EXPECT_EQ(folder_.run(kJob, {"--device", name.substr(0, 4)}).exit_code, 0);
  const CommandResult other = folder_.run(kJob, {"--device", "nonesuch"});
  EXPECT_EQ(other.exit_code, 4);
  EXPECT_THAT(other.err, AllOf(HasSubstr("has 'nonesuch' in its name; there are "), HasSubstr(name)));
}

TEST_F(RunCommand, RunsInline) {
  const json said = json::parse(folder_.run(kJob, {"--inline", "--json"}).out);
  if (said["configuration"].get<std::string>().empty()) GTEST_SKIP() << "no software driver";
  EXPECT_EQ(said["configuration"], "inline");
  EXPECT_EQ(json::parse(folder_.run(kJob, {"--json"}).out)["configuration"], "threaded");
}

TEST_F(RunCommand, DryRunNeedsNoDeviceAndWritesNothing) {
  folder_.write("job.toml", kJob);
  const std::vector<std::string> command{
      "env", "VK_ICD_FILENAMES=/nowhere.json", "VK_DRIVER_FILES=/nowhere.json", kVyre, "run", folder_.path("job.toml")};
  std::vector<std::string> dry = command;
  dry.emplace_back("--dry-run");
  const CommandResult result = run_command(dry);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "job: 10 operations in 10 waves: 9 barriers, 0 avoided\n"
            "  waves 0 to 9: 1 × dispatch axpy\n");
  EXPECT_FALSE(folder_.has("y.npy"));
  dry.emplace_back("--json");
  const json said = json::parse(run_command(dry).out);
  EXPECT_EQ(said["operations"], 10);
  EXPECT_EQ(said["waves"].size(), 10U);
  EXPECT_EQ(run_command(command).exit_code, 4);
}

TEST_F(RunCommand, DryRunShowsWhatRunsAtOnce) {
  const CommandResult result = folder_.run(R"(
programs.axpy.glsl = "axpy.comp"
buffers.x = { zeros = 4096, type = "f32" }
buffers.y = { zeros = 4096, type = "f32" }
[[steps]]
for = { i = { stop = 8 } }
steps = [
  { fill = { buffer = "x", value = "$i" } },
  { program = "axpy", size = 4096, params = { scale = 1, count = 4096 }, bindings = { X = "x", Y = "y" } },
]
[[steps]]
for = { i = [0, 1024, 2048, 3072] }
[[steps.steps]]
program = "axpy"
size = 1024
params = { scale = 1, count = 1024 }
bindings = { X = { buffer = "x", offset = "$i", count = 1024 }, Y = { buffer = "y", offset = "$i", count = 1024 } }
[[steps]]
fill = { buffer = "x", value = 0 }
repeat = 1000000
)",
                                           {"--dry-run"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("job: 1000020 operations, the first 8192 of them in "),
                                HasSubstr("  wave 16: 4 × dispatch axpy\n")));
}

TEST_F(RunCommand, LoopsRepeatsAndSwapsNest) {
  folder_.write("add.comp", R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer From { int from[]; };
layout(binding = 1) writeonly buffer To { int to[]; };
layout(push_constant) uniform Params { int by; };
void main() { to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x] * 2 + by; }
)");
  const CommandResult result = folder_.run(R"(
programs.add.glsl = "add.comp"
buffers.a = { full = 3, value = 1, type = "i32" }
buffers.b = { zeros = 3, type = "i32" }
[[steps]]
repeat = 2
steps = [
  { for = { i = [1, -2, 3] }, steps = [
    { program = "add", bindings = { From = "a", To = "b" }, groups = 3, params = { by = "$i" }, swap = ["a", "b"] },
  ] },
  { program = "add", bindings = { From = "a", To = "b" }, groups = 3, params = { by = 0 }, repeat = 3, swap = ["a", "b"] },
]
[[outputs]]
buffer = "a"
print = true
)",
                                           {"--json", "--verify"});
  int value = 1;
  for (int round = 0; round < 2; ++round) {
    for (const int by : {1, -2, 3, 0, 0, 0}) value = value * 2 + by;
  }
  EXPECT_EQ(printed(result), (json{value, value, value}));
}

TEST_F(RunCommand, CopiesAndFillsElementsOfEveryType) {
  for (const std::string type : {"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64"}) {
    SCOPED_TRACE(type);
    const CommandResult result = folder_.run("buffers.a = { range = { count = 9 }, type = '" + type +
                                                 "' }\n"
                                                 "buffers.b = { zeros = [3, 3], type = '" +
                                                 type + R"(' }
steps = [
  { copy = { from = { buffer = "a", offset = 5, count = 3 }, to = { buffer = "b", offset = 1, count = 3 } } },
  { fill = { buffer = "b", value = 77, offset = 3, count = 1 } },
  { fill = { buffer = "b", value = 3, offset = 5, count = 3 } },
  { copy = { from = { buffer = "b", offset = 8, count = 1 }, to = { buffer = "b", offset = 4, count = 1 } } },
  { fill = { buffer = "a", value = 100 } },
]
outputs = [ { buffer = "b", print = true }, { buffer = "a", print = 2 } ]
)",
                                             {"--json"});
    std::vector<double> elements;
    for (const json& each : printed(result)) elements.push_back(each);
    EXPECT_THAT(elements, ElementsAre(0, 5, 6, 77, 0, 3, 3, 3, 0));
    elements.clear();
    for (const json& each : printed(result, 1)) elements.push_back(each);
    EXPECT_THAT(elements, ElementsAre(100, 100));
  }
}

TEST_F(RunCommand, SpecialisesByNameAndById) {
  const auto last = [this](const std::string& program, const std::string& step) {
    return printed(folder_.run("[programs.axpy]\nglsl = 'axpy.comp'\n" + program + R"(
[buffers.x]
full = 10
value = 1
type = "f32"
[buffers.y]
zeros = 10
type = "f32"
[[steps]]
program = "axpy"
bindings = { X = "x", Y = "y" }
size = 10
params = { scale = 3, count = 10 }
)" + step + "\n[[outputs]]\nbuffer = 'y'\nprint = 10\n",
                               {"--json"}))
        .back();
  };
  EXPECT_EQ(last("", ""), 3.0);
  EXPECT_EQ(last("values = { NEGATE = true }", ""), -3.0);
  EXPECT_EQ(last("values = { \"1\" = 1, LOCAL = 4 }", ""), -3.0);
  EXPECT_EQ(last("values = { NEGATE = true }", "values = { NEGATE = false, LOCAL = 3 }"), 3.0);
}

TEST_F(RunCommand, TakesVectorsArraysAndBuffersOfBuffers) {
  folder_.write("many.comp", R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Part { int values[]; } parts[3];
layout(push_constant) uniform Params { ivec3 v; float f[2]; uvec2 a[2]; };
void main() {
  parts[0].values[0] = v.x; parts[1].values[0] = v.y + v.z;
  parts[2].values[0] = int(f[0] * 4) + int(f[1]) + int(a[0].x) + int(a[1].y) * 10;
})");
  const CommandResult result = folder_.run(R"(
programs.many.glsl = "many.comp"
buffers.a = { zeros = 1, type = "i32" }
buffers.b = { zeros = 1, type = "i32" }
buffers.c = { zeros = 1, type = "i32" }
[[steps]]
program = "many"
bindings = { parts = ["a", "b", "c"] }
groups = [1, 1, 1]
params = { v = [-1, 2, 3], f = [0.5, 7], a = [[1, 2], [3, 4]] }
[[outputs]]
buffer = "a"
print = true
[[outputs]]
buffer = "b"
print = true
[[outputs]]
buffer = "c"
print = true
)",
                                           {"--json"});
  EXPECT_EQ(printed(result, 0), json{-1});
  EXPECT_EQ(printed(result, 1), json{5});
  EXPECT_EQ(printed(result, 2), json{2 + 7 + 1 + 40});
}

TEST_F(RunCommand, TakesDefinesFoldersAndSpirv) {
  ASSERT_EQ(run_command({"glslc", folder_.path("axpy.comp"), "--target-env=vulkan1.2", "-o", folder_.path("axpy.spv")})
                .exit_code,
            0);
  std::string job = kJob;
  job.replace(job.find("glsl = \"axpy.comp\""), 18, "spirv = \"axpy.spv\"");
  EXPECT_EQ(folder_.run(job).exit_code, 0);

  folder_.write("part.glsl", "#define BY 5\n");
  folder_.write("set.comp", R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include "part.glsl"
layout(local_size_x = SIZE) in;
layout(binding = 0) writeonly buffer Data { int data[]; };
void main() { data[gl_LocalInvocationIndex] = BY + SIZE; })");
  const CommandResult result = folder_.run(R"(
[programs.set]
glsl = "set.comp"
defines = { SIZE = 2 }
include = ["."]
entry_point = "main"
[buffers.data]
zeros = 2
type = "i32"
[[steps]]
program = "set"
bindings = { "0.0" = "data" }
size = 2
[[outputs]]
buffer = "data"
print = true
)",
                                           {"--json"});
  EXPECT_EQ(printed(result), (json{7, 7}));
}

TEST_F(RunCommand, TakesOneBufferForAllVariablesOfASlot) {
  folder_.write("turn.comp", R"(#version 450
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 0) writeonly buffer Pairs { uvec2 pairs[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint first = words[2u * i];
  pairs[i] = uvec2(words[2u * i + 1u] * 3u, first + 1u);
})");
  constexpr const char* kTurn = R"(
[programs.turn]
glsl = "turn.comp"
[buffers.x]
range = { count = 64 }
type = "u32"
[[steps]]
program = "turn"
bindings = { Pairs = "x" }
size = 32
repeat = 10
[[outputs]]
buffer = "x"
npy = "x.npy"
)";
  // Each step reads what the one before wrote, through another variable.
  const CommandResult result = folder_.run(kTurn, {"--verify", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const json& mode : json::parse(result.out)["verified"]) EXPECT_EQ(mode["same"], true) << mode;
  EXPECT_EQ(folder_.python("a = np.arange(64, dtype=np.uint32).reshape(32, 2)\n"
                           "for _ in range(10): a = np.stack([a[:, 1] * 3, a[:, 0] + 1], axis=1)\n"
                           "print((np.load('x.npy') == a.ravel()).all())"),
            "True\n");
}

TEST_F(RunCommand, PrintsRowsToAPerson) {
  const CommandResult result = folder_.run(R"(
buffers.a = { zeros = [2, 3], type = "u8" }
buffers.b = { range = { count = 5, step = 0.25 }, type = "f16" }
steps = [ { fill = { buffer = "a", value = 7, offset = 4, count = 1 } } ]
outputs = [ { buffer = "a", print = true }, { buffer = "b", print = 3 } ]
)");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("printed   a, u8 [2, 3]\n    0, 0, 0\n    0, 7, 0\n"));
  EXPECT_THAT(result.out, HasSubstr("printed   b, f16 [5]\n    0, 0.25, 0.5, …\n"));
}

TEST_F(RunCommand, ChecksNameTheFirstDifferenceAndHowMany) {
  static_cast<void>(
      folder_.python("y = 1 + 20 * np.arange(1000.0)\n"
                     "np.save('right.npy', y)\ny[7] += 0.5\ny[9:20] *= 2\nnp.save('wrong.npy', y)\n"
                     "(1 + 20 * np.arange(1000.0)).astype('f4').tofile('right.bin')"));
  const auto check = [this](const std::string& text) {
    return folder_.run(std::string{kJob} + "[[checks]]\nbuffer = \"y\"\n" + text);
  };
  EXPECT_EQ(check("equal = \"right.npy\"").exit_code, 0);
  EXPECT_EQ(check("equal = { raw = \"right.bin\" }").exit_code, 0);
  EXPECT_THAT(check("close = \"right.npy\"").out, HasSubstr("check     y is close to right.npy\n"));
  EXPECT_EQ(check("close = \"wrong.npy\"\nrtol = 1\natol = 1e9").exit_code, 0);

  const CommandResult wrong = check("equal = \"wrong.npy\"");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.out, HasSubstr("check     FAILED: y is not equal to wrong.npy: element [7] is 141, expected is "
                                   "141.5; 12 of 1000 differ\n"));
  EXPECT_EQ(wrong.err, "");
  // What was computed is there all the same.
  EXPECT_TRUE(folder_.has("y.npy"));
  EXPECT_THAT(check("close = \"wrong.npy\"").out, HasSubstr("element [7] is 141, expected is 141.5; 12 of 1000"));
  EXPECT_THAT(check("close = \"wrong.npy\"\natol = 0.5").out, HasSubstr("element [9] is 181, expected is 362; 11 of"));

  const CommandResult said =
      folder_.run(std::string{kJob} + "[[checks]]\nbuffer = 'y'\nequal = 'wrong.npy'", {"--json"});
  EXPECT_EQ(said.exit_code, 1);
  const json parsed = json::parse(said.out);
  EXPECT_EQ(parsed["passed"], false);
  EXPECT_EQ(parsed["checks"][0]["different"], 12);
  EXPECT_EQ(parsed["checks"][0]["first"], (json{{"index", 7}, {"found", 141}, {"expected", 141.5}}));
}

TEST_F(RunCommand, ATerminalSeesHowFarItIs) {
  folder_.write("spin.comp", R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Params { uint count; };
void main() {
  uint value = data[0];
  for (uint i = 0; i < count; ++i) value = value * 1664525u + 1013904223u;
  data[0] = value;
})");
  const auto on_terminal = [&](const std::string& repeat) {
    folder_.write("job.toml",
                  "programs.spin.glsl = 'spin.comp'\nbuffers.data = { zeros = 1, type = 'u32' }\n"
                  "steps = [ { program = 'spin', groups = 1, bindings = { Data = 'data' }, params = { count = 60000 }, "
                  "repeat = " +
                      repeat + " } ]\n");
    // `script` gives the command a terminal.
    return run_command({"script", "-qec", kVyre + " run " + folder_.path("job.toml"), "/dev/null"});
  };
  const CommandResult longer = on_terminal("8000");
  EXPECT_EQ(longer.exit_code, 0) << longer.out;
  // The line comes after a second, and is gone before the results come.
  EXPECT_THAT(longer.out, AllOf(HasSubstr("1.0 s  mode auto, run 1 of 1: "), HasSubstr("\r\x1b[Kjob: on ")));
  EXPECT_THAT(on_terminal("1").out, testing::StartsWith("job: on "));
}

TEST_F(RunCommand, HelpNamesEveryFlag) {
  const CommandResult result = run_vyre({"run", "--help"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* flag :
       {"--device", "--inline", "--mode", "--verify", "--repeat", "--report", "--json", "--dry-run", "docs/jobs.md"}) {
    EXPECT_THAT(result.out, HasSubstr(flag));
  }
  EXPECT_THAT(run_vyre({"--help"}).out, HasSubstr("vyre run "));
}

TEST(RunOutputs, ReinterpretsABufferIfToldTo) {
  const JobFolder folder;
  folder.write("bits.comp",
               "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer B { uint b[]; };\n"
               "void main() { b[gl_GlobalInvocationID.x] ^= 0x80000000u; }\n");
  const CommandResult result = folder.run(
      "[programs.bits]\nglsl = 'bits.comp'\n[buffers.f]\nfull = 3\nvalue = 1.5\ntype = 'f32'\n"
      "[[steps]]\nprogram = 'bits'\nsize = 3\nbindings = { B = { buffer = 'f', reinterpret = true } }\n"
      "[[outputs]]\nbuffer = 'f'\nprint = true\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("-1.5, -1.5, -1.5"));
}

TEST(RunOutputs, KeepsTheReportApartFromJobAndOutputs) {
  const JobFolder folder;
  const std::string job =
      "[buffers.b]\nzeros = 4\ntype = 'u8'\n[[steps]]\nfill = { buffer = 'b', value = 7 }\n"
      "[[outputs]]\nbuffer = 'b'\nraw = 'b.bin'\n";
  for (const std::string name : {"b.bin", "job.toml"}) {
    const CommandResult result = folder.run(job, {"--report", folder.path(name)});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("--report is"));
    EXPECT_FALSE(folder.has("b.bin"));
  }
  EXPECT_EQ(folder.read("job.toml"), job);
}

TEST(RunOutputs, WritesBehindWhatItsOutputHasAlready) {
  const JobFolder folder;
  folder.write("job.toml",
               "[buffers.b]\nzeros = 2\ntype = 'u8'\n[[steps]]\nfill = { buffer = 'b', value = 65 }\n"
               "[[outputs]]\nbuffer = 'b'\nraw = '/dev/stdout'\n");
  folder.write("log.txt", "precious\n");
  const std::string command =
      std::string{VYRE_BIN_DIR "/vyre run "} + folder.path("job.toml") + " >> " + folder.path("log.txt");
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(folder.read("log.txt"), testing::AllOf(testing::StartsWith("precious\nAA"), HasSubstr("1 fill")));
}

}  // namespace
}  // namespace vyre::tests
