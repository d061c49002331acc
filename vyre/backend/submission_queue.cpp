#include <vyre/backend/submission_queue.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace vyre::backend {

SubmissionQueue::SubmissionQueue(DeviceDriver& driver, std::uint32_t index, std::uint32_t max_pending)
    : driver_{driver},
      index_{index},
      max_pending_{max_pending},
      pending_(std::clamp(max_pending, 1U, DeviceOptions{}.max_pending)) {}

std::size_t SubmissionQueue::pending() const {
  const std::lock_guard lock{mutex_};
  return count_;
}

Result<Ticket> SubmissionQueue::launch(std::span<DriverRecording* const> recordings, OnceLists&& once,
                                       std::span<const Ticket> after) {
  const std::lock_guard lock{mutex_};
  const Ticket ticket{.queue = index_, .value = issued_.load(std::memory_order_relaxed) + 1};
  VYRE_TRY(driver_.launch(recordings, ticket, after));
  issued_.store(ticket.value);
  if (count_ == pending_.size()) {
    // The ring grows here and not at the start: `max_pending` may be large, and several threads that made room at the
    // same moment exceed it together.
    std::ranges::rotate(pending_, pending_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
    pending_.resize(2 * pending_.size());
  }
  Pending& last = pending_[(first_ + count_) % pending_.size()];
  last.ticket = ticket.value;
  last.once = std::move(once);
  ++count_;
  return ticket;
}

Result<void> SubmissionQueue::make_room(std::chrono::nanoseconds timeout) {
  if (done_ == issued_) return {};  // Nothing is pending; that can be seen without a lock.
  for (;;) {
    std::uint64_t oldest = 0;
    {
      const std::lock_guard lock{mutex_};
      if (count_ == 0) return {};
      VYRE_TRY(advance_locked());
      if (count_ < max_pending_) return {};
      oldest = pending_[first_].ticket;
    }
    VYRE_ASSIGN(const bool is_reached,
                driver_.wait({.queue = index_, .value = oldest}, std::max(timeout, std::chrono::nanoseconds::zero())));
    if (!is_reached) {
      return fail(ErrorCode::TimedOut,
                  fmt::format("{} submissions are pending on queue {}, that is the limit", max_pending_, index_));
    }
  }
}

Result<void> SubmissionQueue::advance() {
  const std::lock_guard lock{mutex_};
  return advance_locked();
}

Result<void> SubmissionQueue::advance_locked() {
  VYRE_ASSIGN(const std::uint64_t completed, driver_.completed(index_));
  retire(completed);
  return {};
}

Result<void> SubmissionQueue::wait(std::uint64_t ticket, std::chrono::nanoseconds timeout) {
  if (done() >= ticket) return {};
  VYRE_ASSIGN(const bool is_reached,
              driver_.wait({.queue = index_, .value = ticket}, std::max(timeout, std::chrono::nanoseconds::zero())));
  if (!is_reached) {
    return fail(ErrorCode::TimedOut,
                fmt::format("ticket {} of queue {} is not done after {} ns", ticket, index_, timeout.count()));
  }
  const std::lock_guard lock{mutex_};
  retire(ticket);
  return {};
}

void SubmissionQueue::retire(std::uint64_t ticket) {
  if (ticket > done_.load(std::memory_order_relaxed)) done_ = ticket;
  while (count_ > 0 && pending_[first_].ticket <= ticket) {
    const OnceLists done = std::move(pending_[first_].once);
    first_ = (first_ + 1) % pending_.size();
    --count_;
  }
}

}  // namespace vyre::backend
