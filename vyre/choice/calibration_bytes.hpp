#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <vyre/choice/calibration.hpp>

namespace vyre::choice {

/// To be changed with the encoding, with what a calibration measures, and with what the forms make of a kernel: what
/// was kept before is measured again then.
inline constexpr std::uint32_t kCalibrationVersion = 1;

/// A calibration as bytes, to be kept.
[[nodiscard]] std::vector<std::byte> to_bytes(const Calibration& calibration);
/// The calibration that was encoded; nothing if the bytes are none, or a number in them is not finite.
[[nodiscard]] std::optional<Calibration> to_calibration(std::span<const std::byte> bytes);

}  // namespace vyre::choice
