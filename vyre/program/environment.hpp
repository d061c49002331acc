#pragma once

#include <spirv-tools/libspirv.h>

#include <vyre/program/target.hpp>

namespace vyre::program {

/// The target as SPIRV-Tools names it.
[[nodiscard]] constexpr spv_target_env to_environment(TargetEnvironment target) noexcept {
  switch (target) {
    case TargetEnvironment::Vulkan11: return SPV_ENV_VULKAN_1_1;
    case TargetEnvironment::Vulkan12: return SPV_ENV_VULKAN_1_2;
    case TargetEnvironment::Vulkan13: return SPV_ENV_VULKAN_1_3;
  }
  return SPV_ENV_VULKAN_1_3;
}

}  // namespace vyre::program
