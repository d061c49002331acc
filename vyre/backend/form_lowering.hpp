#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <vyre/backend/driver.hpp>

/// Turns dispatches of forms into what drivers run: ordinary dispatches without ranges, whose buffers and parameters
/// are in a table. Pure functions over values and memory.
namespace vyre::backend {

/// Where the table of a list goes.
struct TablePlace {
  std::uint64_t address = 0;    ///< Where kernels will find it; a multiple of 32.
  BufferHandle buffer = {};     ///< In which it will be.
  std::span<std::byte> memory;  ///< Where its bytes are written now.
  std::uint64_t scratch = 0;    ///< The scratch memory of the device.
  bool indirect = false;        ///< Whether group counts are in the table too, so that they can change.
  /// Whether only launches of several dispatches are appended: what else becomes of a list does not depend on its
  /// buffers, parameters and group counts, if these are in the table.
  bool launches_only = false;
};

/// The bytes that the table of a list takes at most.
[[nodiscard]] std::uint64_t table_bytes(const ListView& view) noexcept;

/// Writes the table of a checked list and appends to `lowered` what takes its place. Gives the bytes that were written.
///
/// `InvalidArgument` for a dispatch of a form that takes turns that is too long for one workgroup of the device.
[[nodiscard]] Result<std::uint64_t> lower(const ListView& view, const DeviceInfo& info, const TablePlace& place,
                                          CommandList& lowered);

/// Whether a dispatch is short enough for one workgroup of a form that takes turns; whether a merged one needs no more
/// of the table than a few entries.
[[nodiscard]] bool fits_form(const FormRules& form, const Groups& groups, const FormSupport& support) noexcept;

/// Whether a form does with the views of a dispatch what the kernel as written does: no end of one cuts an element of a
/// runtime array that the form would take for outside. True for the descriptor form. Views say how large they are.
[[nodiscard]] bool fits_views(const FormRules& form, std::span<const BufferRange> views) noexcept;

}  // namespace vyre::backend
