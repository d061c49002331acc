// How close the choice of launch modes comes to the best, without a device, so that the figures are the same on every
// machine.
//
// `bench_choice` runs it on simulated programs, beside an oracle that knows everything. `--seeds FROM COUNT` takes
// other programs: all constants of the choice were set by seeds 1 to 400, docs/performance.md gives the figures of
// seeds 1000 to 1399.
//
// `bench_choice --replay FILE...` runs it on recorded times (bench/recording.hpp), beside the best fixed mode. Two
// commits are compared on the same recordings by building the program of each:
//
//     git worktree add ../other COMMIT && cd ../other
//     git checkout main -- bench        # if COMMIT is from before the recordings; bench/replayed_rule.hpp may need a
//     change cmake --preset release && cmake --build build/release --target bench_choice build/release/bin/bench_choice
//     --replay bench/recordings/*.gz

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vyre/choice/mode_choice.hpp>

#include "bench/choice_simulator.hpp"
#include "bench/json_file.hpp"
#include "bench/must.hpp"
#include "bench/recording.hpp"
#include "bench/replay.hpp"

namespace vyre::bench {
namespace {

/// The rule of the runtime, for batches of 100 alike dispatches.
class ChosenModes {
 public:
  ChosenModes() {
    calibration_.bound.slope_ns = 2;
    calibration_.table.slope_ns = 1;
  }
  [[nodiscard]] choice::Choice choose(const choice::Forecast& forecast, const choice::Moment& moment) {
    return choice_.choose(shape_, calibration_, forecast, moment);
  }
  void observe(choice::Way way, double ns) { choice_.observe(way, ns, 1); }
  void note_setup(double ns) { choice_.note_setup(ns); }

 private:
  choice::BatchShape shape_{
      .key = 1, .kinds = {{.program = 1, .count = 100, .groups = 1, .resources = 3}}, .dispatches = 100};
  choice::Calibration calibration_;
  choice::ModeChoice choice_;
};

/// Always one list, recorded anew.
class NoChoice {
 public:
  [[nodiscard]] static choice::Choice choose(const choice::Forecast& /*forecast*/, const choice::Moment& /*moment*/) {
    return {};
  }
  static void observe(choice::Way /*way*/, double /*ns*/) {}
  static void note_setup(double /*ns*/) {}
};

/// The mode with the least forecast, for ever.
class ForecastAlone {
 public:
  [[nodiscard]] choice::Choice choose(const choice::Forecast& forecast, choice::Moment moment) {
    moment.exploration = 0;
    return choice_.choose(forecast, moment);
  }
  static void observe(choice::Way /*way*/, double /*ns*/) {}
  void note_setup(double ns) { choice_.note_setup(ns); }

 private:
  ChosenModes choice_;
};

struct Summary {
  double mean = 0;         ///< Total time over the oracle's, geometric mean.
  double error = 0;        ///< Standard error of its logarithm.
  double trials = 0;       ///< Share of the time that trials cost, on average,
  double most_trials = 0;  ///< and at the most, beside the costliest trial of a program.
};

template <typename Rule>
Summary summarise(const Scenario& scenario, std::uint64_t first, std::uint64_t count) {
  double sum = 0;
  double squares = 0;
  Summary result;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const SimulatedRun run = simulate<Rule>(scenario, seed);
    const double log = std::log(run.total_ns / run.oracle_ns);
    sum += log;
    squares += log * log;
    result.trials += run.trial_ns / run.total_ns / static_cast<double>(count);
    result.most_trials = std::max(result.most_trials, (run.trial_ns - run.longest_trial_ns) / run.total_ns);
  }
  const auto n = static_cast<double>(count);
  result.mean = std::exp(sum / n);
  result.error = std::sqrt(std::max(squares / n - sum / n * (sum / n), 0.0) / n);
  return result;
}

struct Settings {
  std::uint64_t first_seed = 1000;
  std::uint64_t seeds = 400;
  std::vector<std::string> recordings = {};
  ReplaySettings replay = {};
  bool has_each = false;    ///< Whether to print a line for each workload,
  bool explain = false;     ///< and what was known of it.
  std::string filter = {};  ///< What the names of workloads have in them.
  std::string json = {};
};

void simulate_all(const Settings& settings) {
  const std::uint64_t first = settings.first_seed;
  const std::uint64_t count = settings.seeds;
  fmt::print("total time over that of an oracle, {} programs per line, seeds {} to {}\n", count, first,
             first + count - 1);
  fmt::print("{:<12} {:>16} {:>10} {:>14} {:>10} {:>20}\n", "disturbance", "chosen", "anew", "forecast only", "trials",
             "most, without one");
  for (const Scenario& scenario : kScenarios) {
    const Summary chosen = summarise<ChosenModes>(scenario, first, count);
    const Summary anew = summarise<NoChoice>(scenario, first, count);
    const Summary forecast = summarise<ForecastAlone>(scenario, first, count);
    fmt::print("{:<12} {:>8.3f} ± {:.3f} {:>10.3f} {:>14.3f} {:>8.1f} % {:>18.1f} %\n", scenario.name, chosen.mean,
               chosen.error, anew.mean, forecast.mean, 100 * chosen.trials, 100 * chosen.most_trials);
  }
}

using nlohmann::ordered_json;

ordered_json to_json(const LogMean& value) { return {{"mean", value.mean}, {"error", value.error}}; }

ordered_json to_json(const ReplaySummary& summary) {
  ordered_json fixed = ordered_json::object();
  for (const choice::Way way : choice::kAllWays) {
    fixed[std::string{to_string(way)}] = to_json(summary.fixed[static_cast<std::size_t>(way)]);
  }
  return {{"workloads", summary.workloads},
          {"regret", to_json(summary.regret)},
          {"late_regret", to_json(summary.late_regret)},
          {"forecast_regret", to_json(summary.forecast_regret)},
          {"fixed_over_chosen", fixed},
          {"trials_share", summary.trials_share},
          {"most_trials_share", summary.most_trials_share},
          {"savings", summary.savings},
          {"covered", summary.covered},
          {"saving_off", summary.saving_off},
          {"share_off", summary.share_off}};
}

ordered_json to_json(const ReplayedWorkload& workload) {
  return {{"workload", workload.name},        {"is_for_tuning", workload.is_for_tuning},
          {"regret", workload.regret()},      {"late_regret", workload.late_regret()},
          {"best", to_string(workload.best)}, {"chosen", to_string(workload.chosen)},
          {"chosen_ns", workload.chosen_ns},  {"forecast_ns", workload.forecast_ns},
          {"fixed_ns", workload.fixed_ns},    {"trial_ns", workload.trial_ns},
          {"trials", workload.trials}};
}

void print(const ReplayedWorkload& each, const ReplaySettings& settings) {
  std::size_t covered = 0;
  for (const ReplayedSaving& saving : each.savings) covered += saving.is_covered() ? 1U : 0U;
  fmt::print("  {:<44} {:<9} {:>6.3f} {:>7.3f}  {:<17} {:<17} {:>7.1f} {:>5.1f} %  {}/{}\n", each.name,
             each.is_for_tuning ? "tuning" : "reporting", each.regret(), each.late_regret(), to_string(each.best),
             to_string(each.chosen), static_cast<double>(each.trials) / settings.programs,
             100 * each.trial_ns / each.chosen_ns, covered, each.savings.size());
}

void print(std::string_view half, const ReplaySummary& summary) {
  fmt::print("  {} half, {} workloads\n", half, summary.workloads);
  fmt::print("    chosen / best fixed mode   {:.4f} ± {:.4f}, in the second half of each program {:.4f} ± {:.4f}\n",
             summary.regret.mean, summary.regret.error, summary.late_regret.mean, summary.late_regret.error);
  fmt::print("    without trials / best      {:.4f} ± {:.4f}\n", summary.forecast_regret.mean,
             summary.forecast_regret.error);
  fmt::print("    always one mode / chosen  ");
  for (const choice::Way way : choice::kAllWays) {
    fmt::print(" {} {:.3f}", to_string(way), summary.fixed[static_cast<std::size_t>(way)].mean);
  }
  fmt::print("\n    trials                     {:.1f} % of the time, {:.1f} % at most in one workload\n",
             100 * summary.trials_share, 100 * summary.most_trials_share);
  fmt::print(
      "    savings, {} predicted     {:.0f} % of the measured ones in the intervals for 90 %; off by {:.0f} %, and by "
      "{:.1f} points as shares\n",
      summary.savings, 100 * summary.covered, 100 * summary.saving_off, 100 * summary.share_off);
}

/// Replays a recording, prints the outcome, and gives it as JSON.
ordered_json replay_file(const std::string& path, const Settings& settings) {
  const Recording recording = must(read_recording(path));
  fmt::print("{}: {}, {}, recorded {}\n", path, recording.device, recording.configuration, recording.date);
  if (settings.has_each) {
    fmt::print("  {:<44} {:<9} {:>6} {:>7}  {:<17} {:<17} {:>7} {:>7}  {}\n", "workload", "half", "regret", "late",
               "best", "ended in", "trials", "cost", "covered");
  }
  std::vector<ReplayedWorkload> all;
  ordered_json workloads = ordered_json::array();
  for (const RecordedWorkload& each : recording.workloads) {
    if (each.name.find(settings.filter) == std::string::npos) continue;
    all.push_back(replay(recording, each, settings.replay));
    workloads.push_back(to_json(all.back()));
    if (settings.has_each) print(all.back(), settings.replay);
    if (settings.explain) fmt::print("{}", all.back().known);
  }
  ordered_json result{{"file", path},
                      {"device", recording.device},
                      {"configuration", recording.configuration},
                      {"date", recording.date}};
  for (const bool is_tuning : {true, false}) {
    std::vector<const ReplayedWorkload*> half;
    for (const ReplayedWorkload& each : all) {
      if (each.is_for_tuning == is_tuning) half.push_back(&each);
    }
    const ReplaySummary summary = summarise(half);
    const char* const name = is_tuning ? "tuning" : "reporting";
    print(name, summary);
    result[name] = to_json(summary);
  }
  result["workloads"] = workloads;
  return result;
}

bool read_settings(int argc, char** argv, Settings& settings) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto number = [&] { return std::strtoull(argv[++i], nullptr, 10); };
    if (argument == "--seeds" && i + 2 < argc) {
      settings.first_seed = number();
      settings.seeds = number();
    } else if (argument == "--replay" && i + 1 < argc) {
      while (i + 1 < argc && !std::string_view{argv[i + 1]}.starts_with("--"))
        settings.recordings.emplace_back(argv[++i]);
    } else if (argument == "--seed" && i + 1 < argc) {
      settings.replay.seed = number();
    } else if (argument == "--programs" && i + 1 < argc) {
      settings.replay.programs = static_cast<std::uint32_t>(number());
    } else if (argument == "--runs" && i + 1 < argc) {
      settings.replay.runs = static_cast<std::uint32_t>(number());
    } else if (argument == "--cpu-time") {
      settings.replay.uses_cpu_time = true;
    } else if (argument == "--each") {
      settings.has_each = true;
    } else if (argument == "--explain") {
      settings.has_each = settings.explain = true;
    } else if (argument == "--filter" && i + 1 < argc) {
      settings.filter = argv[++i];
    } else if (argument == "--json" && i + 1 < argc) {
      settings.json = argv[++i];
    } else {
      return false;
    }
  }
  return true;
}

int run(int argc, char** argv) {
  Settings settings;
  if (!read_settings(argc, argv, settings)) {
    fmt::print(
        stderr,
        "usage: bench_choice [--seeds FROM COUNT]\n"
        "       bench_choice --replay FILE... [--seed N] [--programs N] [--runs N] [--cpu-time] [--each] [--json "
        "FILE]\n");
    return 2;
  }
  if (settings.seeds == 0 || settings.replay.programs < 2 || settings.replay.runs == 0) {
    fmt::print(stderr, "error: the count of --seeds and --runs take 1 or more, --programs 2 or more\n");
    return 2;
  }
  if (settings.recordings.empty()) {
    simulate_all(settings);
    return 0;
  }
  ordered_json all = ordered_json::array();
  for (const std::string& path : settings.recordings) all.push_back(replay_file(path, settings));
  return write_json(settings.json, all) ? 0 : 2;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) { return vyre::bench::run(argc, argv); }
