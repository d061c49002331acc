#include <vyre/runtime/in_flight.hpp>

#include <algorithm>
#include <iterator>

namespace vyre::runtime {

Result<std::uint64_t> InFlight::poll() const {
  std::uint64_t reached = 0;
  for (const PendingBatch& each : pending_) {
    for (const backend::Ticket& ticket : each.tickets) {
      if (ticket.value == 0) continue;
      VYRE_ASSIGN(const bool is_done, device_->poll(ticket));
      if (!is_done) return reached;
    }
    reached = each.batch;
  }
  return reached;
}

Result<std::uint64_t> InFlight::wait(std::uint64_t wanted, std::chrono::nanoseconds timeout) const {
  auto next = pending_.end();
  if (last() > wanted) next = std::ranges::upper_bound(pending_, wanted, {}, &PendingBatch::batch);
  if (next == pending_.begin()) return 0;
  // Every submission waits for all earlier ones, so waiting for the last batch is enough.
  const PendingBatch& last = *std::prev(next);
  for (const backend::Ticket& ticket : last.tickets) {
    if (ticket.value != 0) VYRE_TRY(device_->wait(ticket, timeout));
  }
  return last.batch;
}

void InFlight::restart_counts() noexcept {
  counts_ = {};
  for (PendingBatch& each : pending_) each.submissions = 0;
}

}  // namespace vyre::runtime
