// How far a program comes in its first seconds: batches done after 0.5, 1, 2 and 4 s of a new session on a new device,
// beside raw Vulkan with one command buffer that is kept, as Kompute does it. Each side runs in processes of its own,
// by turns. At the end stands the launch mode in which `auto` ended, and which pinned mode is the best.
//
//   bench_first_second [--only inline|threaded] [--filter TEXT] [--processes N] [--cpu-time] [--json FILE]

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vyre/report/choice_report.hpp>
#include <vyre/runtime/tuner.hpp>

#include "bench/clock.hpp"
#include "bench/jobs.hpp"
#include "bench/json_file.hpp"
#include "bench/lavapipe.hpp"
#include "bench/modes.hpp"
#include "bench/other_load.hpp"
#include "bench/paired.hpp"
#include "bench/tiny_job.hpp"

namespace vyre::bench {
namespace {

using nlohmann::ordered_json;
using runtime::LaunchMode;
using runtime::SessionOptions;

constexpr std::array kMarksS = {0.5, 1.0, 2.0, 4.0};

/// Both sides of a job.
struct Job {
  std::function<void()> raw = {};
  std::function<runtime::RunReport()> vyre = {};
};

template <typename Made, typename... More>
Job make_job(const DevicePtr& device, const SessionOptions& options, More... more) {
  const auto job = std::make_shared<Made>(device, more..., options);
  return {.raw = [job] { job->run_raw(); }, .vyre = [job] { return job->run(); }};
}

/// 1,000 steps on a plate of `kSize` x `kSize` cells.
template <std::uint32_t kSize>
Job steps_job(const DevicePtr& device, const SessionOptions& options) {
  const auto job = std::make_shared<StencilJob>(device, kSize, options);
  return {.raw = [job] { job->raw.run(); }, .vyre = [job] { return job->run(); }};
}

struct NamedJob {
  std::string_view name;
  Job (*make)(const DevicePtr& device, const SessionOptions& options);
};

constexpr std::array kJobs = {
    NamedJob{"1,000 tiny dispatches", make_job<TinyJob>}, NamedJob{"1,000 steps of 64 x 64", steps_job<64>},
    NamedJob{"1,000 steps of 128 x 128", steps_job<128>}, NamedJob{"reduction in 9 passes", make_job<ReductionJob>},
    NamedJob{"map over 64 chunks", make_job<MapJob>}};

/// Runs batches until the last mark, and counts those that were done at each: of the one that was running, the part.
std::vector<double> count_batches(const std::function<void()>& run, const Clock& clock) {
  const double begin = clock.now_ns();
  std::vector<double> counts;
  double before = 0;
  for (double done = 0; counts.size() < kMarksS.size(); ++done) {
    run();
    const double now = (clock.now_ns() - begin) / 1e9;
    while (counts.size() < kMarksS.size() && now >= kMarksS[counts.size()]) {
      counts.push_back(done + (kMarksS[counts.size()] - before) / (now - before));
    }
    before = now;
  }
  return counts;
}

/// The pinned modes by turns: the median time of a batch, by name.
ordered_json time_pinned(const NamedJob& job, const DevicePtr& device, const Clock& clock) {
  constexpr std::size_t kRounds = 9;
  std::vector<std::function<void()>> runs;
  for (const LaunchMode mode : kPinnedModes) {
    const Job pinned = job.make(device, {.mode = mode});
    runs.emplace_back([pinned] { pinned.vyre(); });
  }
  const std::vector<Turns> turns = compare_all(runs, kRounds);
  ordered_json result = ordered_json::object();
  for (std::size_t i = 0; i < kPinnedModes.size(); ++i) {
    result[std::string{to_string(kPinnedModes[i])}] = clock.is_cpu ? turns[i].cpu_ns : turns[i].ns;
  }
  return result;
}

/// One side of a job, in this process; the last line that it prints is JSON.
int run_here(std::string_view side, const NamedJob& job, bool is_inline, const Clock& clock) {
  const DevicePtr device = open_lavapipe(is_inline);
  const std::shared_ptr<const RawConnection> connection = RawConnection::get();
  ordered_json result;
  if (side == "pinned") {
    result = time_pinned(job, device, clock);
  } else {
    const Job made = job.make(device, {});
    runtime::RunReport report;
    const OtherLoad others;
    result["counts"] = count_batches(side == "raw" ? made.raw : [&] { report = made.vyre(); }, clock);
    result["other_cores"] = others.cores();
    if (!report.shapes.empty()) {
      result["chosen"] = to_string(report.shapes[0]->chosen);
      result["trials"] = report.shapes[0]->trials;
    }
  }
  fmt::print("{}\n", result.dump());
  return 0;
}

ordered_json run_there(std::string_view side, const NamedJob& job, bool is_inline, const Clock& clock) {
  const std::string command =
      fmt::format("/proc/{}/exe --here {} --only {} --filter '{}'{}", getpid(), side, is_inline ? "inline" : "threaded",
                  job.name, clock.is_cpu ? " --cpu-time" : "");
  std::FILE* out = popen(command.c_str(), "r");
  std::string printed;
  std::array<char, 4096> some = {};
  while (out != nullptr && std::fgets(some.data(), some.size(), out) != nullptr) printed += some.data();
  if (out == nullptr || pclose(out) != 0) {
    fmt::print(stderr, "'{}' fails\n", command);
    std::exit(1);
  }
  if (printed.ends_with('\n')) printed.pop_back();
  return ordered_json::parse(printed.substr(printed.rfind('\n') + 1));
}

/// Prints and gives the outcome of one job.
ordered_json measure(const NamedJob& job, bool is_inline, const Clock& clock, std::size_t processes) {
  std::array<std::vector<double>, kMarksS.size()> ratios;
  ordered_json result{{"job", job.name}, {"processes", ordered_json::array()}};
  double others = 0;
  for (std::size_t i = 0; i < processes; ++i) {
    const bool is_raw_first = i % 2 == 0;
    ordered_json first = run_there(is_raw_first ? "raw" : "auto", job, is_inline, clock);
    ordered_json second = run_there(is_raw_first ? "auto" : "raw", job, is_inline, clock);
    const ordered_json& raw = is_raw_first ? first : second;
    const ordered_json& vyre = is_raw_first ? second : first;
    for (std::size_t mark = 0; mark < kMarksS.size(); ++mark) {
      ratios[mark].push_back(vyre["counts"][mark].get<double>() / raw["counts"][mark].get<double>());
    }
    others +=
        (raw["other_cores"].get<double>() + vyre["other_cores"].get<double>()) / 2 / static_cast<double>(processes);
    result["processes"].push_back({{"raw", raw}, {"vyre", vyre}});
  }
  fmt::print("  {:<26}", job.name);
  for (std::size_t mark = 0; mark < kMarksS.size(); ++mark) {
    const LogMean ratio = log_mean(ratios[mark]);
    fmt::print(" {:>5.2f} ± {:.2f}", ratio.mean, ratio.mean * ratio.error);
    result["ratios"].push_back({{"seconds", kMarksS[mark]}, {"mean", ratio.mean}, {"error", ratio.error}});
  }
  const ordered_json pinned = run_there("pinned", job, is_inline, clock);
  std::string best = "plain";
  for (const auto& [mode, ns] : pinned.items()) {
    if (ns.get<double>() < pinned[best].get<double>()) best = mode;
  }
  std::string chosen;
  for (const ordered_json& each : result["processes"]) {
    const std::string one = each["vyre"].value("chosen", "none");
    if (chosen.find(one) == std::string::npos) chosen += chosen.empty() ? one : ", " + one;
  }
  result["pinned_ns"] = pinned;
  result["best_pinned"] = best;
  fmt::print("  {:>5.2f}  {:<28} {}\n", others, chosen, best);
  std::fflush(stdout);
  return result;
}

int run(int argc, char** argv) {
  std::string json;
  std::string only;
  std::string filter;
  std::string here;
  std::size_t processes = 5;
  Clock clock;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--json" && i + 1 < argc) {
      json = argv[++i];
    } else if (argument == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else if (argument == "--filter" && i + 1 < argc) {
      filter = argv[++i];
    } else if (argument == "--here" && i + 1 < argc) {
      here = argv[++i];
    } else if (argument == "--cpu-time") {
      clock.is_cpu = true;
    } else if (argument == "--processes" && i + 1 < argc) {
      processes = std::max<std::size_t>(1, std::strtoul(argv[++i], nullptr, 10));
    } else {
      fmt::print(stderr,
                 "usage: bench_first_second [--only inline|threaded] [--filter TEXT] [--processes N] [--cpu-time] "
                 "[--json FILE]\n");
      return 2;
    }
  }
  if (!here.empty()) {
    keep_memory();
    const auto job = std::ranges::find(kJobs, filter, &NamedJob::name);
    return job == kJobs.end() ? 2 : run_here(here, *job, only == "inline", clock);
  }
  fmt::print(
      "Batches done since the first one began, vyre / raw Vulkan with a kept command buffer: geometric mean of {}\n",
      processes);
  fmt::print("pairs of processes, and its standard error. others: cores that other processes used meanwhile.\n");
  ordered_json all = ordered_json::array();
  for (const bool is_inline : {false, true}) {
    if (!only.empty() && (only == "inline") != is_inline) continue;
    fmt::print("\n  {:<26} {:>12} {:>12} {:>12} {:>12}  {:>6}  {:<28} {}\n", is_inline ? "inline" : "threaded", "0.5 s",
               "1 s", "2 s", "4 s", "others", "auto ended in", "best pinned");
    ordered_json jobs = ordered_json::array();
    for (const NamedJob& job : kJobs) {
      if (job.name.find(filter) != std::string_view::npos) jobs.push_back(measure(job, is_inline, clock, processes));
    }
    all.push_back({{"configuration", is_inline ? "inline" : "threaded"}, {"jobs", jobs}});
  }
  return write_json(json, all) ? 0 : 2;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) { return vyre::bench::run(argc, argv); }
