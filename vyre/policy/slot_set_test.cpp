#include <vyre/policy/slot_set.hpp>

#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::policy {
namespace {

using testing::ElementsAre;

TEST(SlotSet, IsSortedAndUnique) {
  EXPECT_THAT((SlotSet{7, 3, 7, 0, 3}), ElementsAre(0, 3, 7));
  EXPECT_EQ((SlotSet{2, 1}), (SlotSet{1, 2, 2}));
  EXPECT_EQ(to_string(SlotSet{70, 1, 8}), "{1, 8, 70}");
  EXPECT_EQ(to_string(SlotSet{}), "{}");
}

/// Slots around every edge of the representation: inline and spilled, near and far.
std::vector<std::uint32_t> random_slots(std::mt19937_64& random) {
  constexpr std::uint32_t kEdges[] = {0, 1, 61, 62, 63, 64, 65, 127, 128, 0x7fff'ffff, 0xffff'fffe, 0xffff'ffff};
  std::vector<std::uint32_t> slots(random() % 14);
  for (std::uint32_t& slot : slots) {
    const std::uint64_t kind = random() % 3;
    slot = kind == 0   ? kEdges[random() % std::size(kEdges)]
           : kind == 1 ? static_cast<std::uint32_t>(random() % 70)
                       : static_cast<std::uint32_t>(random());
  }
  return slots;
}

TEST(SlotSet, BehavesAsAnOrderedSet) {
  std::mt19937_64 random{2};
  for (int i = 0; i < 200'000; ++i) {
    const std::vector<std::uint32_t> raw_a = random_slots(random);
    const std::vector<std::uint32_t> raw_b = random_slots(random);
    const std::set<std::uint32_t> a(raw_a.begin(), raw_a.end());
    const std::set<std::uint32_t> b(raw_b.begin(), raw_b.end());
    const SlotSet set_a{std::span<const std::uint32_t>{raw_a}};
    SlotSet set_b;
    for (const std::uint32_t slot : raw_b) set_b.insert(slot);

    std::vector<std::uint32_t> common;
    std::ranges::set_intersection(a, b, std::back_inserter(common));
    ASSERT_TRUE(std::ranges::equal(set_a, a));
    ASSERT_TRUE(std::ranges::equal(set_b, b));
    ASSERT_EQ(set_a == set_b, a == b);
    ASSERT_EQ(set_a.intersects(set_b), !common.empty());
    ASSERT_TRUE(std::ranges::equal(set_a.intersection(set_b), common));
    const auto probe = raw_b.empty() ? 63U : raw_b.front();
    ASSERT_EQ(set_a.contains(probe), a.contains(probe));
  }
}

TEST(SlotSet, CopiesAndMovesWhetherInlineOrSpilled) {
  std::mt19937_64 random{3};
  for (int i = 0; i < 10'000; ++i) {
    const std::vector<std::uint32_t> raw = random_slots(random);
    const SlotSet original{std::span<const std::uint32_t>{raw}};
    SlotSet copy = original;
    ASSERT_EQ(copy, original);
    const std::vector<std::uint32_t> other = random_slots(random);
    SlotSet assigned{std::span<const std::uint32_t>{other}};
    assigned = copy;
    ASSERT_EQ(assigned, original);
    const SlotSet moved = std::move(copy);
    ASSERT_EQ(moved, original);
    assigned.insert(5);
    ASSERT_TRUE(assigned.contains(5));
    ASSERT_EQ(moved, original);
  }
}

}  // namespace
}  // namespace vyre::policy
