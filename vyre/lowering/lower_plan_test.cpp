#include <vyre/lowering/lower_plan.hpp>

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include <vyre/plan/planner.hpp>

namespace vyre::lowering {
namespace {

using backend::BufferHandle;
using backend::BufferRange;
using backend::CommandList;
using backend::Dispatch;
using backend::PipelineHandle;

constexpr PipelineHandle kProgram{.index = 4, .generation = 1};
constexpr PipelineHandle kOther{.index = 9, .generation = 1};

BufferRange range(std::uint32_t buffer) {
  return {.buffer = {.index = buffer, .generation = 1}, .offset = 0, .size = 16};
}

void dispatch(CommandList& list, std::uint32_t from, std::uint32_t to, std::uint32_t groups, PipelineHandle pipeline) {
  const std::array ranges{range(from), range(to)};
  const std::array params{std::byte{7}};
  list.dispatch(pipeline, ranges, {groups, 1, 1}, params);
}

const std::vector<bool>& writes_of(PipelineHandle /*pipeline*/) {
  static const std::vector<bool> kWrites{false, true};
  return kWrites;
}

/// Every dispatch in the pipeline it has in the batch.
void lower_as_written(const plan::Plan& plan, const plan::Arm& arm, const CommandList& batch, CommandList& lowered) {
  lower_arm(plan, arm, batch, lowered,
            [](const plan::Group&) { return [](const Dispatch& dispatch) { return dispatch.pipeline; }; });
}

/// Two dispatches that may run at once, and one that needs the first; a fill stands between them.
CommandList make_batch() {
  CommandList batch;
  dispatch(batch, 0, 1, 1, kProgram);
  dispatch(batch, 1, 2, 2, kProgram);
  batch.fill(range(3), 5);
  dispatch(batch, 0, 4, 3, kProgram);
  return batch;
}

TEST(LowerPlan, PutsABarrierBetweenTwoWaves) {
  const CommandList batch = make_batch();
  plan::Planner planner;
  const plan::Plan& plan = planner.plan(batch, 1, writes_of);
  CommandList lowered;
  lower_as_written(plan, plan.arms.at(0), batch, lowered);
  CommandList expected;
  expected.fill(range(3), 5);
  dispatch(expected, 0, 1, 1, kProgram);
  dispatch(expected, 0, 4, 3, kProgram);
  expected.barrier();
  dispatch(expected, 1, 2, 2, kProgram);
  EXPECT_EQ(lowered, expected);
}

TEST(LowerPlan, GivesEachDispatchThePipelineThatIsChosen) {
  const CommandList batch = make_batch();
  plan::Planner planner;
  const plan::Plan& plan = planner.plan(batch, 1, writes_of);
  CommandList lowered;
  std::vector<std::uint32_t> counts;
  lower_arm(plan, plan.arms.at(0), batch, lowered, [&](const plan::Group& group) {
    counts.push_back(group.count);
    return [](const Dispatch& each) { return each.groups[0] == 3 ? kOther : each.pipeline; };
  });
  EXPECT_EQ(counts, (std::vector<std::uint32_t>{2, 1}));
  CommandList expected;
  expected.fill(range(3), 5);
  dispatch(expected, 0, 1, 1, kProgram);
  dispatch(expected, 0, 4, 3, kOther);
  expected.barrier();
  dispatch(expected, 1, 2, 2, kProgram);
  EXPECT_EQ(lowered, expected);
}

TEST(LowerPlan, LowersEachArmByItself) {
  CommandList batch;
  batch.fill(range(0), 1);
  batch.fill(range(1), 2);
  batch.fill(range(0), 3);
  plan::Planner planner;
  const plan::Plan& plan = planner.plan(batch, 2, writes_of);
  ASSERT_EQ(plan.arms.size(), 2);
  std::array<CommandList, 2> lowered;
  for (std::size_t i = 0; i < 2; ++i) lower_as_written(plan, plan.arms[i], batch, lowered[i]);
  std::array<CommandList, 2> expected;
  expected[0].fill(range(0), 1);
  expected[0].barrier();
  expected[0].fill(range(0), 3);
  expected[1].fill(range(1), 2);
  EXPECT_EQ(lowered, expected);
}

}  // namespace
}  // namespace vyre::lowering
