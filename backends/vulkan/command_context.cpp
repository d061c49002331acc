#include <backends/vulkan/command_context.hpp>

#include <algorithm>
#include <variant>

#include <backends/vulkan/error.hpp>

namespace vyre::backends::vulkan {
namespace {

using backend::BufferRange;
using backend::ListView;

/// The number of most recently used sets in which a set of ranges is looked for first. Lists often alternate between a
/// few sets of buffers.
constexpr std::size_t kRecentSets = 4;
constexpr std::uint32_t kSetsPerPool = 64;
constexpr std::uint32_t kQueriesPerPool = 64;

constexpr VkPipelineStageFlags kWorkStages =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
constexpr VkAccessFlags kWorkWrites = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags kWorkAccesses = kWorkWrites | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_UNIFORM_READ_BIT |
                                        VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT;

}  // namespace

Result<std::unique_ptr<CommandContext>> CommandContext::make(ContextPool& pool) {
  const DeviceContext& context = pool.context();
  std::unique_ptr<CommandContext> made{new CommandContext{pool}};
  const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = pool.queue_family()};
  VkCommandPool native = VK_NULL_HANDLE;
  const VkAllocationCallbacks* memory = made->memory_.callbacks();
  VYRE_TRY(
      succeeded("vkCreateCommandPool", context.api.CreateCommandPool(context.device, &pool_info, memory, &native)));
  made->command_pool_ = {context, native, memory};
  const VkCommandBufferAllocateInfo buffer_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                .commandPool = native,
                                                .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                .commandBufferCount = 1};
  VYRE_TRY(succeeded("vkAllocateCommandBuffers",
                     context.api.AllocateCommandBuffers(context.device, &buffer_info, &made->commands_)));
  return made;
}

void CommandContext::release() noexcept { pool_.give(*this); }

Result<void> CommandContext::translate(const ListView& view, backend::Reuse reuse) {
  const DeviceContext& context = pool_.context();
  {
    const auto turn = context.take_turn();
    VYRE_TRY(succeeded("vkResetCommandPool", context.api.ResetCommandPool(context.device, command_pool_.get(), 0)));
  }
  const VkCommandBufferBeginInfo info{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
      .flags = reuse == backend::Reuse::Once ? VkCommandBufferUsageFlags{VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT}
                                             : VkCommandBufferUsageFlags{VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT}};
  VYRE_TRY(succeeded("vkBeginCommandBuffer", context.api.BeginCommandBuffer(commands_, &info)));
  for (SetCache& cache : caches_) cache.used = 0;
  State state;
  for (const backend::Command& command : view.list.commands()) {
    if (const auto* each = std::get_if<backend::Dispatch>(&command)) [[likely]] {
      VYRE_TRY(dispatch(view, *each, state));
    } else if (std::holds_alternative<backend::Barrier>(command)) {
      barrier(kWorkStages, kWorkAccesses);
    } else if (const auto* copied = std::get_if<backend::Copy>(&command)) {
      copy(view, *copied);
    } else if (const auto* filled = std::get_if<backend::Fill>(&command)) {
      fill(view, *filled);
    } else if (const auto* indirect = std::get_if<backend::IndirectDispatch>(&command)) {
      dispatch_indirect(view, *indirect, state);
    } else if (const auto* time = std::get_if<backend::Timestamp>(&command)) {
      VYRE_TRY(timestamp(view, *time, state));
    }
  }
  // Makes the writes of this list visible to the next list and to the host.
  barrier(kWorkStages | VK_PIPELINE_STAGE_HOST_BIT, kWorkAccesses | VK_ACCESS_HOST_READ_BIT);
  return succeeded("vkEndCommandBuffer", context.api.EndCommandBuffer(commands_));
}

Result<void> CommandContext::dispatch(const ListView& view, const backend::Dispatch& dispatch, State& state) {
  const DeviceApi& api = pool_.context().api;
  const auto& pipeline = view.pipeline<VulkanPipeline>(dispatch.pipeline);
  if (&pipeline != state.pipeline) {
    api.CmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.native());
    state.pipeline = &pipeline;
  }
  const Layout& layout = pipeline.layout();
  const std::span<const BufferRange> ranges = view.list.ranges(dispatch);
  if (&layout != state.layout || !std::ranges::equal(ranges, state.ranges)) {
    if (!layout.sets.empty()) {
      if (layout.index >= caches_.size()) caches_.resize(layout.index + 1);
      SetCache& cache = caches_[layout.index];
      const VkDescriptorSet* sets = find_sets(layout, cache, ranges);
      if (sets == nullptr) {
        VYRE_ASSIGN(sets, make_sets(view, layout, cache, ranges));
      }
      api.CmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline_layout.get(), 0,
                                static_cast<std::uint32_t>(layout.sets.size()), sets, 0, nullptr);
    }
    state.layout = &layout;
    state.ranges = ranges;
  }
  if (dispatch.param_bytes > 0) {
    api.CmdPushConstants(commands_, layout.pipeline_layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, dispatch.param_bytes,
                         view.list.params(dispatch).data());
  }
  api.CmdDispatch(commands_, dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
  return {};
}

void CommandContext::dispatch_indirect(const ListView& view, const backend::IndirectDispatch& dispatch, State& state) {
  const DeviceApi& api = pool_.context().api;
  const auto& pipeline = view.pipeline<VulkanPipeline>(dispatch.pipeline);
  if (&pipeline != state.pipeline) {
    api.CmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.native());
    state.pipeline = &pipeline;
  }
  const std::span<const std::byte> params = view.list.params(dispatch);
  api.CmdPushConstants(commands_, pipeline.layout().pipeline_layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       static_cast<std::uint32_t>(params.size()), params.data());
  api.CmdDispatchIndirect(commands_, view.buffer<VulkanBuffer>(dispatch.groups).native(), dispatch.offset);
}

const VkDescriptorSet* CommandContext::find_sets(const Layout& layout, SetCache& cache,
                                                 std::span<const BufferRange> ranges) noexcept {
  const auto has = [&](std::size_t entry) {
    return std::ranges::equal(std::span{cache.keys}.subspan(entry * ranges.size(), ranges.size()), ranges);
  };
  const auto sets = [&](std::size_t entry) { return cache.sets.data() + entry * layout.sets.size(); };
  if (cache.used < cache.count && has(cache.used)) return sets(cache.used++);
  for (std::size_t i = 1; i <= std::min(kRecentSets, cache.used); ++i) {
    if (has(cache.used - i)) return sets(cache.used - i);
  }
  return nullptr;
}

Result<const VkDescriptorSet*> CommandContext::make_sets(const ListView& view, const Layout& layout, SetCache& cache,
                                                         std::span<const BufferRange> ranges) {
  if (cache.used == cache.count) VYRE_TRY(add_sets(layout, cache));
  const VkDescriptorSet* sets = cache.sets.data() + cache.used * layout.sets.size();
  write_sets(view, layout, sets, ranges);
  std::ranges::copy(ranges, cache.keys.begin() + static_cast<std::ptrdiff_t>(cache.used * ranges.size()));
  ++cache.used;
  return sets;
}

Result<void> CommandContext::add_sets(const Layout& layout, SetCache& cache) {
  const DeviceContext& context = pool_.context();
  const auto sets = static_cast<std::uint32_t>(layout.sets.size());
  if (cache.room == 0) {
    VkDescriptorPoolSize sizes[2];
    std::uint32_t kinds = 0;
    if (layout.storage_buffers > 0) {
      sizes[kinds++] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, layout.storage_buffers * kSetsPerPool};
    }
    if (layout.uniform_buffers > 0) {
      sizes[kinds++] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, layout.uniform_buffers * kSetsPerPool};
    }
    const VkDescriptorPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                          .maxSets = sets * kSetsPerPool,
                                          .poolSizeCount = kinds,
                                          .pPoolSizes = sizes};
    VkDescriptorPool native = VK_NULL_HANDLE;
    VYRE_TRY(
        succeeded("vkCreateDescriptorPool", context.api.CreateDescriptorPool(context.device, &info, nullptr, &native)));
    cache.pools.emplace_back(context, native);
    cache.room = kSetsPerPool;
  }
  const VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                         .descriptorPool = cache.pools.back().get(),
                                         .descriptorSetCount = sets,
                                         .pSetLayouts = layout.sets.data()};
  cache.sets.resize((cache.count + 1) * sets);
  VYRE_TRY(succeeded("vkAllocateDescriptorSets", context.api.AllocateDescriptorSets(
                                                     context.device, &info, cache.sets.data() + cache.count * sets)));
  --cache.room;
  ++cache.count;
  cache.keys.resize(cache.count * layout.ranges);
  return {};
}

void CommandContext::write_sets(const ListView& view, const Layout& layout, const VkDescriptorSet* sets,
                                std::span<const BufferRange> ranges) {
  infos_.resize(ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (backend::is_left_out(ranges[i])) [[unlikely]] {
      // Vulkan wants a buffer wherever the module mentions a binding, whatever the specialisation leaves of that.
      infos_[i] = {.buffer = pool_.bytes(), .offset = 0, .range = VK_WHOLE_SIZE};
      continue;
    }
    infos_[i] = {.buffer = view.buffer<VulkanBuffer>(ranges[i].buffer).native(),
                 .offset = ranges[i].offset,
                 .range = view.size(ranges[i])};
  }
  writes_.clear();
  const VkDescriptorBufferInfo* info = infos_.data();
  for (const backend::BindingSlot& slot : layout.slots) {
    writes_.push_back({.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                       .dstSet = sets[slot.set],
                       .dstBinding = slot.slot,
                       .descriptorCount = slot.count,
                       .descriptorType = slot.kind == program::BindingKind::StorageBuffer
                                             ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                                             : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                       .pBufferInfo = info});
    info += slot.count;
  }
  const DeviceContext& context = pool_.context();
  const auto turn = context.take_turn();
  context.api.UpdateDescriptorSets(context.device, static_cast<std::uint32_t>(writes_.size()), writes_.data(), 0,
                                   nullptr);
}

void CommandContext::copy(const ListView& view, const backend::Copy& copy) const {
  const VkBufferCopy region{.srcOffset = copy.from_offset, .dstOffset = copy.to_offset, .size = copy.size};
  pool_.context().api.CmdCopyBuffer(commands_, view.buffer<VulkanBuffer>(copy.from).native(),
                                    view.buffer<VulkanBuffer>(copy.to).native(), 1, &region);
}

void CommandContext::fill(const ListView& view, const backend::Fill& fill) const {
  const DeviceApi& api = pool_.context().api;
  VkBuffer buffer = view.buffer<VulkanBuffer>(fill.range.buffer).native();
  const std::uint64_t begin = fill.range.offset;
  const std::uint64_t end = begin + view.size(fill.range);
  // Vulkan fills whole words. The up to three bytes before and after them are copied from a buffer that has this byte.
  const std::uint64_t first_word = std::min((begin + 3) / 4 * 4, end);
  const std::uint64_t last_word = std::max(end / 4 * 4, first_word);
  if (last_word > first_word) api.CmdFillBuffer(commands_, buffer, first_word, last_word - first_word, fill.pattern);
  const std::uint64_t source = std::uint64_t{fill.pattern & 0xff} * 4;
  VkBufferCopy ends[2];
  std::uint32_t count = 0;
  if (first_word > begin) ends[count++] = {.srcOffset = source, .dstOffset = begin, .size = first_word - begin};
  if (end > last_word) ends[count++] = {.srcOffset = source, .dstOffset = last_word, .size = end - last_word};
  if (count > 0) api.CmdCopyBuffer(commands_, pool_.bytes(), buffer, count, ends);
}

void CommandContext::barrier(VkPipelineStageFlags to_stages, VkAccessFlags to_accesses) const {
  const VkMemoryBarrier memory{
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = kWorkWrites, .dstAccessMask = to_accesses};
  pool_.context().api.CmdPipelineBarrier(commands_, kWorkStages, to_stages, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

Result<void> CommandContext::timestamp(const ListView& view, const backend::Timestamp& timestamp, State& state) {
  const DeviceContext& context = pool_.context();
  const std::uint32_t index = state.timestamps++;
  if (index / kQueriesPerPool >= queries_.size()) {
    const VkQueryPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                     .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                     .queryCount = kQueriesPerPool};
    VkQueryPool native = VK_NULL_HANDLE;
    VYRE_TRY(succeeded("vkCreateQueryPool", context.api.CreateQueryPool(context.device, &info, nullptr, &native)));
    queries_.emplace_back(context, native);
  }
  VkQueryPool pool = queries_[index / kQueriesPerPool].get();
  const std::uint32_t query = index % kQueriesPerPool;
  context.api.CmdResetQueryPool(commands_, pool, query, 1);
  context.api.CmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, query);
  context.api.CmdCopyQueryPoolResults(commands_, pool, query, 1, view.buffer<VulkanBuffer>(timestamp.buffer).native(),
                                      timestamp.offset, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  return {};
}

Result<CommandContext*> ContextPool::take() {
  const std::lock_guard lock{mutex_};
  if (!free_.empty()) {
    CommandContext* context = free_.back();
    free_.pop_back();
    return context;
  }
  VYRE_ASSIGN(std::unique_ptr<CommandContext> made, CommandContext::make(*this));
  all_.push_back(std::move(made));
  // Reserved here so that `release`, which must not fail, never allocates.
  free_.reserve(all_.size());
  return all_.back().get();
}

void ContextPool::give(CommandContext& context) noexcept {
  const std::lock_guard lock{mutex_};
  free_.push_back(&context);
}

}  // namespace vyre::backends::vulkan
