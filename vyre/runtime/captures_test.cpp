#include <vyre/runtime/captures.hpp>

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

class CapturesTest : public testing::Test {
 protected:
  CheckedDispatch add(const BufferView& from, const BufferView& to, std::uint32_t bias, std::string_view label = {}) {
    return rig_.dispatch(add_, {from, to}, {.params = params(bias), .label = label});
  }
  void gather(const BufferView& from, const BufferView& to, std::uint32_t bias, std::string_view label = {}) {
    const CheckedDispatch dispatch = add(from, to, bias, label);
    for (const BufferView& each : {from, to}) rig_.buffers.note_use(each.index, 0, each.size, builder_.number());
    builder_.add(dispatch, rig_.programs[add_].pipeline, BatchBuilder::kNotPrepared);
  }
  void transfer(const CapturedTransfer& each) {
    rig_.buffers.note_use(each.view.index, each.view.offset, each.view.size, builder_.number());
    builder_.add(each);
  }
  /// Captures what `gather` and `transfer` add in `body`.
  template <typename Body>
  Capture capture(const Body& body) {
    builder_.begin_capture();
    body();
    const BatchPlan& planned = planner_.plan(builder_.batch(), 1, rig_.programs);
    const Capture made = captures_.add(builder_, *planned.plan, rig_.buffers, rig_.programs);
    builder_.end_capture();
    builder_.next();
    return made;
  }
  /// Captures `b = a + 1`, labelled "first", and `c = b + 2`, labelled "second".
  Capture capture() {
    return capture([&] {
      gather(a_, b_, 1, "first");
      gather(b_, c_, 2, "second");
    });
  }
  CapturedBatch& captured() { return *captures_.find(captured_).value(); }
  Result<const plan::Batch*> change(const CaptureChanges& changes, std::uint64_t number = 12) {
    return Captures::change(captured(), changes, number, rig_.buffers, rig_.programs, planner_);
  }
  /// Whether its hash is the one that its operations have.
  [[nodiscard]] static bool has_right_hash(const plan::Batch& batch) {
    plan::Batch again = batch;
    again.rehash();
    return again.hash == batch.hash;
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
  BatchBuilder builder_{64};
  Captures captures_{7};
  Capture captured_ = capture();
};

TEST_F(CapturesTest, ACaptureKnowsTheWaveOfEveryOperation) { EXPECT_THAT(captured().waves, ElementsAre(0, 1)); }

TEST_F(CapturesTest, ChangesTheParametersOfALabel) {
  const std::array<CaptureParams, 1> other = {{{.label = "second", .params = params(30U)}}};
  const plan::Batch& original = captured().batch;
  const auto changed = change({.params = other});
  ASSERT_TRUE(changed);
  EXPECT_EQ(bias_of(**changed, 0), 1);
  EXPECT_EQ(bias_of(**changed, 1), 30);
  EXPECT_EQ((*changed)->gathered_at, 12);
  EXPECT_NE((*changed)->hash, original.hash);
  EXPECT_TRUE(has_right_hash(**changed));
  EXPECT_EQ((*changed)->plan_name(), original.plan_name()) << "parameters change no plan";
  EXPECT_EQ(bias_of(original, 1), 2) << "the capture stays as it was";
}

TEST_F(CapturesTest, RefusesParametersThatTheCaptureDoesNotTake) {
  const std::array<CaptureParams, 1> unknown = {{{.label = "third", .params = params(1U)}}};
  EXPECT_EQ(message(change({.params = unknown})), "the capture has no dispatch labelled 'third'");
  const std::array<CaptureParams, 2> twice = {
      {{.label = "first", .params = params(1U)}, {.label = "first", .params = params(1U)}}};
  EXPECT_EQ(message(change({.params = twice})), "label 'first' is given parameters twice");
  const std::array<CaptureParams, 1> wrong = {{{.label = "first", .params = params(1.0F)}}};
  EXPECT_EQ(message(change({.params = wrong})), "parameter 'bias' is a uint, it is given a float");
}

TEST_F(CapturesTest, PutsAnotherBufferInThePlaceOfACapturedOne) {
  const std::array<CaptureBuffer, 1> other = {{{.from = c_, .to = d_}}};
  const auto changed = change({.buffers = other});
  ASSERT_TRUE(changed);
  const backend::CommandList& list = (*changed)->list;
  EXPECT_EQ(list.ranges(std::get<backend::Dispatch>(list.commands()[1]))[1].buffer, rig_.buffers[d_.index].handle);
}

TEST_F(CapturesTest, RefusesBuffersThatDoNotFitTheCapture) {
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

TEST_F(CapturesTest, RefusesBuffersThatNeedABarrierWhichTheCaptureLacks) {
  // `b = a + 1` and `d = c + 1` run at once; with b in the place of c the second waits for the first.
  captured_ = capture([&] {
    gather(a_, b_, 1);
    gather(c_, d_, 1);
  });
  const std::array<CaptureBuffer, 1> other = {{{.from = c_, .to = b_}}};
  EXPECT_THAT(message(change({.buffers = other})), HasSubstr("operation 1 of the capture must wait for one before it"));
}

TEST_F(CapturesTest, AChangeStartsFromWhatWasCaptured) {
  const std::array<CaptureParams, 1> first = {{{.label = "first", .params = params(10U)}}};
  const std::array<CaptureParams, 1> second = {{{.label = "second", .params = params(20U)}}};
  const std::array<CaptureParams, 1> wrong = {{{.label = "second", .params = params(1.0F)}}};
  const std::array<CaptureBuffer, 1> other = {{{.from = c_, .to = d_}}};
  ASSERT_TRUE(change({.params = first}));
  const plan::Batch* changed = change({.params = second}).value();
  EXPECT_EQ(bias_of(*changed, 0), 1) << "the label was not given again";
  EXPECT_EQ(bias_of(*changed, 1), 20);
  EXPECT_TRUE(has_right_hash(*changed));
  ASSERT_TRUE(change({.params = first, .buffers = other}));
  EXPECT_NE(changed->plan_name(), captured().batch.plan_name());
  changed = change({.params = second}).value();
  EXPECT_EQ(bias_of(*changed, 0), 1);
  EXPECT_EQ(changed->list.ranges(std::get<backend::Dispatch>(changed->list.commands()[1]))[1].buffer,
            rig_.buffers[c_.index].handle);
  EXPECT_FALSE(change({.params = wrong}));
  changed = change({.params = first}).value();
  EXPECT_EQ(bias_of(*changed, 1), 2) << "a refused change leaves nothing";
  EXPECT_TRUE(has_right_hash(*changed));
}

TEST_F(CapturesTest, ALabelChangesAllItsDispatches) {
  captured_ = capture([&] {
    gather(a_, b_, 1, "all");
    gather(b_, c_, 2);
    gather(c_, d_, 3, "all");
  });
  const std::array<CaptureParams, 1> other = {{{.label = "all", .params = params(9U)}}};
  const plan::Batch* changed = change({.params = other}).value();
  EXPECT_EQ(bias_of(*changed, 0), 9);
  EXPECT_EQ(bias_of(*changed, 1), 2);
  EXPECT_EQ(bias_of(*changed, 2), 9);
  EXPECT_TRUE(has_right_hash(*changed));
  const std::array<CaptureParams, 1> none = {{{.label = "", .params = params(9U)}}};
  EXPECT_EQ(message(change({.params = none})), "the capture has no dispatch labelled ''");
}

TEST_F(CapturesTest, TransfersDivideTheOperations) {
  std::array<std::byte, 64> host = {};
  captured_ = capture([&] {
    transfer({.view = a_, .is_write = true, .from = host});
    gather(a_, b_, 1);
    gather(a_, b_, 2);
    transfer({.view = b_, .to = host});
    transfer({.view = d_, .is_write = true, .from = host});
    builder_.add(backend::Copy{.from = rig_.buffers[b_.index].handle, .to = rig_.buffers[c_.index].handle, .size = 4});
    rig_.buffers.note_use(c_.index, 0, 4, builder_.number());
  });
  const CapturedBatch& made = captured();
  ASSERT_EQ(made.parts.size(), 2U);
  EXPECT_EQ(made.parts[0].operations.end, 2U);
  EXPECT_THAT(made.parts[0].operations.dispatches, ElementsAre(2));
  EXPECT_THAT(made.parts[0].buffers, ElementsAre(a_.index, b_.index));
  EXPECT_THAT(made.parts[0].writes, ElementsAre(CapturedPart::Range{.buffer = b_.index, .offset = 0, .size = 64}));
  EXPECT_EQ(made.parts[1].operations.begin, 2U);
  EXPECT_EQ(made.parts[1].operations.end, 3U);
  EXPECT_THAT(made.parts[1].writes, ElementsAre(CapturedPart::Range{.buffer = c_.index, .offset = 0, .size = 4}));
  EXPECT_THAT(made.buffers, ElementsAre(a_.index, b_.index, c_.index, d_.index)) << "the buffers of transfers, too";
  EXPECT_EQ(made.transfers[1].before, 2U);
}

TEST_F(CapturesTest, OtherHostMemoryIsForAViewThatIsTransferred) {
  std::array<std::byte, 64> host = {};
  std::array<std::byte, 64> other = {};
  captured_ = capture([&] {
    transfer({.view = a_, .is_write = true, .from = host});
    gather(a_, b_, 1);
    transfer({.view = b_, .to = host});
  });
  const auto refusal = [&](const CaptureBytes& bytes) {
    return message(Captures::check_bytes(captured(), {&bytes, 1}));
  };
  EXPECT_EQ(refusal({.view = a_, .from = other}), "");
  EXPECT_EQ(refusal({.view = b_, .to = other}), "");
  EXPECT_EQ(refusal({.view = b_, .from = other}), "the capture does not write the view that host memory is given for");
  EXPECT_EQ(refusal({.view = a_.bytes(0, 32), .from = other}),
            "the capture does not write the view that host memory is given for");
  EXPECT_EQ(refusal({.view = b_, .to = std::span{other}.first(32)}),
            "32 bytes of host memory are given for a view of 64 that the capture reads");
  EXPECT_EQ(refusal({.view = b_}), "no host memory is given for a view of the capture");
  const std::array<CaptureBytes, 1> bytes = {{{.view = a_, .from = other}}};
  const std::array<CaptureBuffer, 1> buffers = {{{.from = a_, .to = d_}}};
  const CaptureChanges changes{.buffers = buffers, .bytes = bytes};
  EXPECT_EQ(changes.source_of(captured().transfers[0]).data(), other.data());
  EXPECT_EQ(changes.target_of(captured().transfers[1]).data(), host.data());
  EXPECT_EQ(changes.view_for(a_.bytes(16, 8)), d_.bytes(16, 8));
  EXPECT_EQ(changes.buffer_for(b_.index), b_.index);
}

TEST_F(CapturesTest, RefusesNamesThatItDidNotGive) {
  EXPECT_EQ(message(captures_.find({.session = 8, .index = 0})), "the capture belongs to another session");
  EXPECT_EQ(message(captures_.find({.session = 7, .index = 4})), "capture 4 is replayed, the session made 1");
}

TEST_F(CapturesTest, EndsWithABufferThatIsFreed) {
  EXPECT_TRUE(captures_.needs_program(add_));
  captures_.forget_buffer(d_.index);
  EXPECT_TRUE(captures_.find(captured_));
  captures_.forget_buffer(b_.index);
  EXPECT_EQ(message(captures_.find(captured_)), "the capture names a buffer that was freed");
  EXPECT_FALSE(captures_.needs_program(add_));
}

}  // namespace
}  // namespace vyre::runtime
