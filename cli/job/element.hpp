#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/program/interface.hpp>

namespace vyre::cli::job {

/// The type of the elements of a buffer. Complex elements can be loaded, saved and compared, but not generated.
enum class ElementType : std::uint8_t { U8, I8, U16, I16, U32, I32, U64, I64, F16, F32, F64, C64, C128 };

inline constexpr std::array kElementTypes{ElementType::U8,  ElementType::I8,  ElementType::U16, ElementType::I16,
                                          ElementType::U32, ElementType::I32, ElementType::U64, ElementType::I64,
                                          ElementType::F16, ElementType::F32, ElementType::F64, ElementType::C64,
                                          ElementType::C128};

/// `u8`, `f32`, `c64` and so on.
[[nodiscard]] std::string_view to_string(ElementType type) noexcept;
[[nodiscard]] std::optional<ElementType> parse_element_type(std::string_view name) noexcept;

/// 2 for the complex types, 1 for the others.
[[nodiscard]] std::size_t components_of(ElementType type) noexcept;
/// The size of one component in bytes.
[[nodiscard]] program::ScalarType scalar_of(ElementType type) noexcept;
[[nodiscard]] std::size_t bytes_of(ElementType type) noexcept;

/// The exact value of the component at the beginning of `bytes`.
[[nodiscard]] long double load(std::span<const std::byte> bytes, ElementType type) noexcept;
/// The element at the beginning of `bytes`, as text for a person.
[[nodiscard]] std::string element_text(std::span<const std::byte> bytes, ElementType type);

/// The dimensions of an array, in the order of numpy: elements that differ only in the last index are neighbours. Empty
/// for a single element.
using Shape = std::vector<std::uint64_t>;

/// `[3, 4]`
[[nodiscard]] std::string to_string(const Shape& shape);
/// `f32 [3, 4]`
[[nodiscard]] std::string describe(ElementType type, const Shape& shape);
/// The bytes of an array. `InvalidArgument` if they are 2^63 or more.
[[nodiscard]] Result<std::uint64_t> array_bytes(ElementType type, const Shape& shape);
/// The indices of an element in an array: `[1, 2]`.
[[nodiscard]] std::string index_text(std::uint64_t index, const Shape& shape);

}  // namespace vyre::cli::job
