#include <utility>

#include <vyre/backend/decorators.hpp>

namespace vyre::backend {
namespace {

class FaultyDriver final : public DeviceDriver {
 public:
  FaultyDriver(std::unique_ptr<DeviceDriver> inner, std::shared_ptr<FaultPlan> plan) noexcept
      : inner_{std::move(inner)}, plan_{std::move(plan)} {}

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return inner_->info(); }

  [[nodiscard]] Result<std::unique_ptr<DriverBuffer>> allocate(const BufferDesc& desc) override {
    VYRE_TRY(count_call());
    return inner_->allocate(desc);
  }

  [[nodiscard]] Result<std::unique_ptr<DriverPipeline>> compile(const PipelineDesc& desc) override {
    VYRE_TRY(count_call());
    return inner_->compile(desc);
  }

  [[nodiscard]] Result<RecordingPtr> record(const ListView& view, Reuse reuse) override {
    VYRE_TRY(count_call());
    return inner_->record(view, reuse);
  }

  [[nodiscard]] Result<void> launch(std::span<DriverRecording* const> recordings, Ticket ticket,
                                    std::span<const Ticket> after) override {
    VYRE_TRY(count_call());
    return inner_->launch(recordings, ticket, after);
  }

  [[nodiscard]] Result<std::uint64_t> completed(std::uint32_t queue) override {
    VYRE_TRY(count_call());
    return inner_->completed(queue);
  }

  [[nodiscard]] Result<bool> wait(Ticket ticket, std::chrono::nanoseconds timeout) override {
    VYRE_TRY(count_call());
    return inner_->wait(ticket, timeout);
  }

  [[nodiscard]] std::uint64_t now_ns() noexcept override { return inner_->now_ns(); }

 private:
  [[nodiscard]] Result<void> count_call() {
    if (++plan_->calls == plan_->fail_at) return std::unexpected{plan_->error};
    return {};
  }

  std::unique_ptr<DeviceDriver> inner_;
  std::shared_ptr<FaultPlan> plan_;
};

}  // namespace

std::unique_ptr<DeviceDriver> make_faulty_driver(std::unique_ptr<DeviceDriver> inner, std::shared_ptr<FaultPlan> plan) {
  return std::make_unique<FaultyDriver>(std::move(inner), std::move(plan));
}

}  // namespace vyre::backend
