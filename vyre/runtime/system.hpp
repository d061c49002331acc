#pragma once

#include <memory>
#include <string>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/backend/registry.hpp>
#include <vyre/program/spirv_cache.hpp>
#include <vyre/store/store.hpp>

namespace vyre::runtime {

/// Which device to open. An empty member matches every device.
struct DevicePreference {
  std::string backend = {};  ///< `vulkan`
  std::string name = {};     ///< A part of the device's name.

  friend bool operator==(const DevicePreference&, const DevicePreference&) = default;
};

/// All devices of the machine that the given backends find.
class System {
 public:
  /// With a store, what is learned of devices and kernels is kept there. It may be null.
  explicit System(backend::Registry registry, std::shared_ptr<store::Store> store = nullptr);

  /// All devices, the preferred ones first. `Unavailable`, with every backend's reason, if there are none.
  [[nodiscard]] Result<std::vector<backend::DeviceInfo>> devices() const;
  /// Opens the first device that matches. `Unavailable`, naming all devices, if none does.
  [[nodiscard]] Result<std::shared_ptr<backend::Device>> open(const DevicePreference& preference = {},
                                                              const backend::DeviceOptions& options = {}) const;
  [[nodiscard]] const backend::Registry& registry() const noexcept { return registry_; }
  /// For `ProgramOptions::cache`: keeps compiled GLSL in the store; null without one.
  [[nodiscard]] const std::shared_ptr<program::SpirvCache>& spirv_cache() const noexcept { return spirv_cache_; }

 private:
  backend::Registry registry_;
  std::shared_ptr<store::Store> store_;
  std::shared_ptr<program::SpirvCache> spirv_cache_;
};

}  // namespace vyre::runtime
