#include <vyre/choice/estimates.hpp>

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace vyre::choice {
namespace {

std::array<double, kWays> forecast_of(double ns) {
  std::array<double, kWays> all = {};
  all.fill(ns);
  return all;
}

class EstimatesOfAlikeModes : public testing::Test {
 protected:
  EstimatesOfAlikeModes() { estimates_.set_forecast(forecast_of(10'000)); }

  Estimates estimates_;
};

TEST_F(EstimatesOfAlikeModes, AreTheForecastAtFirst) {
  std::array<double, kWays> ns = forecast_of(10'000);
  ns[static_cast<std::size_t>(Way::Chain)] = 20'000;
  estimates_.set_forecast(ns);
  EXPECT_NEAR(estimates_.ratio(Way::Chain, Way::Batched).mean, std::log(2), 1e-12);
  EXPECT_NEAR(estimates_.ratio(Way::Batched, Way::Chain).mean, -std::log(2), 1e-12);
  EXPECT_GT(estimates_.ratio(Way::Chain, Way::Batched).variance, 0.1);
  EXPECT_EQ(estimates_.ratio(Way::Chain, Way::Chain).variance, 0);
}

TEST_F(EstimatesOfAlikeModes, MoveToWhatIsObservedAsFarAsItIsMoreCertain) {
  const double before = estimates_.ratio(Way::Chain, Way::Batched).variance;
  estimates_.observe(Way::Chain, Way::Batched, {.mean = 1, .variance = before});
  EXPECT_NEAR(estimates_.ratio(Way::Chain, Way::Batched).mean, 0.5, 1e-12);
  EXPECT_NEAR(estimates_.ratio(Way::Chain, Way::Batched).variance, before / 2, 1e-12);
  estimates_.observe(Way::Chain, Way::Batched, {.mean = 1, .variance = 1e-9});
  EXPECT_NEAR(estimates_.ratio(Way::Chain, Way::Batched).mean, 1, 1e-6);
}

TEST_F(EstimatesOfAlikeModes, OfModesThatShareAFormMoveTogether) {
  estimates_.observe(Way::Merged, Way::Batched, {.mean = -1, .variance = 0.001});
  EXPECT_LT(estimates_.ratio(Way::MergedReplay, Way::Batched).mean, -0.7);
  EXPECT_NEAR(estimates_.ratio(Way::Chain, Way::Persistent).mean, 0, 1e-12);
  EXPECT_GT(estimates_.ratio(Way::Chain, Way::Replay).variance,
            estimates_.ratio(Way::MergedReplay, Way::Replay).variance);
}

TEST_F(EstimatesOfAlikeModes, StayWhereTheyWereObservedWhenTheForecastChanges) {
  estimates_.observe(Way::Merged, Way::Batched, {.mean = -1, .variance = 1e-9});
  std::array<double, kWays> other = forecast_of(10'000);
  other[static_cast<std::size_t>(Way::Merged)] = 40'000;
  other[static_cast<std::size_t>(Way::Replay)] = 40'000;
  estimates_.set_forecast(other);
  EXPECT_NEAR(estimates_.ratio(Way::Merged, Way::Batched).mean, -1, 0.15);
  EXPECT_NEAR(estimates_.ratio(Way::Replay, Way::Batched).mean, std::log(4), 0.1);
}

TEST_F(EstimatesOfAlikeModes, GetLessCertainAndCanBeForgotten) {
  const double first = estimates_.ratio(Way::Chain, Way::Batched).variance;
  estimates_.observe(Way::Chain, Way::Batched, {.mean = 1, .variance = 1e-6});
  estimates_.widen(0.02);
  EXPECT_GT(estimates_.ratio(Way::Chain, Way::Batched).variance, 0.05);
  EXPECT_LT(estimates_.ratio(Way::Chain, Way::Batched).variance, first);
  EXPECT_GT(estimates_.ratio(Way::Chain, Way::Batched).mean, 0.9);
  estimates_.forget();
  EXPECT_DOUBLE_EQ(estimates_.ratio(Way::Chain, Way::Batched).variance, first);
  EXPECT_NEAR(estimates_.ratio(Way::Chain, Way::Batched).mean, 0, 1e-12);
}

}  // namespace
}  // namespace vyre::choice
