#pragma once

#include <string_view>

#include <volk.h>

#include <vyre/backend/driver.hpp>
#include <vyre/base/error.hpp>

namespace vyre::backends::vulkan {

/// The error of a Vulkan call, with the code that says what the caller can do and the driver's result.
[[nodiscard]] std::unexpected<Error> failed(std::string_view call, VkResult result);

/// The error of a call that compiles: `CompileFailed` with the driver's code, the kernel, its form, and the
/// capabilities, extensions and execution modes that it declares. But `OutOfMemory` or `DeviceLost` if that is the
/// cause.
[[nodiscard]] Error refused(std::string_view call, VkResult result, const backend::PipelineDesc& desc);

/// Nothing if a call succeeded, its error otherwise.
[[nodiscard]] inline Result<void> succeeded(std::string_view call, VkResult result) {
  if (result == VK_SUCCESS) [[likely]]
    return {};
  return failed(call, result);
}

}  // namespace vyre::backends::vulkan
