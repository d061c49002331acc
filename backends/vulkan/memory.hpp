#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <backends/vulkan/owned.hpp>
#include <backends/vulkan/range_allocator.hpp>
#include <vyre/backend/driver.hpp>

namespace vyre::backends::vulkan {

class MemoryPool;

/// A block of device memory, shared by several buffers.
struct MemoryBlock {
  MemoryBlock(OwnedMemory memory, std::byte* bytes, std::uint64_t size)
      : memory{std::move(memory)}, mapped{bytes}, ranges{size} {}

  OwnedMemory memory;
  std::byte* mapped;  // Null if it is not mapped.
  RangeAllocator ranges;
};

/// A `VkBuffer` and its part of a block of memory.
class VulkanBuffer final : public backend::DriverBuffer {
 public:
  VulkanBuffer(MemoryPool& pool, OwnedBuffer buffer) noexcept : pool_{pool}, buffer_{std::move(buffer)} {}
  ~VulkanBuffer() override;

  [[nodiscard]] VkBuffer native() const noexcept { return buffer_.get(); }

 private:
  friend class MemoryPool;

  MemoryPool& pool_;
  OwnedBuffer buffer_;
  std::size_t kind_ = 0;
  MemoryBlock* block_ = nullptr;
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
};

/// Makes buffers. Small ones share blocks of memory; a large one has a block of its own.
///
/// Thread safety: all members may be called concurrently. Outlives its buffers.
class MemoryPool {
 public:
  MemoryPool(const DeviceContext& context, const VkPhysicalDeviceMemoryProperties& properties, bool map_device_memory,
             bool has_addresses) noexcept;

  [[nodiscard]] Result<std::unique_ptr<VulkanBuffer>> make(const backend::BufferDesc& desc);

 private:
  friend class VulkanBuffer;

  [[nodiscard]] Result<void> bind(VulkanBuffer& buffer, const backend::BufferDesc& desc);
  [[nodiscard]] Result<std::unique_ptr<MemoryBlock>> make_block(std::uint32_t type, bool is_mapped, std::uint64_t size);
  void give_back(VulkanBuffer& buffer) noexcept;

  const DeviceContext& context_;
  VkPhysicalDeviceMemoryProperties properties_;
  bool map_device_memory_;
  bool has_addresses_;
  std::mutex mutex_;
  // By kind: the memory type, and whether it is mapped.
  std::vector<std::unique_ptr<MemoryBlock>> blocks_[2 * VK_MAX_MEMORY_TYPES];
};

/// The best of the allowed memory types for a buffer; `VK_MAX_MEMORY_TYPES` if none suits.
[[nodiscard]] std::uint32_t choose_memory_type(const VkPhysicalDeviceMemoryProperties& properties,
                                               std::uint32_t allowed, backend::Memory memory) noexcept;

}  // namespace vyre::backends::vulkan
