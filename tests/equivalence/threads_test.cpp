#include <array>
#include <barrier>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/equivalence/kernels.hpp"
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
    const RandomProgram program = make_random_program(kFirstSeed + thread * kProgramsEach + i, view_alignment(*device));
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

/// Runs a program of two buffers once. What goes wrong, or "".
std::string run_mix(runtime::Session& session) {
  const program::Program& mix = program_of(kernel_index("mix"));
  const std::vector<std::uint32_t> from(64, 5);
  std::vector<std::uint32_t> to(64, 2);
  const auto x = session.buffer<std::uint32_t>(from);
  const auto y = session.buffer<std::uint32_t>(to);
  if (!x || !y) return "no buffers";
  if (auto given = session.dispatch(mix, {*x, *y}, {.groups = {.x = 1}, .params = runtime::params(1U)}); !given) {
    return to_string(given.error());
  }
  if (auto read = session.read(*y, to); !read) return to_string(read.error());
  if (auto done = session.finish(); !done) return to_string(done.error());
  return to == std::vector<std::uint32_t>(64, 2 * 3 + 5 + 1) ? "" : "wrong values";
}

// What one session has compiled, another need not; and it is there as long as one of them is.
TEST_P(SessionThreads, SharePipelines) {
  const std::shared_ptr<backend::Device> device = open_device(GetParam());
  const auto open = [&](runtime::LaunchMode mode) {
    return std::make_unique<runtime::Session>(runtime::Session::open(device, {.mode = mode}).value());
  };
  auto first = open(runtime::LaunchMode::Merged);
  EXPECT_EQ(run_mix(*first), "");
  const std::size_t of_one = device->usage().pipelines;
  EXPECT_GT(of_one, 0U);
  auto second = open(runtime::LaunchMode::Merged);
  EXPECT_EQ(run_mix(*second), "");
  EXPECT_EQ(device->usage().pipelines, of_one);
  first.reset();
  EXPECT_EQ(device->usage().pipelines, of_one);
  EXPECT_EQ(run_mix(*second), "");
  // Another form of the same program is another pipeline.
  auto third = open(runtime::LaunchMode::Batched);
  EXPECT_EQ(run_mix(*third), "");
  EXPECT_GT(device->usage().pipelines, of_one);
  second.reset();
  third.reset();
  ASSERT_TRUE(device->wait_idle());
  EXPECT_EQ(device->usage(), backend::DeviceUsage{});
}

// What one session lets go of to make room, another still has; and when it comes back it is the same.
TEST_P(SessionThreads, MakeRoomEachForItself) {
  const std::shared_ptr<backend::Device> device = open_device(GetParam());
  runtime::Session other = runtime::Session::open(device, {.mode = runtime::LaunchMode::Batched}).value();
  runtime::Session small =
      runtime::Session::open(device, {.mode = runtime::LaunchMode::Batched, .max_pipelines = 1}).value();
  const program::Program& step = program_of(kernel_index("spec_step"));
  const auto buffer = small.buffer<std::uint32_t>(64).value();
  EXPECT_EQ(run_mix(other), "");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run_mix(small), "");
    ASSERT_TRUE(small.dispatch(step, {buffer}, {.groups = {.x = 1}, .params = runtime::params(3U)}));
    ASSERT_TRUE(small.finish());
    EXPECT_EQ(run_mix(other), "");
    EXPECT_EQ(device->usage().pipelines, 2U);
  }
}

TEST_P(SessionThreads, CompileAProgramOnceThoughAllNeedItAtTheSameTime) {
  const std::shared_ptr<backend::Device> device = open_device(GetParam());
  std::vector<std::unique_ptr<runtime::Session>> sessions;
  for (std::uint64_t i = 0; i < kThreads; ++i) {
    sessions.push_back(std::make_unique<runtime::Session>(
        runtime::Session::open(device, {.mode = runtime::LaunchMode::Batched}).value()));
  }
  std::array<std::string, kThreads> wrong;
  {
    std::barrier begin{kThreads};
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        begin.arrive_and_wait();
        wrong[i] = run_mix(*sessions[i]);
      });
    }
  }
  for (std::uint64_t i = 0; i < kThreads; ++i) EXPECT_EQ(wrong[i], "") << "on thread " << i;
  EXPECT_EQ(device->usage().pipelines, 1U);
}

INSTANTIATE_TEST_SUITE_P(Devices, SessionThreads, testing::Values("fake", "vulkan"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace vyre::tests
