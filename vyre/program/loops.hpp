#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <vyre/program/interface.hpp>
#include <vyre/program/spirv/constants.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program {

/// The structured loops of a function, in the order of their headers, each with a proven bound if there is one.
///
/// A loop has a bound if every iteration makes a test that ends it: a counter is compared with a constant, starts at a
/// constant, and changes by a constant step or a constant shift, multiplication or division. The counter may be a phi
/// or a variable of the function. A `break` elsewhere only makes the loop shorter.
///
/// `effort` is the number of steps that the search may still make, for all functions together. Loops found when it is 0
/// have no bound.
[[nodiscard]] std::vector<Loop> derive_loops(const spirv::Module& module, const spirv::Function& function,
                                             spirv::Constants& constants, std::uint64_t& effort);

/// The most iterations of all loops together in one call of the first of `functions`, which are all functions that it
/// reaches. A loop counts one iteration more than its body runs. Nothing if a loop has no proven bound, or the sum
/// exceeds 64 bits.
[[nodiscard]] std::optional<std::uint64_t> derive_iterations(const spirv::Module& module,
                                                             std::span<const spirv::Function* const> functions,
                                                             spirv::Constants& constants, std::uint64_t& effort);

}  // namespace vyre::program
