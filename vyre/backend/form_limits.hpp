#pragma once

#include <cstdint>
#include <span>

#include <vyre/backend/driver.hpp>
#include <vyre/program/bound.hpp>

/// Which dispatches can run in a derived form: pure functions over values.
namespace vyre::backend {

/// A merged launch maps each workgroup of its items. An item of more workgroups than this gets a launch of its own,
/// without a map, because its part of the map would be too large.
inline constexpr std::uint64_t kMostMapped = 4096;

/// The number of workgroups in all three dimensions.
[[nodiscard]] std::uint64_t group_count(const Groups& groups) noexcept;

/// What running a dispatch adds to the work of the workgroup that runs all of it.
struct Turn {
  std::uint64_t groups = 0;
  std::uint64_t iterations = 0;  ///< Of an invocation, at most; 0 on devices that do not limit them.
};

/// The turn of a dispatch with these parameters and workgroups.
[[nodiscard]] Turn turn_of(const FormRules& form, const program::DispatchFacts& dispatch,
                           const FormSupport& support) noexcept;

/// One turn after another.
[[nodiscard]] Turn add(const Turn& a, const Turn& b) noexcept;

/// Whether one workgroup of a persistent or chain launch may run a turn.
[[nodiscard]] bool fits_turn(const Turn& turn, const FormSupport& support) noexcept;

/// Whether the parameters of a dispatch decide if it fits a form: they bound the iterations, and the device limits
/// those of a workgroup that does the work of several, or of an invocation that stands for several.
[[nodiscard]] bool depends_on_params(const FormRules& form, const FormSupport& support) noexcept;

/// Whether dispatches of this size can be merged into one grid, in which the third dimension counts the dispatches.
[[nodiscard]] constexpr bool fits_grid(const Groups& groups) noexcept { return groups[2] == 1; }

/// Whether an invocation of the form makes few enough iterations for one workgroup of this dispatch.
[[nodiscard]] bool fits_iterations(const FormRules& form, const program::DispatchFacts& dispatch,
                                   const FormSupport& support) noexcept;

/// Whether a dispatch can run in a form. Persistent and chain: whether it is short enough for one workgroup. Merged:
/// whether it can be a grid, or its part of the map is small enough, and whether an invocation that stands for several
/// of the kernel makes few enough iterations. True for the other forms.
[[nodiscard]] bool fits_form(const FormRules& form, const program::DispatchFacts& dispatch,
                             const FormSupport& support) noexcept;
/// The same for the parameters that make the fewest iterations.
[[nodiscard]] bool fits_form(const FormRules& form, const Groups& groups, const FormSupport& support) noexcept;

/// Whether a form gives the same results as the kernel as written for the views of a dispatch. It does unless a view
/// ends within an element of a runtime array: the form treats that element as outside. True for the descriptor form.
/// Precondition: no size of a view is `kWholeBuffer`.
[[nodiscard]] bool fits_views(const FormRules& form, std::span<const BufferRange> views) noexcept;

/// Whether `fits_views` is true whatever the views.
[[nodiscard]] bool fits_all_views(const FormRules& form) noexcept;

}  // namespace vyre::backend
