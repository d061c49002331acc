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
/// An empty `entry_point` is the only one there is. `overrides` specialise constants before loops and sizes are
/// derived. What vyre cannot run is listed in `unsupported`, not refused. Stands modules that were never validated.
/// `Unsupported` if there is no compute entry point, `InvalidArgument` if there are several and none was named, or the
/// one that was named is not there.
[[nodiscard]] Result<Interface> reflect(const spirv::Module& module, std::string_view entry_point = {},
                                        std::span<const spirv::SpecOverride> overrides = {});

/// The compute entry point of a name, or the only one there is. Fails as `reflect` does.
[[nodiscard]] Result<spirv::Instruction> find_entry_point(const spirv::Module& module, std::string_view name);

/// The functions that a call of one can reach, itself first.
[[nodiscard]] std::vector<const spirv::Function*> reachable_functions(const spirv::Module& module, spirv::Id entry);

}  // namespace vyre::program
