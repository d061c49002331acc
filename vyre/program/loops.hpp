#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <vyre/program/interface.hpp>
#include <vyre/program/spirv/constants.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program {

/// What is known of a kernel when its loops are looked at.
struct LoopSearch {
  const spirv::Module& module;
  spirv::Constants& constants;
  const std::vector<bool>& is_live;  ///< By instruction: what the specialisation leaves in.
  std::array<std::uint32_t, 3> workgroup = {1, 1, 1};
  /// The steps that the search may still take, over all functions; without any left loops have no bound.
  std::uint64_t effort = 0;
};

/// The structured loops of a function that the specialisation leaves in, in the order of their headers, each with the
/// bound that can be proven.
///
/// A bound is proven where one test that every iteration makes leaves the loop by itself: a counter that changes by a
/// step, times and plus what does not change, against a limit. Start, step and limit may be constants, parameters,
/// workgroup counts, the ranges of built-ins, and whole-number arithmetic on them (`Bound`). The counter may be a phi
/// or a variable of the function. Counters that begin at a constant are also run, and such as are shifted down end with
/// their width. A `break` elsewhere only makes the loop shorter.
[[nodiscard]] std::vector<Loop> derive_loops(LoopSearch& search, const spirv::Function& function);

/// The most iterations that all loops together make in one call of the first function, each loop counting one more than
/// its body runs. Nothing if a loop has no bound that can be proven. `functions` are all that it reaches.
[[nodiscard]] std::optional<Bound> derive_iterations(LoopSearch& search,
                                                     std::span<const spirv::Function* const> functions);

}  // namespace vyre::program
