#pragma once

#include <span>
#include <vector>

#include <vyre/program/interface.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program {

/// What the given functions do through every pointer of a module, by id. Only instructions that `is_live` names count,
/// by index.
///
/// Follows pointers through access chains, copies, phi, select, calls and returns. A pointer that goes where it cannot
/// be followed counts as read and written. `OpArrayLength` is no access.
[[nodiscard]] std::vector<Access> derive_access(const spirv::Module& module,
                                                std::span<const spirv::Function* const> functions,
                                                const std::vector<bool>& is_live);

}  // namespace vyre::program
