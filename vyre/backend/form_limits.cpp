#include <vyre/backend/form_limits.hpp>

#include <algorithm>

#include <vyre/program/saturating.hpp>

namespace vyre::backend {

using program::saturating_add;
using program::saturating_mul;

namespace {

/// The iterations that an invocation of the form makes for one workgroup of the kernel, an invocation of which makes
/// `iterations`.
std::uint64_t iterations_of_group(const FormRules& form, std::uint64_t iterations) noexcept {
  return saturating_add(saturating_mul(form.folded, iterations), form.folded > 1 ? form.folded + 2 : 1);
}

bool fits_iterations(std::uint64_t iterations, const FormSupport& support) noexcept {
  // One iteration more: devices also count the test that ends a loop.
  return support.max_iterations == 0 || saturating_add(iterations, 1) < support.max_iterations;
}

}  // namespace

std::uint64_t group_count(const Groups& groups) noexcept {
  return saturating_mul(saturating_mul(groups[0], groups[1]), groups[2]);
}

Turn turn_of(const FormRules& form, const program::DispatchFacts& dispatch, const FormSupport& support) noexcept {
  const std::uint64_t groups = group_count(dispatch.groups);
  if (support.max_iterations == 0) return {.groups = groups};
  return {.groups = groups,
          .iterations = saturating_mul(groups, iterations_of_group(form, evaluate(form.iterations, dispatch)))};
}

Turn add(const Turn& a, const Turn& b) noexcept {
  return {.groups = saturating_add(a.groups, b.groups), .iterations = saturating_add(a.iterations, b.iterations)};
}

bool fits_turn(const Turn& turn, const FormSupport& support) noexcept {
  return turn.groups <= support.turn_groups && fits_iterations(turn.iterations, support);
}

bool depends_on_params(const FormRules& form, const FormSupport& support) noexcept {
  const bool is_limited = takes_turns(form.kind) || form.folded > 1;
  return support.max_iterations != 0 && is_limited && !constant_of(form.iterations);
}

bool fits_iterations(const FormRules& form, const program::DispatchFacts& dispatch,
                     const FormSupport& support) noexcept {
  return !depends_on_params(form, support) ||
         fits_iterations(iterations_of_group(form, evaluate(form.iterations, dispatch)), support);
}

bool fits_form(const FormRules& form, const program::DispatchFacts& dispatch, const FormSupport& support) noexcept {
  if (takes_turns(form.kind)) return fits_turn(turn_of(form, dispatch, support), support);
  if (!fits_form(form, dispatch.groups, support)) return false;
  return fits_iterations(form, dispatch, support);
}

bool fits_form(const FormRules& form, const Groups& groups, const FormSupport& support) noexcept {
  if (takes_turns(form.kind)) {
    const std::uint64_t each = iterations_of_group(form, constant_of(form.iterations).value_or(0));
    const std::uint64_t count = group_count(groups);
    return fits_turn({.groups = count, .iterations = saturating_mul(count, each)}, support);
  }
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
