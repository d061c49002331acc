#include <backends/vulkan/vulkan_backend.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include <backends/vulkan/device_query.hpp>
#include <backends/vulkan/vulkan_driver.hpp>

namespace vyre::backends::vulkan {
namespace {

class VulkanBackend final : public backend::Backend {
 public:
  explicit VulkanBackend(VulkanOptions options) : options_{std::move(options)} {}

  [[nodiscard]] std::string_view name() const noexcept override { return "vulkan"; }

  [[nodiscard]] Result<std::vector<backend::DeviceInfo>> devices() override {
    VYRE_ASSIGN(const std::vector<PhysicalDevice> found, query());
    std::vector<backend::DeviceInfo> infos;
    for (const PhysicalDevice& device : found) infos.push_back(device.info);
    return infos;
  }

  [[nodiscard]] Result<std::unique_ptr<backend::DeviceDriver>> open(const backend::DeviceInfo& info,
                                                                    const backend::DeviceOptions& options) override {
    VYRE_ASSIGN(const std::vector<PhysicalDevice> found, query());
    const auto device = std::ranges::find(
        found, info.signature, [](const PhysicalDevice& each) -> const std::string& { return each.info.signature; });
    if (device == found.end()) {
      return fail(ErrorCode::Unavailable, fmt::format("device '{}' is not there any more", info.name));
    }
    auto driver = VulkanDriver::open(instance_, *device, options);
    if (!driver) return in_context(std::move(driver).error(), fmt::format("while opening device '{}'", info.name));
    return *std::move(driver);
  }

 private:
  [[nodiscard]] Result<std::vector<PhysicalDevice>> query() {
    const std::lock_guard lock{mutex_};
    if (instance_ == nullptr) {
      VYRE_ASSIGN(instance_, Instance::make(options_));
    }
    VYRE_ASSIGN(const std::vector<VkPhysicalDevice> natives, instance_->physical_devices());
    std::vector<PhysicalDevice> devices;
    for (VkPhysicalDevice native : natives) {
      VYRE_ASSIGN(std::optional<PhysicalDevice> device, query_device(*instance_, native));
      if (device) devices.push_back(*std::move(device));
    }
    if (devices.empty()) {
      return fail(ErrorCode::Unavailable,
                  fmt::format("none of {} Vulkan devices has version 1.2 with compute", natives.size()));
    }
    std::ranges::sort(devices, {}, [](const PhysicalDevice& device) {
      return std::pair<backend::DeviceType, std::string_view>{device.info.type, device.info.signature};
    });
    return devices;
  }

  VulkanOptions options_;
  std::mutex mutex_;
  std::shared_ptr<Instance> instance_;
};

}  // namespace

std::unique_ptr<backend::Backend> make_vulkan_backend(VulkanOptions options) {
  return std::make_unique<VulkanBackend>(std::move(options));
}

}  // namespace vyre::backends::vulkan
