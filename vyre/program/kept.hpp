#pragma once

#include <span>

#include <vyre/program/interface.hpp>
#include <vyre/program/spirv/constants.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program {

/// Derives what one invocation keeps, from the functions that an entry point reaches, itself first.
///
/// Function variables count once for each call that leads to them: drivers inline calls and give every copy memory of
/// its own. Stands any module; sizes saturate, and recursion, or types beyond what `Layout` looks at, count as
/// the largest size there is.
[[nodiscard]] Kept derive_kept(const spirv::Module& module, std::span<const spirv::Function* const> functions,
                               spirv::Constants& constants);

}  // namespace vyre::program
