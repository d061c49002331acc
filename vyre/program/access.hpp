#pragma once

#include <span>
#include <vector>

#include <vyre/program/interface.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program {

/// The accesses that the given functions make through each pointer of a module, by the pointer's id. Only live
/// instructions count (`is_live`, by index).
///
/// Follows pointers through access chains, copies, phis, selects, calls and returns. A pointer that cannot be followed
/// counts as read and written. `OpArrayLength` is not an access.
[[nodiscard]] std::vector<Access> derive_access(const spirv::Module& module,
                                                std::span<const spirv::Function* const> functions,
                                                const std::vector<bool>& is_live);

}  // namespace vyre::program
