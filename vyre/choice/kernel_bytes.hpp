#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <vyre/choice/kernel_times.hpp>

namespace vyre::choice {

/// To be changed with the encoding, and with what a kernel time or a program's number means.
inline constexpr std::uint32_t kKernelVersion = 1;

/// The times of a kernel as bytes, to be kept.
[[nodiscard]] std::vector<std::byte> to_bytes(const KernelTimes::Times& times);
/// The times that were encoded; nothing if the bytes are none, or a number in them is not finite.
[[nodiscard]] std::optional<KernelTimes::Times> to_kernel_times(std::span<const std::byte> bytes);

}  // namespace vyre::choice
