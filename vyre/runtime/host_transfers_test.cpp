#include <vyre/runtime/host_transfers.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_rig.hpp"

namespace vyre::runtime {
namespace {

using testing::Each;

class HostTransfersTest : public testing::Test {
 protected:
  HostTransfersTest() { std::ranges::fill(rig_.numbers(data_), 1U); }

  HostTransfers::Work work() { return {.builder = builder_, .buffers = rig_.buffers, .done = done_}; }
  /// Runs the batch at hand to its end; the next begins.
  void run_batch() {
    ASSERT_TRUE(rig_.device.submit(builder_.batch().list));
    ASSERT_TRUE(rig_.device.wait_idle());
    done_ = builder_.number();
    builder_.next();
  }
  [[nodiscard]] std::size_t copies() const { return builder_.batch().copies; }
  static std::span<std::byte> bytes(std::span<std::uint32_t> numbers) { return std::as_writable_bytes(numbers); }

  tests::StageRig rig_;
  BufferView data_ = rig_.buffer(64);
  BatchBuilder builder_{100};
  HostTransfers transfers_{rig_.device};
  std::uint64_t done_ = 0;
  std::array<std::uint32_t, 16> host_ = {};
};

TEST_F(HostTransfersTest, ADirectReadIsDeliveredWithItsTicket) {
  ASSERT_TRUE(transfers_.read(work(), data_, bytes(host_)));
  EXPECT_TRUE(transfers_.has_reads());
  EXPECT_EQ(copies(), 0) << "nothing is copied in the batch";
  builder_.next();
  transfers_.promise(1);
  EXPECT_EQ(transfers_.awaited_for(1), 1);
  std::ranges::fill(rig_.numbers(data_), 5U);
  transfers_.deliver_direct(rig_.buffers, 0);
  EXPECT_THAT(host_, Each(0)) << "it was promised for ticket 1";
  transfers_.deliver_direct(rig_.buffers, 1);
  EXPECT_THAT(host_, Each(5));
  EXPECT_FALSE(transfers_.has_reads());
}

TEST_F(HostTransfersTest, AReadOfBytesThatAreWrittenNextBecomesACopyBeforeThat) {
  ASSERT_TRUE(transfers_.read(work(), data_, bytes(host_)));
  ASSERT_TRUE(transfers_.before_write(work(), data_.index, 64, 64)) << "other bytes";
  EXPECT_EQ(copies(), 0);
  ASSERT_TRUE(transfers_.before_write(work(), data_.index, 60, 4));
  EXPECT_EQ(copies(), 1);
  builder_.add(backend::Fill{.range = {.buffer = rig_.buffers[data_.index].handle, .size = 64}, .pattern = 9});
  // The batch has the copy first; a planner would put a barrier behind it.
  const plan::Batch& batch = builder_.batch();
  backend::CommandList list;
  list.append(batch.list, batch.list.commands()[0]);
  list.barrier();
  list.append(batch.list, batch.list.commands()[1]);
  ASSERT_TRUE(rig_.device.submit(list));
  ASSERT_TRUE(rig_.device.wait_idle());
  transfers_.deliver_staged(1);
  EXPECT_THAT(host_, Each(1)) << "the bytes from before the fill";
  EXPECT_THAT(rig_.numbers(data_), Each(9));
}

TEST_F(HostTransfersTest, AReadStagedInALaterBatchAwaitsThatBatch) {
  ASSERT_TRUE(transfers_.read(work(), data_, bytes(host_)));
  builder_.next();
  transfers_.promise(1);
  ASSERT_TRUE(transfers_.before_write(work(), data_.index, 0, 4));
  EXPECT_EQ(transfers_.awaited_for(1), 2);
  EXPECT_EQ(transfers_.awaited_for(0), 0);
  run_batch();
  transfers_.deliver_staged(2);
  EXPECT_THAT(host_, Each(1));
}

TEST_F(HostTransfersTest, TheNextReadOfABufferThatIsWrittenAheadIsStagedAtTheFlush) {
  ASSERT_TRUE(transfers_.read(work(), data_, bytes(host_)));
  builder_.next();
  transfers_.promise(1);
  ASSERT_TRUE(transfers_.before_write(work(), data_.index, 0, 4));
  builder_.next();
  std::array<std::uint32_t, 16> again = {};
  ASSERT_TRUE(transfers_.read(work(), data_, bytes(again)));
  ASSERT_TRUE(transfers_.stage_for_flush(work()));
  EXPECT_EQ(copies(), 1);
  transfers_.promise(3);
  EXPECT_EQ(transfers_.awaited_for(3), 3) << "a wait for the ticket needs no later batch";
}

TEST_F(HostTransfersTest, ReadsAreDirectAgainOnceOneIsAwaitedBeforeTheNextBatch) {
  BufferSlot& slot = rig_.buffers[data_.index];
  std::array<std::uint32_t, 16> second = {};
  ASSERT_TRUE(transfers_.read(work(), data_, bytes(host_)));
  builder_.next();
  transfers_.promise(1);
  ASSERT_TRUE(transfers_.before_write(work(), data_.index, 0, 4));
  transfers_.note_wait(rig_.buffers, 1);
  EXPECT_TRUE(slot.is_read_ahead) << "the first read was staged in the second batch";
  ASSERT_TRUE(transfers_.read(work(), data_, bytes(second)));
  ASSERT_TRUE(transfers_.stage_for_flush(work()));
  run_batch();
  transfers_.promise(2);
  rig_.buffers.note_use(data_.index, 0, 64, 3);
  transfers_.note_wait(rig_.buffers, 2);
  EXPECT_TRUE(slot.is_read_ahead) << "the third batch uses the buffer before the second read is awaited";
  transfers_.deliver_staged(2);
  ASSERT_TRUE(transfers_.read(work(), data_, bytes(second)));
  ASSERT_TRUE(transfers_.stage_for_flush(work()));
  transfers_.note_wait(rig_.buffers, 2);
  EXPECT_TRUE(slot.is_read_ahead) << "nobody waits for the third read";
  transfers_.note_wait(rig_.buffers, 3);
  EXPECT_FALSE(slot.is_read_ahead);
}

TEST_F(HostTransfersTest, ReadsIntoTheSameMemoryArriveInOrder) {
  const BufferView other = rig_.buffer(64);
  std::ranges::fill(rig_.numbers(other), 2U);
  ASSERT_TRUE(transfers_.read(work(), data_, bytes(host_)));
  ASSERT_TRUE(transfers_.read(work(), other, bytes(host_)));
  EXPECT_EQ(copies(), 2) << "both are staged";
  run_batch();
  transfers_.deliver_staged(1);
  EXPECT_THAT(host_, Each(2));
}

TEST_F(HostTransfersTest, AStagedReadIsACopyIntoSharedMemory) {
  ASSERT_TRUE(transfers_.read_staged(work(), data_, bytes(host_)));
  EXPECT_EQ(copies(), 1);
  EXPECT_EQ(rig_.buffers[data_.index].last_batch, 1) << "the batch uses the buffer";
  run_batch();
  transfers_.deliver_staged(0);
  EXPECT_THAT(host_, Each(0)) << "its batch is not known to have completed";
  transfers_.deliver_staged(1);
  EXPECT_THAT(host_, Each(1));
}

TEST_F(HostTransfersTest, UploadsAreCopiedFromSharedMemory) {
  host_.fill(4);
  const Staging::Piece piece = transfers_.upload(work(), bytes(host_)).value();
  host_.fill(5);  // The source may go at once.
  builder_.add(backend::Copy{
      .from = piece.buffer, .to = rig_.buffers[data_.index].handle, .from_offset = piece.offset, .size = 64});
  run_batch();
  EXPECT_THAT(rig_.numbers(data_), Each(4));
}

TEST_F(HostTransfersTest, AFailedBatchTakesItsReadsWithIt) {
  std::array<std::uint32_t, 16> later = {};
  ASSERT_TRUE(transfers_.read_staged(work(), data_, bytes(host_)));
  run_batch();
  ASSERT_TRUE(transfers_.read_staged(work(), data_, bytes(later)));
  transfers_.drop_failed(2);
  transfers_.deliver_staged(2);
  EXPECT_THAT(host_, Each(1));
  EXPECT_THAT(later, Each(0));
  ASSERT_TRUE(transfers_.read(work(), data_, bytes(later)));
  transfers_.drop();
  EXPECT_FALSE(transfers_.has_reads());
}

TEST_F(HostTransfersTest, AReadThatCannotBeStagedLeavesNothingBehind) {
  tests::StageRig small{{}, {.memory_budget = 100'000}};
  const BufferView data = small.buffer(64);
  HostTransfers transfers{small.device};
  const HostTransfers::Work here{.builder = builder_, .buffers = small.buffers};
  const Result<void> refused = transfers.read_staged(here, data, bytes(host_));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::OutOfMemory);
  EXPECT_FALSE(transfers.has_reads());
  EXPECT_TRUE(builder_.empty());
}

TEST_F(HostTransfersTest, GivesMuchStagingMemoryBack) {
  std::vector<std::byte> large(Staging::kMaxPiece);
  std::uint64_t used = 0;
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(transfers_.must_trim());
    ASSERT_TRUE(transfers_.upload(work(), large));
    used = rig_.device.usage().bytes;
  }
  ASSERT_TRUE(transfers_.must_trim()) << "80 MiB are in use";
  transfers_.trim();
  EXPECT_FALSE(transfers_.must_trim());
  EXPECT_LT(rig_.device.usage().bytes, used);
}

}  // namespace
}  // namespace vyre::runtime
