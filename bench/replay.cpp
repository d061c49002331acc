#include "bench/replay.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <utility>

#include <vyre/choice/forecast.hpp>
#include <vyre/choice/line.hpp>
#include <vyre/program/forms/form.hpp>

#include "bench/replayed_rule.hpp"

namespace vyre::bench {
namespace {

using choice::Way;

constexpr std::size_t index(Way way) noexcept { return static_cast<std::size_t>(way); }

/// Neighbouring rounds of one block of the bootstrap.
constexpr std::uint32_t kRoundsInARow = 6;
/// A run counts as at most this many times the median of its mode: when another process takes the core for some
/// milliseconds, that says nothing about the mode, and would decide which one is the best. The choice sees all of it.
constexpr double kMostOfMedian = 3;
/// Standard deviations on both sides of an interval that holds 90 %.
constexpr double kNinetyPercent = 1.645;
/// A smaller saving may be noise, and its relative error says nothing.
constexpr double kLeastShare = 0.1;
/// Between two waits a session asks again after this part of the batches that came, and after this many.
constexpr std::uint32_t kUnaskedShare = 8;
constexpr std::uint32_t kMostUnasked = 64;

/// The time of a run: as measured, which the choice sees, and as it counts.
struct Time {
  double ns = 0;
  double counted_ns = 0;
};

/// The runs of one round, by `Way`.
struct Round {
  std::array<std::vector<Time>, choice::kWays> runs = {};
  std::size_t steps = 1;  ///< Runs beside the first in the longest block.
};

std::vector<Round> rounds_of(const RecordedWorkload& workload, bool uses_cpu_time) {
  const auto time_of = [&](const RecordedRun& run) {
    return uses_cpu_time ? std::max(run.cpu_ns - run.host_ns, 1.0) : run.wall_ns;
  };
  std::array<std::vector<double>, choice::kWays> all;
  for (const RecordedBlock& block : workload.blocks) {
    for (const RecordedRun& run : block.runs) all[index(block.way)].push_back(time_of(run));
  }
  std::vector<Round> rounds;
  for (const RecordedBlock& block : workload.blocks) {
    if (block.round >= rounds.size()) rounds.resize(block.round + 1);
    Round& round = rounds[block.round];
    const double most = kMostOfMedian * choice::median(all[index(block.way)]);
    for (const RecordedRun& run : block.runs) {
      const double ns = time_of(run);
      round.runs[index(block.way)].push_back({.ns = ns, .counted_ns = std::min(ns, most)});
    }
    round.steps = std::max(round.steps, block.runs.size() - 1);
  }
  return rounds;
}

/// A step of a program: one run.
struct Step {
  const Round* round = nullptr;
  std::size_t at = 0;  ///< Which run of the round it is.

  [[nodiscard]] const Time& time(Way way, bool is_first) const {
    const std::vector<Time>& runs = round->runs[index(way)];
    return is_first || runs.size() == 1 ? runs.front() : runs[1 + at % (runs.size() - 1)];
  }
};

std::vector<Step> make_program(std::span<const Round> rounds, std::uint32_t runs, std::mt19937_64& random) {
  std::vector<Step> steps;
  // Not the library's distributions: they differ between libraries.
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  while (steps.size() < runs) {
    const std::size_t first = below(rounds.size());
    for (std::size_t i = 0; i < kRoundsInARow && first + i < rounds.size(); ++i) {
      const Round& round = rounds[first + i];
      const std::size_t offset = below(round.steps);
      for (std::size_t k = 0; k < round.steps && steps.size() < runs; ++k) {
        steps.push_back({.round = &round, .at = offset + k});
      }
    }
  }
  return steps;
}

/// What compiling and recording cost, and what was compiled and recorded.
class Setup {
 public:
  Setup(const choice::Calibration& calibration, const RecordedWorkload& workload)
      : calibration_{&calibration}, workload_{&workload}, forms{workload.forms} {}

  /// The cost of what a mode still lacks, which it has from then on.
  double take(Way way) {
    double ns = 0;
    const program::FormKind form = choice::form_of(way);
    const auto f = static_cast<std::size_t>(form);
    if (!forms.front().compiled[f]) ns += calibration_->compile_ns * calibration_->form(form).compile;
    for (choice::ProgramForms& each : forms) each.compiled[f] = true;
    if ((choice::is_replay(way) || way == Way::Table) && !is_set_up[index(way)]) {
      double launches = workload_->shape.dispatches;
      if (choice::is_one_launch(way)) {
        launches = 0;
        for (const choice::GroupKind& kind : workload_->shape.kinds) launches += kind.groups;
        if (form == program::FormKind::Chain) launches = workload_->shape.stretches;
      }
      ns += calibration_->record.at(launches);
      is_set_up[index(way)] = true;
    }
    return ns;
  }

 private:
  const choice::Calibration* calibration_;
  const RecordedWorkload* workload_;

 public:
  std::vector<choice::ProgramForms> forms;
  std::array<bool, choice::kWays> is_set_up = {};
};

/// The outcome of one program.
struct Outcome {
  double total_ns = 0;
  double late_ns = 0;
  double trial_ns = 0;
  std::uint32_t trials = 0;
  Way chosen = Way::Batched;
  std::optional<report::ShapeReport> report = {};  ///< In the middle of the program.
};

/// Runs a program as the choice launches it.
class Replay {
 public:
  Replay(const Recording& recording, const RecordedWorkload& workload, double exploration)
      : workload_{&workload},
        rule_{recording.calibration, workload.shape, exploration},
        setup_{recording.calibration, workload} {}

  Outcome run(const std::vector<Step>& steps) {
    for (std::size_t n = 0; n < steps.size(); ++n) {
      if (n == steps.size() / 2) outcome_.report = rule_.report();
      run_step(steps[n], n >= steps.size() / 2);
    }
    outcome_.chosen = current_;
    return std::move(outcome_);
  }

 private:
  /// The batches of one run, until the wait.
  void run_step(const Step& step, bool is_late) {
    std::array<std::uint32_t, choice::kWays> batches = {};
    std::optional<Way> first;
    double setup_ns = 0;
    ReplayedRule::Asked asked;
    bool is_trial = false;
    std::uint32_t unasked = 0;
    for (std::uint32_t i = 0; i < workload_->per_wait; ++i, ++came_) {
      const std::uint32_t holds = std::min(kMostUnasked, came_ / kUnaskedShare);
      if (i == 0 || unasked >= holds) {
        asked = rule_.choose(workload_->is_same ? came_ : 0, setup_.is_set_up, setup_.forms, i == 0, unasked);
        unasked = 0;
      } else {
        ++unasked;
      }
      is_trial |= asked.is_trial;
      if (!asked.is_trial) current_ = asked.way;
      const double cost = setup_.take(asked.way);
      if (cost > 0) rule_.note_setup(cost);
      setup_ns += cost;
      if (!choice::is_replay(asked.way) && workload_->plan_ns > 0) {
        const std::uint32_t operations = workload_->shape.operations();
        rule_.note_planning(workload_->plan_ns * operations, operations);
      }
      ++batches[index(asked.way)];
      if (!first) first = asked.way;
    }
    double seen_ns = 0;
    double ns = setup_ns;
    for (const Way way : choice::kAllWays) {
      if (batches[index(way)] == 0) continue;
      const double part = static_cast<double>(batches[index(way)]) / workload_->per_wait;
      const Time& time = step.time(way, way == first && way != last_);
      seen_ns += part * time.ns;
      ns += part * time.counted_ns;
    }
    last_ = asked.way;
    rule_.observe(batches, seen_ns);
    outcome_.total_ns += ns;
    if (is_late) outcome_.late_ns += ns;
    if (is_trial) outcome_.trial_ns += ns - step.time(current_, false).counted_ns;
    if (is_trial && !was_trial_) ++outcome_.trials;
    was_trial_ = is_trial;
  }

  const RecordedWorkload* workload_;
  ReplayedRule rule_;
  Setup setup_;
  Outcome outcome_ = {};
  std::uint32_t came_ = 0;
  Way current_ = Way::Batched;
  std::optional<Way> last_ = {};
  bool was_trial_ = false;
};

/// The times of programs that always launch in one mode, by `Way`.
struct FixedModes {
  std::array<double, choice::kWays> ns = {};       ///< With setup; 0 where the mode is not recorded.
  std::array<double, choice::kWays> late_ns = {};  ///< Of the second half of each program.

  void add(const Recording& recording, const RecordedWorkload& workload, const std::vector<Step>& steps) {
    for (const Way way : choice::kAllWays) {
      if (steps.front().round->runs[index(way)].empty()) continue;
      Setup setup{recording.calibration, workload};
      ns[index(way)] += setup.take(way);
      for (std::size_t n = 0; n < steps.size(); ++n) {
        const double one = steps[n].time(way, n == 0).counted_ns;
        ns[index(way)] += one;
        if (n >= steps.size() / 2) late_ns[index(way)] += one;
      }
    }
  }
};

/// The mode that takes least.
Way least(const std::array<double, choice::kWays>& ns) {
  Way best = Way::Batched;
  for (const Way way : choice::kAllWays) {
    if (ns[index(way)] > 0 && ns[index(way)] < ns[index(best)]) best = way;
  }
  return best;
}

/// What was predicted in the middle of a program, beside the steps after it. Nothing if the program launched lists
/// recorded anew, or did not know what they take.
std::optional<ReplayedSaving> saving_of(const report::ShapeReport& report, const std::vector<Step>& steps,
                                        std::uint32_t per_wait) {
  if (report.chosen == Way::Batched || !report.measured_saving_ns) return std::nullopt;
  std::vector<double> saved;
  std::vector<double> shares;
  for (std::size_t n = steps.size() / 2; n < steps.size(); ++n) {
    const double anew = steps[n].time(Way::Batched, false).counted_ns;
    saved.push_back((anew - steps[n].time(report.chosen, false).counted_ns) / per_wait);
    shares.push_back(saved.back() * per_wait / anew);
  }
  return ReplayedSaving{.predicted_ns = *report.measured_saving_ns,
                        .deviation_ns = report.saving_deviation_ns,
                        .measured_ns = choice::median(saved),
                        .predicted_share = *report.measured_saving_ns / report.baseline_ns,
                        .measured_share = choice::median(shares)};
}

}  // namespace

bool ReplayedSaving::is_covered() const noexcept {
  return std::abs(predicted_ns - measured_ns) <= kNinetyPercent * deviation_ns;
}

ReplayedWorkload replay(const Recording& recording, const RecordedWorkload& workload, const ReplaySettings& settings) {
  ReplayedWorkload result{.name = workload.name, .is_for_tuning = is_for_tuning(workload.name)};
  const std::vector<Round> rounds = rounds_of(workload, settings.uses_cpu_time);
  const std::size_t middle = rounds.size() / 2;
  const std::array halves = {std::span{rounds}.first(middle), std::span{rounds}.subspan(middle)};
  std::array<FixedModes, 2> fixed = {};
  std::mt19937_64 random{settings.seed};
  std::array<std::uint32_t, choice::kWays> ended = {};
  for (std::uint32_t program = 0; program < settings.programs; ++program) {
    const std::size_t half = program % 2;
    const std::vector<Step> steps = make_program(halves[half], settings.runs, random);
    const Outcome chosen = Replay{recording, workload, settings.exploration}.run(steps);
    result.chosen_ns += chosen.total_ns;
    result.chosen_late_ns += chosen.late_ns;
    result.trial_ns += chosen.trial_ns;
    result.trials += chosen.trials;
    ++ended[index(chosen.chosen)];
    result.forecast_ns += Replay{recording, workload, 0}.run(steps).total_ns;
    fixed[half].add(recording, workload, steps);
    if (!chosen.report) continue;
    result.known = report::to_text(*chosen.report);
    if (const auto saving = saving_of(*chosen.report, steps, workload.per_wait)) result.savings.push_back(*saving);
  }
  for (std::size_t half = 0; half < fixed.size(); ++half) {
    for (std::size_t i = 0; i < choice::kWays; ++i) result.fixed_ns[i] += fixed[half].ns[i];
    result.best = least(fixed[1 - half].ns);
    result.best_ns += fixed[half].ns[index(result.best)];
    result.best_late_ns += fixed[half].late_ns[index(least(fixed[1 - half].late_ns))];
  }
  result.chosen = static_cast<Way>(std::ranges::max_element(ended) - ended.begin());
  return result;
}

ReplaySummary summarise(const std::vector<const ReplayedWorkload*>& workloads) {
  ReplaySummary result{.workloads = workloads.size()};
  std::vector<double> regrets;
  std::vector<double> late;
  std::vector<double> forecasts;
  std::array<std::vector<double>, choice::kWays> fixed;
  std::vector<double> savings_off;
  std::vector<double> shares_off;
  std::size_t covered = 0;
  for (const ReplayedWorkload* each : workloads) {
    regrets.push_back(each->regret());
    late.push_back(each->late_regret());
    forecasts.push_back(each->forecast_ns / each->best_ns);
    for (const Way way : choice::kAllWays) {
      if (each->fixed_ns[index(way)] > 0) fixed[index(way)].push_back(each->fixed_ns[index(way)] / each->chosen_ns);
    }
    const double share = each->trial_ns / each->chosen_ns;
    result.trials_share += share / static_cast<double>(workloads.size());
    result.most_trials_share = std::max(result.most_trials_share, share);
    for (const ReplayedSaving& saving : each->savings) {
      covered += saving.is_covered() ? 1U : 0U;
      ++result.savings;
      if (std::max(std::abs(saving.predicted_share), std::abs(saving.measured_share)) >= kLeastShare) {
        savings_off.push_back(std::abs(saving.predicted_ns - saving.measured_ns) / std::abs(saving.measured_ns));
      }
      shares_off.push_back(std::abs(saving.predicted_share - saving.measured_share));
    }
  }
  result.regret = log_mean(regrets);
  result.late_regret = log_mean(late);
  result.forecast_regret = log_mean(forecasts);
  for (const Way way : choice::kAllWays) result.fixed[index(way)] = log_mean(fixed[index(way)]);
  if (result.savings > 0) result.covered = static_cast<double>(covered) / static_cast<double>(result.savings);
  result.saving_off = choice::median(savings_off);
  result.share_off = choice::median(shares_off);
  return result;
}

}  // namespace vyre::bench
