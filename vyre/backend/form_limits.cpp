#include <vyre/backend/form_limits.hpp>

#include <algorithm>

#include <vyre/program/saturating.hpp>

namespace vyre::backend {

using program::saturating_add;
using program::saturating_mul;

std::uint64_t group_count(const Groups& groups) noexcept {
  return saturating_mul(saturating_mul(groups[0], groups[1]), groups[2]);
}

std::uint64_t iterations_of_group(const FormRules& form) noexcept {
  const std::uint64_t body = saturating_mul(form.folded, form.iterations);
  return saturating_add(body, form.folded > 1 ? form.folded + 2 : 1);
}

bool fits_turn(const FormRules& form, std::uint64_t groups, const FormSupport& support) noexcept {
  if (groups > support.turn_groups) return false;
  // One iteration more: devices also count the test that ends a loop.
  return support.max_iterations == 0 ||
         saturating_add(saturating_mul(groups, iterations_of_group(form)), 1) < support.max_iterations;
}

bool fits_form(const FormRules& form, const Groups& groups, const FormSupport& support) noexcept {
  if (takes_turns(form.kind)) return fits_turn(form, group_count(groups), support);
  return form.kind != program::FormKind::Merged || fits_grid(groups) || group_count(groups) <= kMostMapped;
}

bool fits_views(const FormRules& form, std::span<const BufferRange> views) noexcept {
  return std::ranges::none_of(form.record.entries, [&](const program::RecordEntry& entry) {
    return entry.scalar_bytes != 0 && entry.range < views.size() && entry.is_cut(views[entry.range].size);
  });
}

bool fits_all_views(const FormRules& form) noexcept {
  return std::ranges::all_of(form.record.entries,
                             [](const program::RecordEntry& entry) { return entry.scalar_bytes == 0; });
}

}  // namespace vyre::backend
