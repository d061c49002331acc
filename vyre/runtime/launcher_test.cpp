#include <vyre/runtime/launcher.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_rig.hpp"

namespace vyre::runtime {
namespace {

using choice::Way;
using program::FormKind;
using testing::Each;
using testing::ElementsAre;
using How = Launched::How;

class LauncherTest : public testing::Test {
 protected:
  /// A batch that scales buffers one after another, each number as often as its buffer is named.
  plan::Batch scale(std::initializer_list<BufferView> data) {
    plan::Batch batch;
    batch.gathered_at = ++batches_;
    for (const BufferView& each : data) rig_.gather(batch, rig_.dispatch(scale_, {each}, {.groups = {4, 1, 1}}));
    return batch;
  }
  /// Launches a batch and waits for it.
  Launched run(const plan::Batch& batch, const Decision& decision) {
    auto launched = launcher_.launch({.batch = batch, .number = batch.gathered_at}, decision, rig_.programs);
    EXPECT_TRUE(launched) << to_string(launched.error());
    EXPECT_TRUE(launcher_.in_flight().wait(batch.gathered_at, backend::kForever));
    launcher_.in_flight().complete(batch.gathered_at, [](const PendingBatch&) {});
    return launched.value_or(Launched{});
  }
  BufferView ones() {
    const BufferView view = rig_.buffer(64);
    std::ranges::fill(rig_.numbers(view), 1U);
    return view;
  }

  tests::StageRig rig_;
  std::uint32_t scale_ = rig_.add(tests::scale_program());
  Launcher launcher_{rig_.device, {}};
  std::uint64_t batches_ = 0;
  BufferView a_ = ones();
  BufferView b_ = ones();
};

TEST_F(LauncherTest, ReplaysOneRecordingWithOtherTransfersAroundItInOneSubmission) {
  for (const Way way : {Way::Replay, Way::Table}) {
    SCOPED_TRACE(to_string(way));
    const ShapeKind kind{.program = scale_, .count = 1, .size_class = choice::size_class(4)};
    const std::vector<bool> uses_form{true};
    const Decision decision{.way = way, .kinds = {&kind, 1}, .uses_form = &uses_form};
    for (std::uint32_t i = 0; i < 4; ++i) {
      const BufferView from = ones();
      const BufferView to = ones();
      rig_.numbers(from)[0] = i;
      plan::Batch batch;
      batch.gathered_at = ++batches_;
      const auto copy = [&](const BufferView& a, const BufferView& b) {
        batch.add(backend::Copy{.from = rig_.buffers[a.index].handle, .to = rig_.buffers[b.index].handle, .size = 64});
      };
      copy(from, a_);
      rig_.gather(batch, rig_.dispatch(scale_, {a_}, {.groups = {4, 1, 1}}));
      copy(a_, to);
      const std::uint64_t submitted = launcher_.in_flight().counts().submitted;
      const Launched launched = run(batch, decision);
      EXPECT_EQ(launched.has_recorded, i == 0) << "the staging memory is another one, the dispatches are the same";
      EXPECT_EQ(launcher_.in_flight().counts().submitted, submitted + 1);
      EXPECT_EQ(rig_.numbers(to)[0], 2 * i);
      EXPECT_EQ(rig_.numbers(to)[1], 2);
    }
  }
}

TEST_F(LauncherTest, LaunchesPlainlyWithASubmissionForEachOperation) {
  const Launched launched = run(scale({a_, a_, b_}), {.way = Way::Plain});
  EXPECT_EQ(launched.how, How::Plain);
  EXPECT_FALSE(launched.is_planned);
  EXPECT_EQ(launcher_.in_flight().counts().submitted, 3);
  EXPECT_THAT(rig_.numbers(a_), Each(4));
  EXPECT_THAT(rig_.numbers(b_), Each(2));
}

TEST_F(LauncherTest, LaunchesAListForEachArm) {
  const Launched launched = run(scale({a_, a_, b_}), {.way = Way::Batched});
  EXPECT_EQ(launched.how, How::Batched);
  EXPECT_TRUE(launched.is_planned);
  EXPECT_EQ(launched.counts.arms, 2) << "the buffers are independent, and the device has two queues";
  EXPECT_EQ(launcher_.in_flight().counts().submitted, 2);
  EXPECT_THAT(rig_.numbers(a_), Each(4));
  EXPECT_THAT(launched.programs, ElementsAre(ProgramLaunch{.program = scale_, .form = FormKind::Descriptor}));
}

TEST_F(LauncherTest, ReplaysABatchThatComesBack) {
  const Launched first = run(scale({a_, b_}), {.way = Way::Replay});
  EXPECT_TRUE(first.has_recorded);
  EXPECT_EQ(first.replays, first.counts.arms);
  const Launched second = run(scale({a_, b_}), {.way = Way::Replay});
  EXPECT_FALSE(second.has_recorded);
  EXPECT_FALSE(second.is_planned) << "the plan is skipped";
  EXPECT_EQ(second.how, How::Replayed);
  EXPECT_EQ(second.counts, first.counts);
  EXPECT_THAT(rig_.numbers(a_), Each(4));
  EXPECT_EQ(launcher_.recordings().batches().size(), 1);
}

TEST_F(LauncherTest, CompilesTheFormThatWasDecidedFor) {
  // Dispatches on two parts of one buffer are in one arm and one wave, so that they are one group.
  const BufferView half = a_.bytes(0, 32);
  const BufferView other_half = a_.bytes(32, 32);
  const plan::Batch batch = scale({half, other_half});
  const std::vector<ShapeKind> kinds = {{.program = scale_, .count = 2, .size_class = choice::size_class(4)}};
  const std::vector<bool> uses_form = {true};
  const Decision merged{.way = Way::Merged, .kinds = kinds, .uses_form = &uses_form};
  const Launched first = run(batch, merged);
  EXPECT_TRUE(first.has_compiled);
  EXPECT_THAT(first.programs, ElementsAre(ProgramLaunch{.program = scale_, .form = FormKind::Merged}));
  EXPECT_THAT(rig_.numbers(a_), Each(2));
  EXPECT_FALSE(run(scale({half, other_half}), merged).has_compiled) << "the pipeline is there";

  const std::vector<bool> uses_none = {false};
  const Launched as_written =
      run(scale({half, other_half}), {.way = Way::Merged, .kinds = kinds, .uses_form = &uses_none});
  EXPECT_THAT(as_written.programs, ElementsAre(ProgramLaunch{.program = scale_, .form = FormKind::Descriptor}));
}

TEST_F(LauncherTest, OneTableServesOtherBuffers) {
  // Dispatches are gathered in the pointer form, as a session with the mode `Bindless` does.
  rig_.programs = ProgramTable{4, FormKind::Pointer};
  scale_ = rig_.add(tests::scale_program());
  const Launched first = run(scale({a_}), {.way = Way::Table});
  EXPECT_TRUE(first.has_recorded);
  const Launched second = run(scale({b_}), {.way = Way::Table});
  EXPECT_FALSE(second.has_recorded);
  EXPECT_EQ(second.how, How::Replayed);
  EXPECT_THAT(rig_.numbers(a_), Each(2));
  EXPECT_THAT(rig_.numbers(b_), Each(2));
}

TEST_F(LauncherTest, DispatchesThatAreTooLongForAFormRunAsWritten) {
  rig_.programs = ProgramTable{4, FormKind::Chain};
  scale_ = rig_.add(tests::scale_program());
  plan::Batch batch;
  batch.gathered_at = ++batches_;
  rig_.gather(batch, rig_.dispatch(scale_, {a_}, {.groups = {4, 1, 1}}));
  const std::uint32_t too_many = rig_.device.info().forms.turn_groups + 1;
  rig_.gather(batch, rig_.dispatch(scale_, {b_}, {.groups = {too_many, 1, 1}}));
  const Launched launched = run(batch, {.way = Way::Batched});
  EXPECT_THAT(launched.programs,
              ElementsAre(ProgramLaunch{.program = scale_, .form = FormKind::Chain, .has_too_long = true}));
  EXPECT_THAT(rig_.numbers(a_), Each(2));
  EXPECT_THAT(rig_.numbers(b_), Each(2));
}

TEST_F(LauncherTest, TimesListsOnTheDevice) {
  Launcher timed{rig_.device, {.time_device = true}};
  const plan::Batch batch = scale({a_});
  ASSERT_TRUE(timed.launch({.batch = batch, .number = 1}, {.way = Way::Batched}, rig_.programs));
  ASSERT_TRUE(timed.in_flight().wait(1, backend::kForever));
  std::vector<std::uint32_t> launches;
  timed.in_flight().complete(1, [&](const PendingBatch& each) { launches = each.timed; });
  ASSERT_EQ(launches.size(), 1);
  EXPECT_EQ(timed.timer().completed(launches[0]).launches, 1);
}

TEST_F(LauncherTest, AFormThatTheProgramDoesNotHaveIsRefusedBeforeAnythingIsSubmitted) {
  tests::StageRig without{{.has_forms = false}};
  const std::uint32_t scale = without.add(tests::scale_program());
  const BufferView data = without.buffer(64);
  plan::Batch batch;
  without.gather(batch, without.dispatch(scale, {data}));
  without.gather(batch, without.dispatch(scale, {data}));
  Launcher launcher{without.device, {}};
  const std::vector<ShapeKind> kinds = {{.program = scale, .count = 1, .size_class = 1}};
  const std::vector<bool> uses_form = {true};
  const auto launched = launcher.launch({.batch = batch, .number = 1},
                                        {.way = Way::Chain, .kinds = kinds, .uses_form = &uses_form}, without.programs);
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().code, ErrorCode::Unsupported);
  EXPECT_TRUE(launcher.in_flight().empty());
}

TEST_F(LauncherTest, GivesTheDevicesErrorWhenItIsLost) {
  tests::StageRig losing{{.lost_at_launch = 1}};
  const std::uint32_t scale = losing.add(tests::scale_program());
  plan::Batch batch;
  losing.gather(batch, losing.dispatch(scale, {losing.buffer(64)}));
  Launcher launcher{losing.device, {}};
  const auto launched = launcher.launch({.batch = batch, .number = 1}, {.way = Way::Batched}, losing.programs);
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().code, ErrorCode::DeviceLost);
  EXPECT_TRUE(launcher.in_flight().empty());
}

}  // namespace
}  // namespace vyre::runtime
