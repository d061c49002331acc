#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <vyre/backend/driver.hpp>

namespace vyre::backend {

class TablePool;

/// Memory of the device for the table of a list, with room for what the list becomes. Goes back to its pool, which must
/// live as long.
class TableBlock {
 public:
  TableBlock() noexcept;
  TableBlock(TableBlock&& other) noexcept;
  TableBlock& operator=(TableBlock&& other) noexcept;
  ~TableBlock();

  [[nodiscard]] explicit operator bool() const noexcept { return block_ != nullptr; }
  [[nodiscard]] BufferHandle buffer() const noexcept;
  [[nodiscard]] std::uint64_t address() const noexcept;
  /// Its bytes, or a copy of them that is yet to be brought there.
  [[nodiscard]] std::span<std::byte> writable() const noexcept;
  /// Whether what is written is there at once.
  [[nodiscard]] bool is_direct() const noexcept;
  [[nodiscard]] CommandList& lowered() const noexcept;

 private:
  friend class TablePool;
  struct Block;

  TableBlock(TablePool& pool, std::unique_ptr<Block> block) noexcept;

  TablePool* pool_ = nullptr;
  std::unique_ptr<Block> block_;
};

/// Blocks by size, used again and again, so that a list like the last allocates nothing.
///
/// Their buffers are handles of the device like others, and not counted. Thread safety: all members may be called
/// concurrently.
class TablePool {
 public:
  /// Both must outlive this.
  TablePool(DeviceDriver& driver, BufferTable& buffers) noexcept;
  TablePool(const TablePool&) = delete;
  TablePool& operator=(const TablePool&) = delete;
  ~TablePool();

  /// `OutOfMemory` if the device has none, or no buffer is as large.
  [[nodiscard]] Result<TableBlock> take(std::uint64_t bytes, Memory memory);
  /// How many there are, in use or not.
  [[nodiscard]] std::size_t blocks() const noexcept;

 private:
  friend class TableBlock;

  static constexpr std::size_t kClasses = 64;
  static constexpr std::size_t kMemories = 3;
  /// Unused blocks are kept up to so many bytes together.
  static constexpr std::uint64_t kMostUnused = std::uint64_t{64} << 20;

  void give(std::unique_ptr<TableBlock::Block> block) noexcept;

  DeviceDriver& driver_;
  BufferTable& buffers_;
  mutable std::mutex mutex_;
  std::array<std::array<std::vector<std::unique_ptr<TableBlock::Block>>, kClasses>, kMemories> unused_;
  std::uint64_t unused_bytes_ = 0;
  std::size_t count_ = 0;
};

}  // namespace vyre::backend
