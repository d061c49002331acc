#include "cli/job/element.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vyre/base/check.hpp>
#include <vyre/base/checked.hpp>

#include "cli/job/number.hpp"

namespace vyre::cli::job {
namespace {

using program::ScalarKind;

struct TypeFacts {
  std::string_view name;
  ScalarKind kind;
  std::uint8_t bits;
  std::uint8_t components;
};

// In the order of `ElementType`.
constexpr std::array<TypeFacts, kElementTypes.size()> kFacts{{{"u8", ScalarKind::Uint, 8, 1},
                                                              {"i8", ScalarKind::Int, 8, 1},
                                                              {"u16", ScalarKind::Uint, 16, 1},
                                                              {"i16", ScalarKind::Int, 16, 1},
                                                              {"u32", ScalarKind::Uint, 32, 1},
                                                              {"i32", ScalarKind::Int, 32, 1},
                                                              {"u64", ScalarKind::Uint, 64, 1},
                                                              {"i64", ScalarKind::Int, 64, 1},
                                                              {"f16", ScalarKind::Float, 16, 1},
                                                              {"f32", ScalarKind::Float, 32, 1},
                                                              {"f64", ScalarKind::Float, 64, 1},
                                                              {"c64", ScalarKind::Float, 32, 2},
                                                              {"c128", ScalarKind::Float, 64, 2}}};

const TypeFacts& facts(ElementType type) noexcept { return kFacts[static_cast<std::size_t>(type)]; }

template <typename T>
T load_as(std::span<const std::byte> bytes) noexcept {
  T value;
  VYRE_CHECK(bytes.size() >= sizeof value, "an element lies within its bytes");
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// Calls `use` with a component in its C++ type; a half is given as a double.
template <typename Use>
auto with_component(std::span<const std::byte> bytes, ElementType type, const Use& use) {
  switch (type) {
    case ElementType::U8: return use(load_as<std::uint8_t>(bytes));
    case ElementType::I8: return use(load_as<std::int8_t>(bytes));
    case ElementType::U16: return use(load_as<std::uint16_t>(bytes));
    case ElementType::I16: return use(load_as<std::int16_t>(bytes));
    case ElementType::U32: return use(load_as<std::uint32_t>(bytes));
    case ElementType::I32: return use(load_as<std::int32_t>(bytes));
    case ElementType::U64: return use(load_as<std::uint64_t>(bytes));
    case ElementType::I64: return use(load_as<std::int64_t>(bytes));
    case ElementType::F16: return use(static_cast<float>(from_half(load_as<std::uint16_t>(bytes))));
    case ElementType::F32:
    case ElementType::C64: return use(load_as<float>(bytes));
    case ElementType::F64:
    case ElementType::C128: return use(load_as<double>(bytes));
  }
  return use(0.0);
}

}  // namespace

std::string_view to_string(ElementType type) noexcept { return facts(type).name; }

std::optional<ElementType> parse_element_type(std::string_view name) noexcept {
  const auto* found = std::ranges::find_if(kElementTypes, [&](ElementType type) { return facts(type).name == name; });
  return found == kElementTypes.end() ? std::nullopt : std::optional{*found};
}

std::size_t components_of(ElementType type) noexcept { return facts(type).components; }

program::ScalarType scalar_of(ElementType type) noexcept {
  return {.kind = facts(type).kind, .bits = facts(type).bits};
}

std::size_t bytes_of(ElementType type) noexcept { return std::size_t{facts(type).bits} / 8 * facts(type).components; }

long double load(std::span<const std::byte> bytes, ElementType type) noexcept {
  return with_component(bytes, type, [](auto value) { return static_cast<long double>(value); });
}

std::string element_text(std::span<const std::byte> bytes, ElementType type) {
  const auto component = [type](std::span<const std::byte> from) {
    return with_component(from, type, [](auto value) { return fmt::format("{}", value); });
  };
  if (components_of(type) == 1) return component(bytes);
  return fmt::format("({}, {})", component(bytes), component(bytes.subspan(bytes_of(type) / 2)));
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::string describe(ElementType type, const Shape& shape) {
  return fmt::format("{} {}", to_string(type), to_string(shape));
}

Result<std::uint64_t> array_bytes(ElementType type, const Shape& shape) {
  constexpr Counted kArray{.table = "the array", .remedy = "make it smaller"};
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  // If one dimension is 0, the array is empty, and the product of the others must not overflow.
  if (std::ranges::find(shape, 0U) != shape.end()) return 0;
  std::uint64_t bytes = bytes_of(type);
  for (const std::uint64_t side : shape) {
    VYRE_ASSIGN(bytes, checked_mul(bytes, side, kArray, kMost));
  }
  return bytes;
}

std::string index_text(std::uint64_t index, const Shape& shape) {
  Shape at(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    at[i] = shape[i] == 0 ? 0 : index % shape[i];
    index = shape[i] == 0 ? 0 : index / shape[i];
  }
  return to_string(at);
}

}  // namespace vyre::cli::job
