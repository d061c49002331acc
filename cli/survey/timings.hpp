#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/runtime/session.hpp>

namespace vyre::cli::survey {

/// How the dispatches of a timed batch depend on each other.
enum class Pattern : std::uint8_t {
  Independent,  ///< Each has buffers of its own.
  Steps,        ///< Each needs the result of the one before.
};

/// `independent` or `steps`.
[[nodiscard]] std::string_view to_string(Pattern pattern) noexcept;

/// The time of one batch of tiny dispatches in one launch mode, from the first call to the end of the wait.
struct Timing {
  Pattern pattern = Pattern::Independent;
  std::uint32_t dispatches = 0;
  runtime::LaunchMode mode = runtime::LaunchMode::Auto;
  double median_ns = 0;
  double lower_ns = 0;  ///< A quarter of the rounds took less,
  double upper_ns = 0;  ///< a quarter took more.
  std::uint32_t rounds = 0;
};

inline constexpr std::array<std::uint32_t, 4> kBatchSizes = {1, 10, 100, 1000};

/// Times both patterns in every launch mode, the modes by turns, each batch size for about `seconds`.
///
/// Each mode has a session of its own; `auto` learns for as long before its rounds count.
[[nodiscard]] Result<std::vector<Timing>> time_modes(const std::shared_ptr<backend::Device>& device, double seconds);

}  // namespace vyre::cli::survey
