#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <backends/vulkan/api.hpp>

namespace vyre::backends::vulkan {

/// Host memory for the commands that a driver keeps of one list: many small pieces, freed together when the next list
/// is recorded. Pieces of the heap would lie scattered: in a process that had run for a while, recording a list on
/// lavapipe took twice as long.
///
/// Freed pieces are kept for the next piece of their size, up to some megabytes; larger needs go to the heap. Thread
/// safety: one thread at a time, as for a command pool. Assumes that a driver allocates nothing here while a list is
/// submitted, which several threads may do at once.
class HostMemory {
 public:
  HostMemory() noexcept;
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() = default;

  /// The callbacks for the functions that make and destroy the pool.
  [[nodiscard]] const VkAllocationCallbacks* callbacks() const noexcept { return &callbacks_; }

  /// A piece of any size, aligned to any power of two. Null if there is no memory.
  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept;
  [[nodiscard]] void* reallocate(void* piece, std::size_t size, std::size_t alignment) noexcept;
  void free(void* piece) noexcept;

 private:
  static constexpr std::size_t kUnit = 32;
  static constexpr std::size_t kSizes = 33;                         // Up to a KiB, in units.
  static constexpr std::size_t kFirstBlock = std::size_t{4} << 10;  // Each of the next is twice as large,
  static constexpr std::size_t kBlock = std::size_t{64} << 10;      // up to this.
  static constexpr std::size_t kMostBlocks = 64;

  /// Stands before every piece.
  struct alignas(16) Header {
    std::size_t size = 0;   // The size that was asked for.
    void* other = nullptr;  // Of a free piece, the next free one; of a piece of the heap, the memory that it is in.
  };

  /// The units that a piece of a size takes, with its header.
  [[nodiscard]] static constexpr std::size_t units_of(std::size_t size) noexcept {
    return (size + sizeof(Header) + kUnit - 1) / kUnit;
  }
  /// Memory of `units` units; null if there is none.
  [[nodiscard]] Header* take(std::size_t units) noexcept;

  std::array<std::unique_ptr<std::byte[]>, kMostBlocks> blocks_ = {};
  std::size_t block_count_ = 0;
  std::size_t size_ = 0;                   // Of the last block,
  std::size_t used_ = 0;                   // and of that.
  std::array<Header*, kSizes> free_ = {};  // By units.
  VkAllocationCallbacks callbacks_ = {};
};

}  // namespace vyre::backends::vulkan
