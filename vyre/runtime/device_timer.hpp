#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <vyre/backend/device.hpp>

namespace vyre::runtime {

/// Measures the device time of lists. Each list has a place in a buffer, into which the device writes timestamps when
/// the list begins and when it ends.
///
/// Thread safety: one thread at a time.
class DeviceTimer {
 public:
  static constexpr std::uint32_t kPlaces = 1024;

  /// The place of a list. It must live as long as the list is launched, and may end while launches are pending; the
  /// timer outlives it. An empty place measures nothing.
  class Place {
   public:
    Place() = default;
    Place(DeviceTimer& timer, std::uint32_t index) noexcept : timer_{&timer}, index_{index} {}
    Place(Place&& other) noexcept : timer_{std::exchange(other.timer_, nullptr)}, index_{other.index_} {}
    Place& operator=(Place&& other) noexcept {
      std::swap(timer_, other.timer_);
      std::swap(index_, other.index_);
      return *this;
    }
    ~Place() {
      if (timer_ != nullptr) timer_->drop(index_);
    }

    /// Adds the first timestamp to a list. Does nothing if the place is empty.
    void begin(backend::CommandList& list) const {
      if (timer_ != nullptr) list.timestamp(timer_->buffer_, index_ * kPlaceBytes);
    }
    /// Adds the last timestamp.
    void end(backend::CommandList& list) const {
      if (timer_ != nullptr) list.timestamp(timer_->buffer_, index_ * kPlaceBytes + kPlaceBytes / 2);
    }
    /// Notes a launch. Gives the number that `completed` takes; nothing if the place is empty.
    [[nodiscard]] std::optional<std::uint32_t> launched() const noexcept {
      if (timer_ == nullptr) return std::nullopt;
      ++timer_->slots_[index_].pending;
      return index_;
    }

   private:
    DeviceTimer* timer_ = nullptr;
    std::uint32_t index_ = 0;
  };

  /// A place for a list; an empty one if the device has no timestamps or all places are in use.
  [[nodiscard]] Place take(backend::Device& device);
  struct Time {
    std::uint64_t ns = 0;
    std::uint32_t launches = 0;
  };
  /// Notes that a launch has completed. Gives the device time of the launches that have completed since the last
  /// answer. If several launches of a list were pending at once, nothing is known before the last, and its time counts
  /// for each.
  [[nodiscard]] Time completed(std::uint32_t index) noexcept;
  void free(backend::Device& device) noexcept;

 private:
  static constexpr std::uint64_t kPlaceBytes = 16;

  struct Slot {
    std::uint32_t pending = 0;
    bool is_in_use = false;        // Whether a `Place` names it.
    std::uint32_t unreported = 0;  // Launches that have completed and whose time was not given yet.
  };

  void drop(std::uint32_t index) noexcept;

  bool is_made_ = false;
  backend::BufferHandle buffer_ = {};
  std::span<const std::byte> mapped_ = {};
  double period_ns_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace vyre::runtime
