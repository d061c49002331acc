#include <vyre/runtime/stopwatch.hpp>

#include <algorithm>

namespace vyre::runtime {
namespace {

/// After this number of batches a measurement ends without a wait: when exactly the last one completed matters little.
constexpr double kLongMeasurement = 64;
/// Kernel times are learned only if the session was at work or waiting for this share of the time. Otherwise the user's
/// own code may have slowed the kernels down.
constexpr double kUndisturbedShare = 0.75;

double batches_of(std::span<const UsedWay> used) noexcept {
  double batches = 0;
  for (const UsedWay& each : used) batches += each.batches;
  return batches;
}

}  // namespace

double TimedBatches::batches() const noexcept { return batches_of(used); }

void Stopwatch::launch(std::uint64_t now_ns) noexcept {
  if (!begin_ns_) begin_ns_ = now_ns;
  ++launches_;
}

void Stopwatch::complete(const std::optional<UsedWay>& used, bool is_first_launch) {
  is_spoilt_ |= is_first_launch;
  if (!used) {
    has_others_ = true;
    return;
  }
  const auto found = std::ranges::find_if(
      used_, [&](const UsedWay& each) { return each.shape == used->shape && each.way == used->way; });
  if (found != used_.end()) {
    found->batches += used->batches;
  } else {
    used_.push_back(*used);
  }
}

Stopwatch::Lap Stopwatch::stop(std::uint64_t now_ns, bool is_waited, bool has_pending) {
  Lap lap;
  if (begin_ns_) {
    lap.ns = now_ns - *begin_ns_;
    elapsed_ns_ += lap.ns;
    begin_ns_.reset();
  }
  if (is_waited || is_spoilt_ || is_long()) {
    if (!is_spoilt_ && !used_.empty()) {
      const std::uint64_t setup = std::min(setup_ns_, elapsed_ns_);
      const auto own = static_cast<double>(elapsed_ns_ - setup);
      const auto busy = static_cast<double>(busy_ns_ - std::min(busy_ns_, setup));
      reported_.swap(used_);
      lap.timed =
          TimedBatches{.used = reported_, .ns = own, .is_undisturbed = !has_others_ && busy >= kUndisturbedShare * own};
    }
    reset();
  }
  if (has_pending) begin_ns_ = now_ns;
  return lap;
}

bool Stopwatch::has_just_seen_pending(std::uint64_t now_ns) const noexcept {
  constexpr std::uint64_t kShareOfLap = 16;
  return begin_ns_ && pending_at_ns_ >= *begin_ns_ && (now_ns - pending_at_ns_) * kShareOfLap <= now_ns - *begin_ns_;
}

void Stopwatch::reset() noexcept {
  begin_ns_.reset();
  elapsed_ns_ = setup_ns_ = busy_ns_ = 0;
  launches_ = 0;
  used_.clear();
  has_others_ = is_spoilt_ = false;
}

bool Stopwatch::is_long() const noexcept { return batches_of(used_) >= kLongMeasurement; }

}  // namespace vyre::runtime
