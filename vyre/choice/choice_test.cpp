#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <vyre/choice/forecast.hpp>
#include <vyre/choice/history.hpp>
#include <vyre/choice/line.hpp>

namespace vyre::choice {
namespace {

using program::FormKind;

TEST(FitLine, GivesTheLineThatPointsLieOn) {
  const std::array points{Point{.n = 1, .ns = 110}, Point{.n = 8, .ns = 180}, Point{.n = 48, .ns = 580}};
  const Line line = fit_line(points);
  EXPECT_NEAR(line.fixed_ns, 100, 1e-6);
  EXPECT_NEAR(line.slope_ns, 10, 1e-6);
}

TEST(FitLine, HasNoPartBelowZero) {
  const std::array falling{Point{.n = 1, .ns = 100}, Point{.n = 10, .ns = 50}};
  EXPECT_EQ(fit_line(falling).slope_ns, 0);
  EXPECT_GT(fit_line(falling).fixed_ns, 0);
  const std::array steep{Point{.n = 1, .ns = 1}, Point{.n = 10, .ns = 100}};
  EXPECT_EQ(fit_line(steep).fixed_ns, 0);
  EXPECT_GT(fit_line(steep).slope_ns, 0);
  EXPECT_EQ(fit_line({}), Line{});
  const std::array one{Point{.n = 5, .ns = 50}};
  EXPECT_EQ(fit_line(one), Line{.fixed_ns = 50});
}

TEST(Median, IsTheMiddleOne) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({9, 1, 5, 7}), 6);
}

TEST(Trusted, DropsSamplesOfWhichTwoClocksDisagree) {
  // Usually the host waits 40 of 100; once it was away for 60 more.
  const std::array samples{ClockPair{.wall_ns = 100, .other_ns = 60}, ClockPair{.wall_ns = 102, .other_ns = 61},
                           ClockPair{.wall_ns = 160, .other_ns = 60}, ClockPair{.wall_ns = 98, .other_ns = 58}};
  EXPECT_EQ(trusted(samples), (std::vector<double>{100, 102, 98}));
  // And what stands far out, although they agree.
  const std::array far{ClockPair{.wall_ns = 100, .other_ns = 100}, ClockPair{.wall_ns = 100, .other_ns = 100},
                       ClockPair{.wall_ns = 400, .other_ns = 400}};
  EXPECT_EQ(trusted(far), (std::vector<double>{100, 100}));
  // Where none is usual, there is nothing to go by.
  const std::array odd{ClockPair{.wall_ns = 100, .other_ns = 100}, ClockPair{.wall_ns = 100, .other_ns = 40}};
  EXPECT_EQ(trusted(odd), (std::vector<double>{100, 100}));
}

/// A device on which everything is a line, and forms make no kernel slower.
Calibration device() {
  Calibration result;
  result.has_form = {true, true, true, true, true};
  result.way(Way::Plain) = {.fixed_ns = 1000, .slope_ns = 6000};
  result.way(Way::Batched) = {.fixed_ns = 5000, .slope_ns = 1500};
  result.way(Way::Replay) = {.fixed_ns = 4000, .slope_ns = 1000};
  result.way(Way::Merged) = {.fixed_ns = 7000, .slope_ns = 300};
  result.way(Way::MergedReplay) = {.fixed_ns = 5500, .slope_ns = 250};
  result.way(Way::Persistent) = {.fixed_ns = 9000, .slope_ns = 200};
  result.way(Way::PersistentReplay) = {.fixed_ns = 7000, .slope_ns = 150};
  result.way(Way::Chain) = {.fixed_ns = 8000, .slope_ns = 400};
  result.way(Way::ChainReplay) = {.fixed_ns = 6000, .slope_ns = 350};
  result.way(Way::Table) = {.fixed_ns = 4500, .slope_ns = 1100};
  result.record = {.fixed_ns = 2000, .slope_ns = 500};
  result.compile_ns = 100'000;
  return result;
}

BatchShape independent(std::uint32_t count) {
  return {.key = count, .kinds = {{.program = 1, .count = count, .resources = 2}}, .dispatches = count};
}

BatchShape chained(std::uint32_t count) {
  return {.key = 1'000'000 + count,
          .kinds = {{.program = 1, .groups = count, .resources = 2}},
          .dispatches = count,
          .barriers = count - 1,
          .inner_barriers = count - 1};
}

const std::vector<ProgramForms> kAllCompiled{
    {.possible = {true, true, true, true, true}, .compiled = {true, true, true, true, true}}};
const std::vector<ProgramForms> kOnlyWritten{{}};
const auto kNoRecorder = [](auto) {};

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
  const auto propose_for = [](const BatchShape& of, const Forecast& forecast) {
    const std::vector facts{facts_of(of, device(), forecast, 0, {})};
    return propose(forecast, facts, bindless_threshold(device()), {}, kNoRecorder);
  };
  EXPECT_EQ(propose_for(shape, all), Way::Chain);
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
  EXPECT_EQ(propose_for(apart, one_each), Way::Batched);
  // A kernel that takes much longer in one workgroup.
  KernelTimes kernels;
  kernels.set({.program = 1, .size_class = 1}, FormKind::Descriptor, 10'000);
  kernels.set({.program = 1, .size_class = 1}, FormKind::Chain, 100'000);
  EXPECT_EQ(propose_for(shape, forecast(shape, device(), kernels, kAllCompiled)), Way::Batched);
}

TEST(Forecast, HopesThatOneWorkgroupIsAsFastAsManyOnlyWhereFewRunAtOnce) {
  BatchShape wide = chained(10);
  wide.kinds[0].size_class = 7;
  KernelTimes kernels;
  kernels.set({.program = 1, .size_class = 7}, FormKind::Descriptor, 10'000);
  const auto hoped = [&](double ratio) {
    Calibration calibration = device();
    calibration.forms[static_cast<std::size_t>(FormKind::Chain)] = {.narrow = 1, .wide = ratio};
    return forecast(wide, calibration, kernels, kAllCompiled).of(Way::Chain);
  };
  EXPECT_DOUBLE_EQ(hoped(3).ns, 8000 + 10 * (400 + 30'000));
  EXPECT_DOUBLE_EQ(hoped(3).hoped_ns, 8000 + 10 * (400 + 10'000));
  EXPECT_DOUBLE_EQ(hoped(16).hoped_ns, hoped(16).ns);
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

TEST(Forecast, ExpectsNoSubmissionForEachToBeFasterThanOneList) {
  Calibration fast = device();
  fast.way(Way::Plain) = {.fixed_ns = 0, .slope_ns = 1000};
  const Forecast result = forecast(chained(10), fast, {}, kAllCompiled);
  EXPECT_DOUBLE_EQ(result.of(Way::Plain).ns, result.of(Way::Batched).ns);
  EXPECT_DOUBLE_EQ(result.of(Way::Plain).hoped_ns, 10 * 1000);
}

TEST(Forecast, HopesThatATableTakesWhatAKeptListDoes) {
  Calibration slow = device();
  slow.way(Way::Table) = {.fixed_ns = 4500, .slope_ns = 3000};
  const Forecast result = forecast(chained(10), slow, {}, kAllCompiled);
  EXPECT_DOUBLE_EQ(result.of(Way::Table).ns, 4500 + 10 * 3000);
  EXPECT_DOUBLE_EQ(result.of(Way::Table).hoped_ns, 4500 + 10 * 1000);
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
  const policy::DispatchFacts facts = facts_of(independent(10), slower, result, 0, {});
  EXPECT_EQ(facts.persistent.per_item_kernel_ns, 50'000U);
  // Observed in the form itself, what was calibrated does not count any more.
  kernels.set({.program = 1, .size_class = 1}, FormKind::Merged, 10'000);
  EXPECT_DOUBLE_EQ(forecast(independent(10), slower, kernels, kAllCompiled).of(Way::Merged).ns, 7000 + 10 * 10'300);
}

template <typename Recorder>
Way proposed(const BatchShape& shape, const Calibration& calibration, const Forecast& forecast, Appearances seen,
             Recorder record) {
  std::vector<policy::DispatchFacts> facts;
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    facts.push_back(facts_of(shape, calibration, forecast, i, seen));
  }
  return propose(forecast, facts, bindless_threshold(calibration), seen, record);
}

TEST(Propose, RecordsWhatComesAgainAndOnlyThen) {
  const Forecast result = forecast(chained(100), device(), {}, kOnlyWritten);
  EXPECT_EQ(proposed(chained(100), device(), result, {}, kNoRecorder), Way::Batched);
  EXPECT_EQ(proposed(chained(100), device(), result, {.of_shape = 5, .of_batch = 5}, kNoRecorder), Way::Replay);
}

TEST(Propose, AuditsWhatLeavesThePlainPath) {
  const BatchShape shape = independent(500);
  const Forecast result = forecast(shape, device(), {}, kAllCompiled);
  std::vector<policy::AuditEvent> events;
  const Way way = proposed(shape, device(), result, {.of_shape = 9, .of_batch = 9},
                           [&](auto some) { events.insert(events.end(), some.begin(), some.end()); });
  EXPECT_TRUE(is_one_launch(way));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].substrate, policy::Substrate::PersistentKernel);
  EXPECT_EQ(events[1].substrate, policy::Substrate::CommandReuse);
  EXPECT_GT(events[0].saved_ns, 0U);
}

/// What is proposed by the policies is what the forecast has as least, as often as the batch is expected.
TEST(Propose, IsTheLeastOfTheForecastForOneKindOfGroup) {
  std::mt19937_64 random{7};
  const auto pick = [&](double most) { return std::uniform_real_distribution<double>{0, most}(random); };
  // Facts are whole nanoseconds, of every dispatch.
  constexpr double kRounding = 51 * 310;
  int one_launch = 0;
  int reuse = 0;
  for (int i = 0; i < 20'000; ++i) {
    Calibration calibration = device();
    calibration.bindless_crossover.reset();
    for (const Way way : kAllWays) calibration.way(way) = {.fixed_ns = 5000, .slope_ns = 10 + pick(5000)};
    // Plain launches are lists of one.
    calibration.way(Way::Plain) = {.fixed_ns = 5000, .slope_ns = 20'000};
    calibration.record = {.slope_ns = pick(3000)};
    const BatchShape shape = independent(2 + static_cast<std::uint32_t>(pick(300)));
    const Appearances seen{.of_shape = 50, .of_batch = 50};
    const Forecast result = forecast(shape, calibration, {}, kAllCompiled);
    const Way way = proposed(shape, calibration, result, seen, kNoRecorder);
    const auto total = [&](Way each) { return result.of(each).ns * 51 + result.of(each).setup_ns; };
    one_launch += is_one_launch(way) ? 1 : 0;
    reuse += way == Way::Replay ? 1 : 0;
    // The policies compare a launch of many with a list made anew, and a list that is kept with that.
    const double least_one = std::min({total(Way::Merged), total(Way::Persistent), total(Way::Chain)});
    if (is_one_launch(way)) {
      EXPECT_LT(least_one, total(Way::Batched) + 1);
    }
    if (way == Way::Replay) {
      EXPECT_LT(total(Way::Replay), total(Way::Batched) + 1);
    }
    if (way == Way::Batched) {
      EXPECT_GE(least_one + kRounding, total(Way::Batched));
      EXPECT_GE(total(Way::Replay) + kRounding, total(Way::Batched));
    }
  }
  EXPECT_GT(one_launch, 1000);
  EXPECT_GT(reuse, 1000);
}

TEST(Bindless, UsesTheMeasuredCrossover) {
  Calibration calibration = device();
  EXPECT_EQ(bindless_threshold(calibration), std::numeric_limits<std::uint32_t>::max());
  calibration.bindless_crossover = 9;
  EXPECT_EQ(bindless_threshold(calibration), 9U);
}

class History : public testing::Test {
 protected:
  /// Chooses and observes what `takes(way)` says; gives the way.
  template <typename Takes>
  Choice step(Takes takes, double exploration = 0) {
    Moment moment{.seen = {.of_shape = seen_, .of_batch = seen_},
                  .proposed = Way::Batched,
                  .may_try = true,
                  .exploration = exploration};
    moment.is_set_up = set_up_;
    const Choice choice = history_.choose(forecast_, moment);
    set_up_[static_cast<std::size_t>(choice.way)] = true;
    history_.observe(choice.way, takes(choice.way), 1, 1);
    ++seen_;
    return choice;
  }

  /// What is predicted is what it takes.
  template <typename Takes>
  void predict(Takes takes) {
    for (const Way way : kAllWays) {
      forecast_.ways[static_cast<std::size_t>(way)] = {.is_possible = true, .ns = takes(way), .hoped_ns = takes(way)};
    }
  }

  Forecast forecast_ = forecast(independent(100), device(), {}, kAllCompiled);
  ShapeHistory history_;
  std::array<bool, kWays> set_up_ = {};
  std::uint32_t seen_ = 0;
};

TEST_F(History, UsesWhatWasMeasuredToTakeLeast) {
  // The forecast likes one launch; in truth replaying is better.
  const auto takes = [](Way way) { return way == Way::Replay ? 10'000.0 : 200'000.0; };
  for (int i = 0; i < 60; ++i) step(takes, 0.1);
  EXPECT_EQ(step(takes).way, Way::Replay);
}

TEST_F(History, SaysWhatAnotherWayMustTakeToBeUsed) {
  predict([](Way way) { return way == Way::Table ? 12'000.0 : 10'000.0; });
  Moment moment{.seen = {.of_shape = 40}, .proposed = Way::Batched};
  moment.is_set_up.fill(true);
  const auto used = [&](double table_ns) {
    history_ = {};
    for (int i = 0; i < 8; ++i) history_.observe(Way::Table, table_ns, 1, 1);
    for (int i = 0; i < 20; ++i) history_.observe(Way::Batched, 10'000, 1, 1);
    return history_.choose(forecast_, moment).way;
  };
  ASSERT_EQ(used(12'000), Way::Batched);
  const double below = history_.used_below(forecast_, moment, Way::Batched, Way::Table);
  EXPECT_DOUBLE_EQ(below, 9'800);
  EXPECT_EQ(history_.used_below(forecast_, moment, Way::Batched, Way::Batched), 0);
  // This batch did not come before: there is no list to replay.
  EXPECT_EQ(history_.used_below(forecast_, moment, Way::Batched, Way::Replay), 0);
  EXPECT_EQ(used(below + 10), Way::Batched);
  EXPECT_EQ(used(below - 10), Way::Table);
}

TEST_F(History, RecordsOnceAsMuchWasLostWithoutIt) {
  Forecast costly = forecast_;
  for (const Way way : kAllWays) {
    WayCost& cost = costly.ways[static_cast<std::size_t>(way)];
    cost = {.is_possible = way == Way::Batched || way == Way::Replay, .ns = 100'000};
  }
  costly.ways[static_cast<std::size_t>(Way::Replay)] = {.is_possible = true, .ns = 50'000, .setup_ns = 400'000};
  forecast_ = costly;
  const auto takes = [&](Way way) { return costly.of(way).ns; };
  std::uint32_t anew = 0;
  while (step(takes).way == Way::Batched) ++anew;
  // Each costs 50 µs more than a replay would: after eight the recording would have been paid for.
  EXPECT_GE(anew, 8U);
  EXPECT_LE(anew, 10U);
}

TEST_F(History, GivesNoTrialToWhoWantsNone) {
  const auto takes = [](Way) { return 10'000.0; };
  predict(takes);
  int others = 0;
  for (int i = 0; i < 500; ++i) {
    // Two who share what is known, in turns.
    step(takes, 0.5);
    const Choice choice = step(takes, 0);
    others += choice.is_trial ? 1 : 0;
  }
  EXPECT_EQ(others, 0);
  EXPECT_GT(history_.trials(), 5U);
}

TEST_F(History, EndsATrialThatTakesManyTimesAsLong) {
  // All are predicted to be about as good. One is not.
  predict([](Way way) { return way == Way::Batched ? 10'000.0 : 12'000.0; });
  const auto takes = [](Way way) {
    return way == Way::Persistent || way == Way::PersistentReplay ? 1'000'000.0 : 10'000.0;
  };
  int launched = 0;
  for (int i = 0; i < 90; ++i) {
    const Way way = step(takes, 0.5).way;
    launched += way == Way::Persistent || way == Way::PersistentReplay ? 1 : 0;
  }
  EXPECT_GE(launched, 1);
  EXPECT_LE(launched, 3);
}

TEST_F(History, ExpectsOfAWayThatWasNotSeenWhatTheOneThatIsUsedTakesBeyondItsForecast) {
  // Nothing is known of the kernels, which take nearly all of the time.
  predict([](Way way) { return is_one_launch(way) ? 40'000.0 : 50'000.0; });
  const auto takes = [](Way) { return 2'000'000.0; };
  for (int i = 0; i < 10; ++i) history_.observe(Way::Batched, 2'000'000, 1, 1);
  // Too little for a trial.
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(is_one_launch(step(takes, 0.001).way)) << i;
}

TEST_F(History, NeverReplaysWhatDidNotComeBefore) {
  for (std::uint32_t i = 0; i < 100; ++i) {
    const Moment moment{.seen = {.of_shape = i}, .may_try = true, .exploration = 1};
    const Choice choice = history_.choose(forecast_, moment);
    EXPECT_FALSE(is_replay(choice.way));
    history_.observe(choice.way, 1000, 1, 1);
  }
}

TEST_F(History, TriesEverythingAllTheTimeIfAskedTo) {
  predict([](Way) { return 1000.0; });
  std::array<int, kWays> times = {};
  for (int i = 0; i < 1000; ++i) ++times[static_cast<std::size_t>(step([](Way) { return 1000.0; }, 1).way)];
  EXPECT_GT(std::ranges::min(times), 50);
}

TEST_F(History, IsNotMovedByASingleDisturbance) {
  const auto takes = [](Way way) { return way == Way::PersistentReplay ? 10'000.0 : 20'000.0; };
  for (int i = 0; i < 60; ++i) step(takes, 0.1);
  const auto disturbed = [](Way) { return 900'000.0; };
  step(disturbed);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(step(takes).way, Way::PersistentReplay);
}

TEST_F(History, KnowsWhatIsBestWhenEverythingTakesLonger) {
  const auto takes = [](Way way) { return is_one_launch(way) ? 10'000.0 : 14'000.0; };
  predict(takes);
  for (int i = 0; i < 400; ++i) step(takes, 0.1);
  const Way best = step(takes).way;
  ASSERT_TRUE(is_one_launch(best));
  // What the others were seen to take before is less than what this one takes now, and yet they are not better.
  int others = 0;
  const auto slower = [&](Way way) { return 2 * takes(way); };
  for (int i = 0; i < 40; ++i) others += is_one_launch(step(slower, 0.03).way) ? 0 : 1;
  EXPECT_LE(others, 4);
  EXPECT_NEAR(history_.of(Way::Replay).ns(), slower(Way::Replay), 0.1 * slower(Way::Replay));
  // And when it is over, they are as they were.
  for (int i = 0; i < 40; ++i) step(takes, 0.03);
  EXPECT_NEAR(history_.of(Way::Replay).ns(), takes(Way::Replay), 0.1 * takes(Way::Replay));
}

TEST_F(History, ComparesWhatIsTriedWithWhatIsUsedAtThatTime) {
  const auto takes = [](Way way) { return is_one_launch(way) ? 10'000.0 : 12'500.0; };
  predict(takes);
  // More that are alike would take all of the trials.
  for (const Way way : {Way::Chain, Way::ChainReplay})
    forecast_.ways[static_cast<std::size_t>(way)].is_possible = false;
  // Half of the time the machine is slower, for as long as it takes to notice and for longer.
  for (const int period : {12, 50}) {
    SCOPED_TRACE(period);
    history_ = {};
    int batch = 0;
    const auto varying = [&](Way way) { return takes(way) * (batch++ / period % 2 == 0 ? 1 : 1.18); };
    Way used = Way::Batched;
    for (int i = 0; i < 6000; ++i) {
      const Choice choice = step(varying, 0.1);
      if (!choice.is_trial) used = choice.way;
    }
    ASSERT_TRUE(is_one_launch(used));
    EXPECT_GE(history_.of(Way::Replay).count(), 7U);
    EXPECT_GE(history_.of(Way::Plain).count(), 7U);
    EXPECT_NEAR(history_.of(Way::Replay).ns() / history_.of(used).ns(), 1.25, 0.04);
    EXPECT_NEAR(history_.of(Way::Plain).ns() / history_.of(used).ns(), 1.25, 0.04);
  }
}

TEST_F(History, KnowsTheMachineFromAWayThatWasMistaken) {
  const auto see = [&](Way way, double ns, int times) {
    for (int i = 0; i < times; ++i) history_.observe(way, ns, 1, 1);
  };
  see(Way::Plain, 12'000, 4);
  see(Way::Replay, 9'000, 4);
  see(Way::Batched, 10'000, 30);
  // Twice as much as was believed: then everything takes longer.
  see(Way::Replay, 18'000, 12);
  EXPECT_NEAR(history_.of(Way::Plain).ns(), 24'000, 500);
  // A little more is its own.
  history_ = {};
  see(Way::Plain, 12'000, 4);
  see(Way::Replay, 9'000, 4);
  see(Way::Batched, 10'000, 30);
  see(Way::Replay, 11'000, 12);
  EXPECT_NEAR(history_.of(Way::Plain).ns(), 12'000, 500);
}

TEST_F(History, PromisesLittleWhereAllWaysAreAlikeOnAMachineOfTwoSpeeds) {
  predict([](Way) { return 10'000.0; });
  double most = 0;
  double promised = 0;
  constexpr int kBatches = 2000;
  constexpr unsigned kMachines = 20;
  for (unsigned machine = 0; machine < kMachines; ++machine) {
    history_ = {};
    std::mt19937 random{machine};
    std::uniform_real_distribution<double> uniform{0, 1};
    double speed = 1;
    const auto takes = [&](Way) {
      if (uniform(random) < 0.03) speed = speed == 1 ? 2.2 : 1;
      return 10'000 * speed * (1 + 0.3 * uniform(random));
    };
    for (int i = 0; i < kBatches; ++i) {
      const Choice choice = step(takes, 0.3);
      const double baseline = history_.typical(forecast_, Way::Batched, 1);
      most = std::max(most, baseline);
      if (!choice.is_trial) promised += std::abs(baseline - history_.typical(forecast_, choice.way, 1)) / baseline;
    }
  }
  // What is concluded from what the machine does adds up to a few times what it takes at the most.
  EXPECT_LT(most, 2.6 * 28'600);
  EXPECT_LT(promised / kBatches / kMachines, 0.12);
}

TEST_F(History, TriesAFormThatOnlyTheKernelOfTheCalibrationIsSlowIn) {
  Calibration slow = device();
  slow.forms[static_cast<std::size_t>(FormKind::Merged)] = {.narrow = 5, .wide = 5};
  slow.forms[static_cast<std::size_t>(FormKind::Persistent)] = {.narrow = 5, .wide = 5};
  KernelTimes kernels;
  kernels.set({.program = 1, .size_class = 1}, FormKind::Descriptor, 4000);
  forecast_ = forecast(independent(100), slow, kernels, kAllCompiled);
  ASSERT_GT(forecast_.of(Way::Merged).ns, 2 * forecast_.of(Way::Batched).ns);
  ASSERT_LT(forecast_.of(Way::Merged).hoped_ns, forecast_.of(Way::Batched).ns);
  // Merged it is as fast as it is written.
  const auto takes = [&](Way way) {
    const WayCost& cost = forecast_.of(way);
    return program::FormKind::Merged == form_of(way) ? cost.hoped_ns : cost.ns;
  };
  for (int i = 0; i < 3000; ++i) step(takes, 0.03);
  EXPECT_EQ(form_of(step(takes).way), FormKind::Merged);
  EXPECT_LE(history_.tried_ns(), 0.03 * history_.total_ns());
  // What was learned of the kernel elsewhere may be mistaken.
  kernels.set({.program = 1, .size_class = 1}, FormKind::Merged, 20'000);
  const Forecast mistaken = forecast(independent(100), slow, kernels, kAllCompiled);
  EXPECT_DOUBLE_EQ(mistaken.of(Way::Merged).hoped_ns, forecast_.of(Way::Merged).hoped_ns);
}

TEST_F(History, FindsTheBestWhenOnlySomeTakeLonger) {
  const auto takes = [](Way way) { return is_one_launch(way) ? 10'000.0 : 14'000.0; };
  predict(takes);
  for (int i = 0; i < 400; ++i) step(takes, 0.1);
  ASSERT_TRUE(is_one_launch(step(takes).way));
  const auto changed = [&](Way way) { return is_one_launch(way) ? 20'000.0 : takes(way); };
  for (int i = 0; i < 10; ++i) step(changed, 0.03);
  EXPECT_FALSE(is_one_launch(step(changed, 0.03).way));
}

TEST_F(History, KeepsAListThatWasMeasuredToBeCheaperUnlessItIsSeenToBeMuchDearer) {
  forecast_ = {};
  forecast_.ways[static_cast<std::size_t>(Way::Batched)] = {.is_possible = true, .ns = 20'000};
  forecast_.ways[static_cast<std::size_t>(Way::Replay)] = {.is_possible = true, .ns = 15'000};
  // Noise: a kept list cannot take longer than the same made anew.
  for (int i = 0; i < 200; ++i) step([](Way way) { return way == Way::Replay ? 16'000.0 : 15'000.0; }, 0.1);
  EXPECT_EQ(step([](Way) { return 16'000.0; }).way, Way::Replay);
  // This is none.
  for (int i = 0; i < 200; ++i) step([](Way way) { return way == Way::Replay ? 60'000.0 : 15'000.0; }, 0.1);
  EXPECT_EQ(step([](Way) { return 15'000.0; }).way, Way::Batched);
}

TEST_F(History, TakesWhatWasSeenOftenForMoreThanWhatWasSeenTwice) {
  predict([](Way way) { return is_one_launch(way) ? 20'000.0 : 10'000.0; });
  for (int i = 0; i < 8; ++i) history_.observe(Way::Chain, 6'000, 1, 1);
  // Disturbed, both times.
  for (int i = 0; i < 2; ++i) history_.observe(Way::ChainReplay, 11'000, 1, 1);
  for (int i = 0; i < 20; ++i) history_.observe(Way::Batched, 10'000, 1, 1);
  Moment moment{.seen = {.of_shape = 40, .of_batch = 40}, .proposed = Way::Batched, .exploration = 0.03};
  moment.is_set_up.fill(true);
  EXPECT_EQ(form_of(history_.choose(forecast_, moment).way), FormKind::Chain);
}

TEST_F(History, DoesNotChangeItsWayForLessThanNoise) {
  predict([](Way) { return 10'000.0; });
  std::uint32_t state = 1;
  const auto noisy = [&](Way) {
    state = state * 1'664'525 + 1'013'904'223;
    return 10'000 * (1 + 0.3 * (state >> 16) / 65'536.0);
  };
  int changes = 0;
  std::optional<Way> last;
  for (int i = 0; i < 2000; ++i) {
    const Choice choice = step(noisy, 0.1);
    if (choice.is_trial) continue;
    changes += last && *last != choice.way ? 1 : 0;
    last = choice.way;
  }
  EXPECT_LE(changes, 10);
}

TEST_F(History, ChangesToAWayThatIsNotPredictedToBeBetterForMoreThanNoise) {
  // Of what a list takes, in a noise of a third.
  const auto used = [](double predicted, double measured) {
    Forecast two;
    two.ways[static_cast<std::size_t>(Way::Batched)] = {.is_possible = true, .ns = 10'000};
    two.ways[static_cast<std::size_t>(Way::Table)] = {.is_possible = true, .ns = 10'000 * predicted};
    ShapeHistory history;
    for (const auto& [way, ns] : {std::pair{Way::Batched, 10'000.0}, std::pair{Way::Table, 10'000 * measured}}) {
      for (std::uint32_t i = 0; i < 2 * Observed::kKept; ++i) history.observe(way, (i % 2 == 0 ? 1 : 1.3) * ns, 1, 1);
    }
    Moment moment{.seen = {.of_shape = 40, .of_batch = 40}, .proposed = Way::Batched};
    moment.is_set_up.fill(true);
    return history.choose(two, moment).way;
  };
  EXPECT_EQ(used(0.95, 0.9), Way::Table);
  EXPECT_EQ(used(1, 0.9), Way::Batched);
  EXPECT_EQ(used(1.2, 0.9), Way::Batched);
  EXPECT_EQ(used(1.2, 0.8), Way::Table);
}

TEST_F(History, ChangesToAWayThatIsNotPredictedToBeBetterAfterTwoTrials) {
  const auto used = [](double predicted, std::uint32_t samples, double exploration = 0.03) {
    Forecast two;
    two.ways[static_cast<std::size_t>(Way::Batched)] = {.is_possible = true, .ns = 10'000};
    two.ways[static_cast<std::size_t>(Way::Plain)] = {.is_possible = true, .ns = 10'000 * predicted};
    ShapeHistory history;
    for (int i = 0; i < 10; ++i) history.observe(Way::Batched, 20'000, 1, 1);
    for (std::uint32_t i = 0; i < samples; ++i) history.observe(Way::Plain, 5'000, 1, 1);
    return history.choose(two, {.seen = {.of_shape = 40}, .proposed = Way::Batched, .exploration = exploration}).way;
  };
  EXPECT_EQ(used(0.9, ShapeHistory::kEnough), Way::Plain);
  EXPECT_EQ(used(1.1, ShapeHistory::kEnough), Way::Batched);
  EXPECT_EQ(used(1.1, ShapeHistory::kTwice), Way::Plain);
  // One that was never seen, only where nothing may be tried.
  EXPECT_EQ(used(1.1, 0), Way::Batched);
  EXPECT_EQ(used(1.1, 0, 0), Way::Plain);
}

TEST_F(History, IsNotMovedByADisturbanceOfTheFirstThatCounts) {
  const auto takes = [](Way way) { return way == Way::Batched ? 10'000.0 : 15'000.0; };
  predict(takes);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(step([&](Way way) { return 5 * takes(way); }).way, Way::Batched);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(step(takes).way, Way::Batched);
}

TEST_F(History, LooksAtAChangeBeforeItTriesAnything) {
  const auto takes = [](Way way) { return is_one_launch(way) ? 10'000.0 : 14'000.0; };
  predict(takes);
  // Much may be tried, and something is left to try.
  for (int i = 0; i < 40; ++i) step(takes, 0);
  const Way used = step(takes, 0).way;
  EXPECT_FALSE(step([](Way) { return 30'000.0; }, 0).is_trial);
  EXPECT_FALSE(step([](Way) { return 30'000.0; }, 0.9).is_trial);
  EXPECT_EQ(step(takes, 0.9).way, used);
  EXPECT_TRUE(step(takes, 0.9).is_trial);
}

TEST_F(History, SeesWhatIsSavedOverAgainAndEverLessOften) {
  const auto takes = [](Way way) { return is_one_launch(way) ? 10'000.0 : 40'000.0; };
  predict(takes);
  std::vector<int> tried;
  for (int i = 0; i < 20'000; ++i) {
    const Choice choice = step(takes, 0.03);
    const bool is_next = tried.empty() || i > tried.back() + 2;
    if (choice.is_trial && choice.way == Way::Batched && is_next) tried.push_back(i);
  }
  const auto within = [&](int begin, int end) {
    return std::ranges::count_if(tried, [&](int each) { return each >= begin && each < end; });
  };
  EXPECT_GE(within(10'000, 20'000), 1);
  EXPECT_LE(within(10'000, 20'000), 3);
}

TEST_F(History, TellsWhatWasNotSeenByWhatWasSeenOfTheSameList) {
  forecast_ = {};
  forecast_.ways[static_cast<std::size_t>(Way::Batched)] = {.is_possible = true, .ns = 20'000};
  forecast_.ways[static_cast<std::size_t>(Way::Replay)] = {.is_possible = true, .ns = 10'000};
  for (int i = 0; i < 4; ++i) history_.observe(Way::Replay, 30'000, 1, 1);
  EXPECT_DOUBLE_EQ(history_.typical(forecast_, Way::Replay, 1), 30'000);
  EXPECT_DOUBLE_EQ(history_.typical(forecast_, Way::Batched, 1), 60'000);
}

TEST(Waits, AreAlikeWhereThereAreManyBatchesForEach) {
  EXPECT_TRUE(are_alike_waits(1, 2));
  EXPECT_FALSE(are_alike_waits(1, 3));
  EXPECT_FALSE(are_alike_waits(100, 4));
  EXPECT_TRUE(are_alike_waits(36, 1000));
}

TEST_F(History, KeepsItsTrialsWithinTheirShare) {
  const auto takes = [&](Way way) { return forecast_.of(way).ns; };
  for (int i = 0; i < 3000; ++i) step(takes, 0.03);
  EXPECT_GT(history_.trials(), 0U);
  EXPECT_LE(history_.tried_ns(), 0.03 * history_.total_ns());
}

}  // namespace
}  // namespace vyre::choice
