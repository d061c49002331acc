#include <vyre/choice/kernel_bytes.hpp>

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace vyre::choice {
namespace {

const KernelTimes::Times kTimes{.ns = {1'500.0, std::nullopt, -20.0}, .timings = {3, 0, 0, 0, 0}};

TEST(KernelBytes, GiveBackWhatWasEncoded) {
  for (const KernelTimes::Times& times : {kTimes, KernelTimes::Times{}}) {
    const auto decoded = to_kernel_times(to_bytes(times));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->ns, times.ns);
    EXPECT_EQ(decoded->timings, times.timings);
  }
}

TEST(KernelBytes, AreRefusedIfTheyAreNone) {
  std::vector<std::byte> bytes = to_bytes(kTimes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(to_kernel_times(std::span{bytes}.first(size))) << size;
  }
  bytes.push_back({});
  EXPECT_FALSE(to_kernel_times(bytes));
}

TEST(KernelBytes, AreRefusedIfAValueCannotBe) {
  KernelTimes::Times wrong = kTimes;
  wrong.ns[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(to_kernel_times(to_bytes(wrong)));
  wrong = kTimes;
  wrong.timings[1] = 1;
  EXPECT_FALSE(to_kernel_times(to_bytes(wrong))) << "it was timed, and its time is not known";
}

TEST(KernelTimes, OfAnotherProcessDoNotReplaceThoseOfThisOne) {
  const KernelTimes::Key key{.program = 1, .size_class = 1};
  KernelTimes times;
  times.recall(key, kTimes);
  EXPECT_EQ(times.get({}, key, program::FormKind::Descriptor), 1'500);
  EXPECT_EQ(times.timings(key, program::FormKind::Descriptor), 3U);
  times.recall(key, {.ns = {7.0}});
  EXPECT_EQ(times.get({}, key, program::FormKind::Descriptor), 1'500);
}

}  // namespace
}  // namespace vyre::choice
