#include <vyre/runtime/session_options.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::runtime {
namespace {

using std::chrono::nanoseconds;
using testing::HasSubstr;

std::string refusal(const SessionOptions& options) {
  const Result<void> checked = check(options);
  if (checked) return "";
  EXPECT_EQ(checked.error().code, ErrorCode::InvalidArgument);
  return checked.error().message;
}

TEST(SessionOptions, TheirDefaultsAndTheirLimitsAreFine) {
  EXPECT_EQ(refusal({}), "");
  for (const LaunchMode mode : kAllLaunchModes) EXPECT_EQ(refusal({.mode = mode}), "");
  EXPECT_EQ(refusal({.max_batch = 1,
                     .max_recordings = 0,
                     .max_recording_bytes = 0,
                     .max_pipelines = 1,
                     .watchdog = nanoseconds{1},
                     .exploration = 0,
                     .calibrate_after = nanoseconds{0}}),
            "");
  EXPECT_EQ(refusal({.max_batch = kMaxOperations,
                     .max_recordings = std::numeric_limits<std::size_t>::max(),
                     .max_recording_bytes = std::numeric_limits<std::size_t>::max(),
                     .max_pipelines = std::numeric_limits<std::size_t>::max(),
                     .exploration = 1,
                     .calibrate_after = nanoseconds::max()}),
            "");
}

TEST(SessionOptions, AreRefusedBeyondTheirLimits) {
  EXPECT_EQ(refusal({.mode = static_cast<LaunchMode>(99)}),
            "the session option mode is 99, it takes 0 (auto) to 7 (bindless)");
  EXPECT_EQ(refusal({.mode = static_cast<LaunchMode>(8)}),
            "the session option mode is 8, it takes 0 (auto) to 7 (bindless)");
  EXPECT_EQ(refusal({.max_batch = 0}), "the session option max_batch is 0, it takes 1 to 16777216");
  EXPECT_EQ(refusal({.max_batch = kMaxOperations + 1}),
            "the session option max_batch is 16777217, it takes 1 to 16777216");
  EXPECT_EQ(refusal({.max_pipelines = 0}), "the session option max_pipelines is 0, it takes 1 or more");
  EXPECT_EQ(refusal({.watchdog = nanoseconds{0}}), "the session option watchdog is 0 ns, it takes 1 ns or more");
  EXPECT_EQ(refusal({.watchdog = nanoseconds{-5}}), "the session option watchdog is -5 ns, it takes 1 ns or more");
  EXPECT_EQ(refusal({.calibrate_after = nanoseconds{-1}}),
            "the session option calibrate_after is -1 ns, it takes 0 ns or more");
}

TEST(SessionOptions, AnExplorationIsAShare) {
  for (const double share : {-5.0, -1e-9, 1.0000001, 1e300, std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(refusal({.exploration = share}), HasSubstr("the session option exploration is ")) << share;
  }
  EXPECT_THAT(refusal({.exploration = std::numeric_limits<double>::quiet_NaN()}),
              HasSubstr("exploration is nan, it takes 0 to 1"));
}

}  // namespace
}  // namespace vyre::runtime
