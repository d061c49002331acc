#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <vyre/backend/device_info.hpp>
#include <vyre/base/error.hpp>

namespace vyre::report {

/// What one backend found on this machine.
struct BackendDevices {
  std::string backend = {};
  std::vector<backend::DeviceInfo> devices = {};
  std::optional<Error> error = {};  ///< Why there are none.
};

/// Backends and devices, laid out for a person.
[[nodiscard]] std::string to_text(std::span<const BackendDevices> backends);

/// The same as one JSON object, for a program.
[[nodiscard]] std::string to_json(std::span<const BackendDevices> backends);

}  // namespace vyre::report
