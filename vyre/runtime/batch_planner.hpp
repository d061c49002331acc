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

/// The plan of a batch.
struct BatchPlan {
  const plan::Plan* plan = nullptr;  ///< Until another batch is planned.
  plan::PlanCounts counts = {};
};

/// Plans batches, each when a stage first asks for its plan; a batch whose plan is at hand is not planned again.
///
/// Thread safety: one thread at a time; the device outlives this.
class BatchPlanner {
 public:
  /// `is_timed`: whether to time the planning of the first batches, and of some batches after that. `rule`: D2's
  /// answers.
  BatchPlanner(backend::Device& device, bool is_timed, const plan::WaitRule& rule = plan::WaitRule::ask())
      : device_{&device}, is_timed_{is_timed}, planner_{rule} {}

  /// The plan of a batch, in up to `max_arms` arms.
  [[nodiscard]] const BatchPlan& plan(const plan::Batch& batch, std::size_t max_arms, const ProgramTable& programs);
  /// The time that planning the last batch took, if it was measured and not given yet.
  [[nodiscard]] std::optional<std::uint64_t> take_time() noexcept { return std::exchange(planning_ns_, std::nullopt); }
  /// The first operation of `list` that may not run in the wave that `waves` gives it, see `plan::Planner`.
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
