#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vyre {

/// What the caller can do about a failure.
enum class ErrorCode : std::uint8_t {
  InvalidArgument,  ///< Mend the call: the message gives the value and the limit.
  Unsupported,      ///< Choose another way: this device or form cannot do it.
  Unavailable,      ///< Install or free something outside the program.
  CompileFailed,    ///< Mend the kernel.
  OutOfMemory,      ///< Free something or ask for less.
  TimedOut,         ///< Wait again: nothing was cancelled.
  DeviceLost,       ///< Open the device again: its contents are gone.
  Corrupt,          ///< Throw the stored data away and make it again.
  Internal,         ///< Report it: vyre or a driver broke its word.
};

/// Whether doing the same again can help, and where.
enum class Retry : std::uint8_t { Never, SameDevice, NewDevice, Recompile };

/// The retry class that a code has unless the place of failure knows better.
[[nodiscard]] constexpr Retry default_retry(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::OutOfMemory:
    case ErrorCode::TimedOut: return Retry::SameDevice;
    case ErrorCode::Unavailable:
    case ErrorCode::DeviceLost: return Retry::NewDevice;
    case ErrorCode::Corrupt: return Retry::Recompile;
    case ErrorCode::InvalidArgument:
    case ErrorCode::Unsupported:
    case ErrorCode::CompileFailed:
    case ErrorCode::Internal: break;
  }
  return Retry::Never;
}

[[nodiscard]] constexpr std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::InvalidArgument: return "invalid-argument";
    case ErrorCode::Unsupported: return "unsupported";
    case ErrorCode::Unavailable: return "unavailable";
    case ErrorCode::CompileFailed: return "compile-failed";
    case ErrorCode::OutOfMemory: return "out-of-memory";
    case ErrorCode::TimedOut: return "timed-out";
    case ErrorCode::DeviceLost: return "device-lost";
    case ErrorCode::Corrupt: return "corrupt";
    case ErrorCode::Internal: return "internal";
  }
  return "internal";
}

[[nodiscard]] constexpr std::string_view to_string(Retry retry) noexcept {
  switch (retry) {
    case Retry::Never: return "never";
    case Retry::SameDevice: return "same-device";
    case Retry::NewDevice: return "new-device";
    case Retry::Recompile: return "recompile";
  }
  return "never";
}

/// A failure that was expected to be possible.
struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message = {};               ///< Lower case, present tense, both values, no full stop.
  std::vector<std::string> context = {};  ///< "while …" lines, innermost first.
  Retry retry = default_retry(code);

  friend bool operator==(const Error&, const Error&) = default;
};

template <typename T>
using Result = std::expected<T, Error>;

/// A failure, to be returned from any function that returns a `Result`.
[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected{Error{.code = code, .message = std::move(message)}};
}

/// Adds a line of context to a failure on its way up.
[[nodiscard]] inline std::unexpected<Error> in_context(Error error, std::string line) {
  error.context.push_back(std::move(line));
  return std::unexpected{std::move(error)};
}

/// The error as a person reads it:
///
///     error[invalid-argument]: binding 3 'weights' needs at least 4096 bytes, the view has 1024
///       while binding program 'dense_layer'
[[nodiscard]] inline std::string to_string(const Error& error) {
  std::string text = "error[";
  text.append(to_string(error.code)).append("]: ").append(error.message);
  for (const std::string& line : error.context) text.append("\n  ").append(line);
  return text;
}

}  // namespace vyre

/// Returns the failure of `expression` to the caller, or goes on.
#define VYRE_TRY(expression)                                        \
  do {                                                              \
    if (auto vyre_result = (expression); !vyre_result) [[unlikely]] \
      return std::unexpected{std::move(vyre_result).error()};       \
  } while (false)

#define VYRE_JOIN_(a, b) a##b
#define VYRE_JOIN(a, b) VYRE_JOIN_(a, b)
#define VYRE_ASSIGN_(temporary, declaration, expression)  \
  auto temporary = (expression);                          \
  if (!temporary) [[unlikely]]                            \
    return std::unexpected{std::move(temporary).error()}; \
  declaration = *std::move(temporary)

/// Declares a variable from the value of `expression`, or returns its failure to the caller:
/// `VYRE_ASSIGN(const Plan plan, make_plan(list));`
#define VYRE_ASSIGN(declaration, expression) VYRE_ASSIGN_(VYRE_JOIN(vyre_result_, __LINE__), declaration, expression)
