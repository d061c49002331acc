#pragma once

#include <volk.h>

#include <vyre/backend/device_info.hpp>

namespace vyre::backends::vulkan {

/// Works around known mistakes of drivers: a table, each row with the test that shows the mistake.
void apply_quirks(const VkPhysicalDeviceDriverProperties& driver, backend::DeviceInfo& info) noexcept;

}  // namespace vyre::backends::vulkan
