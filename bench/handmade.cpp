// How near a session comes to what is written by hand: whole jobs in the mode that is the default, beside the same
// dispatches in raw Vulkan, in turns in one process, with lavapipe as it comes and inline. The tiny dispatches are
// written in every sensible way, and the best counts; the other jobs as one list that is kept.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <vyre/report/choice_report.hpp>
#include <vyre/runtime/tuner.hpp>

#include "bench/jobs.hpp"
#include "bench/lavapipe.hpp"
#include "bench/other_load.hpp"
#include "bench/paired.hpp"
#include "bench/tiny_job.hpp"

namespace vyre::bench {
namespace {

using nlohmann::ordered_json;

constexpr double kWarmNs = 1e9;
constexpr std::size_t kWarmRuns = 500;

struct Settings {
  std::string json = {};
  bool explain = false;
  double turns_ns = 3e9;          ///< What the turns of a job may take,
  std::size_t least_rounds = 9;   ///< but at least so many,
  std::size_t most_rounds = 121;  ///< and at most.
  /// How often a job is made, with memory of its own: where that lies makes either side a fifth faster or slower.
  std::size_t makes = 5;
};

struct Job {
  std::string name = {};
  std::vector<Version> by_hand = {};
  std::function<void()> one_by_one = {};  ///< By hand, a submission and a wait for each dispatch.
  std::function<runtime::RunReport()> by_vyre = {};
  std::function<bool(const Version&)> agree = {};
  runtime::Session* session = nullptr;
};

struct Outcome {
  std::string job = {};
  std::vector<std::pair<std::string, double>> by_hand = {};  ///< What each version took when the best was looked for.
  std::string best = {};
  Comparison turns = {};   ///< The best by hand, and vyre.
  double other_cores = 0;  ///< What other processes took meanwhile.
  double one_by_one_ns = 0;
  double factor = 0;        ///< One by one / vyre.
  std::string chosen = {};  ///< Before the turns, and behind them where that is another.
  bool is_settled = false;
  std::string known = {};
  std::size_t warm_runs = 0;
  std::vector<double> speeds = {};  ///< Each time it was made.

  [[nodiscard]] double speed() const noexcept { return 1 / turns.ratio; }
};

Job tiny_job(const DevicePtr& device) {
  const auto job = std::make_shared<TinyJob>(device);
  return {.name = "1,000 tiny dispatches",
          .by_hand = job->by_hand(),
          .one_by_one = [job] { job->run_raw_one_by_one(); },
          .by_vyre = [job] { return job->run(); },
          .agree = [job](const Version& version) { return job->agree(version); },
          .session = &job->session()};
}

Job stencil_job(const DevicePtr& device) {
  const auto job = std::make_shared<StencilJob>(device, 64);
  return {.name = "1,000 steps of 64 x 64",
          .by_hand = {{.name = "list, replayed", .run = [job] { job->raw.run(); }}},
          .one_by_one = [job] { job->raw.run_one_by_one(); },
          .by_vyre = [job] { return job->run(); },
          .agree = [job](const Version&) { return job->agree(); },
          .session = &job->session};
}

/// One of the jobs that are by hand what their names say.
template <typename Made>
Job other_job(const std::string& name, const DevicePtr& device) {
  const auto job = std::make_shared<Made>(device);
  return {.name = name,
          .by_hand = {{.name = "list, replayed", .run = [job] { job->run_raw(); }}},
          .one_by_one = [job] { job->run_raw_one_by_one(); },
          .by_vyre = [job] { return job->run(); },
          .agree = [job](const Version&) { return job->agree(); },
          .session = &job->session};
}

double time_once(const std::function<void()>& run) { return time_calls(run, 1).wall_ns; }

std::size_t rounds_for(double round_ns, const Settings& settings) {
  const auto rounds = static_cast<std::size_t>(settings.turns_ns / round_ns);
  return std::clamp(rounds, settings.least_rounds, settings.most_rounds);
}

/// Gives the choice the time to settle, beside what else runs in the turns. The first run, in which kernels are
/// compiled and the device is measured, is not part of it.
std::size_t warm_up(const Job& job, const Version* beside = nullptr) {
  job.by_vyre();
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed_ns = [&] {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  };
  std::size_t runs = 0;
  for (; runs < kWarmRuns && elapsed_ns() < kWarmNs; ++runs) {
    if (beside != nullptr) beside->run();
    job.by_vyre();
  }
  return runs;
}

/// The version that takes least. Whoever is timed for the record is timed again, so that luck here does not count.
const Version& pick_best(const Job& job, const Settings& settings, Outcome& outcome) {
  if (job.by_hand.size() == 1) return job.by_hand.front();
  std::vector<std::function<void()>> runs;
  for (const Version& version : job.by_hand) runs.push_back(version.run);
  const std::vector<Turns> turns = compare_all(runs, settings.most_rounds / 4);
  for (std::size_t i = 0; i < runs.size(); ++i) outcome.by_hand.emplace_back(job.by_hand[i].name, turns[i].ns);
  return job.by_hand[static_cast<std::size_t>(std::ranges::min_element(turns, {}, &Turns::ns) - turns.begin())];
}

/// What is chosen now and what is known, added to what was noted before.
void note_choice(const Job& job, Outcome& outcome) {
  const runtime::RunReport report = job.by_vyre();
  const bool has_choice = !report.shapes.empty();
  const std::string_view chosen = has_choice ? to_string(report.shapes[0]->chosen) : "none";
  if (outcome.chosen.empty()) {
    outcome.chosen = chosen;
  } else if (outcome.chosen != chosen) {
    outcome.chosen += fmt::format(", then {}", chosen);
  }
  if (!has_choice) return;
  outcome.is_settled = job.session->tuner().is_settled(report.shapes[0]->key);
  outcome.known = to_text(*report.shapes[0]);
}

Outcome measure(const Job& job, const Settings& settings) {
  Outcome outcome{.job = job.name};
  outcome.warm_runs = warm_up(job);
  const Version& best = pick_best(job, settings, outcome);
  outcome.best = best.name;
  must_agree(job.agree(best), job.name);
  warm_up(job, &best);
  note_choice(job, outcome);
  const std::function<void()> vyre = [&] { job.by_vyre(); };
  const double vyre_ns = time_once(vyre);
  const OtherLoad others;
  outcome.turns = compare(best.run, vyre, rounds_for(time_once(best.run) + vyre_ns, settings));
  outcome.other_cores = others.cores();
  note_choice(job, outcome);
  std::vector<std::function<void()>> against{vyre, job.one_by_one};
  const double against_ns = vyre_ns + time_once(job.one_by_one);
  const std::vector<Turns> turns =
      compare_all(against, std::min(rounds_for(2 * against_ns, settings), std::size_t{21}));
  outcome.one_by_one_ns = turns[1].ns;
  outcome.factor = turns[1].ratio;
  must_agree(job.agree(best), job.name);
  return outcome;
}

/// The time in the middle, by its speed.
template <typename Make>
Outcome measure_all(const Settings& settings, Make make) {
  std::vector<Outcome> all;
  for (std::size_t i = 0; i < settings.makes; ++i) all.push_back(measure(make(), settings));
  std::ranges::sort(all, {}, &Outcome::speed);
  Outcome& middle = all[all.size() / 2];
  for (const Outcome& each : all) middle.speeds.push_back(each.speed());
  return std::move(middle);
}

void print_legend() {
  fmt::print(
      "Medians. Before, vyre ran each job once, then {} times or for {:.0f} s, whichever is less, to settle, and as\n",
      kWarmRuns, kWarmNs / 1e9);
  fmt::print("long again in turns with the best by hand.\n");
  fmt::print("Each job is made several times, in memory of its own; the one with the middle speed is shown.\n");
  fmt::print("Results are the same bit for bit. (open): something is left to try.\n");
  fmt::print("speed: best by hand / vyre, 1.00 is as fast. others: cores that other processes took meanwhile.\n");
  fmt::print("singly: by hand, a submission and a wait for each dispatch.\n");
}

void print_head() {
  fmt::print("  {:<24} {:<48} {:>10} {:>10} {:>6}  {:<13} {:>6} {:>10} {:>8}  {}\n", "job", "best by hand", "hand, µs",
             "vyre, µs", "speed", "[95 %]", "others", "singly, µs", "/ vyre", "chosen");
}

void print_row(const Outcome& each, const Settings& settings) {
  const Comparison& turns = each.turns;
  fmt::print("  {:<24} {:<48} {:>10.1f} {:>10.1f} {:>6.2f}  {:<13} {:>6.2f} {:>10.1f} {:>6.1f} x  {}\n", each.job,
             each.best, turns.base_ns / 1e3, turns.other_ns / 1e3, each.speed(),
             fmt::format("[{:.2f}, {:.2f}]", 1 / turns.high, 1 / turns.low), each.other_cores, each.one_by_one_ns / 1e3,
             each.factor, each.chosen + (each.is_settled ? "" : " (open)"));
  if (each.speeds.size() > 1) fmt::print("    each time it was made: {:.2f}\n", fmt::join(each.speeds, ", "));
  if (settings.explain) {
    for (const auto& [name, ns] : each.by_hand) fmt::print("    by hand: {:<52} {:>10.1f} µs\n", name, ns / 1e3);
    fmt::print("{}", each.known);
  }
  std::fflush(stdout);
}

ordered_json to_json(const Outcome& each) {
  ordered_json by_hand = ordered_json::object();
  for (const auto& [name, ns] : each.by_hand) by_hand[name] = ns;
  return {{"job", each.job},
          {"best_by_hand", each.best},
          {"hand_ns", each.turns.base_ns},
          {"vyre_ns", each.turns.other_ns},
          {"speed", each.speed()},
          {"speeds", each.speeds},
          {"speed_low", 1 / each.turns.high},
          {"speed_high", 1 / each.turns.low},
          {"other_cores", each.other_cores},
          {"chosen", each.chosen},
          {"is_settled", each.is_settled},
          {"one_by_one_ns", each.one_by_one_ns},
          {"factor", each.factor},
          {"warm_runs", each.warm_runs},
          {"by_hand_ns", by_hand}};
}

ordered_json run(bool is_inline, const Settings& settings) {
  const DevicePtr device = open_lavapipe(is_inline);
  print_head();
  ordered_json jobs = ordered_json::array();
  const auto add = [&](auto make) {
    const Outcome outcome = measure_all(settings, make);
    print_row(outcome, settings);
    jobs.push_back(to_json(outcome));
  };
  add([&] { return tiny_job(device); });
  add([&] { return stencil_job(device); });
  add([&] { return other_job<ReductionJob>("reduction in 9 passes", device); });
  add([&] { return other_job<MapJob>("map over 64 chunks", device); });
  return {{"device", device->info().name}, {"configuration", device->info().configuration}, {"jobs", jobs}};
}

bool write_json(const std::string& path, const ordered_json& value) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    fmt::print(stderr, "'{}' cannot be written: {}\n", path, std::strerror(errno));
    return false;
  }
  fmt::print(file, "{}\n", value.dump(2));
  std::fclose(file);
  return true;
}

bool read_settings(int argc, char** argv, Settings& settings) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") {
      settings.makes = 1;
      settings.turns_ns = 1e9;
      settings.least_rounds = 5;
      settings.most_rounds = 21;
    } else if (argument == "--json" && i + 1 < argc) {
      settings.json = argv[++i];
    } else if (argument == "--explain") {
      settings.explain = true;
    } else {
      return false;
    }
  }
  return true;
}

int run_all(int argc, char** argv) {
  Settings settings;
  if (!read_settings(argc, argv, settings)) {
    fmt::print(stderr, "usage: bench_handmade [--quick] [--explain] [--json FILE]\n");
    return 2;
  }
  keep_memory();
  print_legend();
  ordered_json all = ordered_json::array();
  for (const bool is_inline : {false, true}) all.push_back(run(is_inline, settings));
  return settings.json.empty() || write_json(settings.json, all) ? 0 : 2;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) { return vyre::bench::run_all(argc, argv); }
