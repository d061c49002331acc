#pragma once

#include <span>
#include <vector>

namespace vyre::choice {

/// What something takes that grows with a count: `fixed + slope × n`.
struct Line {
  double fixed_ns = 0;
  double slope_ns = 0;

  [[nodiscard]] constexpr double at(double n) const noexcept { return fixed_ns + slope_ns * n; }

  friend bool operator==(const Line&, const Line&) = default;
};

struct Point {
  double n = 0;
  double ns = 0;

  friend bool operator==(const Point&, const Point&) = default;
};

/// The line whose relative errors at the points are smallest, neither part of it below zero.
[[nodiscard]] Line fit_line(std::span<const Point> points);

/// The middle one; of an even number the mean of the middle two; 0 of none.
[[nodiscard]] double median(std::vector<double> values);

/// One measurement by two clocks.
struct ClockPair {
  double wall_ns = 0;   ///< From asking to having, as the host sees it.
  double other_ns = 0;  ///< Of a part of that, by a clock that does not see what disturbs the host.
};

/// The wall times of those in which the clocks agree: what the one has above the other is within a quarter of the wall
/// time of what it usually is, and the time itself is not above three times the median.
[[nodiscard]] std::vector<double> trusted(std::span<const ClockPair> samples);

}  // namespace vyre::choice
