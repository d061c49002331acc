#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <vyre/backend/check.hpp>
#include <vyre/base/error.hpp>
#include <vyre/program/interface.hpp>

namespace vyre::plan {

/// The role that a binding has for the host.
enum class BindingRole : std::uint8_t {
  Input,        ///< The host gives it.
  Output,       ///< The host gets it.
  InputOutput,  ///< Both.
  Uniform,      ///< The host gives it, every invocation reads the same.
  Shared,       ///< Workgroup memory: the host never sees it.
};

[[nodiscard]] std::string_view to_string(BindingRole role) noexcept;

/// A slot of a program: what a dispatch may bind there.
struct PlannedBinding {
  // `rule` combined with the limits of a device, so that `allows` needs nothing else.
  std::uint64_t offset_mask = 0;  ///< Bits that must be 0 in the offset of a view: the device's alignment less 1.
  std::uint64_t min_bytes = 1;
  std::uint64_t max_bytes = 0;
  backend::RangeRule rule = {};
  BindingRole role = BindingRole::Input;  ///< Derived from the accesses of the specialised kernel.
  bool is_aliased = false;                ///< Whether the program declares that its buffer may overlap others.
  bool is_used = true;                    ///< Whether the specialised kernel reads or writes it.

  /// Whether a view that lies within its buffer can be bound. No view is where the kernel does not need one
  /// (`rule.is_needed`): the dispatch then has `backend::kNoRange`.
  [[nodiscard]] bool allows(std::uint64_t offset, std::uint64_t size) const noexcept {
    return (offset & offset_mask) == 0 && size >= min_bytes && size <= max_bytes;
  }
  friend bool operator==(const PlannedBinding&, const PlannedBinding&) = default;
};

/// The buffers of a program: what a dispatch must give, and what may not overlap.
struct BindingPlan {
  std::vector<PlannedBinding> slots = {};  ///< In the order of the ranges of a dispatch.
  std::vector<bool> writes = {};           ///< By slot: whether a dispatch may write its buffer.
  bool are_all_needed = true;              ///< Whether every slot is.
  /// Slots whose buffers may not overlap: both are used, one of them is written, and they are not both `Aliased`.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> apart = {};

  friend bool operator==(const BindingPlan&, const BindingPlan&) = default;
};

/// The binding plan of a program on a device with these limits.
///
/// An array of buffers has a slot for each of its elements. A binding of which the kernel uses only the length is an
/// input. An output is not given by the host: elements that the kernel does not write are undefined.
///
/// `Unsupported` for more buffers than a program may have, and for an array of buffers without a length.
/// `InvalidArgument`, naming both bindings, if bindings are not sorted by set and slot, or two share a slot.
[[nodiscard]] Result<BindingPlan> plan_program_bindings(const program::Interface& interface,
                                                        const backend::Limits& limits);

}  // namespace vyre::plan
