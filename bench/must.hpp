#pragma once

#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <vyre/base/error.hpp>

namespace vyre::bench {

/// The value, or the end of the process with the error.
template <typename T>
T must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "{}\n", to_string(result.error()));
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace vyre::bench
