#include <vyre/runtime/calibrate.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <vyre/choice/line.hpp>
#include <vyre/program/program.hpp>

namespace vyre::runtime {
namespace {

// `kTiny`, `kBody` and `kManyBuffers`, which `generate_calibration_kernels` compiles during the build.
#include <vyre_calibration_kernels.inc>

using backend::BufferRange;
using backend::CommandList;
using backend::PipelineHandle;
using backend::RecordingHandle;
using choice::Calibration;
using choice::ClockPair;
using choice::Line;
using choice::Point;
using choice::Way;
using program::FormKind;
using program::kForms;

constexpr std::size_t kFewestRounds = 3;
constexpr std::size_t kRounds = 5;
constexpr std::size_t kMostRounds = 25;
/// How long a stage of experiments lasts: it ends after `good_ns` of samples if it has had `kRounds` rounds, and after
/// `most_ns` even if it has had only `kFewestRounds`.
struct TimeLimits {
  std::uint64_t good_ns = 0;
  std::uint64_t most_ns = 0;
};
constexpr TimeLimits kForLaunches = {.good_ns = 45'000'000, .most_ns = 300'000'000};
constexpr TimeLimits kForKernels = {.good_ns = 15'000'000, .most_ns = 100'000'000};

constexpr std::uint64_t kViewBytes = 256;
constexpr std::uint32_t kMostItems = 128;
constexpr std::uint32_t kBodies = 8;
constexpr std::uint32_t kWideBodies = 2;
constexpr std::uint32_t kWideGroups = 16;
constexpr std::uint32_t kBoundDispatches = 16;
constexpr std::uint64_t kCopies = 2;
constexpr std::uint64_t kSmallCopy = std::uint64_t{4} << 10;
constexpr std::uint64_t kLargeCopy = std::uint64_t{128} << 10;
constexpr std::array<std::uint32_t, 4> kLaunches = {1, 8, 48, 128};
// If a launch takes longer than this, fewer samples are enough.
constexpr std::uint64_t kLongLaunchNs = 20'000;
constexpr std::array<std::uint32_t, 3> kItems = {2, 16, kMostItems};
constexpr std::uint32_t kChain = 24;
// Timestamps before and after launches of so many dispatches, this number of times in one list.
constexpr std::array<std::uint32_t, 2> kTimed = {1, 16};
constexpr std::uint32_t kTimedLaunches = 8;
// If the ratio of two times is below this, noise alone cannot explain the difference.
constexpr double kClearly = 0.9;
constexpr std::uint32_t kFewBuffers = 2;

struct Params {
  float scale = 0.5F;
  std::uint32_t count = 64;
};

double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// Whether the device's clock is virtual: it stands still while the device has no work. Nothing can disturb such a
/// clock.
bool is_virtual(backend::Device& device) {
  using Steady = std::chrono::steady_clock;
  const std::uint64_t begin = device.now_ns();
  const Steady::time_point until = Steady::now() + std::chrono::microseconds{20};
  while (Steady::now() < until) {
  }
  return device.now_ns() == begin;
}

/// An experiment and its samples.
struct Experiment {
  std::function<Result<void>()> run;  ///< Empty once the experiment is done.
  std::vector<ClockPair> samples = {};
  double ns = 0;
  std::function<double()> timed_ns = {};  ///< Gives the time by the device's clock, if that is what counts.
};

/// A calibration and everything that it has on the device, which the destructor frees.
///
/// A calibration is a queue of steps. Each takes some milliseconds: it compiles one form, records a few lists, or takes
/// one sample of one experiment. A step may put further steps at the front of the queue.
class Rig {
 public:
  Rig(backend::Device& device, std::chrono::nanoseconds timeout);
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;
  ~Rig() {
    release();
    for (const backend::BufferHandle each : buffers_) std::ignore = device_.free(each);
  }

  /// Runs at least one step, and further ones until `budget_ns` have passed. True once no step is left.
  Result<bool> advance(std::uint64_t budget_ns);
  [[nodiscard]] const Calibration& result() const noexcept { return result_; }

 private:
  using Pipelines = std::array<PipelineHandle, kForms>;
  using Step = std::function<Result<void>()>;

  Result<PipelineHandle> compile(const program::Program& program, FormKind form, double* took_ns = nullptr);
  /// Adds steps that compile a kernel in every form, into `pipelines`.
  void compile_all(std::span<const std::uint32_t> words, std::string name, Pipelines& pipelines, bool is_timed);
  Result<void> compile_form(const program::Program& program, FormKind form, Pipelines& pipelines, bool is_timed);
  Result<void> make_buffers();
  /// A list of `count` dispatches, each with views of its own. `waits`: whether there is a barrier between each two.
  CommandList dispatches(PipelineHandle pipeline, std::uint32_t count, std::uint32_t groups = 1, bool waits = false);
  Result<void> run(const CommandList& list);
  Result<void> wait(const Result<backend::Ticket>& ticket);
  void add(std::string name, std::function<Result<void>()> run);
  /// Adds launches between timestamps.
  Result<void> add_timed(FormKind form);
  Result<void> add_lists(std::uint32_t count);
  Result<void> add_one_launches(FormKind form);
  Result<void> add_replay(std::string name, const CommandList& list);
  void add_copies();
  /// The two stages: what launching costs, and then how the forms change the times of kernels. Each stage frees its
  /// pipelines and recordings at its end; keeping those of the first would take half as much memory again.
  void measure_launches();
  void measure_kernels();
  Result<void> add_buffers(FormKind form);
  Result<void> add_bodies(FormKind form);
  void then(Step step) { steps_.push_back(std::move(step)); }
  /// Adds steps that run the added experiments by turns.
  Result<void> begin_rounds(const TimeLimits& limits);
  Result<void> take_sample();
  [[nodiscard]] bool has_enough_rounds() const;
  void end_rounds();
  void release();
  void set_lines();
  [[nodiscard]] double ns(const std::string& name) const { return experiments_.at(name).ns; }
  [[nodiscard]] bool has(FormKind form) const { return result_.has(form); }
  template <std::size_t N>
  [[nodiscard]] Line line(const std::string& name, const std::array<std::uint32_t, N>& counts) const;
  void set_forms();
  void set_crossover();
  /// The calibration kernel with the most buffers that the device can bind, and their number.
  [[nodiscard]] KernelOfBuffers many_buffers() const noexcept;

  backend::Device& device_;
  std::chrono::nanoseconds timeout_;
  Calibration result_;
  std::vector<PipelineHandle> pipelines_;
  std::vector<backend::BufferHandle> buffers_;
  std::vector<RecordingHandle> recordings_;
  std::span<const std::byte> stamps_;  // The memory of timestamps; empty without.
  backend::BufferHandle stamp_buffer_ = {};
  backend::BufferHandle in_ = {};
  backend::BufferHandle out_ = {};
  std::map<std::string, Experiment> experiments_;
  std::deque<Step> steps_;
  Pipelines tiny_ = {};
  Pipelines body_ = {};
  bool is_slow_ = false;   // Whether the device is so slow that the longest lists are left out.
  bool is_still_ = false;  // Whether the device's clock is virtual.
  // The current stage: in each round, every experiment of `running_` is run once.
  TimeLimits limits_ = {};
  std::vector<Experiment*> running_;
  std::size_t next_ = 0;
  std::size_t round_ = 0;  // Round 0 is a warm-up, whose samples do not count.
  std::uint64_t sampled_ns_ = 0;
};

std::string named(const std::string& what, std::uint32_t count) { return fmt::format("{} {}", what, count); }

Result<PipelineHandle> Rig::compile(const program::Program& program, FormKind form, double* took_ns) {
  const std::uint64_t begin = device_.now_ns();
  auto pipeline = device_.compile(program, {.form = form, .warm = true});
  if (!pipeline) return pipeline;
  if (took_ns != nullptr) *took_ns = static_cast<double>(device_.now_ns() - begin);
  pipelines_.push_back(*pipeline);
  return pipeline;
}

void Rig::compile_all(std::span<const std::uint32_t> words, std::string name, Pipelines& pipelines, bool is_timed) {
  for (const FormKind form : program::kAllForms) {
    then([this, words, name, form, &pipelines, is_timed]() -> Result<void> {
      if (!device_.info().forms.has(form)) {
        result_.has_form[static_cast<std::size_t>(form)] = false;
        return {};
      }
      VYRE_ASSIGN(const program::Program program, program::Program::from_spirv(words, {.name = name}));
      return compile_form(program, form, pipelines, is_timed);
    });
  }
}

Result<void> Rig::compile_form(const program::Program& program, FormKind form, Pipelines& pipelines, bool is_timed) {
  const auto i = static_cast<std::size_t>(form);
  double took_ns = 0;
  auto pipeline = compile(program, form, &took_ns);
  result_.has_form[i] = pipeline.has_value();
  if (!pipeline) {
    const bool is_needed = form == FormKind::Descriptor || pipeline.error().code != ErrorCode::Unsupported;
    return is_needed ? std::unexpected{std::move(pipeline).error()} : Result<void>{};
  }
  pipelines[i] = *pipeline;
  if (!is_timed) return {};
  if (form == FormKind::Descriptor) {
    result_.compile_ns = took_ns;
  } else if (result_.compile_ns > 0 && took_ns > 0) {
    result_.forms[i].compile = took_ns / result_.compile_ns;
  }
  return {};
}

Result<void> Rig::make_buffers() {
  const std::uint64_t bytes = std::max(kMostItems * kViewBytes, kLargeCopy * kCopies);
  for (backend::BufferHandle* buffer : {&in_, &out_}) {
    VYRE_ASSIGN(*buffer, device_.allocate({.size = bytes}));
    buffers_.push_back(*buffer);
    // The first write to memory is slow, so it is made here and not in an experiment.
    CommandList zeros;
    zeros.fill({.buffer = *buffer}, 0);
    VYRE_TRY(run(zeros));
  }
  return {};
}

CommandList Rig::dispatches(PipelineHandle pipeline, std::uint32_t count, std::uint32_t groups, bool waits) {
  CommandList list;
  const Params params;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (waits && i > 0) list.barrier();
    const std::uint64_t offset = i % kMostItems * kViewBytes;
    const std::array views{BufferRange{.buffer = in_, .offset = offset, .size = kViewBytes},
                           BufferRange{.buffer = out_, .offset = offset, .size = kViewBytes}};
    list.dispatch(pipeline, views, {groups, 1, 1}, std::as_bytes(std::span{&params, 1}));
  }
  return list;
}

Result<void> Rig::wait(const Result<backend::Ticket>& ticket) {
  if (!ticket) return std::unexpected{ticket.error()};
  return device_.wait(*ticket, timeout_);
}

Result<void> Rig::run(const CommandList& list) { return wait(device_.submit(list, {.timeout = timeout_})); }

void Rig::add(std::string name, std::function<Result<void>()> run) {
  experiments_.emplace(std::move(name), Experiment{.run = std::move(run)});
}

Result<void> Rig::add_timed(FormKind form) {
  constexpr std::uint64_t kStampBytes = 8;
  const backend::DeviceInfo& info = device_.info();
  if (!has(form) || info.limits.max_timestamps < 2 * kTimedLaunches) return {};
  if (stamps_.empty()) {
    VYRE_ASSIGN(stamp_buffer_,
                device_.allocate({.size = 2 * kTimedLaunches * kStampBytes, .memory = backend::Memory::Readback}));
    buffers_.push_back(stamp_buffer_);
    VYRE_ASSIGN(stamps_, device_.map(stamp_buffer_));
  }
  for (const std::uint32_t count : kTimed) {
    const CommandList launch = dispatches(tiny_[static_cast<std::size_t>(form)], count);
    CommandList list;
    for (std::uint32_t i = 0; i < kTimedLaunches; ++i) {
      if (i > 0) list.barrier();
      list.timestamp(stamp_buffer_, std::uint64_t{2} * i * kStampBytes);
      for (const backend::Command& command : launch.commands()) list.append(launch, command);
      list.timestamp(stamp_buffer_, (std::uint64_t{2} * i + 1) * kStampBytes);
    }
    const std::string name = named(fmt::format("timed {}", to_string(form)), count);
    add(name, [this, list] { return run(list); });
    experiments_.at(name).timed_ns = [this, period = info.timestamp_period_ns] {
      std::vector<double> ns;
      for (std::uint32_t i = 0; i < kTimedLaunches; ++i) {
        std::array<std::uint64_t, 2> stamps = {};
        std::memcpy(stamps.data(), stamps_.data() + std::uint64_t{2} * i * kStampBytes, sizeof(stamps));
        ns.push_back(stamps[1] < stamps[0] ? 0 : static_cast<double>(stamps[1] - stamps[0]) * period);
      }
      return choice::median(ns);
    };
  }
  return {};
}

Result<void> Rig::add_replay(std::string name, const CommandList& list) {
  VYRE_ASSIGN(const RecordingHandle recording, device_.record(list));
  recordings_.push_back(recording);
  add(std::move(name), [this, recording] { return wait(device_.replay(recording, {.timeout = timeout_})); });
  return {};
}

Result<void> Rig::add_lists(std::uint32_t count) {
  const PipelineHandle written = tiny_[static_cast<std::size_t>(FormKind::Descriptor)];
  if (count == kLaunches.front()) {
    const CommandList probe = dispatches(written, kBodies);
    VYRE_TRY(run(probe));
    const std::uint64_t begin = device_.now_ns();
    VYRE_TRY(run(probe));
    is_slow_ = device_.now_ns() - begin > kLongLaunchNs * kBodies;
  }
  if (is_slow_ && count == kLaunches.back()) return {};
  const CommandList list = dispatches(written, count);
  add(named("plain", count), [this, list, one = CommandList{}]() mutable -> Result<void> {
    backend::Ticket last;
    for (const backend::Command& command : list.commands()) {
      one.clear();
      one.append(list, command);
      VYRE_ASSIGN(last, device_.submit(one, {.timeout = timeout_}));
    }
    return device_.wait(last, timeout_);
  });
  add(named("batched", count), [this, list] { return run(list); });
  add(named("record", count), [this, list]() -> Result<void> {
    VYRE_ASSIGN(const RecordingHandle recording, device_.record(list));
    return device_.free(recording);
  });
  VYRE_TRY(add_replay(named("replay", count), list));
  if (!has(FormKind::Pointer) || device_.info().forms.bindless != backend::Bindless::Full) return {};
  const CommandList through = dispatches(tiny_[static_cast<std::size_t>(FormKind::Pointer)], count);
  VYRE_ASSIGN(const RecordingHandle recording, device_.record(through, {.updatable = true}));
  recordings_.push_back(recording);
  add(named("table", count),
      [this, recording, through] { return wait(device_.replay(recording, through, {.timeout = timeout_})); });
  return {};
}

Result<void> Rig::add_one_launches(FormKind form) {
  if (!is_one_launch(form) || !has(form)) return {};
  for (const std::uint32_t count : kItems) {
    const CommandList list = dispatches(tiny_[static_cast<std::size_t>(form)], count, 1, form == FormKind::Chain);
    const std::string name{to_string(form)};
    add(named(name, count), [this, list] { return run(list); });
    VYRE_TRY(add_replay(named(name + "-replay", count), list));
  }
  return {};
}

void Rig::add_copies() {
  for (const std::uint64_t size : {kSmallCopy, kLargeCopy}) {
    CommandList list;
    for (std::uint64_t i = 0; i < kCopies; ++i) list.copy(in_, i * size, out_, i * size, size);
    add(size == kSmallCopy ? "copy small" : "copy large", [this, list] { return run(list); });
  }
}

Result<void> Rig::begin_rounds(const TimeLimits& limits) {
  limits_ = limits;
  running_.clear();
  for (auto& [name, each] : experiments_) {
    if (each.run) running_.push_back(&each);
  }
  next_ = round_ = 0;
  sampled_ns_ = 0;
  steps_.push_front([this] { return take_sample(); });
  return {};
}

Result<void> Rig::take_sample() {
  Experiment& each = *running_[next_];
  const double cpu = cpu_ns();
  const std::uint64_t start = device_.now_ns();
  VYRE_TRY(each.run());
  const std::uint64_t taken = device_.now_ns() - start;
  const auto wall = static_cast<double>(taken);
  sampled_ns_ += taken;
  if (round_ > 0 && each.timed_ns) {
    const double ns = each.timed_ns();
    each.samples.push_back({.wall_ns = ns, .other_ns = ns});
  } else if (round_ > 0) {
    each.samples.push_back({.wall_ns = wall, .other_ns = is_still_ ? wall : cpu_ns() - cpu});
  }
  if (++next_ == running_.size()) {
    next_ = 0;
    ++round_;
  }
  if (has_enough_rounds()) {
    end_rounds();
  } else {
    steps_.push_front([this] { return take_sample(); });
  }
  return {};
}

bool Rig::has_enough_rounds() const {
  if (next_ != 0 || round_ == 0) return false;
  const std::size_t counted = round_ - 1;
  return counted >= kMostRounds || (counted >= kRounds && (sampled_ns_ >= limits_.good_ns || is_still_)) ||
         (counted >= kFewestRounds && sampled_ns_ >= limits_.most_ns);
}

void Rig::end_rounds() {
  for (Experiment* each : running_) {
    const std::vector<double> good = choice::trusted(each->samples);
    each->ns = choice::median(good);
    result_.samples += static_cast<std::uint32_t>(each->samples.size());
    result_.dropped += static_cast<std::uint32_t>(each->samples.size() - good.size());
    *each = {.ns = each->ns};
  }
  release();
}

void Rig::release() {
  for (const RecordingHandle each : std::exchange(recordings_, {})) std::ignore = device_.free(each);
  for (const PipelineHandle each : std::exchange(pipelines_, {})) std::ignore = device_.free(each);
}

template <std::size_t N>
Line Rig::line(const std::string& name, const std::array<std::uint32_t, N>& counts) const {
  std::vector<Point> points;
  for (const std::uint32_t count : counts) {
    const auto found = experiments_.find(named(name, count));
    if (found != experiments_.end()) points.push_back({.n = 1.0 * count, .ns = found->second.ns});
  }
  return choice::fit_line(points);
}

void Rig::set_forms() {
  const auto waiting_of = [&](const std::string& name, std::uint32_t count) {
    const double waits = result_.barrier_ns * (count - 1);
    return std::max(ns(name + " waiting") - waits - result_.way(Way::Replay).at(count), 0.0) / count;
  };
  const auto time_of = [&](const std::string& name, FormKind form, std::uint32_t count) {
    const auto found = experiments_.find(fmt::format("{} {}", name, to_string(form)));
    if (found == experiments_.end()) return 0.0;
    return std::max(found->second.ns - result_.way(kept_of(choice::way_of(form))).at(count), 0.0) / count;
  };
  // The ratio is 1 if one of the times is 0: then the kernels take no time on the device's clock.
  const auto ratio = [](double other, double written) {
    constexpr double kMost = 20;
    return other <= 0 || written <= 0 ? 1 : std::clamp(other / written, 1 / kMost, kMost);
  };
  for (const FormKind form : program::kAllForms) {
    if (form == FormKind::Descriptor) continue;
    choice::FormRatios& ratios = result_.forms[static_cast<std::size_t>(form)];
    const auto written_of = [&](const std::string& name, std::uint32_t count) {
      return form == FormKind::Chain ? waiting_of(name, count) : time_of(name, FormKind::Descriptor, count);
    };
    ratios.narrow = ratio(time_of("narrow", form, kBodies), written_of("narrow", kBodies));
    ratios.wide = ratio(time_of("wide", form, kWideBodies), written_of("wide", kWideBodies));
  }
}

KernelOfBuffers Rig::many_buffers() const noexcept {
  const std::uint32_t most = device_.info().limits.max_storage_buffers;
  const auto fits = [&](const KernelOfBuffers& kernel) { return kernel.count <= most; };
  const auto* const found = std::ranges::find_if(kManyBuffers, fits);
  return found == std::end(kManyBuffers) ? std::end(kManyBuffers)[-1] : *found;
}

void Rig::set_crossover() {
  const std::uint32_t most = device_.info().limits.max_storage_buffers;
  const auto per_dispatch = [&](const std::string& name) {
    const auto at = [&](const char* which) {
      const auto found = experiments_.find(name + which);
      return found == experiments_.end() ? 0 : found->second.ns / kBoundDispatches;
    };
    const std::array points{Point{.n = kFewBuffers, .ns = at(" few")},
                            Point{.n = 1.0 * many_buffers().count, .ns = at(" many")}};
    return choice::fit_line(points);
  };
  result_.bound = per_dispatch("bound");
  result_.table = per_dispatch("through table");
  if (!has(FormKind::Pointer) || device_.info().forms.bindless != backend::Bindless::Full) return;
  // Without a crossover below, a table pays only where there are more buffers than can be bound.
  result_.bindless_crossover = most + 1;
  const double measured = many_buffers().count;
  if (result_.table.at(measured) >= kClearly * result_.bound.at(measured)) return;
  for (std::uint32_t buffers = kFewBuffers; buffers <= most; ++buffers) {
    if (result_.table.at(buffers) < kClearly * result_.bound.at(buffers)) {
      result_.bindless_crossover = buffers;
      return;
    }
  }
}

void Rig::measure_launches() {
  compile_all(kTiny, "vyre.tiny", tiny_, true);
  for (const std::uint32_t count : kLaunches) then([this, count] { return add_lists(count); });
  for (const FormKind form : program::kAllForms) then([this, form] { return add_one_launches(form); });
  for (const FormKind form : program::kAllForms) then([this, form] { return add_timed(form); });
  then([this]() -> Result<void> {
    const PipelineHandle written = tiny_[static_cast<std::size_t>(FormKind::Descriptor)];
    VYRE_TRY(add_replay("chain", dispatches(written, kChain, 1, true)));
    add_copies();
    return add_replay("no chain", dispatches(written, kChain));
  });
  for (const FormKind form : {FormKind::Descriptor, FormKind::Pointer})
    then([this, form] { return add_buffers(form); });
  then([this] { return begin_rounds(kForLaunches); });
}

void Rig::measure_kernels() {
  compile_all(kBody, "vyre.body", body_, false);
  for (const FormKind form : program::kAllForms) then([this, form] { return add_bodies(form); });
  then([this]() -> Result<void> {
    // A chain replaces dispatches that wait for each other, so it is compared with dispatches that do.
    const PipelineHandle written = body_[static_cast<std::size_t>(FormKind::Descriptor)];
    VYRE_TRY(add_replay("narrow waiting", dispatches(written, kBodies, 1, true)));
    return add_replay("wide waiting", dispatches(written, kWideBodies, kWideGroups, true));
  });
  then([this] { return begin_rounds(kForKernels); });
}

Result<void> Rig::add_bodies(FormKind form) {
  if (!has(form)) return {};
  const PipelineHandle pipeline = body_[static_cast<std::size_t>(form)];
  VYRE_TRY(add_replay(fmt::format("narrow {}", to_string(form)), dispatches(pipeline, kBodies)));
  return add_replay(fmt::format("wide {}", to_string(form)), dispatches(pipeline, kWideBodies, kWideGroups));
}

Result<void> Rig::add_buffers(FormKind form) {
  if (!has(form)) return {};
  const auto [many, words] = many_buffers();
  VYRE_ASSIGN(const program::Program program, program::Program::from_spirv(words, {.name = "vyre.buffers"}));
  const std::string name = form == FormKind::Descriptor ? "bound" : "through table";
  VYRE_ASSIGN(const PipelineHandle pipeline, compile(program, form));
  CommandList list;
  for (std::uint32_t i = 0; i < kBoundDispatches; ++i) {
    std::vector<BufferRange> views;
    for (std::uint32_t j = 0; j < many; ++j) {
      // The kernel writes its first view, so no other dispatch may have that one.
      const std::uint64_t view = j == 0 ? i : (std::uint64_t{i} * many + j) % kMostItems;
      views.push_back({.buffer = j == 0 ? out_ : in_, .offset = view * kViewBytes, .size = kViewBytes});
    }
    list.dispatch(pipeline, views, {1, 1, 1});
  }
  add(name + " many", [this, list] { return run(list); });
  const CommandList few = dispatches(tiny_[static_cast<std::size_t>(form)], kBoundDispatches);
  add(name + " few", [this, few] { return run(few); });
  return {};
}

void Rig::set_lines() {
  result_.way(Way::Plain) = line("plain", kLaunches);
  result_.way(Way::Batched) = line("batched", kLaunches);
  result_.way(Way::Replay) = line("replay", kLaunches);
  result_.way(Way::Table) = line("table", kLaunches);
  for (const Way way : choice::kAllWays) {
    if (choice::is_one_launch(way)) result_.way(way) = line(std::string{to_string(way)}, kItems);
  }
  for (const FormKind form : program::kAllForms) {
    result_.timed[static_cast<std::size_t>(form)] = line(fmt::format("timed {}", to_string(form)), kTimed);
  }
  result_.record = line("record", kLaunches);
  // A difference that noise could explain counts as no difference.
  const bool barriers_cost = ns("no chain") < kClearly * ns("chain");
  result_.barrier_ns = barriers_cost ? (ns("chain") - ns("no chain")) / (kChain - 1) : 0;
  // Both lists have the same number of copies and the same fixed cost, so their difference is due to the bytes.
  const double small = ns("copy small");
  const double slope = std::max(ns("copy large") - small, 0.0) / (kCopies * (kLargeCopy - kSmallCopy));
  const double fixed = (small - result_.way(Way::Batched).fixed_ns) / kCopies - slope * kSmallCopy;
  result_.copy = {.fixed_ns = std::max(fixed, 0.0), .slope_ns = slope};
}

Rig::Rig(backend::Device& device, std::chrono::nanoseconds timeout)
    : device_{device},
      timeout_{timeout},
      result_{.device = device.info().name, .signature = device.info().signature},
      is_still_{is_virtual(device)} {
  then([this] { return make_buffers(); });
  measure_launches();
  measure_kernels();
  then([this]() -> Result<void> {
    set_lines();
    set_forms();
    set_crossover();
    return {};
  });
}

Result<bool> Rig::advance(std::uint64_t budget_ns) {
  const std::uint64_t begin = device_.now_ns();
  std::uint64_t taken = 0;
  while (!steps_.empty()) {
    const Step step = std::move(steps_.front());
    steps_.pop_front();
    const auto ran = step();
    taken = device_.now_ns() - begin;
    if (!ran) return std::unexpected{ran.error()};
    if (taken >= budget_ns) break;
  }
  result_.took_ns += taken;
  return steps_.empty();
}

}  // namespace

struct Calibrator::State {
  std::unique_ptr<backend::Device> again;  ///< The second device; null if there is none.
  std::optional<Rig> rig;
};

Calibrator::Calibrator(backend::Device& device, std::chrono::nanoseconds timeout)
    : device_{&device}, timeout_{timeout} {}
Calibrator::~Calibrator() = default;

Result<bool> Calibrator::advance(std::uint64_t budget_ns) {
  VYRE_TRY(device_->wait_idle(timeout_));
  if (state_ == nullptr) {
    // A second device, because pipelines make some drivers slower: on lavapipe, kernels took up to a sixth longer
    // afterwards, because of the heap of its thread. If there is none, measures on the first device.
    state_ = std::make_unique<State>();
    if (auto again = device_->open_again(); again && *again != nullptr) state_->again = *std::move(again);
    state_->rig.emplace(state_->again != nullptr ? *state_->again : *device_, timeout_);
  }
  auto advanced = state_->rig->advance(budget_ns);
  if (!advanced) {
    // Only the second device is lost, and the user's device goes on.
    const bool is_other = state_->again != nullptr;
    if (is_other && advanced.error().code == ErrorCode::DeviceLost) advanced.error().code = ErrorCode::Unavailable;
    return in_context(std::move(advanced).error(), fmt::format("while measuring device '{}'", device_->info().name));
  }
  return advanced;
}

bool Calibrator::has_own_device() const noexcept { return state_ == nullptr || state_->again != nullptr; }

const choice::Calibration& Calibrator::result() const { return state_->rig->result(); }

Result<choice::Calibration> calibrate(backend::Device& device, std::chrono::nanoseconds timeout) {
  Calibrator calibrator{device, timeout};
  while (true) {
    VYRE_ASSIGN(const bool is_done, calibrator.advance(std::numeric_limits<std::uint64_t>::max()));
    if (is_done) return calibrator.result();
  }
}

}  // namespace vyre::runtime
