#include <vyre/runtime/run_recorder.hpp>

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_rig.hpp"

namespace vyre::runtime {
namespace {

using choice::Way;
using program::FormKind;
using How = Launched::How;

class RunRecorderTest : public testing::Test {
 protected:
  plan::Batch batch(std::uint64_t dispatches) const {
    plan::Batch made;
    made.count(scale_, dispatches);
    return made;
  }
  void add(std::uint64_t dispatches, const Launched& launched, const Decision& decision = {}) {
    recorder_.add(batch(dispatches), decision, launched, rig_.programs, false);
  }
  RunReport finish(std::uint64_t now_ns = 0) { return recorder_.finish(now_ns, counts_, chooser_, rig_.programs); }

  tests::StageRig rig_;
  std::uint32_t scale_ = rig_.add(tests::scale_program());
  Chooser chooser_{rig_.device, {}};
  RunRecorder recorder_{"a device"};
  InFlight::Counts counts_ = {.submitted = 3, .completed = 3};
};

TEST_F(RunRecorderTest, ReportsWhatWasLaunched) {
  recorder_.begin(1'000);
  recorder_.begin(5'000);  // The run has begun.
  add(4, {.how = How::Batched, .counts = {.waves = 2, .barriers = 1, .barriers_avoided = 2}},
      {.reason = "the batch is new"});
  add(2, {.how = How::Replayed, .replays = 1, .has_recorded = true}, {.reason = "it came before"});
  recorder_.add_host_ns(10);
  recorder_.add_wait_ns(20);
  recorder_.add_read(8);
  recorder_.add_write(16);
  recorder_.add_device_time({.ns = 300, .launches = 2});
  const RunReport report = finish(9'000);
  EXPECT_EQ(report.device, "a device");
  EXPECT_EQ(report.batches, 2);
  EXPECT_EQ(report.dispatches, 6);
  EXPECT_EQ(report.waves, 2);
  EXPECT_EQ(report.barriers, 1);
  EXPECT_EQ(report.barriers_avoided, 2);
  EXPECT_EQ(report.replays, 1);
  EXPECT_EQ(report.recordings, 1);
  EXPECT_EQ(report.submissions, 3);
  EXPECT_EQ(report.elapsed_ns, 8'000);
  EXPECT_EQ(report.host_ns, 10);
  EXPECT_EQ(report.wait_ns, 20);
  EXPECT_EQ(report.bytes_read, 8);
  EXPECT_EQ(report.bytes_written, 16);
  EXPECT_EQ(report.device_ns, 300);
  EXPECT_EQ(report.timed_submissions, 2);
  ASSERT_EQ(report.programs.size(), 1);
  EXPECT_EQ(report.programs[0].program, "scale");
  EXPECT_EQ(report.programs[0].batched, 4);
  EXPECT_EQ(report.programs[0].replayed, 2);
  EXPECT_EQ(report.programs[0].reason, "it came before") << "the reason of the last decision";
}

TEST_F(RunRecorderTest, AReportBeginsAnewAfterEachRun) {
  recorder_.begin(1'000);
  add(1, {.how = How::Plain});
  recorder_.note_not_calibrated("the device has no timestamps");
  EXPECT_EQ(finish(2'000).programs.size(), 1);
  counts_ = {};
  const RunReport empty = finish(3'000);
  EXPECT_EQ(empty.device, "a device");
  EXPECT_EQ(empty.batches, 0);
  EXPECT_EQ(empty.elapsed_ns, 0);
  EXPECT_TRUE(empty.programs.empty());
  EXPECT_EQ(empty.not_calibrated, "the device has no timestamps") << "the device does not change";
}

TEST_F(RunRecorderTest, SaysInWhichFormAProgramRanAndWhyItWasNotAnother) {
  const std::vector<ProgramLaunch> merged = {{.program = scale_, .form = FormKind::Merged}};
  add(1, {.programs = merged});
  EXPECT_EQ(finish().programs[0].form, FormKind::Merged);

  const std::vector<ProgramLaunch> cut = {{.program = scale_, .form = FormKind::Merged, .has_cut = true}};
  add(1, {.programs = cut});
  EXPECT_THAT(finish().programs[0].form_refused, testing::HasSubstr("end within an element"));

  const std::vector<ProgramLaunch> longer = {{.program = scale_, .form = FormKind::Chain, .has_too_long = true}};
  add(1, {.programs = longer});
  EXPECT_THAT(finish().programs[0].form_refused, testing::HasSubstr("longer than a workgroup"));

  rig_.programs[scale_].form_refused = "no room";
  add(1, {});
  EXPECT_EQ(finish().programs[0].form_refused, "no room");
}

TEST_F(RunRecorderTest, AnotherProgramOfTheSameNumberIsReportedByItself) {
  add(1, {});
  const CompiledProgram other = compile_program(rig_.device, tests::add_program(), {}, FormKind::Descriptor).value();
  (void)rig_.programs.insert(other, scale_);
  add(1, {});
  const RunReport report = finish();
  ASSERT_EQ(report.programs.size(), 2);
  EXPECT_EQ(report.programs[0].program, "scale");
  EXPECT_EQ(report.programs[1].program, "add");
}

TEST_F(RunRecorderTest, CalibrationBelongsToNoOtherTime) {
  recorder_.begin(1'000);
  recorder_.add_calibration(600);
  const RunReport report = finish(2'000);
  EXPECT_EQ(report.calibration_ns, 600);
  EXPECT_EQ(report.elapsed_ns, 400);
}

TEST_F(RunRecorderTest, AuditsWhatLeftThePlainPath) {
  add(2, {.counts = {.largest_wave = 2}, .is_planned = true});  // Two dispatches may run at once.
  add(1, {.how = How::Replayed, .has_recorded = true});         // A list was kept, by the rule.
  recorder_.add_overlapped(128);
  const RunReport report = finish();
  EXPECT_EQ(report.bytes_overlapped, 128);
  std::vector<policy::Action> actions;
  for (const policy::AuditEvent& each : report.decisions) actions.push_back(each.action);
  EXPECT_THAT(actions, testing::ElementsAre(policy::Action::RunConcurrently, policy::Action::RecordAndReplay,
                                            policy::Action::OverlapCopy));
  EXPECT_TRUE(finish().decisions.empty());
}

TEST_F(RunRecorderTest, WhatWasCapturedWasNotDecided) {
  recorder_.add(batch(1), {}, {.how = How::Replayed, .has_recorded = true}, rig_.programs, true);
  EXPECT_TRUE(finish().decisions.empty());
}

}  // namespace
}  // namespace vyre::runtime
