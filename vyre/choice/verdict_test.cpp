#include <vyre/choice/verdict.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/choice_device.hpp"

namespace vyre::choice {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// All modes at one price, without setup, for batches that come often.
Prices alike(double ns) {
  Prices prices{.repeats = 100, .exact_repeats = 100};
  prices.ns.fill(ns);
  return prices;
}

Way decide(const Prices& prices, policy::Evaluate evaluate = policy::evaluate) {
  Verdict verdict;
  return verdict.decide(independent(100), device(), prices, evaluate);
}

TEST(Verdict, IsAListMadeAnewWhereNothingCostsLess) { EXPECT_EQ(decide(alike(10'000)), Way::Batched); }

TEST(Verdict, IsTheModeThatCostsLeast) {
  for (const Way way : {Way::Replay, Way::Merged, Way::MergedReplay, Way::Persistent, Way::PersistentReplay, Way::Chain,
                        Way::ChainReplay, Way::Table}) {
    Prices prices = alike(100'000);
    prices.ns[static_cast<std::size_t>(way)] = 60'000;
    EXPECT_EQ(decide(prices), way) << to_string(way);
  }
}

TEST(Verdict, CountsWhatIsPaidOnceByHowOftenTheBatchIsExpected) {
  Prices prices = alike(100'000);
  prices.ns[static_cast<std::size_t>(Way::Replay)] = 90'000;
  prices.setup_ns[static_cast<std::size_t>(Way::Replay)] = 500'000;
  prices.repeats = prices.exact_repeats = 49;
  EXPECT_EQ(decide(prices), Way::Batched);
  prices.repeats = prices.exact_repeats = 51;
  EXPECT_EQ(decide(prices), Way::Replay);
  // Of the batches of the shape each needs a recording of its own.
  prices.exact_repeats = 2;
  EXPECT_EQ(decide(prices), Way::Batched);
}

TEST(Verdict, UsesATableFromTheBuffersOnWhereItCostsLess) {
  Calibration calibration = device();
  calibration.bound.slope_ns = 30;
  calibration.table.slope_ns = 10;
  Prices prices = alike(100'000);
  for (const Way way : kAllWays) {
    if (is_one_launch(way)) prices.ns[static_cast<std::size_t>(way)] = kNever;
  }
  prices.ns[static_cast<std::size_t>(Way::Table)] = 104'000;
  Verdict verdict;
  EXPECT_EQ(verdict.decide(independent(100), calibration, prices), Way::Batched);
  // 4,000 ns over 100 dispatches are made up by two buffers more, of 20 ns each.
  EXPECT_EQ(verdict.groups()[0].bindless_threshold, 4U);
  prices.ns[static_cast<std::size_t>(Way::Table)] = 99'000;
  EXPECT_EQ(verdict.decide(independent(100), calibration, prices), Way::Table);
}

/// The launch mode follows each verdict: a policy that says the opposite changes the launch.
TEST(Verdict, TurnedRoundChangesTheLaunch) {
  Prices queue = alike(100'000);
  queue.ns[static_cast<std::size_t>(Way::Merged)] = 50'000;
  EXPECT_EQ(decide(queue), Way::Merged);
  const policy::Evaluate no_queue = [](const policy::DispatchFacts& facts, std::uint32_t threshold) {
    policy::DispatchFacts other = facts;
    other.persistent = {};
    return policy::evaluate(other, threshold);
  };
  EXPECT_EQ(decide(queue, no_queue), Way::Batched);

  Prices kept = alike(100'000);
  kept.ns[static_cast<std::size_t>(Way::Replay)] = 50'000;
  EXPECT_EQ(decide(kept), Way::Replay);
  const policy::Evaluate no_reuse = [](const policy::DispatchFacts& facts, std::uint32_t threshold) {
    policy::DispatchFacts other = facts;
    other.graph = {};
    return policy::evaluate(other, threshold);
  };
  EXPECT_EQ(decide(kept, no_reuse), Way::Batched);
  kept.ns[static_cast<std::size_t>(Way::ChainReplay)] = 20'000;
  EXPECT_EQ(decide(kept), Way::ChainReplay);
  EXPECT_EQ(decide(kept, no_reuse), Way::Chain);

  Prices table = alike(100'000);
  table.ns[static_cast<std::size_t>(Way::Table)] = 50'000;
  EXPECT_EQ(decide(table), Way::Table);
  const policy::Evaluate no_table = [](const policy::DispatchFacts& facts, std::uint32_t) {
    return policy::evaluate(facts, std::numeric_limits<std::uint32_t>::max());
  };
  EXPECT_EQ(decide(table, no_table), Way::Batched);
}

TEST(Verdict, AuditsWhatIsLaunchedAndNothingElse) {
  using policy::Substrate;
  Prices prices = alike(100'000);
  prices.ns[static_cast<std::size_t>(Way::MergedReplay)] = 50'000;
  Verdict verdict;
  ASSERT_EQ(verdict.decide(independent(100), device(), prices), Way::MergedReplay);
  const auto events_of = [&](Way way) {
    std::vector<policy::AuditEvent> events;
    verdict.events(way, {true}, events);
    return events;
  };
  const auto launched = events_of(Way::MergedReplay);
  ASSERT_EQ(launched.size(), 2U);
  EXPECT_EQ(launched[0].substrate, Substrate::PersistentKernel);
  EXPECT_GT(launched[0].saved_ns, 0U);
  EXPECT_EQ(launched[1].substrate, Substrate::CommandReuse);
  EXPECT_GT(launched[1].saved_ns, 0U);
  EXPECT_TRUE(events_of(Way::Batched).empty());
  // A trial that nobody expects to save anything.
  const auto tried = events_of(Way::Table);
  ASSERT_EQ(tried.size(), 1U);
  EXPECT_EQ(tried[0].substrate, Substrate::Bindless);
  EXPECT_EQ(tried[0].saved_ns, 0U);
}

/// Against a naive comparison of doubles, over random prices of two kinds of groups.
TEST(Verdict, IsTheCheapestOfAllModes) {
  std::mt19937_64 random{7};
  const auto pick = [&](double least, double most) {
    return std::uniform_real_distribution<double>{least, most}(random);
  };
  BatchShape shape = independent(60);
  shape.kinds.push_back({.program = 2, .count = 1, .groups = 40, .resources = 5});
  shape.dispatches = 100;
  Verdict verdict;
  std::array<int, kWays> times = {};
  for (int i = 0; i < 20'000; ++i) {
    Prices prices{.repeats = std::floor(pick(2, 200))};
    prices.exact_repeats = std::floor(pick(1, prices.repeats));
    for (const Way way : kAllWays) {
      prices.ns[static_cast<std::size_t>(way)] = pick(0, 1) < 0.2 ? kNever : pick(50'000, 200'000);
      prices.setup_ns[static_cast<std::size_t>(way)] = is_replay(way) || is_one_launch(way) ? pick(0, 500'000) : 0;
    }
    prices.ns[static_cast<std::size_t>(Way::Plain)] = kNever;
    prices.ns[static_cast<std::size_t>(Way::Batched)] = pick(50'000, 200'000);
    const Way way = verdict.decide(shape, device(), prices);
    ++times[static_cast<std::size_t>(way)];
    double least = kNever;
    for (const Way each : kAllWays) least = std::min(least, prices.amortised_ns(each));
    // Facts are whole nanoseconds of one dispatch, over all repeats. Whether a list of many is kept is decided last.
    const bool is_queue = is_one_launch(way);
    const double most = is_queue ? std::max(prices.amortised_ns(way), 0.0) : prices.amortised_ns(way);
    EXPECT_LE(most, is_queue ? kNever : 1.002 * least + 200) << to_string(way);
    if (is_queue) {
      const double best = std::min(prices.amortised_ns(made_anew(way)), prices.amortised_ns(kept_of(way)));
      EXPECT_LE(best, 1.002 * least + 200) << to_string(way);
    }
  }
  for (const Way way : kAllWays) {
    if (way == Way::Plain) continue;
    EXPECT_GT(times[static_cast<std::size_t>(way)], 100) << to_string(way);
  }
}

}  // namespace
}  // namespace vyre::choice
