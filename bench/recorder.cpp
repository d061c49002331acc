#include "bench/recorder.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <numeric>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <vyre/choice/forecast.hpp>
#include <vyre/choice/kernel_times.hpp>
#include <vyre/runtime/tuner.hpp>

#include "bench/clock.hpp"
#include "bench/must.hpp"
#include "bench/other_load.hpp"

namespace vyre::bench {
namespace {

using choice::Way;
using runtime::LaunchMode;

constexpr int kCalibrations = 5;
/// Workloads with longer runs are left out: they would take the time of many others.
constexpr double kLongestRunNs = 3e7;
/// The time that the blocks of one workload may take, and one block: short batches have more runs in it.
constexpr double kWorkloadNs = 4e9;
constexpr double kBlockNs = 1e7;
/// The first run of a block follows a switch, and stands for no other.
constexpr double kLeastRuns = 2;
constexpr double kMostRuns = 6;
constexpr double kLeastRounds = 4;
constexpr double kMostRounds = 24;

struct Pinned {
  Way way = Way::Batched;
  LaunchMode mode = LaunchMode::Batched;
  bool keeps_lists = false;
};

constexpr std::array<Pinned, choice::kWays> kPinned = {{{Way::Plain, LaunchMode::Plain, false},
                                                        {Way::Batched, LaunchMode::Batched, false},
                                                        {Way::Replay, LaunchMode::Replay, true},
                                                        {Way::Merged, LaunchMode::Merged, false},
                                                        {Way::MergedReplay, LaunchMode::Merged, true},
                                                        {Way::Persistent, LaunchMode::Persistent, false},
                                                        {Way::PersistentReplay, LaunchMode::Persistent, true},
                                                        {Way::Chain, LaunchMode::Chain, false},
                                                        {Way::ChainReplay, LaunchMode::Chain, true},
                                                        {Way::Table, LaunchMode::Bindless, true}}};

constexpr Clock kProcessorTime{.is_cpu = true};

}  // namespace

Recorder::Recorder(const std::shared_ptr<backend::Device>& device) : device_{device}, kernels_{make_kernels()} {
  for (const Pinned& each : kPinned) {
    const std::size_t recordings = each.keeps_lists ? runtime::SessionOptions{}.max_recordings : 0;
    const runtime::SessionOptions options{.mode = each.mode, .max_recordings = recordings};
    modes_.push_back({.way = each.way, .runner = std::make_unique<WorkloadRunner>(device_, options, kernels_)});
  }
  auto_ = std::make_unique<WorkloadRunner>(device_, runtime::SessionOptions{.exploration = 0, .calibrate_after = {}},
                                           kernels_);
  std::vector<choice::Calibration> calibrations;
  for (int i = 0; i < kCalibrations; ++i) {
    runtime::Tuner tuner;
    must(tuner.calibrate(*device_, backend::kForever));
    calibrations.push_back(tuner.calibration().value());
  }
  calibration_ = median_of(calibrations);
  must(auto_->session().tuner().set(calibration_));
  begin_ns_ = device_->now_ns();
}

Recording Recorder::head() const {
  return {.device = device_->info().name,
          .configuration = device_->info().configuration,
          .date = fmt::format("{:%F}", fmt::gmtime(std::time(nullptr))),
          .calibration = calibration_};
}

RecordedRun Recorder::run(Mode& mode, const Workload& workload) const {
  const double cpu = kProcessorTime.now_ns();
  const double taken = mode.runner->run(workload);
  const double host = mode.runner->enqueue_ns();
  return {.wall_ns = taken - host, .cpu_ns = kProcessorTime.now_ns() - cpu, .host_ns = host};
}

/// Takes the facts from a session that has launched the workload some times.
bool Recorder::describe(const Workload& workload, RecordedWorkload& recorded) {
  // Until the average time of planning has forgotten the first batches.
  constexpr int kLeastRunsKnown = 4;
  constexpr int kMostRunsKnown = 40;
  constexpr std::uint64_t kEnoughNs = 20'000'000;
  const std::uint64_t begin = device_->now_ns();
  report::RunReport report;
  double taken = 0;
  for (int i = 0; i < kMostRunsKnown && (i < kLeastRunsKnown || device_->now_ns() < begin + kEnoughNs); ++i) {
    taken = auto_->run(workload, &report);
  }
  if (report.shapes.empty() || taken > kLongestRunNs) return false;
  const report::ShapeReport& shape = *report.shapes.front();
  // Workloads are of one program, and of dispatches alone.
  recorded.shape = {.key = shape.key,
                    .dispatches = shape.dispatches,
                    .barriers = shape.barriers,
                    .stretches = 1,
                    .inner_barriers = shape.barriers};
  choice::ProgramForms forms;
  for (const report::WayReport& each : shape.ways) forms.possible[static_cast<std::size_t>(form_of(each.way))] = true;
  choice::KernelTimes kernels;
  for (const report::GroupReport& group : shape.groups) {
    recorded.shape.kinds.push_back(group.kind);
    recorded.forms.push_back(forms);
    recorded.kernels_ns.push_back(group.kernel_ns);
  }
  // Both lists have the same kernels, and differ by their calibrated lines and by planning.
  const choice::Forecast without = choice::forecast(recorded.shape, calibration_, kernels, recorded.forms,
                                                    {.per_wait = static_cast<double>(workload.times)});
  double planned = 0;
  for (const report::WayReport& each : shape.ways) {
    if (each.way == Way::Batched) planned += each.forecast_ns - without.of(each.way).ns;
    if (each.way == Way::Replay) planned -= each.forecast_ns - without.of(each.way).ns;
  }
  recorded.plan_ns = std::max(planned / recorded.shape.operations(), 0.0);
  return true;
}

std::optional<RecordedWorkload> Recorder::record(const Workload& workload) {
  RecordedWorkload recorded{.name = to_string(workload), .is_same = workload.is_same, .per_wait = workload.times};
  if (!describe(workload, recorded)) return std::nullopt;
  std::vector<std::size_t> order;
  std::array<std::size_t, choice::kWays> runs = {};
  double round_ns = 0;
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    // A list of a batch that never comes again is not kept.
    if (choice::is_replay(modes_[i].way) && !workload.is_same) continue;
    order.push_back(i);
    // A list is kept from the second run on.
    for (int warm = 0; warm < 2; ++warm) modes_[i].runner->run(workload);
    const double taken = modes_[i].runner->run(workload);
    runs[i] = static_cast<std::size_t>(std::clamp(kBlockNs / taken, kLeastRuns, kMostRuns));
    round_ns += static_cast<double>(runs[i]) * taken;
  }
  const auto rounds = static_cast<std::uint32_t>(std::clamp(kWorkloadNs / round_ns, kLeastRounds, kMostRounds));
  const OtherLoad others;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::ranges::shuffle(order, random_);
    for (const std::size_t i : order) {
      const auto start = static_cast<double>(device_->now_ns() - begin_ns_);
      RecordedBlock& block =
          recorded.blocks.emplace_back(RecordedBlock{.round = round, .way = modes_[i].way, .start_ns = start});
      for (std::size_t j = 0; j < runs[i]; ++j) block.runs.push_back(run(modes_[i], workload));
    }
  }
  recorded.other_cores = others.cores();
  return recorded;
}

}  // namespace vyre::bench
