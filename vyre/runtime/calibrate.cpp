#include <vyre/runtime/calibrate.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <iterator>
#include <map>
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

// `kTiny`, `kBody` and `kManyBuffers`, which the build compiles.
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
/// When enough was seen, and when it must be enough.
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
// On a device whose launches take longer than this, fewer samples are enough.
constexpr std::uint64_t kLongLaunchNs = 20'000;
constexpr std::array<std::uint32_t, 3> kItems = {2, 16, kMostItems};
constexpr std::uint32_t kChain = 24;
// A time below this share of another one is certainly smaller.
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

/// Whether a clock stands still while nothing is asked of the device. Then nothing can disturb it.
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
  std::function<Result<void>()> run;  ///< Empty once it was measured.
  std::vector<ClockPair> samples = {};
  double ns = 0;
};

/// Everything that a calibration has on the device; gone with it.
class Rig {
 public:
  Rig(backend::Device& device, std::chrono::nanoseconds timeout) noexcept : device_{device}, timeout_{timeout} {}
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;
  ~Rig() {
    release();
    for (const backend::BufferHandle each : buffers_) std::ignore = device_.free(each);
  }

  Result<Calibration> measure();

 private:
  using Pipelines = std::array<PipelineHandle, kForms>;

  Result<PipelineHandle> compile(const program::Program& program, FormKind form, double* took_ns = nullptr);
  Result<Pipelines> compile_all(const program::Program& program, std::array<double, kForms>* took_ns = nullptr);
  Result<void> make_buffers();
  /// `count` dispatches, each on views of its own, with barriers between them or without.
  CommandList dispatches(PipelineHandle pipeline, std::uint32_t count, std::uint32_t groups = 1, bool waits = false);
  Result<void> run(const CommandList& list);
  Result<void> wait(const Result<backend::Ticket>& ticket);
  void add(std::string name, std::function<Result<void>()> run);
  Result<void> add_ways(const Pipelines& tiny);
  Result<void> add_replay(std::string name, const CommandList& list);
  void add_copies();
  /// What launching takes, and then what the forms make of kernels. Each stage releases what it compiled and recorded:
  /// both together would need half as much memory again.
  Result<void> measure_launches();
  Result<void> measure_kernels();
  Result<void> add_buffers(const Pipelines& tiny);
  /// Runs what was added, in turns.
  Result<void> run_all(const TimeLimits& limits);
  void release();
  void set_lines();
  [[nodiscard]] double ns(const std::string& name) const { return experiments_.at(name).ns; }
  [[nodiscard]] bool has(FormKind form) const { return result_.has(form); }
  template <std::size_t N>
  [[nodiscard]] Line line(const std::string& name, const std::array<std::uint32_t, N>& counts) const;
  void set_forms();
  void set_crossover();
  /// The kernel with the most buffers that can be bound, and their number.
  [[nodiscard]] KernelOfBuffers many_buffers() const noexcept;

  backend::Device& device_;
  std::chrono::nanoseconds timeout_;
  Calibration result_;
  std::vector<PipelineHandle> pipelines_;
  std::vector<backend::BufferHandle> buffers_;
  std::vector<RecordingHandle> recordings_;
  backend::BufferHandle in_ = {};
  backend::BufferHandle out_ = {};
  std::map<std::string, Experiment> experiments_;
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

Result<Rig::Pipelines> Rig::compile_all(const program::Program& program, std::array<double, kForms>* took_ns) {
  Pipelines pipelines;
  for (const FormKind form : program::kAllForms) {
    const auto i = static_cast<std::size_t>(form);
    if (!device_.info().forms.has(form)) {
      result_.has_form[i] = false;
      continue;
    }
    auto pipeline = compile(program, form, took_ns == nullptr ? nullptr : &(*took_ns)[i]);
    if (!pipeline) {
      if (form == FormKind::Descriptor || pipeline.error().code != ErrorCode::Unsupported) {
        return std::unexpected{std::move(pipeline).error()};
      }
      result_.has_form[i] = false;
      continue;
    }
    pipelines[i] = *pipeline;
    result_.has_form[i] = true;
  }
  return pipelines;
}

Result<void> Rig::make_buffers() {
  const std::uint64_t bytes = std::max(kMostItems * kViewBytes, kLargeCopy * kCopies);
  for (backend::BufferHandle* buffer : {&in_, &out_}) {
    VYRE_ASSIGN(*buffer, device_.allocate({.size = bytes}));
    buffers_.push_back(*buffer);
    // Memory that was never written is slow the first time.
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

Result<void> Rig::add_replay(std::string name, const CommandList& list) {
  VYRE_ASSIGN(const RecordingHandle recording, device_.record(list));
  recordings_.push_back(recording);
  add(std::move(name), [this, recording] { return wait(device_.replay(recording, {.timeout = timeout_})); });
  return {};
}

Result<void> Rig::add_ways(const Pipelines& tiny) {
  const PipelineHandle written = tiny[static_cast<std::size_t>(FormKind::Descriptor)];
  const CommandList probe = dispatches(written, kBodies);
  VYRE_TRY(run(probe));
  const std::uint64_t begin = device_.now_ns();
  VYRE_TRY(run(probe));
  const bool is_slow = device_.now_ns() - begin > kLongLaunchNs * kBodies;
  for (const std::uint32_t count : kLaunches) {
    if (is_slow && count == kLaunches.back()) continue;
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
    if (has(FormKind::Pointer) && device_.info().forms.bindless == backend::Bindless::Full) {
      const CommandList through = dispatches(tiny[static_cast<std::size_t>(FormKind::Pointer)], count);
      VYRE_ASSIGN(const RecordingHandle recording, device_.record(through, {.updatable = true}));
      recordings_.push_back(recording);
      add(named("table", count),
          [this, recording, through] { return wait(device_.replay(recording, through, {.timeout = timeout_})); });
    }
  }
  for (const FormKind form : program::kAllForms) {
    if (!is_one_launch(form) || !has(form)) continue;
    for (const std::uint32_t count : kItems) {
      const CommandList list = dispatches(tiny[static_cast<std::size_t>(form)], count, 1, form == FormKind::Chain);
      const std::string name{to_string(form)};
      add(named(name, count), [this, list] { return run(list); });
      VYRE_TRY(add_replay(named(name + "-replay", count), list));
    }
  }
  const CommandList chain = dispatches(written, kChain, 1, true);
  VYRE_TRY(add_replay("chain", chain));
  return add_replay("no chain", dispatches(written, kChain));
}

void Rig::add_copies() {
  for (const std::uint64_t size : {kSmallCopy, kLargeCopy}) {
    CommandList list;
    for (std::uint64_t i = 0; i < kCopies; ++i) list.copy(in_, i * size, out_, i * size, size);
    add(size == kSmallCopy ? "copy small" : "copy large", [this, list] { return run(list); });
  }
}

Result<void> Rig::run_all(const TimeLimits& limits) {
  const bool is_still = is_virtual(device_);
  const std::uint64_t begin = device_.now_ns();
  std::vector<Experiment*> added;
  for (auto& [name, each] : experiments_) {
    if (each.run) added.push_back(&each);
  }
  for (Experiment* each : added) VYRE_TRY(each->run());  // Does not count.
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    const std::uint64_t taken = device_.now_ns() - begin;
    if ((round >= kRounds && (taken >= limits.good_ns || is_still)) ||
        (round >= kFewestRounds && taken >= limits.most_ns)) {
      break;
    }
    for (Experiment* each : added) {
      const double cpu = cpu_ns();
      const std::uint64_t start = device_.now_ns();
      VYRE_TRY(each->run());
      const auto wall = static_cast<double>(device_.now_ns() - start);
      each->samples.push_back({.wall_ns = wall, .other_ns = is_still ? wall : cpu_ns() - cpu});
    }
  }
  for (Experiment* each : added) {
    const std::vector<double> good = choice::trusted(each->samples);
    each->ns = choice::median(good);
    result_.samples += static_cast<std::uint32_t>(each->samples.size());
    result_.dropped += static_cast<std::uint32_t>(each->samples.size() - good.size());
    *each = {.ns = each->ns};
  }
  release();
  return {};
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
  // A device that forms make no difference to, or whose clock does not see the kernels, has a ratio of 1.
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
  // Beyond what can be bound there is only the table.
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

Result<void> Rig::measure_launches() {
  VYRE_ASSIGN(const program::Program tiny_program, program::Program::from_spirv(kTiny, {.name = "vyre.tiny"}));
  std::array<double, kForms> compile_ns = {};
  VYRE_ASSIGN(const Pipelines tiny, compile_all(tiny_program, &compile_ns));
  result_.compile_ns = compile_ns[0];
  for (std::size_t i = 1; i < kForms; ++i) {
    if (compile_ns[0] > 0 && compile_ns[i] > 0) result_.forms[i].compile = compile_ns[i] / compile_ns[0];
  }
  VYRE_TRY(add_ways(tiny));
  add_copies();
  VYRE_TRY(add_buffers(tiny));
  return run_all(kForLaunches);
}

Result<void> Rig::measure_kernels() {
  VYRE_ASSIGN(const program::Program body_program, program::Program::from_spirv(kBody, {.name = "vyre.body"}));
  VYRE_ASSIGN(const Pipelines body, compile_all(body_program));
  for (const FormKind form : program::kAllForms) {
    if (!has(form)) continue;
    const PipelineHandle pipeline = body[static_cast<std::size_t>(form)];
    VYRE_TRY(add_replay(fmt::format("narrow {}", to_string(form)), dispatches(pipeline, kBodies)));
    VYRE_TRY(add_replay(fmt::format("wide {}", to_string(form)), dispatches(pipeline, kWideBodies, kWideGroups)));
  }
  // A chain replaces dispatches that wait for each other, so it is compared with such.
  const PipelineHandle written = body[static_cast<std::size_t>(FormKind::Descriptor)];
  VYRE_TRY(add_replay("narrow waiting", dispatches(written, kBodies, 1, true)));
  VYRE_TRY(add_replay("wide waiting", dispatches(written, kWideBodies, kWideGroups, true)));
  return run_all(kForKernels);
}

Result<void> Rig::add_buffers(const Pipelines& tiny) {
  const auto [many, words] = many_buffers();
  VYRE_ASSIGN(const program::Program program, program::Program::from_spirv(words, {.name = "vyre.buffers"}));
  for (const FormKind form : {FormKind::Descriptor, FormKind::Pointer}) {
    if (!has(form)) continue;
    const std::string name = form == FormKind::Descriptor ? "bound" : "through table";
    VYRE_ASSIGN(const PipelineHandle pipeline, compile(program, form));
    CommandList list;
    for (std::uint32_t i = 0; i < kBoundDispatches; ++i) {
      std::vector<BufferRange> views;
      for (std::uint32_t j = 0; j < many; ++j) {
        // The first is written, and by no other.
        const std::uint64_t view = j == 0 ? i : (std::uint64_t{i} * many + j) % kMostItems;
        views.push_back({.buffer = j == 0 ? out_ : in_, .offset = view * kViewBytes, .size = kViewBytes});
      }
      list.dispatch(pipeline, views, {1, 1, 1});
    }
    add(name + " many", [this, list] { return run(list); });
    const CommandList few = dispatches(tiny[static_cast<std::size_t>(form)], kBoundDispatches);
    add(name + " few", [this, few] { return run(few); });
  }
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
  result_.record = line("record", kLaunches);
  // A difference that noise could make is none.
  const bool barriers_cost = ns("no chain") < kClearly * ns("chain");
  result_.barrier_ns = barriers_cost ? (ns("chain") - ns("no chain")) / (kChain - 1) : 0;
  // Both lists have as many copies, and take as much by themselves.
  const double small = ns("copy small");
  const double slope = std::max(ns("copy large") - small, 0.0) / (kCopies * (kLargeCopy - kSmallCopy));
  const double fixed = (small - result_.way(Way::Batched).fixed_ns) / kCopies - slope * kSmallCopy;
  result_.copy = {.fixed_ns = std::max(fixed, 0.0), .slope_ns = slope};
}

Result<Calibration> Rig::measure() {
  const std::uint64_t begin = device_.now_ns();
  result_ = {.device = device_.info().name, .signature = device_.info().signature};
  VYRE_TRY(make_buffers());
  VYRE_TRY(measure_launches());
  VYRE_TRY(measure_kernels());
  set_lines();
  set_forms();
  set_crossover();
  result_.took_ns = device_.now_ns() - begin;
  return result_;
}

}  // namespace

Result<Calibration> calibrate(backend::Device& device, std::chrono::nanoseconds timeout) {
  // Pipelines make some drivers slower: on lavapipe, kernels took up to a sixth longer afterwards, because of the heap
  // of its thread. A device that cannot be opened twice is measured all the same.
  VYRE_TRY(device.wait_idle(timeout));
  const auto again = device.open_again();
  const bool has_again = again && *again != nullptr;
  auto measured = Rig{has_again ? **again : device, timeout}.measure();
  if (!measured) {
    // The other is lost, and not this one.
    if (has_again && measured.error().code == ErrorCode::DeviceLost) measured.error().code = ErrorCode::Unavailable;
    return in_context(std::move(measured).error(), fmt::format("while measuring device '{}'", device.info().name));
  }
  return measured;
}

}  // namespace vyre::runtime
