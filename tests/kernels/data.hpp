#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernel_case.hpp"

/// What the cases are built from: data with fixed seeds, buffers holding it, and the commonest expectations.
namespace vyre::kernels {

using Buffers = std::vector<Buffer>;

/// A generator whose sequence depends on the seed alone, the same on every platform.
class Sequence {
 public:
  explicit constexpr Sequence(std::uint32_t seed) noexcept : state_(seed) {}

  constexpr std::uint32_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15u;
    const std::uint64_t mixed = (state_ ^ (state_ >> 29)) * 0xbf58476d1ce4e5b9u;
    return static_cast<std::uint32_t>((mixed ^ (mixed >> 27)) >> 32);
  }

 private:
  std::uint64_t state_;
};

/// Words with all 32 bits random.
[[nodiscard]] inline std::vector<std::uint32_t> words(std::size_t count, std::uint32_t seed) {
  Sequence sequence(seed);
  std::vector<std::uint32_t> values(count);
  for (std::uint32_t& value : values) value = sequence.next();
  return values;
}

/// Whole numbers from `low` to `high`, both included, as any arithmetic type that holds them.
template <typename T>
[[nodiscard]] std::vector<T> integers(std::size_t count, std::uint32_t seed, std::int64_t low, std::int64_t high) {
  Sequence sequence(seed);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(low + static_cast<std::int64_t>(sequence.next()) % (high - low + 1));
  return values;
}

/// Multiples of 1/8, so that sums and products of a few are exact in any order.
[[nodiscard]] inline std::vector<float> eighths(std::size_t count, std::uint32_t seed, std::int64_t low,
                                                std::int64_t high) {
  std::vector<float> values = integers<float>(count, seed, low * 8, high * 8);
  for (float& value : values) value /= 8;
  return values;
}

/// The half of a float that has one exactly and is zero or normal there.
[[nodiscard]] inline std::uint32_t to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16u & 0x8000u;
  if (value == 0) return sign;
  return sign | (((bits & 0x7fff'ffffu) >> 13u) - (112u << 10u));
}

/// The scalar type of `T`; words for structs, which are compared as such.
template <typename T>
[[nodiscard]] constexpr ScalarType scalar_type() noexcept {
  if constexpr (std::is_same_v<T, float>) {
    return ScalarType::F32;
  } else if constexpr (std::is_same_v<T, double>) {
    return ScalarType::F64;
  } else if constexpr (std::is_integral_v<T>) {
    constexpr std::array kUnsigned = {ScalarType::U8, ScalarType::U16, ScalarType::U32, ScalarType::U64};
    constexpr std::array kSigned = {ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64};
    constexpr auto kWidth = static_cast<std::size_t>(std::countr_zero(sizeof(T)));
    return std::is_signed_v<T> ? kSigned[kWidth] : kUnsigned[kWidth];
  } else {
    return ScalarType::U32;
  }
}

inline constexpr Comparison kUnordered = {.rule = Comparison::Rule::Unordered};

inline constexpr Comparison kWithin = {.rule = Comparison::Rule::Within};

struct Place {
  std::uint32_t set = 0;
  std::uint32_t slot = 0;
  std::uint32_t element = 0;
};

template <typename T>
[[nodiscard]] Buffer buffer(Place place, const std::vector<T>& values, Comparison comparison = {}) {
  return {.set = place.set,
          .slot = place.slot,
          .element = place.element,
          .type = scalar_type<T>(),
          .comparison = comparison,
          .bytes = to_bytes(values)};
}

/// A buffer in set 0.
template <typename T>
[[nodiscard]] Buffer buffer(std::uint32_t slot, const std::vector<T>& values, Comparison comparison = {}) {
  return buffer(Place{.slot = slot}, values, comparison);
}

template <typename T>
[[nodiscard]] Buffer zeros(std::uint32_t slot, std::size_t count, Comparison comparison = {}) {
  return buffer(slot, std::vector<T>(count), comparison);
}

/// The first buffers as spans of `T...`, in their order.
template <typename... T>
[[nodiscard]] std::tuple<std::span<T>...> views(Buffers& buffers) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<std::span<T>...>{buffers[I].template as<T>()...};
  }(std::index_sequence_for<T...>{});
}

/// A storage buffer in set 0 whose block is one runtime array.
[[nodiscard]] inline ExpectedBinding runtime_array(std::uint32_t slot, std::string name, Access access,
                                                   std::uint32_t stride) {
  return {.slot = slot, .name = std::move(name), .access = access, .stride = stride, .runtime_sized = true};
}

/// A storage buffer in set 0 of a fixed size; `stride` if its last member is an array.
[[nodiscard]] inline ExpectedBinding fixed_block(std::uint32_t slot, std::string name, Access access,
                                                 std::uint64_t size, std::uint32_t stride = 0) {
  return {.slot = slot, .name = std::move(name), .access = access, .stride = stride, .size = size};
}

/// A uniform buffer in set 0; `stride` if its last member is an array.
[[nodiscard]] inline ExpectedBinding uniform_block(std::uint32_t slot, std::string name, std::uint64_t size,
                                                   std::uint32_t stride = 0) {
  return {.slot = slot,
          .name = std::move(name),
          .kind = Kind::UniformBuffer,
          .access = Access::Read,
          .stride = stride,
          .size = size};
}

}  // namespace vyre::kernels
