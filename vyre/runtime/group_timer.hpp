#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <vyre/backend/device.hpp>

namespace vyre::runtime {

/// The device time of one group of dispatches.
struct GroupTime {
  std::uint32_t kind = 0;        ///< The kind of groups that it belongs to.
  std::uint32_t dispatches = 0;  ///< Of the group.
  double ns = 0;

  friend bool operator==(const GroupTime&, const GroupTime&) = default;
};

/// Measures the groups of one list: a timestamp before and after each of them. The list must keep groups apart by
/// barriers.
///
/// Thread safety: one thread at a time.
class GroupTimer {
 public:
  /// Groups of one list that are measured, and groups of one kind: the median of a few is enough.
  static constexpr std::uint32_t kMostGroups = 256;
  static constexpr std::uint32_t kMostOfKind = 8;

  /// Begins the list of a batch. False if the device has no timestamps or no memory for them, or while another list is
  /// pending.
  [[nodiscard]] bool begin(backend::Device& device, std::uint64_t batch);
  /// Adds the first timestamp of a group, unless enough groups are measured already. Gives whether it did.
  [[nodiscard]] bool begin_group(backend::CommandList& list, std::uint32_t kind, std::uint32_t dispatches);
  /// Adds the last timestamp of that group.
  void end_group(backend::CommandList& list);
  /// Drops the time of that group, whose timestamps stay in the list.
  void drop_group() noexcept;

  /// The batch whose list is pending; 0 if none is.
  [[nodiscard]] std::uint64_t batch() const noexcept { return batch_; }
  /// The times of the list, which has completed; valid until the next list begins.
  [[nodiscard]] std::span<const GroupTime> completed() noexcept;
  /// Forgets the list: it was not launched.
  void cancel() noexcept { batch_ = 0; }
  void free(backend::Device& device) noexcept;

 private:
  static constexpr std::uint64_t kPlaceBytes = 16;

  bool is_made_ = false;
  backend::BufferHandle buffer_ = {};
  std::span<const std::byte> mapped_ = {};
  double period_ns_ = 0;
  std::uint32_t most_ = 0;  // As many groups as a list may have timestamps for.
  std::uint32_t used_ = 0;  // Places of the list.
  std::uint64_t batch_ = 0;
  std::vector<GroupTime> groups_;
  std::vector<std::uint32_t> places_;  // Of each group.
};

}  // namespace vyre::runtime
