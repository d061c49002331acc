#include <vyre/runtime/stopwatch.hpp>

#include <gtest/gtest.h>

namespace vyre::runtime {
namespace {

using choice::Way;

UsedWay one(std::uint64_t shape, Way way = Way::Batched) { return {.shape = shape, .way = way, .batches = 1}; }

TEST(Stopwatch, MeasuresFromTheFirstLaunchToTheEndOfTheWait) {
  Stopwatch stopwatch;
  stopwatch.launch(1'000);
  stopwatch.launch(1'200);
  stopwatch.complete(one(7), false);
  stopwatch.complete(one(7), false);
  const Stopwatch::Lap lap = stopwatch.stop(1'900, true, false);
  EXPECT_EQ(lap.ns, 900);
  ASSERT_TRUE(lap.timed.has_value());
  EXPECT_EQ(lap.timed->ns, 900);
  ASSERT_EQ(lap.timed->used.size(), 1);
  EXPECT_EQ(lap.timed->used[0], (UsedWay{.shape = 7, .way = Way::Batched, .batches = 2}));
  stopwatch.launch(2'000);
  EXPECT_TRUE(stopwatch.is_new());
  stopwatch.launch(2'100);
  EXPECT_FALSE(stopwatch.is_new());
}

TEST(Stopwatch, LeavesOutTheTimeInWhichNothingWasPending) {
  Stopwatch stopwatch;
  stopwatch.launch(0);
  stopwatch.complete(one(1), false);
  EXPECT_FALSE(stopwatch.stop(100, false, false).timed.has_value());
  stopwatch.launch(5'000);
  stopwatch.complete(one(1), false);
  const Stopwatch::Lap lap = stopwatch.stop(5'050, true, false);
  EXPECT_EQ(lap.ns, 50);
  ASSERT_TRUE(lap.timed.has_value());
  EXPECT_EQ(lap.timed->ns, 150);
}

TEST(Stopwatch, KeepsShapesAndWaysApart) {
  Stopwatch stopwatch;
  stopwatch.launch(0);
  for (const UsedWay& each : {one(1), one(2), one(1, Way::Merged), one(2)}) stopwatch.complete(each, false);
  const Stopwatch::Lap lap = stopwatch.stop(10, true, false);
  ASSERT_TRUE(lap.timed.has_value());
  EXPECT_EQ(lap.timed->used.size(), 3);
  EXPECT_EQ(lap.timed->batches(), 4);
}

TEST(Stopwatch, ExcludesSetup) {
  Stopwatch stopwatch;
  stopwatch.launch(0);
  stopwatch.exclude(300);
  stopwatch.complete(one(1), false);
  EXPECT_EQ(stopwatch.stop(1'000, true, false).timed->ns, 700);
  stopwatch.launch(2'000);
  stopwatch.exclude(5'000);  // More than the whole time: clocks may disagree.
  stopwatch.complete(one(1), false);
  EXPECT_EQ(stopwatch.stop(2'100, true, false).timed->ns, 0);
}

TEST(Stopwatch, SkipsTimeOfTheLapAtHandOnly) {
  Stopwatch stopwatch;
  stopwatch.skip(1'000'000);  // No lap: no effect.
  stopwatch.launch(0);
  stopwatch.skip(400);
  stopwatch.complete(one(1), false);
  EXPECT_EQ(stopwatch.stop(1'000, true, false).ns, 600);
}

TEST(Stopwatch, IsUndisturbedWhereTheSessionWasBusyAndAlone) {
  Stopwatch stopwatch;
  const auto measure = [&](std::uint64_t busy, bool has_other) {
    stopwatch.launch(0);
    stopwatch.work(busy);
    stopwatch.complete(one(1), false);
    if (has_other) stopwatch.complete(std::nullopt, false);
    return stopwatch.stop(1'000, true, false).timed->is_undisturbed;
  };
  EXPECT_TRUE(measure(750, false));
  EXPECT_FALSE(measure(749, false));
  EXPECT_FALSE(measure(1'000, true));
}

TEST(Stopwatch, GivesNothingOfASpoiltMeasurement) {
  Stopwatch stopwatch;
  stopwatch.launch(0);
  stopwatch.spoil();
  stopwatch.complete(one(1), false);
  EXPECT_FALSE(stopwatch.stop(100, true, false).timed.has_value());
  stopwatch.launch(200);
  stopwatch.complete(one(1), true);  // The first launch of a program.
  EXPECT_FALSE(stopwatch.stop(300, true, false).timed.has_value());
  stopwatch.launch(400);
  stopwatch.complete(one(1), false);
  EXPECT_TRUE(stopwatch.stop(500, true, false).timed.has_value());
}

TEST(Stopwatch, EndsAMeasurementOfManyBatchesWithoutAWait) {
  Stopwatch stopwatch;
  std::uint64_t now = 0;
  for (int i = 0; i < 63; ++i) {
    stopwatch.launch(now);
    stopwatch.complete(one(1), false);
    EXPECT_FALSE(stopwatch.stop(now += 10, false, true).timed.has_value());
  }
  stopwatch.complete(one(1), false);
  EXPECT_TRUE(stopwatch.is_long());
  const Stopwatch::Lap lap = stopwatch.stop(now += 10, false, true);
  ASSERT_TRUE(lap.timed.has_value());
  EXPECT_EQ(lap.timed->ns, 640);
  // What is pending still runs: the next measurement began at once.
  stopwatch.complete(one(1), false);
  EXPECT_EQ(stopwatch.stop(now + 30, true, false).timed->ns, 30);
}

TEST(Stopwatch, KnowsACompletionThatFollowsALookAtPendingWork) {
  Stopwatch stopwatch;
  stopwatch.see_pending(50);
  EXPECT_FALSE(stopwatch.has_just_seen_pending(51)) << "nothing was launched";
  stopwatch.launch(100);
  EXPECT_FALSE(stopwatch.has_just_seen_pending(260)) << "nobody looked in this lap";
  stopwatch.see_pending(250);
  EXPECT_TRUE(stopwatch.has_just_seen_pending(260));
  EXPECT_FALSE(stopwatch.has_just_seen_pending(261)) << "a sixteenth of the lap is over";
}

TEST(Stopwatch, GivesNothingIfNothingWasLaunched) {
  Stopwatch stopwatch;
  const Stopwatch::Lap lap = stopwatch.stop(100, true, false);
  EXPECT_EQ(lap.ns, 0);
  EXPECT_FALSE(lap.timed.has_value());
}

}  // namespace
}  // namespace vyre::runtime
