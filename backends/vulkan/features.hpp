#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <backends/vulkan/api.hpp>

namespace vyre::backends::vulkan {

/// The features to enable on a device: all that it has and that the backend or kernels can use.
///
/// The structures point to one another, so the object cannot be copied.
struct FeatureChain {
  /// Features structures of extensions, in the order of the table of features.cpp.
  static constexpr std::size_t kExtensionBlocks = 25;
  static constexpr std::size_t kBlockBytes = 64;

  struct alignas(void*) Block {
    std::array<std::byte, kBlockBytes> bytes = {};
  };

  FeatureChain();
  FeatureChain(const FeatureChain&) = delete;
  FeatureChain& operator=(const FeatureChain&) = delete;

  VkPhysicalDeviceFeatures2 core = {};
  VkPhysicalDeviceVulkan11Features v11 = {};
  VkPhysicalDeviceVulkan12Features v12 = {};
  VkPhysicalDeviceVulkan13Features v13 = {};
  std::array<Block, kExtensionBlocks> blocks = {};
  std::vector<const char*> extensions = {};  ///< The Vulkan extensions to enable.
};

/// The capabilities, execution modes and extensions that modules may declare on a device; sorted.
struct SpirvSupport {
  std::vector<std::string> capabilities = {};
  std::vector<std::string> execution_modes = {};
  std::vector<std::string> extensions = {};
};

/// Reads the features of a device, without those that vyre does not use.
[[nodiscard]] Result<void> read_features(const InstanceApi& api, VkPhysicalDevice device, std::uint32_t api_version,
                                         FeatureChain& features);

/// What modules may declare on a device with these features, by the tables of features.cpp.
[[nodiscard]] SpirvSupport spirv_support(const FeatureChain& features, std::uint32_t api_version,
                                         const VkPhysicalDeviceSubgroupProperties& subgroup,
                                         const VkPhysicalDeviceFloatControlsProperties& controls);

/// Everything in the tables of features.cpp: sorted, each name once.
[[nodiscard]] SpirvSupport known_spirv_support();

}  // namespace vyre::backends::vulkan
