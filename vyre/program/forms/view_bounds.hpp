#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include <vyre/program/forms/buffer_place.hpp>
#include <vyre/program/forms/record_access.hpp>

namespace vyre::program::forms {

/// Decides whether an access stays inside its view. Only the view counts, and not the declared lengths: an index that
/// leaves its array and stays inside the view reaches the bytes there, as in the kernel as written.
class ViewBounds {
 public:
  ViewBounds(const RewriteContext& in, const TypeLayout& sizes, RecordAccess& record, FunctionWriter& body);

  void begin_function();

  /// The number of elements of the runtime array in a place's view, and the size of that view. Refused if the buffer is
  /// not known.
  [[nodiscard]] Result<Id> length_of(const Place& place);
  [[nodiscard]] Result<Id> bytes_of(const Place& place);
  /// Whether the instruction that computes an index proves that it is below a bound.
  [[nodiscard]] bool is_proven(Id index, std::uint64_t bound);
  /// Whether the kernel has compared the index with the length, in a branch before the access.
  [[nodiscard]] bool is_guarded(Id index, std::uint32_t entry);
  /// A condition: an index is below a bound, and `valid` holds (0 always holds).
  [[nodiscard]] Id check_index(Id index, Id bound, Id valid);
  /// The index if it is below the bound and `valid` holds, else 0. `valid` becomes that condition.
  [[nodiscard]] Id checked_index(Id index, Id bound, Id& valid);
  /// Replaces the unchecked indices of a path by indices that stay inside. `pointer` may become a pointer to zeros.
  [[nodiscard]] Result<void> check_steps(Walk& walk, std::uint64_t needed, Place& place, Id root, Id root_type,
                                         Id& pointer);
  /// A condition: `size` bytes, from `behind` bytes after the place on, are inside the view.
  [[nodiscard]] Result<Id> is_inside(const Place& place, std::uint64_t behind, std::uint64_t size);

 private:
  /// Like `check_steps`, for a path into the runtime array, whose elements are inside as a whole or not at all.
  [[nodiscard]] Result<void> check_element(Walk& walk, Place& place, Id root_type, Id& pointer);
  /// The distance of a path's end from the beginning of the view.
  [[nodiscard]] Result<Distance> distance_of(const Walk& walk, const Place& place, Id root);
  /// The number of units after which `size` bytes, from `rest` bytes on, are still inside the view.
  [[nodiscard]] Result<Id> limit_of(const Place& place, std::uint64_t rest, std::uint32_t unit, std::uint64_t size);
  /// An index as a 32-bit number. `is_near` becomes the condition that it fits.
  [[nodiscard]] Id narrow_index(Id index, Id& is_near);
  /// A condition: both hold (0 always holds).
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
  // Values of the current function.
  std::map<std::uint32_t, Id> array_pointers_;
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, std::uint64_t>, Id> limits_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Id> shifted_lengths_;
};

}  // namespace vyre::program::forms
