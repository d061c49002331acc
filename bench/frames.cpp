// A program with two frames in flight, 50 dispatches each: it launches the next frame before it waits for the last. The
// first seconds of a new session count, with calibration and trials; then all modes take turns. Beside `auto` stand
// each pinned mode, and raw Vulkan with a kept command buffer for each of the two frames.
//
//   bench_frames [--only inline|threaded] [--seconds N] [--cpu-time] [--json FILE]

#include <algorithm>
#include <array>
#include <cstdint>
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
#include "bench/json_file.hpp"
#include "bench/lavapipe.hpp"
#include "bench/modes.hpp"
#include "bench/other_load.hpp"
#include "bench/paired.hpp"
#include "bench/raw_list.hpp"
#include "bench/small_dispatches.hpp"

namespace vyre::bench {
namespace {

using nlohmann::ordered_json;
using runtime::LaunchMode;

constexpr std::size_t kFrames = 2;
constexpr std::uint32_t kDispatches = 50;

/// One way to run frames: `next` launches one, and waits for the frame before it.
struct Runner {
  std::string name = {};
  std::function<void()> next = {};
  std::function<runtime::RunReport()> finish = {};  ///< Of a session.
  std::vector<double> first_ns = {};                ///< Frames of the first seconds,
  std::vector<double> later_ns = {};                ///< and of the turns.
  std::vector<double> turns_ns = {};                ///< The median of each turn.
};

Runner make_session(const DevicePtr& device, const runtime::SessionOptions& options) {
  struct State {
    SmallDispatches work;
    std::array<runtime::SessionTicket, kFrames> tickets = {};
    std::size_t frame = 0;
  };
  const auto state = std::make_shared<State>(SmallDispatches{device, kFrames * kDispatches, options});
  return {.name = std::string{to_string(options.mode)},
          .next =
              [state] {
                const std::size_t own = state->frame++ % kFrames;
                state->tickets[own] = state->work.launch(own * kDispatches, kDispatches);
                state->work.wait(state->tickets[1 - own]);
              },
          .finish = [state] { return must(state->work.session().finish()); }};
}

Runner make_raw() {
  struct State {
    std::vector<std::unique_ptr<RawList>> lists = {};
    std::array<std::uint64_t, kFrames> values = {};
    std::size_t frame = 0;
  };
  const auto state = std::make_shared<State>();
  const program::Program kernel = compile_kernel(kSaxpy, "saxpy");
  constexpr std::uint64_t kBytes = SmallDispatches::kViewBytes;
  std::vector<RawStep> steps;
  for (std::uint32_t i = 0; i < kDispatches; ++i) {
    steps.push_back({.views = {{.buffer = 0, .offset = i * kBytes, .size = kBytes},
                               {.buffer = 1, .offset = i * kBytes, .size = kBytes}},
                     .params = bytes_of(SmallDispatches::Params{})});
  }
  for (std::size_t i = 0; i < kFrames; ++i) {
    state->lists.push_back(
        std::make_unique<RawList>(kernel.words(), std::array{kDispatches * kBytes, kDispatches * kBytes}, steps));
  }
  return {.name = "raw", .next = [state] {
            const std::size_t own = state->frame++ % kFrames;
            state->values[own] = state->lists[own]->submit();
            state->lists[1 - own]->wait(state->values[1 - own]);
          }};
}

/// Runs frames until the time is over, and adds how long each took.
void run_frames(const Runner& runner, const Clock& clock, double seconds, std::vector<double>& frames_ns) {
  const double begin = clock.now_ns();
  double last = begin;
  while (last - begin < seconds * 1e9) {
    runner.next();
    const double now = clock.now_ns();
    frames_ns.push_back(now - last);
    last = now;
  }
}

ordered_json measure(bool is_inline, const Clock& clock, double first_seconds) {
  constexpr std::size_t kRounds = 21;
  constexpr double kTurnSeconds = 0.05;
  const DevicePtr device = open_lavapipe(is_inline);
  const std::shared_ptr<const RawConnection> connection = RawConnection::get();
  std::vector<Runner> runners = {make_session(device, {})};
  for (const LaunchMode mode : kPinnedModes) runners.push_back(make_session(device, {.mode = mode}));
  runners.push_back(make_raw());
  const OtherLoad others;
  for (Runner& runner : runners) run_frames(runner, clock, first_seconds, runner.first_ns);
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t turn = 0; turn < runners.size(); ++turn) {
      Runner& runner = runners[(round + turn) % runners.size()];
      std::vector<double> frames;
      run_frames(runner, clock, kTurnSeconds, frames);
      // The first two frames wait for what others left.
      frames.erase(frames.begin(), frames.begin() + std::min<std::ptrdiff_t>(kFrames, std::ssize(frames) - 1));
      runner.turns_ns.push_back(median(frames));
      runner.later_ns.insert(runner.later_ns.end(), frames.begin(), frames.end());
    }
  }
  ordered_json result{{"configuration", device->info().configuration},
                      {"other_cores", others.cores()},
                      {"modes", ordered_json::array()}};
  fmt::print("  {:<12} {:>10} {:>16} {:>22} {:>22}\n", "mode", "frame, µs", "/ auto", "worst above median, ms",
             "the same in turns, ms");
  for (Runner& runner : runners) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < kRounds; ++i) ratios.push_back(runner.turns_ns[i] / runners[0].turns_ns[i]);
    const LogMean ratio = log_mean(ratios);
    const double frame = median(runner.turns_ns);
    // The first frame compiles the kernel.
    const double worst =
        *std::max_element(runner.first_ns.begin() + 1, runner.first_ns.end()) - median(runner.first_ns);
    const double later = std::ranges::max(runner.later_ns) - median(runner.later_ns);
    fmt::print("  {:<12} {:>10.1f} {:>9.3f} ± {:.3f} {:>22.2f} {:>22.2f}\n", runner.name, frame / 1e3, ratio.mean,
               ratio.mean * ratio.error, worst / 1e6, later / 1e6);
    ordered_json& mode = result["modes"].emplace_back(ordered_json{{"mode", runner.name},
                                                                   {"frame_ns", frame},
                                                                   {"over_auto", ratio.mean},
                                                                   {"error", ratio.error},
                                                                   {"worst_ns", worst},
                                                                   {"worst_in_turns_ns", later}});
    if (runner.name != "auto") continue;
    const runtime::RunReport report = runner.finish();
    if (report.shapes.empty()) continue;
    const report::ShapeReport& shape = *report.shapes[0];
    mode["chosen"] = to_string(shape.chosen);
    mode["trials"] = shape.trials;
    mode["batches"] = shape.batches;
    fmt::print("  {:<12} launches in {} after {} trials in {} frames\n", "", to_string(shape.chosen), shape.trials,
               shape.batches);
  }
  fmt::print("  other processes used {:.1f} cores meanwhile\n", others.cores());
  std::fflush(stdout);
  return result;
}

int run(int argc, char** argv) {
  std::string json;
  std::string only;
  double seconds = 8;
  Clock clock;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--json" && i + 1 < argc) {
      json = argv[++i];
    } else if (argument == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else if (argument == "--cpu-time") {
      clock.is_cpu = true;
    } else if (argument == "--seconds" && i + 1 < argc) {
      seconds = std::max(0.1, std::strtod(argv[++i], nullptr));
    } else {
      fmt::print(stderr,
                 "usage: bench_frames [--only inline|threaded] [--seconds OF_EACH_MODE] [--cpu-time] [--json FILE]\n");
      return 2;
    }
  }
  keep_memory();
  fmt::print("Two frames in flight, {} dispatches each; medians. / auto: geometric mean over turns, and its standard\n",
             kDispatches);
  fmt::print("error. The worst frame is that of the first {} s of a new session, and then that of the turns.\n",
             seconds);
  ordered_json all = ordered_json::array();
  for (const bool is_inline : {false, true}) {
    if (only.empty() || (only == "inline") == is_inline) all.push_back(measure(is_inline, clock, seconds));
  }
  return write_json(json, all) ? 0 : 2;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) { return vyre::bench::run(argc, argv); }
