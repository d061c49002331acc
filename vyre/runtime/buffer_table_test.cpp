#include <vyre/runtime/buffer_table.hpp>

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::runtime {
namespace {

using backend::BufferHandle;
using testing::ElementsAre;
using testing::Pair;

BufferHandle handle(std::uint32_t index) { return {.index = index, .generation = 1}; }

std::string refusal(BufferTable& table, const BufferView& view) {
  const auto found = table.find(view);
  return found ? "" : found.error().message;
}

TEST(BufferTable, FindsABufferByItsViewAndByPartsOfIt) {
  BufferTable table{7};
  std::array<std::byte, 64> memory = {};
  const BufferView view = table.insert(handle(3), 64, memory.data());
  EXPECT_EQ(view, (BufferView{.session = 7, .index = 1, .generation = 1, .offset = 0, .size = 64}));
  const BufferSlot* slot = table.find(view.bytes(16, 48)).value();
  EXPECT_EQ(slot->handle, handle(3));
  EXPECT_EQ(slot->size, 64);
  EXPECT_EQ(slot->mapped, memory.data());
  EXPECT_TRUE(table.has(view));
}

TEST(BufferTable, RefusesAViewThatNamesNoBufferOfTheSession) {
  BufferTable table{7};
  const BufferView view = table.insert(handle(3), 64, nullptr);
  BufferView other = view;
  other.session = 8;
  EXPECT_EQ(refusal(table, other), "the buffer belongs to another session");
  EXPECT_EQ(refusal(table, {}), "the view names no buffer");
  EXPECT_EQ(refusal(table, view.bytes(60, 8)), "a part of 8 bytes at 60 is taken of a view of 64 bytes");
  other = view;
  other.size = 65;
  EXPECT_EQ(refusal(table, other), "the view has 65 bytes at 0, the buffer has 64");
  other.size = 0;
  EXPECT_EQ(refusal(table, other), "the view has 0 bytes at 0, the buffer has 64");
}

TEST(BufferTable, ViewsOfARemovedBufferStayRefusedWhenItsPlaceIsTakenAgain) {
  BufferTable table{7};
  const BufferView first = table.insert(handle(3), 64, nullptr);
  table.remove(first.index);
  EXPECT_EQ(refusal(table, first), "the buffer was freed");
  const BufferView second = table.insert(handle(4), 64, nullptr);
  EXPECT_EQ(second.index, first.index);
  EXPECT_EQ(refusal(table, first), "the buffer was freed");
  EXPECT_EQ(refusal(table, second), "");
  EXPECT_THAT(table.handles(), ElementsAre(handle(4)));
}

TEST(BufferTable, SaysWhetherAViewCanBeBound) {
  BufferTable table{7};
  const BufferView view = table.insert(handle(3), 64, nullptr);
  const plan::PlannedBinding slot{.offset_mask = 15, .min_bytes = 8, .max_bytes = 32};
  EXPECT_NE(table.find_bindable(slot, view.bytes(16, 32)), nullptr);
  EXPECT_EQ(table.find_bindable(slot, view.bytes(8, 32)), nullptr) << "the offset is not aligned";
  EXPECT_EQ(table.find_bindable(slot, view.bytes(16, 4)), nullptr) << "the view is smaller than the slot's least";
  EXPECT_EQ(table.find_bindable(slot, view), nullptr) << "the view is larger than the slot's most";
  EXPECT_EQ(table.find_bindable(slot, view.bytes(48, 32)), nullptr) << "the part lies outside of its view";
}

TEST(BufferTable, RemembersWhichRangesTheLastBatchUses) {
  BufferTable table{7};
  const BufferView view = table.insert(handle(3), 64, nullptr);
  table.note_use(view.index, 0, 16, 1);
  table.note_use(view.index, 0, 16, 1);
  table.note_use(view.index, 32, 8, 1);
  const BufferSlot& slot = table[view.index];
  EXPECT_THAT(slot.used, ElementsAre(Pair(0, 16), Pair(32, 40)));
  table.note_use(view.index, 8, 4, 4);
  EXPECT_EQ(slot.last_batch, 4);
  EXPECT_EQ(slot.batch_before, 1);
  EXPECT_THAT(slot.used, ElementsAre(Pair(8, 12)));
  // A batch that comes again uses the ranges of the one before it.
  table.note_use_again(view.index, 5);
  EXPECT_EQ(slot.last_batch, 5);
  EXPECT_EQ(slot.batch_before, 4);
  EXPECT_THAT(slot.used, ElementsAre(Pair(8, 12)));
}

TEST(BufferTable, RemembersABoundedNumberOfRanges) {
  BufferTable table{7};
  const BufferView view = table.insert(handle(3), 1 << 20, nullptr);
  for (std::uint64_t i = 0; i < 2 * BufferTable::kMaxUsed; ++i) table.note_use(view.index, 8 * i, 4, 1);
  EXPECT_EQ(table[view.index].used.size(), BufferTable::kMaxUsed);
}

TEST(BufferTable, ListsTheBuffersOfABatchInOrder) {
  BufferTable table{7};
  for (std::uint32_t i = 0; i < 4; ++i) (void)table.insert(handle(i), 64, nullptr);
  for (const std::uint32_t buffer : {4U, 1U, 3U}) table.note_use(buffer, 0, 64, 9);
  table.note_use(2, 0, 64, 8);
  EXPECT_THAT(table.used_by(9), ElementsAre(1, 3, 4));
}

}  // namespace
}  // namespace vyre::runtime
