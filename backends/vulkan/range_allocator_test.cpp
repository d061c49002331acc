#include <backends/vulkan/range_allocator.hpp>

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace vyre::backends::vulkan {
namespace {

TEST(RangeAllocator, GivesWhatFitsAndJoinsWhatComesBack) {
  RangeAllocator ranges{100};
  EXPECT_EQ(ranges.take(60, 1), 0);
  EXPECT_EQ(ranges.take(10, 32), 64);
  EXPECT_EQ(ranges.take(5, 1), 74);
  EXPECT_EQ(ranges.take(4, 1), 60);
  EXPECT_EQ(ranges.take(22, 1), std::nullopt);
  EXPECT_EQ(ranges.take(21, 1), 79);
  EXPECT_EQ(ranges.take(1, 1), std::nullopt);
  ranges.give(64, 10);
  ranges.give(0, 60);
  ranges.give(60, 4);
  EXPECT_EQ(ranges.take(74, 1), 0);
  ranges.give(79, 21);
  ranges.give(0, 74);
  EXPECT_FALSE(ranges.is_unused());
  ranges.give(74, 5);
  EXPECT_TRUE(ranges.is_unused());
}

TEST(RangeAllocator, NeverGivesAByteTwice) {
  struct Taken {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  std::mt19937 random{7};
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  constexpr std::uint64_t kSize = 4096;
  RangeAllocator ranges{kSize};
  std::vector<bool> used(kSize);
  std::vector<Taken> taken;
  const auto mark = [&](const Taken& part, bool value) {
    for (std::uint64_t i = part.offset; i < part.offset + part.size; ++i) {
      ASSERT_NE(used[i], value);
      used[i] = value;
    }
  };
  for (int round = 0; round < 20'000; ++round) {
    if (below(2) == 0 && !taken.empty()) {
      std::swap(taken[below(taken.size())], taken.back());
      mark(taken.back(), false);
      ranges.give(taken.back().offset, taken.back().size);
      taken.pop_back();
      continue;
    }
    const std::uint64_t size = 1 + below(200);
    const std::uint64_t alignment = std::uint64_t{1} << below(9);
    const auto offset = ranges.take(size, alignment);
    if (!offset) {
      // There must be no place for it.
      for (std::uint64_t at = 0; at + size <= kSize; at += alignment) {
        bool fits = true;
        for (std::uint64_t i = at; i < at + size && fits; ++i) fits = !used[i];
        ASSERT_FALSE(fits) << at;
      }
      continue;
    }
    EXPECT_EQ(*offset % alignment, 0);
    ASSERT_LE(*offset + size, kSize);
    taken.push_back({*offset, size});
    mark(taken.back(), true);
  }
  for (const Taken& part : taken) ranges.give(part.offset, part.size);
  EXPECT_TRUE(ranges.is_unused());
}

}  // namespace
}  // namespace vyre::backends::vulkan
