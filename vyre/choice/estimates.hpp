#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <vyre/choice/way.hpp>

namespace vyre::choice {

/// How long batches of one shape take in each launch mode, relative to one another.
///
/// The forecast says how long a batch takes in each mode, and is mistaken. The mistakes, as logarithms, are the state
/// of a Kalman filter: one number for each mode, and how they vary together. Modes that share a form share most of
/// their mistake, so that a trial of one says much of the other. Only the ratio of two modes is ever observed: the
/// machine's speed, which changes from minute to minute, is a factor of both and cancels out.
///
/// A pure value of 900 bytes; nothing here allocates.
class Estimates {
 public:
  /// The logarithm of a ratio of two times.
  struct LogRatio {
    double mean = 0;
    double variance = 0;
  };

  Estimates() noexcept { forget(); }

  /// Takes another forecast, in nanoseconds by `Way`. The estimate of a mode that was observed stays where it is; that
  /// of a mode that was not follows the forecast.
  void set_forecast(const std::array<double, kWays>& ns) noexcept;
  /// The time in mode `a` over the time in mode `b`.
  [[nodiscard]] LogRatio ratio(Way a, Way b) const noexcept;
  /// Learns that mode `a` took exp(`log_ratio`) times as long as mode `b`.
  void observe(Way a, Way b, LogRatio log_ratio) noexcept;
  /// Makes estimates less certain: adds to the variance of what a form changes, and as much of a mode's own in
  /// proportion.
  void widen(double form_variance) noexcept;
  /// Forgets everything that was observed.
  void forget() noexcept;

 private:
  std::array<double, kWays> log_forecast_ = {};
  std::array<double, kWays> mistake_ = {};
  std::array<std::array<double, kWays>, kWays> covariance_ = {};
};

}  // namespace vyre::choice
