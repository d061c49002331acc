#include <vyre/runtime/batch_planner.hpp>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_rig.hpp"

namespace vyre::runtime {
namespace {

class BatchPlannerTest : public testing::Test {
 protected:
  /// A batch in which each buffer of `data` is scaled.
  plan::Batch scale(std::initializer_list<BufferView> data) {
    plan::Batch batch;
    batch.gathered_at = ++batches_;
    for (const BufferView& each : data) rig_.gather(batch, rig_.dispatch(scale_, {each}));
    return batch;
  }

  tests::StageRig rig_;
  std::uint32_t scale_ = rig_.add(tests::scale_program());
  BufferView a_ = rig_.buffer(64);
  BufferView b_ = rig_.buffer(64);
  std::uint64_t batches_ = 0;
};

TEST_F(BatchPlannerTest, PutsWhatMustWaitIntoAnotherWave) {
  BatchPlanner planner{rig_.device, false};
  const plan::Batch batch = scale({a_, a_, b_});
  const BatchPlan& planned = planner.plan(batch, 1, rig_.programs);
  EXPECT_EQ(planned.counts.waves, 2);
  EXPECT_EQ(planned.counts.largest_wave, 2);
  EXPECT_EQ(planner.plan(scale({a_, a_, b_}), 2, rig_.programs).counts.arms, 2) << "the buffers are independent";
}

TEST_F(BatchPlannerTest, DoesNotPlanABatchAgainWhosePlanItHas) {
  BatchPlanner planner{rig_.device, true};
  const plan::Batch batch = scale({a_, b_});
  (void)planner.plan(batch, 2, rig_.programs);
  EXPECT_TRUE(planner.take_time().has_value());
  EXPECT_FALSE(planner.take_time().has_value()) << "the time was taken";
  (void)planner.plan(batch, 2, rig_.programs);
  EXPECT_FALSE(planner.take_time().has_value()) << "the plan was there";
  // A plan in two arms is none in one.
  EXPECT_EQ(planner.plan(batch, 1, rig_.programs).counts.arms, 1);
  EXPECT_TRUE(planner.take_time().has_value());
  (void)planner.plan(scale({a_, b_}), 1, rig_.programs);
  EXPECT_TRUE(planner.take_time().has_value()) << "another batch, though it is equal";
}

TEST_F(BatchPlannerTest, TakesTheTimeOnlyIfItIsAsked) {
  BatchPlanner planner{rig_.device, false};
  (void)planner.plan(scale({a_}), 1, rig_.programs);
  EXPECT_FALSE(planner.take_time().has_value());
}

TEST_F(BatchPlannerTest, FindsTheFirstOperationThatMustWaitLonger) {
  BatchPlanner planner{rig_.device, false};
  const plan::Batch batch = scale({a_, b_, a_});
  constexpr std::array<std::uint32_t, 3> kApart = {0, 0, 1};
  constexpr std::array<std::uint32_t, 3> kTogether = {0, 0, 0};
  EXPECT_EQ(planner.find_conflict(batch.list, kApart, rig_.programs), std::nullopt);
  EXPECT_EQ(planner.find_conflict(batch.list, kTogether, rig_.programs), 2);
}

}  // namespace
}  // namespace vyre::runtime
