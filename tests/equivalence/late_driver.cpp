#include "tests/equivalence/late_driver.hpp"

#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace vyre::tests {
namespace {

using backend::DriverRecording;
using backend::Ticket;

class LateDriver final : public backend::DeviceDriver {
 public:
  explicit LateDriver(std::unique_ptr<DeviceDriver> inner) noexcept : inner_{std::move(inner)} {}

  [[nodiscard]] const backend::DeviceInfo& info() const noexcept override { return inner_->info(); }
  [[nodiscard]] Result<std::unique_ptr<backend::DriverBuffer>> allocate(const backend::BufferDesc& desc) override {
    return inner_->allocate(desc);
  }
  [[nodiscard]] Result<std::unique_ptr<backend::DriverPipeline>> compile(const backend::PipelineDesc& desc) override {
    return inner_->compile(desc);
  }
  [[nodiscard]] Result<backend::RecordingPtr> record(const backend::ListView& view, backend::Reuse reuse) override {
    return inner_->record(view, reuse);
  }

  [[nodiscard]] Result<void> launch(DriverRecording& recording, Ticket ticket, std::span<const Ticket> after) override {
    const std::scoped_lock lock{mutex_};
    held_.push_back({.recording = &recording, .ticket = ticket, .after = {after.begin(), after.end()}});
    return {};
  }

  [[nodiscard]] Result<std::uint64_t> completed(std::uint32_t queue) override {
    const std::scoped_lock lock{mutex_};
    if (++questions_ % kPatience == 0 && !held_.empty()) VYRE_TRY(launch_first());
    return inner_->completed(queue);
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
    return inner_->wait(ticket, timeout);
  }

  [[nodiscard]] std::uint64_t now_ns() noexcept override { return inner_->now_ns(); }

 private:
  static constexpr std::uint64_t kPatience = 5;

  struct Held {
    DriverRecording* recording = nullptr;
    Ticket ticket = {};
    std::vector<Ticket> after = {};
  };

  /// The lock is held. In the order they came in, which is right within a queue and behind other queues.
  Result<void> launch_first() {
    const Held first = std::move(held_.front());
    held_.pop_front();
    return inner_->launch(*first.recording, first.ticket, first.after);
  }

  std::unique_ptr<DeviceDriver> inner_;
  std::mutex mutex_;
  std::deque<Held> held_;
  std::uint64_t questions_ = 0;
};

}  // namespace

std::unique_ptr<backend::DeviceDriver> make_late_driver(std::unique_ptr<backend::DeviceDriver> inner) {
  return std::make_unique<LateDriver>(std::move(inner));
}

}  // namespace vyre::tests
