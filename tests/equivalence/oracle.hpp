#pragma once

#include <cstddef>
#include <vector>

#include "tests/equivalence/random_program.hpp"

namespace vyre::tests {

/// What a program does if everything happens in order.
struct Expected {
  std::vector<std::vector<std::byte>> seen = {};     ///< By operation: the bytes of all its reads.
  std::vector<bool> refused = {};                    ///< By operation: whether it names what ended with a buffer.
  std::vector<std::vector<std::byte>> buffers = {};  ///< At the end.
};

/// Runs a program in plain C++ on plain memory, one operation after another.
[[nodiscard]] Expected run_in_order(const RandomProgram& program);

}  // namespace vyre::tests
