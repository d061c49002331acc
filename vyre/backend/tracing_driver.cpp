#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <vyre/backend/decorators.hpp>

namespace vyre::backend {
namespace {

class TracingDriver final : public DeviceDriver {
 public:
  TracingDriver(std::unique_ptr<DeviceDriver> inner, std::function<void(const TraceEvent&)> sink) noexcept
      : inner_{std::move(inner)}, sink_{std::move(sink)} {}

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return inner_->info(); }

  [[nodiscard]] Result<std::unique_ptr<DriverBuffer>> allocate(const BufferDesc& desc) override {
    return trace("allocate", fmt::format("{} bytes", desc.size), [&] { return inner_->allocate(desc); });
  }

  [[nodiscard]] Result<std::unique_ptr<DriverPipeline>> compile(const PipelineDesc& desc) override {
    return trace("compile", fmt::format("program '{}'", desc.program.name()), [&] { return inner_->compile(desc); });
  }

  [[nodiscard]] Result<RecordingPtr> record(const ListView& view, Reuse reuse) override {
    return trace(
        "record",
        fmt::format("{} commands to run {}", view.list.commands().size(), reuse == Reuse::Once ? "once" : "many times"),
        [&] { return inner_->record(view, reuse); });
  }

  [[nodiscard]] Result<void> launch(std::span<DriverRecording* const> recordings, Ticket ticket,
                                    std::span<const Ticket> after) override {
    return trace("launch", detail_of(ticket), [&] { return inner_->launch(recordings, ticket, after); });
  }

  [[nodiscard]] Result<std::uint64_t> completed(std::uint32_t queue) override {
    return trace("completed", fmt::format("queue {}", queue), [&] { return inner_->completed(queue); });
  }

  [[nodiscard]] Result<bool> wait(Ticket ticket, std::chrono::nanoseconds timeout) override {
    return trace("wait", detail_of(ticket), [&] { return inner_->wait(ticket, timeout); });
  }

  [[nodiscard]] std::uint64_t now_ns() noexcept override { return inner_->now_ns(); }

 private:
  [[nodiscard]] static std::string detail_of(Ticket ticket) {
    return fmt::format("queue {} ticket {}", ticket.queue, ticket.value);
  }

  template <typename Call>
  [[nodiscard]] std::invoke_result_t<Call> trace(std::string_view name, std::string detail, const Call& call) {
    TraceEvent event{.call = name, .detail = std::move(detail), .begin_ns = inner_->now_ns()};
    std::invoke_result_t<Call> result = call();
    event.end_ns = inner_->now_ns();
    event.failed = !result.has_value();
    sink_(event);
    return result;
  }

  std::unique_ptr<DeviceDriver> inner_;
  std::function<void(const TraceEvent&)> sink_;
};

}  // namespace

std::unique_ptr<DeviceDriver> make_tracing_driver(std::unique_ptr<DeviceDriver> inner,
                                                  std::function<void(const TraceEvent&)> sink) {
  return std::make_unique<TracingDriver>(std::move(inner), std::move(sink));
}

}  // namespace vyre::backend
