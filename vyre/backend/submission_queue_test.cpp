#include <vyre/backend/submission_queue.hpp>

#include <chrono>
#include <memory>

#include <gtest/gtest.h>

#include <backends/fake/driver_rig.hpp>

namespace vyre::backend {
namespace {

using std::chrono::nanoseconds;

/// A table that counts how often one was released.
struct CountingTable final : ListTable {
  explicit CountingTable(int& count) noexcept : released{count} {}
  void release() noexcept override {
    ++released;
    delete this;
  }
  int& released;
};

class SubmissionQueueTest : public testing::Test {
 protected:
  SubmissionQueueTest() : rig_{backends::fake::open_fake({.costs = {.start_ns = 100}})} {
    list_.fill({.buffer = rig_.buffer(64)}, 0);
  }
  /// Launches a list that runs once, with a table.
  void launch(SubmissionQueue& queue) {
    LoweredList once{.commands = rig_.record(list_, Reuse::Once).value()};
    once.table.reset(new CountingTable{released_});
    DriverRecording& commands = *once.commands;
    ASSERT_TRUE(queue.launch(std::array{&commands}, {std::move(once)}, {}));
  }

  backends::fake::DriverRig rig_;
  CommandList list_;
  int released_ = 0;
};

TEST_F(SubmissionQueueTest, KeepsAListUntilItsSubmissionIsDone) {
  SubmissionQueue queue{*rig_.driver, 0, 64};
  // More than there is room for at first.
  for (int i = 0; i < 100; ++i) launch(queue);
  EXPECT_EQ(queue.issued(), 100U);
  EXPECT_EQ(queue.pending(), 100U);
  EXPECT_EQ(released_, 0);
  ASSERT_TRUE(queue.wait(60, nanoseconds::max()));
  EXPECT_EQ(queue.done(), 60U);
  EXPECT_EQ(released_, 60);
  for (int i = 0; i < 100; ++i) launch(queue);
  ASSERT_TRUE(queue.wait(200, nanoseconds::max()));
  EXPECT_EQ(released_, 200);
  EXPECT_EQ(queue.pending(), 0U);
}

TEST_F(SubmissionQueueTest, WaitsForTheOldestWhereTooManyArePending) {
  SubmissionQueue queue{*rig_.driver, 1, 2};
  ASSERT_TRUE(queue.make_room(nanoseconds::zero()));
  launch(queue);
  ASSERT_TRUE(queue.make_room(nanoseconds::zero()));
  launch(queue);
  const auto full = queue.make_room(nanoseconds::zero());
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::TimedOut);
  EXPECT_EQ(full.error().message, "2 submissions are pending on queue 1, that is the limit");
  ASSERT_TRUE(queue.make_room(nanoseconds::max()));
  EXPECT_EQ(queue.pending(), 1U);
}

TEST_F(SubmissionQueueTest, AWaitThatTimesOutCancelsNothing) {
  SubmissionQueue queue{*rig_.driver, 0, 2};
  launch(queue);
  const auto early = queue.wait(1, nanoseconds{1});
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().message, "ticket 1 of queue 0 is not done after 1 ns");
  EXPECT_EQ(released_, 0);
  ASSERT_TRUE(queue.wait(1, nanoseconds::max()));
  EXPECT_EQ(released_, 1);
}

}  // namespace
}  // namespace vyre::backend
