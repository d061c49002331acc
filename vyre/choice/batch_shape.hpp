#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <vyre/program/forms/form.hpp>

namespace vyre::choice {

/// How many workgroups a dispatch has, by powers of two: those of a class take about as long.
[[nodiscard]] constexpr std::uint32_t size_class(std::uint64_t workgroups) noexcept {
  return static_cast<std::uint32_t>(std::bit_width(workgroups));
}

/// Groups of a batch that are alike: dispatches of one program that may run at once, as many, as large.
struct GroupKind {
  std::uint64_t program = 0;         ///< Names the program and its specialisation, on every run.
  std::uint32_t count = 1;           ///< Dispatches in one group.
  std::uint32_t groups = 1;          ///< How many such groups the batch has.
  std::uint32_t size_class = 1;      ///< Of the largest dispatch.
  std::uint32_t resources = 0;       ///< Buffers of a dispatch.
  bool indexes_dynamically = false;  ///< Whether the kernel computes which buffer of an array it uses.

  friend bool operator==(const GroupKind&, const GroupKind&) = default;
};

/// What a batch is, whatever its buffers and parameters are, but for how many dispatches bind the same as the one
/// before.
struct BatchShape {
  std::uint64_t key = 0;  ///< Equal for batches of equal shape.
  std::vector<GroupKind> kinds = {};
  std::uint32_t dispatches = 0;
  std::uint32_t barriers = 0;
  std::uint32_t stretches = 1;       ///< Of dispatches of one program, with barriers between them or not.
  std::uint32_t inner_barriers = 0;  ///< Of the barriers, those within stretches.
  std::uint32_t copies = 0;          ///< And fills.
  std::uint64_t copied_bytes = 0;

  [[nodiscard]] std::uint32_t operations() const noexcept { return dispatches + copies; }
  friend bool operator==(const BatchShape&, const BatchShape&) = default;
};

/// What is known of a program in its forms, by `FormKind`.
struct ProgramForms {
  std::array<bool, program::kForms> possible = {true};  ///< Not known to be refused.
  std::array<bool, program::kForms> compiled = {true};

  friend bool operator==(const ProgramForms&, const ProgramForms&) = default;
};

}  // namespace vyre::choice
