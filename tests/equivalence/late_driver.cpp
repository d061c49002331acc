#include "tests/equivalence/late_driver.hpp"

#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/support/forwarding_driver.hpp"

namespace vyre::tests {
namespace {

using backend::DriverRecording;
using backend::Ticket;

class LateDriver final : public ForwardingDriver {
 public:
  using ForwardingDriver::ForwardingDriver;

  [[nodiscard]] Result<void> launch(std::span<DriverRecording* const> recordings, Ticket ticket,
                                    std::span<const Ticket> after) override {
    const std::scoped_lock lock{mutex_};
    held_.push_back({.recordings = {recordings.begin(), recordings.end()},
                     .ticket = ticket,
                     .after = {after.begin(), after.end()}});
    return {};
  }

  [[nodiscard]] Result<std::uint64_t> completed(std::uint32_t queue) override {
    const std::scoped_lock lock{mutex_};
    if (++questions_ % kPatience == 0 && !held_.empty()) VYRE_TRY(launch_first());
    return inner().completed(queue);
  }

  [[nodiscard]] Result<bool> wait(Ticket ticket, std::chrono::nanoseconds timeout) override {
    const std::scoped_lock lock{mutex_};
    const auto is_held = [&] {
      for (const Held& held : held_) {
        if (held.ticket == ticket) return true;
      }
      return false;
    };
    while (is_held()) VYRE_TRY(launch_first());
    return inner().wait(ticket, timeout);
  }

 private:
  static constexpr std::uint64_t kPatience = 5;

  struct Held {
    std::vector<DriverRecording*> recordings = {};
    Ticket ticket = {};
    std::vector<Ticket> after = {};
  };

  /// The lock is held. In the order they came in, which is right within a queue and behind other queues.
  Result<void> launch_first() {
    const Held first = std::move(held_.front());
    held_.pop_front();
    return inner().launch(first.recordings, first.ticket, first.after);
  }

  std::mutex mutex_;
  std::deque<Held> held_;
  std::uint64_t questions_ = 0;
};

}  // namespace

std::unique_ptr<backend::DeviceDriver> make_late_driver(std::unique_ptr<backend::DeviceDriver> inner) {
  return std::make_unique<LateDriver>(std::move(inner));
}

}  // namespace vyre::tests
