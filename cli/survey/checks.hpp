#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/runtime/session.hpp>

/// A survey of one device: what it is, whether it computes rightly in every launch mode, and what launching costs.
namespace vyre::cli::survey {

enum class Outcome : std::uint8_t { Right, Wrong, Refused };

/// `right`, `wrong` or `refused`.
[[nodiscard]] std::string_view to_string(Outcome outcome) noexcept;

/// The result of one built-in kernel in one launch mode.
struct Check {
  std::string kernel = {};
  runtime::LaunchMode mode = runtime::LaunchMode::Auto;
  Outcome outcome = Outcome::Right;
  std::string detail = {};  ///< The first difference, the error, or why the kernel ran as written; else empty.
};

/// Runs each built-in kernel in every launch mode and compares its results, bit for bit, with a computation on the
/// host.
///
/// A kernel that the device refuses is a result, not a failure. `DeviceLost` and `TimedOut` end the survey.
[[nodiscard]] Result<std::vector<Check>> run_checks(const std::shared_ptr<backend::Device>& device);

}  // namespace vyre::cli::survey
