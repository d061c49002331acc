#pragma once

#include <memory>
#include <vector>

#include <backends/vulkan/api.hpp>

namespace vyre::backends::vulkan {

/// A `VkInstance` with its functions. Shared by the backend and the devices opened from it.
class Instance {
 public:
  /// `Unavailable` if there is no loader, no driver, or no validation layer although the options ask for it.
  [[nodiscard]] static Result<std::shared_ptr<Instance>> make(const VulkanOptions& options);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  [[nodiscard]] const InstanceApi& api() const noexcept { return api_; }
  [[nodiscard]] const VulkanOptions& options() const noexcept { return options_; }
  /// Whether software drivers run dispatches inline, as the environment said when the instance was made.
  [[nodiscard]] bool runs_inline() const noexcept { return runs_inline_; }
  [[nodiscard]] Result<std::vector<VkPhysicalDevice>> physical_devices() const;

 private:
  explicit Instance(const VulkanOptions& options) : options_{options} {}

  VulkanOptions options_;
  VkInstance instance_ = VK_NULL_HANDLE;
  InstanceApi api_ = {};
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  bool runs_inline_ = false;
};

}  // namespace vyre::backends::vulkan
