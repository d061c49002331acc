#pragma once

#include <cstddef>
#include <cstdint>

#include <vyre/base/check.hpp>

namespace vyre::runtime {

class Session;

/// Some bytes of a buffer of a session. A name, cheap to copy; what it names belongs to the session.
struct BufferView {
  std::uint64_t session = 0;  ///< 0 names nothing.
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  std::uint64_t offset = 0;  ///< In bytes.
  std::uint64_t size = 0;    ///< In bytes.

  /// A part of it. It must lie within; dispatches need offsets that suit the device.
  [[nodiscard]] BufferView bytes(std::uint64_t begin, std::uint64_t count) const noexcept {
    VYRE_CHECK(begin <= size && count <= size - begin, "a part of a view lies within it");
    return {.session = session, .index = index, .generation = generation, .offset = offset + begin, .size = count};
  }

  friend bool operator==(const BufferView&, const BufferView&) = default;
};

/// A view of elements.
template <typename T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(const BufferView& view) noexcept : view_{view} {}

  [[nodiscard]] std::uint64_t size() const noexcept { return view_.size / sizeof(T); }
  [[nodiscard]] const BufferView& view() const noexcept { return view_; }
  /// Elements from `begin` on.
  [[nodiscard]] Buffer part(std::uint64_t begin, std::uint64_t count) const noexcept {
    constexpr std::uint64_t kMost = ~std::uint64_t{0} / sizeof(T);
    VYRE_CHECK(begin <= kMost && count <= kMost, "a part lies within its buffer");
    return Buffer{view_.bytes(begin * sizeof(T), count * sizeof(T))};
  }
  // A typed view is taken wherever bytes are.
  operator const BufferView&() const noexcept { return view_; }  // NOLINT(google-explicit-constructor)

  friend bool operator==(const Buffer&, const Buffer&) = default;

 private:
  BufferView view_;
};

}  // namespace vyre::runtime
