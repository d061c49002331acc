#include <vyre/runtime/batch_description.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/runtime/batch_planner.hpp>

#include "tests/support/stage_rig.hpp"

namespace vyre::runtime {
namespace {

class BatchDescriptionTest : public testing::Test {
 protected:
  void scale(const BufferView& data, std::uint32_t groups = 1) {
    rig_.gather(batch_, rig_.dispatch(scale_, {data}, {.groups = {groups, 1, 1}}));
  }
  /// Describes what was gathered; the next batch begins.
  BatchDescription describe_batch() {
    batch_.gathered_at = ++batches_;
    BatchDescription description;
    describe(*planner_.plan(batch_, 1, rig_.programs).plan, batch_, rig_.programs, description);
    batch_.clear();
    return description;
  }

  tests::StageRig rig_;
  BatchPlanner planner_{rig_.device, false};
  std::uint32_t scale_ = rig_.add(tests::scale_program());
  std::uint32_t add_ = rig_.add(tests::add_program());
  BufferView a_ = rig_.buffer(256);
  BufferView b_ = rig_.buffer(256);
  plan::Batch batch_;
  std::uint64_t batches_ = 0;
};

TEST_F(BatchDescriptionTest, CountsWhatABatchConsistsOf) {
  scale(a_, 5);
  scale(b_, 7);
  scale(a_);
  batch_.add(backend::Fill{.range = {.buffer = rig_.buffers[b_.index].handle, .size = 64}, .pattern = 0});
  const BatchDescription description = describe_batch();
  const choice::BatchShape& shape = description.shape;
  EXPECT_EQ(shape.dispatches, 3);
  EXPECT_EQ(shape.barriers, 2);
  EXPECT_EQ(shape.copies, 1);
  EXPECT_EQ(shape.copied_bytes, 64);
  // Two dispatches at once, of up to 7 workgroups, one dispatch of one workgroup behind a barrier, and the fill.
  ASSERT_EQ(description.kinds.size(), 2);
  EXPECT_EQ(description.kinds[0], (ShapeKind{.program = scale_, .count = 2, .size_class = choice::size_class(7)}));
  EXPECT_EQ(description.kinds[1], (ShapeKind{.program = scale_, .count = 1, .size_class = choice::size_class(1)}));
  EXPECT_EQ(shape.kinds.size(), 2);
}

TEST_F(BatchDescriptionTest, TheShapeIsTheSameForOtherBuffersAndParametersAndSimilarSizes) {
  const auto key_of = [&](const BufferView& data, std::uint32_t groups) {
    scale(data, groups);
    return describe_batch().shape.key;
  };
  EXPECT_EQ(key_of(a_, 4), key_of(b_, 4));
  EXPECT_EQ(key_of(a_, 4), key_of(a_, 7)) << "4 and 7 workgroups are of one class";
  EXPECT_NE(key_of(a_, 4), key_of(a_, 8));
}

TEST_F(BatchDescriptionTest, TheShapeDependsOnProgramsOrderAndBarriers) {
  scale(a_);
  scale(b_);
  const std::uint64_t at_once = describe_batch().shape.key;
  scale(a_);
  scale(a_);
  const std::uint64_t in_order = describe_batch().shape.key;
  EXPECT_NE(at_once, in_order);
  rig_.gather(batch_, rig_.dispatch(add_, {a_, b_}, {.params = params(1U)}));
  scale(b_);
  const BatchDescription two_programs = describe_batch();
  EXPECT_NE(two_programs.shape.key, in_order);
  EXPECT_EQ(two_programs.shape.stretches, 2);
  EXPECT_EQ(two_programs.shape.inner_barriers, 0) << "the barrier is between two programs";
}

TEST_F(BatchDescriptionTest, ABarrierWithinAStretchIsInner) {
  scale(a_);
  scale(a_);
  scale(a_);
  const BatchDescription description = describe_batch();
  EXPECT_EQ(description.shape.stretches, 1);
  EXPECT_EQ(description.shape.inner_barriers, 2);
  ASSERT_EQ(description.shape.kinds.size(), 1);
  EXPECT_EQ(description.shape.kinds[0].groups, 3);
}

TEST_F(BatchDescriptionTest, KindsBeyondTheLimitCountAsTheLast) {
  // Dispatches of the same buffer wait for each other; each has another class of sizes, as far as there are classes.
  for (std::uint32_t count = 1; count <= 40; ++count) {
    for (std::uint32_t i = 0; i < count; ++i) scale(a_.bytes(16 * (i % 16), 16), 1U << (count % 16));
    scale(a_);
  }
  const BatchDescription description = describe_batch();
  EXPECT_LE(description.kinds.size(), 32);
  EXPECT_EQ(description.kinds.size(), description.shape.kinds.size());
}

}  // namespace
}  // namespace vyre::runtime
