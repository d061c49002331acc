#include <vyre/runtime/group_timer.hpp>

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_rig.hpp"

namespace vyre::runtime {
namespace {

using testing::ElementsAre;

class GroupTimerTest : public testing::Test {
 protected:
  void dispatch(backend::CommandList& list, std::uint32_t groups) {
    const CheckedDispatch checked = rig_.dispatch(scale_, {data_}, {.groups = {groups, 1, 1}});
    list.dispatch(rig_.programs[scale_].pipeline, checked.ranges, checked.groups, checked.params);
  }

  tests::StageRig rig_{{.costs = {.start_ns = 700, .dispatch_ns = 100, .group_ns = 10, .barrier_ns = 50}}};
  std::uint32_t scale_ = rig_.add(tests::scale_program());
  BufferView data_ = rig_.buffer(64);
  GroupTimer timer_;
};

TEST_F(GroupTimerTest, MeasuresEachGroup) {
  ASSERT_TRUE(timer_.begin(rig_.device, 5));
  EXPECT_EQ(timer_.batch(), 5);
  EXPECT_FALSE(timer_.begin(rig_.device, 6)) << "a list is pending";
  backend::CommandList list;
  ASSERT_TRUE(timer_.begin_group(list, 0, 1));
  dispatch(list, 4);
  timer_.end_group(list);
  list.barrier();
  ASSERT_TRUE(timer_.begin_group(list, 2, 1));
  dispatch(list, 9);
  timer_.end_group(list);
  timer_.drop_group();
  list.barrier();
  ASSERT_TRUE(timer_.begin_group(list, 1, 2));
  dispatch(list, 1);
  dispatch(list, 2);
  timer_.end_group(list);
  ASSERT_TRUE(rig_.device.wait(rig_.device.submit(list).value()));
  EXPECT_THAT(timer_.completed(), ElementsAre(GroupTime{.kind = 0, .dispatches = 1, .ns = 140},
                                              GroupTime{.kind = 1, .dispatches = 2, .ns = 230}));
  EXPECT_EQ(timer_.batch(), 0);
  timer_.free(rig_.device);
}

TEST_F(GroupTimerTest, MeasuresAFewGroupsOfAKind) {
  ASSERT_TRUE(timer_.begin(rig_.device, 1));
  backend::CommandList list;
  std::uint32_t measured = 0;
  for (int i = 0; i < 100; ++i) {
    if (!timer_.begin_group(list, 3, 1)) continue;
    ++measured;
    timer_.end_group(list);
  }
  EXPECT_EQ(measured, GroupTimer::kMostOfKind);
  EXPECT_TRUE(timer_.begin_group(list, 4, 1)) << "another kind";
  timer_.cancel();
  EXPECT_TRUE(timer_.begin(rig_.device, 2)) << "the list before was not launched";
  EXPECT_TRUE(timer_.completed().empty());
  timer_.free(rig_.device);
}

}  // namespace
}  // namespace vyre::runtime
