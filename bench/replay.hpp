#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <vyre/choice/way.hpp>

#include "bench/paired.hpp"
#include "bench/recording.hpp"

/// The choice of launch modes on recorded times.
///
/// A *program* runs one workload many times. Its times come from a recording by a block bootstrap: it begins in a round
/// by chance, goes on through the neighbouring rounds, and jumps to another round after some. In each round, every
/// launch mode gives its runs of that round one after another, and after a switch the first run of its block. So drift,
/// slow moments and what neighbours have in common stay as they were measured, and at each step all modes have a time,
/// so that two rules, or a rule and a fixed mode, are compared on identical times.
///
/// One half of the programs is made from the first half of the rounds, the other from the second. The best fixed mode
/// of a program is picked by the rounds of the other half: else the mode that was lucky would count as the best.
///
/// Compiling and recording cost what the calibration of the recording says.
namespace vyre::bench {

struct ReplaySettings {
  std::uint64_t seed = 1;
  std::uint32_t programs = 8;  ///< Of each workload; as many from each half of its rounds.
  std::uint32_t runs = 300;    ///< Of each program.
  double exploration = 0.03;   ///< As `SessionOptions::exploration`.
  /// Whether times are the processor time of the process instead of the time that passed: on a device without threads
  /// of its own, what a machine would have measured on which nothing else runs.
  bool uses_cpu_time = false;
};

/// A saving over a list that is recorded anew: predicted in the middle of a program, measured in its second half.
struct ReplayedSaving {
  double predicted_ns = 0;
  double deviation_ns = 0;  ///< Standard deviation of the prediction.
  double measured_ns = 0;
  double predicted_share = 0;  ///< Of the time of the list that is recorded anew.
  double measured_share = 0;

  /// Whether the measured saving is in the interval that was predicted to hold 90 % of them.
  [[nodiscard]] bool is_covered() const noexcept;
};

/// All programs of one workload, with times of the runs summed up.
struct ReplayedWorkload {
  std::string name = {};
  bool is_for_tuning = false;
  double chosen_ns = 0;       ///< With compiling and recording.
  double forecast_ns = 0;     ///< The same without trials.
  double chosen_late_ns = 0;  ///< Of the second half of each program.
  double trial_ns = 0;        ///< What trials took beyond the current mode.
  std::uint32_t trials = 0;
  std::array<double, choice::kWays> fixed_ns = {};  ///< Always one mode, by `Way`; 0 where it is not recorded.
  double best_ns = 0;                               ///< The best fixed mode, setup included.
  double best_late_ns = 0;                          ///< Of the second half.
  choice::Way best = choice::Way::Batched;    ///< The mode that was the best one for the programs of the second half.
  choice::Way chosen = choice::Way::Batched;  ///< The mode in which most programs ended.
  std::string known = {};                     ///< What the last program knew in its middle.
  std::vector<ReplayedSaving> savings = {};   ///< By program; of those that did not end in the list recorded anew.

  [[nodiscard]] double regret() const noexcept { return chosen_ns / best_ns; }
  [[nodiscard]] double late_regret() const noexcept { return chosen_late_ns / best_late_ns; }
};

[[nodiscard]] ReplayedWorkload replay(const Recording& recording, const RecordedWorkload& workload,
                                      const ReplaySettings& settings);

/// Workloads together.
struct ReplaySummary {
  std::size_t workloads = 0;
  LogMean regret = {};
  LogMean late_regret = {};
  LogMean forecast_regret = {};                   ///< Without trials.
  std::array<LogMean, choice::kWays> fixed = {};  ///< One mode for all workloads that have it, over chosen.
  double trials_share = 0;                        ///< Of the time of all programs, workloads weighted alike.
  double most_trials_share = 0;                   ///< Of the workload in which it is the largest.
  std::size_t savings = 0;
  double covered = 0;  ///< Share of the savings that are in their intervals.
  /// Median of |predicted - measured| / |measured|, of savings that are a tenth of the batch's time or more: predicted
  /// or measured.
  double saving_off = 0;
  double share_off = 0;  ///< Median of the difference of the shares, of all savings.
};
[[nodiscard]] ReplaySummary summarise(const std::vector<const ReplayedWorkload*>& workloads);

}  // namespace vyre::bench
