#pragma once

#include <cstddef>
#include <vector>

#include "tests/forms/hard_modules.hpp"

namespace vyre::tests {

/// A kernel that leaves its views, and what must come of it where accesses are checked: a read outside gives zeros, a
/// write outside does nothing, an atomic outside gives zero and does nothing. An access that is partly outside is
/// outside; so is one beyond an array or a vector of a fixed size, wherever it would land.
struct BoundsModule {
  HardModule module = {};
  /// Whether all indices are inside after all, so that any form can run it and the expectation is tested itself.
  bool is_inside = false;
  std::vector<std::vector<std::byte>> expected = {};  ///< Contents afterwards, by set, slot and element.
};

/// All of them, each kernel with indices inside and with others, in a fixed order, with unique names, made once.
[[nodiscard]] const std::vector<BoundsModule>& bounds_modules();

}  // namespace vyre::tests
