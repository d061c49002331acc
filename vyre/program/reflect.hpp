#pragma once

#include <span>
#include <string_view>

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

}  // namespace vyre::program
