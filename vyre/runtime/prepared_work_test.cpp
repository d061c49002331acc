#include <vyre/runtime/prepared_work.hpp>

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_rig.hpp"

namespace vyre::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename T>
std::string message(const Result<T>& result) {
  return result ? "" : result.error().message;
}

class PreparedWorkTest : public testing::Test {
 protected:
  CheckedDispatch add(const BufferView& from, const BufferView& to, std::uint32_t bias, std::string_view label = {}) {
    return rig_.dispatch(add_, {from, to}, {.params = params(bias), .label = label});
  }
  /// Captures `b = a + 1`, labelled "first", and `c = b + 2`, labelled "second".
  Capture capture() {
    plan::Batch batch;
    rig_.gather(batch, add(a_, b_, 1));
    rig_.gather(batch, add(b_, c_, 2));
    const BatchPlan& planned = planner_.plan(batch, 1, rig_.programs);
    const std::array<std::string, 2> labels = {"first", "second"};
    return work_.add(batch, *planned.plan, labels, {a_.index, b_.index, c_.index});
  }
  Result<const plan::Batch*> change(const PreparedWork::Changes& changes) {
    return work_.change(*work_.find(captured_).value(), changes, rig_.buffers, rig_.programs, planner_);
  }
  [[nodiscard]] static std::uint32_t bias_of(const plan::Batch& batch, std::size_t i) {
    std::uint32_t bias = 0;
    std::memcpy(&bias, batch.list.params(std::get<backend::Dispatch>(batch.list.commands()[i])).data(), sizeof(bias));
    return bias;
  }

  tests::StageRig rig_;
  std::uint32_t add_ = rig_.add(tests::add_program());
  BufferView a_ = rig_.buffer(64);
  BufferView b_ = rig_.buffer(64);
  BufferView c_ = rig_.buffer(64);
  BufferView d_ = rig_.buffer(64);
  BatchPlanner planner_{rig_.device, false};
  PreparedWork work_{7};
  Capture captured_ = capture();
};

TEST_F(PreparedWorkTest, KeepsACheckedDispatch) {
  const CheckedDispatch given = add(a_, b_, 5, "x");
  const std::uint64_t hash = given.hash;
  const Prepared name = work_.add(given);
  (void)add(c_, d_, 6);  // The check has other things in mind by now.
  const CheckedDispatch kept = work_.find(name).value()->checked();
  EXPECT_EQ(kept.program, add_);
  EXPECT_THAT(kept.buffers, ElementsAre(a_.index, b_.index));
  EXPECT_EQ(kept.params[0], std::byte{5});
  EXPECT_EQ(kept.hash, hash);
  EXPECT_EQ(kept.label, "x");
}

TEST_F(PreparedWorkTest, RefusesNamesThatItDidNotGive) {
  const Prepared name = work_.add(add(a_, b_, 5));
  EXPECT_EQ(message(work_.find(Prepared{.session = 8, .index = name.index})),
            "the prepared dispatch belongs to another session");
  EXPECT_EQ(message(work_.find(Prepared{.session = 7, .index = 9})),
            "prepared dispatch 9 is enqueued, the session made 1");
  EXPECT_EQ(message(work_.find(Capture{.session = 8, .index = 0})), "the capture belongs to another session");
  EXPECT_EQ(message(work_.find(Capture{.session = 7, .index = 4})), "capture 4 is replayed, the session made 1");
}

TEST_F(PreparedWorkTest, EndsWithABufferThatIsFreed) {
  const Prepared first = work_.add(add(a_, b_, 5));
  const Prepared second = work_.add(add(a_, d_, 5));
  EXPECT_TRUE(work_.needs_program(add_));
  work_.forget_buffer(b_.index);
  EXPECT_EQ(message(work_.find(first)), "the prepared dispatch names a buffer that was freed");
  EXPECT_EQ(message(work_.find(captured_)), "the capture names a buffer that was freed");
  EXPECT_TRUE(work_.find(second));
  EXPECT_TRUE(work_.needs_program(add_)) << "the second dispatch still does";
  work_.forget_buffer(a_.index);
  EXPECT_FALSE(work_.needs_program(add_));
}

TEST_F(PreparedWorkTest, ListsTheBuffersOfDispatchesOnce) {
  (void)work_.add(add(a_, b_, 5));
  (void)work_.add(add(b_, c_, 5));
  const std::array<std::uint32_t, 3> both = {0, 1, 0};
  EXPECT_THAT(work_.buffers_of(both), ElementsAre(a_.index, b_.index, c_.index));
}

TEST_F(PreparedWorkTest, ACaptureKnowsTheWaveOfEveryOperation) {
  EXPECT_THAT(work_.find(captured_).value()->waves, ElementsAre(0, 1));
}

TEST_F(PreparedWorkTest, ChangesTheParametersOfALabel) {
  const std::array<CaptureParams, 1> other = {{{.label = "second", .params = params(30U)}}};
  const plan::Batch& original = work_.find(captured_).value()->batch;
  const auto changed = change({.params = other, .number = 12});
  ASSERT_TRUE(changed);
  EXPECT_EQ(bias_of(**changed, 0), 1);
  EXPECT_EQ(bias_of(**changed, 1), 30);
  EXPECT_EQ((*changed)->gathered_at, 12);
  EXPECT_NE((*changed)->hash, original.hash);
  EXPECT_EQ(bias_of(original, 1), 2) << "the capture stays as it was";
}

TEST_F(PreparedWorkTest, RefusesParametersThatTheCaptureDoesNotTake) {
  const std::array<CaptureParams, 1> unknown = {{{.label = "third", .params = params(1U)}}};
  EXPECT_EQ(message(change({.params = unknown})), "the capture has no dispatch labelled 'third'");
  const std::array<CaptureParams, 2> twice = {
      {{.label = "first", .params = params(1U)}, {.label = "first", .params = params(1U)}}};
  EXPECT_EQ(message(change({.params = twice})), "label 'first' is given parameters twice");
  const std::array<CaptureParams, 1> wrong = {{{.label = "first", .params = params(1.0F)}}};
  EXPECT_EQ(message(change({.params = wrong})), "parameter 'bias' is a uint, it is given a float");
}

TEST_F(PreparedWorkTest, PutsAnotherBufferInThePlaceOfACapturedOne) {
  const std::array<CaptureBuffer, 1> other = {{{.from = c_, .to = d_}}};
  const auto changed = change({.buffers = other});
  ASSERT_TRUE(changed);
  const backend::CommandList& list = (*changed)->list;
  EXPECT_EQ(list.ranges(std::get<backend::Dispatch>(list.commands()[1]))[1].buffer, rig_.buffers[d_.index].handle);
}

TEST_F(PreparedWorkTest, RefusesBuffersThatDoNotFitTheCapture) {
  const auto refusal = [&](const BufferView& from, const BufferView& to) {
    const std::array<CaptureBuffer, 1> other = {{{.from = from, .to = to}}};
    const auto changed = change({.buffers = other});
    return changed ? "" : to_string(changed.error());
  };
  EXPECT_THAT(refusal(d_, a_), HasSubstr("the capture does not use the buffer that another is given for"));
  EXPECT_THAT(refusal(c_, d_.bytes(0, 32)), HasSubstr("whole buffers do, of at least the same size"));
  EXPECT_THAT(refusal(c_, rig_.buffer(32)), HasSubstr("of at least the same size"));
  // `b = a + 1` would read what it writes.
  EXPECT_THAT(refusal(a_, b_), HasSubstr("while giving operation 0 other buffers"));
  const std::array<CaptureBuffer, 2> twice = {{{.from = c_, .to = d_}, {.from = c_, .to = d_}}};
  EXPECT_EQ(message(change({.buffers = twice})), "two buffers are given for one of the capture");
}

TEST_F(PreparedWorkTest, RefusesBuffersThatNeedABarrierWhichTheCaptureLacks) {
  // `b = a + 1` and `d = c + 1` run at once; with b in the place of c the second waits for the first.
  plan::Batch batch;
  batch.gathered_at = 1;
  rig_.gather(batch, add(a_, b_, 1));
  rig_.gather(batch, add(c_, d_, 1));
  const BatchPlan& planned = planner_.plan(batch, 1, rig_.programs);
  const std::array<std::string, 2> labels = {};
  captured_ = work_.add(batch, *planned.plan, labels, {a_.index, b_.index, c_.index, d_.index});
  const std::array<CaptureBuffer, 1> other = {{{.from = c_, .to = b_}}};
  EXPECT_THAT(message(change({.buffers = other})), HasSubstr("operation 1 of the capture must wait for one before it"));
}

}  // namespace
}  // namespace vyre::runtime
