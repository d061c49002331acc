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

/// What one way of launching batches of a shape costs.
struct WayReport {
  choice::Way way = choice::Way::Batched;
  double predicted_ns = 0;  ///< Each batch.
  double setup_ns = 0;      ///< Once.
  double observed_ns = 0;   ///< Each batch, undisturbed: the lower quartile of the last; 0 if it was not observed.
  double scaled = 1;        ///< What that was multiplied by since, as the way that is used took longer or less.
  std::uint32_t samples = 0;
  /// What it must be seen to take less than to be used instead of what is; 0 for that, and where it cannot be.
  double used_below_ns = 0;

  friend bool operator==(const WayReport&, const WayReport&) = default;
};

/// Alike groups of a batch, and the facts from which the policies decided.
struct GroupReport {
  std::string program = {};
  choice::GroupKind kind = {};
  policy::DispatchFacts facts = {};
  /// What the kernel of one dispatch was seen to take above one that does nothing, by `FormKind`.
  std::array<std::optional<double>, program::kForms> kernel_ns = {};

  friend bool operator==(const GroupReport&, const GroupReport&) = default;
};

/// What was learned of batches of one shape, and what they are launched in.
struct ShapeReport {
  std::uint64_t key = 0;
  std::uint32_t dispatches = 0;
  std::uint32_t barriers = 0;
  std::uint32_t copies = 0;
  std::uint32_t bindless_threshold = 0;
  std::vector<GroupReport> groups = {};
  std::vector<WayReport> ways = {};             ///< Those that are possible.
  choice::Way proposed = choice::Way::Batched;  ///< By the policies.
  choice::Way chosen = choice::Way::Batched;
  std::uint64_t batches = 0;
  std::uint64_t trials = 0;
  std::uint64_t disturbed = 0;  ///< Of those, the ones that say nothing, since something else changed meanwhile.
  double total_ns = 0;          ///< Of all that were observed,
  double tried_ns = 0;          ///< and of those that were trials.
  double baseline_ns = 0;       ///< What a list made anew is believed to take, each time, on the whole.
  /// What a batch saves over that: as it was believed when that was decided, and as measured, if both sides were.
  double predicted_saving_ns = 0;
  std::optional<double> measured_saving_ns = {};
  bool is_baseline_measured = false;  ///< Whether the list made anew was measured too, and is not predicted.

  friend bool operator==(const ShapeReport&, const ShapeReport&) = default;
};

/// How far savings, as they were believed before, were from those of the batch that then came, relative to these. Of
/// all batches of what is used, and of what is saved over once that was measured.
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
