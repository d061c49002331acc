#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Types of GLSL, and where their scalars lie in a block.
namespace vyre::tests {

enum class Base : std::uint8_t { Float, Int, Uint, Bool, Structure };

/// A scalar, vector, matrix of floats or structure, or an array of one of these.
struct Type {
  Base base = Base::Uint;
  std::uint32_t rows = 1;
  std::uint32_t columns = 1;
  std::uint32_t count = 0;      ///< Of an array; 0 for none.
  std::uint32_t structure = 0;  ///< Its place among the structures, where it is one.

  friend bool operator==(const Type&, const Type&) = default;
};

[[nodiscard]] constexpr bool is_array(const Type& type) noexcept { return type.count != 0; }
[[nodiscard]] constexpr bool is_structure(const Type& type) noexcept {
  return !is_array(type) && type.base == Base::Structure;
}
[[nodiscard]] constexpr bool is_matrix(const Type& type) noexcept { return !is_array(type) && type.columns > 1; }
[[nodiscard]] constexpr bool is_vector(const Type& type) noexcept {
  return !is_array(type) && type.columns == 1 && type.rows > 1;
}
[[nodiscard]] constexpr bool is_scalar(const Type& type) noexcept {
  return !is_array(type) && type.base != Base::Structure && type.columns == 1 && type.rows == 1;
}
/// Of an array.
[[nodiscard]] constexpr Type element_of(Type type) noexcept {
  type.count = 0;
  return type;
}
/// Of a matrix.
[[nodiscard]] constexpr Type column_of(Type type) noexcept {
  type.columns = 1;
  return type;
}
/// Of a vector.
[[nodiscard]] constexpr Type component_of(Type type) noexcept {
  type.rows = 1;
  return type;
}

struct TypedName {
  Type type = {};
  std::string name = {};
};

struct Structure {
  std::string name = {};
  std::vector<TypedName> members = {};
};

/// `vec3`, `mat4x2`, `float[3]`, or the name of the structure.
[[nodiscard]] std::string to_string(const Type& type, std::span<const Structure> structures);

enum class Packing : std::uint8_t { Std140, Std430, Scalar };

struct BlockLayout {
  Packing packing = Packing::Std430;
  bool row_major = false;
};

/// A scalar within something that is laid out.
struct PlacedScalar {
  Base base = Base::Uint;
  std::uint32_t offset = 0;
};

/// A type laid out: its size ends where what comes next may begin, and an array of it has this size for a stride.
struct Placed {
  std::uint32_t size = 0;
  std::uint32_t alignment = 4;
  std::vector<PlacedScalar> scalars = {};
};

[[nodiscard]] Placed place(const Type& type, BlockLayout layout, std::span<const Structure> structures);
/// What an array of the type has from one element to the next.
[[nodiscard]] std::uint32_t stride_of(const Type& type, BlockLayout layout, std::span<const Structure> structures);
/// The members of a block, one behind the other. The size ends with the last one.
[[nodiscard]] Placed place(std::span<const TypedName> members, BlockLayout layout,
                           std::span<const Structure> structures);

[[nodiscard]] constexpr std::uint32_t round_up(std::uint32_t value, std::uint32_t alignment) noexcept {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace vyre::tests
