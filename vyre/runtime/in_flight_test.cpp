#include <vyre/runtime/in_flight.hpp>

#include <chrono>

#include <gtest/gtest.h>

#include <backends/fake/driver_rig.hpp>

namespace vyre::runtime {
namespace {

using backend::CommandList;

class InFlightTest : public testing::Test {
 protected:
  InFlightTest() : buffer_{device_.allocate({.size = 1'024}).value()} { list_.fill({.buffer = buffer_}, 7); }

  /// Launches a batch that takes the device 1,000 ns for each arm.
  Result<void> launch(std::uint64_t batch, std::size_t arms = 1) {
    return in_flight_.launch({.batch = batch}, arms, {}, backend::kForever,
                             [&](std::uint32_t, const backend::SubmitOptions& options) {
                               waits_.push_back(options.after.size());
                               return device_.submit(list_, options);
                             });
  }
  std::vector<std::uint64_t> complete(std::uint64_t upto) {
    std::vector<std::uint64_t> numbers;
    in_flight_.complete(upto, [&](const PendingBatch& each) { numbers.push_back(each.batch); });
    return numbers;
  }

  backend::Device device_{backends::fake::open_fake({.costs = {.copy_ns = 1'000}, .queues = 2}), {}};
  backend::BufferHandle buffer_;
  CommandList list_;
  InFlight in_flight_{device_};
  std::vector<std::size_t> waits_;  // By submission: tickets of other queues it is behind.
};

TEST_F(InFlightTest, IsEmptyAtFirst) {
  EXPECT_TRUE(in_flight_.empty());
  EXPECT_EQ(in_flight_.last(), 0);
  EXPECT_EQ(in_flight_.poll().value(), 0);
  EXPECT_EQ(in_flight_.wait(5, backend::kForever).value(), 0);
}

TEST_F(InFlightTest, KnowsWhatHasCompleted) {
  ASSERT_TRUE(launch(1));
  ASSERT_TRUE(launch(2));
  EXPECT_EQ(in_flight_.size(), 2);
  EXPECT_EQ(in_flight_.poll().value(), 0);
  EXPECT_EQ(in_flight_.wait(1, backend::kForever).value(), 1);
  EXPECT_EQ(complete(1), std::vector<std::uint64_t>{1});
  EXPECT_EQ(in_flight_.done(), 1);
  EXPECT_FALSE(in_flight_.is_pending(1));
  EXPECT_TRUE(in_flight_.is_pending(2));
  EXPECT_EQ(in_flight_.last(), 2);
  EXPECT_EQ(in_flight_.wait(9, backend::kForever).value(), 2);
  EXPECT_EQ(in_flight_.poll().value(), 2);
}

TEST_F(InFlightTest, EverySubmissionIsBehindTheOtherQueues) {
  ASSERT_TRUE(launch(1, 2));
  ASSERT_TRUE(launch(2, 2));
  // The arms of the first batch have nothing before them; those of the second wait for the other queue.
  EXPECT_EQ(waits_, (std::vector<std::size_t>{0, 0, 1, 1}));
  EXPECT_EQ(in_flight_.counts().submitted, 4);
}

TEST_F(InFlightTest, SubmissionsOfOneBatchCountAsOneBatch) {
  ASSERT_TRUE(launch(1));
  ASSERT_TRUE(launch(1));
  EXPECT_EQ(in_flight_.size(), 1);
  ASSERT_TRUE(in_flight_.wait(1, backend::kForever));
  EXPECT_EQ(complete(1), std::vector<std::uint64_t>{1});
  EXPECT_EQ(in_flight_.counts().completed, 2);
}

TEST_F(InFlightTest, AnArmThatFailsLeavesTheOthersPending) {
  const Result<void> launched = in_flight_.launch(
      {.batch = 1}, 2, {}, backend::kForever, [&](std::uint32_t arm, const backend::SubmitOptions& options) {
        return arm == 0 ? device_.submit(list_, options) : fail(ErrorCode::OutOfMemory, "no room");
      });
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().code, ErrorCode::OutOfMemory);
  EXPECT_EQ(in_flight_.last(), 1);
  EXPECT_EQ(in_flight_.counts().submitted, 1);
}

TEST_F(InFlightTest, ABatchWithoutSubmissionsIsNotPending) {
  const Result<void> launched =
      in_flight_.launch({.batch = 1}, 1, {}, backend::kForever,
                        [](std::uint32_t, const backend::SubmitOptions&) -> Result<backend::Ticket> {
                          return fail(ErrorCode::OutOfMemory, "no room");
                        });
  EXPECT_FALSE(launched);
  EXPECT_TRUE(in_flight_.empty());
}

TEST_F(InFlightTest, AWaitThatIsTooShortLeavesTheBatchPending) {
  ASSERT_TRUE(launch(1));
  const Result<std::uint64_t> waited = in_flight_.wait(1, std::chrono::nanoseconds{10});
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ErrorCode::TimedOut);
  EXPECT_EQ(in_flight_.last(), 1);
}

TEST_F(InFlightTest, CountsRestartWithoutWhatIsPending) {
  ASSERT_TRUE(launch(1));
  in_flight_.restart_counts();
  ASSERT_TRUE(launch(2));
  ASSERT_TRUE(in_flight_.wait(2, backend::kForever));
  complete(2);
  EXPECT_EQ(in_flight_.counts().submitted, 1);
  EXPECT_EQ(in_flight_.counts().completed, 1);
}

}  // namespace
}  // namespace vyre::runtime
