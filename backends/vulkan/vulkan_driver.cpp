#include <backends/vulkan/vulkan_driver.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include <backends/vulkan/error.hpp>

namespace vyre::backends::vulkan {
namespace {

using program::BindingKind;

/// The size of a specialisation constant as Vulkan expects it.
std::size_t spec_bytes(const program::SpecConstant& constant) {
  return constant.type.kind == program::ScalarKind::Bool ? sizeof(VkBool32) : constant.type.bits / 8;
}

Result<std::unique_ptr<Layout>> make_layout(const DeviceContext& context, std::span<const backend::BindingSlot> slots,
                                            std::uint32_t push_bytes) {
  auto layout = std::make_unique<Layout>();
  layout->slots.assign(slots.begin(), slots.end());
  const std::uint32_t set_count = slots.empty() ? 0 : slots.back().set + 1;
  std::vector<std::vector<VkDescriptorSetLayoutBinding>> bindings(set_count);
  for (const backend::BindingSlot& slot : slots) {
    const bool is_storage = slot.kind == BindingKind::StorageBuffer;
    bindings[slot.set].push_back(
        {.binding = slot.slot,
         .descriptorType = is_storage ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
         .descriptorCount = slot.count,
         .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT});
    (is_storage ? layout->storage_buffers : layout->uniform_buffers) += slot.count;
    layout->ranges += slot.count;
  }
  for (const std::vector<VkDescriptorSetLayoutBinding>& set : bindings) {
    const VkDescriptorSetLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                               .bindingCount = static_cast<std::uint32_t>(set.size()),
                                               .pBindings = set.data()};
    VkDescriptorSetLayout native = VK_NULL_HANDLE;
    VYRE_TRY(succeeded("vkCreateDescriptorSetLayout",
                       context.api.CreateDescriptorSetLayout(context.device, &info, nullptr, &native)));
    layout->owned_sets.emplace_back(context, native);
    layout->sets.push_back(native);
  }
  const VkPushConstantRange push{.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .offset = 0, .size = push_bytes};
  const VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                        .setLayoutCount = set_count,
                                        .pSetLayouts = layout->sets.data(),
                                        .pushConstantRangeCount = push_bytes > 0 ? 1U : 0U,
                                        .pPushConstantRanges = &push};
  VkPipelineLayout native = VK_NULL_HANDLE;
  VYRE_TRY(
      succeeded("vkCreatePipelineLayout", context.api.CreatePipelineLayout(context.device, &info, nullptr, &native)));
  layout->pipeline_layout = {context, native};
  return layout;
}

}  // namespace

Result<std::unique_ptr<VulkanDriver>> VulkanDriver::open(std::shared_ptr<Instance> instance,
                                                         const PhysicalDevice& device,
                                                         const backend::DeviceOptions& options) {
  std::unique_ptr<VulkanDriver> driver{new VulkanDriver};
  driver->physical_ = device;
  driver->options_ = options;
  driver->info_ = device.info;
  driver->info_.maps_device_memory = device.info.maps_device_memory && options.map_device_memory;
  driver->device_.instance = std::move(instance);
  const InstanceApi& api = driver->device_.instance->api();
  DeviceContext& context = driver->device_.context;

  FeatureChain features;
  VYRE_TRY(read_features(api, device.native, device.api_version, features));
  if (!options.robust) features.core.features.robustBufferAccess = VK_FALSE;
  const std::uint32_t queues = device.info.limits.queues;
  const std::vector<float> priorities(queues, 1.0F);
  const VkDeviceQueueCreateInfo queue_info{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = device.queue_family,
                                           .queueCount = queues,
                                           .pQueuePriorities = priorities.data()};
  const VkDeviceCreateInfo device_info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &features.core,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue_info,
                                       .enabledExtensionCount = static_cast<std::uint32_t>(features.extensions.size()),
                                       .ppEnabledExtensionNames = features.extensions.data()};
  VkDevice made = VK_NULL_HANDLE;
  VYRE_TRY(succeeded("vkCreateDevice", api.CreateDevice(device.native, &device_info, nullptr, &made)));
  auto loaded = load_device(made, api, driver->device_.instance->options().intercept);
  if (!loaded) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyDevice>(api.GetDeviceProcAddr(made, "vkDestroyDevice"));
    if (destroy != nullptr) destroy(made, nullptr);
    return std::unexpected{std::move(loaded).error()};
  }
  context = {.device = made, .api = *loaded};
  if (driver->device_.instance->options().validation) context.turns = std::make_unique<std::mutex>();

  const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                       .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const VkSemaphoreCreateInfo semaphore_info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  for (std::uint32_t i = 0; i < queues; ++i) {
    VkSemaphore semaphore = VK_NULL_HANDLE;
    VYRE_TRY(succeeded("vkCreateSemaphore", context.api.CreateSemaphore(made, &semaphore_info, nullptr, &semaphore)));
    Queue queue{.timeline = {context, semaphore}};
    context.api.GetDeviceQueue(made, device.queue_family, i, &queue.native);
    driver->queues_.push_back(std::move(queue));
  }
  driver->memory_ = std::make_unique<MemoryPool>(context, device.memory, options.map_device_memory,
                                                 features.v12.bufferDeviceAddress == VK_TRUE);
  std::array<std::uint32_t, 256> bytes = {};
  for (std::uint32_t value = 0; value < bytes.size(); ++value) bytes[value] = value * 0x0101'0101U;
  VYRE_ASSIGN(driver->bytes_, driver->memory_->make({.size = sizeof(bytes), .memory = backend::Memory::Upload}));
  std::memcpy(driver->bytes_->mapped, bytes.data(), sizeof(bytes));
  driver->contexts_ = std::make_unique<ContextPool>(context, device.queue_family, driver->bytes_->native());
  return driver;
}

Result<std::unique_ptr<backend::DeviceDriver>> VulkanDriver::open_again() {
  return open(device_.instance, physical_, options_);
}

Result<std::unique_ptr<backend::DriverBuffer>> VulkanDriver::allocate(const backend::BufferDesc& desc) {
  return memory_->make(desc);
}

Result<const Layout*> VulkanDriver::find_layout(std::span<const backend::BindingSlot> slots, std::uint32_t push_bytes) {
  const std::lock_guard lock{layouts_mutex_};
  LayoutKey key{{slots.begin(), slots.end()}, push_bytes};
  if (const auto found = layouts_.find(key); found != layouts_.end()) return found->second.get();
  VYRE_ASSIGN(std::unique_ptr<Layout> made, make_layout(device_.context, slots, push_bytes));
  made->index = layouts_.size();
  return layouts_.emplace(std::move(key), std::move(made)).first->second.get();
}

Result<std::unique_ptr<backend::DriverPipeline>> VulkanDriver::compile(const backend::PipelineDesc& desc) {
  const DeviceContext& context = device_.context;
  const std::uint32_t push_bytes = desc.interface.push_constants ? desc.interface.push_constants->size : 0;
  VYRE_ASSIGN(const Layout* layout, find_layout(desc.slots, push_bytes));

  const std::span<const std::uint32_t> words = desc.words;
  const VkShaderModuleCreateInfo module_info{
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = words.size_bytes(), .pCode = words.data()};
  VkShaderModule native_module = VK_NULL_HANDLE;
  if (const VkResult made = context.api.CreateShaderModule(context.device, &module_info, nullptr, &native_module);
      made != VK_SUCCESS) {
    return std::unexpected{refused("vkCreateShaderModule", made, desc)};
  }
  const OwnedShaderModule module{context, native_module};

  std::vector<VkSpecializationMapEntry> entries;
  std::vector<std::uint64_t> values;
  for (const program::spirv::SpecOverride& value : desc.values) {
    const auto constant = std::ranges::find(desc.interface.spec_constants, value.spec_id, &program::SpecConstant::id);
    if (constant == desc.interface.spec_constants.end()) continue;
    // Values are little-endian, so a narrow value begins at the same byte as a wide one.
    entries.push_back({.constantID = value.spec_id,
                       .offset = static_cast<std::uint32_t>(values.size() * sizeof(std::uint64_t)),
                       .size = spec_bytes(*constant)});
    values.push_back(value.bits);
  }
  const VkSpecializationInfo specialisation{.mapEntryCount = static_cast<std::uint32_t>(entries.size()),
                                            .pMapEntries = entries.data(),
                                            .dataSize = values.size() * sizeof(std::uint64_t),
                                            .pData = values.data()};
  const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                         .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                   .module = native_module,
                                                   .pName = desc.interface.entry_point.c_str(),
                                                   .pSpecializationInfo = entries.empty() ? nullptr : &specialisation},
                                         .layout = layout->pipeline_layout.get()};
  VkPipeline pipeline = VK_NULL_HANDLE;
  const VkResult made =
      context.api.CreateComputePipelines(context.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  if (made != VK_SUCCESS) return std::unexpected{refused("vkCreateComputePipelines", made, desc)};
  return std::make_unique<VulkanPipeline>(OwnedPipeline{context, pipeline}, *layout);
}

Result<backend::RecordingPtr> VulkanDriver::record(const backend::ListView& view, backend::Reuse reuse) {
  VYRE_ASSIGN(CommandContext * context, contexts_->take());
  backend::RecordingPtr recording{context};
  VYRE_TRY(context->translate(view, reuse));
  return recording;
}

Result<void> VulkanDriver::launch(std::span<backend::DriverRecording* const> recordings, backend::Ticket ticket,
                                  std::span<const backend::Ticket> after) {
  // Every command buffer ends with a barrier, which the next one waits for.
  std::array<VkCommandBuffer, backend::kMostTogether> commands = {};
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    commands[i] = static_cast<CommandContext&>(*recordings[i]).native();
  }
  // For each other queue it is enough to wait for the last ticket. Tickets of this queue come first anyway.
  std::array<VkSemaphore, kMaxQueues> waits = {};
  std::array<std::uint64_t, kMaxQueues> values = {};
  std::array<VkPipelineStageFlags, kMaxQueues> stages = {};
  std::array<std::uint64_t, kMaxQueues> last = {};
  for (const backend::Ticket each : after) last[each.queue] = std::max(last[each.queue], each.value);
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < queues_.size(); ++i) {
    if (last[i] == 0 || i == ticket.queue) continue;
    waits[count] = queues_[i].timeline.get();
    values[count] = last[i];
    stages[count++] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  }
  const Queue& queue = queues_[ticket.queue];
  VkSemaphore timeline = queue.timeline.get();
  const VkTimelineSemaphoreSubmitInfo timeline_info{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                    .waitSemaphoreValueCount = count,
                                                    .pWaitSemaphoreValues = values.data(),
                                                    .signalSemaphoreValueCount = 1,
                                                    .pSignalSemaphoreValues = &ticket.value};
  const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          .pNext = &timeline_info,
                          .waitSemaphoreCount = count,
                          .pWaitSemaphores = waits.data(),
                          .pWaitDstStageMask = stages.data(),
                          .commandBufferCount = static_cast<std::uint32_t>(recordings.size()),
                          .pCommandBuffers = commands.data(),
                          .signalSemaphoreCount = 1,
                          .pSignalSemaphores = &timeline};
  return succeeded_or_lost("vkQueueSubmit", device_.context.api.QueueSubmit(queue.native, 1, &info, VK_NULL_HANDLE));
}

Result<void> VulkanDriver::succeeded_or_lost(std::string_view call, VkResult result) const {
  if (result == VK_ERROR_DEVICE_LOST) device_.context.api.DeviceWaitIdle(device_.context.device);
  return succeeded(call, result);
}

Result<std::uint64_t> VulkanDriver::completed(std::uint32_t queue) {
  std::uint64_t value = 0;
  VYRE_TRY(succeeded_or_lost(
      "vkGetSemaphoreCounterValue",
      device_.context.api.GetSemaphoreCounterValue(device_.context.device, queues_[queue].timeline.get(), &value)));
  return value;
}

Result<bool> VulkanDriver::wait(backend::Ticket ticket, std::chrono::nanoseconds timeout) {
  VkSemaphore timeline = queues_[ticket.queue].timeline.get();
  const VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                 .semaphoreCount = 1,
                                 .pSemaphores = &timeline,
                                 .pValues = &ticket.value};
  const std::uint64_t nanoseconds =
      timeout == std::chrono::nanoseconds::max() ? ~std::uint64_t{0} : static_cast<std::uint64_t>(timeout.count());
  const VkResult result = device_.context.api.WaitSemaphores(device_.context.device, &info, nanoseconds);
  if (result == VK_TIMEOUT) return false;
  VYRE_TRY(succeeded_or_lost("vkWaitSemaphores", result));
  return true;
}

std::uint64_t VulkanDriver::now_ns() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace vyre::backends::vulkan
