#include "bench/raw_vulkan.hpp"

namespace vyre::bench {

RawVulkan::RawVulkan(std::span<const std::uint32_t> kernel, std::uint32_t buffers, std::uint32_t push_bytes,
                     std::uint32_t sets, std::uint64_t view_bytes)
    : raw_{std::vector<std::uint64_t>(buffers, view_bytes * sets), sets, sets * buffers},
      kernel_{raw_.make_kernel({.words = kernel, .storage_buffers = buffers, .push_bytes = push_bytes})},
      scratch_{raw_.make_commands()},
      kept_{raw_.make_commands()} {
  for (std::uint32_t i = 0; i < sets; ++i) {
    std::vector<RawView> views;
    for (std::uint32_t b = 0; b < buffers; ++b) {
      views.push_back({.buffer = b, .offset = view_bytes * i, .size = view_bytes});
    }
    sets_.push_back(raw_.make_set(kernel_, views));
  }
}

void RawVulkan::record(VkCommandBuffer commands, std::uint32_t count, std::span<const std::byte> params, bool once) {
  const VolkDeviceTable& vk = raw_.vk();
  const VkCommandBufferBeginInfo begin{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
      .flags = once ? VkCommandBufferUsageFlags{VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT} : 0};
  check(vk.vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.pipeline);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i == 0 || sets_.size() > 1) {
      vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_.layout, 0, 1,
                                 &sets_[i % sets_.size()], 0, nullptr);
    }
    vk.vkCmdPushConstants(commands, kernel_.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                          static_cast<std::uint32_t>(params.size()), params.data());
    vk.vkCmdDispatch(commands, 1, 1, 1);
  }
  raw_.barrier(commands, true);
  check(vk.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

}  // namespace vyre::bench
