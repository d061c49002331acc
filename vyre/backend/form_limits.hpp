#pragma once

#include <cstdint>
#include <span>

#include <vyre/backend/driver.hpp>

/// Which dispatches suit a derived form: pure functions over values.
namespace vyre::backend {

/// The merged form gives an item of more workgroups than these a grid of its own: its part of a map would be too large.
inline constexpr std::uint64_t kMostMapped = 4096;

/// The number of workgroups.
[[nodiscard]] std::uint64_t group_count(const Groups& groups) noexcept;

/// How many iterations one workgroup of an item adds to those that a device allows.
[[nodiscard]] std::uint64_t iterations_of_group(const FormRules& form) noexcept;

/// Whether one workgroup of a form that takes turns may run this number of workgroups of the kernel.
[[nodiscard]] bool fits_turn(const FormRules& form, std::uint64_t groups, const FormSupport& support) noexcept;

/// Whether dispatches of these groups can be one grid, in which the third dimension tells them apart.
[[nodiscard]] constexpr bool fits_grid(const Groups& groups) noexcept { return groups[2] == 1; }

/// Whether a dispatch is short enough for one workgroup of a form that takes turns; whether a merged one needs no more
/// of the table than a few entries.
[[nodiscard]] bool fits_form(const FormRules& form, const Groups& groups, const FormSupport& support) noexcept;

/// Whether a form does with the views of a dispatch what the kernel as written does: no view ends within an element of
/// a runtime array, which the form would take for outside. True for the descriptor form. Views say how large they are.
[[nodiscard]] bool fits_views(const FormRules& form, std::span<const BufferRange> views) noexcept;

/// Whether `fits_views` is true of any views.
[[nodiscard]] bool fits_all_views(const FormRules& form) noexcept;

}  // namespace vyre::backend
