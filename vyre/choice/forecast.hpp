#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <vyre/choice/batch_shape.hpp>
#include <vyre/choice/calibration.hpp>
#include <vyre/choice/kernel_times.hpp>
#include <vyre/choice/way.hpp>

namespace vyre::choice {

/// The forecast of one launch mode.
struct WayCost {
  bool is_possible = false;
  double ns = 0;        ///< Each time.
  double setup_ns = 0;  ///< Once, before the first time: forms that are not compiled, a list that is not recorded.

  friend bool operator==(const WayCost&, const WayCost&) = default;
};

/// The forecast of one kind of groups.
struct KindCost {
  std::array<double, program::kForms> kernels_ns = {};  ///< By `FormKind`: the kernels of one group.
  /// By `FormKind`: whether the kind runs in that form where the batch's launch mode has it.
  std::array<bool, program::kForms> is_used = {};
  std::array<bool, program::kForms> is_timed = {};  ///< By `FormKind`: whether timestamps told the kernels' time.

  [[nodiscard]] bool uses_form(Way way) const noexcept {
    return is_one_launch(way) ? is_used[static_cast<std::size_t>(form_of(way))] : way == Way::Table;
  }
  /// The form in which the kind runs.
  [[nodiscard]] program::FormKind form_in(Way way) const noexcept {
    return uses_form(way) ? form_of(way) : program::FormKind::Descriptor;
  }

  friend bool operator==(const KindCost&, const KindCost&) = default;
};

/// The predicted time of batches of a shape in every launch mode, before any trial.
struct Forecast {
  std::array<WayCost, kWays> ways = {};
  std::vector<KindCost> kinds = {};  ///< As the shape's.

  [[nodiscard]] const WayCost& of(Way way) const noexcept { return ways[static_cast<std::size_t>(way)]; }
  friend bool operator==(const Forecast&, const Forecast&) = default;
};

/// Facts of a session that a forecast needs beside the calibration of the device.
struct Habits {
  double plan_ns = 0;             ///< Host time for planning an operation of a list that is made anew.
  double per_wait = 1;            ///< Batches that are launched for one wait.
  double unknown_kernels_ns = 0;  ///< Time of a batch's kernels, as written, beyond those whose times are known.

  friend bool operator==(const Habits&, const Habits&) = default;
};

/// Predicts from what was measured. `forms` says of the program of each kind which forms it has. Every recording counts
/// as setup here, because only the caller knows which lists are kept.
[[nodiscard]] Forecast forecast(const BatchShape& shape, const Calibration& calibration, const KernelTimes& kernels,
                                std::span<const ProgramForms> forms, const Habits& habits = {});

/// The part of a forecast that is not the kernels' time.
[[nodiscard]] double overhead_ns(const BatchShape& shape, const Calibration& calibration, const Forecast& forecast,
                                 const Habits& habits, Way way);
/// The factor by which a form changes the time of a batch's kernels, on average over its dispatches.
[[nodiscard]] double body_ratio(const BatchShape& shape, const Calibration& calibration, const Forecast& forecast,
                                Way way);

/// How often a batch has come.
struct Appearances {
  std::uint32_t of_shape = 0;
  std::uint32_t of_batch = 0;  ///< Exactly this one.

  friend bool operator==(const Appearances&, const Appearances&) = default;
};

}  // namespace vyre::choice
