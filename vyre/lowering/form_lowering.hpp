#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <vyre/backend/driver.hpp>

/// Turns dispatches in derived forms into dispatches that drivers run: without ranges, and with their buffers and
/// parameters in a table. Pure functions over values and memory.
namespace vyre::lowering {

/// The alignment of tables, and of records, maps and workgroup counts in them.
inline constexpr std::uint64_t kTableAlignment = 32;

/// Where the table of a list is written, and how.
struct TablePlace {
  std::uint64_t address = 0;          ///< The address at which kernels will read it; a multiple of `kTableAlignment`.
  backend::BufferHandle buffer = {};  ///< The buffer that it will be in when the list runs.
  std::span<std::byte> memory;        ///< The memory to write now.
  std::uint64_t scratch = 0;          ///< The address of the device's scratch memory.
  bool indirect = false;              ///< Whether workgroup counts are in the table too, so that they can change.
  /// Whether to append only the launches of several dispatches, to compare the launches of two lists. The other
  /// commands are the same for all lists that differ only in what is in the table.
  bool launches_only = false;
};

/// The largest size that the table of a list can have.
[[nodiscard]] std::uint64_t table_bytes(const backend::ListView& view) noexcept;

/// Writes the table of a checked list and appends to `lowered` the commands that read it. Gives the bytes written.
///
/// `InvalidArgument` for a dispatch in the persistent or chain form that takes too long for one workgroup.
[[nodiscard]] Result<std::uint64_t> lower(const backend::ListView& view, const backend::DeviceInfo& info,
                                          const TablePlace& place, backend::CommandList& lowered);

}  // namespace vyre::lowering
