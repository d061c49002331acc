#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <backends/vulkan/host_memory.hpp>
#include <backends/vulkan/layout.hpp>
#include <backends/vulkan/memory.hpp>
#include <backends/vulkan/owned.hpp>
#include <vyre/backend/driver.hpp>

namespace vyre::backends::vulkan {

class ContextPool;

/// A recording: a command buffer with its own pool, descriptor sets and queries. It shares nothing with other contexts
/// and one thread at a time uses it, so it needs no lock.
///
/// Descriptor sets are kept from one list to the next: the nth distinct set of ranges of a list is compared with the
/// nth descriptor set of the previous list. So a list that comes again neither writes nor allocates a descriptor set.
class CommandContext final : public backend::DriverRecording {
 public:
  [[nodiscard]] static Result<std::unique_ptr<CommandContext>> make(ContextPool& pool);

  void release() noexcept override;
  [[nodiscard]] Result<void> translate(const backend::ListView& view, backend::Reuse reuse);
  [[nodiscard]] VkCommandBuffer native() const noexcept { return commands_; }

 private:
  /// The descriptor sets of one layout, in the order in which a list first used them.
  struct SetCache {
    std::vector<OwnedDescriptorPool> pools;
    std::size_t room = 0;                    // The number of entries that fit into the last pool.
    std::vector<VkDescriptorSet> sets;       // For each entry, the descriptor sets: as many as the layout has.
    std::vector<backend::BufferRange> keys;  // For each entry, the ranges: as many as the layout has.
    std::size_t count = 0;                   // The number of entries.
    std::size_t used = 0;                    // The number of entries that the current list uses.
  };
  struct State {
    const VulkanPipeline* pipeline = nullptr;
    const Layout* layout = nullptr;
    std::span<const backend::BufferRange> ranges = {};
    std::uint32_t timestamps = 0;
  };

  explicit CommandContext(ContextPool& pool) noexcept : pool_{pool} {}

  [[nodiscard]] Result<void> dispatch(const backend::ListView& view, const backend::Dispatch& dispatch, State& state);
  void dispatch_indirect(const backend::ListView& view, const backend::IndirectDispatch& dispatch, State& state);
  void copy(const backend::ListView& view, const backend::Copy& copy) const;
  void fill(const backend::ListView& view, const backend::Fill& fill) const;
  void barrier(VkPipelineStageFlags to_stages, VkAccessFlags to_accesses) const;
  [[nodiscard]] Result<void> timestamp(const backend::ListView& view, const backend::Timestamp& timestamp,
                                       State& state);
  /// The existing descriptor sets with these ranges; null if there are none.
  [[nodiscard]] static const VkDescriptorSet* find_sets(const Layout& layout, SetCache& cache,
                                                        std::span<const backend::BufferRange> ranges) noexcept;
  [[nodiscard]] Result<const VkDescriptorSet*> make_sets(const backend::ListView& view, const Layout& layout,
                                                         SetCache& cache, std::span<const backend::BufferRange> ranges);
  [[nodiscard]] Result<void> add_sets(const Layout& layout, SetCache& cache);
  void write_sets(const backend::ListView& view, const Layout& layout, const VkDescriptorSet* sets,
                  std::span<const backend::BufferRange> ranges);

  ContextPool& pool_;
  HostMemory memory_;  // The host memory of `command_pool_`.
  OwnedCommandPool command_pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  std::vector<SetCache> caches_;  // By index of the layout.
  std::vector<OwnedQueryPool> queries_;
  std::vector<VkDescriptorBufferInfo> infos_;
  std::vector<VkWriteDescriptorSet> writes_;
};

/// The contexts of a device that are not in use; gives the most recently used one first. Thread safety: all members may
/// be called concurrently.
class ContextPool {
 public:
  ContextPool(const DeviceContext& context, std::uint32_t queue_family, VkBuffer bytes) noexcept
      : context_{context}, queue_family_{queue_family}, bytes_{bytes} {}

  [[nodiscard]] Result<CommandContext*> take();
  void give(CommandContext& context) noexcept;

  [[nodiscard]] const DeviceContext& context() const noexcept { return context_; }
  [[nodiscard]] std::uint32_t queue_family() const noexcept { return queue_family_; }
  /// A buffer with each value of a byte, four times.
  [[nodiscard]] VkBuffer bytes() const noexcept { return bytes_; }

 private:
  const DeviceContext& context_;
  std::uint32_t queue_family_;
  VkBuffer bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<CommandContext>> all_;
  std::vector<CommandContext*> free_;
};

}  // namespace vyre::backends::vulkan
