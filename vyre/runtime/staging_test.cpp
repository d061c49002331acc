#include <vyre/runtime/staging.hpp>

#include <cstring>

#include <gtest/gtest.h>

#include <backends/fake/driver_rig.hpp>

namespace vyre::runtime {
namespace {

class StagingTest : public testing::Test {
 protected:
  ~StagingTest() override { staging_.free(device_); }

  Staging::Piece take(std::uint64_t size, std::uint64_t batch, std::uint64_t done = 0) {
    return staging_.take(device_, size, batch, done).value();
  }

  backend::Device device_{backends::fake::open_fake(), {.memory_budget = std::uint64_t{40} << 20}};
  Staging staging_{backend::Memory::Upload};
};

TEST_F(StagingTest, PiecesOfABatchShareABlock) {
  const Staging::Piece first = take(100, 1);
  const Staging::Piece second = take(100, 1);
  EXPECT_EQ(first.buffer, second.buffer);
  EXPECT_EQ(first.offset, 0);
  EXPECT_EQ(second.offset, 112) << "pieces begin at multiples of 16";
  EXPECT_EQ(second.bytes, first.bytes + 112);
  std::memset(second.bytes, 1, 100);  // The memory is there.
  EXPECT_EQ(device_.usage().buffers, 1);
}

TEST_F(StagingTest, BatchesHaveBlocksOfTheirOwnUntilTheyAreDone) {
  const Staging::Piece first = take(100, 1);
  EXPECT_NE(take(100, 2).buffer, first.buffer);
  EXPECT_EQ(device_.usage().buffers, 2);
  // A batch that comes again finds the piece that it had before.
  const Staging::Piece again = take(100, 3, 1);
  EXPECT_EQ(again.buffer, first.buffer);
  EXPECT_EQ(again.offset, first.offset);
  EXPECT_EQ(device_.usage().buffers, 2);
}

TEST_F(StagingTest, ManyPendingBatchesShareBlocks) {
  for (std::uint64_t batch = 1; batch <= 200; ++batch) (void)take(16, batch);
  EXPECT_EQ(device_.usage().buffers, 64);
}

TEST_F(StagingTest, ALargePieceHasALargeBlock) {
  (void)take(std::uint64_t{1} << 20, 1);
  EXPECT_EQ(staging_.size(), std::uint64_t{1} << 20);
  staging_.free(device_);
  EXPECT_EQ(staging_.size(), 0);
  EXPECT_EQ(device_.usage().buffers, 0);
}

TEST_F(StagingTest, GivesTheDevicesErrorWhereThereIsNoMemory) {
  (void)take(Staging::kMaxPiece, 1);
  (void)take(Staging::kMaxPiece, 2);
  const Result<Staging::Piece> refused = staging_.take(device_, Staging::kMaxPiece, 3, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::OutOfMemory);
  EXPECT_EQ(staging_.size(), 2 * Staging::kMaxPiece);
}

}  // namespace
}  // namespace vyre::runtime
