#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <vyre/backend/driver.hpp>

/// Turns dispatches of derived forms into dispatches that drivers run: without ranges, and with their buffers and
/// parameters in a table. Pure functions over values and memory.
namespace vyre::lowering {

/// Alignment of a table, and of everything that begins in one.
inline constexpr std::uint64_t kTableAlignment = 32;

/// Where the table of a list goes.
struct TablePlace {
  std::uint64_t address = 0;          ///< Where kernels will find it; a multiple of `kTableAlignment`.
  backend::BufferHandle buffer = {};  ///< The buffer that it will be in.
  std::span<std::byte> memory;        ///< Where its bytes are written now.
  std::uint64_t scratch = 0;          ///< The scratch memory of the device.
  bool indirect = false;              ///< Whether group counts are in the table too, so that they can change.
  /// Whether only launches of several dispatches are appended: the other commands do not depend on the list's buffers,
  /// parameters and group counts, if these are in the table.
  bool launches_only = false;
};

/// The largest size that the table of a list can have.
[[nodiscard]] std::uint64_t table_bytes(const backend::ListView& view) noexcept;

/// Writes the table of a checked list and appends to `lowered` the commands that read it. Gives the bytes written.
///
/// `InvalidArgument` for a dispatch in a form that takes turns that is too long for one workgroup of the device.
[[nodiscard]] Result<std::uint64_t> lower(const backend::ListView& view, const backend::DeviceInfo& info,
                                          const TablePlace& place, backend::CommandList& lowered);

}  // namespace vyre::lowering
