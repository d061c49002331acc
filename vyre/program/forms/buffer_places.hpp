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

/// The ways from a buffer to what is in it, and where each pointer of a function leads.
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

  /// Notes a type that is loaded or stored whole, and the vectors in it.
  void note_vectors(Id type);
  void begin_function() { places_.clear(); }

  /// What is known of a pointer into a buffer.
  [[nodiscard]] Place place_of(Id pointer);
  void set(Id pointer, const Place& place) { places_[pointer] = place; }
  /// The pointer as functions name it now.
  [[nodiscard]] Result<Id> pointer_of(Id id);
  /// Whether a pointer may be followed, as a value; 0 if it always may.
  [[nodiscard]] Id validity_of(Id pointer, const Place& place);
  /// A pointer that can be followed whatever happens: `pointer`, or one into the scratch memory.
  [[nodiscard]] Result<Id> guarded(Id pointer, Id pointer_type, Id valid, Id type, bool writes);
  /// Notes the length and size of the view that a select chooses of two.
  [[nodiscard]] Result<void> select_view(const spirv::Instruction& select);
  /// Rewrites an access chain into a buffer; an `OpPtrAccessChain`.
  [[nodiscard]] Result<void> rewrite_chain(const spirv::Instruction& chain);
  [[nodiscard]] Result<void> rewrite_element_chain(const spirv::Instruction& chain);
  /// Writes the pointer that a way leads to, as `result` of the type `result_type`. It can be followed whatever the
  /// indices are. `place.valid` says whether `needed` bytes from there are inside the view; 0 stands for the size of
  /// all that it leads to.
  [[nodiscard]] Result<void> follow(const Way& way, Id result, Id result_type, std::uint64_t needed, bool kept,
                                    Place& place);
  /// A pointer to a part of what another place leads to.
  [[nodiscard]] Result<Id> follow_part(const Place& whole, std::uint32_t part, Id type, Place& place);
  /// Whether only the end of a view can cut a vector, and so that its first component is inside.
  [[nodiscard]] bool is_never_split(const Place& place, Id vector);

 private:
  /// The pointer to a buffer of an array of buffers.
  [[nodiscard]] Result<Id> enter_array(const BufferVariable& buffer, Id index, bool kept, Place& place);
  /// The value of an index that is a constant, of the source or made here.
  [[nodiscard]] std::optional<spirv::ConstantValue> index_value(Id index);
  /// Looks at the indices of a way, from a value of `type` on.
  [[nodiscard]] Result<Walk> look_at(std::span<const Id> indices, Id type, bool is_param, Place& place);
  /// Writes an access chain with indices that are safe. Where one may be beyond what its array declares, the array is
  /// looked at as one without an end.
  void write_chain(const Walk& walk, Id pointer, Id pointer_type, Id result, Id result_type);
  /// Makes `result` the same address as a pointer of another type.
  void cast_pointer(Id pointer, Id type, Id result, Id result_type);
  /// A structure with nothing but a runtime array.
  [[nodiscard]] Id endless(Id element, std::uint32_t stride);
  /// Whether the vector that a component belongs to is loaded as one value, and not scalar by scalar.
  [[nodiscard]] bool is_accessed_whole(const Place& component, const Step& last);
  /// Whether it is what some buffer holds.
  [[nodiscard]] bool is_block(Id type) const;
  /// The buffer that an entry of the record belongs to.
  [[nodiscard]] const BufferVariable& buffer_of_entry(std::uint32_t entry) const;
  /// Whether a pointer is used in other ways than to be followed.
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
  std::set<Id> whole_types_;    // Types that are loaded or stored whole, and what they consist of.
  std::set<Id> whole_vectors_;  // Of those, vectors.
  std::map<std::pair<Id, std::uint32_t>, Id> endless_;
  std::map<Id, std::uint32_t> made_indices_;  // Constants made here, and their values.
  std::unordered_map<Id, Place> places_;      // Of the function at hand.
};

}  // namespace vyre::program::forms
