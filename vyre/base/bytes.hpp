#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace vyre {

static_assert(std::endian::native == std::endian::little, "values are encoded as they lie in memory");

/// A value that is encoded as its bytes. No `long double`, which has bytes of no value.
template <typename T>
concept PlainValue = (std::integral<T> || std::same_as<T, float> || std::same_as<T, double> || std::is_enum_v<T>);

/// Encodes values one behind the other, for `ByteReader`.
class ByteWriter {
 public:
  template <PlainValue T>
  ByteWriter& add(T value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
    return *this;
  }
  ByteWriter& add(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  ByteWriter& add_text(std::string_view text) {
    add(std::uint64_t{text.size()});
    return add(std::as_bytes(std::span{text}));
  }
  [[nodiscard]] std::vector<std::byte> take() noexcept { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Decodes what `ByteWriter` encoded. Bytes that end too early, or an enumerator or `bool` that does not exist, make
/// all further values zero and `is_good` false, so that a decoder can check once, at its end.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) noexcept : rest_{bytes} {}

  template <PlainValue T>
  [[nodiscard]] T take() noexcept {
    T value{};
    const std::span<const std::byte> bytes = take_bytes(sizeof value);
    if (bytes.empty()) return value;
    if constexpr (std::same_as<T, bool>) {
      is_good_ = is_good_ && std::to_integer<unsigned>(bytes[0]) <= 1;
      return is_good_ && bytes[0] == std::byte{1};
    } else {
      std::memcpy(&value, bytes.data(), sizeof value);
      return value;
    }
  }
  /// An enumerator below `end`.
  template <typename T>
    requires std::is_enum_v<T>
  [[nodiscard]] T take_below(T end) noexcept {
    const T value = take<T>();
    if (value < end) return value;
    is_good_ = false;
    return T{};
  }
  [[nodiscard]] std::string take_text() {
    const auto size = take<std::uint64_t>();
    const std::span<const std::byte> bytes = take_bytes(size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  /// As many bytes as asked for, or none.
  [[nodiscard]] std::span<const std::byte> take_bytes(std::uint64_t size) noexcept {
    if (!is_good_ || size > rest_.size()) {
      is_good_ = false;
      return {};
    }
    const std::span<const std::byte> bytes = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(static_cast<std::size_t>(size));
    return bytes;
  }
  /// How many values of `bytes` bytes each can follow at most, for the size of a container.
  [[nodiscard]] std::size_t left(std::size_t bytes = 1) const noexcept { return rest_.size() / bytes; }
  [[nodiscard]] bool is_good() const noexcept { return is_good_; }
  /// Whether every byte was decoded, without a mistake.
  [[nodiscard]] bool is_done() const noexcept { return is_good_ && rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  bool is_good_ = true;
};

}  // namespace vyre
