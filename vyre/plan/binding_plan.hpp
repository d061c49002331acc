#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <vyre/base/error.hpp>

namespace vyre::plan {

/// What a binding is to the host.
enum class BindingRole : std::uint8_t {
  Input,        ///< The host gives it.
  Output,       ///< The host gets it.
  InputOutput,  ///< Both.
  Uniform,      ///< The host gives it, every invocation reads the same.
  Shared,       ///< Workgroup memory: the host never sees it.
};

[[nodiscard]] std::string_view to_string(BindingRole role) noexcept;

/// A binding as a program declares it.
struct BindingDeclaration {
  std::uint32_t set = 0;
  std::uint32_t slot = 0;
  std::uint32_t array_index = 0;  ///< Within an array of buffers, which share a slot.
  std::string name = {};
  BindingRole role = BindingRole::Input;
  std::uint32_t element_size = 4;           ///< Bytes from one element to the next, at least 1.
  std::uint64_t header_size = 0;            ///< Bytes before the first element.
  std::uint32_t alignment = 4;              ///< Of the first byte, a power of two.
  std::optional<std::uint64_t> count = {};  ///< Elements; nothing if that is known only from the bytes given.

  friend bool operator==(const BindingDeclaration&, const BindingDeclaration&) = default;
};

/// A declared binding with its place among the host's inputs and outputs.
struct PlannedBinding {
  BindingDeclaration declared = {};
  std::optional<std::uint32_t> input_index = {};   ///< Which of the host's inputs fills it.
  std::optional<std::uint32_t> output_index = {};  ///< Which of the host's outputs it fills.
  std::optional<std::uint64_t> byte_length = {};   ///< Nothing for a runtime-sized binding.

  friend bool operator==(const PlannedBinding&, const PlannedBinding&) = default;
};

/// Bytes offered for a binding.
struct Offer {
  enum class Place : std::uint8_t {
    Host,      ///< To be copied: exactly the binding's length.
    Resident,  ///< On the device already: at least the binding's length.
  };
  Place place = Place::Host;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;  ///< Of the first byte within a resident buffer.

  friend bool operator==(const Offer&, const Offer&) = default;
};

/// The bindings of a program, sorted by set, slot and array index, with input and output indices in the order of
/// declaration.
class BindingPlan {
 public:
  /// `InvalidArgument`, naming the binding, for a slot declared twice, an element of no size, an alignment that is no
  /// power of two, or a length beyond 64 bits.
  [[nodiscard]] static Result<BindingPlan> make(std::span<const BindingDeclaration> declarations);

  [[nodiscard]] std::span<const PlannedBinding> bindings() const noexcept { return bindings_; }
  /// The binding of a slot, or null.
  [[nodiscard]] const PlannedBinding* find(std::uint32_t slot, std::uint32_t set = 0,
                                           std::uint32_t array_index = 0) const noexcept;
  [[nodiscard]] std::uint32_t input_count() const noexcept { return input_count_; }
  [[nodiscard]] std::uint32_t output_count() const noexcept { return output_count_; }

  /// The number of elements that a binding of the plan has in the bytes offered.
  ///
  /// `InvalidArgument`, naming the binding, what it got and what it needs, if it is shared, or the offer has the wrong
  /// length or alignment.
  [[nodiscard]] static Result<std::uint64_t> element_count(const PlannedBinding& binding, const Offer& offer);
  /// The same for the binding of a slot. `InvalidArgument` also if there is none.
  [[nodiscard]] Result<std::uint64_t> element_count(std::uint32_t slot, const Offer& offer,
                                                    std::uint32_t set = 0) const;

  /// The element counts of all inputs, by input index. `InvalidArgument` also for a wrong number of offers.
  [[nodiscard]] Result<std::vector<std::uint64_t>> input_element_counts(std::span<const Offer> offers) const;

  friend bool operator==(const BindingPlan&, const BindingPlan&) = default;

 private:
  std::vector<PlannedBinding> bindings_;
  std::uint32_t input_count_ = 0;
  std::uint32_t output_count_ = 0;
};

}  // namespace vyre::plan
