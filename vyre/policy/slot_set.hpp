#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include <vyre/base/u128.hpp>

namespace vyre::policy {

/// A set of binding slots: sorted, without repeats, so that equal sets print and compare alike.
///
/// Up to `kInlineSlots` slots are held without allocation.
class SlotSet {
 public:
  using value_type = std::uint32_t;
  using const_iterator = const std::uint32_t*;
  static constexpr std::uint32_t kInlineSlots = 8;

  constexpr SlotSet() noexcept = default;
  constexpr SlotSet(std::initializer_list<std::uint32_t> slots) noexcept : SlotSet{std::span{slots}} {}
  /// From slots in any order, with or without repeats.
  constexpr explicit SlotSet(std::span<const std::uint32_t> slots) noexcept {
    reserve(slots.size());
    std::ranges::copy(slots, data());
    std::ranges::sort(data(), data() + slots.size());
    size_ = static_cast<std::uint32_t>(std::unique(data(), data() + slots.size()) - data());
    for (const std::uint32_t slot : *this) bits_ |= bit(slot);
  }

  constexpr SlotSet(const SlotSet& other) noexcept : bits_{other.bits_} {
    reserve(other.size_);
    std::ranges::copy(other, data());
    size_ = other.size_;
  }
  constexpr SlotSet(SlotSet&& other) noexcept { swap(other); }
  constexpr SlotSet& operator=(SlotSet other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~SlotSet() {
    if (is_spilled()) delete[] storage_.heap;
  }

  constexpr void insert(std::uint32_t slot) noexcept {
    if (contains(slot)) return;
    reserve(std::size_t{size_} + 1);
    std::uint32_t* place = std::ranges::lower_bound(data(), data() + size_, slot);
    std::ranges::copy_backward(place, data() + size_, data() + size_ + 1);
    *place = slot;
    ++size_;
    bits_ |= bit(slot);
  }

  [[nodiscard]] constexpr bool contains(std::uint32_t slot) const noexcept {
    const bool known = (bits_ & bit(slot)) != 0;
    if (slot >= kFarSlot) [[unlikely]]
      return contains_far(slot);
    return known;
  }

  /// Whether any slot is in both sets.
  [[nodiscard]] constexpr bool intersects(const SlotSet& other) const noexcept {
    const std::uint64_t common = bits_ & other.bits_;
    if ((common & kFarBit) != 0) [[unlikely]]
      return (common & ~kFarBit) != 0 || intersects_far(other);
    return common != 0;
  }

  /// The slots of both sets, in order.
  [[nodiscard]] constexpr SlotSet intersection(const SlotSet& other) const noexcept {
    SlotSet common;
    for (const std::uint32_t slot : *this) {
      if (other.contains(slot)) common.insert(slot);
    }
    return common;
  }

  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr const std::uint32_t* begin() const noexcept {
    return is_spilled() ? storage_.heap : storage_.local.data();
  }
  [[nodiscard]] constexpr const std::uint32_t* end() const noexcept { return begin() + size_; }

  friend constexpr bool operator==(const SlotSet& a, const SlotSet& b) noexcept { return std::ranges::equal(a, b); }

 private:
  // Slots below kFarSlot have a bit each; all others share one. Real layouts seldom leave the first 63.
  static constexpr std::uint32_t kFarSlot = 63;
  static constexpr std::uint64_t kFarBit = std::uint64_t{1} << kFarSlot;
  [[nodiscard]] static constexpr std::uint64_t bit(std::uint32_t slot) noexcept {
    return std::uint64_t{1} << std::min(slot, kFarSlot);
  }

  union Storage {
    std::array<std::uint32_t, kInlineSlots> local{};
    std::uint32_t* heap;
  };

  [[nodiscard]] constexpr bool is_spilled() const noexcept { return capacity_ > kInlineSlots; }
  [[nodiscard]] constexpr std::uint32_t* data() noexcept {
    return is_spilled() ? storage_.heap : storage_.local.data();
  }
  constexpr void swap(SlotSet& other) noexcept {
    std::swap(bits_, other.bits_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(storage_, other.storage_);
  }
  /// Makes room for `count` slots, keeping the present ones.
  constexpr void reserve(std::size_t count) noexcept {
    if (count <= capacity_) return;
    const auto capacity = static_cast<std::uint32_t>(std::max(count, 2 * std::size_t{capacity_}));
    auto* heap = new std::uint32_t[capacity]{};
    std::ranges::copy(*this, heap);
    if (is_spilled()) delete[] storage_.heap;
    storage_.heap = heap;
    capacity_ = capacity;
  }
  // Out of line: inlined into a decision they cost it the registers of its fast path.
  [[nodiscard, gnu::noinline, gnu::cold]] constexpr bool contains_far(std::uint32_t slot) const noexcept {
    return std::ranges::binary_search(*this, slot);
  }
  [[nodiscard, gnu::noinline, gnu::cold]] constexpr bool intersects_far(const SlotSet& other) const noexcept {
    const std::uint32_t* a = std::ranges::lower_bound(*this, kFarSlot);
    const std::uint32_t* b = std::ranges::lower_bound(other, kFarSlot);
    while (a != end() && b != other.end()) {
      if (*a == *b) return true;
      *a < *b ? ++a : ++b;
    }
    return false;
  }

  std::uint64_t bits_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInlineSlots;
  Storage storage_{};
};

/// `{0, 1, 7}`
[[nodiscard]] constexpr std::string to_string(const SlotSet& slots) {
  std::string text = "{";
  for (const std::uint32_t slot : slots) {
    if (text.size() > 1) text.append(", ");
    text.append(U128Text{slot}.view());
  }
  return text.append("}");
}

}  // namespace vyre::policy
