#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <variant>

#include <vyre/backend/driver.hpp>

namespace vyre::bench {

/// What a device was given.
struct LaunchCounts {
  std::uint64_t launches = 0;  ///< Dispatches of the lists that were submitted, as the driver sees them.
  std::uint64_t barriers = 0;
  std::uint64_t copies = 0;  ///< And fills.
  std::uint64_t submissions = 0;
};

/// Counts what another driver is given.
class CountingDriver final : public backend::DeviceDriver {
 public:
  CountingDriver(std::unique_ptr<backend::DeviceDriver> inner, std::shared_ptr<LaunchCounts> counts) noexcept
      : inner_{std::move(inner)}, counts_{std::move(counts)} {}

  [[nodiscard]] const backend::DeviceInfo& info() const noexcept override { return inner_->info(); }
  [[nodiscard]] Result<std::unique_ptr<backend::DriverBuffer>> allocate(const backend::BufferDesc& desc) override {
    return inner_->allocate(desc);
  }
  [[nodiscard]] Result<std::unique_ptr<backend::DriverPipeline>> compile(const backend::PipelineDesc& desc) override {
    return inner_->compile(desc);
  }
  [[nodiscard]] Result<backend::RecordingPtr> record(const backend::ListView& view, backend::Reuse reuse) override {
    auto recording = inner_->record(view, reuse);
    if (!recording) return recording;
    LaunchCounts own;
    for (const backend::Command& command : view.list.commands()) {
      own.launches += std::holds_alternative<backend::Dispatch>(command) ||
                      std::holds_alternative<backend::IndirectDispatch>(command);
      own.barriers += std::holds_alternative<backend::Barrier>(command);
      own.copies += std::holds_alternative<backend::Copy>(command) || std::holds_alternative<backend::Fill>(command);
    }
    const std::scoped_lock lock{mutex_};
    recorded_[recording->get()] = own;
    return recording;
  }
  [[nodiscard]] Result<void> launch(std::span<backend::DriverRecording* const> recordings, backend::Ticket ticket,
                                    std::span<const backend::Ticket> after) override {
    {
      const std::scoped_lock lock{mutex_};
      for (const backend::DriverRecording* each : recordings) {
        const LaunchCounts& own = recorded_[each];
        counts_->launches += own.launches;
        counts_->barriers += own.barriers;
        counts_->copies += own.copies;
      }
      ++counts_->submissions;
    }
    return inner_->launch(recordings, ticket, after);
  }
  [[nodiscard]] Result<std::uint64_t> completed(std::uint32_t queue) override { return inner_->completed(queue); }
  [[nodiscard]] Result<bool> wait(backend::Ticket ticket, std::chrono::nanoseconds timeout) override {
    return inner_->wait(ticket, timeout);
  }
  [[nodiscard]] std::uint64_t now_ns() noexcept override { return inner_->now_ns(); }
  [[nodiscard]] Result<std::unique_ptr<backend::DeviceDriver>> open_again() override { return inner_->open_again(); }

 private:
  std::unique_ptr<backend::DeviceDriver> inner_;
  std::shared_ptr<LaunchCounts> counts_;
  std::mutex mutex_;
  std::unordered_map<const backend::DriverRecording*, LaunchCounts> recorded_;
};

}  // namespace vyre::bench
