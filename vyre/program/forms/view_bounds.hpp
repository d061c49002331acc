#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include <vyre/program/forms/buffer_place.hpp>
#include <vyre/program/forms/record_access.hpp>

namespace vyre::program::forms {

/// Whether an access stays inside its view. The view alone counts: a declared length says nothing about what lies
/// beyond it, and an index that leaves its array for another part of the view reaches that part, as in the kernel as
/// written.
class ViewBounds {
 public:
  ViewBounds(const RewriteContext& in, const TypeLayout& sizes, RecordAccess& record, FunctionWriter& body);

  void begin_function();

  /// How many elements the runtime array of a place's view has, and how many bytes the view has. Refused where the
  /// buffer is not known.
  [[nodiscard]] Result<Id> length_of(const Place& place);
  [[nodiscard]] Result<Id> bytes_of(const Place& place);
  /// Whether the code of an index shows that it is below a bound.
  [[nodiscard]] bool is_proven(Id index, std::uint64_t bound);
  /// Whether a branch that stands before the access has compared the index with the length already.
  [[nodiscard]] bool is_guarded(Id index, std::uint32_t entry);
  /// Whether an index is below a bound, and `valid` holds, unless that is 0.
  [[nodiscard]] Id check_index(Id index, Id bound, Id valid);
  /// The index if it is below the bound and `valid` holds, else 0. `valid` becomes whether it is.
  [[nodiscard]] Id checked_index(Id index, Id bound, Id& valid);
  /// Replaces the open indices of a walk by indices that stay inside. `pointer` may become a pointer to zeros.
  [[nodiscard]] Result<void> check_steps(Walk& walk, std::uint64_t needed, Place& place, Id root, Id root_type,
                                         Id& pointer);
  /// Whether `size` bytes, `behind` bytes after the place, are inside the view.
  [[nodiscard]] Result<Id> is_inside(const Place& place, std::uint64_t behind, std::uint64_t size);

 private:
  /// As `check_steps`, where an element of the runtime array is inside as a whole or not at all.
  [[nodiscard]] Result<void> check_element(Walk& walk, Place& place, Id root_type, Id& pointer);
  /// The distance of a walk's end from the beginning of the view.
  [[nodiscard]] Result<Distance> distance_of(const Walk& walk, const Place& place, Id root);
  /// The number of units of the view that have `size` bytes, `rest` bytes after their beginning, inside the view.
  [[nodiscard]] Result<Id> limit_of(const Place& place, std::uint64_t rest, std::uint32_t unit, std::uint64_t size);
  /// An index as 32 bits; `is_near` says whether that is all of it.
  [[nodiscard]] Id narrow_index(Id index, Id& is_near);
  /// Whether both hold; 0 stands for what always holds.
  [[nodiscard]] Id both(Id one, Id other);
  /// The buffer of an entry, or zeros if its runtime array is empty.
  [[nodiscard]] Result<Id> array_pointer(bool is_of_variable, Id pointer, Id pointer_type, const Place& place,
                                         std::uint64_t array_offset);

  const KernelFacts& facts_;
  const spirv::Module& module_;
  spirv::Constants& constants_;
  ModuleWriter& writer_;
  const TypeLayout& sizes_;
  RecordAccess& record_;
  const RecordTypes& types_;
  FunctionWriter& body_;
  Code& code_;
  Code& prologue_;
  bool has_row_major_ = false;  // Whether some matrix is laid out by rows.
  // Of the function at hand.
  std::map<std::uint32_t, Id> array_pointers_;
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, std::uint64_t>, Id> limits_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Id> shifted_lengths_;
};

}  // namespace vyre::program::forms
