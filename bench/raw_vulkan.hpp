#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <volk.h>

/// Vulkan as one writes it by hand for one kernel, to stand beside vyre: no layer in between, everything that can be
/// made before is made before.
namespace vyre::bench {

class RawVulkan {
 public:
  /// A kernel with `buffers` storage buffers in set 0 and `push_bytes` of push constants; `sets` descriptor sets, the
  /// nth of which views `view_bytes` at n · `view_bytes` of each buffer. Ends the process if anything fails.
  RawVulkan(std::span<const std::uint32_t> kernel, std::uint32_t buffers, std::uint32_t push_bytes, std::uint32_t sets,
            std::uint64_t view_bytes);
  RawVulkan(const RawVulkan&) = delete;
  RawVulkan& operator=(const RawVulkan&) = delete;
  ~RawVulkan();

  /// Writes `count` dispatches of one group into a command buffer, each with its own set where there are several.
  void record(VkCommandBuffer commands, std::uint32_t count, std::span<const std::byte> params, bool once);
  /// Submits and waits.
  void run(VkCommandBuffer commands);
  [[nodiscard]] VkCommandBuffer scratch() const noexcept { return commands_[0]; }
  [[nodiscard]] VkCommandBuffer kept() const noexcept { return commands_[1]; }

 private:
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VolkDeviceTable vk_ = {};
  VkQueue queue_ = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::vector<VkBuffer> buffers_;
  VkDescriptorPool descriptor_pool_ = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> sets_;
  VkCommandPool command_pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_[2] = {};
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::uint64_t value_ = 0;
};

}  // namespace vyre::bench
