#pragma once

#include <cstdint>

namespace vyre::tests {

/// How often the process has allocated with `new` so far. A program that links this counts, so that "no allocation"
/// can be shown.
[[nodiscard]] std::uint64_t allocation_count() noexcept;

}  // namespace vyre::tests
