#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

struct RawKernelInfo {
  std::span<const std::uint32_t> words = {};
  std::uint32_t storage_buffers = 0;  ///< In set 0, from binding 0 on.
  std::uint32_t uniform_buffers = 0;  ///< Behind them.
  std::uint32_t push_bytes = 0;
  VkPipelineCache cache = VK_NULL_HANDLE;
  const VkSpecializationInfo* specialisation = nullptr;
};

/// A pipeline and what it is bound by. Belongs to the device that made it.
struct RawKernel {
  std::uint32_t storage_buffers = 0;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

/// A device as a program opens it, once for all that it does: what the driver has for it (a thread, the heap that this
/// works in) ages with what is compiled and run, and makes the same kernel up to a tenth faster on a new one.
struct RawConnection {
  RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;
  ~RawConnection();

  /// The one that is open, or a new one.
  [[nodiscard]] static std::shared_ptr<const RawConnection> get();

  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VolkDeviceTable vk = {};
  VkQueue queue = VK_NULL_HANDLE;
};

/// Vulkan as one writes it by hand, to stand beside vyre: no layer in between, everything that can be made before is
/// made before. Ends the process if anything fails.
class RawDevice {
 public:
  /// Mapped buffers of zeros; room for `max_sets` descriptor sets with `max_descriptors` of each kind in all.
  RawDevice(std::span<const std::uint64_t> buffer_sizes, std::uint32_t max_sets, std::uint32_t max_descriptors);
  RawDevice(const RawDevice&) = delete;
  RawDevice& operator=(const RawDevice&) = delete;
  ~RawDevice();

  /// The bytes of a buffer, shared with the device.
  [[nodiscard]] std::span<std::byte> mapped(std::uint32_t buffer) const noexcept { return mapped_[buffer]; }
  /// Where a buffer is for kernels that are given its address.
  [[nodiscard]] std::uint64_t address(std::uint32_t buffer) const;
  [[nodiscard]] RawKernel make_kernel(const RawKernelInfo& info);
  /// A set with views by binding.
  [[nodiscard]] VkDescriptorSet make_set(const RawKernel& kernel, std::span<const RawView> views) const;
  /// No submission that uses the set may be pending.
  void update_set(const RawKernel& kernel, VkDescriptorSet set, std::span<const RawView> views) const;
  [[nodiscard]] VkCommandBuffer make_commands() const;
  /// Makes writes of kernels so far seen by kernels behind it, and by the host where it is the end of a list.
  void barrier(VkCommandBuffer commands, bool is_end) const;
  /// Copies the beginning of a buffer to another: after kernels before it have read, before kernels behind it read.
  void copy(VkCommandBuffer commands, std::uint32_t from, std::uint32_t to, std::uint64_t size) const;
  /// Fills a buffer with zeros, in the same order.
  void clear(VkCommandBuffer commands, std::uint32_t buffer) const;
  /// Submits and waits for the value of a timeline semaphore.
  void run(VkCommandBuffer commands) { wait(submit(commands)); }
  /// Submits, and gives the value to wait for.
  [[nodiscard]] std::uint64_t submit(VkCommandBuffer commands);
  void wait(std::uint64_t value) const;
  /// Submits and waits for a fence, which is kept for all submissions.
  void run_fenced(VkCommandBuffer commands);

  [[nodiscard]] const VolkDeviceTable& vk() const noexcept { return vk_; }

 private:
  void make_buffers(std::span<const std::uint64_t> sizes);
  void before_transfer(VkCommandBuffer commands) const;
  void after_transfer(VkCommandBuffer commands) const;

  std::shared_ptr<const RawConnection> connection_ = RawConnection::get();
  VkDevice device_ = connection_->device;
  const VolkDeviceTable& vk_ = connection_->vk;
  std::vector<RawKernel> kernels_;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::vector<VkBuffer> buffers_;
  std::vector<std::span<std::byte>> mapped_;
  VkDescriptorPool descriptor_pool_ = VK_NULL_HANDLE;
  VkCommandPool command_pool_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::uint64_t value_ = 0;
};

}  // namespace vyre::bench
