#include <vyre/choice/estimates.hpp>

#include <algorithm>
#include <cmath>

namespace vyre::choice {
namespace {

using program::FormKind;

// Standard deviations of the logarithm of a forecast's mistake: of what all forms that reach buffers by their addresses
// have in common, of one form beside the others, and of a mode beside the other modes of its form. 0.2 to 0.5 make no
// difference to the total time of `bench_choice`; forecasts of the grid in `bench_regret` are 20 to 60 % off.
constexpr double kAddressDeviation = 0.4;
constexpr double kFormDeviation = 0.2;
constexpr double kModeDeviation = 0.1;

constexpr std::size_t index(Way way) noexcept { return static_cast<std::size_t>(way); }

/// How the mistakes of two modes vary together before anything was observed.
constexpr double prior(Way a, Way b) noexcept {
  const bool have_addresses = form_of(a) != FormKind::Descriptor && form_of(b) != FormKind::Descriptor;
  const bool is_same_form = have_addresses && form_of(a) == form_of(b);
  return (have_addresses ? kAddressDeviation * kAddressDeviation : 0) +
         (is_same_form ? kFormDeviation * kFormDeviation : 0) + (a == b ? kModeDeviation * kModeDeviation : 0);
}

}  // namespace

void Estimates::set_forecast(const std::array<double, kWays>& ns) noexcept {
  for (const Way way : kAllWays) {
    const std::size_t i = index(way);
    const double now = std::log(std::max(ns[i], 1.0));
    // The part of the prior variance that observations have taken away is the part of the estimate that is theirs.
    const double observed = 1 - std::min(covariance_[i][i] / prior(way, way), 1.0);
    mistake_[i] -= observed * (now - log_forecast_[i]);
    log_forecast_[i] = now;
  }
}

Estimates::LogRatio Estimates::ratio(Way a, Way b) const noexcept {
  const std::size_t i = index(a);
  const std::size_t j = index(b);
  return {.mean = log_forecast_[i] + mistake_[i] - log_forecast_[j] - mistake_[j],
          .variance = std::max(covariance_[i][i] + covariance_[j][j] - 2 * covariance_[i][j], 0.0)};
}

void Estimates::observe(Way a, Way b, LogRatio log_ratio) noexcept {
  const std::size_t i = index(a);
  const std::size_t j = index(b);
  const LogRatio before = ratio(a, b);
  const double variance = before.variance + log_ratio.variance;
  if (variance <= 0) return;
  const double surprise = log_ratio.mean - before.mean;
  std::array<double, kWays> with = {};  // How each mistake varies with the ratio.
  for (std::size_t k = 0; k < kWays; ++k) with[k] = covariance_[k][i] - covariance_[k][j];
  for (std::size_t k = 0; k < kWays; ++k) {
    mistake_[k] += with[k] / variance * surprise;
    for (std::size_t l = 0; l < kWays; ++l) covariance_[k][l] -= with[k] * with[l] / variance;
  }
}

void Estimates::widen(double form_variance) noexcept {
  const double share = form_variance / (kFormDeviation * kFormDeviation);
  for (const Way a : kAllWays) {
    for (const Way b : kAllWays) covariance_[index(a)][index(b)] += share * prior(a, b);
  }
}

void Estimates::forget() noexcept {
  mistake_ = {};
  covariance_ = {};
  widen(kFormDeviation * kFormDeviation);
}

}  // namespace vyre::choice
