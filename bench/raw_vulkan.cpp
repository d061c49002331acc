#include "bench/raw_vulkan.hpp"

#include <cstdio>
#include <cstdlib>

namespace vyre::bench {
namespace {

void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "%s fails with %d\n", what, static_cast<int>(result));
  std::exit(1);
}

}  // namespace

RawVulkan::RawVulkan(std::span<const std::uint32_t> kernel, std::uint32_t buffers, std::uint32_t push_bytes,
                     std::uint32_t sets, std::uint64_t view_bytes) {
  if (vkGetInstanceProcAddr == nullptr) check(volkInitialize(), "volkInitialize");
  const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo instance_info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = &application};
  check(vkCreateInstance(&instance_info, nullptr, &instance_), "vkCreateInstance");
  volkLoadInstanceOnly(instance_);
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  std::uint32_t one = 1;
  const VkResult listed = vkEnumeratePhysicalDevices(instance_, &one, &physical);
  if (listed != VK_INCOMPLETE) check(listed, "vkEnumeratePhysicalDevices");
  VkPhysicalDeviceVulkan12Features features12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                              .timelineSemaphore = VK_TRUE};
  VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features12};
  features.features.robustBufferAccess = VK_TRUE;
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue_info{
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  const VkDeviceCreateInfo device_info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &features,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue_info};
  check(vkCreateDevice(physical, &device_info, nullptr, &device_), "vkCreateDevice");
  volkLoadDeviceTable(&vk_, device_);
  vk_.vkGetDeviceQueue(device_, 0, 0, &queue_);

  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (std::uint32_t i = 0; i < buffers; ++i) {
    bindings.push_back({.binding = i,
                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                        .descriptorCount = 1,
                        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT});
  }
  const VkDescriptorSetLayoutCreateInfo set_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                 .bindingCount = buffers,
                                                 .pBindings = bindings.data()};
  check(vk_.vkCreateDescriptorSetLayout(device_, &set_info, nullptr, &set_layout_), "vkCreateDescriptorSetLayout");
  const VkPushConstantRange push{.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = push_bytes};
  const VkPipelineLayoutCreateInfo layout_info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &set_layout_,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &push};
  check(vk_.vkCreatePipelineLayout(device_, &layout_info, nullptr, &layout_), "vkCreatePipelineLayout");
  const VkShaderModuleCreateInfo module_info{
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = kernel.size_bytes(), .pCode = kernel.data()};
  VkShaderModule module = VK_NULL_HANDLE;
  check(vk_.vkCreateShaderModule(device_, &module_info, nullptr, &module), "vkCreateShaderModule");
  const VkComputePipelineCreateInfo pipeline_info{
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main"},
      .layout = layout_};
  check(vk_.vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &pipeline_info, nullptr, &pipeline_),
        "vkCreateComputePipelines");
  vk_.vkDestroyShaderModule(device_, module, nullptr);

  const std::uint64_t size = view_bytes * sets;
  const VkBufferCreateInfo buffer_info{
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  const std::uint64_t step = (size + 255) / 256 * 256;
  const VkMemoryAllocateInfo memory_info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                         .allocationSize = step * buffers};
  check(vk_.vkAllocateMemory(device_, &memory_info, nullptr, &memory_), "vkAllocateMemory");
  for (std::uint32_t i = 0; i < buffers; ++i) {
    VkBuffer buffer = VK_NULL_HANDLE;
    check(vk_.vkCreateBuffer(device_, &buffer_info, nullptr, &buffer), "vkCreateBuffer");
    check(vk_.vkBindBufferMemory(device_, buffer, memory_, step * i), "vkBindBufferMemory");
    buffers_.push_back(buffer);
  }

  const VkDescriptorPoolSize pool_size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers * sets};
  const VkDescriptorPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = sets,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &pool_size};
  check(vk_.vkCreateDescriptorPool(device_, &pool_info, nullptr, &descriptor_pool_), "vkCreateDescriptorPool");
  for (std::uint32_t i = 0; i < sets; ++i) {
    const VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                           .descriptorPool = descriptor_pool_,
                                           .descriptorSetCount = 1,
                                           .pSetLayouts = &set_layout_};
    VkDescriptorSet set = VK_NULL_HANDLE;
    check(vk_.vkAllocateDescriptorSets(device_, &info, &set), "vkAllocateDescriptorSets");
    for (std::uint32_t b = 0; b < buffers; ++b) {
      const VkDescriptorBufferInfo view{.buffer = buffers_[b], .offset = view_bytes * i, .range = view_bytes};
      const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .dstSet = set,
                                       .dstBinding = b,
                                       .descriptorCount = 1,
                                       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                       .pBufferInfo = &view};
      vk_.vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
    }
    sets_.push_back(set);
  }

  const VkCommandPoolCreateInfo commands_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                              .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
  check(vk_.vkCreateCommandPool(device_, &commands_info, nullptr, &command_pool_), "vkCreateCommandPool");
  const VkCommandBufferAllocateInfo buffers_info{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = command_pool_, .commandBufferCount = 2};
  check(vk_.vkAllocateCommandBuffers(device_, &buffers_info, commands_), "vkAllocateCommandBuffers");
  const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                       .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const VkSemaphoreCreateInfo semaphore_info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
  check(vk_.vkCreateSemaphore(device_, &semaphore_info, nullptr, &timeline_), "vkCreateSemaphore");
}

RawVulkan::~RawVulkan() {
  vk_.vkDestroySemaphore(device_, timeline_, nullptr);
  vk_.vkDestroyCommandPool(device_, command_pool_, nullptr);
  vk_.vkDestroyDescriptorPool(device_, descriptor_pool_, nullptr);
  for (VkBuffer buffer : buffers_) vk_.vkDestroyBuffer(device_, buffer, nullptr);
  vk_.vkFreeMemory(device_, memory_, nullptr);
  vk_.vkDestroyPipeline(device_, pipeline_, nullptr);
  vk_.vkDestroyPipelineLayout(device_, layout_, nullptr);
  vk_.vkDestroyDescriptorSetLayout(device_, set_layout_, nullptr);
  vk_.vkDestroyDevice(device_, nullptr);
  vkDestroyInstance(instance_, nullptr);
}

void RawVulkan::record(VkCommandBuffer commands, std::uint32_t count, std::span<const std::byte> params, bool once) {
  const VkCommandBufferBeginInfo begin{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
      .flags = once ? VkCommandBufferUsageFlags{VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT} : 0};
  check(vk_.vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  vk_.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i == 0 || sets_.size() > 1) {
      vk_.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &sets_[i % sets_.size()], 0,
                                  nullptr);
    }
    vk_.vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<std::uint32_t>(params.size()),
                           params.data());
    vk_.vkCmdDispatch(commands, 1, 1, 1);
  }
  // So that the host, and whatever is submitted next, sees the results.
  const VkMemoryBarrier barrier{
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
      .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
      .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT};
  vk_.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                           VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                           nullptr, 0, nullptr);
  check(vk_.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

void RawVulkan::run(VkCommandBuffer commands) {
  ++value_;
  const VkTimelineSemaphoreSubmitInfo timeline{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                               .signalSemaphoreValueCount = 1,
                                               .pSignalSemaphoreValues = &value_};
  const VkSubmitInfo submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                            .pNext = &timeline,
                            .commandBufferCount = 1,
                            .pCommandBuffers = &commands,
                            .signalSemaphoreCount = 1,
                            .pSignalSemaphores = &timeline_};
  check(vk_.vkQueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  const VkSemaphoreWaitInfo wait{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                 .semaphoreCount = 1,
                                 .pSemaphores = &timeline_,
                                 .pValues = &value_};
  check(vk_.vkWaitSemaphores(device_, &wait, ~std::uint64_t{0}), "vkWaitSemaphores");
}

}  // namespace vyre::bench
