#include <vyre/plan/arms.hpp>

#include <vector>

#include <gtest/gtest.h>

namespace vyre::plan {
namespace {

using backend::BufferHandle;
using backend::CommandList;

BufferHandle buffer(std::uint32_t index) { return {.index = index, .generation = 1}; }

std::vector<bool> no_dispatches(backend::PipelineHandle /*pipeline*/) { return {}; }

std::vector<CommandList> split(const CommandList& batch, std::size_t max_arms) {
  ArmSplitter splitter;
  std::vector<CommandList> arms;
  const std::size_t count = splitter.split(batch, max_arms, arms, no_dispatches);
  if (count == 1) return {batch};
  arms.resize(count);
  return arms;
}

TEST(ArmSplitter, KeepsTogetherWhatSharesSomethingWritten) {
  CommandList batch;
  batch.copy(buffer(0), 0, buffer(1), 0, 4);
  batch.copy(buffer(1), 0, buffer(2), 0, 4);
  EXPECT_EQ(split(batch, 4), std::vector{batch});
  EXPECT_EQ(split({}, 4), std::vector{CommandList{}});
}

TEST(ArmSplitter, LetsArmsReadTheSame) {
  CommandList batch;
  batch.copy(buffer(0), 0, buffer(1), 0, 4);
  batch.copy(buffer(0), 0, buffer(2), 0, 4);
  batch.copy(buffer(0), 4, buffer(1), 4, 4);
  CommandList first;
  first.copy(buffer(0), 0, buffer(1), 0, 4);
  first.copy(buffer(0), 4, buffer(1), 4, 4);
  CommandList second;
  second.copy(buffer(0), 0, buffer(2), 0, 4);
  EXPECT_EQ(split(batch, 4), (std::vector{first, second}));
  // A write to what they read, wherever it stands, ties them together.
  batch.fill({.buffer = buffer(0), .offset = 0, .size = 4}, 0);
  EXPECT_EQ(split(batch, 4), std::vector{batch});
}

TEST(ArmSplitter, SharesPartsOutByTheirNumberOfOperations) {
  CommandList batch;
  for (int i = 0; i < 6; ++i) batch.fill({.buffer = buffer(0), .offset = 0, .size = 4}, 0);
  for (std::uint32_t i = 1; i <= 4; ++i) batch.fill({.buffer = buffer(i), .offset = 0, .size = 4}, 0);
  const std::vector<CommandList> arms = split(batch, 2);
  ASSERT_EQ(arms.size(), 2U);
  EXPECT_EQ(arms[0].commands().size(), 6U);
  EXPECT_EQ(arms[1].commands().size(), 4U);
}

}  // namespace
}  // namespace vyre::plan
