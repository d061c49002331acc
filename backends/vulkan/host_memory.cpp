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

void* HostMemory::allocate(std::size_t size, std::size_t alignment) noexcept {
  const std::size_t units = (size + sizeof(Header) + kUnit - 1) / kUnit;
  if (size > kBlock || units >= kSizes || alignment > alignof(Header)) {
    const std::size_t aligned = std::max(alignment, alignof(Header));
    if (size > SIZE_MAX - sizeof(Header) - 2 * aligned) return nullptr;
    void* whole = std::malloc(size + sizeof(Header) + aligned);
    if (whole == nullptr) return nullptr;
    const auto begin = reinterpret_cast<std::uintptr_t>(whole) + sizeof(Header);
    auto* piece = reinterpret_cast<std::byte*>((begin + aligned - 1) / aligned * aligned);
    new (piece - sizeof(Header)) Header{.size = size, .whole = whole};
    return piece;
  }
  Header* header = free_[units];
  if (header != nullptr) {
    std::memcpy(&free_[units], header + 1, sizeof(Header*));
  } else {
    const std::size_t bytes = units * kUnit;
    if (used_ + bytes > kBlock) {
      std::unique_ptr<std::byte[]> block{new (std::nothrow) std::byte[kBlock]};
      if (block == nullptr) return nullptr;
      blocks_.push_back(std::move(block));
      used_ = 0;
    }
    header = reinterpret_cast<Header*>(blocks_.back().get() + used_);
    used_ += bytes;
  }
  new (header) Header{.size = size};
  return header + 1;
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
  if (header->whole != nullptr) return std::free(header->whole);
  const std::size_t units = (header->size + sizeof(Header) + kUnit - 1) / kUnit;
  std::memcpy(piece, &free_[units], sizeof(Header*));
  free_[units] = header;
}

}  // namespace vyre::backends::vulkan
