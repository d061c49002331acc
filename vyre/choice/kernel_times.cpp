#include <vyre/choice/kernel_times.hpp>

#include <algorithm>
#include <cmath>

namespace vyre::choice {
namespace {

constexpr std::array<double, 4> kNotObserved = {-1, -1, -1, -1};
// The calibration's wide kernel has so many workgroups.
constexpr double kWideClass = 5;
// What was seen before counts for as much as what is seen now.
constexpr double kWeight = 0.5;

}  // namespace

double body_ratio(const Calibration& calibration, program::FormKind form, std::uint32_t size_class) noexcept {
  const FormRatios& ratios = calibration.form(form);
  const double wide = std::clamp((size_class - 1.0) / (kWideClass - 1), 0.0, 1.0);
  return std::pow(ratios.narrow, 1 - wide) * std::pow(ratios.wide, wide);
}

double KernelTimes::get(const Calibration& calibration, Key key, program::FormKind form) const {
  const auto found = times_.find(key);
  if (found == times_.end()) return 0;
  const auto& ns = found->second.ns;
  if (ns[static_cast<std::size_t>(form)] >= 0) return ns[static_cast<std::size_t>(form)];
  for (const program::FormKind other : program::kAllForms) {
    const double known = ns[static_cast<std::size_t>(other)];
    if (known < 0) continue;
    return known * body_ratio(calibration, form, key.size_class) / body_ratio(calibration, other, key.size_class);
  }
  return 0;
}

bool KernelTimes::knows(Key key, program::FormKind form) const {
  const auto found = times_.find(key);
  return found != times_.end() && found->second.ns[static_cast<std::size_t>(form)] >= 0;
}

void KernelTimes::set(Key key, program::FormKind form, double ns) {
  auto found = times_.find(key);
  if (found == times_.end()) {
    if (times_.size() >= kMaxEntries) times_.erase(times_.begin());
    found = times_.emplace(key, Times{.ns = kNotObserved}).first;
  }
  double& known = found->second.ns[static_cast<std::size_t>(form)];
  known = known < 0 ? std::max(ns, 0.0) : known + kWeight * (std::max(ns, 0.0) - known);
}

}  // namespace vyre::choice
