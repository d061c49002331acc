#include <vyre/choice/line.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vyre::choice {
namespace {

constexpr double kMaxDisagreement = 0.25;
constexpr double kFarOut = 3;

}  // namespace

Line fit_line(std::span<const Point> points) {
  // Least squares of (fixed + slope n - ns) / ns.
  double sum_w = 0;
  double sum_wn = 0;
  double sum_wnn = 0;
  double sum_wy = 0;
  double sum_wny = 0;
  for (const Point& point : points) {
    if (point.ns <= 0) continue;
    const double w = 1 / (point.ns * point.ns);
    sum_w += w;
    sum_wn += w * point.n;
    sum_wnn += w * point.n * point.n;
    sum_wy += w * point.ns;
    sum_wny += w * point.n * point.ns;
  }
  if (sum_w == 0) return {};
  const double determinant = sum_w * sum_wnn - sum_wn * sum_wn;
  if (determinant <= 1e-12 * sum_w * sum_wnn) return {.fixed_ns = sum_wy / sum_w};  // All at one place.
  const double slope = (sum_w * sum_wny - sum_wn * sum_wy) / determinant;
  const double fixed = (sum_wy - slope * sum_wn) / sum_w;
  if (slope < 0) return {.fixed_ns = sum_wy / sum_w};
  if (fixed < 0) return {.slope_ns = sum_wny / sum_wnn};
  return {.fixed_ns = fixed, .slope_ns = slope};
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t middle = values.size() / 2;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(middle));
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  return (*std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle)) + upper) / 2;
}

std::vector<double> trusted(std::span<const ClockPair> samples) {
  std::vector<double> walls;
  std::vector<double> apart;
  for (const ClockPair& each : samples) {
    walls.push_back(each.wall_ns);
    apart.push_back(each.wall_ns - each.other_ns);
  }
  const double usual = median(apart);
  const double middle = median(walls);
  std::vector<double> result;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool agree = std::abs(apart[i] - usual) <= kMaxDisagreement * walls[i];
    if (agree && walls[i] <= kFarOut * middle) result.push_back(walls[i]);
  }
  // Where none can be trusted, all are as good as each other.
  return result.empty() ? walls : result;
}

}  // namespace vyre::choice
