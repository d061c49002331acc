#pragma once

#include <volk.h>

#include <vyre/backend/device_info.hpp>

namespace vyre::backends::vulkan {

/// Changes the description of a device so that known mistakes of its driver are avoided. A table has a row for each
/// mistake, which names the test that shows it.
void apply_quirks(const VkPhysicalDeviceDriverProperties& driver, backend::DeviceInfo& info) noexcept;

}  // namespace vyre::backends::vulkan
