#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <volk.h>

namespace vyre::bench {

/// Ends the process if a call failed.
void check(VkResult result, const char* what);

/// Some bytes of one of the buffers.
struct RawView {
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  friend bool operator==(const RawView&, const RawView&) = default;
};

/// Vulkan as one writes it by hand for one kernel, to stand beside vyre: no layer in between, everything that can be
/// made before is made before. Ends the process if anything fails.
class RawDevice {
 public:
  /// A kernel with `bindings` storage buffers in set 0 and `push_bytes` of push constants, over mapped buffers of
  /// zeros; room for `max_sets` descriptor sets.
  RawDevice(std::span<const std::uint32_t> kernel, std::uint32_t bindings, std::uint32_t push_bytes,
            std::span<const std::uint64_t> buffer_sizes, std::uint32_t max_sets);
  RawDevice(const RawDevice&) = delete;
  RawDevice& operator=(const RawDevice&) = delete;
  ~RawDevice();

  /// The bytes of a buffer, shared with the device.
  [[nodiscard]] std::span<std::byte> mapped(std::uint32_t buffer) const noexcept { return mapped_[buffer]; }
  [[nodiscard]] VkDescriptorSet make_set(std::span<const RawView> views) const;
  [[nodiscard]] VkCommandBuffer make_commands() const;
  /// Makes writes of kernels so far seen by kernels behind it, and by the host where it is the end of a list.
  void barrier(VkCommandBuffer commands, bool is_end) const;
  /// Submits and waits.
  void run(VkCommandBuffer commands);

  [[nodiscard]] const VolkDeviceTable& vk() const noexcept { return vk_; }
  [[nodiscard]] VkPipelineLayout layout() const noexcept { return layout_; }
  [[nodiscard]] VkPipeline pipeline() const noexcept { return pipeline_; }

 private:
  void open();
  void make_pipeline(std::span<const std::uint32_t> kernel, std::uint32_t bindings, std::uint32_t push_bytes);
  void make_buffers(std::span<const std::uint64_t> sizes);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VolkDeviceTable vk_ = {};
  VkQueue queue_ = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::vector<VkBuffer> buffers_;
  std::vector<std::span<std::byte>> mapped_;
  VkDescriptorPool descriptor_pool_ = VK_NULL_HANDLE;
  VkCommandPool command_pool_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::uint64_t value_ = 0;
};

}  // namespace vyre::bench
