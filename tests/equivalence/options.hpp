#pragma once

#include <cstdint>

namespace vyre::tests {

/// What the command line asks for: GoogleTest makes the tests, so nothing can be passed to them.
struct EquivalenceOptions {
  std::uint64_t programs = 500;  ///< In all tests together.
  std::uint64_t first_seed = 1;
};

[[nodiscard]] EquivalenceOptions& equivalence_options();

}  // namespace vyre::tests
