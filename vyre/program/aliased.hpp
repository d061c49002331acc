#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include <vyre/base/error.hpp>
#include <vyre/program/program.hpp>

namespace vyre::program {

/// The place of a binding.
struct BindingPlace {
  std::uint32_t set = 0;
  std::uint32_t slot = 0;

  friend auto operator<=>(const BindingPlace&, const BindingPlace&) = default;
};

/// The program with the given bindings declared `Aliased`, so that their buffers may overlap while one is written.
///
/// Their variables and the members of their blocks lose `Restrict` and `NonWritable`, because another binding may write
/// the memory that they read. If one of them is a uniform block, all uniform blocks become storage buffers, because a
/// driver may assume that a uniform block is constant; their views must then have the alignment of storage buffers. The
/// result has a hash of its own. Has the errors of `Program::from_spirv`.
[[nodiscard]] Result<Program> make_aliased(const Program& program, std::span<const BindingPlace> bindings);

}  // namespace vyre::program
