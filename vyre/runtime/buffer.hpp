#pragma once

#include <cstddef>
#include <cstdint>

namespace vyre::runtime {

class Session;

/// Some bytes of a buffer of a session. A name, cheap to copy; what it names belongs to the session.
struct BufferView {
  /// The index of a view that is no part of the view that it was taken from; see `bytes`.
  static constexpr std::uint32_t kOutside = ~std::uint32_t{0};

  std::uint64_t session = 0;  ///< 0 names nothing.
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  std::uint64_t offset = 0;  ///< In bytes.
  std::uint64_t size = 0;    ///< In bytes.

  /// A part of it; dispatches need offsets that suit the device.
  ///
  /// A part that does not lie within this view names no buffer. It carries the mistake to the call that it is given to,
  /// which returns `InvalidArgument` with the part and the size of this view. Parts of such a part are the same.
  [[nodiscard]] BufferView bytes(std::uint64_t begin, std::uint64_t count) const noexcept {
    if (begin > size || count > size - begin || is_outside()) [[unlikely]] {
      if (session == 0 || is_outside()) return *this;
      return {.session = size, .index = kOutside, .generation = 0, .offset = begin, .size = count};
    }
    return {.session = session, .index = index, .generation = generation, .offset = offset + begin, .size = count};
  }
  /// Whether it was taken as a part that does not lie within its view. Then `session` has the bytes of that view,
  /// `offset` and `size` the part that was asked for.
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
  /// Elements from `begin` on. A part that does not lie within this buffer is refused by the call that it is given to,
  /// as that of `BufferView::bytes` is.
  [[nodiscard]] Buffer part(std::uint64_t begin, std::uint64_t count) const noexcept {
    return Buffer{view_.bytes(bytes_of(begin), bytes_of(count))};
  }
  // A typed view is taken wherever bytes are.
  operator const BufferView&() const noexcept { return view_; }  // NOLINT(google-explicit-constructor)

  friend bool operator==(const Buffer&, const Buffer&) = default;

 private:
  /// The bytes of some elements; 2^64 - 1, which no view has, if they are more.
  [[nodiscard]] static constexpr std::uint64_t bytes_of(std::uint64_t elements) noexcept {
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    return elements > kMost / sizeof(T) ? kMost : elements * sizeof(T);
  }

  BufferView view_;
};

}  // namespace vyre::runtime
