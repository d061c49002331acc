#pragma once

#include <volk.h>

#include <vyre/backend/device_info.hpp>

namespace vyre::backends::vulkan {

/// Takes into account what a driver is known to get wrong: one table, each row with the test that shows it.
void apply_quirks(const VkPhysicalDeviceDriverProperties& driver, backend::DeviceInfo& info) noexcept;

}  // namespace vyre::backends::vulkan
