#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <vyre/backend/list_lowering.hpp>

namespace vyre::lowering {

class TablePool;

/// A block of memory for the table of a list, and the list that reads it.
class TableBlock final : public backend::ListTable {
 public:
  explicit TableBlock(TablePool& pool) noexcept : pool_{pool} {}
  void release() noexcept override;

  backend::BufferHandle buffer = {};
  std::uint64_t address = 0;  ///< The address for kernels.
  std::uint64_t size = 0;
  backend::Memory memory = backend::Memory::Upload;
  std::byte* mapped = nullptr;  ///< Null where the host cannot write to it.
  backend::CommandList lowered = {};

 private:
  TablePool& pool_;
};

using TablePtr = std::unique_ptr<TableBlock, backend::ReleaseTable>;

/// Blocks of memory for tables. A released block is given again for a table of its size, so that lists of equal size
/// allocate nothing.
///
/// The blocks have handles of the device, but its budget does not count them. They must be released before the pool is
/// destroyed. Thread safety: all members may be called concurrently.
class TablePool {
 public:
  /// Driver and buffers must outlive the pool.
  TablePool(backend::DeviceDriver& driver, backend::BufferTable& buffers) noexcept;

  /// A block of at least this size, with an empty list. `OutOfMemory` if the device has no memory left, or the size
  /// exceeds the limit of a buffer.
  [[nodiscard]] Result<TablePtr> take(std::uint64_t bytes, backend::Memory memory);
  /// The number of blocks, both those in use and those that were released.
  [[nodiscard]] std::size_t blocks() const noexcept;

 private:
  friend class TableBlock;

  static constexpr std::size_t kClasses = 64;
  static constexpr std::size_t kMemories = 3;
  /// Released blocks are freed when all of them together exceed this size.
  static constexpr std::uint64_t kMostUnused = std::uint64_t{64} << 20;

  using Blocks = std::vector<std::unique_ptr<TableBlock>>;

  [[nodiscard]] Blocks& unused(std::uint64_t size, backend::Memory memory) noexcept;
  void give(std::unique_ptr<TableBlock> block) noexcept;

  backend::DeviceDriver& driver_;
  backend::BufferTable& buffers_;
  mutable std::mutex mutex_;
  std::array<std::array<Blocks, kClasses>, kMemories> unused_;
  std::uint64_t unused_bytes_ = 0;
  std::size_t count_ = 0;
};

}  // namespace vyre::lowering
