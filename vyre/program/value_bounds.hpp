#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include <vyre/program/bound.hpp>
#include <vyre/program/spirv/cfg.hpp>
#include <vyre/program/spirv/constants.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program {

/// Turns whole numbers of a function into nodes of bounds, over parameters, workgroup counts and the ranges of
/// built-ins.
///
/// A node holds for every invocation and at any time: a value that is not understood, or that a loop carries, is any.
class ValueBounds {
 public:
  using Index = BoundWriter::Index;

  struct In {
    const spirv::Module& module;
    const spirv::Function& function;
    const spirv::ControlFlow& flow;
    spirv::Constants& constants;
    std::array<std::uint32_t, 3> workgroup = {1, 1, 1};
    BoundWriter& writer;
    std::uint64_t& effort;  ///< Steps that may still be made; without any left every value is any.
  };
  explicit ValueBounds(const In& in) noexcept : in_{in} {}

  [[nodiscard]] Index of(spirv::Id value) { return of(value, 0); }
  /// Whether a load through this pointer gives the same value at any time: of a parameter or a built-in.
  [[nodiscard]] bool is_steady(spirv::Id pointer) const { return place_of(pointer, 0).has_value(); }

 private:
  /// A part of a block of parameters, or of a built-in.
  struct Place {
    spirv::Id variable = 0;
    spirv::Id type = 0;
    std::uint64_t offset = 0;
  };

  [[nodiscard]] Index of(spirv::Id value, int depth);
  [[nodiscard]] Index operation(const spirv::Instruction& instruction, std::uint32_t width, int depth);
  [[nodiscard]] Index extended(const spirv::Instruction& instruction, std::uint32_t width, int depth);
  [[nodiscard]] Index extracted(const spirv::Instruction& instruction, std::uint32_t width, int depth);
  [[nodiscard]] Index converted(const spirv::Instruction& instruction, std::uint32_t width, int depth);
  [[nodiscard]] Index loaded(const spirv::Instruction& load, std::uint32_t width, int depth);
  [[nodiscard]] Index variable(spirv::Id variable, std::size_t load, std::uint32_t width, int depth);
  [[nodiscard]] Index read(const Place& place, std::uint32_t width);
  [[nodiscard]] Index either(std::optional<Index> a, Index b, std::uint32_t width);
  [[nodiscard]] std::optional<Place> place_of(spirv::Id pointer, int depth) const;
  [[nodiscard]] std::optional<Place> part_of(const Place& place, std::uint64_t index) const;
  [[nodiscard]] bool comes_before(std::size_t store, std::size_t load) const;

  In in_;
  std::unordered_map<spirv::Id, Index> known_;
};

}  // namespace vyre::program
