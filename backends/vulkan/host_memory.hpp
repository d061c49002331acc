#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <backends/vulkan/api.hpp>

namespace vyre::backends::vulkan {

/// Host memory in which a driver keeps the commands of one list: many small pieces, freed together when the next list
/// is recorded. In the heap of a process that has run for a while, such pieces would be scattered: recording a list on
/// lavapipe then took twice as long.
///
/// Freed pieces are kept for the next piece of their size, up to some megabytes; larger pieces come from the heap.
/// Thread safety: one thread at a time, as for a command pool. Several threads may submit lists at once; the class
/// assumes that the driver does not allocate from it then.
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
  static constexpr std::size_t kSizes = 33;  // Pieces up to 1 KiB, by their number of units.
  static constexpr std::size_t kFirstBlock = std::size_t{4}
                                             << 10;             // The first block. Each further one is twice as large,
  static constexpr std::size_t kBlock = std::size_t{64} << 10;  // up to this.
  static constexpr std::size_t kMostBlocks = 64;

  /// Lies in memory just before every piece.
  struct alignas(16) Header {
    std::size_t size = 0;  // The size that was asked for.
    void* other =
        nullptr;  // Of a free piece: the next free one. Of a piece from the heap: the allocation that it is in.
  };

  /// The number of units of a piece of this size with its header.
  [[nodiscard]] static constexpr std::size_t units_of(std::size_t size) noexcept {
    return (size + sizeof(Header) + kUnit - 1) / kUnit;
  }
  /// Memory of `units` units; null if there is none.
  [[nodiscard]] Header* take(std::size_t units) noexcept;

  std::array<std::unique_ptr<std::byte[]>, kMostBlocks> blocks_ = {};
  std::size_t block_count_ = 0;
  std::size_t size_ = 0;                   // The size of the last block,
  std::size_t used_ = 0;                   // and its bytes in use.
  std::array<Header*, kSizes> free_ = {};  // By number of units: the first free piece.
  VkAllocationCallbacks callbacks_ = {};
};

}  // namespace vyre::backends::vulkan
