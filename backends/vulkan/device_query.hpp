#pragma once

#include <cstdint>
#include <optional>

#include <backends/vulkan/instance.hpp>
#include <vyre/backend/device_info.hpp>

namespace vyre::backends::vulkan {

/// A pipeline has a layout for every set up to its last, so that their number is bounded where a device has no bound.
inline constexpr std::uint32_t kMaxBoundSets = 8;
inline constexpr std::uint32_t kMaxQueues = 4;

/// The features of a device that are turned on when it is there: those a kernel or the backend can use.
///
/// The structures are chained to one another, so that it cannot be copied.
struct FeatureChain {
  FeatureChain();
  FeatureChain(const FeatureChain&) = delete;
  FeatureChain& operator=(const FeatureChain&) = delete;

  VkPhysicalDeviceFeatures2 core = {};
  VkPhysicalDeviceVulkan11Features v11 = {};
  VkPhysicalDeviceVulkan12Features v12 = {};
  VkPhysicalDeviceVulkan13Features v13 = {};
};

/// What a physical device is and has.
struct PhysicalDevice {
  VkPhysicalDevice native = VK_NULL_HANDLE;
  backend::DeviceInfo info = {};
  std::uint32_t api_version = 0;
  std::uint32_t queue_family = 0;
  VkPhysicalDeviceMemoryProperties memory = {};
};

/// Reads a device. Nothing if it is older than Vulkan 1.2 or has no compute queue or no timeline semaphores.
[[nodiscard]] std::optional<PhysicalDevice> query_device(const Instance& instance, VkPhysicalDevice native);

/// Reads which of the features there are, and leaves out those that vyre does not use.
void read_features(const InstanceApi& api, VkPhysicalDevice device, std::uint32_t api_version, FeatureChain& features);

}  // namespace vyre::backends::vulkan
