#pragma once

#include <cstddef>
#include <cstdint>

namespace vyre::runtime {

class Session;

/// A range of bytes of a buffer. A view is a name and cheap to copy; the buffer belongs to the session.
struct BufferView {
  /// The value of `index` that marks a part that is not within its view, see `bytes`.
  static constexpr std::uint32_t kOutside = ~std::uint32_t{0};

  std::uint64_t session = 0;  ///< 0 names nothing.
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  std::uint64_t offset = 0;  ///< In bytes.
  std::uint64_t size = 0;    ///< In bytes.

  /// A part of this view. If a dispatch binds it, its offset must have the device's alignment.
  ///
  /// A part that does not lie within this view can be made, but every call that it is given to refuses it, with
  /// `InvalidArgument` that names the part and the size of this view. A part of such a part is refused in the same way.
  [[nodiscard]] BufferView bytes(std::uint64_t begin, std::uint64_t count) const noexcept {
    if (begin > size || count > size - begin || is_outside()) [[unlikely]] {
      if (session == 0 || is_outside()) return *this;
      return {.session = size, .index = kOutside, .generation = 0, .offset = begin, .size = count};
    }
    return {.session = session, .index = index, .generation = generation, .offset = offset + begin, .size = count};
  }
  /// Whether this is a part that does not lie within its view. Then, for the message, `session` is the size of that
  /// view, and `offset` and `size` are the part that was asked for.
  [[nodiscard]] bool is_outside() const noexcept { return index == kOutside; }

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
  /// `count` elements, from element `begin` on. A part that does not lie within this buffer is refused by the call that
  /// it is given to, see `BufferView::bytes`.
  [[nodiscard]] Buffer part(std::uint64_t begin, std::uint64_t count) const noexcept {
    return Buffer{view_.bytes(bytes_of(begin), bytes_of(count))};
  }
  // Implicit, so that a typed view can be given wherever bytes are expected.
  operator const BufferView&() const noexcept { return view_; }  // NOLINT(google-explicit-constructor)

  friend bool operator==(const Buffer&, const Buffer&) = default;

 private:
  /// The size of some elements in bytes. 2^64 - 1 if it does not fit into 64 bits; no view is as large.
  [[nodiscard]] static constexpr std::uint64_t bytes_of(std::uint64_t elements) noexcept {
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    return elements > kMost / sizeof(T) ? kMost : elements * sizeof(T);
  }

  BufferView view_;
};

}  // namespace vyre::runtime
