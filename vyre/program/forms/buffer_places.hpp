#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include <vyre/program/forms/loop_values.hpp>
#include <vyre/program/forms/pointer_offsets.hpp>
#include <vyre/program/forms/view_bounds.hpp>

namespace vyre::program::forms {

/// Rewrites access chains into buffers so that they stay inside the view, and knows where each pointer of a function
/// points.
class BufferPlaces {
 public:
  BufferPlaces(const RewriteContext& in, const TypeLayout& sizes, RecordAccess& record, ViewBounds& bounds,
               LoopValues& loops, PointerOffsets& offsets, FunctionWriter& body) noexcept
      : facts_{in.facts},
        module_{in.facts.module},
        constants_{in.constants},
        options_{in.options},
        writer_{in.writer},
        sizes_{sizes},
        record_{record},
        types_{record.types()},
        bounds_{bounds},
        loops_{loops},
        offsets_{offsets},
        code_{body.code} {}

  /// Notes a type that is loaded or stored as a whole, and the vectors in it.
  void note_vectors(Id type);
  void begin_function() { places_.clear(); }

  /// What is known of a pointer into a buffer.
  [[nodiscard]] Place place_of(Id pointer);
  void set(Id pointer, const Place& place) { places_[pointer] = place; }
  /// The id of a pointer in the rewritten function.
  [[nodiscard]] Result<Id> pointer_of(Id id);
  /// A condition: the pointer may be used. 0 if it always may.
  [[nodiscard]] Id validity_of(Id pointer, const Place& place);
  /// A pointer that may be used in any case: `pointer` if `valid` holds, otherwise one into scratch memory.
  [[nodiscard]] Result<Id> guarded(Id pointer, Id pointer_type, Id valid, Id type, bool writes);
  /// Notes the length and size of the view that a select of two pointers chooses.
  [[nodiscard]] Result<void> select_view(const spirv::Instruction& select);
  /// Rewrites an access chain into a buffer; an `OpPtrAccessChain`.
  [[nodiscard]] Result<void> rewrite_chain(const spirv::Instruction& chain);
  [[nodiscard]] Result<void> rewrite_element_chain(const spirv::Instruction& chain);
  /// Writes the pointer at the end of a path as `result`, of the type `result_type`. It may be used whatever the
  /// indices are. `place.valid` becomes the condition that `needed` bytes from there are inside the view; if `needed`
  /// is 0, the size of the whole value.
  [[nodiscard]] Result<void> follow(const Way& way, Id result, Id result_type, std::uint64_t needed, bool kept,
                                    Place& place);
  /// A pointer to a part of the value at another place.
  [[nodiscard]] Result<Id> follow_part(const Place& whole, std::uint32_t part, Id type, Place& place);
  /// Whether only the end of the view can cut a vector, so that if any component is inside, the first one is.
  [[nodiscard]] bool is_never_split(const Place& place, Id vector);

 private:
  /// The pointer to a buffer of an array of buffers.
  [[nodiscard]] Result<Id> enter_array(const BufferVariable& buffer, Id index, bool kept, Place& place);
  /// The value of an index that is a constant of the kernel, or one that was made here.
  [[nodiscard]] std::optional<spirv::ConstantValue> index_value(Id index);
  /// Analyses the indices of a path that begins at a value of `type`.
  [[nodiscard]] Result<Walk> look_at(std::span<const Id> indices, Id type, bool is_param, Place& place);
  /// Writes an access chain with checked indices. If an index may exceed the declared length of its array, the array is
  /// accessed as a runtime array.
  void write_chain(const Walk& walk, Id pointer, Id pointer_type, Id result, Id result_type);
  /// Writes `result`: the same address with another pointer type.
  void cast_pointer(Id pointer, Id type, Id result, Id result_type);
  /// The type of a structure with only a runtime array in it.
  [[nodiscard]] Id endless(Id element, std::uint32_t stride);
  /// Whether the vector of a component is loaded as one value, and not one scalar at a time.
  [[nodiscard]] bool is_accessed_whole(const Place& component, const Step& last);
  /// Whether a type is the block of some buffer.
  [[nodiscard]] bool is_block(Id type) const;
  /// The buffer that an entry of the record belongs to.
  [[nodiscard]] const BufferVariable& buffer_of_entry(std::uint32_t entry) const;
  /// Whether a pointer is used for anything but loads, stores and access chains.
  [[nodiscard]] bool escapes(Id pointer) const;

  const KernelFacts& facts_;
  const spirv::Module& module_;
  spirv::Constants& constants_;
  const FormOptions& options_;
  ModuleWriter& writer_;
  const TypeLayout& sizes_;
  RecordAccess& record_;
  const RecordTypes& types_;
  ViewBounds& bounds_;
  LoopValues& loops_;
  PointerOffsets& offsets_;
  Code& code_;
  std::set<Id> whole_types_;    // The types that are loaded or stored as a whole, and the types of their parts.
  std::set<Id> whole_vectors_;  // The vectors among them.
  std::map<std::pair<Id, std::uint32_t>, Id> endless_;
  std::map<Id, std::uint32_t> made_indices_;  // The constants made here, by id, with their values.
  std::unordered_map<Id, Place> places_;      // Of the function at hand.
};

}  // namespace vyre::program::forms
