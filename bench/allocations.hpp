#pragma once

#include <cstdint>

namespace vyre::bench {

/// How often the process has allocated with `new` so far.
[[nodiscard]] std::uint64_t allocation_count() noexcept;

}  // namespace vyre::bench
