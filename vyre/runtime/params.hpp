#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include <vyre/program/interface.hpp>

namespace vyre::runtime {

/// The push constants of a dispatch: a value for each member, in order or by name, or the bytes of the whole block.
///
/// Adding a value never fails. Values beyond the limits are counted and not stored; the call that the `Params` are
/// given to then returns `InvalidArgument` with the number and the limit.
class Params {
 public:
  static constexpr std::size_t kMaxBytes = 256;  ///< Programs with more bytes of push constants are refused.
  static constexpr std::size_t kMaxValues = 32;

  /// A value: a scalar, or a vector of two to four. Its members have no defaults, so that making `Params` costs
  /// nothing.
  struct Value {
    static constexpr std::uint32_t kInOrder = ~std::uint32_t{0};

    const char* name_begin;
    std::uint32_t name_size;  ///< The length of the member's name; `kInOrder` for the next member in order.
    std::uint8_t offset;      ///< The offset of the value within `bytes`.
    program::ScalarKind kind;
    std::uint8_t bits;
    std::uint8_t components;

    [[nodiscard]] bool is_named() const noexcept { return name_size != kInOrder; }
    [[nodiscard]] std::string_view name() const noexcept { return {name_begin, is_named() ? name_size : 0}; }
  };

  Params() noexcept {}  // NOLINT(modernize-use-equals-default): leaves the arrays as they are

  /// All bytes of the block, as the kernel lays them out.
  [[nodiscard]] static Params from_bytes(std::span<const std::byte> bytes) noexcept {
    Params params;
    params.is_block_ = true;
    params.byte_count_ = bytes.size();
    if (!bytes.empty() && params.fits()) std::memcpy(params.bytes_.data(), bytes.data(), bytes.size());
    return params;
  }

  /// Adds a value for the next member in order.
  template <typename T>
  Params& add(const T& value) noexcept {
    return add(value, nullptr, Value::kInOrder);
  }
  /// Adds a value for the member `name`.
  template <typename T>
  Params& add(const T& value, std::string_view name) noexcept {
    constexpr std::size_t kLongest = Value::kInOrder - 1;
    return add(value, name.data(), static_cast<std::uint32_t>(name.size() < kLongest ? name.size() : kLongest));
  }

  /// Whether values and bytes are within the limits.
  [[nodiscard]] bool fits() const noexcept { return value_count_ <= kMaxValues && byte_count_ <= kMaxBytes; }
  /// The number of values that were added.
  [[nodiscard]] std::size_t value_count() const noexcept { return value_count_; }
  /// The size in bytes: of the block, if the parameters were given as a block, otherwise of all values together.
  [[nodiscard]] std::size_t byte_count() const noexcept { return byte_count_; }

  [[nodiscard]] bool is_block() const noexcept { return is_block_; }
  /// The values that were added; empty if they do not fit.
  [[nodiscard]] std::span<const Value> values() const noexcept {
    return std::span{values_}.first(fits() ? value_count_ : 0);
  }
  /// The bytes of the block, or of the values one after another; empty if they do not fit.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return std::span{bytes_}.first(fits() ? byte_count_ : 0);
  }

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
            .name_size = Value::kInOrder,
            .offset = 0,
            .kind = std::is_floating_point_v<Scalar> ? program::ScalarKind::Float
                    : std::is_signed_v<Scalar>       ? program::ScalarKind::Int
                                                     : program::ScalarKind::Uint,
            .bits = sizeof(Scalar) * 8,
            .components = Shape<T>::kComponents};
  }

  template <typename T>
  Params& add(const T& value, const char* name_begin, std::uint32_t name_size) noexcept {
    const std::size_t offset = byte_count_;
    ++value_count_;
    byte_count_ += sizeof(T);
    if (!fits()) return *this;
    Value& entry = values_[value_count_ - 1];
    entry = describe<T>();
    entry.name_begin = name_begin;
    entry.name_size = name_size;
    entry.offset = static_cast<std::uint8_t>(offset);
    std::memcpy(bytes_.data() + offset, &value, sizeof(T));
    return *this;
  }

  // The members that every dispatch reads stand first. The counts also grow by values that are not kept.
  std::size_t value_count_ = 0;
  std::size_t byte_count_ = 0;
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
