#include <backends/vulkan/memory.hpp>

#include <algorithm>
#include <array>

#include <backends/vulkan/error.hpp>
#include <vyre/program/forms/form.hpp>

namespace vyre::backends::vulkan {
namespace {

constexpr std::uint64_t kBlockBytes = std::uint64_t{32} << 20;
/// Buffers beyond this size get a block of their own.
constexpr std::uint64_t kSharedBytes = kBlockBytes / 4;

/// The alignment of buffers, because any buffer may hold a table.
constexpr std::uint64_t kTableAlignment = 64;

/// Robust forms may load up to this number of bytes after the end of a view, and discard them.
constexpr std::uint64_t kBehindBuffers = program::kReadBehind;

constexpr VkMemoryPropertyFlags kMapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

}  // namespace

std::uint32_t choose_memory_type(const VkPhysicalDeviceMemoryProperties& properties, std::uint32_t allowed,
                                 backend::Memory memory) noexcept {
  constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  std::array<VkMemoryPropertyFlags, 3> wanted = {kLocal | kMapped, kLocal, 0};
  if (memory == backend::Memory::Upload) wanted = {kMapped, kMapped, kMapped};
  if (memory == backend::Memory::Readback) wanted = {kMapped | kCached, kMapped, kMapped};
  for (const VkMemoryPropertyFlags flags : wanted) {
    for (std::uint32_t i = 0; i < properties.memoryTypeCount; ++i) {
      const bool is_allowed = (allowed >> i & 1) != 0;
      if (is_allowed && (properties.memoryTypes[i].propertyFlags & flags) == flags) return i;
    }
  }
  return VK_MAX_MEMORY_TYPES;
}

VulkanBuffer::~VulkanBuffer() { pool_.give_back(*this); }

MemoryPool::MemoryPool(const DeviceContext& context, const VkPhysicalDeviceMemoryProperties& properties,
                       bool map_device_memory, bool has_addresses) noexcept
    : context_{context},
      properties_{properties},
      map_device_memory_{map_device_memory},
      has_addresses_{has_addresses} {}

Result<std::unique_ptr<VulkanBuffer>> MemoryPool::make(const backend::BufferDesc& desc) {
  const VkBufferCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = desc.size + (has_addresses_ ? kBehindBuffers : 0),
      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
               (has_addresses_ ? VkBufferUsageFlags{VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT} : 0)};
  VkBuffer native = VK_NULL_HANDLE;
  VYRE_TRY(succeeded("vkCreateBuffer", context_.api.CreateBuffer(context_.device, &info, nullptr, &native)));
  auto buffer = std::make_unique<VulkanBuffer>(*this, OwnedBuffer{context_, native});
  VYRE_TRY(bind(*buffer, desc));
  return buffer;
}

Result<void> MemoryPool::bind(VulkanBuffer& buffer, const backend::BufferDesc& desc) {
  VkMemoryRequirements needs;
  context_.api.GetBufferMemoryRequirements(context_.device, buffer.native(), &needs);
  const std::uint32_t type = choose_memory_type(properties_, needs.memoryTypeBits, desc.memory);
  if (type == VK_MAX_MEMORY_TYPES) return fail(ErrorCode::Unsupported, "the device has no memory for such a buffer");
  const bool is_visible = (properties_.memoryTypes[type].propertyFlags & kMapped) == kMapped;
  const bool is_mapped = is_visible && (desc.memory != backend::Memory::Device || map_device_memory_);
  const std::size_t kind = 2 * std::size_t{type} + (is_mapped ? 1 : 0);

  const std::lock_guard lock{mutex_};
  const auto take_from = [&](MemoryBlock& block) {
    const auto offset = block.ranges.take(needs.size, std::max(needs.alignment, kTableAlignment));
    if (!offset) return false;
    buffer.kind_ = kind;
    buffer.block_ = &block;
    buffer.offset_ = *offset;
    buffer.size_ = needs.size;
    return true;
  };
  const bool is_large = needs.size > kSharedBytes;
  bool has_place = false;
  if (!is_large) has_place = std::ranges::any_of(blocks_[kind], [&](const auto& block) { return take_from(*block); });
  if (!has_place) {
    const std::uint64_t heap = properties_.memoryHeaps[properties_.memoryTypes[type].heapIndex].size;
    const std::uint64_t shared = std::max(needs.size, std::min(kBlockBytes, heap / 16));
    VYRE_ASSIGN(std::unique_ptr<MemoryBlock> block, make_block(type, is_mapped, is_large ? needs.size : shared));
    blocks_[kind].push_back(std::move(block));
    has_place = take_from(*blocks_[kind].back());
  }
  buffer.mapped = is_mapped ? buffer.block_->mapped + buffer.offset_ : nullptr;
  VYRE_TRY(succeeded("vkBindBufferMemory", context_.api.BindBufferMemory(context_.device, buffer.native(),
                                                                         buffer.block_->memory.get(), buffer.offset_)));
  if (has_addresses_) {
    const VkBufferDeviceAddressInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                         .buffer = buffer.native()};
    buffer.address = context_.api.GetBufferDeviceAddress(context_.device, &info);
  }
  return {};
}

Result<std::unique_ptr<MemoryBlock>> MemoryPool::make_block(std::uint32_t type, bool is_mapped, std::uint64_t size) {
  const VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  const VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .pNext = has_addresses_ ? &flags : nullptr,
                                  .allocationSize = size,
                                  .memoryTypeIndex = type};
  VkDeviceMemory native = VK_NULL_HANDLE;
  VYRE_TRY(succeeded("vkAllocateMemory", context_.api.AllocateMemory(context_.device, &info, nullptr, &native)));
  OwnedMemory memory{context_, native};
  void* mapped = nullptr;
  if (is_mapped) {
    VYRE_TRY(succeeded("vkMapMemory", context_.api.MapMemory(context_.device, native, 0, VK_WHOLE_SIZE, 0, &mapped)));
  }
  return std::make_unique<MemoryBlock>(std::move(memory), static_cast<std::byte*>(mapped), size);
}

void MemoryPool::give_back(VulkanBuffer& buffer) noexcept {
  // Vulkan requires that a buffer is destroyed before the memory that it is bound to.
  buffer.buffer_ = {};
  if (buffer.block_ == nullptr) return;
  const std::lock_guard lock{mutex_};
  buffer.block_->ranges.give(buffer.offset_, buffer.size_);
  if (!buffer.block_->ranges.is_unused()) return;
  // One unused shared block per kind is kept, for the next buffer.
  std::vector<std::unique_ptr<MemoryBlock>>& blocks = blocks_[buffer.kind_];
  if (blocks.size() > 1 || buffer.size_ > kSharedBytes) {
    std::erase_if(blocks, [&](const auto& block) { return block.get() == buffer.block_; });
  }
}

}  // namespace vyre::backends::vulkan
