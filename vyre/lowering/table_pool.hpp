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

/// Memory for the table of a list, with room for the list that reads it.
class TableBlock final : public backend::ListTable {
 public:
  explicit TableBlock(TablePool& pool) noexcept : pool_{pool} {}
  void release() noexcept override;

  backend::BufferHandle buffer = {};
  std::uint64_t address = 0;  ///< Where kernels find it.
  std::uint64_t size = 0;
  backend::Memory memory = backend::Memory::Upload;
  std::byte* mapped = nullptr;  ///< Null where the host cannot write to it.
  backend::CommandList lowered = {};

 private:
  TablePool& pool_;
};

using TablePtr = std::unique_ptr<TableBlock, backend::ReleaseTable>;

/// Memory for tables, by size. A block is used again once it was released, so that a list like the one before allocates
/// nothing.
///
/// The buffers are handles of the device, but not counted in its budget. Blocks must be released before the pool goes.
/// Thread safety: all members may be called concurrently.
class TablePool {
 public:
  /// Both must outlive the pool.
  TablePool(backend::DeviceDriver& driver, backend::BufferTable& buffers) noexcept;

  /// A block of at least this size, with an empty list. `OutOfMemory` if the device has no memory, or no buffer may be
  /// as large.
  [[nodiscard]] Result<TablePtr> take(std::uint64_t bytes, backend::Memory memory);
  /// The number of blocks, in use or not.
  [[nodiscard]] std::size_t blocks() const noexcept;

 private:
  friend class TableBlock;

  static constexpr std::size_t kClasses = 64;
  static constexpr std::size_t kMemories = 3;
  /// Unused blocks beyond this size, all together, are freed.
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
