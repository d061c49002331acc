#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <vyre/backend/device_info.hpp>
#include <vyre/base/error.hpp>

namespace vyre::report {

/// The devices that a backend found on this machine.
struct BackendDevices {
  std::string backend = {};
  std::vector<backend::DeviceInfo> devices = {};
  std::optional<Error> error = {};  ///< Why the backend cannot be used, if it cannot.
};

/// Backends and devices as text for a person.
[[nodiscard]] std::string to_text(std::span<const BackendDevices> backends);

/// The same as a JSON object.
[[nodiscard]] std::string to_json(std::span<const BackendDevices> backends);

}  // namespace vyre::report
