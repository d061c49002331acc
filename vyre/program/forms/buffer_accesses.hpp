#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <vyre/program/forms/buffer_places.hpp>

namespace vyre::program::forms {

/// Writes the loads, stores and atomics of a kernel so that they access only bytes inside the view.
///
/// A value that the end of its view may cut is loaded or stored one scalar at a time, each of which is checked by
/// itself.
class BufferAccesses {
 public:
  BufferAccesses(const RewriteContext& in, const TypeLayout& sizes, RecordAccess& record, ViewBounds& bounds,
                 LoopValues& loops, BufferPlaces& places, FunctionWriter& body);

  [[nodiscard]] Result<void> rewrite_load(const spirv::Instruction& load);
  [[nodiscard]] Result<void> rewrite_store(const spirv::Instruction& store);
  [[nodiscard]] Result<void> rewrite_copy(const spirv::Instruction& copy);
  [[nodiscard]] Result<void> rewrite_atomic(const spirv::Instruction& atomic);
  [[nodiscard]] Result<void> store(Id pointer, Id value, Id type, std::span<const std::uint32_t> operands);

 private:
  [[nodiscard]] bool rewrite_param_load(const spirv::Instruction& load);
  /// Writes a load through a pointer into a buffer. `result` is the id of the loaded value. `kept`: whether the value
  /// must also be there after the loop, see `LoopValues`.
  [[nodiscard]] Result<void> load(Id pointer, Id type, Id result, std::span<const std::uint32_t> operands, bool kept);
  /// Writes a load through a pointer with a known place.
  [[nodiscard]] Result<void> load_from(const Place& place, Id from, Id type, Id result,
                                       std::span<const std::uint32_t> operands);
  /// Loads a component of a vector by loading the vector.
  [[nodiscard]] Result<void> load_component(const Place& place, Id valid, Id type, Id result,
                                            std::span<const std::uint32_t> operands);
  /// Writes a load of a value that the end of its view may cut: scalars outside are zero.
  [[nodiscard]] Result<void> load_parts(const Place& place, Id type, Id result,
                                        std::span<const std::uint32_t> operands);
  [[nodiscard]] Result<void> load_vector(const Place& place, Id type, Id result,
                                         std::span<const std::uint32_t> operands);
  /// Writes a load without checks. Precondition: the place is inside its view.
  void load_at(const Place& place, Id from, Id type, Id result, std::span<const std::uint32_t> operands);
  [[nodiscard]] Result<void> store_to(const Place& place, Id to, Id value, Id type,
                                      std::span<const std::uint32_t> operands);
  /// Writes a store of a value that the end of its view may cut: scalars outside are not stored.
  [[nodiscard]] Result<void> store_parts(const Place& place, Id value, Id type,
                                         std::span<const std::uint32_t> operands);
  void store_at(const Place& place, Id to, Id value, Id type, std::span<const std::uint32_t> operands);
  /// Writes a select: `result` is `value` if `valid` holds, otherwise zero.
  [[nodiscard]] Result<void> choose(Id valid, Id type, Id value, Id result);
  /// The operands of an atomic after its pointer, changed as the driver's quirks demand.
  [[nodiscard]] Words atomic_operands(const spirv::Instruction& atomic);
  /// The types of the parts of a value; none for a scalar. Refuses a value with too many scalars.
  [[nodiscard]] Result<std::vector<Id>> parts_of_value(Id type);
  /// The type of a pointer to a value, which is made if the kernel does not have it.
  [[nodiscard]] Id pointer_type_of(Id pointer, Id type);
  /// The type of 64-bit words as which a vector at a place is loaded and stored; 0 if it is accessed as its own type.
  [[nodiscard]] Id wide_type(const Place& place, Id type, std::span<const std::uint32_t> operands);
  /// The memory operands of an access to a buffer, with at least this alignment.
  [[nodiscard]] Words memory_operands(std::span<const std::uint32_t> operands, std::uint32_t alignment) const;

  const KernelFacts& facts_;
  const spirv::Module& module_;
  spirv::Constants& constants_;
  FormKind kind_;
  const FormOptions& options_;
  ModuleWriter& writer_;
  const TypeLayout& sizes_;
  RecordAccess& record_;
  ViewBounds& bounds_;
  LoopValues& loops_;
  BufferPlaces& places_;
  FunctionWriter& body_;
  Code& code_;
  bool has_pairs_ = false;  // Whether vectors are loaded and stored as words of 64 bits.
};

}  // namespace vyre::program::forms
