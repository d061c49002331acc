#pragma once

#include <cstdint>
#include <optional>

#include <backends/vulkan/features.hpp>
#include <backends/vulkan/instance.hpp>
#include <vyre/backend/device_info.hpp>

namespace vyre::backends::vulkan {

/// The most descriptor sets of a pipeline, also on devices that allow more: a pipeline needs a layout for every set up
/// to its highest.
inline constexpr std::uint32_t kMaxBoundSets = 8;
inline constexpr std::uint32_t kMaxQueues = 4;

/// A physical device, its description and its features.
struct PhysicalDevice {
  VkPhysicalDevice native = VK_NULL_HANDLE;
  backend::DeviceInfo info = {};
  std::uint32_t api_version = 0;
  std::uint32_t queue_family = 0;
  VkPhysicalDeviceMemoryProperties memory = {};
};

/// Describes a device. Nothing if it is older than Vulkan 1.2, or has no compute queue or no timeline semaphores.
[[nodiscard]] Result<std::optional<PhysicalDevice>> query_device(const Instance& instance, VkPhysicalDevice native);

}  // namespace vyre::backends::vulkan
