#include "tests/forms/kernel_types.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace vyre::tests {
namespace {

constexpr std::uint32_t kStd140Alignment = 16;

std::string name_of_one(const Type& type, std::span<const Structure> structures) {
  if (type.base == Base::Structure) return structures[type.structure].name;
  if (type.columns > 1) {
    return type.columns == type.rows ? fmt::format("mat{}", type.rows)
                                     : fmt::format("mat{}x{}", type.columns, type.rows);
  }
  constexpr std::array<std::string_view, 4> kScalars = {"float", "int", "uint", "bool"};
  constexpr std::array<std::string_view, 4> kVectors = {"vec", "ivec", "uvec", "bvec"};
  const auto base = static_cast<std::size_t>(type.base);
  return type.rows == 1 ? std::string{kScalars[base]} : fmt::format("{}{}", kVectors[base], type.rows);
}

void append(std::vector<PlacedScalar>& all, const Placed& part, std::uint32_t offset) {
  for (const PlacedScalar& scalar : part.scalars) {
    all.push_back({.base = scalar.base, .offset = offset + scalar.offset});
  }
}

Placed repeat(const Placed& one, std::uint32_t stride, std::uint32_t count) {
  Placed placed{.size = count * stride, .alignment = one.alignment};
  for (std::uint32_t i = 0; i < count; ++i) append(placed.scalars, one, i * stride);
  return placed;
}

Placed place_vector(Base base, std::uint32_t rows, Packing packing) {
  Placed placed{.size = 4 * rows};
  if (packing != Packing::Scalar) placed.alignment = rows == 1 ? 4 : rows == 2 ? 8 : 16;
  for (std::uint32_t i = 0; i < rows; ++i) placed.scalars.push_back({.base = base, .offset = 4 * i});
  return placed;
}

/// As an element of an array, or as a column of a matrix.
Placed as_element(Placed placed, Packing packing) {
  if (packing == Packing::Std140) placed.alignment = round_up(placed.alignment, kStd140Alignment);
  return placed;
}

Placed place_one(const Type& type, BlockLayout layout, std::span<const Structure> structures) {
  if (type.base == Base::Structure) {
    Placed placed = as_element(place(structures[type.structure].members, layout, structures), layout.packing);
    placed.size = round_up(placed.size, placed.alignment);
    return placed;
  }
  if (type.columns == 1) return place_vector(type.base, type.rows, layout.packing);
  const Placed line =
      as_element(place_vector(type.base, layout.row_major ? type.columns : type.rows, layout.packing), layout.packing);
  return repeat(line, round_up(line.size, line.alignment), layout.row_major ? type.rows : type.columns);
}

}  // namespace

std::string to_string(const Type& type, std::span<const Structure> structures) {
  const std::string one = name_of_one(type, structures);
  return is_array(type) ? fmt::format("{}[{}]", one, type.count) : one;
}

std::uint32_t stride_of(const Type& type, BlockLayout layout, std::span<const Structure> structures) {
  const Placed one = as_element(place_one(type, layout, structures), layout.packing);
  return round_up(one.size, one.alignment);
}

Placed place(const Type& type, BlockLayout layout, std::span<const Structure> structures) {
  Placed one = place_one(type, layout, structures);
  if (!is_array(type)) return one;
  return repeat(as_element(std::move(one), layout.packing), stride_of(type, layout, structures), type.count);
}

Placed place(std::span<const TypedName> members, BlockLayout layout, std::span<const Structure> structures) {
  Placed all;
  std::uint32_t next = 0;
  for (const TypedName& member : members) {
    const Placed placed = place(member.type, layout, structures);
    const std::uint32_t offset = round_up(next, placed.alignment);
    append(all.scalars, placed, offset);
    next = offset + placed.size;
    // What follows a structure begins behind its padding, but what ends with one ends before that.
    all.size = !is_structure(member.type)
                   ? next
                   : offset + place(structures[member.type.structure].members, layout, structures).size;
    all.alignment = std::max(all.alignment, placed.alignment);
  }
  return all;
}

}  // namespace vyre::tests
