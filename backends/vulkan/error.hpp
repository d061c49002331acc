#pragma once

#include <string_view>

#include <volk.h>

#include <vyre/base/error.hpp>

namespace vyre::backends::vulkan {

/// The error of a call: what it means for the caller, and what the driver said.
[[nodiscard]] std::unexpected<Error> failed(std::string_view call, VkResult result);

/// Nothing if a call succeeded, its error otherwise.
[[nodiscard]] inline Result<void> succeeded(std::string_view call, VkResult result) {
  if (result == VK_SUCCESS) [[likely]]
    return {};
  return failed(call, result);
}

}  // namespace vyre::backends::vulkan
