#pragma once

#include <cstdint>
#include <span>

#include <vyre/backend/driver.hpp>

/// Which dispatches can run in a derived form: pure functions over values.
namespace vyre::backend {

/// A merged launch maps each workgroup of its items. An item of more workgroups than this gets a launch of its own,
/// without a map, because its part of the map would be too large.
inline constexpr std::uint64_t kMostMapped = 4096;

/// The number of workgroups in all three dimensions.
[[nodiscard]] std::uint64_t group_count(const Groups& groups) noexcept;

/// How many loop iterations an invocation makes at most for one workgroup of an item, to compare with
/// `FormSupport::max_iterations`.
[[nodiscard]] std::uint64_t iterations_of_group(const FormRules& form) noexcept;

/// Whether one workgroup of a persistent or chain launch may run this number of workgroups of the kernel.
[[nodiscard]] bool fits_turn(const FormRules& form, std::uint64_t groups, const FormSupport& support) noexcept;

/// Whether dispatches of this size can be merged into one grid, in which the third dimension counts the dispatches.
[[nodiscard]] constexpr bool fits_grid(const Groups& groups) noexcept { return groups[2] == 1; }

/// Whether a dispatch of this size can run in a form. Persistent and chain: whether it is short enough for one
/// workgroup. Merged: whether it can be a grid, or its part of the map is small enough. True for the other forms.
[[nodiscard]] bool fits_form(const FormRules& form, const Groups& groups, const FormSupport& support) noexcept;

/// Whether a form gives the same results as the kernel as written for the views of a dispatch. It does unless a view
/// ends within an element of a runtime array: the form treats that element as outside. True for the descriptor form.
/// Precondition: no size of a view is `kWholeBuffer`.
[[nodiscard]] bool fits_views(const FormRules& form, std::span<const BufferRange> views) noexcept;

/// Whether `fits_views` is true whatever the views.
[[nodiscard]] bool fits_all_views(const FormRules& form) noexcept;

}  // namespace vyre::backend
