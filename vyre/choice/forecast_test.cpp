#include <vyre/choice/forecast.hpp>

#include <vector>

#include <utility>

#include <gtest/gtest.h>

#include "tests/support/choice_device.hpp"

namespace vyre::choice {
namespace {

using program::FormKind;

TEST(Forecast, AddsUpWhatWasMeasured) {
  const Forecast independent_10 = forecast(independent(10), device(), {}, kAllCompiled);
  EXPECT_DOUBLE_EQ(independent_10.of(Way::Plain).ns, 1000 + 10 * 6000);
  EXPECT_DOUBLE_EQ(independent_10.of(Way::Batched).ns, 5000 + 10 * 1500);
  EXPECT_DOUBLE_EQ(independent_10.of(Way::Merged).ns, 7000 + 10 * 300);
  EXPECT_DOUBLE_EQ(independent_10.of(Way::Replay).setup_ns, 2000 + 10 * 500);
  EXPECT_DOUBLE_EQ(independent_10.of(Way::MergedReplay).setup_ns, 2000 + 500);
  // Where each is alone, the merged form is one that must be seen to be better.
  const Forecast chained_10 = forecast(chained(10), device(), {}, kAllCompiled);
  EXPECT_TRUE(chained_10.of(Way::Merged).is_possible);
  EXPECT_GE(chained_10.of(Way::Merged).ns, chained_10.of(Way::Batched).ns);
  EXPECT_GE(chained_10.of(Way::MergedReplay).ns, chained_10.of(Way::Replay).ns);
  EXPECT_FALSE(chained_10.of(Way::Persistent).is_possible);
  EXPECT_FALSE(forecast(independent(10), device(), {}, kOnlyWritten).of(Way::Merged).is_possible);
}

TEST(Forecast, MakesOneLaunchOfDispatchesThatWaitForEachOther) {
  const BatchShape shape = chained(100);
  const Forecast all = forecast(shape, device(), {}, kAllCompiled);
  EXPECT_DOUBLE_EQ(all.of(Way::Chain).ns, 8000 + 100 * 400);
  EXPECT_DOUBLE_EQ(all.of(Way::ChainReplay).ns, 6000 + 100 * 350);
  EXPECT_DOUBLE_EQ(all.of(Way::ChainReplay).setup_ns, 2000 + 500);
  // Those that do not may be one, too, where that is less than what wakes a few workgroups.
  const Forecast few = forecast(independent(2), device(), {}, kAllCompiled);
  EXPECT_DOUBLE_EQ(few.of(Way::Chain).ns, 8000 + 2 * 400);
  EXPECT_LT(few.of(Way::Chain).ns, few.of(Way::Persistent).ns);
  EXPECT_FALSE(forecast(independent(1), device(), {}, kAllCompiled).of(Way::Chain).is_possible);
  // Where others come between them, each is a launch.
  BatchShape apart = shape;
  apart.stretches = 100;
  const Forecast one_each = forecast(apart, device(), {}, kAllCompiled);
  EXPECT_GT(one_each.of(Way::Chain).ns, one_each.of(Way::Batched).ns);
  // A kernel that takes much longer in one workgroup.
  KernelTimes kernels;
  kernels.set({.program = 1, .size_class = 1}, FormKind::Descriptor, 10'000);
  kernels.set({.program = 1, .size_class = 1}, FormKind::Chain, 100'000);
  const Forecast slow = forecast(shape, device(), kernels, kAllCompiled);
  EXPECT_GT(slow.of(Way::Chain).ns, slow.of(Way::Batched).ns);
}

TEST(Forecast, AddsTheKernelsOfABatchWhoseTimesAreNotKnownOneByOne) {
  Calibration slower = device();
  slower.forms[static_cast<std::size_t>(FormKind::Merged)] = {.narrow = 2, .wide = 2};
  const Forecast without = forecast(independent(10), slower, {}, kAllCompiled);
  const Forecast with = forecast(independent(10), slower, {}, kAllCompiled, {.unknown_kernels_ns = 1e6});
  EXPECT_DOUBLE_EQ(with.of(Way::Batched).ns, without.of(Way::Batched).ns + 1e6);
  EXPECT_DOUBLE_EQ(with.of(Way::Merged).ns, without.of(Way::Merged).ns + 2e6);
}

TEST(Forecast, SharesAWaitAmongBatches) {
  const Forecast alone = forecast(independent(10), device(), {}, kAllCompiled);
  const Forecast many = forecast(independent(10), device(), {}, kAllCompiled, {.per_wait = 1000});
  // A submission of its own costs 6,000 − 1,500 ns, the wait beside it 500.
  EXPECT_NEAR(alone.of(Way::Batched).ns - many.of(Way::Batched).ns, 500, 1);
}

TEST(Forecast, CountsPlanningOfListsThatAreRecordedAnew) {
  const Forecast without = forecast(independent(10), device(), {}, kAllCompiled);
  const Forecast with = forecast(independent(10), device(), {}, kAllCompiled, {.plan_ns = 100});
  EXPECT_DOUBLE_EQ(with.of(Way::Batched).ns, without.of(Way::Batched).ns + 1000);
  EXPECT_DOUBLE_EQ(with.of(Way::Table).ns, without.of(Way::Table).ns + 1000);
  EXPECT_DOUBLE_EQ(with.of(Way::Replay).ns, without.of(Way::Replay).ns);
}

TEST(Forecast, TakesASingleDispatchIntoTheChainOfItsProgram) {
  BatchShape fan_in = independent(10);
  fan_in.kinds.push_back({.program = fan_in.kinds[0].program, .count = 1});
  ++fan_in.dispatches;
  fan_in.barriers = fan_in.inner_barriers = 1;
  const std::vector<ProgramForms> forms(2, kAllCompiled[0]);
  const Forecast result = forecast(fan_in, device(), {}, forms);
  EXPECT_TRUE(result.kinds[0].uses_form(Way::Chain));
  EXPECT_TRUE(result.kinds[1].uses_form(Way::Chain));
  EXPECT_DOUBLE_EQ(result.of(Way::Chain).ns, 8000 + 11 * 400);
}

TEST(Forecast, LetsASingleDispatchGoAlongWithThoseOfItsProgram) {
  BatchShape fan_in = independent(10);
  fan_in.kinds.push_back({.program = fan_in.kinds[0].program, .count = 1, .size_class = 3});
  ++fan_in.dispatches;
  const std::vector<ProgramForms> forms(2, kAllCompiled[0]);
  EXPECT_TRUE(forecast(fan_in, device(), {}, forms).kinds[1].uses_form(Way::Merged));
  // Not one of another program, and not if it takes much longer so.
  BatchShape other = fan_in;
  other.kinds[1].program = 2;
  EXPECT_FALSE(forecast(other, device(), {}, forms).kinds[1].uses_form(Way::Merged));
  KernelTimes kernels;
  const KernelTimes::Key key{.program = fan_in.kinds[0].program, .size_class = fan_in.kinds[1].size_class};
  kernels.set(key, FormKind::Descriptor, 10'000);
  kernels.set(key, FormKind::Merged, 11'000);
  EXPECT_TRUE(forecast(fan_in, device(), kernels, forms).kinds[1].uses_form(Way::Merged));
  kernels.set(key, FormKind::Merged, 100'000);
  EXPECT_FALSE(forecast(fan_in, device(), kernels, forms).kinds[1].uses_form(Way::Merged));
}

TEST(Forecast, CountsAFormsSlowerBody) {
  Calibration slower = device();
  slower.forms[static_cast<std::size_t>(FormKind::Merged)] = {.narrow = 2, .wide = 2};
  KernelTimes kernels;
  kernels.set({.program = 1, .size_class = 1}, FormKind::Descriptor, 50'000);
  const Forecast result = forecast(independent(10), slower, kernels, kAllCompiled);
  EXPECT_DOUBLE_EQ(result.of(Way::Batched).ns, 5000 + 10 * (1500 + 50'000));
  EXPECT_DOUBLE_EQ(result.of(Way::Merged).ns, 7000 + 10 * (300 + 100'000));
  // Observed in the form itself, what was calibrated does not count any more.
  kernels.set({.program = 1, .size_class = 1}, FormKind::Merged, 10'000);
  EXPECT_DOUBLE_EQ(forecast(independent(10), slower, kernels, kAllCompiled).of(Way::Merged).ns, 7000 + 10 * 10'300);
}

TEST(Forecast, ALoneDispatchRunsInAFormThatTimestampsHaveShownToBeBetterCode) {
  BatchShape shape{.key = 77,
                   .kinds = {{.program = 1, .groups = 4, .resources = 2}, {.program = 2, .groups = 4, .resources = 2}},
                   .dispatches = 8,
                   .barriers = 7};
  const std::vector<ProgramForms> forms(2, kAllCompiled.front());
  const auto merged_kinds = [&](const KernelTimes& kernels) {
    const Forecast made = forecast(shape, device(), kernels, forms);
    return std::pair{made.kinds[0].uses_form(Way::Merged), made.kinds[1].uses_form(Way::Merged)};
  };
  using program::FormKind;
  KernelTimes kernels;
  kernels.time({.program = 1, .size_class = 1}, FormKind::Descriptor, 900'000);
  kernels.time({.program = 2, .size_class = 1}, FormKind::Descriptor, 300'000);
  EXPECT_EQ(merged_kinds(kernels), std::pair(true, true)) << "a launch mode that a trial may show to be better";
  kernels.time({.program = 1, .size_class = 1}, FormKind::Merged, 300'000);
  kernels.time({.program = 2, .size_class = 1}, FormKind::Merged, 900'000);
  EXPECT_EQ(merged_kinds(kernels), std::pair(true, false));
  // Beside a group of several dispatches, too.
  shape.kinds.push_back({.program = 3, .count = 50, .resources = 2});
  shape.dispatches = 58;
  const std::vector<ProgramForms> three(3, kAllCompiled.front());
  const Forecast made = forecast(shape, device(), kernels, three);
  EXPECT_TRUE(made.kinds[0].uses_form(Way::Merged));
  EXPECT_FALSE(made.kinds[1].uses_form(Way::Merged));
  EXPECT_TRUE(made.kinds[2].uses_form(Way::Merged));
  // The forecast of a mode has the kernels in the forms in which they run there.
  EXPECT_LT(made.of(Way::Merged).ns, made.of(Way::Batched).ns - 4 * 500'000);
  EXPECT_GT(made.of(Way::Table).ns, made.of(Way::Merged).ns) << "all kinds run in the pointer form there";
}

}  // namespace
}  // namespace vyre::choice
