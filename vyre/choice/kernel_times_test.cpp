#include <vyre/choice/kernel_times.hpp>

#include <cstddef>

#include <gtest/gtest.h>

namespace vyre::choice {
namespace {

using program::FormKind;

TEST(KernelTimes, AreUnknownUntilOneIsSet) {
  const KernelTimes times;
  EXPECT_EQ(times.get({}, {.program = 1, .size_class = 1}, FormKind::Descriptor), 0);
  EXPECT_FALSE(times.observed({.program = 1, .size_class = 1}).ns[0]);
}

TEST(KernelTimes, OfAnotherFormFollowTheCalibratedRatio) {
  Calibration calibration;
  calibration.forms[static_cast<std::size_t>(FormKind::Merged)] = {.narrow = 2, .wide = 3};
  KernelTimes times;
  times.set({.program = 1, .size_class = 1}, FormKind::Descriptor, 1000);
  EXPECT_DOUBLE_EQ(times.get(calibration, {.program = 1, .size_class = 1}, FormKind::Merged), 2000);
  EXPECT_EQ(times.get(calibration, {.program = 1, .size_class = 2}, FormKind::Merged), 0);
  EXPECT_EQ(times.get(calibration, {.program = 2, .size_class = 1}, FormKind::Merged), 0);
  times.set({.program = 1, .size_class = 1}, FormKind::Merged, 700);
  EXPECT_DOUBLE_EQ(times.get(calibration, {.program = 1, .size_class = 1}, FormKind::Merged), 700);
}

TEST(KernelTimes, FollowLesserTimesFasterThanGreaterOnes) {
  const KernelTimes::Key key{.program = 1, .size_class = 1};
  KernelTimes less;
  less.set(key, FormKind::Descriptor, 1000);
  less.set(key, FormKind::Descriptor, 500);
  KernelTimes more;
  more.set(key, FormKind::Descriptor, 1000);
  more.set(key, FormKind::Descriptor, 1500);
  EXPECT_LT(less.get({}, key, FormKind::Descriptor), 800);
  EXPECT_LT(more.get({}, key, FormKind::Descriptor), 1100);
}

TEST(BodyRatio, LiesBetweenThatOfOneWorkgroupAndThatOfMany) {
  Calibration calibration;
  calibration.forms[static_cast<std::size_t>(FormKind::Chain)] = {.narrow = 1, .wide = 16};
  EXPECT_DOUBLE_EQ(body_ratio(calibration, FormKind::Chain, size_class(1)), 1);
  EXPECT_DOUBLE_EQ(body_ratio(calibration, FormKind::Chain, size_class(16)), 16);
  EXPECT_DOUBLE_EQ(body_ratio(calibration, FormKind::Chain, size_class(1'000'000)), 16);
  const double between = body_ratio(calibration, FormKind::Chain, size_class(4));
  EXPECT_GT(between, 1);
  EXPECT_LT(between, 16);
}

TEST(KernelTimes, TimestampsCountForMoreThanWholeLists) {
  KernelTimes times;
  const KernelTimes::Key key{.program = 1, .size_class = 3};
  times.set(key, program::FormKind::Descriptor, 5000);
  EXPECT_EQ(times.timings(key, program::FormKind::Descriptor), 0);
  times.time(key, program::FormKind::Descriptor, 900);
  EXPECT_EQ(times.get({}, key, program::FormKind::Descriptor), 900);
  times.time(key, program::FormKind::Descriptor, 1200);
  EXPECT_EQ(times.get({}, key, program::FormKind::Descriptor), 900) << "disturbances only add";
  times.time(key, program::FormKind::Descriptor, 800);
  times.set(key, program::FormKind::Descriptor, 5000);
  EXPECT_EQ(times.get({}, key, program::FormKind::Descriptor), 800);
  EXPECT_EQ(times.timings(key, program::FormKind::Descriptor), 3);
  EXPECT_EQ(times.timings(key, program::FormKind::Merged), 0);
}

}  // namespace
}  // namespace vyre::choice
