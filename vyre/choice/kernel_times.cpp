#include <vyre/choice/kernel_times.hpp>

#include <algorithm>
#include <cmath>

namespace vyre::choice {
namespace {

// The calibration's wide kernel has so many workgroups.
constexpr double kWideClass = 5;
// What counts of what is seen now: less is likely to be right, since what disturbs only adds.
constexpr double kWeightOfLess = 0.5;
constexpr double kWeightOfMore = 0.1;

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
  if (const auto& own = ns[static_cast<std::size_t>(form)]) return *own;
  for (const program::FormKind other : program::kAllForms) {
    const auto& known = ns[static_cast<std::size_t>(other)];
    // What was measured too high for one form need not be for another.
    if (!known || *known <= 0) continue;
    return *known * body_ratio(calibration, form, key.size_class) / body_ratio(calibration, other, key.size_class);
  }
  return 0;
}

KernelTimes::Times& KernelTimes::find_or_add(Key key) {
  const auto found = times_.find(key);
  if (found != times_.end()) return found->second;
  // Learned again soon enough, where they are still used.
  if (times_.size() >= kMaxEntries) times_.clear();
  return times_.emplace(key, Times{}).first->second;
}

void KernelTimes::time(Key key, program::FormKind form, double ns) {
  Times& times = find_or_add(key);
  std::optional<double>& known = times.ns[static_cast<std::size_t>(form)];
  std::uint32_t& timings = times.timings[static_cast<std::size_t>(form)];
  known = timings++ == 0 ? ns : std::min(*known, ns);
}

void KernelTimes::set(Key key, program::FormKind form, double ns) {
  Times& times = find_or_add(key);
  if (times.timings[static_cast<std::size_t>(form)] > 0) return;
  std::optional<double>& known = times.ns[static_cast<std::size_t>(form)];
  if (!known) {
    known = ns;
  } else {
    *known += (ns < *known ? kWeightOfLess : kWeightOfMore) * (ns - *known);
  }
}

}  // namespace vyre::choice
