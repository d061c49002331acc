#pragma once

#include <cstddef>
#include <vector>

#include "tests/forms/hard_modules.hpp"

namespace vyre::tests {

/// A kernel that leaves its arrays and its views, and what must come of it where accesses are checked: a read outside a
/// view gives zeros, a write outside does nothing, an atomic outside gives zero and does nothing. Of an access that is
/// partly outside, each scalar is by itself. An access beyond an array or a vector of a fixed size is inside if it
/// lands inside the view.
struct BoundsModule {
  HardModule module = {};
  /// Whether all accesses are inside their views after all, though they may leave arrays: then any form can run it, and
  /// the kernel as written gives what is expected.
  bool is_inside = false;
  std::vector<std::vector<std::byte>> expected = {};  ///< Contents afterwards, by set, slot and element.
};

/// All of them, each kernel with indices inside, with those that leave arrays and no view, and with
/// others, in a fixed order, with unique names, made once.
[[nodiscard]] const std::vector<BoundsModule>& bounds_modules();

}  // namespace vyre::tests
