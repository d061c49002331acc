#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/program/interface.hpp>
#include <vyre/program/spirv/constants.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program {

/// Derives everything about one compute entry point from its module.
///
/// `entry_point` may be empty if there is only one. Sizes and loop bounds are those with the specialisation
/// `overrides`. Features that vyre cannot run are not refused, but listed in `unsupported`. Works for modules that were
/// never validated. `Unsupported` if there is no compute entry point; `InvalidArgument` if there are several and none
/// was named, or the named one does not exist.
[[nodiscard]] Result<Interface> reflect(const spirv::Module& module, std::string_view entry_point = {},
                                        std::span<const spirv::SpecOverride> overrides = {});

/// The compute entry point with a name, or the only one if the name is empty. Has the errors of `reflect`.
[[nodiscard]] Result<spirv::Instruction> find_entry_point(const spirv::Module& module, std::string_view name);

/// The function `entry`, and all functions that it calls directly or indirectly.
[[nodiscard]] std::vector<const spirv::Function*> reachable_functions(const spirv::Module& module, spirv::Id entry);

}  // namespace vyre::program
