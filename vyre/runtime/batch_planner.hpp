#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <vyre/backend/device.hpp>
#include <vyre/plan/batch.hpp>
#include <vyre/plan/planner.hpp>
#include <vyre/runtime/program_table.hpp>

namespace vyre::runtime {

/// The plan of a batch, and what was measured of it.
struct BatchPlan {
  const plan::Plan* plan = nullptr;  ///< Valid until another batch is planned.
  plan::PlanCounts counts = {};
};

/// Plans batches. Keeps the plan of the last batch, so that several stages can ask for it and it is made once.
///
/// Thread safety: one thread at a time; the device outlives this.
class BatchPlanner {
 public:
  /// `is_timed`: whether to measure how long planning takes. `rule`: which operations must wait for which, as D2
  /// answers.
  BatchPlanner(backend::Device& device, bool is_timed, const plan::WaitRule& rule = plan::WaitRule::ask())
      : device_{&device}, is_timed_{is_timed}, planner_{rule} {}

  /// The plan of a batch, in up to `max_arms` arms.
  [[nodiscard]] const BatchPlan& plan(const plan::Batch& batch, std::size_t max_arms, const ProgramTable& programs);
  /// The time that planning the last batch took. Nothing if it was not measured, or was given by an earlier call.
  [[nodiscard]] std::optional<std::uint64_t> take_time() noexcept { return std::exchange(planning_ns_, std::nullopt); }
  /// The first operation of `list` that may not run in the wave that `waves` has for it. See
  /// `plan::Planner::find_conflict`.
  [[nodiscard]] std::optional<std::uint32_t> find_conflict(const backend::CommandList& list,
                                                           std::span<const std::uint32_t> waves,
                                                           const ProgramTable& programs) {
    return planner_.find_conflict(list, waves, programs.writes_of());
  }

 private:
  backend::Device* device_;
  bool is_timed_;
  plan::Planner planner_;
  BatchPlan planned_ = {};
  plan::Batch::Name planned_for_ = {};
  std::size_t max_arms_ = 0;
  std::optional<std::uint64_t> planning_ns_ = {};
  std::uint64_t batches_ = 0;
};

}  // namespace vyre::runtime
