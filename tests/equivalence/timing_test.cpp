#include <array>
#include <cstdint>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>

#include "tests/equivalence/devices.hpp"

// The device's own time in the report, on a clock without noise.

namespace vyre::tests {
namespace {

using runtime::LaunchMode;
using runtime::Session;

constexpr std::uint64_t kFillNs = 100'000;

/// Fills `steps` times, one after another, in each of `rounds` batches that are all the same.
report::RunReport run(LaunchMode mode, bool time_device, std::uint32_t steps, std::uint32_t rounds) {
  const std::shared_ptr<backend::Device> device = open_fake({.costs = {.copy_ns = kFillNs}});
  Session session = Session::open(device, {.mode = mode, .time_device = time_device}).value();
  const runtime::BufferView view = session.bytes(64).value();
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t i = 0; i < steps; ++i) EXPECT_TRUE(session.fill(view, i * 0x0101'0101U));
    EXPECT_TRUE(session.flush());
  }
  return session.finish().value();
}

TEST(DeviceTime, IsTheTimeOfTheWorkInEveryMode) {
  for (const LaunchMode mode : {LaunchMode::Auto, LaunchMode::Plain, LaunchMode::Batched, LaunchMode::Replay}) {
    SCOPED_TRACE(to_string(mode));
    constexpr std::uint32_t kSteps = 10;
    constexpr std::uint32_t kRounds = 6;
    const report::RunReport report = run(mode, true, kSteps, kRounds);
    EXPECT_EQ(report.timed_submissions, report.submissions);
    EXPECT_GE(report.device_ns, kSteps * kRounds * kFillNs);
    EXPECT_LE(report.device_ns, report.elapsed_ns);
  }
}

TEST(DeviceTime, OfACaptureEndsWithTheSession) {
  const std::shared_ptr<backend::Device> device = open_fake({.costs = {.copy_ns = kFillNs}});
  Session session = Session::open(device, {.time_device = true}).value();
  const runtime::BufferView view = session.bytes(64).value();
  const runtime::Capture capture = session.capture([&] { return session.fill(view, 0); }).value();
  EXPECT_TRUE(session.replay(capture));
  EXPECT_GE(session.finish().value().device_ns, kFillNs);
}

TEST(DeviceTime, IsNotTakenUnlessAskedFor) {
  const report::RunReport report = run(LaunchMode::Auto, false, 3, 3);
  EXPECT_EQ(report.timed_submissions, 0U);
  EXPECT_EQ(report.device_ns, 0U);
}

TEST(DeviceTime, OfMoreSubmissionsThanThereAreTimesIsOfThoseThatHaveOne) {
  const report::RunReport report = run(LaunchMode::Plain, true, 3000, 1);
  EXPECT_GT(report.timed_submissions, 0U);
  EXPECT_LT(report.timed_submissions, report.submissions);
  EXPECT_GE(report.device_ns, report.timed_submissions * kFillNs);
}

}  // namespace
}  // namespace vyre::tests
