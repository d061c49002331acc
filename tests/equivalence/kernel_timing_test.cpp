#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/equivalence/kernels.hpp"

// The times of kernels in mixed batches, on the fake device, whose clock shows what each kernel takes.

namespace vyre::tests {
namespace {

using program::FormKind;
using runtime::Buffer;
using runtime::LaunchMode;
using runtime::params;
using runtime::Session;
using testing::HasSubstr;

using Word = std::uint32_t;

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error{to_string(result.error())};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

const program::Program& named(std::string_view kernel) { return program_of(kernel_index(kernel)); }

constexpr Word kMixGroups = 16;
constexpr Word kFoldGroups = 2;

/// Batches of dispatches of two kernels that wait for each other. Each batch has other parameters, and is awaited `lag`
/// batches later.
report::RunReport run_mixed(Session& session, Word batches, std::size_t lag = 0) {
  const auto a = must(session.buffer<Word>(1024));
  const auto b = must(session.buffer<Word>(1024));
  must(session.finish());
  std::deque<runtime::SessionTicket> pending;
  for (Word i = 0; i < batches; ++i) {
    for (int k = 0; k < 4; ++k) {
      must(session.dispatch(named("mix"), {a, b}, {.groups = {kMixGroups}, .params = params(i)}));
      must(session.dispatch(named("fold"), {b, a}, {.groups = {kFoldGroups}}));
    }
    pending.push_back(must(session.flush()));
    if (pending.size() <= lag) continue;
    must(session.wait(pending.front()));
    pending.pop_front();
  }
  return must(session.finish());
}

const report::GroupReport& group_of(const report::RunReport& report, std::string_view program) {
  const auto& groups = report.shapes.at(0)->groups;
  const auto found = std::ranges::find(groups, program, &report::GroupReport::program);
  if (found == groups.end()) throw std::runtime_error{"no such group"};
  return *found;
}

/// The time of a kernel of so many workgroups beyond that of an empty kernel of one.
double beyond_empty(Word groups, std::uint64_t own_ns) {
  return static_cast<double>(groups * (kFakeCosts.group_ns + own_ns) - kFakeCosts.group_ns);
}

TEST(KernelTimes, OfMixedBatchesAreThoseOfTheKernels) {
  Session session = must(Session::open(
      open_fake({.kernel_costs = {{"mix", {500, 500, 500, 500, 500}}, {"fold", {7000, 7000, 7000, 7000, 7000}}}}),
      {.calibrate_after = {}}));
  const report::RunReport report = run_mixed(session, 200);
  for (const auto& [program, ns] :
       {std::pair{"mix", beyond_empty(kMixGroups, 500)}, std::pair{"fold", beyond_empty(kFoldGroups, 7000)}}) {
    SCOPED_TRACE(program);
    const report::GroupReport& group = group_of(report, program);
    EXPECT_TRUE(group.is_timed[0]);
    ASSERT_TRUE(group.kernel_ns[0]);
    EXPECT_DOUBLE_EQ(*group.kernel_ns[0], ns);
  }
  EXPECT_THAT(to_text(report), HasSubstr("descriptor, measured"));
  EXPECT_THAT(to_json(report), HasSubstr("\"kernel_is_measured\""));
  EXPECT_LE(report.shapes[0]->trial_cost_ns, 0.1 * report.shapes[0]->total_ns);
}

TEST(KernelTimes, AreUnknownWithoutTimestamps) {
  Session session = must(Session::open(open_fake({.has_timestamps = false}), {.calibrate_after = {}}));
  const report::RunReport report = run_mixed(session, 200);
  EXPECT_FALSE(group_of(report, "mix").kernel_ns[0]);
  EXPECT_THAT(to_text(report), HasSubstr("its kernel's time is unknown: the device has no timestamps"));
}

TEST(KernelTimes, AreNotTakenWhereTrialsAreOffOrWorkIsPending) {
  Session session = must(Session::open(open_fake(), {.exploration = 0, .calibrate_after = {}}));
  EXPECT_FALSE(group_of(run_mixed(session, 200), "mix").is_timed[0]);
  Session busy = must(Session::open(open_fake(), {.calibrate_after = {}}));
  EXPECT_FALSE(group_of(run_mixed(busy, 200, 2), "mix").is_timed[0]);
}

// Whatever a form makes of the kernels, the best of the modes is found.
TEST(Forms, MayBeBetterCodeOrWorse) {
  const std::vector<backends::fake::KernelCosts> all{{9000, 1000, 1000, 9000, 9000}, {1000, 9000, 9000, 9000, 9000}};
  for (const backends::fake::KernelCosts& costs : all) {
    const auto open = [&] { return open_fake({.kernel_costs = {{"mix", costs}}}); };
    double best = std::numeric_limits<double>::infinity();
    for (const LaunchMode mode : runtime::kAllLaunchModes) {
      if (mode == LaunchMode::Auto) continue;
      Session session = must(Session::open(open(), {.mode = mode}));
      run_mixed(session, 20);
      best = std::min(best, static_cast<double>(run_mixed(session, 300).elapsed_ns));
    }
    Session session = must(Session::open(open(), {.calibrate_after = {}}));
    run_mixed(session, 600);
    const report::RunReport report = run_mixed(session, 300);
    EXPECT_LE(static_cast<double>(report.elapsed_ns), 1.05 * best) << to_text(report);
    const report::GroupReport& group = group_of(report, "mix");
    const auto pointer = static_cast<std::size_t>(FormKind::Pointer);
    if (group.is_timed[pointer]) {
      EXPECT_DOUBLE_EQ(*group.kernel_ns[pointer], beyond_empty(kMixGroups, costs[pointer]));
    }
  }
}

}  // namespace
}  // namespace vyre::tests
