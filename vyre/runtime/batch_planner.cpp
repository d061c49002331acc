#include <vyre/runtime/batch_planner.hpp>

namespace vyre::runtime {
namespace {

/// Planning is timed for this number of first batches, and then for one batch in `kTimedPlans`: enough for an average.
constexpr std::uint64_t kTimedAtFirst = 64;
constexpr std::uint64_t kTimedPlans = 16;

}  // namespace

const BatchPlan& BatchPlanner::plan(const plan::Batch& batch, std::size_t max_arms, const ProgramTable& programs) {
  const bool fits = max_arms == max_arms_ || (max_arms < max_arms_ && planned_.counts.arms <= max_arms);
  if (planned_.plan != nullptr && planned_for_ == batch.plan_name() && fits) return planned_;
  ++batches_;
  const bool is_timed = is_timed_ && (batches_ < kTimedAtFirst || batches_ % kTimedPlans == 1);
  const std::uint64_t begin = is_timed ? device_->now_ns() : 0;
  const plan::Plan& made = planner_.plan(batch.list, max_arms, programs.writes_of());
  planned_ = {.plan = &made, .counts = made.counts()};
  planned_for_ = batch.plan_name();
  max_arms_ = max_arms;
  planning_ns_.reset();
  if (is_timed) planning_ns_ = device_->now_ns() - begin;
  return planned_;
}

}  // namespace vyre::runtime
