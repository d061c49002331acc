#include <backends/vulkan/range_allocator.hpp>

#include <iterator>

namespace vyre::backends::vulkan {

std::optional<std::uint64_t> RangeAllocator::take(std::uint64_t size, std::uint64_t alignment) {
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const auto [begin, length] = *it;
    const std::uint64_t offset = (begin + alignment - 1) & ~(alignment - 1);
    const std::uint64_t skipped = offset - begin;
    if (skipped > length || length - skipped < size) continue;
    const std::uint64_t left = length - skipped - size;
    if (skipped == 0) {
      free_.erase(it);
    } else {
      it->second = skipped;
    }
    if (left > 0) free_.emplace(offset + size, left);
    return offset;
  }
  return std::nullopt;
}

void RangeAllocator::give(std::uint64_t offset, std::uint64_t size) {
  auto it = free_.emplace(offset, size).first;
  if (const auto next = std::next(it); next != free_.end() && it->first + it->second == next->first) {
    it->second += next->second;
    free_.erase(next);
  }
  if (it == free_.begin()) return;
  if (const auto before = std::prev(it); before->first + before->second == it->first) {
    before->second += it->second;
    free_.erase(it);
  }
}

}  // namespace vyre::backends::vulkan
