#include <vyre/plan/arms.hpp>

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::plan {
namespace {

using testing::Each;
using testing::ElementsAre;

Touch reads(std::uint32_t buffer) { return {.buffer = buffer, .begin = 0, .end = 4, .writes = false}; }
Touch writes(std::uint32_t buffer) { return {.buffer = buffer, .begin = 0, .end = 4, .writes = true}; }

std::vector<std::uint32_t> split(const std::vector<std::vector<Touch>>& operations, std::size_t max_arms) {
  ArmSplitter splitter;
  for (int round = 0; round < 2; ++round) {  // What the first batch left behind has no effect.
    splitter.begin();
    for (const std::vector<Touch>& each : operations) splitter.add(each);
    const auto arms = splitter.split(max_arms);
    if (round == 1) return {arms.begin(), arms.end()};
  }
  return {};
}

TEST(ArmSplitter, KeepsTogetherWhatSharesSomethingWritten) {
  EXPECT_THAT(split({{reads(0), writes(1)}, {reads(1), writes(2)}}, 4), ElementsAre(0, 0));
  EXPECT_TRUE(split({}, 4).empty());
}

TEST(ArmSplitter, LetsArmsReadTheSame) {
  std::vector<std::vector<Touch>> batch{{reads(0), writes(1)}, {reads(0), writes(2)}, {reads(0), writes(1)}};
  EXPECT_THAT(split(batch, 4), ElementsAre(0, 1, 0));
  // A write to the buffer they read, wherever it stands, ties them together.
  batch.push_back({writes(0)});
  EXPECT_THAT(split(batch, 4), Each(0));
}

TEST(ArmSplitter, SharesPartsOutByTheirNumberOfOperations) {
  std::vector<std::vector<Touch>> batch(6, {writes(0)});
  for (std::uint32_t i = 1; i <= 4; ++i) batch.push_back({writes(i)});
  EXPECT_THAT(split(batch, 2), ElementsAre(0, 0, 0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(split(batch, 1), Each(0));
}

}  // namespace
}  // namespace vyre::plan
