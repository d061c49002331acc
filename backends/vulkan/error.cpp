#include <backends/vulkan/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vyre::backends::vulkan {
namespace {

struct Meaning {
  VkResult result;
  std::string_view name;
  ErrorCode code;
};

constexpr Meaning kMeanings[] = {
    {VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY", ErrorCode::OutOfMemory},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY", ErrorCode::OutOfMemory},
    {VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY", ErrorCode::OutOfMemory},
    {VK_ERROR_FRAGMENTED_POOL, "VK_ERROR_FRAGMENTED_POOL", ErrorCode::OutOfMemory},
    {VK_ERROR_FRAGMENTATION, "VK_ERROR_FRAGMENTATION", ErrorCode::OutOfMemory},
    {VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED", ErrorCode::OutOfMemory},
    {VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS", ErrorCode::OutOfMemory},
    {VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST", ErrorCode::DeviceLost},
    {VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED", ErrorCode::Unavailable},
    {VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER", ErrorCode::Unavailable},
    {VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT", ErrorCode::Unavailable},
    {VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT", ErrorCode::Unsupported},
    {VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT", ErrorCode::Unsupported},
    {VK_ERROR_INVALID_SHADER_NV, "VK_ERROR_INVALID_SHADER_NV", ErrorCode::CompileFailed},
    {VK_TIMEOUT, "VK_TIMEOUT", ErrorCode::TimedOut},
    {VK_ERROR_FORMAT_NOT_SUPPORTED, "VK_ERROR_FORMAT_NOT_SUPPORTED", ErrorCode::Unsupported},
    {VK_ERROR_UNKNOWN, "VK_ERROR_UNKNOWN", ErrorCode::Internal},
};

}  // namespace

std::unexpected<Error> failed(std::string_view call, VkResult result) {
  for (const Meaning& meaning : kMeanings) {
    if (meaning.result == result) return fail(meaning.code, fmt::format("{} fails with {}", call, meaning.name));
  }
  return fail(ErrorCode::Internal, fmt::format("{} fails with VkResult {}", call, static_cast<int>(result)));
}

Error refused(std::string_view call, VkResult result, const backend::PipelineDesc& desc) {
  Error error = failed(call, result).error();
  // The kernel is not the cause of these.
  if (error.code == ErrorCode::OutOfMemory || error.code == ErrorCode::DeviceLost) return error;
  error.code = ErrorCode::CompileFailed;
  const program::FormKind form = desc.form == nullptr ? program::FormKind::Descriptor : desc.form->kind;
  error.message += fmt::format(" for '{}' in the {} form", desc.program.name(), to_string(form));
  const auto add = [&error](std::string_view what, const std::vector<std::string>& names) {
    if (!names.empty()) error.message += fmt::format("; {} {}", what, fmt::join(names, ", "));
  };
  std::vector<std::string> capabilities = desc.interface.capabilities;
  std::erase(capabilities, "Shader");  // Every kernel declares it.
  add("capabilities", capabilities);
  add("extensions", desc.interface.extensions);
  add("execution modes", desc.interface.execution_modes);
  return error;
}

}  // namespace vyre::backends::vulkan
