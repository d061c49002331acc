#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include <vyre/backend/driver.hpp>

namespace vyre::backends::vulkan {

/// A pointer to any function of Vulkan.
using AnyFunction = void (*)();

struct VulkanOptions {
  bool validation = false;  ///< Whether to use the Khronos validation layers, also for synchronisation. `Unavailable`
                            ///< if they are missing.
  std::function<void(std::string_view)> on_message = {};  ///< Called with every message of the layers, by any thread.
  /// Called for each loaded function by its name; may give another function instead, so that any call can be made to
  /// fail.
  std::function<AnyFunction(std::string_view name, AnyFunction original)> intercept = {};
};

/// Makes the backend for Vulkan 1.2 or later, with the loader and drivers of the machine.
///
/// A backend has its own instance, made when devices are first listed; software drivers read the environment then.
[[nodiscard]] std::unique_ptr<backend::Backend> make_vulkan_backend(VulkanOptions options = {});

}  // namespace vyre::backends::vulkan
