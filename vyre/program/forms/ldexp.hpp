#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <vyre/program/spirv/module.hpp>

namespace vyre::program {

/// The words of a module in which every `Ldexp` of GLSL.std.450 has an exponent of 32 bits, clamped to a range in which
/// no result changes. Nothing if they all have one already. For drivers with `Quirks::ldexp_exponents`.
///
/// A valid module stays valid. Modules that were never validated are accepted too.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> narrow_ldexp(const spirv::Module& module);

}  // namespace vyre::program
