#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <vyre/program/forms/type_layout.hpp>

/// Where pointers into buffers lead.
namespace vyre::program::forms {

/// The way to what a pointer leads to, as the kernel has it: from a variable, or an address that came from elsewhere.
struct Way {
  Id root = 0;
  std::vector<Id> indices = {};
};

/// Bytes from the beginning of a view: `units` times `unit`, and `offset`. `units` may be negative.
struct Distance {
  Id units = 0;
  std::uint32_t unit = 1;
  std::uint64_t offset = 0;
  Id is_near = 0;  ///< Whether `units` is what was meant and did not overflow; 0 if that is certain.
};

/// Where a pointer of a function leads.
struct Place {
  std::optional<std::uint32_t> entry = {};  ///< Of the record, if it is known which.
  Id bytes = 0;                             ///< How large the view is, if that was loaded for this pointer.
  Id length = 0;                            ///< Of the runtime array, if that was loaded for this pointer.
  Id valid = 0;                             ///< Whether all it leads to is inside the view; 0 if it always is.
  Id base_valid = 0;                        ///< Whether its view is there at all; 0 if it always is.
  bool may_be_null = false;                 ///< Whether a zero address says that it may not.
  bool in_matrix = false;                   ///< Whether its type does not tell how it lies in memory.
  bool is_aligned = false;                  ///< Whether it, or its vector, is known to lie at a multiple of 8.
  Id vector = 0;                            ///< Of a component: the pointer to its vector.
  Id vector_type = 0;                       ///< What that is.
  Id component = 0;                         ///< And its index.
  Way way = {};
  MatrixLayout layout = {};  ///< Of the matrices that it leads to, or is in.
  /// Where a view may end, or begin, within what it leads to: each scalar of that is checked by itself.
  std::optional<Distance> distance = {};
};

/// One index of a way, looked at.
struct Step {
  Id index = 0;
  Id parent = 0;             ///< The type that it goes into.
  std::uint64_t stride = 0;  ///< Bytes from one element to the next; 0 for a member.
  bool is_dynamic = false;   ///< Whether it is more than a part of `Walk::offset`.
  bool may_leave = false;    ///< Whether nothing shows that it stays within its array.
  bool is_open = false;      ///< Whether it must be checked for that.
};

/// A way, looked at.
struct Walk {
  std::vector<Step> steps = {};
  Id type = 0;                              ///< That it leads to.
  std::uint64_t offset = 0;                 ///< Of the members and constant indices.
  MatrixLayout layout = {};                 ///< Of the last matrix, if a structure holds it.
  bool starts_at_view = false;              ///< Whether `offset` counts from there.
  bool starts_at_variable = false;          ///< Whether that is one that the prologue can name.
  std::optional<std::size_t> runtime = {};  ///< The step into the runtime array.
  std::uint64_t array_offset = 0;           ///< Where that begins.
};

}  // namespace vyre::program::forms
