#include <memory>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/equivalence/hazard_driver.hpp"
#include "tests/equivalence/oracle.hpp"
#include "tests/equivalence/random_program.hpp"
#include "tests/equivalence/run_program.hpp"

// Between any two commands of a list that touch the same bytes, one of them writing, stands a barrier: found by looking
// at every pair, not by asking the planner.

namespace vyre::tests {
namespace {

constexpr std::uint64_t kPrograms = 60;

class Barriers : public testing::TestWithParam<runtime::LaunchMode> {};

TEST_P(Barriers, StandBetweenAllThatConflicts) {
  const auto report = std::make_shared<HazardReport>();
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const std::shared_ptr<backend::Device> device =
        open_fake({.shuffle_seed = seed,
                   .decorate = [&](auto inner) { return make_hazard_driver(std::move(inner), report); },
                   .options = {.map_device_memory = seed % 2 == 0}});
    const RandomProgram program = make_random_program(seed);
    Result<runtime::Session> session =
        runtime::Session::open(device, {.mode = GetParam(), .exploration = 1, .calibrate_after = {}});
    ASSERT_TRUE(session) << to_string(session.error());
    const Result<std::string> wrong = run_program(*session, program, run_in_order(program));
    EXPECT_TRUE(wrong) << to_string(wrong.error());
    ASSERT_THAT(report->unordered, testing::IsEmpty()) << "in a list of seed " << seed << "\n" << to_text(program);
  }
  EXPECT_GT(report->lists, kPrograms);
  fmt::print("{}: {} lists, {} commands, {} barriers, {} of them needless, {} launches on other queues\n",
             to_string(GetParam()), report->lists, report->commands, report->barriers, report->needless,
             report->launches_elsewhere);
  RecordProperty("needless_barriers", fmt::format("{}", report->needless));
}

INSTANTIATE_TEST_SUITE_P(Modes, Barriers, testing::ValuesIn(kModes),
                         [](const auto& info) { return std::string{to_string(info.param)}; });

/// The oracle itself finds what is wrong with a list.
TEST(HazardDriver, FindsAMissingAndANeedlessBarrier) {
  const auto report = std::make_shared<HazardReport>();
  const std::shared_ptr<backend::Device> device =
      open_fake({.decorate = [&](auto inner) { return make_hazard_driver(std::move(inner), report); }});
  const backend::BufferHandle a = device->allocate({.size = 64}).value();
  const backend::BufferHandle b = device->allocate({.size = 64}).value();
  backend::CommandList list;
  list.fill({.buffer = a, .offset = 0, .size = 9}, 0);
  list.copy(a, 8, b, 0, 8);
  list.barrier();
  list.fill({.buffer = b, .offset = 8, .size = 8}, 0);
  ASSERT_TRUE(device->wait(device->submit(list).value()));
  EXPECT_THAT(report->unordered, testing::ElementsAre("commands 0, fill, and 1, copy, of list 1"));
  EXPECT_EQ(report->needless, 1U);
}

}  // namespace
}  // namespace vyre::tests
