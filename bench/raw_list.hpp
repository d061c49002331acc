#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <volk.h>

namespace vyre::bench {

/// Some bytes of one of the buffers of a list.
struct RawView {
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  friend bool operator==(const RawView&, const RawView&) = default;
};

/// One dispatch.
struct RawStep {
  std::vector<RawView> views = {};  ///< By binding.
  std::array<std::uint32_t, 3> groups = {1, 1, 1};
  std::vector<std::byte> params = {};
  bool waits = false;  ///< For the steps before it.
};

/// A job of one kernel in Vulkan as one writes it by hand: mapped buffers, a descriptor set for each choice of views,
/// and one command buffer that is recorded once and replayed, with nothing bound or pushed twice.
class RawList {
 public:
  /// A kernel with storage buffers in set 0. Ends the process if anything fails.
  RawList(std::span<const std::uint32_t> kernel, std::span<const std::uint64_t> buffer_sizes,
          std::span<const RawStep> steps);
  RawList(const RawList&) = delete;
  RawList& operator=(const RawList&) = delete;
  ~RawList();

  /// The bytes of a buffer, shared with the device. Zeros at first.
  [[nodiscard]] std::span<std::byte> mapped(std::uint32_t buffer) const noexcept { return mapped_[buffer]; }
  /// Submits and waits.
  void run();

 private:
  void open_device();
  void make_pipeline(std::span<const std::uint32_t> kernel, std::uint32_t bindings, std::uint32_t push_bytes);
  void make_buffers(std::span<const std::uint64_t> sizes);
  void record(std::span<const RawStep> steps);
  [[nodiscard]] VkDescriptorSet make_set(std::span<const RawView> views);

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
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::uint64_t value_ = 0;
};

}  // namespace vyre::bench
