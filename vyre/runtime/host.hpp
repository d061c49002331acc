#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <vyre/backend/device_info.hpp>

namespace vyre::runtime {

/// What the speed of a host depends on: times that were measured on another one do not hold for it.
struct Host {
  std::string processor = {};  ///< Its model, as the system names it.
  std::uint32_t cores = 0;     ///< That this process may use.
  std::string quota = {};  ///< The processor time that the process may use, as its control group says; empty for any.

  friend bool operator==(const Host&, const Host&) = default;
};

/// The host of this process. `root` is the folder in which the system's files are looked for.
[[nodiscard]] Host read_host(const std::filesystem::path& root = "/");

/// Names a device on a host, for people and as a key: equal if device, driver, configuration and host are.
[[nodiscard]] std::string scope_of(const backend::DeviceInfo& device, const Host& host);

}  // namespace vyre::runtime
