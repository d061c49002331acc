#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <vyre/program/interface.hpp>
#include <vyre/program/spirv/constants.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program {

/// The structured loops of a function, in the order of their headers, each with the bound that can be proven.
///
/// A bound is proven where one test that every iteration makes leaves the loop by itself: a counter that starts at a
/// constant and changes by one constant step (or by a constant shift, multiplication or division), against a constant.
/// The counter may be a phi or a variable of the function. A `break` elsewhere only makes the loop shorter.
///
/// `effort` is the number of steps the search may still take, over all functions; without any left loops have no bound.
[[nodiscard]] std::vector<Loop> derive_loops(const spirv::Module& module, const spirv::Function& function,
                                             spirv::Constants& constants, std::uint64_t& effort);

/// The most iterations that all loops together make in one call of the first function, each loop counting one more than
/// its body runs. Nothing if a loop has no bound that can be proven, or the sum is beyond 64 bits.
/// `functions` are all that it reaches.
[[nodiscard]] std::optional<std::uint64_t> derive_iterations(const spirv::Module& module,
                                                             std::span<const spirv::Function* const> functions,
                                                             spirv::Constants& constants, std::uint64_t& effort);

}  // namespace vyre::program
