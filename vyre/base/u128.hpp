#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vyre {

/// Exact sums of nanoseconds: a 32-bit count times a 64-bit time needs 96 bits.
__extension__ using u128 = unsigned __int128;

/// Digits of the largest u128, 340282366920938463463374607431768211455.
inline constexpr std::size_t kMaxU128Digits = 39;

/// A u128 in decimal, held without allocation.
class U128Text {
 public:
  constexpr explicit U128Text(u128 value) noexcept {
    // 64-bit divisions by a constant are multiplications; 128-bit ones are calls. So at most two of the latter.
    constexpr std::uint64_t kChunk = 10'000'000'000'000'000'000U;  // 10^19, the largest power in 64 bits
    constexpr std::size_t kChunkDigits = 19;
    while (value >= kChunk) {
      const std::size_t end = first_ - kChunkDigits;
      write(static_cast<std::uint64_t>(value % kChunk));
      while (first_ > end) digits_[--first_] = '0';
      value /= kChunk;
    }
    write(static_cast<std::uint64_t>(value));
    if (first_ == kMaxU128Digits) digits_[--first_] = '0';
  }
  [[nodiscard]] constexpr std::string_view view() const noexcept {
    return {digits_.data() + first_, kMaxU128Digits - first_};
  }

 private:
  constexpr void write(std::uint64_t part) noexcept {
    for (; part != 0; part /= 10) digits_[--first_] = static_cast<char>('0' + part % 10);
  }

  std::array<char, kMaxU128Digits> digits_{};
  std::size_t first_ = kMaxU128Digits;
};

[[nodiscard]] constexpr std::string to_decimal(u128 value) { return std::string{U128Text{value}.view()}; }

namespace detail {

/// Reads a whole decimal number that fits in `T`. Nothing otherwise.
template <typename T>
[[nodiscard]] constexpr std::optional<T> parse_decimal(std::string_view text) noexcept {
  if (text.empty()) return std::nullopt;
  T value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    if (__builtin_mul_overflow(value, T{10}, &value)) return std::nullopt;
    if (__builtin_add_overflow(value, static_cast<T>(c - '0'), &value)) return std::nullopt;
  }
  return value;
}

}  // namespace detail

/// Reads a whole decimal number. Nothing if it is empty, has anything but digits, or exceeds 128 bits.
[[nodiscard]] constexpr std::optional<u128> parse_u128(std::string_view text) noexcept {
  return detail::parse_decimal<u128>(text);
}

/// Reads a whole decimal number of at most 64 bits. Nothing otherwise.
[[nodiscard]] constexpr std::optional<std::uint64_t> parse_u64(std::string_view text) noexcept {
  return detail::parse_decimal<std::uint64_t>(text);
}

static_assert(U128Text{0}.view() == "0");
static_assert(U128Text{u128{10'000'000'000'000'000'000U} * 10}.view() == "100000000000000000000");
static_assert(U128Text{~u128{0}}.view() == "340282366920938463463374607431768211455");
static_assert(parse_u128("340282366920938463463374607431768211455") == ~u128{0});
static_assert(!parse_u128("340282366920938463463374607431768211456"));

}  // namespace vyre
