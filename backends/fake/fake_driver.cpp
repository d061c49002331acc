#include <backends/fake/fake_driver.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
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

// The contents of new buffers are undefined; this value makes a read of them visible.
constexpr std::byte kUndefined{0xcd};

/// The alignment of buffers; tables need at least this much.
constexpr std::align_val_t kAlignment{64};

struct FreeAligned {
  void operator()(std::byte* bytes) const noexcept { ::operator delete[](bytes, kAlignment); }
};
using Memory = std::unique_ptr<std::byte[], FreeAligned>;

class FakeBuffer final : public backend::DriverBuffer {
 public:
  FakeBuffer(Memory data, std::uint64_t size, bool is_mapped) noexcept : data_{std::move(data)}, size_{size} {
    std::ranges::fill(bytes(0, size), kUndefined);
    mapped = is_mapped ? data_.get() : nullptr;
    address = reinterpret_cast<std::uintptr_t>(data_.get());
  }

  [[nodiscard]] Bytes bytes(std::uint64_t offset, std::uint64_t size) const noexcept {
    return Bytes{data_.get(), size_}.subspan(offset, size);
  }

 private:
  Memory data_;
  std::uint64_t size_;
};

/// The host pointer of a device address, which is the same number.
std::byte* pointer_to(std::uint64_t address) noexcept {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// The value at an address.
template <typename T>
T at_address(std::uint64_t address) noexcept {
  T value;
  std::memcpy(&value, pointer_to(address), sizeof(T));
  return value;
}

class FakePipeline final : public backend::DriverPipeline {
 public:
  FakePipeline(const Kernel& kernel, const KernelCosts& costs, const backend::PipelineDesc& desc)
      : kernel_{kernel},
        group_ns_{costs.front()},
        workgroup_{desc.interface.workgroup.size},
        values_(desc.values.begin(), desc.values.end()) {
    if (desc.form == nullptr) return;
    form_ = desc.form->kind;
    group_ns_ = costs[static_cast<std::size_t>(form_)];
    record_ = desc.form->record;
  }

  void run(const backend::Groups& groups, std::span<const Bytes> bindings, std::span<const std::byte> params) const {
    if (form_ == program::FormKind::Descriptor) {
      kernel_({.groups = groups, .workgroup = workgroup_, .bindings = bindings, .params = params, .values = values_});
      return;
    }
    program::Root root;
    std::memcpy(&root, params.data(), sizeof(root));
    if (form_ == program::FormKind::Chain) {
      for (std::uint32_t i = 0; i < root.count; ++i) run_record(root.records + record_at(root, i));
      return;
    }
    // Runs the items backwards, because nothing may depend on their order.
    for (std::uint32_t i = root.count; i > 0; --i) run_record(root.records + record_at(root, i - 1));
  }

  /// The device time of a workgroup, beside that of all kernels.
  [[nodiscard]] std::uint64_t group_ns() const noexcept { return group_ns_; }
  [[nodiscard]] bool is_form() const noexcept { return form_ != program::FormKind::Descriptor; }
  /// The number of workgroups of all items of a launch, and the number of items.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> work(const backend::Groups& groups,
                                                             std::span<const std::byte> params) const {
    const auto count = [](const backend::Groups& of) { return std::uint64_t{of[0]} * of[1] * of[2]; };
    if (form_ == program::FormKind::Descriptor || form_ == program::FormKind::Pointer) return {count(groups), 0};
    program::Root root;
    std::memcpy(&root, params.data(), sizeof(root));
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < root.count; ++i) {
      sum += count(at_address<backend::Groups>(root.records + record_at(root, i)));
    }
    return {sum, root.count};
  }

 private:
  [[nodiscard]] std::uint64_t record_at(const program::Root& root, std::uint32_t index) const noexcept {
    return std::uint64_t{record_.stride} * (root.first + index);
  }

  void run_record(std::uint64_t record) const {
    struct Entry {
      std::uint64_t address;
      std::uint32_t bytes;
      std::uint32_t length;
    };
    std::vector<Bytes> bindings;
    for (std::size_t i = 0; i < record_.entries.size(); ++i) {
      const auto entry =
          at_address<Entry>(record + program::RecordLayout::kEntriesOffset + i * program::RecordLayout::kEntryBytes);
      bindings.resize(std::max<std::size_t>(bindings.size(), record_.entries[i].range + 1));
      bindings[record_.entries[i].range] = {pointer_to(entry.address), entry.bytes};
    }
    kernel_({.groups = at_address<backend::Groups>(record),
             .workgroup = workgroup_,
             .bindings = bindings,
             .params = {pointer_to(record + record_.params_offset), record_.params_bytes},
             .values = values_});
  }

  program::FormKind form_ = program::FormKind::Descriptor;
  program::RecordLayout record_;
  const Kernel& kernel_;  // Owned by the driver.
  std::uint64_t group_ns_;
  std::array<std::uint32_t, 3> workgroup_;
  std::vector<program::spirv::SpecOverride> values_;
};

/// What a step consists of, for computing its device time.
struct Work {
  std::uint64_t dispatches = 0;
  std::uint64_t groups = 0;
  std::uint64_t form_groups = 0;  ///< Workgroups in derived forms.
  std::uint64_t items = 0;
  std::uint64_t barriers = 0;
  std::uint64_t copies = 0;
  std::uint64_t kib = 0;
  std::uint64_t kernel_ns = 0;  ///< Of its kernel alone.

  [[nodiscard]] std::uint64_t cost_ns(const Costs& costs) const noexcept {
    return dispatches * costs.dispatch_ns + groups * costs.group_ns + form_groups * costs.form_group_ns +
           items * costs.item_ns + barriers * costs.barrier_ns + copies * costs.copy_ns + kib * costs.copy_ns_per_kib +
           kernel_ns;
  }
};

/// A dispatch with objects instead of handles.
struct Run {
  const FakePipeline* pipeline = nullptr;
  backend::Groups groups = {};
  std::vector<Bytes> bindings = {};
  std::vector<std::byte> params = {};
  std::uint64_t groups_address = 0;  ///< If not 0, the address of the workgroup counts.

  [[nodiscard]] backend::Groups groups_now() const noexcept {
    return groups_address == 0 ? groups : at_address<backend::Groups>(groups_address);
  }
  void execute() const {
    const backend::Groups now = groups_now();
    if (std::ranges::find(now, 0U) == now.end()) pipeline->run(now, bindings, params);
  }
  [[nodiscard]] Work work() const {
    const auto [workgroups, items] = pipeline->work(groups_now(), params);
    return {.dispatches = 1,
            .groups = workgroups,
            .form_groups = pipeline->is_form() ? workgroups : 0,
            .items = items,
            .kernel_ns = workgroups * pipeline->group_ns()};
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
  Work work = {};  ///< Not set for a dispatch in a derived form: its work is read from the table when it runs.

  [[nodiscard]] std::uint64_t cost_ns(const Costs& costs) const {
    const Run* run = std::get_if<Run>(&action);
    return run == nullptr ? work.cost_ns(costs) : run->work().cost_ns(costs);
  }
};

class FakeRecording final : public backend::DriverRecording {
 public:
  explicit FakeRecording(std::vector<Step> steps) noexcept : steps_{std::move(steps)} {}
  [[nodiscard]] std::span<const Step> steps() const noexcept { return steps_; }

 private:
  std::vector<Step> steps_;
};

/// Turns the commands of a list into steps.
class Translator {
 public:
  explicit Translator(const ListView& view) noexcept : view_{view} {}

  [[nodiscard]] Step operator()(const backend::Dispatch& dispatch) const {
    Run run{.pipeline = &view_.pipeline<FakePipeline>(dispatch.pipeline), .groups = dispatch.groups};
    for (const backend::BufferRange& range : view_.list.ranges(dispatch)) run.bindings.push_back(bytes(range));
    const std::span<const std::byte> params = view_.list.params(dispatch);
    run.params.assign(params.begin(), params.end());
    return {.action = std::move(run)};
  }
  [[nodiscard]] Step operator()(const backend::IndirectDispatch& dispatch) const {
    const std::span<const std::byte> params = view_.list.params(dispatch);
    Run run{.pipeline = &view_.pipeline<FakePipeline>(dispatch.pipeline),
            .params = {params.begin(), params.end()},
            .groups_address = view_.buffer<FakeBuffer>(dispatch.groups).address + dispatch.offset};
    return {.action = std::move(run)};
  }
  [[nodiscard]] Step operator()(const backend::Copy& copy) const {
    return {.action = Move{.from = bytes({.buffer = copy.from, .offset = copy.from_offset, .size = copy.size}),
                           .to = bytes({.buffer = copy.to, .offset = copy.to_offset, .size = copy.size})},
            .work = copy_of(copy.size)};
  }
  [[nodiscard]] Step operator()(const backend::Fill& fill) const {
    const Bytes to = bytes(fill.range);
    return {.action = Repeat{.to = to, .pattern = fill.pattern}, .work = copy_of(to.size())};
  }
  [[nodiscard]] Step operator()(const backend::Barrier& barrier) const {
    return {.action = barrier, .work = {.barriers = 1}};
  }
  [[nodiscard]] Step operator()(const backend::Timestamp& timestamp) const {
    return {.action = Mark{.to = bytes({.buffer = timestamp.buffer, .offset = timestamp.offset, .size = 8})}};
  }

 private:
  [[nodiscard]] Bytes bytes(const backend::BufferRange& range) const noexcept {
    if (backend::is_left_out(range)) return {};
    return view_.buffer<FakeBuffer>(range.buffer).bytes(range.offset, view_.size(range));
  }
  [[nodiscard]] static Work copy_of(std::uint64_t size) noexcept { return {.copies = 1, .kib = (size + 1023) / 1024}; }

  const ListView& view_;
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

/// Executes the steps between two barriers in any order. Timestamps come last, because they wait for the commands
/// before them, and no command waits for a timestamp.
void execute_wave(std::span<const Step> steps, std::uint64_t begin_ns, const Costs& costs, Random& random) {
  std::vector<const Step*> order;
  std::vector<std::pair<Bytes, std::uint64_t>> marks;
  for (const Step& step : steps) {
    if (const Mark* mark = std::get_if<Mark>(&step.action)) {
      marks.emplace_back(mark->to, begin_ns);
    } else {
      order.push_back(&step);
    }
    begin_ns += step.cost_ns(costs);
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

/// Executes a list from the time `begin_ns` on, and returns the time at which it is done.
std::uint64_t execute(std::span<const Step> steps, std::uint64_t begin_ns, const Costs& costs, Random random) {
  while (!steps.empty()) {
    const auto barrier = std::ranges::find_if(
        steps, [](const Step& step) { return std::holds_alternative<backend::Barrier>(step.action); });
    const auto length = static_cast<std::size_t>(barrier - steps.begin());
    const std::span<const Step> wave = steps.first(length);
    execute_wave(wave, begin_ns, costs, random);
    const std::size_t taken = std::min(length + 1, steps.size());
    for (const Step& step : steps.first(taken)) begin_ns += step.cost_ns(costs);
    steps = steps.subspan(taken);
  }
  return begin_ns;
}

/// A queue: the times at which its submissions are done.
struct Queue {
  std::uint64_t done = 0;                    ///< All tickets up to this one are done.
  std::deque<std::uint64_t> finish_ns = {};  ///< The time at which each later ticket is done.
  std::uint64_t free_ns = 0;                 ///< The time at which the last ticket is done.

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
    Memory data{new (kAlignment, std::nothrow) std::byte[desc.size]};
    if (data == nullptr) {
      return fail(ErrorCode::OutOfMemory, fmt::format("the host has no {} bytes for the fake device", desc.size));
    }
    const bool is_mapped = map_device_memory_ || desc.memory != backend::Memory::Device;
    return std::make_unique<FakeBuffer>(std::move(data), desc.size, is_mapped);
  }

  [[nodiscard]] Result<std::unique_ptr<backend::DriverPipeline>> compile(const backend::PipelineDesc& desc) override {
    const std::scoped_lock lock{mutex_};
    VYRE_TRY(check_present());
    // Calibration kernels have no function: they take device time and do nothing.
    static const Kernel kNothing = [](const Invocation&) {};
    static constexpr KernelCosts kNoCosts = {};
    const auto kernel = options_->kernels.find(desc.program.name());
    const bool is_ours = desc.program.name().starts_with("vyre.");
    if (kernel == options_->kernels.end() && !is_ours) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("the fake device has no function for program '{}'", desc.program.name()));
    }
    now_ns_ += costs().compile_ns;
    const auto own = options_->kernel_costs.find(desc.program.name());
    const KernelCosts& kernel_costs = own == options_->kernel_costs.end() ? kNoCosts : own->second;
    return std::make_unique<FakePipeline>(is_ours ? kNothing : kernel->second, kernel_costs, desc);
  }

  [[nodiscard]] Result<backend::RecordingPtr> record(const ListView& view, backend::Reuse) override {
    const std::scoped_lock lock{mutex_};
    VYRE_TRY(check_present());
    std::vector<Step> steps;
    const Translator translate{view};
    for (const backend::Command& command : view.list.commands()) steps.push_back(std::visit(translate, command));
    now_ns_ += costs().record_ns + steps.size() * costs().record_command_ns;
    return backend::RecordingPtr{new FakeRecording{std::move(steps)}};
  }

  [[nodiscard]] Result<void> launch(std::span<backend::DriverRecording* const> recordings, Ticket ticket,
                                    std::span<const Ticket> after) override {
    const std::scoped_lock lock{mutex_};
    if (++launches_ == options_->lost_at_launch) lost_ = true;
    VYRE_TRY(check_present());
    now_ns_ += costs().launch_ns;
    Queue& queue = queues_[ticket.queue];
    std::uint64_t begin_ns = std::max(queue.free_ns, now_ns_);
    for (const Ticket& other : after) begin_ns = std::max(begin_ns, queues_[other.queue].finish_of(other.value));
    begin_ns += costs().start_ns;
    // The order depends on the ticket alone, so that concurrent launches do not change it.
    const Random random{options_->shuffle_seed ^ Random{ticket.value << 8 ^ ticket.queue}.next()};
    for (backend::DriverRecording* const each : recordings) {
      begin_ns = execute(static_cast<FakeRecording&>(*each).steps(), begin_ns, costs(), random);
    }
    queue.free_ns = begin_ns;
    queue.finish_ns.push_back(queue.free_ns);
    return {};
  }

  [[nodiscard]] Result<std::uint64_t> completed(std::uint32_t queue) override {
    const std::scoped_lock lock{mutex_};
    VYRE_TRY(check_present());
    now_ns_ += costs().poll_ns;
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
  [[nodiscard]] const Costs& costs() const noexcept {
    return options_->changing_costs != nullptr ? *options_->changing_costs : options_->costs;
  }
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
