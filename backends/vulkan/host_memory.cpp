#include <backends/vulkan/host_memory.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace vyre::backends::vulkan {

HostMemory::HostMemory() noexcept {
  callbacks_ = {.pUserData = this,
                .pfnAllocation =
                    [](void* self, std::size_t size, std::size_t alignment, VkSystemAllocationScope) {
                      return static_cast<HostMemory*>(self)->allocate(size, alignment);
                    },
                .pfnReallocation =
                    [](void* self, void* piece, std::size_t size, std::size_t alignment, VkSystemAllocationScope) {
                      return static_cast<HostMemory*>(self)->reallocate(piece, size, alignment);
                    },
                .pfnFree = [](void* self, void* piece) { static_cast<HostMemory*>(self)->free(piece); }};
}

HostMemory::Header* HostMemory::take(std::size_t units) noexcept {
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= alignof(Header));
  if (Header* header = free_[units]) {
    free_[units] = static_cast<Header*>(header->other);
    return header;
  }
  const std::size_t bytes = units * kUnit;
  if (used_ + bytes > size_) {
    if (block_count_ == kMostBlocks) return nullptr;
    const std::size_t size = size_ == 0 ? kFirstBlock : std::min(2 * size_, kBlock);
    blocks_[block_count_].reset(new (std::nothrow) std::byte[size]);
    if (blocks_[block_count_] == nullptr) return nullptr;
    ++block_count_;
    size_ = size;
    used_ = 0;
  }
  auto* header = reinterpret_cast<Header*>(blocks_[block_count_ - 1].get() + used_);
  used_ += bytes;
  return header;
}

void* HostMemory::allocate(std::size_t size, std::size_t alignment) noexcept {
  const std::size_t units = units_of(size);
  if (size <= kBlock && units < kSizes && alignment <= alignof(Header)) {
    if (Header* header = take(units)) {
      new (header) Header{.size = size};
      return header + 1;
    }
  }
  const std::size_t aligned = std::max(alignment, alignof(Header));
  if (size > SIZE_MAX - sizeof(Header) - 2 * aligned) return nullptr;
  void* whole = std::malloc(size + sizeof(Header) + aligned);
  if (whole == nullptr) return nullptr;
  void* piece = static_cast<std::byte*>(whole) + sizeof(Header);
  std::size_t room = size + aligned;
  std::align(aligned, size, piece, room);
  new (static_cast<Header*>(piece) - 1) Header{.size = size, .other = whole};
  return piece;
}

void* HostMemory::reallocate(void* piece, std::size_t size, std::size_t alignment) noexcept {
  if (piece == nullptr) return allocate(size, alignment);
  if (size == 0) {
    free(piece);
    return nullptr;
  }
  void* other = allocate(size, alignment);
  if (other == nullptr) return nullptr;
  std::memcpy(other, piece, std::min(size, (static_cast<Header*>(piece) - 1)->size));
  free(piece);
  return other;
}

void HostMemory::free(void* piece) noexcept {
  if (piece == nullptr) return;
  Header* header = static_cast<Header*>(piece) - 1;
  if (header->other != nullptr) return std::free(header->other);
  const std::size_t units = units_of(header->size);
  header->other = free_[units];
  free_[units] = header;
}

}  // namespace vyre::backends::vulkan
