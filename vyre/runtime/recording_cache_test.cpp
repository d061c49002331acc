#include <vyre/runtime/recording_cache.hpp>

#include <memory>

#include <gtest/gtest.h>

#include <backends/fake/driver_rig.hpp>

namespace vyre::runtime {
namespace {

using backend::BufferHandle;
using backend::CommandList;
using choice::Way;
using plan::Batch;

class RecordingCacheTest : public testing::Test {
 protected:
  /// A batch that fills a buffer; equal numbers make equal batches.
  Batch fill(BufferHandle buffer, std::uint32_t pattern) {
    Batch batch{.hash = pattern, .gathered_at = ++batches_};
    batch.list.fill({.buffer = buffer}, pattern);
    return batch;
  }
  BufferHandle buffer() { return device_.allocate({.size = 64}).value(); }
  Result<KeptBatch*> keep(RecordingCache& cache, const Batch& batch, Way way = Way::Replay) {
    return cache.keep({.hash = batch.hash, .way = way, .list = batch.list, .plan = {.arms = 1}}, {&batch.list, 1});
  }

  backend::Device device_{backends::fake::open_fake(), {}};
  std::uint64_t batches_ = 0;
};

TEST_F(RecordingCacheTest, FindsExactlyTheBatchAndTheWay) {
  RecordingCache cache{device_, {.recordings = 4, .bytes = 1 << 20}};
  const BufferHandle a = buffer();
  ASSERT_TRUE(keep(cache, fill(a, 1)));
  EXPECT_NE(cache.find(fill(a, 1), Way::Replay), nullptr);
  EXPECT_EQ(cache.find(fill(a, 1), Way::Merged), nullptr);
  EXPECT_EQ(cache.find(fill(a, 2), Way::Replay), nullptr);
  // Equal hashes are not enough.
  Batch other = fill(buffer(), 1);
  EXPECT_EQ(cache.find(other, Way::Replay), nullptr);
  EXPECT_EQ(device_.usage().recordings, 1);
}

TEST_F(RecordingCacheTest, DropsTheLeastRecentlyUsed) {
  RecordingCache cache{device_, {.recordings = 2, .bytes = 1 << 20}};
  const BufferHandle a = buffer();
  ASSERT_TRUE(keep(cache, fill(a, 1)));
  ASSERT_TRUE(keep(cache, fill(a, 2)));
  ASSERT_NE(cache.find(fill(a, 1), Way::Replay), nullptr);
  ASSERT_TRUE(keep(cache, fill(a, 3)));
  EXPECT_NE(cache.find(fill(a, 1), Way::Replay), nullptr);
  EXPECT_EQ(cache.find(fill(a, 2), Way::Replay), nullptr);
  EXPECT_NE(cache.find(fill(a, 3), Way::Replay), nullptr);
  EXPECT_EQ(device_.usage().recordings, 2);
}

TEST_F(RecordingCacheTest, IsBoundedByBytesButAlwaysKeepsOne) {
  RecordingCache cache{device_, {.recordings = 8, .bytes = 1}};
  const BufferHandle a = buffer();
  ASSERT_TRUE(keep(cache, fill(a, 1)));
  EXPECT_EQ(cache.batches().size(), 1);
  ASSERT_TRUE(keep(cache, fill(a, 2)));
  EXPECT_EQ(cache.batches().size(), 1);
  EXPECT_NE(cache.find(fill(a, 2), Way::Replay), nullptr);
}

TEST_F(RecordingCacheTest, ForgetsWhatNamesABuffer) {
  RecordingCache cache{device_, {.recordings = 8, .bytes = 1 << 20}};
  const BufferHandle a = buffer();
  const BufferHandle b = buffer();
  ASSERT_TRUE(keep(cache, fill(a, 1)));
  ASSERT_TRUE(keep(cache, fill(b, 2)));
  cache.forget(a);
  EXPECT_EQ(cache.find(fill(a, 1), Way::Replay), nullptr);
  EXPECT_NE(cache.find(fill(b, 2), Way::Replay), nullptr);
  EXPECT_EQ(device_.usage().recordings, 1);
}

TEST_F(RecordingCacheTest, KeepsNothingOfABatchThatTheDeviceRefuses) {
  RecordingCache cache{device_, {.recordings = 8, .bytes = 1 << 20}};
  const BufferHandle a = buffer();
  const std::array arms{fill(a, 1).list, fill(BufferHandle{}, 2).list};
  const Result<KeptBatch*> kept = cache.keep({.hash = 1, .list = arms[0], .plan = {.arms = 2}}, arms);
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ErrorCode::InvalidArgument);
  EXPECT_TRUE(cache.batches().empty());
  EXPECT_EQ(device_.usage().recordings, 0);
}

TEST_F(RecordingCacheTest, FindsATableByItsShape) {
  RecordingCache cache{device_, {.recordings = 8, .bytes = 1 << 20}};
  const BufferHandle a = buffer();
  ASSERT_TRUE(keep(cache, fill(a, 1), Way::Table));
  const auto is_fixed = [](backend::PipelineHandle) { return false; };
  EXPECT_NE(cache.find_table(1, fill(a, 1).list, is_fixed), nullptr);
  EXPECT_EQ(cache.find_table(2, fill(a, 1).list, is_fixed), nullptr);
  EXPECT_EQ(cache.find_table(1, fill(a, 2).list, is_fixed), nullptr);  // Fills are in no table.
}

TEST_F(RecordingCacheTest, FreesItsRecordingsWhenItEnds) {
  {
    RecordingCache cache{device_, {.recordings = 8, .bytes = 1 << 20}};
    ASSERT_TRUE(keep(cache, fill(buffer(), 1)));
    EXPECT_EQ(device_.usage().recordings, 1);
  }
  EXPECT_EQ(device_.usage().recordings, 0);
}

}  // namespace
}  // namespace vyre::runtime
