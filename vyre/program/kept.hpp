#pragma once

#include <span>

#include <vyre/program/interface.hpp>
#include <vyre/program/spirv/constants.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program {

/// Computes the sizes of variables and values of an invocation. `functions` are those that the entry point reaches,
/// itself first.
///
/// A function variable counts once for each call that leads to it, because drivers inline calls and give every copy its
/// own memory. Works for modules that were never validated: sizes saturate, and recursion, or types that are too large
/// for `Layout`, count as the largest size.
[[nodiscard]] Kept derive_kept(const spirv::Module& module, std::span<const spirv::Function* const> functions,
                               spirv::Constants& constants);

}  // namespace vyre::program
