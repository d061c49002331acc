#include <vyre/runtime/device_timer.hpp>

#include <cstring>
#include <tuple>

namespace vyre::runtime {

DeviceTimer::Place DeviceTimer::take(backend::Device& device) {
  if (!is_made_) {
    is_made_ = true;
    const backend::DeviceInfo& info = device.info();
    if (info.limits.max_timestamps < 2) return {};
    const auto buffer = device.allocate({.size = kPlaces * kPlaceBytes, .memory = backend::Memory::Readback});
    if (!buffer) return {};
    const auto mapped = device.map(*buffer);
    if (!mapped) {
      std::ignore = device.free(*buffer);
      return {};
    }
    buffer_ = *buffer;
    mapped_ = *mapped;
    period_ns_ = info.timestamp_period_ns;
    slots_.resize(kPlaces);
    for (std::uint32_t i = kPlaces; i > 0; --i) free_.push_back(i - 1);
  }
  if (free_.empty()) return {};
  const std::uint32_t index = free_.back();
  free_.pop_back();
  slots_[index] = {.is_in_use = true};
  return Place{*this, index};
}

DeviceTimer::Time DeviceTimer::completed(std::uint32_t index) noexcept {
  Slot& slot = slots_[index];
  ++slot.unreported;
  if (--slot.pending > 0) return {};
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::memcpy(&begin, mapped_.data() + index * kPlaceBytes, sizeof(begin));
  std::memcpy(&end, mapped_.data() + index * kPlaceBytes + sizeof(begin), sizeof(end));
  const double ticks = end < begin ? 0 : static_cast<double>(end - begin);
  const Time time{.ns = static_cast<std::uint64_t>(ticks * period_ns_ * slot.unreported), .launches = slot.unreported};
  slot.unreported = 0;
  if (!slot.is_in_use) free_.push_back(index);
  return time;
}

void DeviceTimer::drop(std::uint32_t index) noexcept {
  slots_[index].is_in_use = false;
  if (slots_[index].pending == 0) free_.push_back(index);
}

void DeviceTimer::free(backend::Device& device) noexcept {
  if (!mapped_.empty()) std::ignore = device.free(buffer_);
  *this = {};
}

}  // namespace vyre::runtime
