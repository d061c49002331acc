#pragma once

#include <cstdio>
#include <cstdlib>

namespace vyre::detail {

[[noreturn]] inline void check_failed(const char* condition, const char* message, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: check failed: %s: %s\n", file, line, condition, message);
  std::abort();
}

}  // namespace vyre::detail

/// Ends the process if `condition` is false: the program itself is wrong. Always on.
///
/// What a caller can get wrong is a `Result`, never a check.
#define VYRE_CHECK(condition, message)                                       \
  do {                                                                       \
    if (!(condition)) [[unlikely]]                                           \
      ::vyre::detail::check_failed(#condition, message, __FILE__, __LINE__); \
  } while (false)
