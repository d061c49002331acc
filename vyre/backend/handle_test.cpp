#include <vyre/backend/handle.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

namespace vyre::backend {
namespace {

using Table = HandleTable<std::unique_ptr<std::uint64_t>, BufferTag>;

BufferHandle put(Table& table, std::uint64_t value) {
  return table.insert(std::make_unique<std::uint64_t>(value)).value();
}

TEST(HandleTable, FindsWhatWasInsertedUntilItIsRemoved) {
  Table table;
  const BufferHandle seven = put(table, 7);
  const BufferHandle eight = put(table, 8);
  ASSERT_NE(table.find(seven), nullptr);
  EXPECT_EQ(**table.find(seven), 7U);
  EXPECT_EQ(*table.at(eight), 8U);
  EXPECT_EQ(table.size(), 2U);

  EXPECT_EQ(*table.remove(seven).value(), 7U);
  EXPECT_EQ(table.find(seven), nullptr);
  EXPECT_FALSE(table.remove(seven).has_value());
  EXPECT_EQ(**table.find(eight), 8U);
  EXPECT_EQ(table.size(), 1U);
}

TEST(HandleTable, UsesAPlaceAgainWithAnotherGeneration) {
  Table table;
  const BufferHandle old = put(table, 1);
  ASSERT_TRUE(table.remove(old).has_value());
  const BufferHandle current = put(table, 2);
  EXPECT_EQ(current.index, old.index);
  EXPECT_NE(current.generation, old.generation);
  EXPECT_EQ(table.find(old), nullptr);
  EXPECT_FALSE(table.remove(old).has_value());
  EXPECT_EQ(**table.find(current), 2U);
}

TEST(HandleTable, RefusesHandlesItNeverGave) {
  Table table;
  EXPECT_EQ(table.find({}), nullptr);
  EXPECT_EQ(table.find({.index = 0, .generation = 1}), nullptr);

  const BufferHandle handle = put(table, 1);
  EXPECT_EQ(table.find({}), nullptr);
  for (const std::uint32_t generation : {0U, 2U, 3U, 0xffff'fffeU, 0xffff'ffffU}) {
    EXPECT_EQ(table.find({.index = handle.index, .generation = generation}), nullptr) << generation;
  }
  constexpr auto kMax = static_cast<std::uint32_t>(Table::kMaxObjects);
  for (const std::uint32_t index : {1U, 63U, 64U, 191U, 192U, kMax - 1, kMax, 0xffff'ffffU}) {
    const BufferHandle stranger{.index = index, .generation = handle.generation};
    EXPECT_EQ(table.find(stranger), nullptr) << index;
    EXPECT_FALSE(table.remove(stranger).has_value()) << index;
  }
  EXPECT_EQ(table.size(), 1U);
}

TEST(HandleTable, KeepsObjectsWhereTheyAreWhileItGrows) {
  Table table;
  constexpr std::size_t kMany = 3000;  // In several chunks.
  const BufferHandle first = put(table, 0);
  const std::unique_ptr<std::uint64_t>* place = table.find(first);
  std::unordered_set<BufferHandle> handles{first};
  for (std::uint64_t i = 1; i < kMany; ++i) handles.insert(put(table, i));
  EXPECT_EQ(handles.size(), kMany);
  EXPECT_EQ(table.size(), kMany);
  EXPECT_EQ(table.find(first), place);
}

TEST(HandleTable, InsertsNothingBeyondItsLimit) {
  HandleTable<char, BufferTag> table;
  for (std::size_t i = 0; i < Table::kMaxObjects; ++i) ASSERT_TRUE(table.insert('x').has_value());
  EXPECT_FALSE(table.insert('y').has_value());
  ASSERT_TRUE(table.remove({.index = 5, .generation = 1}).has_value());
  EXPECT_EQ(table.insert('y'), (BufferHandle{.index = 5, .generation = 3}));
}

TEST(HandleTableThreads, InsertFindAndRemoveAtOnce) {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kRounds = 200;
  constexpr std::uint64_t kHeld = 16;
  Table table;
  const BufferHandle shared = put(table, 42);
  std::atomic<std::uint64_t> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::uint64_t round = 0; round < kRounds; ++round) {
          const std::uint64_t mark = thread * kRounds + round;
          std::vector<BufferHandle> held;
          for (std::uint64_t i = 0; i < kHeld; ++i) held.push_back(put(table, mark));
          for (const BufferHandle handle : held) {
            const auto* mine = table.find(handle);
            const auto* common = table.find(shared);
            if (mine == nullptr || **mine != mark || common == nullptr || **common != 42) ++wrong;
            const auto removed = table.remove(handle);
            if (!removed || **removed != mark || table.find(handle) != nullptr) ++wrong;
          }
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(table.size(), 1U);
}

}  // namespace
}  // namespace vyre::backend
