#include <vyre/runtime/batch_builder.hpp>

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_rig.hpp"

namespace vyre::runtime {
namespace {

using testing::ElementsAre;

class BatchBuilderTest : public testing::Test {
 protected:
  /// Adds a dispatch of the program `add` with a number to add.
  void add(std::uint32_t bias, std::uint32_t prepared = BatchBuilder::kNotPrepared, std::string_view label = {}) {
    const DispatchOptions options{.params = params(bias), .label = label};
    builder_.add(rig_.dispatch(add_, {from_, to_}, options), rig_.programs[add_].pipeline, prepared);
  }
  [[nodiscard]] std::size_t operations() const { return builder_.batch().list.commands().size(); }

  tests::StageRig rig_;
  std::uint32_t add_ = rig_.add(tests::add_program());
  BufferView from_ = rig_.buffer(256);
  BufferView to_ = rig_.buffer(256);
  BatchBuilder builder_{3};
};

TEST_F(BatchBuilderTest, GathersOperationsUntilTheBatchIsFull) {
  EXPECT_EQ(builder_.number(), 1);
  EXPECT_TRUE(builder_.empty());
  add(1);
  builder_.add(backend::Fill{.range = {.buffer = rig_.buffers[to_.index].handle}, .pattern = 7});
  EXPECT_EQ(builder_.room(), 1);
  EXPECT_FALSE(builder_.is_full());
  builder_.add(
      backend::Copy{.from = rig_.buffers[from_.index].handle, .to = rig_.buffers[to_.index].handle, .size = 4});
  EXPECT_TRUE(builder_.is_full());
  EXPECT_EQ(builder_.batch().copies, 1);
  EXPECT_EQ(builder_.batch().fills, 1);
  EXPECT_THAT(builder_.batch().dispatches, ElementsAre(1));
  builder_.next();
  EXPECT_EQ(builder_.number(), 2);
  EXPECT_TRUE(builder_.empty());
}

TEST_F(BatchBuilderTest, EqualOperationsMakeBatchesOfEqualHashes) {
  std::vector<std::uint64_t> hashes;
  for (const std::uint32_t bias : {1U, 1U, 2U}) {
    add(bias);
    add(5);
    hashes.push_back(builder_.batch().hash);
    builder_.next();
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_NE(hashes[0], hashes[2]);
}

TEST_F(BatchBuilderTest, ManyDispatchesAreTheSameAsOneByOne) {
  add(1);
  add(2);
  const plan::Batch one_by_one = builder_.batch();
  builder_.next();
  const std::array<BufferView, 2> views = {from_, to_};
  const std::array items = {DispatchItem{.buffers = views, .params = params(1U)},
                            DispatchItem{.buffers = views, .params = params(2U)}};
  ASSERT_TRUE(rig_.check.check_items(rig_.programs[add_], rig_.buffers, items));
  builder_.add(rig_.programs[add_], add_, rig_.buffers, items, rig_.check.item_params());
  EXPECT_EQ(builder_.batch().list, one_by_one.list);
  EXPECT_EQ(builder_.batch().hash, one_by_one.hash);
}

TEST_F(BatchBuilderTest, RecognisesManyDispatchesThatAreTheBatchBefore) {
  const std::array<BufferView, 2> views = {from_, to_};
  std::array items = {DispatchItem{.buffers = views, .params = params(1U)},
                      DispatchItem{.buffers = views, .params = params(2U)}};
  const CompiledProgram& program = rig_.programs[add_];
  EXPECT_FALSE(builder_.is_previous(program, rig_.buffers, items)) << "there is no batch before";
  ASSERT_TRUE(rig_.check.check_items(program, rig_.buffers, items));
  builder_.add(program, add_, rig_.buffers, items, rig_.check.item_params());
  builder_.next();
  ASSERT_TRUE(builder_.is_previous(program, rig_.buffers, items));
  EXPECT_THAT(builder_.buffers_again(), ElementsAre(from_.index, to_.index));

  EXPECT_FALSE(builder_.is_previous(program, rig_.buffers, std::span{items}.first(1))) << "a part of it";
  items[1].params = params(3U);
  EXPECT_FALSE(builder_.is_previous(program, rig_.buffers, items)) << "other parameters";
  items[1].params = params(2U);
  items[1].groups = {2, 1, 1};
  EXPECT_FALSE(builder_.is_previous(program, rig_.buffers, items)) << "other workgroups";
  items[1].groups = {};
  const std::array<BufferView, 2> others = {from_, to_.bytes(0, 64)};
  items[1].buffers = others;
  EXPECT_FALSE(builder_.is_previous(program, rig_.buffers, items)) << "other views";
  items[1].buffers = views;
  ASSERT_TRUE(builder_.is_previous(program, rig_.buffers, items));

  builder_.take_previous();
  EXPECT_EQ(operations(), 2);
  EXPECT_FALSE(builder_.is_previous(program, rig_.buffers, items)) << "something is gathered already";
}

TEST_F(BatchBuilderTest, CountsPreparedDispatchesThatComeAgain) {
  add(1, 10);
  add(2, 11);
  builder_.next();
  EXPECT_TRUE(builder_.repeat(10));
  EXPECT_TRUE(builder_.has_repeated());
  EXPECT_FALSE(builder_.has_repeated_all());
  EXPECT_TRUE(builder_.empty()) << "what was counted is not gathered yet";
  EXPECT_TRUE(builder_.repeat(11));
  EXPECT_FALSE(builder_.repeat(10)) << "the batch before had no third";
  ASSERT_TRUE(builder_.has_repeated_all());
  EXPECT_FALSE(builder_.is_full_of_repeated());
  const std::uint64_t number = builder_.number();
  builder_.take_previous();
  EXPECT_EQ(operations(), 2);
  EXPECT_EQ(builder_.number(), number);
}

TEST_F(BatchBuilderTest, GivesBackWhatWasCountedWhereTheBatchTurnsOutToBeAnother) {
  add(1, 10);
  add(2, 11);
  builder_.next();
  ASSERT_TRUE(builder_.repeat(10));
  EXPECT_FALSE(builder_.repeat(12));
  EXPECT_THAT(builder_.take_repeated(), ElementsAre(10));
  EXPECT_FALSE(builder_.has_repeated());
  EXPECT_FALSE(builder_.repeat(11)) << "the batch is gathered one by one from here on";
}

TEST_F(BatchBuilderTest, ABatchWithOtherOperationsIsNotCounted) {
  add(1, 10);
  add(2);
  builder_.next();
  EXPECT_FALSE(builder_.repeat(10));
  add(1, 10);
  builder_.next();
  builder_.forget_previous();
  EXPECT_FALSE(builder_.repeat(10)) << "the batch before was forgotten";
}

TEST_F(BatchBuilderTest, KeepsTheBuffersOfTheBatchBefore) {
  add(1, 10);
  builder_.next();
  EXPECT_TRUE(builder_.buffers_again().empty());
  EXPECT_THAT(builder_.prepared_again(), ElementsAre(10));
  builder_.keep_buffers({3, 4});
  EXPECT_THAT(builder_.buffers_again(), ElementsAre(3, 4));
}

TEST_F(BatchBuilderTest, ACaptureHasLabelsAndMayBeLongerThanABatch) {
  builder_.begin_capture();
  for (std::uint32_t i = 0; i < 5; ++i) add(i, BatchBuilder::kNotPrepared, i == 2 ? "third" : "");
  EXPECT_TRUE(builder_.is_capturing());
  EXPECT_FALSE(builder_.is_full());
  EXPECT_THAT(builder_.labels(), ElementsAre("", "", "third", "", ""));
  EXPECT_TRUE(builder_.check_room(kMaxOperations - 5));
  const Result<void> refused = builder_.check_room(kMaxOperations);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the capture has 5 operations and is given 16777216 more, the limit is 16777216");
  builder_.end_capture();
  EXPECT_TRUE(builder_.labels().empty());
  EXPECT_TRUE(builder_.check_room(kMaxOperations)) << "a batch is launched when it is full";
}

TEST_F(BatchBuilderTest, HoldsACapturedBatchThatIsAllOfTheBatchAtHand) {
  builder_.begin_capture();
  for (std::uint32_t bias = 1; bias <= 5; ++bias) add(bias);
  const plan::Batch captured = builder_.batch();
  builder_.end_capture();
  builder_.next();
  const plan::BatchPart first{.begin = 0, .end = 2, .dispatches = {2}};
  const plan::BatchPart second{.begin = 2, .end = 5, .dispatches = {3}};
  builder_.add(captured, first);
  EXPECT_FALSE(builder_.holds(captured));
  builder_.add(captured, second);
  EXPECT_TRUE(builder_.holds(captured));
  EXPECT_EQ(operations(), 0U) << "nothing is copied";
  builder_.next();

  builder_.add(captured, first);
  const backend::Copy copy{.from = rig_.buffers[from_.index].handle, .to = rig_.buffers[to_.index].handle, .size = 4};
  builder_.add(copy);
  EXPECT_FALSE(builder_.holds(captured));
  builder_.add(captured, second);
  EXPECT_FALSE(builder_.holds(captured));
  EXPECT_EQ(operations(), 6U);
  EXPECT_TRUE(builder_.is_full());
  EXPECT_THAT(builder_.batch().dispatches, ElementsAre(5));
  EXPECT_EQ(builder_.batch().copies, 1U);
  const std::uint64_t hash = builder_.batch().hash;
  builder_.next();
  add(1);
  add(2);
  builder_.add(copy);
  for (std::uint32_t bias = 3; bias <= 5; ++bias) add(bias);
  EXPECT_EQ(builder_.batch().hash, hash) << "as if they had been added one by one";
}

TEST_F(BatchBuilderTest, CountsManyPreparedDispatchesAtOnce) {
  BatchBuilder builder{8};
  const auto add_to = [&](std::uint32_t bias, std::uint32_t prepared) {
    builder.add(rig_.dispatch(add_, {from_, to_}, {.params = params(bias)}), rig_.programs[add_].pipeline, prepared);
  };
  for (std::uint32_t i = 0; i < 3; ++i) add_to(i, i);
  builder.next();
  const auto named = [](std::uint32_t index) { return Prepared{.session = 7, .index = index}; };
  const std::array first = {named(0), named(1)};
  const std::array last = {named(2)};
  EXPECT_FALSE(builder.repeat(first, 8)) << "of another session";
  EXPECT_FALSE(builder.repeat(last, 7)) << "the first is another";
  EXPECT_TRUE(builder.repeat(first, 7));
  EXPECT_FALSE(builder.repeat(first, 7)) << "more than the batch before has";
  EXPECT_FALSE(builder.has_repeated_all());
  EXPECT_TRUE(builder.repeat(last, 7));
  EXPECT_TRUE(builder.has_repeated_all());
  BatchBuilder small{3};
  EXPECT_FALSE(small.repeat(first, 7)) << "nothing came before";
}

}  // namespace
}  // namespace vyre::runtime
