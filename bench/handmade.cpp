// How near a session comes to what is written by hand: whole jobs in the mode that is the default, beside the same
// dispatches in raw Vulkan, in turns in one process for each job, with lavapipe as it comes and inline. The tiny
// dispatches are written in every sensible way, and the best counts; the other jobs as one list that is kept.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <vyre/report/choice_report.hpp>
#include <vyre/runtime/tuner.hpp>

#include "bench/jobs.hpp"
#include "bench/json_file.hpp"
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
  std::string only = {};    ///< Threaded or inline; both if it is empty.
  std::string filter = {};  ///< What the names of jobs have in them.
  bool explain = false;
  double turns_ns = 3e9;          ///< What the turns of a job may take,
  std::size_t least_rounds = 9;   ///< but at least so many,
  std::size_t most_rounds = 121;  ///< and at most.
  /// How often a job is done, each time by a process of its own: what was done before, and where memory lies, makes
  /// either side a sixth faster or slower.
  std::size_t processes = 5;
  bool is_quick = false;
  bool is_here = false;  ///< Whether this is one of them.
};

struct Job {
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

  [[nodiscard]] double speed() const noexcept { return 1 / turns.ratio; }
};

Job tiny_job(const DevicePtr& device) {
  const auto job = std::make_shared<TinyJob>(device);
  return {.by_hand = job->by_hand(),
          .one_by_one = [job] { job->run_raw_one_by_one(); },
          .by_vyre = [job] { return job->run(); },
          .agree = [job](const Version& version) { return job->agree(version); },
          .session = &job->session()};
}

Job stencil_job(const DevicePtr& device) {
  const auto job = std::make_shared<StencilJob>(device, 64);
  return {.by_hand = {{.name = "list, replayed", .run = [job] { job->raw.run(); }}},
          .one_by_one = [job] { job->raw.run_one_by_one(); },
          .by_vyre = [job] { return job->run(); },
          .agree = [job](const Version&) { return job->agree(); },
          .session = &job->session};
}

/// One of the jobs that are by hand what their names say.
template <typename Made>
Job other_job(const DevicePtr& device) {
  const auto job = std::make_shared<Made>(device);
  return {.by_hand = {{.name = "list, replayed", .run = [job] { job->run_raw(); }}},
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

Outcome measure(const std::string& name, const Job& job, const Settings& settings) {
  Outcome outcome{.job = name};
  outcome.warm_runs = warm_up(job);
  const Version& best = pick_best(job, settings, outcome);
  outcome.best = best.name;
  must_agree(job.agree(best), name);
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
  must_agree(job.agree(best), name);
  return outcome;
}

void print_legend(const Settings& settings) {
  fmt::print(
      "Medians. Before, vyre ran each job once, then {} times or for {:.0f} s, whichever is less, to settle, and as\n",
      kWarmRuns, kWarmNs / 1e9);
  fmt::print("long again in turns with the best by hand.\n");
  fmt::print("Each job is done by {} of its own; the one with the middle speed is shown.\n",
             settings.processes == 1 ? "a process" : fmt::format("{} processes", settings.processes));
  fmt::print("Results are the same bit for bit. (open): something is left to try.\n");
  fmt::print("speed: best by hand / vyre, 1.00 is as fast. others: cores that other processes took meanwhile.\n");
  fmt::print("singly: by hand, a submission and a wait for each dispatch.\n");
}

void print_head() {
  fmt::print("  {:<24} {:<48} {:>10} {:>10} {:>6}  {:<13} {:>6} {:>10} {:>8}  {}\n", "job", "best by hand", "hand, µs",
             "vyre, µs", "speed", "[95 %]", "others", "singly, µs", "/ vyre", "chosen");
}

ordered_json to_json(const Outcome& each) {
  ordered_json by_hand = ordered_json::object();
  for (const auto& [name, ns] : each.by_hand) by_hand[name] = ns;
  return {{"job", each.job},
          {"best_by_hand", each.best},
          {"hand_ns", each.turns.base_ns},
          {"vyre_ns", each.turns.other_ns},
          {"speed", each.speed()},
          {"speed_low", 1 / each.turns.high},
          {"speed_high", 1 / each.turns.low},
          {"other_cores", each.other_cores},
          {"chosen", each.chosen},
          {"is_settled", each.is_settled},
          {"one_by_one_ns", each.one_by_one_ns},
          {"factor", each.factor},
          {"warm_runs", each.warm_runs},
          {"by_hand_ns", by_hand},
          {"known", each.known}};
}

double number(const ordered_json& outcome, const char* key) { return outcome[key].get<double>(); }
std::string text(const ordered_json& outcome, const char* key) { return outcome[key].get<std::string>(); }

void print_row(const ordered_json& each, const Settings& settings) {
  fmt::print("  {:<24} {:<48} {:>10.1f} {:>10.1f} {:>6.2f}  {:<13} {:>6.2f} {:>10.1f} {:>6.1f} x  {}\n",
             text(each, "job"), text(each, "best_by_hand"), number(each, "hand_ns") / 1e3,
             number(each, "vyre_ns") / 1e3, number(each, "speed"),
             fmt::format("[{:.2f}, {:.2f}]", number(each, "speed_low"), number(each, "speed_high")),
             number(each, "other_cores"), number(each, "one_by_one_ns") / 1e3, number(each, "factor"),
             text(each, "chosen") + (each["is_settled"].get<bool>() ? "" : " (open)"));
  const auto speeds = each["speeds"].get<std::vector<double>>();
  if (speeds.size() > 1) fmt::print("    by each process: {:.2f}\n", fmt::join(speeds, ", "));
  if (settings.explain) {
    for (const auto& [name, ns] : each["by_hand_ns"].items()) {
      fmt::print("    by hand: {:<52} {:>10.1f} µs\n", name, ns.get<double>() / 1e3);
    }
    fmt::print("{}", text(each, "known"));
  }
  std::fflush(stdout);
}

struct NamedJob {
  const char* name;
  Job (*make)(const DevicePtr& device);
};

constexpr std::array kJobs = {
    NamedJob{"1,000 tiny dispatches", tiny_job}, NamedJob{"1,000 steps of 64 x 64", stencil_job},
    NamedJob{"reduction in 9 passes", other_job<ReductionJob>}, NamedJob{"map over 64 chunks", other_job<MapJob>}};

/// Does a job, and prints what came of it as the last line.
int run_here(bool is_inline, const NamedJob& job, const Settings& settings) {
  const DevicePtr device = open_lavapipe(is_inline);
  // Either side has one device for all that it does.
  const std::shared_ptr<const RawConnection> connection = RawConnection::get();
  const Outcome outcome = measure(job.name, job.make(device), settings);
  fmt::print("{}\n", ordered_json{{"device", device->info().name},
                                  {"configuration", device->info().configuration},
                                  {"outcome", to_json(outcome)}}
                         .dump());
  return 0;
}

/// The same in a process of its own.
ordered_json run_there(bool is_inline, const NamedJob& job, const Settings& settings) {
  const std::string command =
      fmt::format("/proc/{}/exe --here --only {} --filter '{}'{}", getpid(), is_inline ? "inline" : "threaded",
                  job.name, settings.is_quick ? " --quick" : "");
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

/// Of several processes the one in the middle, by its speed.
ordered_json run_often(bool is_inline, const NamedJob& job, const Settings& settings) {
  std::vector<ordered_json> all;
  for (std::size_t i = 0; i < settings.processes; ++i) all.push_back(run_there(is_inline, job, settings));
  const auto speed = [](const ordered_json& each) { return number(each["outcome"], "speed"); };
  std::ranges::sort(all, {}, speed);
  ordered_json middle = all[all.size() / 2];
  for (const ordered_json& each : all) middle["outcome"]["speeds"].push_back(speed(each));
  return middle;
}

ordered_json run(bool is_inline, const Settings& settings) {
  ordered_json result;
  for (const NamedJob& job : kJobs) {
    if (std::string_view{job.name}.find(settings.filter) == std::string_view::npos) continue;
    const ordered_json middle = run_often(is_inline, job, settings);
    if (result.empty()) {
      result = {{"device", middle["device"]}, {"configuration", middle["configuration"]}};
      fmt::print("\n{}, {}\n", text(result, "device"), text(result, "configuration"));
      print_head();
    }
    print_row(middle["outcome"], settings);
    result["jobs"].push_back(middle["outcome"]);
  }
  return result;
}

bool read_settings(int argc, char** argv, Settings& settings) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") {
      settings.is_quick = true;
      settings.processes = 1;
      settings.turns_ns = 1e9;
      settings.least_rounds = 5;
      settings.most_rounds = 21;
    } else if (argument == "--json" && i + 1 < argc) {
      settings.json = argv[++i];
    } else if (argument == "--only" && i + 1 < argc) {
      settings.only = argv[++i];
      if (settings.only != "threaded" && settings.only != "inline") return false;
    } else if (argument == "--filter" && i + 1 < argc) {
      settings.filter = argv[++i];
    } else if (argument == "--here") {
      settings.is_here = true;
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
    fmt::print(stderr,
               "usage: bench_handmade [--quick] [--only inline|threaded] [--filter TEXT] [--explain] [--json FILE]\n");
    return 2;
  }
  if (settings.is_here) {
    keep_memory();
    const auto job = std::ranges::find(kJobs, settings.filter, &NamedJob::name);
    return job == kJobs.end() ? 2 : run_here(settings.only == "inline", *job, settings);
  }
  print_legend(settings);
  ordered_json all = ordered_json::array();
  for (const bool is_inline : {false, true}) {
    if (settings.only.empty() || (settings.only == "inline") == is_inline) all.push_back(run(is_inline, settings));
  }
  return write_json(settings.json, all) ? 0 : 2;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) { return vyre::bench::run_all(argc, argv); }
