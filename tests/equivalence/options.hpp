#pragma once

#include <cstdint>

namespace vyre::tests {

/// What the command line asks for: GoogleTest makes the tests, so nothing can be passed to them.
struct EquivalenceOptions {
  std::uint64_t programs = 500;  ///< In all tests together.
  bool validation = false;       ///< With Vulkan's validation layers; what they say fails the test at hand.
  std::uint64_t first_seed = 1;
};

[[nodiscard]] inline EquivalenceOptions& equivalence_options() {
  static EquivalenceOptions options;
  return options;
}

}  // namespace vyre::tests
