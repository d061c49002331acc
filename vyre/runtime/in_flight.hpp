#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <vyre/choice/way.hpp>
#include <vyre/runtime/recording_cache.hpp>

namespace vyre::runtime {

/// A batch that was launched and is not known to have completed.
struct PendingBatch {
  std::uint64_t batch = 0;
  std::optional<choice::UsedWay> used = {};  ///< The shape and launch mode, if the tuner chose it.
  bool is_first_launch = false;  ///< Whether it has the first launch of a program, during which drivers compile.
  std::array<backend::Ticket, kMaxArms> tickets = {};  ///< By arm; an arm without a submission has ticket 0.
  std::uint64_t submissions = 0;
  std::vector<std::uint32_t> timed = {};  ///< The numbers that `DeviceTimer` gave for its submissions.
};

/// The pending batches of a session, in order, and which of them the device has completed.
///
/// Every submission waits for all earlier ones on other queues, so that batches complete in order. Thread safety: one
/// thread at a time; the device outlives this.
class InFlight {
 public:
  /// The numbers of submissions since the last `restart_counts`.
  struct Counts {
    std::uint64_t submitted = 0;
    std::uint64_t completed = 0;
  };

  explicit InFlight(backend::Device& device) noexcept : device_{&device} {}

  /// Submits a batch of `arms` arms, arm i on queue i, after everything that was submitted before. `launch(arm,
  /// options)` must make the submission of an arm and give its ticket. May be called again for the batch that was
  /// launched last, to make further submissions. Stops at the first error and gives it; the arms before that are
  /// pending.
  template <typename Launch>
  [[nodiscard]] Result<void> launch(PendingBatch batch, std::size_t arms, const TimerPlaces& places,
                                    std::chrono::nanoseconds timeout, Launch launch);

  [[nodiscard]] bool empty() const noexcept { return pending_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return pending_.size(); }
  /// The number of the batch launched last, if it is pending; else 0.
  [[nodiscard]] std::uint64_t last() const noexcept { return pending_.empty() ? 0 : pending_.back().batch; }
  /// Whether a batch up to this one is not known to have completed.
  [[nodiscard]] bool is_pending(std::uint64_t batch) const noexcept {
    return !pending_.empty() && pending_.front().batch <= batch;
  }
  /// The number of the last batch that is known to have completed.
  [[nodiscard]] std::uint64_t done() const noexcept { return done_; }

  /// The last pending batch that the device has completed, with all before it; 0 if there is none. Does not wait.
  [[nodiscard]] Result<std::uint64_t> poll() const;
  /// Waits for batch `wanted`, or for the last pending batch before it. Gives the number of that batch, 0 if none is
  /// pending. After `TimedOut` it is still pending.
  [[nodiscard]] Result<std::uint64_t> wait(std::uint64_t wanted, std::chrono::nanoseconds timeout) const;
  /// Removes all batches up to `upto` and calls `visit(batch)` for each, in order. Precondition: they have completed.
  template <typename Visit>
  void complete(std::uint64_t upto, Visit visit);

  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }
  /// Sets the counts to zero. Submissions that are pending now will not count as completed later.
  void restart_counts() noexcept;

 private:
  backend::Device* device_;
  std::deque<PendingBatch> pending_;
  std::array<backend::Ticket, kMaxArms> last_tickets_ = {};  // By queue.
  std::uint64_t done_ = 0;
  Counts counts_ = {};
};

template <typename Launch>
Result<void> InFlight::launch(PendingBatch batch, std::size_t arms, const TimerPlaces& places,
                              std::chrono::nanoseconds timeout, Launch launch) {
  Result<void> result;
  for (std::uint32_t i = 0; i < arms && result; ++i) {
    std::array<backend::Ticket, kMaxArms> after;
    std::size_t waits = 0;
    for (const backend::Ticket& ticket : last_tickets_) {
      if (ticket.value != 0 && ticket.queue != i) after[waits++] = ticket;
    }
    const Result<backend::Ticket> ticket =
        launch(i, backend::SubmitOptions{.queue = i, .after = std::span{after}.first(waits), .timeout = timeout});
    if (ticket) {
      batch.tickets[i] = *ticket;
      ++batch.submissions;
      if (const auto timed = places[i].launched()) batch.timed.push_back(*timed);
    } else {
      result = std::unexpected{ticket.error()};
    }
  }
  for (const backend::Ticket& ticket : batch.tickets) {
    if (ticket.value != 0) last_tickets_[ticket.queue] = ticket;
  }
  counts_.submitted += batch.submissions;
  if (batch.submissions == 0) return result;
  if (last() != batch.batch) {
    pending_.push_back(std::move(batch));
  } else {
    PendingBatch& before = pending_.back();
    before.tickets = batch.tickets;
    before.submissions += batch.submissions;
    before.timed.insert(before.timed.end(), batch.timed.begin(), batch.timed.end());
  }
  return result;
}

template <typename Visit>
void InFlight::complete(std::uint64_t upto, Visit visit) {
  done_ = std::max(done_, upto);
  while (!pending_.empty() && pending_.front().batch <= upto) {
    counts_.completed += pending_.front().submissions;
    visit(std::as_const(pending_.front()));
    pending_.pop_front();
  }
}

}  // namespace vyre::runtime
