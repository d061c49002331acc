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
#include <vyre/policy/dispatch_policy.hpp>

namespace vyre::choice {

/// What one way of launching a batch is predicted to take.
struct WayCost {
  bool is_possible = false;
  double ns = 0;        ///< Each time.
  double hoped_ns = 0;  ///< The same at the best: no form makes a kernel longer.
  double setup_ns = 0;  ///< Once, before the first time: forms that are not compiled, a list that is not recorded.

  friend bool operator==(const WayCost&, const WayCost&) = default;
};

/// What groups of a kind take, one of them, by `FormKind`.
struct KindCost {
  std::array<double, program::kForms> kernels_ns = {};  ///< All its kernels, above those of the calibration.
  std::array<bool, program::kForms> is_used =
      {};  ///< Whether it runs in that form where the batch's way is of that form.
  std::array<bool, program::kForms> is_used_in_replay = {};  ///< The same for a list that was kept.

  /// Whether it runs in the form of a way.
  [[nodiscard]] bool uses_form(Way way) const noexcept {
    if (!is_one_launch(way)) return way == Way::Table;
    return (is_replay(way) ? is_used_in_replay : is_used)[static_cast<std::size_t>(form_of(way))];
  }
  /// The form that it runs in.
  [[nodiscard]] program::FormKind form_in(Way way) const noexcept {
    return uses_form(way) ? form_of(way) : program::FormKind::Descriptor;
  }

  friend bool operator==(const KindCost&, const KindCost&) = default;
};

/// What a batch of a shape is predicted to take in every way.
struct Forecast {
  std::array<WayCost, kWays> ways = {};
  std::vector<KindCost> kinds = {};  ///< As the shape's.

  [[nodiscard]] const WayCost& of(Way way) const noexcept { return ways[static_cast<std::size_t>(way)]; }
  friend bool operator==(const Forecast&, const Forecast&) = default;
};

/// What a session adds to what was measured of a device.
struct Habits {
  double plan_ns = 0;   ///< Planning, per operation: of lists that are made anew.
  double per_wait = 1;  ///< Batches that are launched for one wait.
  /// What launching takes here against what the calibration saw, in a loop that does nothing else: of dispatches as
  /// they are, and of one launch for many. One says nothing of the other.
  std::array<double, 2> pace = {1, 1};

  [[nodiscard]] double pace_of(Way way) const noexcept { return pace[is_one_launch(way) ? 1 : 0]; }

  friend bool operator==(const Habits&, const Habits&) = default;
};

/// Predicts from what was measured. `forms` says of the program of each kind what forms it has; what is kept already is
/// the caller's to know, so that every recording is a setup here.
[[nodiscard]] Forecast forecast(const BatchShape& shape, const Calibration& calibration, const KernelTimes& kernels,
                                std::span<const ProgramForms> forms, const Habits& habits = {});

/// What the same batch in the same way takes without its kernels.
[[nodiscard]] double overhead_ns(const BatchShape& shape, const Calibration& calibration, const Forecast& forecast,
                                 const Habits& habits, Way way);
/// And of that, what does not grow with the number of dispatches.
[[nodiscard]] double fixed_ns(const Calibration& calibration, const Habits& habits, Way way) noexcept;

/// How often a batch came before, and so how often it is expected to come from now on.
struct Appearances {
  std::uint32_t of_shape = 0;
  std::uint32_t of_batch = 0;  ///< Exactly this one.

  friend bool operator==(const Appearances&, const Appearances&) = default;
};

/// The facts of one group of the `kind`th kind of a batch, or of all of them where a chain would be their one launch,
/// for the policies: over all times that the batch is expected to come.
[[nodiscard]] policy::DispatchFacts facts_of(const BatchShape& shape, const Calibration& calibration,
                                             const Forecast& forecast, std::size_t kind, Appearances seen);

/// From how many buffers on a table is used: the measured crossover, or more than there can be.
[[nodiscard]] std::uint32_t bindless_threshold(const Calibration& calibration) noexcept;

/// What a batch comes to whose groups were decided: of the ways that do so, the cheapest as often as it is expected.
[[nodiscard]] Way combine(const Forecast& forecast, Appearances seen, bool any_one_launch, bool any_reuse,
                          bool any_bindless);

/// What the policies, asked for each kind of group, come to for the whole batch. `record` is called with their audit
/// events.
template <typename Recorder>
[[nodiscard]] Way propose(const Forecast& forecast, std::span<const policy::DispatchFacts> facts,
                          std::uint32_t threshold, Appearances seen, Recorder record) {
  bool any_one_launch = false;
  bool any_reuse = false;
  bool any_bindless = false;
  for (const policy::DispatchFacts& each : facts) {
    const policy::DispatchPolicy verdict = policy::evaluate_dispatch_policy(each, record, threshold);
    any_one_launch |= verdict.primary_mode.mode == policy::ExecutionMode::PersistentKernel;
    any_reuse |= verdict.primary_mode.mode == policy::ExecutionMode::CommandReuse;
    any_bindless |= verdict.bindless == policy::BindlessDecision::Bindless;
  }
  return combine(forecast, seen, any_one_launch, any_reuse, any_bindless);
}

}  // namespace vyre::choice
