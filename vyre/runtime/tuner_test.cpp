#include <vyre/runtime/tuner.hpp>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <vyre/choice/calibration_bytes.hpp>
#include <vyre/choice/kernel_bytes.hpp>
#include <vyre/runtime/learned.hpp>

#include <backends/fake/driver_rig.hpp>

#include "tests/support/temporary_folder.hpp"

namespace vyre::runtime {
namespace {

using choice::Way;

choice::BatchShape shape(std::uint64_t key) {
  return {.key = key, .kinds = {{.program = 1, .count = 10}}, .dispatches = 10};
}

class TunerTest : public testing::Test {
 protected:
  backend::Device device_{
      backends::fake::open_fake({.costs = {.launch_ns = 5'000, .record_command_ns = 500, .dispatch_ns = 1'000}}), {}};
  Tuner tuner_;

  /// Chooses for a shape of one kind, whose program has the descriptor form alone.
  bool choose(std::uint64_t key, TunedChoice& chosen) {
    const std::vector<choice::ProgramForms> forms(1);
    return tuner_.learned().choose({.shape = key, .forms = forms, .moment = {.may_keep = true}}, chosen);
  }
};

TEST_F(TunerTest, ADeviceHasOne) {
  EXPECT_EQ(Tuner::of(device_), Tuner::of(device_));
  EXPECT_FALSE(Tuner::of(device_)->is_calibrated());
}

TEST_F(TunerTest, ChoosesForShapesThatItKnowsOnceItIsCalibrated) {
  TunedChoice chosen;
  tuner_.learned().learn(shape(3));
  EXPECT_FALSE(choose(3, chosen)) << "there is no calibration";
  ASSERT_TRUE(tuner_.calibrate(device_, backend::kForever));
  EXPECT_TRUE(tuner_.is_calibrated());
  EXPECT_FALSE(choose(4, chosen)) << "the shape is not known";
  ASSERT_TRUE(choose(3, chosen));
  EXPECT_EQ(chosen.uses_form.size(), 1);
  EXPECT_GT(chosen.choice.expected_ns, 0);
}

TEST_F(TunerTest, LearnsFromBatchesThatWereAwaited) {
  ASSERT_TRUE(tuner_.calibrate(device_, backend::kForever));
  tuner_.learned().learn(shape(3));
  TunedChoice chosen;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(choose(3, chosen));
    const UsedWay used{.shape = 3, .way = chosen.choice.way, .batches = 1};
    tuner_.learned().observe({&used, 1}, 40'000, true);
  }
  tuner_.learned().note_setup(3, 2'000);
  tuner_.learned().note_planning(500, 10);
  const auto report = tuner_.report(3);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->batches, 20);
  EXPECT_EQ(report->dispatches, 10);
  EXPECT_EQ(tuner_.report(4), std::nullopt);
  const UsedWay late{.shape = 3, .way = chosen.choice.way, .batches = 1};
  tuner_.learned().observe_late(late, 41'000, true);
  EXPECT_GT(tuner_.report(3)->total_ns, report->total_ns);
}

TEST_F(TunerTest, ForgetsTheShapeThatWasUsedLongestAgo) {
  for (std::uint64_t key = 0; key < Learned::kMaxShapes; ++key) tuner_.learned().learn(shape(key));
  tuner_.learned().learn(shape(10'000));
  const std::vector<std::uint64_t> shapes = tuner_.shapes();
  EXPECT_EQ(shapes.size(), Learned::kMaxShapes);
  EXPECT_EQ(shapes.front(), 10'000);
  EXPECT_EQ(shapes.back(), 1);
}

TEST_F(TunerTest, AnotherProcessKnowsTheCalibration) {
  const TemporaryFolder folder;
  std::int64_t now_s = 1'000'000;
  const auto open = [&] {
    return store::Store::open({.folder = folder.path() / "vyre", .now_s = [&] { return now_s; }});
  };
  const auto store = open();
  tuner_.keep_in(store, "this device");
  EXPECT_FALSE(tuner_.is_calibrated());
  ASSERT_TRUE(tuner_.calibrate(device_, backend::kForever));
  EXPECT_TRUE(store->flush());
  const auto known_after = [&](std::int64_t s, const std::string& scope) {
    now_s = 1'000'000 + s;
    Tuner later;
    later.keep_in(open(), scope);
    return later.calibration();
  };
  EXPECT_EQ(known_after(60, "this device"), tuner_.calibration());
  EXPECT_EQ(known_after(60, "another device"), std::nullopt);
  constexpr std::int64_t kDay = 24 * 3'600;
  EXPECT_EQ(known_after(6 * kDay, "this device"), tuner_.calibration());
  EXPECT_EQ(known_after(8 * kDay, "this device"), std::nullopt) << "it is too old";
}

TEST_F(TunerTest, AnotherProcessKnowsTheTimesOfKernels) {
  const TemporaryFolder folder;
  const auto store = store::Store::open({.folder = folder.path() / "vyre"});
  const choice::KernelTimes::Key key{.program = 0xabc, .size_class = 3};
  const choice::KernelTimes::Times times{.ns = {2'500.0}};
  {
    Tuner first;
    first.keep_in(store, "this device");
    first.learned().recall(key, times);
  }
  store->put({.kind = "kernel", .scope = "this device", .key = "no key"}, choice::kKernelVersion, to_bytes(times));
  Tuner later;
  later.keep_in(store, "this device");
  EXPECT_EQ(later.learned().kernels().observed(key).ns, times.ns);
  int kernels = 0;
  later.learned().kernels().for_each([&](const auto&, const auto&) { ++kernels; });
  EXPECT_EQ(kernels, 1);
  Tuner elsewhere;
  elsewhere.keep_in(store, "another device");
  EXPECT_FALSE(elsewhere.learned().kernels().observed(key).ns[0]);
}

TEST_F(TunerTest, WhatIsKeptAndIsNoCalibrationIsMeasuredAgain) {
  const TemporaryFolder folder;
  const auto store = store::Store::open({.folder = folder.path() / "vyre"});
  store->put({.kind = "calibration", .scope = "this device"}, choice::kCalibrationVersion, std::vector<std::byte>(99));
  tuner_.keep_in(store, "this device");
  EXPECT_FALSE(tuner_.is_calibrated());
  ASSERT_TRUE(tuner_.calibrate(device_, backend::kForever));
  Tuner later;
  later.keep_in(store, "this device");
  EXPECT_TRUE(later.is_calibrated());
}

TEST_F(TunerTest, RefusesACalibrationWithATimeThatIsNotFinite) {
  choice::Calibration calibration;
  calibration.barrier_ns = std::numeric_limits<double>::infinity();
  const Result<void> refused = tuner_.set(calibration);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the calibration's barrier_ns is inf, it takes a finite number");
  EXPECT_FALSE(tuner_.is_calibrated());
}

}  // namespace
}  // namespace vyre::runtime
