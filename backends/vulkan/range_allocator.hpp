#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace vyre::backends::vulkan {

/// Divides a block of memory into parts. Takes the first free range that is large enough, and joins neighbouring free
/// ranges. Not thread-safe.
class RangeAllocator {
 public:
  explicit RangeAllocator(std::uint64_t size) : size_{size}, free_{{0, size}} {}

  /// The offset of `size` bytes at a multiple of `alignment`, a power of two; nothing if there is no room.
  [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t size, std::uint64_t alignment);
  /// Gives a part back. Precondition: offset and size are those of `take`.
  void give(std::uint64_t offset, std::uint64_t size);
  [[nodiscard]] bool is_unused() const noexcept { return free_.size() == 1 && free_.begin()->second == size_; }

 private:
  std::uint64_t size_;
  std::map<std::uint64_t, std::uint64_t> free_;  // The free ranges: size by offset.
};

}  // namespace vyre::backends::vulkan
