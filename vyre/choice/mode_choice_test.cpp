#include <vyre/choice/mode_choice.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/choice_device.hpp"

namespace vyre::choice {
namespace {

/// A program that launches one batch again and again, and waits for each.
class ChoosingModes : public testing::Test {
 protected:
  using Times = std::function<double(Way)>;

  /// The forecast for every mode; all are possible, and nothing costs setup.
  void forecast_as(const Times& ns) {
    for (const Way way : kAllWays) {
      forecast_.ways[static_cast<std::size_t>(way)] = {.is_possible = true, .ns = ns(way)};
    }
  }
  Choice choose(double exploration, bool is_repeated = true) {
    const Moment moment{.seen = {.of_shape = batches_, .of_batch = is_repeated ? batches_ : 0},
                        .is_set_up = is_set_up_,
                        .may_try = true,
                        .per_wait = per_wait_,
                        .exploration = exploration};
    return choice_.choose(shape_, device(), forecast_, moment);
  }
  /// One batch, which takes `ns(mode)`.
  Choice step(const Times& ns, double exploration = 0.03, bool is_repeated = true) {
    const Choice chosen = choose(exploration, is_repeated);
    const auto i = static_cast<std::size_t>(chosen.way);
    if (!is_set_up_[i] && forecast_.of(chosen.way).setup_ns > 0) choice_.note_setup(forecast_.of(chosen.way).setup_ns);
    is_set_up_[i] = true;
    choice_.observe(chosen.way, ns(chosen.way), 1);
    ++batches_;
    return chosen;
  }
  /// The mode of the last of so many batches that was no trial.
  Way run(int batches, const Times& ns, double exploration = 0.03) {
    for (int i = 0; i < batches; ++i) step(ns, exploration);
    return choice_.current();
  }

  BatchShape shape_ = independent(100);
  Forecast forecast_ = {};
  ModeChoice choice_;
  std::array<bool, kWays> is_set_up_ = {};
  std::uint32_t batches_ = 0;
  double per_wait_ = 1;
};

double only(Way way, Way fast, double fast_ns, double slow_ns) { return way == fast ? fast_ns : slow_ns; }

TEST_F(ChoosingModes, TheForecastDecidesAtFirst) {
  forecast_as([](Way way) { return only(way, Way::Merged, 10'000, 50'000); });
  const Choice first = choose(0.03);
  EXPECT_EQ(first.way, Way::Merged);
  EXPECT_FALSE(first.is_trial);
  EXPECT_NEAR(first.expected_ns, 10'000, 1);
}

TEST_F(ChoosingModes, ATrialFindsAModeThatTheForecastMissed) {
  forecast_as([](Way way) { return only(way, Way::Merged, 40'000, 50'000); });
  const auto truth = [](Way way) { return only(way, Way::ChainReplay, 10'000, 60'000); };
  EXPECT_EQ(run(400, truth), Way::ChainReplay);
  EXPECT_GT(choice_.trials(), 0U);
  EXPECT_NEAR(choice_.estimate(Way::ChainReplay).ns, 10'000, 500);
}

TEST_F(ChoosingModes, NoTrialIsRunWhereTheSessionWantsNone) {
  forecast_as([](Way way) { return only(way, Way::Merged, 40'000, 50'000); });
  const auto truth = [](Way way) { return only(way, Way::ChainReplay, 10'000, 60'000); };
  EXPECT_EQ(run(400, truth, 0), Way::Merged);
  EXPECT_EQ(choice_.trials(), 0U);
}

TEST_F(ChoosingModes, ATrialIsAFewBatchesBetweenBatchesInTheCurrentMode) {
  forecast_as([](Way way) { return only(way, Way::Batched, 10'000, 11'000); });
  const auto truth = [](Way way) { return only(way, Way::Batched, 10'000, 12'000); };
  std::uint32_t in_a_row = 0;
  std::uint32_t longest = 0;
  std::uint32_t trials = 0;
  for (int i = 0; i < 500; ++i) {
    const bool is_trial = step(truth, 0.1).is_trial;
    in_a_row = is_trial ? in_a_row + 1 : 0;
    longest = std::max(longest, in_a_row);
    trials += in_a_row == 1 ? 1 : 0;
  }
  EXPECT_EQ(longest, 3U);
  EXPECT_GT(trials, 0U);
  EXPECT_EQ(trials, choice_.trials());
}

TEST_F(ChoosingModes, ATrialThatTakesManyTimesAsLongEndsAtOnce) {
  forecast_as([](Way) { return 10'000.0; });
  const auto truth = [](Way way) { return is_one_launch(way) ? 1e6 : 10'000.0; };
  std::uint32_t in_a_row = 0;
  for (int i = 0; i < 3000; ++i) {
    const Choice chosen = step(truth);
    in_a_row = chosen.is_trial && is_one_launch(chosen.way) ? in_a_row + 1 : 0;
    EXPECT_LE(in_a_row, 1U);
  }
}

TEST_F(ChoosingModes, TrialsCostTheirShareAndOneTrialAtMost) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    choice_ = {};
    batches_ = 0;
    is_set_up_ = {};
    std::mt19937_64 random{seed};
    std::normal_distribution<double> normal{0, 0.7};
    std::array<double, kWays> truth = {};
    for (double& each : truth) each = 100'000 * std::exp(normal(random));
    forecast_as([&](Way) { return 100'000 * std::exp(normal(random)); });
    const double least = std::ranges::min(truth);
    run(1000, [&](Way way) { return truth[static_cast<std::size_t>(way)]; });
    EXPECT_LE(choice_.trial_cost_ns(), 0.03 * choice_.total_ns() + 25 * least * 8) << seed;
  }
}

TEST_F(ChoosingModes, OneDisturbedBatchChangesNothing) {
  const auto truth = [](Way way) { return only(way, Way::Replay, 10'000, 12'000); };
  forecast_as(truth);
  ASSERT_EQ(run(200, truth), Way::Replay);
  step([](Way) { return 900'000.0; });
  for (int i = 0; i < 20; ++i) {
    step(truth);
    EXPECT_EQ(choice_.current(), Way::Replay);
  }
}

TEST_F(ChoosingModes, AMachineThatGetsSlowerForAllModesChangesNothing) {
  const auto truth = [](Way way) { return only(way, Way::MergedReplay, 10'000, 14'000); };
  forecast_as(truth);
  ASSERT_EQ(run(500, truth), Way::MergedReplay);
  const auto slow = [&](Way way) { return 2 * truth(way); };
  for (int i = 0; i < 500; ++i) {
    step(slow);
    EXPECT_EQ(choice_.current(), Way::MergedReplay) << i;
  }
  EXPECT_NEAR(choice_.estimate(Way::Batched).ns, 28'000, 2'000);
}

TEST_F(ChoosingModes, AModeThatGetsSlowerIsLeft) {
  const auto truth = [](Way way) { return is_one_launch(way) ? 10'000.0 : 14'000.0; };
  forecast_as(truth);
  ASSERT_TRUE(is_one_launch(run(500, truth)));
  const auto changed = [](Way way) { return is_one_launch(way) ? 28'000.0 : 14'000.0; };
  EXPECT_FALSE(is_one_launch(run(150, changed)));
}

TEST_F(ChoosingModes, AlikeModesAreNotExchangedForNoise) {
  forecast_as([](Way) { return 10'000.0; });
  std::mt19937_64 random{3};
  std::normal_distribution<double> noise{0, 0.1};
  int changes = 0;
  Way last = Way::Batched;
  for (int i = 0; i < 2000; ++i) {
    step([&](Way) { return 10'000 * std::exp(noise(random)); });
    changes += choice_.current() != last ? 1 : 0;
    last = choice_.current();
  }
  EXPECT_LE(changes, 10);
}

TEST_F(ChoosingModes, AListIsNotReplayedForABatchThatIsNew) {
  forecast_as([](Way way) { return is_replay(way) ? 1'000.0 : 10'000.0; });
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(is_replay(step([](Way) { return 10'000.0; }, 1, false).way));
}

TEST_F(ChoosingModes, SetupIsPaidBackBeforeAsMuchWasLostWithoutIt) {
  for (WayCost& each : forecast_.ways) each = {};
  forecast_.ways[static_cast<std::size_t>(Way::Batched)] = {.is_possible = true, .ns = 100'000};
  forecast_.ways[static_cast<std::size_t>(Way::Replay)] = {.is_possible = true, .ns = 50'000, .setup_ns = 400'000};
  const auto truth = [](Way way) { return only(way, Way::Replay, 50'000, 100'000); };
  int anew = 0;
  while (step(truth).way == Way::Batched && anew < 100) ++anew;
  EXPECT_GE(anew, 2);
  EXPECT_LE(anew, 10);
}

TEST_F(ChoosingModes, EverythingIsTriedAllTheTimeIfAskedFor) {
  forecast_as([](Way) { return 1'000.0; });
  std::array<int, kWays> times = {};
  for (int i = 0; i < 1000; ++i) ++times[static_cast<std::size_t>(step([](Way) { return 1'000.0; }, 1).way)];
  EXPECT_GT(std::ranges::min(times), 50);
}

TEST_F(ChoosingModes, TheBaselineIsTriedOnceSoThatASavingIsMeasured) {
  forecast_as([](Way way) { return only(way, Way::Batched, 100'000, 10'000); });
  const auto truth = [](Way way) { return only(way, Way::Batched, 80'000, 10'000); };
  run(1500, truth);
  ASSERT_NE(choice_.current(), Way::Batched);
  EXPECT_TRUE(choice_.is_measured(Way::Batched));
  // A single batch, since it takes many times as long.
  EXPECT_NEAR(choice_.estimate(Way::Batched).ns / choice_.estimate(choice_.current()).ns, 8, 2);
}

TEST_F(ChoosingModes, ATrialTellsWhatWasExpectedOfIt) {
  forecast_as([](Way way) { return only(way, Way::Batched, 10'000, 10'500); });
  const auto truth = [](Way way) { return only(way, Way::Batched, 10'000, 12'000); };
  for (int i = 0; i < 300; ++i) {
    step(truth, 0.2);
    const auto outcome = choice_.take_outcome();
    if (!outcome) continue;
    EXPECT_EQ(outcome->beside, Way::Batched);
    EXPECT_NEAR(outcome->measured.mean, std::log(1.2), 1e-6);
    EXPECT_FALSE(choice_.take_outcome());
    return;
  }
  FAIL() << "no trial has ended";
}

TEST_F(ChoosingModes, BatchesPendingWhenATrialBeginsCountForNothing) {
  // Two frames in flight: the time of each batch is seen one batch later.
  forecast_as([](Way way) { return only(way, Way::Batched, 40'000, 44'000); });
  const auto truth = [](Way way) { return only(way, Way::Replay, 10'000, 40'000); };
  Choice pending = choose(0.05);
  for (int i = 0; i < 400; ++i) {
    ++batches_;
    const Choice next = choose(0.05);
    choice_.observe(pending.way, truth(pending.way), 1);
    pending = next;
  }
  EXPECT_EQ(choice_.current(), Way::Replay);
  EXPECT_GT(choice_.trials(), 0U);
}

TEST_F(ChoosingModes, ATrialThatIsNeverTimedIsGivenUp) {
  forecast_as([](Way way) { return only(way, Way::Batched, 10'000, 10'500); });
  const auto truth = [](Way) { return 10'000.0; };
  Choice chosen;
  for (int i = 0; i < 200 && !chosen.is_trial; ++i) chosen = step(truth, 0.2);
  for (int i = 0; i < 200 && !chosen.is_trial; ++i) {
    chosen = choose(0.2);
    if (!chosen.is_trial) choice_.observe(chosen.way, 10'000, 1);
    ++batches_;
  }
  ASSERT_TRUE(chosen.is_trial);
  int more = 0;
  while (choose(0.2).is_trial && more < 100) ++more;
  EXPECT_LE(more, 20);
}

TEST_F(ChoosingModes, AnotherNumberOfBatchesForOneWaitBeginsAnew) {
  forecast_as([](Way way) { return only(way, Way::Batched, 40'000, 44'000); });
  const auto truth = [](Way way) { return only(way, Way::Replay, 10'000, 40'000); };
  ASSERT_EQ(run(300, truth), Way::Replay);
  EXPECT_LT(choice_.estimate(Way::Batched).ns, 1.2 * 40'000);
  EXPECT_NEAR(choice_.estimate(Way::Replay).ns, 10'000, 100);
  per_wait_ = 100;
  choose(0);
  EXPECT_NEAR(choice_.estimate(Way::Replay).ns, 44'000, 1);
}

TEST(Waits, AreAlikeWhereThereAreManyBatchesForEach) {
  EXPECT_TRUE(are_alike_waits(1, 2));
  EXPECT_FALSE(are_alike_waits(1, 3));
  EXPECT_FALSE(are_alike_waits(100, 4));
  EXPECT_TRUE(are_alike_waits(36, 1000));
}

}  // namespace
}  // namespace vyre::choice
