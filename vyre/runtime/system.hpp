#pragma once

#include <memory>
#include <string>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/backend/registry.hpp>

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
  explicit System(backend::Registry registry) noexcept : registry_{std::move(registry)} {}

  /// All devices, the preferred ones first. `Unavailable`, with every backend's reason, if there are none.
  [[nodiscard]] Result<std::vector<backend::DeviceInfo>> devices() const;
  /// Opens the first device that matches. `Unavailable`, naming all devices, if none does.
  [[nodiscard]] Result<std::shared_ptr<backend::Device>> open(const DevicePreference& preference = {},
                                                              const backend::DeviceOptions& options = {}) const;
  [[nodiscard]] const backend::Registry& registry() const noexcept { return registry_; }

 private:
  backend::Registry registry_;
};

}  // namespace vyre::runtime
