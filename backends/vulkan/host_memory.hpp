#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <backends/vulkan/api.hpp>

namespace vyre::backends::vulkan {

/// Host memory for what a driver keeps of one command list: many small pieces, freed together when the next list is
/// made. From the heap they come from wherever there is room: in a process that has run for a while a list took twice
/// as long to make so (lavapipe).
///
/// What is freed is kept for the next of its size, up to some megabytes; what is beyond comes from the heap. One thread
/// at a time, as for a command pool. It is assumed that a driver takes none of it when a list is submitted, which
/// several threads may do at once.
class HostMemory {
 public:
  HostMemory() noexcept;
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() = default;

  /// For the functions that make and destroy the pool.
  [[nodiscard]] const VkAllocationCallbacks* callbacks() const noexcept { return &callbacks_; }

  /// Null if there is no memory. Of any size, aligned to any power of two.
  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept;
  [[nodiscard]] void* reallocate(void* piece, std::size_t size, std::size_t alignment) noexcept;
  void free(void* piece) noexcept;

 private:
  static constexpr std::size_t kUnit = 32;
  static constexpr std::size_t kSizes = 33;                         // Up to a KiB, in units.
  static constexpr std::size_t kFirstBlock = std::size_t{4} << 10;  // Each of the next is twice as large,
  static constexpr std::size_t kBlock = std::size_t{64} << 10;      // up to this.
  static constexpr std::size_t kMostBlocks = 64;

  /// In front of every piece.
  struct alignas(16) Header {
    std::size_t size = 0;   // That was asked for.
    void* other = nullptr;  // What it is in, if that is of the heap. While it is free, the next that is.
  };

  /// What a piece of a size takes, with its header.
  [[nodiscard]] static constexpr std::size_t units_of(std::size_t size) noexcept {
    return (size + sizeof(Header) + kUnit - 1) / kUnit;
  }
  /// Room for so many units; null if there is none.
  [[nodiscard]] Header* take(std::size_t units) noexcept;

  std::array<std::unique_ptr<std::byte[]>, kMostBlocks> blocks_ = {};
  std::size_t block_count_ = 0;
  std::size_t size_ = 0;                   // Of the last block,
  std::size_t used_ = 0;                   // and of that.
  std::array<Header*, kSizes> free_ = {};  // By units.
  VkAllocationCallbacks callbacks_ = {};
};

}  // namespace vyre::backends::vulkan
