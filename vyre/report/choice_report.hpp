#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <vyre/choice/batch_shape.hpp>
#include <vyre/choice/calibration.hpp>
#include <vyre/choice/way.hpp>
#include <vyre/policy/dispatch_policy.hpp>

namespace vyre::report {

/// One launch mode of batches of a shape. Times are of one batch.
struct WayReport {
  choice::Way way = choice::Way::Batched;
  double forecast_ns = 0;  ///< From the calibration.
  double estimate_ns = 0;  ///< The forecast as corrected by trials.
  double deviation = 0;    ///< Standard deviation of the logarithm of the estimate's ratio to the current mode.
  double setup_ns = 0;     ///< Once.
  std::uint32_t trials = 0;
  bool is_measured = false;  ///< By a trial, or as the current mode.
  double used_below_ns = 0;  ///< The time below which it would replace the current mode; 0 if it cannot.

  friend bool operator==(const WayReport&, const WayReport&) = default;
};

/// Alike groups of a batch, and the facts from which the policies decided.
struct GroupReport {
  std::string program = {};
  choice::GroupKind kind = {};
  policy::DispatchFacts facts = {};
  std::uint32_t bindless_threshold = 0;  ///< The number of buffers from which a table is estimated to take less.
  /// By `FormKind`: the measured time of the kernel of one dispatch beyond that of an empty kernel. Nothing where it is
  /// unknown.
  std::array<std::optional<double>, program::kForms> kernel_ns = {};
  /// By `FormKind`: whether timestamps told that time; otherwise it comes from whole lists of this kernel alone.
  std::array<bool, program::kForms> is_timed = {};
  bool can_time = true;  ///< Whether the device has timestamps.

  friend bool operator==(const GroupReport&, const GroupReport&) = default;
};

/// Everything learned of batches of one shape, and how they are launched. Times are of one batch.
struct ShapeReport {
  std::uint64_t key = 0;
  std::uint32_t dispatches = 0;
  std::uint32_t barriers = 0;
  std::uint32_t copies = 0;
  std::vector<GroupReport> groups = {};
  std::vector<WayReport> ways = {};             ///< The possible ones.
  choice::Way proposed = choice::Way::Batched;  ///< The policies' verdict.
  choice::Way chosen = choice::Way::Batched;    ///< The current mode.
  std::uint64_t batches = 0;
  std::uint64_t trials = 0;
  std::uint64_t samples = 0;      ///< Measured times, each of one batch or of several that were awaited together.
  double total_ns = 0;            ///< Of all batches that were timed.
  double trial_cost_ns = 0;       ///< Of all trials: what they took longer than the current mode, and setup.
  double baseline_ns = 0;         ///< The estimate of a list that is recorded anew for each batch.
  double launching_ns = 0;        ///< The forecast of the current mode without the kernels.
  double forecast_saving_ns = 0;  ///< Over the baseline, before anything was measured.
  std::optional<double> measured_saving_ns = {};  ///< Nothing unless current mode and baseline were both measured.
  double saving_deviation_ns = 0;                 ///< Standard deviation of the measured saving.

  friend bool operator==(const ShapeReport&, const ShapeReport&) = default;
};

/// Errors of predicted savings: how far the estimate before a trial was from the trial's outcome, relative to that.
struct PredictionErrors {
  std::uint64_t count = 0;
  double median = 0;
  double ninth_decile = 0;

  friend bool operator==(const PredictionErrors&, const PredictionErrors&) = default;
};

/// `replay: 3 batches of 1,000 dispatches …`, a table of the ways, and what would change it.
[[nodiscard]] std::string to_text(const ShapeReport& shape);
/// With the facts of each kind of group, as `vyre explain` takes them.
[[nodiscard]] std::string to_json(const ShapeReport& shape);

/// For a person, and for a program.
[[nodiscard]] std::string to_text(const choice::Calibration& calibration);
[[nodiscard]] std::string to_json(const choice::Calibration& calibration);

}  // namespace vyre::report
