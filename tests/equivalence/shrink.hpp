#pragma once

#include <functional>

#include "tests/equivalence/random_program.hpp"

namespace vyre::tests {

/// Drops operations of a program that fails while it still does.
[[nodiscard]] RandomProgram shrink(RandomProgram program, const std::function<bool(const RandomProgram&)>& fails);

}  // namespace vyre::tests
