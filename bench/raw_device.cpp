#include "bench/raw_device.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace vyre::bench {
namespace {

/// Memory that host and device share.
std::uint32_t mappable_type(VkPhysicalDevice physical) {
  constexpr VkMemoryPropertyFlags kWanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    if ((memory.memoryTypes[i].propertyFlags & kWanted) == kWanted) return i;
  }
  check(VK_ERROR_FEATURE_NOT_PRESENT, "finding memory to map");
  return 0;
}

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                      VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

VkDescriptorType type_of(const RawKernel& kernel, std::uint32_t binding) {
  return binding < kernel.storage_buffers ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
}

}  // namespace

void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "%s fails with %d\n", what, static_cast<int>(result));
  std::exit(1);
}

RawConnection::RawConnection() {
  if (vkGetInstanceProcAddr == nullptr) check(volkInitialize(), "volkInitialize");
  const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo instance_info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = &application};
  check(vkCreateInstance(&instance_info, nullptr, &instance), "vkCreateInstance");
  volkLoadInstanceOnly(instance);
  std::uint32_t one = 1;
  const VkResult listed = vkEnumeratePhysicalDevices(instance, &one, &physical);
  if (listed != VK_INCOMPLETE) check(listed, "vkEnumeratePhysicalDevices");
  VkPhysicalDeviceVulkan12Features features12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                              .timelineSemaphore = VK_TRUE,
                                              .bufferDeviceAddress = VK_TRUE};
  VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features12};
  features.features.robustBufferAccess = VK_TRUE;
  VkPhysicalDeviceFeatures offered;
  vkGetPhysicalDeviceFeatures(physical, &offered);
  features.features.shaderInt64 = offered.shaderInt64;
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue_info{
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  const VkDeviceCreateInfo device_info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &features,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue_info};
  check(vkCreateDevice(physical, &device_info, nullptr, &device), "vkCreateDevice");
  volkLoadDeviceTable(&vk, device);
  vk.vkGetDeviceQueue(device, 0, 0, &queue);
}

RawConnection::~RawConnection() {
  vk.vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance, nullptr);
}

std::shared_ptr<const RawConnection> RawConnection::get() {
  static std::weak_ptr<const RawConnection> open;
  std::shared_ptr<const RawConnection> connection = open.lock();
  if (!connection) open = connection = std::make_shared<const RawConnection>();
  return connection;
}

RawDevice::RawDevice(std::span<const std::uint64_t> buffer_sizes, std::uint32_t max_sets,
                     std::uint32_t max_descriptors) {
  make_buffers(buffer_sizes);
  const VkDescriptorPoolSize pool_sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, max_descriptors},
                                             {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, max_descriptors}};
  const VkDescriptorPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = max_sets,
                                             .poolSizeCount = std::size(pool_sizes),
                                             .pPoolSizes = pool_sizes};
  check(vk_.vkCreateDescriptorPool(device_, &pool_info, nullptr, &descriptor_pool_), "vkCreateDescriptorPool");
  const VkCommandPoolCreateInfo commands_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                              .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
  check(vk_.vkCreateCommandPool(device_, &commands_info, nullptr, &command_pool_), "vkCreateCommandPool");
  const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                       .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const VkSemaphoreCreateInfo semaphore_info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  check(vk_.vkCreateSemaphore(device_, &semaphore_info, nullptr, &timeline_), "vkCreateSemaphore");
  const VkFenceCreateInfo fence_info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  check(vk_.vkCreateFence(device_, &fence_info, nullptr, &fence_), "vkCreateFence");
}

RawDevice::~RawDevice() {
  vk_.vkDestroyFence(device_, fence_, nullptr);
  vk_.vkDestroySemaphore(device_, timeline_, nullptr);
  vk_.vkDestroyCommandPool(device_, command_pool_, nullptr);
  vk_.vkDestroyDescriptorPool(device_, descriptor_pool_, nullptr);
  for (VkBuffer buffer : buffers_) vk_.vkDestroyBuffer(device_, buffer, nullptr);
  vk_.vkFreeMemory(device_, memory_, nullptr);
  for (const RawKernel& kernel : kernels_) {
    vk_.vkDestroyPipeline(device_, kernel.pipeline, nullptr);
    vk_.vkDestroyPipelineLayout(device_, kernel.layout, nullptr);
    vk_.vkDestroyDescriptorSetLayout(device_, kernel.set_layout, nullptr);
  }
}

RawKernel RawDevice::make_kernel(const RawKernelInfo& info) {
  RawKernel kernel{.storage_buffers = info.storage_buffers};
  std::vector<VkDescriptorSetLayoutBinding> slots;
  for (std::uint32_t i = 0; i < info.storage_buffers + info.uniform_buffers; ++i) {
    slots.push_back({.binding = i,
                     .descriptorType = type_of(kernel, i),
                     .descriptorCount = 1,
                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT});
  }
  const VkDescriptorSetLayoutCreateInfo set_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                 .bindingCount = static_cast<std::uint32_t>(slots.size()),
                                                 .pBindings = slots.data()};
  check(vk_.vkCreateDescriptorSetLayout(device_, &set_info, nullptr, &kernel.set_layout),
        "vkCreateDescriptorSetLayout");
  const VkPushConstantRange push{.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = info.push_bytes};
  const VkPipelineLayoutCreateInfo layout_info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &kernel.set_layout,
                                               .pushConstantRangeCount = info.push_bytes > 0 ? 1U : 0U,
                                               .pPushConstantRanges = &push};
  check(vk_.vkCreatePipelineLayout(device_, &layout_info, nullptr, &kernel.layout), "vkCreatePipelineLayout");
  const VkShaderModuleCreateInfo module_info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                             .codeSize = info.words.size_bytes(),
                                             .pCode = info.words.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  check(vk_.vkCreateShaderModule(device_, &module_info, nullptr, &module), "vkCreateShaderModule");
  const VkComputePipelineCreateInfo pipeline_info{
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main",
                .pSpecializationInfo = info.specialisation},
      .layout = kernel.layout};
  check(vk_.vkCreateComputePipelines(device_, info.cache, 1, &pipeline_info, nullptr, &kernel.pipeline),
        "vkCreateComputePipelines");
  vk_.vkDestroyShaderModule(device_, module, nullptr);
  kernels_.push_back(kernel);
  return kernel;
}

void RawDevice::make_buffers(std::span<const std::uint64_t> sizes) {
  const auto step = [](std::uint64_t size) { return (size + 255) / 256 * 256; };
  std::uint64_t total = 0;
  for (const std::uint64_t size : sizes) total += step(size);
  const VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  const VkMemoryAllocateInfo memory_info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                         .pNext = &flags,
                                         .allocationSize = total,
                                         .memoryTypeIndex = mappable_type(connection_->physical)};
  check(vk_.vkAllocateMemory(device_, &memory_info, nullptr, &memory_), "vkAllocateMemory");
  void* bytes = nullptr;
  check(vk_.vkMapMemory(device_, memory_, 0, VK_WHOLE_SIZE, 0, &bytes), "vkMapMemory");
  std::memset(bytes, 0, total);
  const std::span all{static_cast<std::byte*>(bytes), total};
  std::uint64_t offset = 0;
  for (const std::uint64_t size : sizes) {
    const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = kUsage};
    VkBuffer buffer = VK_NULL_HANDLE;
    check(vk_.vkCreateBuffer(device_, &info, nullptr, &buffer), "vkCreateBuffer");
    check(vk_.vkBindBufferMemory(device_, buffer, memory_, offset), "vkBindBufferMemory");
    buffers_.push_back(buffer);
    mapped_.push_back(all.subspan(offset, size));
    offset += step(size);
  }
}

std::uint64_t RawDevice::address(std::uint32_t buffer) const {
  const VkBufferDeviceAddressInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                       .buffer = buffers_[buffer]};
  return vk_.vkGetBufferDeviceAddress(device_, &info);
}

VkDescriptorSet RawDevice::make_set(const RawKernel& kernel, std::span<const RawView> views) const {
  const VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                         .descriptorPool = descriptor_pool_,
                                         .descriptorSetCount = 1,
                                         .pSetLayouts = &kernel.set_layout};
  VkDescriptorSet set = VK_NULL_HANDLE;
  check(vk_.vkAllocateDescriptorSets(device_, &info, &set), "vkAllocateDescriptorSets");
  update_set(kernel, set, views);
  return set;
}

void RawDevice::update_set(const RawKernel& kernel, VkDescriptorSet set, std::span<const RawView> views) const {
  for (std::uint32_t i = 0; i < views.size(); ++i) {
    const VkDescriptorBufferInfo view{
        .buffer = buffers_[views[i].buffer], .offset = views[i].offset, .range = views[i].size};
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .dstSet = set,
                                     .dstBinding = i,
                                     .descriptorCount = 1,
                                     .descriptorType = type_of(kernel, i),
                                     .pBufferInfo = &view};
    vk_.vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
  }
}

VkCommandBuffer RawDevice::make_commands() const {
  const VkCommandBufferAllocateInfo info{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = command_pool_, .commandBufferCount = 1};
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(vk_.vkAllocateCommandBuffers(device_, &info, &commands), "vkAllocateCommandBuffers");
  return commands;
}

void RawDevice::barrier(VkCommandBuffer commands, bool is_end) const {
  const VkMemoryBarrier all{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                            .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                            .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                             (is_end ? VkAccessFlags{VK_ACCESS_HOST_READ_BIT} : 0)};
  vk_.vkCmdPipelineBarrier(
      commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | (is_end ? VkPipelineStageFlags{VK_PIPELINE_STAGE_HOST_BIT} : 0), 0, 1,
      &all, 0, nullptr, 0, nullptr);
}

void RawDevice::before_transfer(VkCommandBuffer commands) const {
  const VkMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
  vk_.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1,
                           &barrier, 0, nullptr, 0, nullptr);
}

void RawDevice::after_transfer(VkCommandBuffer commands) const {
  const VkMemoryBarrier barrier{
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_UNIFORM_READ_BIT | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
  vk_.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                           &barrier, 0, nullptr, 0, nullptr);
}

void RawDevice::copy(VkCommandBuffer commands, std::uint32_t from, std::uint32_t to, std::uint64_t size) const {
  const VkBufferCopy region{.size = size};
  before_transfer(commands);
  vk_.vkCmdCopyBuffer(commands, buffers_[from], buffers_[to], 1, &region);
  after_transfer(commands);
}

void RawDevice::clear(VkCommandBuffer commands, std::uint32_t buffer) const {
  before_transfer(commands);
  vk_.vkCmdFillBuffer(commands, buffers_[buffer], 0, VK_WHOLE_SIZE, 0);
  after_transfer(commands);
}

std::uint64_t RawDevice::submit(VkCommandBuffer commands) {
  ++value_;
  const VkTimelineSemaphoreSubmitInfo timeline{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                               .signalSemaphoreValueCount = 1,
                                               .pSignalSemaphoreValues = &value_};
  const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          .pNext = &timeline,
                          .commandBufferCount = 1,
                          .pCommandBuffers = &commands,
                          .signalSemaphoreCount = 1,
                          .pSignalSemaphores = &timeline_};
  check(vk_.vkQueueSubmit(connection_->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  return value_;
}

void RawDevice::wait(std::uint64_t value) const {
  const VkSemaphoreWaitInfo wait{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                 .semaphoreCount = 1,
                                 .pSemaphores = &timeline_,
                                 .pValues = &value};
  check(vk_.vkWaitSemaphores(device_, &wait, ~std::uint64_t{0}), "vkWaitSemaphores");
}

void RawDevice::run_fenced(VkCommandBuffer commands) {
  const VkSubmitInfo submit{
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  check(vk_.vkQueueSubmit(connection_->queue, 1, &submit, fence_), "vkQueueSubmit");
  check(vk_.vkWaitForFences(device_, 1, &fence_, VK_TRUE, ~std::uint64_t{0}), "vkWaitForFences");
  check(vk_.vkResetFences(device_, 1, &fence_), "vkResetFences");
}

}  // namespace vyre::bench
