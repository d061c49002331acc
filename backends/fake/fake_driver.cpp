#include <backends/fake/fake_driver.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace vyre::backends::fake {
namespace {

using backend::BufferDesc;
using backend::ListView;
using backend::Ticket;

using Bytes = std::span<std::byte>;

// Contents are undefined; these make that show, the same way every time.
constexpr std::byte kUndefined{0xcd};

class FakeBuffer final : public backend::DriverBuffer {
 public:
  FakeBuffer(std::unique_ptr<std::byte[]> data, std::uint64_t size, bool is_mapped) noexcept
      : data_{std::move(data)}, size_{size} {
    std::ranges::fill(bytes(0, size), kUndefined);
    mapped = is_mapped ? data_.get() : nullptr;
  }

  [[nodiscard]] Bytes bytes(std::uint64_t offset, std::uint64_t size) const noexcept {
    return Bytes{data_.get(), size_}.subspan(offset, size);
  }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::uint64_t size_;
};

class FakePipeline final : public backend::DriverPipeline {
 public:
  FakePipeline(const Kernel& kernel, const backend::PipelineDesc& desc)
      : kernel_{kernel}, workgroup_{desc.interface.workgroup.size}, values_(desc.values.begin(), desc.values.end()) {}

  void run(const backend::Groups& groups, std::span<const Bytes> bindings, std::span<const std::byte> params) const {
    kernel_({.groups = groups, .workgroup = workgroup_, .bindings = bindings, .params = params, .values = values_});
  }

 private:
  const Kernel& kernel_;  // The driver keeps it.
  std::array<std::uint32_t, 3> workgroup_;
  std::vector<program::spirv::SpecOverride> values_;
};

/// A command with the objects it names in place of their handles.
struct Run {
  const FakePipeline* pipeline = nullptr;
  backend::Groups groups = {};
  std::vector<Bytes> bindings = {};
  std::vector<std::byte> params = {};

  void execute() const {
    if (std::ranges::find(groups, 0U) == groups.end()) pipeline->run(groups, bindings, params);
  }
};

struct Move {
  Bytes from = {};
  Bytes to = {};

  void execute() const { std::ranges::copy(from, to.begin()); }
};

struct Repeat {
  Bytes to = {};
  std::uint32_t pattern = 0;

  void execute() const {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::byte>(pattern >> (i % 4 * 8));
  }
};

struct Mark {
  Bytes to = {};
};

using Action = std::variant<Run, Move, Repeat, Mark, backend::Barrier>;

struct Step {
  Action action = {};
  std::uint64_t cost_ns = 0;  ///< Of the device.
};

class FakeRecording final : public backend::DriverRecording {
 public:
  explicit FakeRecording(std::vector<Step> steps) noexcept : steps_{std::move(steps)} {}
  [[nodiscard]] std::span<const Step> steps() const noexcept { return steps_; }

 private:
  std::vector<Step> steps_;
};

/// Turns commands into steps.
class Translator {
 public:
  Translator(const ListView& view, const Costs& costs) noexcept : view_{view}, costs_{costs} {}

  [[nodiscard]] Step operator()(const backend::Dispatch& dispatch) const {
    Run run{.pipeline = &view_.pipeline<FakePipeline>(dispatch.pipeline), .groups = dispatch.groups};
    for (const backend::BufferRange& range : view_.list.ranges(dispatch)) run.bindings.push_back(bytes(range));
    const std::span<const std::byte> params = view_.list.params(dispatch);
    run.params.assign(params.begin(), params.end());
    std::uint64_t cost_ns = costs_.group_ns;
    for (const std::uint32_t groups : dispatch.groups) cost_ns *= groups;
    return {.action = std::move(run), .cost_ns = costs_.dispatch_ns + cost_ns};
  }
  [[nodiscard]] Step operator()(const backend::Copy& copy) const {
    return {.action = Move{.from = bytes({.buffer = copy.from, .offset = copy.from_offset, .size = copy.size}),
                           .to = bytes({.buffer = copy.to, .offset = copy.to_offset, .size = copy.size})},
            .cost_ns = copy_cost_ns(copy.size)};
  }
  [[nodiscard]] Step operator()(const backend::Fill& fill) const {
    const Bytes to = bytes(fill.range);
    return {.action = Repeat{.to = to, .pattern = fill.pattern}, .cost_ns = copy_cost_ns(to.size())};
  }
  [[nodiscard]] Step operator()(const backend::Barrier& barrier) const {
    return {.action = barrier, .cost_ns = costs_.barrier_ns};
  }
  [[nodiscard]] Step operator()(const backend::Timestamp& timestamp) const {
    return {.action = Mark{.to = bytes({.buffer = timestamp.buffer, .offset = timestamp.offset, .size = 8})}};
  }

 private:
  [[nodiscard]] Bytes bytes(const backend::BufferRange& range) const noexcept {
    return view_.buffer<FakeBuffer>(range.buffer).bytes(range.offset, view_.size(range));
  }
  [[nodiscard]] std::uint64_t copy_cost_ns(std::uint64_t size) const noexcept {
    return costs_.copy_ns + (size + 1023) / 1024 * costs_.copy_ns_per_kib;
  }

  const ListView& view_;
  const Costs& costs_;
};

/// SplitMix64: the same numbers with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_{seed} {}
  [[nodiscard]] std::uint64_t next() noexcept {
    std::uint64_t bits = state_ += 0x9e37'79b9'7f4a'7c15;
    bits = (bits ^ bits >> 30) * 0xbf58'476d'1ce4'e5b9;
    bits = (bits ^ bits >> 27) * 0x94d0'49bb'1331'11eb;
    return bits ^ bits >> 31;
  }

 private:
  std::uint64_t state_;
};

/// Executes what stands between two barriers in any order. Timestamps come last: they wait for what is before them, and
/// what is behind them does not wait for them.
void execute_wave(std::span<const Step> steps, std::uint64_t begin_ns, Random& random) {
  std::vector<const Step*> order;
  std::vector<std::pair<Bytes, std::uint64_t>> marks;
  for (const Step& step : steps) {
    if (const Mark* mark = std::get_if<Mark>(&step.action)) {
      marks.emplace_back(mark->to, begin_ns);
    } else {
      order.push_back(&step);
    }
    begin_ns += step.cost_ns;
  }
  for (std::size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[random.next() % left]);
  for (const Step* step : order) {
    std::visit(
        [](const auto& action) {
          if constexpr (requires { action.execute(); }) action.execute();
        },
        step->action);
  }
  for (const auto& [to, time_ns] : marks) std::memcpy(to.data(), &time_ns, to.size());
}

/// Executes a list that begins at a time, and returns the time at which it is done.
std::uint64_t execute(std::span<const Step> steps, std::uint64_t begin_ns, Random random) {
  while (!steps.empty()) {
    const auto barrier = std::ranges::find_if(
        steps, [](const Step& step) { return std::holds_alternative<backend::Barrier>(step.action); });
    const auto length = static_cast<std::size_t>(barrier - steps.begin());
    const std::span<const Step> wave = steps.first(length);
    execute_wave(wave, begin_ns, random);
    const std::size_t taken = std::min(length + 1, steps.size());
    for (const Step& step : steps.first(taken)) begin_ns += step.cost_ns;
    steps = steps.subspan(taken);
  }
  return begin_ns;
}

/// The submissions of a queue: when each is done.
struct Queue {
  std::uint64_t done = 0;                    ///< Tickets up to this one are.
  std::deque<std::uint64_t> finish_ns = {};  ///< Of those behind it.
  std::uint64_t free_ns = 0;                 ///< When the last one is done.

  [[nodiscard]] std::uint64_t finish_of(std::uint64_t ticket) const noexcept {
    return ticket <= done ? 0 : finish_ns[ticket - done - 1];
  }
};

class FakeDriver final : public backend::DeviceDriver {
 public:
  FakeDriver(std::shared_ptr<const FakeOptions> options, backend::DeviceInfo info, bool map_device_memory)
      : options_{std::move(options)},
        info_{std::move(info)},
        map_device_memory_{map_device_memory},
        queues_(info_.limits.queues) {}

  [[nodiscard]] const backend::DeviceInfo& info() const noexcept override { return info_; }

  [[nodiscard]] Result<std::unique_ptr<backend::DriverBuffer>> allocate(const BufferDesc& desc) override {
    const std::scoped_lock lock{mutex_};
    VYRE_TRY(check_present());
    std::unique_ptr<std::byte[]> data{new (std::nothrow) std::byte[desc.size]};
    if (data == nullptr) {
      return fail(ErrorCode::OutOfMemory, fmt::format("the host has no {} bytes for the fake device", desc.size));
    }
    const bool is_mapped = map_device_memory_ || desc.memory != backend::Memory::Device;
    return std::make_unique<FakeBuffer>(std::move(data), desc.size, is_mapped);
  }

  [[nodiscard]] Result<std::unique_ptr<backend::DriverPipeline>> compile(const backend::PipelineDesc& desc) override {
    const std::scoped_lock lock{mutex_};
    VYRE_TRY(check_present());
    const auto kernel = options_->kernels.find(desc.program.name());
    if (kernel == options_->kernels.end()) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("the fake device has no function for program '{}'", desc.program.name()));
    }
    now_ns_ += options_->costs.compile_ns;
    return std::make_unique<FakePipeline>(kernel->second, desc);
  }

  [[nodiscard]] Result<backend::RecordingPtr> record(const ListView& view, backend::Reuse) override {
    const std::scoped_lock lock{mutex_};
    VYRE_TRY(check_present());
    std::vector<Step> steps;
    const Translator translate{view, options_->costs};
    for (const backend::Command& command : view.list.commands()) steps.push_back(std::visit(translate, command));
    now_ns_ += steps.size() * options_->costs.record_command_ns;
    return backend::RecordingPtr{new FakeRecording{std::move(steps)}};
  }

  [[nodiscard]] Result<void> launch(backend::DriverRecording& recording, Ticket ticket,
                                    std::span<const Ticket> after) override {
    const std::scoped_lock lock{mutex_};
    if (++launches_ == options_->lost_at_launch) lost_ = true;
    VYRE_TRY(check_present());
    now_ns_ += options_->costs.launch_ns;
    Queue& queue = queues_[ticket.queue];
    std::uint64_t begin_ns = std::max(queue.free_ns, now_ns_);
    for (const Ticket& other : after) begin_ns = std::max(begin_ns, queues_[other.queue].finish_of(other.value));
    begin_ns += options_->costs.start_ns;
    // Of the ticket and not of what ran before, so that threads that launch at once change no order.
    const Random random{options_->shuffle_seed ^ Random{ticket.value << 8 ^ ticket.queue}.next()};
    queue.free_ns = execute(static_cast<FakeRecording&>(recording).steps(), begin_ns, random);
    queue.finish_ns.push_back(queue.free_ns);
    return {};
  }

  [[nodiscard]] Result<std::uint64_t> completed(std::uint32_t queue) override {
    const std::scoped_lock lock{mutex_};
    VYRE_TRY(check_present());
    now_ns_ += options_->costs.poll_ns;
    Queue& state = queues_[queue];
    while (!state.finish_ns.empty() && state.finish_ns.front() <= now_ns_) {
      state.finish_ns.pop_front();
      ++state.done;
    }
    return state.done;
  }

  [[nodiscard]] Result<bool> wait(Ticket ticket, std::chrono::nanoseconds timeout) override {
    const std::scoped_lock lock{mutex_};
    VYRE_TRY(check_present());
    const std::uint64_t finish_ns = std::max(now_ns_, queues_[ticket.queue].finish_of(ticket.value));
    const auto patience_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(timeout.count(), 0));
    const bool is_done = finish_ns - now_ns_ <= patience_ns;
    now_ns_ = is_done ? finish_ns : now_ns_ + patience_ns;
    return is_done;
  }

  [[nodiscard]] std::uint64_t now_ns() noexcept override {
    const std::scoped_lock lock{mutex_};
    return now_ns_;
  }

 private:
  [[nodiscard]] Result<void> check_present() const {
    if (!lost_) return {};
    return fail(ErrorCode::DeviceLost,
                fmt::format("the fake device is lost since launch {}", options_->lost_at_launch));
  }

  std::shared_ptr<const FakeOptions> options_;
  backend::DeviceInfo info_;
  bool map_device_memory_;
  std::mutex mutex_;
  std::uint64_t now_ns_ = 0;
  std::uint64_t launches_ = 0;
  bool lost_ = false;
  std::vector<Queue> queues_;
};

}  // namespace

std::unique_ptr<backend::DeviceDriver> make_fake_driver(std::shared_ptr<const FakeOptions> options,
                                                        backend::DeviceInfo info,
                                                        const backend::DeviceOptions& device_options) {
  return std::make_unique<FakeDriver>(std::move(options), std::move(info), device_options.map_device_memory);
}

}  // namespace vyre::backends::fake
