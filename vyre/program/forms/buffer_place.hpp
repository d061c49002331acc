#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <vyre/program/forms/type_layout.hpp>

/// Where pointers into buffers point.
namespace vyre::program::forms {

/// A path as the kernel writes it: a root, which is a variable or another address, and the indices from there.
struct Way {
  Id root = 0;
  std::vector<Id> indices = {};
};

/// A distance from the beginning of a view in bytes: `units` × `unit` + `offset`. `units` may be negative.
struct Distance {
  Id units = 0;
  std::uint32_t unit = 1;
  std::uint64_t offset = 0;
  Id is_near = 0;  ///< A condition: `units` did not overflow. 0 if that is certain.
};

/// Where a pointer of a function points, and what is known of it. Ids of conditions are 0 if the condition always
/// holds.
struct Place {
  std::optional<std::uint32_t> entry = {};  ///< The entry of the record, if it is known.
  Id bytes = 0;                             ///< The size of the view, if it was loaded for this pointer.
  Id length = 0;                            ///< The length of the runtime array, if it was loaded for this pointer.
  Id valid = 0;                             ///< A condition: the whole value at the pointer is inside the view.
  Id base_valid = 0;                        ///< A condition: there is a view.
  bool may_be_null = false;                 ///< Whether the address is zero if the pointer may not be used.
  bool in_matrix = false;   ///< Whether it is inside a matrix, so that its type does not say how it lies in memory.
  bool is_aligned = false;  ///< Whether its address, or that of its vector, is known to be a multiple of 8.
  Id vector = 0;            ///< If it points to a component: the pointer to the vector,
  Id vector_type = 0;       ///< the type of the vector,
  Id component = 0;         ///< and the index of the component.
  Way way = {};
  MatrixLayout layout = {};  ///< The layout of the matrix that it points to, or into.
  /// Set if the view may begin or end within the value at the pointer. Each scalar is then checked by itself.
  std::optional<Distance> distance = {};
};

/// An index of a path, analysed.
struct Step {
  Id index = 0;
  Id parent = 0;             ///< The type that is indexed.
  std::uint64_t stride = 0;  ///< Bytes from one element to the next; 0 for a member.
  bool is_dynamic = false;   ///< Whether it is not a constant, and so not part of `Walk::offset`.
  bool may_leave = false;    ///< Whether the index may be outside of its array.
  bool is_open = false;      ///< Whether it must be checked.
};

/// A path, analysed.
struct Walk {
  std::vector<Step> steps = {};
  Id type = 0;                              ///< The type at its end.
  std::uint64_t offset = 0;                 ///< The bytes of all members and constant indices.
  MatrixLayout layout = {};                 ///< The layout of the last matrix, if it is in a structure.
  bool starts_at_view = false;              ///< Whether `offset` counts from the beginning of the view.
  bool starts_at_variable = false;          ///< Whether the root is a variable that the prologue can use.
  std::optional<std::size_t> runtime = {};  ///< The step into the runtime array.
  std::uint64_t array_offset = 0;           ///< The offset of the runtime array.
};

}  // namespace vyre::program::forms
