#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include <vyre/backend/list_lowering.hpp>

namespace vyre::backend {

/// The submissions of one queue. Numbers them, knows which are done, and keeps a list that runs once until it is done.
///
/// Errors come from the driver. Thread safety: all members may be called concurrently.
class SubmissionQueue {
 public:
  /// The driver must outlive the queue.
  SubmissionQueue(DeviceDriver& driver, std::uint32_t index, std::uint32_t max_pending);

  /// The last ticket that was given.
  [[nodiscard]] std::uint64_t issued() const noexcept { return issued_; }
  /// The last ticket that is known to be done.
  [[nodiscard]] std::uint64_t done() const noexcept { return done_; }
  /// The number of submissions that are not known to be done.
  [[nodiscard]] std::size_t pending() const;

  /// The lists of a submission that run once. Any of them may be empty.
  using OnceLists = std::array<LoweredList, kMostTogether>;
  /// Launches recordings in one submission. Keeps `once`, which owns those of them that run once, until the submission
  /// is done.
  [[nodiscard]] Result<Ticket> launch(std::span<DriverRecording* const> recordings, OnceLists&& once,
                                      std::span<const Ticket> after);
  /// Waits until fewer than `max_pending` submissions are pending. `TimedOut` after `timeout`.
  [[nodiscard]] Result<void> make_room(std::chrono::nanoseconds timeout);
  /// Asks the driver which ticket the queue has reached.
  [[nodiscard]] Result<void> advance();
  /// Waits for a ticket. `TimedOut` after `timeout`.
  [[nodiscard]] Result<void> wait(std::uint64_t ticket, std::chrono::nanoseconds timeout);

 private:
  struct Pending {
    std::uint64_t ticket = 0;
    OnceLists once = {};
  };

  [[nodiscard]] Result<void> advance_locked();
  /// Notes that the queue has reached a ticket, and releases the lists that are done. The caller holds the lock.
  void retire(std::uint64_t ticket);

  DeviceDriver& driver_;
  std::uint32_t index_;
  std::uint32_t max_pending_;
  mutable std::mutex mutex_;
  std::atomic<std::uint64_t> issued_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::vector<Pending> pending_;  // A ring buffer.
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace vyre::backend
