#pragma once

#include <vector>

#include <vyre/program/spirv/constants.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program {

/// Which instructions of a module an entry point can come to, by index; those outside functions count as such.
///
/// A branch whose condition the specialisation decides has one way out; so does one on integers, comparisons and
/// logical operations of such values, and on a phi that all ways in give the same value. Everything else is taken for
/// undecided, so that no instruction that can run is left out. Stands modules that were never validated.
[[nodiscard]] std::vector<bool> find_live_code(const spirv::Module& module, spirv::Id entry,
                                               spirv::Constants& constants);

}  // namespace vyre::program
