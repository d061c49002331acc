#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/equivalence/oracle.hpp"
#include "tests/equivalence/random_program.hpp"
#include "tests/equivalence/run_program.hpp"

// Sessions of many threads share a device and do not disturb each other.

namespace vyre::tests {
namespace {

constexpr std::uint64_t kThreads = 8;
constexpr std::uint64_t kProgramsEach = 4;
constexpr std::uint64_t kFirstSeed = 900'000'000;

/// What goes wrong on one thread, or "".
std::string run_some(const std::shared_ptr<backend::Device>& device, std::uint64_t thread) {
  Result<runtime::Session> session =
      runtime::Session::open(device, {.mode = kModes[thread % kModes.size()], .exploration = 1, .calibrate_after = {}});
  if (!session) return to_string(session.error());
  for (std::uint64_t i = 0; i < kProgramsEach; ++i) {
    const RandomProgram program = make_random_program(kFirstSeed + thread * kProgramsEach + i);
    const Result<std::string> wrong = run_program(*session, program, run_in_order(program));
    if (!wrong) return fmt::format("seed {}: {}", program.seed, to_string(wrong.error()));
    if (!wrong->empty()) return fmt::format("seed {}: {}", program.seed, *wrong);
  }
  return {};
}

class SessionThreads : public testing::TestWithParam<std::string> {};

TEST_P(SessionThreads, ShareADevice) {
  const std::shared_ptr<backend::Device> device = open_device(GetParam());
  std::array<std::string, kThreads> wrong;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&device, &wrong, i] { wrong[i] = run_some(device, i); });
    }
  }
  for (std::uint64_t i = 0; i < kThreads; ++i) EXPECT_EQ(wrong[i], "") << "on thread " << i;
  ASSERT_TRUE(device->wait_idle());
  EXPECT_EQ(device->usage(), backend::DeviceUsage{});
}

INSTANTIATE_TEST_SUITE_P(Devices, SessionThreads, testing::Values("fake", "vulkan"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace vyre::tests
