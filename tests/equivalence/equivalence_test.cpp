#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/equivalence/late_driver.hpp"
#include "tests/equivalence/options.hpp"
#include "tests/equivalence/oracle.hpp"
#include "tests/equivalence/random_program.hpp"
#include "tests/equivalence/run_program.hpp"
#include "tests/equivalence/shrink.hpp"

// Everything a session is told happens as if in order, however it is launched.

namespace vyre::tests {
namespace {

using runtime::LaunchMode;
using runtime::Session;
using runtime::SessionOptions;

using OpenDevice = std::function<std::shared_ptr<backend::Device>()>;

/// What differs from the oracle, or "".
std::string run_once(const RandomProgram& program, const OpenDevice& open, const SessionOptions& options) {
  const std::shared_ptr<backend::Device> device = open();
  std::string wrong;
  {
    Result<Session> session = Session::open(device, options);
    if (!session) return to_string(session.error());
    const Result<std::string> run = run_program(*session, program, run_in_order(program));
    wrong = run ? *run : to_string(run.error());
  }
  if (const auto idle = device->wait_idle(); !idle && wrong.empty()) wrong = to_string(idle.error());
  if (wrong.empty() && device->usage() != backend::DeviceUsage{}) wrong = "the session left something on the device";
  return wrong;
}

/// Runs a program; if it fails, the shortest one found that still does is told.
void expect_in_order(const RandomProgram& program, const OpenDevice& open, const SessionOptions& options) {
  const std::string wrong = run_once(program, open, options);
  if (wrong.empty()) return;
  const RandomProgram shortest =
      shrink(program, [&](const RandomProgram& shorter) { return !run_once(shorter, open, options).empty(); });
  ADD_FAILURE() << "seed " << program.seed << ": " << wrong << "\ncut down: " << run_once(shortest, open, options)
                << "\n"
                << to_text(shortest);
}

/// Small limits now and then, so that what is bounded comes to its bounds.
SessionOptions options_of(LaunchMode mode, std::uint64_t seed) {
  SessionOptions options{.mode = mode, .time_device = seed % 2 == 0};
  // What is chosen freely, and what would never be.
  options.exploration = seed % 4 < 2 ? 1 : 0.5;
  if (seed % 8 != 7) options.calibrate_after = {};
  if (seed % 3 == 0) options.max_batch = 1 + seed % 7;
  if (seed % 5 == 0) options.max_recordings = seed % 4;
  if (seed % 7 == 0) options.max_pipelines = 1 + seed % 5;
  if (seed % 11 == 0) options.max_recording_bytes = 4096;
  return options;
}

class Equivalence : public testing::TestWithParam<std::tuple<std::string, LaunchMode>> {
 protected:
  [[nodiscard]] static LaunchMode mode() { return std::get<1>(GetParam()); }

  /// Of so many programs in all, the share of this mode. No two tests have the same seeds.
  template <typename Run>
  void for_each_seed(std::uint64_t programs, std::uint64_t kind, Run run) {
    const std::uint64_t count = std::max<std::uint64_t>(1, programs / kModes.size());
    const std::uint64_t block = kind * kModes.size() + static_cast<std::uint64_t>(mode());
    for (std::uint64_t i = 0; i < count && !HasFailure(); ++i) {
      run(equivalence_options().first_seed + block * 1'000'000 + i);
    }
  }
};

using FakeEquivalence = Equivalence;
using VulkanEquivalence = Equivalence;

std::string name_of(const testing::TestParamInfo<std::tuple<std::string, LaunchMode>>& info) {
  return fmt::format("{}_{}", std::get<0>(info.param), to_string(std::get<1>(info.param)));
}

TEST_P(FakeEquivalence, EverythingHappensAsIfInOrder) {
  for_each_seed(equivalence_options().programs * 4 / 5, 0, [](std::uint64_t seed) {
    const FakeSetup setup{.shuffle_seed = seed,
                          .decorate = seed % 2 == 0 ? Decorate{make_late_driver} : Decorate{},
                          .options = {.max_pending = seed % 6 == 1 ? 2U : 64U, .map_device_memory = seed % 4 < 2}};
    expect_in_order(make_random_program(seed), [&] { return open_fake(setup); }, options_of(mode(), seed));
  });
}

TEST_P(VulkanEquivalence, EverythingHappensAsIfInOrder) {
  const auto open = [](bool maps) {
    Result<std::shared_ptr<backend::Device>> device = open_vulkan({.map_device_memory = maps});
    EXPECT_TRUE(device) << to_string(device.error());
    return device ? *device : nullptr;
  };
  const std::shared_ptr<backend::Device> mapped = open(true);
  const std::shared_ptr<backend::Device> unmapped = open(false);
  ASSERT_TRUE(mapped != nullptr && unmapped != nullptr);
  for_each_seed(equivalence_options().programs / 5, 1, [&](std::uint64_t seed) {
    expect_in_order(
        make_random_program(seed, view_alignment(*mapped)), [&] { return seed % 2 == 0 ? mapped : unmapped; },
        options_of(mode(), seed));
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, FakeEquivalence, testing::Combine(testing::Values("fake"), testing::ValuesIn(kModes)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Modes, VulkanEquivalence,
                         testing::Combine(testing::Values("vulkan"), testing::ValuesIn(kModes)), name_of);

}  // namespace
}  // namespace vyre::tests
