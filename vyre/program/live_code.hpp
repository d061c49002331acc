#pragma once

#include <vector>

#include <vyre/program/spirv/constants.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program {

/// Which instructions of a module can run, by index, when the entry point is called. Instructions outside functions
/// count as live.
///
/// If the specialisation decides the condition of a branch, only one target is live. Conditions may be integers,
/// comparisons and logical operations of constants, and phis with the same value from all live predecessors. Any other
/// condition counts as undecided, so that no instruction that can run is left out. Works for modules that were never
/// validated.
[[nodiscard]] std::vector<bool> find_live_code(const spirv::Module& module, spirv::Id entry,
                                               spirv::Constants& constants);

}  // namespace vyre::program
