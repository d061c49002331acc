#include <vyre/runtime/group_timer.hpp>

#include <algorithm>
#include <cstring>
#include <tuple>

namespace vyre::runtime {

bool GroupTimer::begin(backend::Device& device, std::uint64_t batch) {
  if (batch_ != 0) return false;
  if (!is_made_) {
    is_made_ = true;
    const backend::DeviceInfo& info = device.info();
    if (info.limits.max_timestamps < 2) return false;
    const auto buffer = device.allocate({.size = kMostGroups * kPlaceBytes, .memory = backend::Memory::Readback});
    if (!buffer) return false;
    buffer_ = *buffer;
    if (const auto mapped = device.map(buffer_)) mapped_ = *mapped;
    period_ns_ = info.timestamp_period_ns;
    most_ = std::min(kMostGroups, info.limits.max_timestamps / 2);
  }
  if (mapped_.empty()) return false;
  batch_ = batch;
  used_ = 0;
  groups_.clear();
  places_.clear();
  return true;
}

bool GroupTimer::begin_group(backend::CommandList& list, std::uint32_t kind, std::uint32_t dispatches) {
  if (used_ == most_ || std::ranges::count(groups_, kind, &GroupTime::kind) == kMostOfKind) return false;
  list.timestamp(buffer_, used_ * kPlaceBytes);
  groups_.push_back({.kind = kind, .dispatches = dispatches});
  places_.push_back(used_);
  ++used_;
  return true;
}

void GroupTimer::end_group(backend::CommandList& list) {
  list.timestamp(buffer_, places_.back() * kPlaceBytes + kPlaceBytes / 2);
}

void GroupTimer::drop_group() noexcept {
  groups_.pop_back();
  places_.pop_back();
}

std::span<const GroupTime> GroupTimer::completed() noexcept {
  batch_ = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::memcpy(&begin, mapped_.data() + places_[i] * kPlaceBytes, sizeof(begin));
    std::memcpy(&end, mapped_.data() + places_[i] * kPlaceBytes + sizeof(begin), sizeof(end));
    groups_[i].ns = end < begin ? 0 : static_cast<double>(end - begin) * period_ns_;
  }
  return groups_;
}

void GroupTimer::free(backend::Device& device) noexcept {
  if (buffer_ != backend::BufferHandle{}) std::ignore = device.free(buffer_);
  *this = {};
}

}  // namespace vyre::runtime
