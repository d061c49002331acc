#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include <backends/vulkan/command_context.hpp>
#include <backends/vulkan/device_query.hpp>
#include <backends/vulkan/layout.hpp>
#include <backends/vulkan/memory.hpp>
#include <backends/vulkan/owned.hpp>

namespace vyre::backends::vulkan {

/// The driver of a `VkDevice`.
class VulkanDriver final : public backend::DeviceDriver {
 public:
  [[nodiscard]] static Result<std::unique_ptr<VulkanDriver>> open(std::shared_ptr<Instance> instance,
                                                                  const PhysicalDevice& device,
                                                                  const backend::DeviceOptions& options);
  ~VulkanDriver() override = default;

  [[nodiscard]] const backend::DeviceInfo& info() const noexcept override { return info_; }
  [[nodiscard]] Result<std::unique_ptr<backend::DriverBuffer>> allocate(const backend::BufferDesc& desc) override;
  [[nodiscard]] Result<std::unique_ptr<backend::DriverPipeline>> compile(const backend::PipelineDesc& desc) override;
  [[nodiscard]] Result<backend::RecordingPtr> record(const backend::ListView& view, backend::Reuse reuse) override;
  [[nodiscard]] Result<void> launch(std::span<backend::DriverRecording* const> recordings, backend::Ticket ticket,
                                    std::span<const backend::Ticket> after) override;
  [[nodiscard]] Result<std::uint64_t> completed(std::uint32_t queue) override;
  [[nodiscard]] Result<bool> wait(backend::Ticket ticket, std::chrono::nanoseconds timeout) override;
  [[nodiscard]] std::uint64_t now_ns() noexcept override;
  [[nodiscard]] Result<std::unique_ptr<backend::DeviceDriver>> open_again() override;

 private:
  /// The first member of the driver, so that the device is destroyed after everything else.
  struct OpenDevice {
    OpenDevice() = default;
    OpenDevice(const OpenDevice&) = delete;
    OpenDevice& operator=(const OpenDevice&) = delete;
    ~OpenDevice() {
      if (context.device != VK_NULL_HANDLE) context.api.DestroyDevice(context.device, nullptr);
    }
    std::shared_ptr<Instance> instance;
    DeviceContext context;
  };
  struct Queue {
    VkQueue native = VK_NULL_HANDLE;
    OwnedSemaphore timeline;
  };
  using LayoutKey = std::pair<std::vector<backend::BindingSlot>, std::uint32_t>;

  VulkanDriver() = default;
  /// Like `succeeded`. If the device was lost, waits until nothing runs on it any more, as the contract demands.
  [[nodiscard]] Result<void> succeeded_or_lost(std::string_view call, VkResult result) const;
  [[nodiscard]] Result<const Layout*> find_layout(std::span<const backend::BindingSlot> slots,
                                                  std::uint32_t push_bytes);

  OpenDevice device_;
  PhysicalDevice physical_;
  backend::DeviceOptions options_;
  backend::DeviceInfo info_;
  std::vector<Queue> queues_;
  std::unique_ptr<MemoryPool> memory_;
  std::mutex layouts_mutex_;
  std::map<LayoutKey, std::unique_ptr<Layout>> layouts_;
  std::unique_ptr<VulkanBuffer>
      bytes_;  // Each value of a byte, four times: the source for the ends of fills that are not whole words.
  std::unique_ptr<ContextPool> contexts_;
};

}  // namespace vyre::backends::vulkan
