#include <vyre/runtime/chooser.hpp>

#include <chrono>
#include <memory>

#include <limits>

#include <gtest/gtest.h>

#include "tests/support/stage_rig.hpp"

namespace vyre::runtime {
namespace {

using choice::Way;

class ChooserTest : public testing::Test {
 protected:
  /// A batch of two dispatches; equal numbers make equal batches.
  plan::Batch batch(std::uint32_t groups) {
    plan::Batch made;
    made.gathered_at = ++batches_;
    for (int i = 0; i < 2; ++i) rig_.gather(made, rig_.dispatch(scale_, {data_}, {.groups = {groups, 1, 1}}));
    return made;
  }
  Way decide(Chooser& chooser, const plan::Batch& made, bool is_captured = false, bool is_changed = false) {
    const Decision decision = chooser.decide({.batch = made,
                                              .planner = planner_,
                                              .programs = rig_.programs,
                                              .recordings = recordings_,
                                              .is_captured = is_captured,
                                              .is_changed = is_changed});
    EXPECT_FALSE(decision.reason.empty());
    chooser.note_launch(decision, made);
    return decision.way;
  }
  Way decide(const SessionOptions& options) {
    Chooser chooser{rig_.device, options};
    return decide(chooser, batch(1));
  }

  tests::StageRig rig_;
  std::uint32_t scale_ = rig_.add(tests::scale_program());
  BufferView data_ = rig_.buffer(64);
  BatchPlanner planner_{rig_.device, false};
  RecordingCache recordings_{rig_.device, {.recordings = 4, .bytes = 1 << 20}};
  std::uint64_t batches_ = 0;
};

TEST_F(ChooserTest, APinnedModeIsAlwaysTheAnswer) {
  EXPECT_EQ(decide({.mode = LaunchMode::Plain}), Way::Plain);
  EXPECT_EQ(decide({.mode = LaunchMode::Batched}), Way::Batched);
  EXPECT_EQ(decide({.mode = LaunchMode::Replay}), Way::Replay);
  EXPECT_EQ(decide({.mode = LaunchMode::Bindless}), Way::Table);
}

TEST_F(ChooserTest, ABatchIsKeptWhenItComesForTheSecondTime) {
  Chooser chooser{rig_.device, {}};
  EXPECT_EQ(decide(chooser, batch(1)), Way::Batched);
  EXPECT_EQ(decide(chooser, batch(2)), Way::Batched);
  EXPECT_EQ(decide(chooser, batch(1)), Way::Replay);
  Chooser without{rig_.device, {.max_recordings = 0}};
  EXPECT_EQ(decide(without, batch(1)), Way::Batched);
  EXPECT_EQ(decide(without, batch(1)), Way::Batched) << "no list may be kept";
}

TEST_F(ChooserTest, ACaptureIsReplayedUnlessItIsChanged) {
  Chooser chooser{rig_.device, {.mode = LaunchMode::Batched}};
  EXPECT_EQ(decide(chooser, batch(1), true), Way::Replay);
  EXPECT_EQ(decide(chooser, batch(1), true, true), Way::Batched);
}

TEST_F(ChooserTest, CalibratesOnlyWhereThereIsSomethingToChoose) {
  const SessionOptions at_once{.calibrate_after = std::chrono::nanoseconds{0}};
  Chooser chooser{rig_.device, at_once};
  EXPECT_EQ(chooser.calibration_budget_ns(plan::Batch{}), 0U) << "nothing to launch";
  plan::Batch large = batch(1);
  for (std::uint32_t i = 0; i < policy::kMinPersistentBatch; ++i) rig_.gather(large, rig_.dispatch(scale_, {data_}));
  EXPECT_GT(chooser.calibration_budget_ns(large), 1U << 30);
  EXPECT_EQ((Chooser{rig_.device, {.mode = LaunchMode::Plain}}.calibration_budget_ns(large)), 0U);
  EXPECT_EQ((Chooser{rig_.device, {}}.calibration_budget_ns(large)), 0U)
      << "the program has not worked for long enough";
  chooser.note_lap(500'000'000);
  const Chooser other{rig_.device, {}};
  EXPECT_NEAR(static_cast<double>(other.calibration_budget_ns(large)), 0.05 * 450e6, 1)
      << "sessions of a device share what they know of it";
}

TEST_F(ChooserTest, ChoosesByForecastsOnceTheDeviceIsCalibrated) {
  Chooser chooser{rig_.device, {}};
  ASSERT_TRUE(chooser.calibrate(backend::kForever, std::numeric_limits<std::uint64_t>::max()));
  const plan::Batch large = batch(1);
  EXPECT_EQ(chooser.calibration_budget_ns(large), 0U);
  const Decision decision =
      chooser.decide({.batch = large, .planner = planner_, .programs = rig_.programs, .recordings = recordings_});
  ASSERT_TRUE(decision.used.has_value());
  EXPECT_EQ(decision.used->way, decision.way);
  EXPECT_EQ(decision.kinds.size(), 1);
  EXPECT_NE(chooser.report_of(decision.used->shape, rig_.programs), nullptr);
  chooser.forget_programs();
  EXPECT_FALSE(
      chooser.decide({.batch = large, .planner = planner_, .programs = rig_.programs, .recordings = recordings_})
          .kinds.empty())
      << "the shape is described again";
}

}  // namespace
}  // namespace vyre::runtime
