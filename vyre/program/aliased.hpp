#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include <vyre/base/error.hpp>
#include <vyre/program/program.hpp>

namespace vyre::program {

/// A binding by its place.
struct BindingPlace {
  std::uint32_t set = 0;
  std::uint32_t slot = 0;

  friend auto operator<=>(const BindingPlace&, const BindingPlace&) = default;
};

/// The program with the given bindings declared `Aliased`, so that their buffers may overlap while one is written.
///
/// Their variables lose `Restrict` and `NonWritable`, and so do the members of their blocks: another binding writes the
/// memory that they read. Where one of them is a uniform block, all uniform blocks become storage buffers, since a
/// driver may take the contents of a uniform block for constant; the bindings must then be aligned as storage buffers
/// are. The result has a hash of its own. Fails as `Program::from_spirv` does.
[[nodiscard]] Result<Program> make_aliased(const Program& program, std::span<const BindingPlace> bindings);

}  // namespace vyre::program
