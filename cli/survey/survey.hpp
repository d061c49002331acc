#pragma once

#include <memory>
#include <string>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/choice/calibration.hpp>

#include "cli/survey/checks.hpp"
#include "cli/survey/timings.hpp"

namespace vyre::cli::survey {

/// The machine around a device. A software driver runs on it, and every launch begins on it.
struct Host {
  std::string processor = {};  ///< As the kernel names it; empty if it does not.
  std::uint32_t cores = 0;     ///< Those this process may use.
  std::string system = {};     ///< The kernel's name, release and architecture.
};

/// Everything a bug report needs to say of one device, and everything `docs/drivers.md` shows.
struct Survey {
  std::string vyre_version = {};
  Host host = {};
  backend::DeviceInfo device = {};
  choice::Calibration calibration = {};
  std::vector<Check> checks = {};
  std::vector<Timing> timings = {};
};

/// Checks, calibrates and times a device; about 20 s, most of it timing.
[[nodiscard]] Result<Survey> survey_device(const std::shared_ptr<backend::Device>& device, std::string vyre_version);

/// One JSON object.
[[nodiscard]] std::string to_json(const Survey& survey);

/// One page of Markdown: identity, limits, checks, launch costs, timings.
[[nodiscard]] std::string to_markdown(const Survey& survey);

}  // namespace vyre::cli::survey
