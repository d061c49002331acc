#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include <vyre/base/check.hpp>
#include <vyre/program/interface.hpp>

namespace vyre::runtime {

/// Values for the push constants of a dispatch: one for each member in order, or by name, or the bytes of all.
class Params {
 public:
  static constexpr std::size_t kMaxBytes = 256;  ///< Programs that have more are refused.
  static constexpr std::size_t kMaxValues = 32;

  /// One value: a scalar, or a vector of two to four. Without defaults, so that making `Params` costs nothing.
  struct Value {
    const char* name_begin;
    std::uint16_t name_size;  ///< 0 for the next member in order.
    std::uint16_t offset;     ///< Within `bytes`.
    program::ScalarKind kind;
    std::uint8_t bits;
    std::uint8_t components;

    [[nodiscard]] std::string_view name() const noexcept { return {name_begin, name_size}; }
  };

  Params() noexcept {}  // NOLINT(modernize-use-equals-default): leaves the arrays as they are

  /// All bytes of the block, as the kernel lays them out.
  [[nodiscard]] static Params from_bytes(std::span<const std::byte> bytes) noexcept {
    VYRE_CHECK(bytes.size() <= kMaxBytes, "there are at most 256 bytes of push constants");
    Params params;
    params.is_block_ = true;
    params.size_ = static_cast<std::uint16_t>(bytes.size());
    if (!bytes.empty()) std::memcpy(params.bytes_.data(), bytes.data(), bytes.size());
    return params;
  }

  template <typename T>
  Params& add(const T& value, std::string_view name = {}) noexcept {
    VYRE_CHECK(count_ < kMaxValues && size_ + sizeof(T) <= kMaxBytes, "parameters have at most 32 values");
    Value& entry = values_[count_++];
    entry = describe<T>();
    entry.name_begin = name.data();
    entry.name_size = static_cast<std::uint16_t>(name.size());
    entry.offset = size_;
    std::memcpy(bytes_.data() + size_, &value, sizeof(T));
    size_ = static_cast<std::uint16_t>(size_ + sizeof(T));
    return *this;
  }

  [[nodiscard]] bool is_block() const noexcept { return is_block_; }
  [[nodiscard]] std::span<const Value> values() const noexcept { return std::span{values_}.first(count_); }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return std::span{bytes_}.first(size_); }

 private:
  template <typename T>
  struct Shape {
    using Scalar = T;
    static constexpr std::uint8_t kComponents = 1;
  };
  template <typename T, std::size_t kCount>
  struct Shape<std::array<T, kCount>> {
    static_assert(kCount >= 2 && kCount <= 4, "a vector has two to four components");
    using Scalar = T;
    static constexpr std::uint8_t kComponents = kCount;
  };

  template <typename T>
  static constexpr Value describe() noexcept {
    using Scalar = typename Shape<T>::Scalar;
    static_assert(std::is_arithmetic_v<Scalar> && !std::is_same_v<Scalar, bool>,
                  "a parameter is a number or a std::array of two to four; GLSL keeps a bool as a uint");
    return {.name_begin = nullptr,
            .name_size = 0,
            .offset = 0,
            .kind = std::is_floating_point_v<Scalar> ? program::ScalarKind::Float
                    : std::is_signed_v<Scalar>       ? program::ScalarKind::Int
                                                     : program::ScalarKind::Uint,
            .bits = sizeof(Scalar) * 8,
            .components = Shape<T>::kComponents};
  }

  // What is nearly always looked at lies together.
  std::uint16_t size_ = 0;
  std::uint8_t count_ = 0;
  bool is_block_ = false;
  std::array<std::byte, kMaxBytes> bytes_;
  std::array<Value, kMaxValues> values_;
};

/// A value for the member of a name.
template <typename T>
struct NamedParam {
  std::string_view name = {};
  T value = {};
};

template <typename T>
[[nodiscard]] NamedParam<T> param(std::string_view name, const T& value) noexcept {
  return {.name = name, .value = value};
}

/// `params(2.0f, 1000u)` gives every member in order, `params(param("count", 1000u), param("scale", 2.0f))` by name.
template <typename... T>
[[nodiscard]] Params params(const T&... values) noexcept {
  Params all;
  (all.add(values), ...);
  return all;
}
template <typename... T>
[[nodiscard]] Params params(const NamedParam<T>&... values) noexcept
  requires(sizeof...(T) > 0)
{
  Params all;
  (all.add(values.value, values.name), ...);
  return all;
}

/// A structure laid out as the kernel's block is.
template <typename T>
  requires std::is_trivially_copyable_v<T>
[[nodiscard]] Params params_block(const T& block) noexcept {
  return Params::from_bytes(std::as_bytes(std::span{&block, 1}));
}

}  // namespace vyre::runtime
