#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <vyre/program/forms/buffer_places.hpp>

namespace vyre::program::forms {

/// How what is done through the address of a buffer is done through a pointer that was checked.
///
/// A value that an end of its view may cut is taken apart: each scalar is inside or outside by itself.
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
  /// Loads through a pointer into a buffer. `result` is the id of what is loaded; what is `kept` is there behind the
  /// loop, too.
  [[nodiscard]] Result<void> load(Id pointer, Id type, Id result, std::span<const std::uint32_t> operands, bool kept);
  /// The same through a pointer whose place is known.
  [[nodiscard]] Result<void> load_from(const Place& place, Id from, Id type, Id result,
                                       std::span<const std::uint32_t> operands);
  /// Loads a component of a vector by loading the vector.
  [[nodiscard]] Result<void> load_component(const Place& place, Id valid, Id type, Id result,
                                            std::span<const std::uint32_t> operands);
  /// Loads what may lie across an end of its view: what is outside is zero.
  [[nodiscard]] Result<void> load_parts(const Place& place, Id type, Id result,
                                        std::span<const std::uint32_t> operands);
  [[nodiscard]] Result<void> load_vector(const Place& place, Id type, Id result,
                                         std::span<const std::uint32_t> operands);
  /// Loads what is at a place, which may be followed.
  void load_at(const Place& place, Id from, Id type, Id result, std::span<const std::uint32_t> operands);
  [[nodiscard]] Result<void> store_to(const Place& place, Id to, Id value, Id type,
                                      std::span<const std::uint32_t> operands);
  /// Stores what may lie across an end of its view: what is outside is not written.
  [[nodiscard]] Result<void> store_parts(const Place& place, Id value, Id type,
                                         std::span<const std::uint32_t> operands);
  void store_at(const Place& place, Id to, Id value, Id type, std::span<const std::uint32_t> operands);
  /// `result` becomes `value`, or zero if it is not valid.
  [[nodiscard]] Result<void> choose(Id valid, Id type, Id value, Id result);
  /// The operands of an atomic behind its pointer, as the driver takes them.
  [[nodiscard]] Words atomic_operands(const spirv::Instruction& atomic);
  /// The types of the parts of a value; none for a scalar. Refuses a value of too many.
  [[nodiscard]] Result<std::vector<Id>> parts_of_value(Id type);
  /// The type of a pointer to a value, of the source or made here.
  [[nodiscard]] Id pointer_type_of(Id pointer, Id type);
  /// What a value at a place is loaded and stored as, if not as its type: words of 64 bits. 0 otherwise.
  [[nodiscard]] Id wide_type(const Place& place, Id type, std::span<const std::uint32_t> operands);
  /// Memory operands of an access to a buffer, with an alignment of so much at least.
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
