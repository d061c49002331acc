#pragma once

#include <cstddef>
#include <vector>

#include "tests/forms/hard_modules.hpp"

namespace vyre::tests {

/// A kernel as compilers write them and GLSL cannot, with what an oracle says that it leaves.
struct PatternModule {
  HardModule module = {};
  std::vector<std::vector<std::byte>> expected = {};  ///< Contents afterwards, by set, slot and element.
};

/// All of them, in a fixed order, with unique names, made once.
[[nodiscard]] const std::vector<PatternModule>& pattern_modules();

}  // namespace vyre::tests
