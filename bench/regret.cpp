// What choosing costs against knowing: a grid of workloads, each in every pinned mode and as it is chosen, in turns.
// The best mode is picked on one half of the samples and scored on the other. Beside it stands the same with the choice
// against itself, which is not 1 on a noisy machine.
//
// Learning is over before: a session that tries more shares what it learns, so that trials, of up to 3 % of the time,
// are not in what is measured.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vyre/choice/line.hpp>
#include <vyre/report/choice_report.hpp>

#include "bench/json_file.hpp"
#include "bench/lavapipe.hpp"
#include "bench/recorder.hpp"
#include "bench/regret_grid.hpp"

namespace vyre::bench {
namespace {

using nlohmann::ordered_json;
using runtime::LaunchMode;

constexpr std::array kPinned = {LaunchMode::Plain,      LaunchMode::Batched, LaunchMode::Replay,  LaunchMode::Merged,
                                LaunchMode::Persistent, LaunchMode::Chain,   LaunchMode::Bindless};

const runtime::SessionOptions kChosen{.calibrate_after = {}};

/// A workload takes the place `i * kStep` in the grid: in steps that do not divide the grid, a part of it is like the
/// whole.
constexpr std::size_t kStep = 89;
/// What a dispatch costs to launch, roughly: which workloads are too long depends on it.
double launch_ns(const backend::Device& device) { return device.info().configuration == "inline" ? 2e3 : 3e4; }

struct Settings {
  std::string json = {};
  std::string record = {};  ///< Where to write a recording; then nothing else is measured.
  std::string filter = {};
  bool explain = false;
  double sample_ns = 8e8;  ///< What all samples of a workload may take, beyond six rounds.
  double warm_ns = 1.5e9;  ///< At most, until a shape is settled.
  double budget_ns = 0;    ///< Of a configuration: what the grid has beyond it is left out. 0 for all of it.
};

struct Outcome {
  Workload workload = {};
  std::array<double, kPinned.size()> modes_ns = {};  ///< Medians of all samples.
  std::array<double, kPinned.size()> to_auto = {};   ///< Of what auto takes, round by round, in both its sessions.
  double auto_ns = 0;
  double cold_ns = 0;  ///< The first run in auto, and in a pinned session that records all lists anew.
  double cold_anew_ns = 0;
  double regret = 1;  ///< Scored half: auto / the mode that was best on the other half.
  double itself = 1;  ///< Scored half: auto / auto again.
  LaunchMode best = LaunchMode::Batched;
  std::string chosen = {};
  double as_chosen = 1;            ///< Scored half: the mode that launches as was chosen / the best.
  std::string believed = {};       ///< What was known of the ways of the best mode.
  bool is_promised = false;        ///< Whether lists made anew were not what was used, after the first round.
  double predicted_saving_ns = 0;  ///< What a batch was then said to save over a list made anew,
  double predicted_share = 0;      ///< of what that was said to take,
  double followed_saving_ns = 0;   ///< and before each of the following rounds, the median.
  double saving_ns = 0;            ///< The same as it is measured beside the session that makes all lists anew,
  double saved_share = 0;          ///< and of what that takes in the same round,
  double saving_spread = 0;        ///< how far the middle half of the rounds lie apart, relative to it,
  double saving_off = 0;  ///< how far that is apart in the first and the second half of the time, relative to it,
  double itself_off = 0;  ///< and how far auto is from auto.
  std::uint32_t baseline_samples = 0;  ///< How often a list made anew was seen, which that is saved over,
  double baseline_ns = 0;              ///< and what it is believed to take.
  double anew_before_ns = 0;           ///< What it took, while learning, in the session that makes all lists anew.
  bool is_settled = false;
  std::string known = {};  ///< What was learned of it.
};

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return values.empty() ? 1 : std::exp(sum / static_cast<double>(values.size()));
}

double quantile(std::vector<double> values, double at) {
  if (values.empty()) return 1;
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, static_cast<std::size_t>(at * static_cast<double>(values.size())))];
}

/// Of every second of them, from the first or the second on.
double half_median(const std::vector<double>& samples, std::size_t which) {
  std::vector<double> half;
  for (std::size_t i = which; i < samples.size(); i += 2) half.push_back(samples[i]);
  return choice::median(half);
}

/// Of a geometric mean, as a share of it.
double standard_error(const std::vector<double>& values) {
  const double middle = std::log(geometric_mean(values));
  double sum = 0;
  for (const double each : values) sum += (std::log(each) - middle) * (std::log(each) - middle);
  return std::sqrt(sum) / static_cast<double>(values.size());
}

/// What one takes of the other, round by round: machines run faster and slower for a while.
std::vector<double> ratios(const std::vector<double>& of, const std::vector<double>& to) {
  std::vector<double> result;
  for (std::size_t i = 0; i < of.size(); ++i) result.push_back(of[i] / to[i]);
  return result;
}

/// The mode that launches in a way.
LaunchMode mode_of(choice::Way way) {
  switch (way) {
    case choice::Way::Plain: return LaunchMode::Plain;
    case choice::Way::Replay: return LaunchMode::Replay;
    case choice::Way::Table: return LaunchMode::Bindless;
    default: break;
  }
  switch (choice::form_of(way)) {
    case program::FormKind::Merged: return LaunchMode::Merged;
    case program::FormKind::Persistent: return LaunchMode::Persistent;
    case program::FormKind::Chain: return LaunchMode::Chain;
    default: return LaunchMode::Batched;
  }
}

std::size_t index_of(LaunchMode mode) {
  return static_cast<std::size_t>(std::ranges::find(kPinned, mode) - kPinned.begin());
}

/// The saving that the report states: measured where both sides were, or the forecast.
double saving_of(const report::ShapeReport& shape) {
  return shape.measured_saving_ns.value_or(shape.forecast_saving_ns);
}

/// What was known of the ways of a mode, and what a batch takes in it.
std::string describe_beliefs(const report::ShapeReport& shape, LaunchMode mode, double pinned_ns) {
  std::string text;
  for (const report::WayReport& each : shape.ways) {
    if (mode_of(each.way) != mode) continue;
    text += fmt::format("{} forecast {:.1f} µs, ", to_string(each.way), each.forecast_ns / 1e3);
    text += !each.is_measured
                ? std::string{"not measured; "}
                : fmt::format("estimate {:.1f} µs after {} trials; ", each.estimate_ns / 1e3, each.trials);
  }
  return text + fmt::format("pinned {:.1f} µs; {} batches", pinned_ns / 1e3, shape.batches);
}

/// Why a workload took so much longer than in the best mode.
std::string explain(const Outcome& each) {
  // What differs by less is taken for alike.
  constexpr double kAlike = 1.1;
  if (each.chosen.empty()) return "one dispatch, launched alike in all modes";
  if (each.as_chosen <= kAlike) {
    return fmt::format("noise: pinned, what was chosen takes {:.2f} of the best in the same rounds", each.as_chosen);
  }
  return fmt::format("the choice: pinned, it takes {:.2f} of the best{}. {}", each.as_chosen,
                     each.is_settled ? "" : "; something was left to try", each.believed);
}

class Regret {
 public:
  Regret(std::shared_ptr<backend::Device> device, Settings settings)
      : device_{std::move(device)}, settings_{std::move(settings)}, kernels_{make_kernels()} {
    for (const LaunchMode mode : kPinned) {
      pinned_.push_back(std::make_unique<WorkloadRunner>(device_, runtime::SessionOptions{.mode = mode}, kernels_));
    }
    auto_ = std::make_unique<WorkloadRunner>(device_, kChosen, kernels_);
    again_ = std::make_unique<WorkloadRunner>(device_, kChosen, kernels_);
    // Learns in a short time what a long run would.
    curious_ = std::make_unique<WorkloadRunner>(
        device_, runtime::SessionOptions{.exploration = 0.5, .calibrate_after = {}}, kernels_);
  }

  Outcome measure(const Workload& workload) {
    Outcome outcome{.workload = workload};
    // The second one finds the kernels in the caches.
    const bool is_auto_first = random_() % 2 == 0;
    if (is_auto_first) outcome.cold_ns = auto_->run(workload);
    outcome.cold_anew_ns = pinned_[1]->run(workload);
    if (!is_auto_first) outcome.cold_ns = auto_->run(workload);
    learn(workload, outcome);
    std::vector<WorkloadRunner*> runners;
    for (const auto& each : pinned_) runners.push_back(each.get());
    runners.push_back(auto_.get());
    runners.push_back(again_.get());
    std::vector<double> typical_ns;
    double round_ns = 0;
    for (WorkloadRunner* each : runners) {
      // What is kept from the second time on is kept now.
      for (int i = 0; i < 2; ++i) each->run(workload);
      typical_ns.push_back(each->run(workload));
      round_ns += typical_ns.back();
    }
    // As often for all.
    const std::size_t row = in_a_row(choice::median(typical_ns));
    round_ns *= static_cast<double>(row);
    // Half of the samples pick, half of them score. Every round has another order, so that none always follows another.
    const auto rounds = static_cast<std::size_t>(std::clamp(settings_.sample_ns / round_ns, 6.0, 30.0));
    std::vector<std::vector<double>> samples(runners.size());
    std::vector<double> promised;
    report::RunReport report;
    std::vector<std::size_t> order(runners.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t round = 0; round < rounds; ++round) {
      std::ranges::shuffle(order, random_);
      for (const std::size_t i : order) {
        const bool is_auto = i == kPinned.size();
        samples[i].push_back(sample(*runners[i], workload, row, is_auto ? &report : nullptr));
        if (!is_auto || report.shapes.empty()) continue;
        // What is said after the first round counts for all others, and after each for the next.
        const report::ShapeReport& shape = *report.shapes[0];
        if (round == 0) {
          outcome.is_promised = shape.chosen != choice::Way::Batched;
          outcome.predicted_share = saving_of(shape) / shape.baseline_ns;
        }
        promised.push_back(saving_of(shape));
        outcome.baseline_ns = shape.baseline_ns;
        for (const report::WayReport& each : shape.ways) {
          if (each.way == choice::Way::Batched) outcome.baseline_samples = each.trials;
        }
      }
    }
    if (!report.shapes.empty()) {
      outcome.chosen = to_string(report.shapes[0]->chosen);
      outcome.known = to_text(*report.shapes[0]);
    }
    const std::size_t at_auto = kPinned.size();
    if (promised.size() > 1) {
      outcome.predicted_saving_ns = promised.front();
      promised.pop_back();
      outcome.followed_saving_ns = choice::median(promised);
    }
    note_saving(samples[1], samples[at_auto], samples[at_auto + 1], outcome);
    std::size_t best = 0;
    for (std::size_t i = 0; i < kPinned.size(); ++i) {
      outcome.modes_ns[i] = choice::median(samples[i]);
      outcome.to_auto[i] = std::sqrt(choice::median(ratios(samples[i], samples[at_auto])) *
                                     choice::median(ratios(samples[i], samples[at_auto + 1])));
      if (half_median(ratios(samples[i], samples[best]), 0) < 1) best = i;
    }
    outcome.best = kPinned[best];
    if (!report.shapes.empty()) {
      const report::ShapeReport& shape = *report.shapes[0];
      outcome.as_chosen = half_median(ratios(samples[index_of(mode_of(shape.chosen))], samples[best]), 1);
      outcome.believed = describe_beliefs(shape, outcome.best, outcome.modes_ns[best] / workload.times);
    }
    // Which of the two is the other one is left to chance: neither has better places in memory on the whole.
    if (random_() % 2 == 0) std::swap(samples[at_auto], samples[at_auto + 1]);
    outcome.auto_ns = choice::median(samples[at_auto]);
    outcome.regret = half_median(ratios(samples[at_auto], samples[best]), 1);
    outcome.itself = half_median(ratios(samples[at_auto], samples[at_auto + 1]), 1);
    return outcome;
  }

  /// How often a workload of that length runs for one sample: as one who repeats it sees it.
  static std::size_t in_a_row(double run_ns) {
    constexpr double kRowNs = 1e7;
    return static_cast<std::size_t>(std::clamp(kRowNs / run_ns, 1.0, 4.0));
  }

  /// What a run takes after others of the same: the median of a few in a row, without the first.
  static double sample(WorkloadRunner& runner, const Workload& workload, std::size_t runs, report::RunReport* report) {
    std::vector<double> row;
    for (std::size_t i = 0; i < runs; ++i) row.push_back(runner.run(workload, report));
    if (row.size() > 1) row.erase(row.begin());
    return choice::median(row);
  }

  /// In the circumstances in which it will be measured: some in a row, with others in between.
  void learn(const Workload& workload, Outcome& outcome) {
    report::RunReport report;
    std::vector<double> anew;
    const std::uint64_t begin = device_->now_ns();
    std::size_t row = 1;
    for (std::size_t i = 0; i < 200; ++i) {
      for (std::size_t j = 0; j < row; ++j) row = in_a_row(curious_->run(workload, &report));
      const std::size_t other = 1 + i % (pinned_.size() - 1);
      const double taken = sample(*pinned_[other], workload, std::min<std::size_t>(row, 2), nullptr);
      if (other == 1 && i > 0) anew.push_back(taken);
      outcome.is_settled = !report.shapes.empty() && curious_->session().tuner().is_settled(report.shapes[0]->key);
      if (outcome.is_settled && i >= 2) break;
      if (static_cast<double>(device_->now_ns() - begin) > settings_.warm_ns) break;
    }
    outcome.anew_before_ns = choice::median(anew) / workload.times;
  }

  /// What is saved over lists made anew, round by round.
  static void note_saving(const std::vector<double>& anew, const std::vector<double>& chosen,
                          const std::vector<double>& again, Outcome& outcome) {
    std::vector<double> saved;
    std::vector<double> shares;
    std::vector<double> apart;
    // Before the first nothing was said yet.
    for (std::size_t i = 1; i < anew.size(); ++i) {
      saved.push_back((anew[i] - chosen[i]) / outcome.workload.times);
      shares.push_back((anew[i] - chosen[i]) / anew[i]);
      apart.push_back((again[i] - chosen[i]) / outcome.workload.times);
    }
    outcome.saving_ns = choice::median(saved);
    outcome.saved_share = choice::median(shares);
    outcome.saving_spread = (quantile(saved, 0.75) - quantile(saved, 0.25)) / std::abs(outcome.saving_ns);
    const auto middle = saved.begin() + static_cast<std::ptrdiff_t>(saved.size() / 2);
    const double off =
        choice::median(std::vector(saved.begin(), middle)) - choice::median(std::vector(middle, saved.end()));
    outcome.saving_off = std::abs(off) / std::abs(outcome.saving_ns);
    outcome.itself_off = std::abs(choice::median(apart)) / std::abs(outcome.saving_ns);
  }

  /// Measures the grid, prints it, and gives it as JSON.
  ordered_json run() {
    const std::vector<Workload> grid = make_grid(kernels_, launch_ns(*device_));
    std::vector<Outcome> outcomes;
    const std::uint64_t begin = device_->now_ns();
    for (std::size_t i = 0; i < grid.size(); ++i) {
      const Workload& workload = grid[i * kStep % grid.size()];
      if (to_string(workload).find(settings_.filter) == std::string::npos) continue;
      const bool is_late =
          settings_.budget_ns > 0 && static_cast<double>(device_->now_ns() - begin) > settings_.budget_ns;
      if (is_late) break;
      outcomes.push_back(measure(workload));
      print(outcomes.back());
    }
    if (settings_.explain)
      fmt::print("{}", report::to_text(auto_->session().tuner().calibration().value_or(choice::Calibration{})));
    summarise(outcomes, grid.size());
    return to_json(outcomes);
  }

 private:
  void print(const Outcome& each) const {
    fmt::print("  {:<44}", to_string(each.workload));
    for (const double ns : each.modes_ns) fmt::print(" {:>9.1f}", ns / 1e3);
    fmt::print(" {:>9.1f} {:>9.1f}  {:>5.2f} {:>5.2f}  {:<10} {}{}\n", each.auto_ns / 1e3, each.cold_ns / 1e3,
               each.regret, each.itself, to_string(each.best), each.chosen, each.is_settled ? "" : " (not settled)");
    if (settings_.explain) fmt::print("{}", each.known);
    std::fflush(stdout);
  }

  /// How far predicted savings were from the measured.
  static void summarise_savings(const std::vector<Outcome>& outcomes) {
    std::vector<double> all;
    std::vector<double> clear;
    std::vector<double> settled;
    std::vector<double> followed;
    std::vector<double> share_off;
    std::vector<double> spread;
    std::vector<double> moved;
    std::vector<double> floor;
    std::size_t noisy = 0;
    for (const Outcome& each : outcomes) {
      // What is neither promised nor measured to be a tenth of a batch may be noise.
      const double saving = std::max(std::abs(each.saving_ns), std::abs(each.predicted_saving_ns));
      if (!each.is_promised || saving * each.workload.times < 0.1 * each.modes_ns[1]) continue;
      all.push_back(std::abs(each.predicted_saving_ns - each.saving_ns) / std::abs(each.saving_ns));
      // What it would be off by if all were known but how what it is saved over changes in a second or two.
      const double anew_ns = each.modes_ns[1] / each.workload.times;
      if (each.anew_before_ns > 0) moved.push_back(std::abs((each.anew_before_ns - anew_ns) / each.saving_ns));
      spread.push_back(each.saving_spread);
      share_off.push_back(std::abs((each.predicted_share - each.saved_share) / each.saved_share));
      followed.push_back(std::abs(each.followed_saving_ns - each.saving_ns) / std::abs(each.saving_ns));
      // So is what auto and auto differ by.
      if (each.itself_off > 0.5) {
        ++noisy;
        continue;
      }
      clear.push_back(all.back());
      if (each.is_settled) settled.push_back(all.back());
      floor.push_back(each.saving_off);
    }
    fmt::print("predicted savings: off by {:.0f} % of the measured in the middle ({} workloads)\n",
               100 * quantile(all, 0.5), all.size());
    fmt::print("      as shares of what a list made anew takes at the time: {:.0f} %\n",
               100 * quantile(share_off, 0.5));
    fmt::print("      what is measured, the middle half of the rounds: {:.0f} % apart\n", 100 * quantile(spread, 0.5));
    fmt::print("      said anew before each round: {:.0f} %\n", 100 * quantile(followed, 0.5));
    fmt::print("      what it is saved over, pinned, moved meanwhile by {:.0f} % of the saving ({} workloads)\n",
               100 * quantile(moved, 0.5), moved.size());
    fmt::print("      without the {} in which two sessions that choose differ by half of it: {:.0f} % ({} workloads)\n",
               noisy, 100 * quantile(clear, 0.5), clear.size());
    fmt::print("      and of those, where nothing was left to try before: {:.0f} % ({} workloads)\n",
               100 * quantile(settled, 0.5), settled.size());
    fmt::print("      and without that, measured in the first half of the samples and in the second: {:.0f} %\n",
               100 * quantile(floor, 0.5));
  }

  void summarise(const std::vector<Outcome>& outcomes, std::size_t all) const {
    std::vector<double> regrets;
    std::vector<double> itself;
    std::vector<double> cold;
    std::vector<double> cold_anew;
    for (const Outcome& each : outcomes) {
      regrets.push_back(each.regret);
      itself.push_back(each.itself);
      cold.push_back(each.cold_ns / std::ranges::min(each.modes_ns));
      cold_anew.push_back(each.cold_anew_ns / std::ranges::min(each.modes_ns));
    }
    fmt::print("\n{} of {} workloads\n", outcomes.size(), all);
    if (outcomes.empty()) return;
    fmt::print("warm: auto / best mode      geometric mean {:.3f}, 95th percentile {:.3f}, worst {:.3f}\n",
               geometric_mean(regrets), quantile(regrets, 0.95), std::ranges::max(regrets));
    fmt::print("      auto / auto           geometric mean {:.3f}, 95th percentile {:.3f}, worst {:.3f}\n",
               geometric_mean(itself), quantile(itself, 0.95), std::ranges::max(itself));
    fmt::print("      excess                geometric mean {:+.1f} %, 95th percentile {:+.1f} %\n",
               100 * (geometric_mean(regrets) / geometric_mean(itself) - 1),
               100 * (quantile(regrets, 0.95) / quantile(itself, 0.95) - 1));
    fmt::print("cold: first batch / best    geometric mean {:.2f}, standard error {:.1f} %\n", geometric_mean(cold),
               100 * standard_error(cold));
    fmt::print("      the same, pinned batched               {:.2f}, standard error {:.1f} %\n",
               geometric_mean(cold_anew), 100 * standard_error(cold_anew));
    for (std::size_t i = 0; i < kPinned.size(); ++i) {
      std::vector<double> all_to_auto;
      for (const Outcome& each : outcomes) all_to_auto.push_back(each.to_auto[i]);
      fmt::print("always {:<12}         takes {:.3f} x what auto takes, standard error {:.1f} %\n",
                 to_string(kPinned[i]), geometric_mean(all_to_auto), 100 * standard_error(all_to_auto));
    }
    summarise_savings(outcomes);
    for (const Outcome& each : outcomes) {
      if (each.regret > 1.25) {
        fmt::print("above 1.25: {} {:.2f} (itself {:.2f}): best {}, chosen {}. {}\n", to_string(each.workload),
                   each.regret, each.itself, to_string(each.best), each.chosen, explain(each));
      }
    }
  }

  ordered_json to_json(const std::vector<Outcome>& outcomes) const {
    ordered_json value{{"device", device_->info().name},
                       {"configuration", device_->info().configuration},
                       {"workloads", ordered_json::array()}};
    for (const Outcome& each : outcomes) {
      ordered_json modes = ordered_json::object();
      ordered_json to_auto = ordered_json::object();
      for (std::size_t i = 0; i < kPinned.size(); ++i) {
        modes[std::string{to_string(kPinned[i])}] = each.modes_ns[i];
        to_auto[std::string{to_string(kPinned[i])}] = each.to_auto[i];
      }
      value["workloads"].push_back({{"workload", to_string(each.workload)},
                                    {"modes_ns", modes},
                                    {"modes_to_auto", to_auto},
                                    {"auto_ns", each.auto_ns},
                                    {"cold_ns", each.cold_ns},
                                    {"cold_anew_ns", each.cold_anew_ns},
                                    {"best", to_string(each.best)},
                                    {"chosen", each.chosen},
                                    {"as_chosen", each.as_chosen},
                                    {"believed", each.believed},
                                    {"regret", each.regret},
                                    {"itself", each.itself},
                                    {"is_promised", each.is_promised},
                                    {"predicted_saving_ns", each.predicted_saving_ns},
                                    {"predicted_share", each.predicted_share},
                                    {"saved_share", each.saved_share},
                                    {"followed_saving_ns", each.followed_saving_ns},
                                    {"saving_ns", each.saving_ns},
                                    {"saving_spread", each.saving_spread},
                                    {"saving_off", each.saving_off},
                                    {"itself_off", each.itself_off},
                                    {"baseline_ns", each.baseline_ns},
                                    {"baseline_samples", each.baseline_samples},
                                    {"anew_before_ns", each.anew_before_ns},
                                    {"is_settled", each.is_settled}});
    }
    return value;
  }

  std::shared_ptr<backend::Device> device_;
  std::mt19937 random_{1};
  Settings settings_;
  std::vector<Kernel> kernels_;
  std::vector<std::unique_ptr<WorkloadRunner>> pinned_;
  std::unique_ptr<WorkloadRunner> auto_;
  std::unique_ptr<WorkloadRunner> again_;
  std::unique_ptr<WorkloadRunner> curious_;
};

/// Records the grid, or as much of it as the budget allows.
Result<void> record(const std::shared_ptr<backend::Device>& device, const Settings& settings) {
  Recorder recorder{device};
  Recording recording = recorder.head();
  const std::vector<Workload> grid = make_grid(make_kernels(), launch_ns(*device));
  const std::uint64_t begin = device->now_ns();
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const Workload& workload = grid[i * kStep % grid.size()];
    if (to_string(workload).find(settings.filter) == std::string::npos) continue;
    const bool is_late = settings.budget_ns > 0 && static_cast<double>(device->now_ns() - begin) > settings.budget_ns;
    if (is_late) break;
    if (auto recorded = recorder.record(workload)) recording.workloads.push_back(*std::move(recorded));
  }
  VYRE_TRY(write_recording(settings.record, recording));
  fmt::print("{} workloads in {}\n", recording.workloads.size(), settings.record);
  return {};
}

int run(int argc, char** argv) {
  Settings settings;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string{argv[++i]} : std::string{}; };
    if (argument == "--quick") {
      settings.budget_ns = 5e10;
      settings.sample_ns = 2e8;
      settings.warm_ns = 7e8;
    } else if (argument == "--seconds") {
      settings.budget_ns = std::strtod(value().c_str(), nullptr) * 1e9;
    } else if (argument == "--json") {
      settings.json = value();
    } else if (argument == "--filter") {
      settings.filter = value();
    } else if (argument == "--explain") {
      settings.explain = true;
    } else if (argument == "--only") {
      only = value();
    } else if (argument == "--record") {
      settings.record = value();
    } else {
      fmt::print(
          stderr,
          "usage: bench_regret [--quick] [--seconds OF_EACH] [--only inline|threaded] [--filter TEXT] [--explain] "
          "[--json FILE]\n"
          "       bench_regret --record FILE --only inline|threaded [--seconds OF_ALL] [--filter TEXT]\n");
      return 2;
    }
  }
  keep_memory();
  if (!settings.record.empty()) {
    if (only != "inline" && only != "threaded") {
      fmt::print(stderr, "error: a recording is of one device: --record takes --only inline or --only threaded\n");
      return 2;
    }
    must(record(open_lavapipe(only == "inline"), settings));
    return 0;
  }
  ordered_json all = ordered_json::array();
  for (const bool is_inline : {false, true}) {
    if (!only.empty() && (only == "inline") != is_inline) continue;
    Regret regret{open_lavapipe(is_inline), settings};
    fmt::print("  {:<44}", "µs of a run, medians");
    for (const LaunchMode mode : kPinned) fmt::print(" {:>9}", to_string(mode));
    fmt::print(" {:>9} {:>9}  {:>5} {:>5}  {:<10} {}\n", "auto", "cold", "ratio", "a/a", "best", "chosen");
    all.push_back(regret.run());
  }
  return write_json(settings.json, all) ? 0 : 2;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) { return vyre::bench::run(argc, argv); }
