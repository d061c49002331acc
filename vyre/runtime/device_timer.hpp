#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <vyre/backend/device.hpp>

namespace vyre::runtime {

/// Takes the time that lists need on the device: each has a place where it writes when it begins and ends. Not
/// thread-safe.
class DeviceTimer {
 public:
  static constexpr std::uint32_t kPlaces = 1024;

  /// The place of a list, for as long as it may be launched. Empty if there was none to be had. It may end before
  /// launches have completed, but not after the timer.
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

    /// Puts the first command into a list, if there is a place.
    void begin(backend::CommandList& list) const {
      if (timer_ != nullptr) list.timestamp(timer_->buffer_, index_ * kPlaceBytes);
    }
    /// And the last.
    void end(backend::CommandList& list) const {
      if (timer_ != nullptr) list.timestamp(timer_->buffer_, index_ * kPlaceBytes + kPlaceBytes / 2);
    }
    /// Notes a launch; gives the number to be told when it has completed.
    [[nodiscard]] std::optional<std::uint32_t> launched() const noexcept {
      if (timer_ == nullptr) return std::nullopt;
      ++timer_->slots_[index_].pending;
      return index_;
    }

   private:
    DeviceTimer* timer_ = nullptr;
    std::uint32_t index_ = 0;
  };

  [[nodiscard]] Place take(backend::Device& device);
  struct Time {
    std::uint64_t ns = 0;
    std::uint32_t launches = 0;
  };
  /// Notes that a launch has completed, and gives what can be known now. Of several that were pending at once, the last
  /// stands for all.
  [[nodiscard]] Time completed(std::uint32_t index) noexcept;
  void free(backend::Device& device) noexcept;

 private:
  static constexpr std::uint64_t kPlaceBytes = 16;

  struct Slot {
    std::uint32_t pending = 0;
    bool is_kept = false;
    std::uint32_t untold = 0;  // Launches that have completed, and whose time was not given yet.
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
