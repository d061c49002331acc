#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include <vyre/backend/driver.hpp>

namespace vyre::backends::vulkan {

/// A function of Vulkan, of no particular type.
using AnyFunction = void (*)();

struct VulkanOptions {
  bool validation = false;  ///< With the Khronos layers, synchronisation included. `Unavailable` if they are missing.
  std::function<void(std::string_view)> on_message = {};  ///< What the layers say, by any thread.
  /// May put another function in the place of one that was loaded, by its name. So every call can be made to fail.
  std::function<AnyFunction(std::string_view name, AnyFunction original)> intercept = {};
};

/// Vulkan 1.2 or later, through whatever loader and drivers the machine has.
///
/// The instance is made when devices are first listed; a software driver that reads the environment does so then. Two
/// backends have two instances.
[[nodiscard]] std::unique_ptr<backend::Backend> make_vulkan_backend(VulkanOptions options = {});

}  // namespace vyre::backends::vulkan
