#pragma once

#include <functional>
#include <string>

#include <vyre/base/error.hpp>

namespace vyre::cli {

/// What a parsed command line asks for. Returns the exit code; an error is printed by `main`.
using Action = std::function<Result<int>()>;

inline constexpr int kExitSuccess = 0;
/// Everything ran, and a result is not what it should be.
inline constexpr int kExitDifferent = 1;
/// Also of a command line that cannot be understood.
inline constexpr int kExitInvalidArgument = 2;

/// A check of an option's value: one that is given is not empty, as that of a variable that is not set is.
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
