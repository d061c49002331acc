#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <vyre/backend/decorators.hpp>
#include <vyre/runtime/session.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/equivalence/kernels.hpp"
#include "tests/equivalence/oracle.hpp"
#include "tests/equivalence/random.hpp"
#include "tests/equivalence/random_program.hpp"
#include "tests/equivalence/run_program.hpp"
#include "tests/support/drivers.hpp"

// session_soak [SECONDS]: sessions at work for long, with faults and without. Fails if a result is wrong or memory
// grows.

namespace vyre::tests {
namespace {

using Clock = std::chrono::steady_clock;
using runtime::Session;

std::uint64_t resident_bytes() {
  std::ifstream file{"/proc/self/statm"};
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string mebibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1024 * 1024));
}

struct Tally {
  std::uint64_t right = 0;
  std::uint64_t failed = 0;
};

/// Runs the program of a seed. False, after saying so, for a wrong result, or an error where none was made.
bool run_one(const std::shared_ptr<backend::Device>& device, std::uint64_t seed, bool may_fail, Tally& tally) {
  const RandomProgram program = make_random_program(seed, view_alignment(*device));
  Result<Session> session = Session::open(
      device, {.mode = kModes[seed % kModes.size()], .exploration = seed % 2 == 0 ? 1 : 0.03, .calibrate_after = {}});
  const Result<std::string> wrong =
      session ? run_program(*session, program, run_in_order(program)) : std::unexpected{session.error()};
  if (!wrong && may_fail) {
    ++tally.failed;
    return true;
  }
  if (wrong && wrong->empty()) {
    ++tally.right;
    return true;
  }
  fmt::print("seed {} on {}: {}\n", seed, device->info().name, wrong ? *wrong : to_string(wrong.error()));
  return false;
}

/// Random programs, with faults on the fake device and without on the Vulkan one.
bool run_programs(const std::shared_ptr<backend::Device>& vulkan, Clock::time_point end) {
  Random random{1};
  Tally fake_tally;
  Tally vulkan_tally;
  for (std::uint64_t seed = 1; Clock::now() < end; ++seed) {
    constexpr std::uint64_t kLatestCall = 400;
    const auto plan = std::make_shared<backend::FaultPlan>();
    plan->fail_at = random.between(1, kLatestCall);
    const auto fake =
        open_fake({.shuffle_seed = seed,
                   .decorate = [&](auto inner) { return backend::make_faulty_driver(std::move(inner), plan); },
                   .options = {.map_device_memory = random.percent(50)}});
    if (!run_one(fake, seed, true, fake_tally)) return false;
    plan->fail_at = 0;
    if (!fake->wait_idle() || fake->usage() != backend::DeviceUsage{}) {
      fmt::print("seed {}: the session left something on the device\n", seed);
      return false;
    }
    constexpr std::uint64_t kVulkanEvery = 8;
    if (seed % kVulkanEvery == 0 && !run_one(vulkan, seed, false, vulkan_tally)) return false;
  }
  fmt::print("random programs: fake {} right, {} failed as they should; vulkan {} right\n", fake_tally.right,
             fake_tally.failed, vulkan_tally.right);
  return true;
}

/// One prepared dispatch over and over. The memory at the end must be what it was after the first fifth.
Result<bool> run_steadily(const std::shared_ptr<backend::Device>& device, runtime::LaunchMode mode,
                          std::chrono::nanoseconds time) {
  constexpr std::uint64_t kCount = 256;
  constexpr std::uint64_t kBatch = 1'000;
  constexpr std::uint64_t kWarmBatches = 6;
  // Few recordings, so that all there may be are made before memory is looked at.
  VYRE_ASSIGN(Session session, Session::open(device, {.mode = mode, .max_recordings = 2}));
  VYRE_ASSIGN(const auto x, session.buffer<std::uint32_t>(std::vector<std::uint32_t>(kCount, 1)));
  VYRE_ASSIGN(const auto y, session.buffer<std::uint32_t>(kCount));
  VYRE_ASSIGN(const runtime::Prepared step,
              session.prepare(program_of(kernel_index("mix")), {x, y},
                              {.groups = {.x = kCount / kWorkgroup}, .params = runtime::params(3U)}));
  const Clock::time_point begin = Clock::now();
  std::uint32_t expected = 0;
  std::uint64_t dispatches = 0;
  std::uint64_t warm_bytes = 0;
  std::vector<std::uint32_t> values(kCount);
  while (Clock::now() - begin < time || warm_bytes == 0) {
    for (std::uint64_t i = 0; i < kBatch; ++i) {
      // Now and then with other parameters, so that not every batch is the last one again.
      const bool is_other = dispatches / kBatch % 2 == 1 && i == 0;
      VYRE_TRY(is_other ? session.enqueue(step, runtime::params(static_cast<std::uint32_t>(dispatches)))
                        : session.enqueue(step));
      expected = expected * 3 + 1 + (is_other ? static_cast<std::uint32_t>(dispatches) : 3);
    }
    dispatches += kBatch;
    VYRE_TRY(session.read(y, values));
    VYRE_TRY(session.finish());
    if (!std::ranges::all_of(values, [&](std::uint32_t value) { return value == expected; })) {
      fmt::print("{} dispatches on {} give wrong results\n", dispatches, device->info().name);
      return false;
    }
    const bool is_warm = dispatches >= kWarmBatches * kBatch && Clock::now() - begin > time / 5;
    if (is_warm && warm_bytes == 0) warm_bytes = resident_bytes();
  }
  const std::uint64_t end_bytes = resident_bytes();
  fmt::print("{} dispatches on {}, {}: resident {} after warm-up, {} at the end\n", dispatches, device->info().name,
             to_string(mode), mebibytes(warm_bytes), mebibytes(end_bytes));
  if (end_bytes > warm_bytes + warm_bytes / 10) {
    fmt::print("memory grew by more than 10 %\n");
    return false;
  }
  return true;
}

int run(std::chrono::nanoseconds time) {
  keep_drivers_loaded();
  Result<std::shared_ptr<backend::Device>> vulkan = open_vulkan();
  if (!vulkan) {
    fmt::print(stderr, "{}\n", to_string(vulkan.error()));
    return 1;
  }
  fmt::print("resident {} at the start\n", mebibytes(resident_bytes()));
  if (!run_programs(*vulkan, Clock::now() + time / 2)) return 1;
  for (const runtime::LaunchMode mode : kModes) {
    for (const auto& device : {open_fake(), *vulkan}) {
      const Result<bool> steady = run_steadily(device, mode, time / 2 / (2 * kModes.size()));
      if (!steady) fmt::print("{}\n", to_string(steady.error()));
      if (!steady || !*steady) return 1;
    }
  }
  fmt::print("resident {} at the end\n", mebibytes(resident_bytes()));
  return 0;
}

}  // namespace
}  // namespace vyre::tests

int main(int count, char** arguments) {
  std::uint32_t seconds = 5;
  if (count > 1) {
    const std::string_view text = arguments[1];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (count > 2 || error != std::errc{} || end != text.data() + text.size() || seconds == 0) {
      std::fputs("usage: session_soak [SECONDS]\n", stderr);
      return 2;
    }
  }
  return vyre::tests::run(std::chrono::seconds{seconds});
}
