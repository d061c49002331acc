#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <vyre/backend/device.hpp>

namespace vyre::runtime {

/// Measures the device time of lists, with two timestamps for each: the device writes one into the list's place in a
/// buffer when the list begins, the other when it ends.
///
/// Thread safety: one thread at a time.
class DeviceTimer {
 public:
  static constexpr std::uint32_t kPlaces = 1024;

  /// The place of a list in the timer's buffer. It must live until the last launch of the list, and may be destroyed
  /// while that is pending. The timer must outlive it. An empty place measures nothing.
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
    /// Notes a launch of the list. Gives the number to call `completed` with; nothing if the place is empty.
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
  /// Notes that a launch has completed. Gives the device time of all launches of the list that have completed since a
  /// time was last given. Later launches overwrite the timestamps of earlier ones: if several were pending at once, a
  /// time is given only when the last has completed, and that launch's time is assumed for each of them.
  [[nodiscard]] Time completed(std::uint32_t index) noexcept;
  void free(backend::Device& device) noexcept;

 private:
  static constexpr std::uint64_t kPlaceBytes = 16;

  struct Slot {
    std::uint32_t pending = 0;
    bool is_in_use = false;        // Whether a `Place` refers to it.
    std::uint32_t unreported = 0;  // The number of completed launches whose time was not given yet.
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
