#pragma once

#include <cstdint>
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

}  // namespace vyre::program
