#pragma once

#include <functional>
#include <string>

#include <vyre/base/error.hpp>

namespace vyre::cli {

/// The action of a parsed command line. Returns the exit code; `main` prints an error.
using Action = std::function<Result<int>()>;

inline constexpr int kExitSuccess = 0;
/// The exit code if everything ran and some result is wrong.
inline constexpr int kExitDifferent = 1;
/// The exit code for wrong input, also for a command line that cannot be parsed.
inline constexpr int kExitInvalidArgument = 2;

/// Refuses an empty value of an option: usually it comes from a shell variable that is not set.
[[nodiscard]] inline std::string check_not_empty(const std::string& value) {
  return value.empty() ? "Value is empty" : "";
}

/// The exit code of an error, one per code.
[[nodiscard]] constexpr int to_exit_code(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::InvalidArgument: return kExitInvalidArgument;
    case ErrorCode::Unsupported: return 3;
    case ErrorCode::Unavailable: return 4;
    case ErrorCode::CompileFailed: return 5;
    case ErrorCode::OutOfMemory: return 6;
    case ErrorCode::TimedOut: return 7;
    case ErrorCode::DeviceLost: return 8;
    case ErrorCode::Corrupt: return 9;
    case ErrorCode::Internal: return 10;
  }
  return 10;
}

}  // namespace vyre::cli
