#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <vyre/backend/driver.hpp>

namespace vyre::tests {

/// Passes every call on. Tests override those they want otherwise.
class ForwardingDriver : public backend::DeviceDriver {
 public:
  explicit ForwardingDriver(std::unique_ptr<backend::DeviceDriver> inner) noexcept : inner_{std::move(inner)} {}

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
  [[nodiscard]] Result<void> launch(std::span<backend::DriverRecording* const> recordings, backend::Ticket ticket,
                                    std::span<const backend::Ticket> after) override {
    return inner_->launch(recordings, ticket, after);
  }
  [[nodiscard]] Result<std::uint64_t> completed(std::uint32_t queue) override { return inner_->completed(queue); }
  [[nodiscard]] Result<bool> wait(backend::Ticket ticket, std::chrono::nanoseconds timeout) override {
    return inner_->wait(ticket, timeout);
  }
  [[nodiscard]] std::uint64_t now_ns() noexcept override { return inner_->now_ns(); }

 protected:
  [[nodiscard]] backend::DeviceDriver& inner() const noexcept { return *inner_; }

 private:
  std::unique_ptr<backend::DeviceDriver> inner_;
};

}  // namespace vyre::tests
