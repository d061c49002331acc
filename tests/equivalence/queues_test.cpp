#include <cstdint>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/equivalence/hazard_driver.hpp"

// Arms that share nothing run on queues of their own, where the device has them.

namespace vyre::tests {
namespace {

using runtime::Session;

struct Outcome {
  std::shared_ptr<HazardReport> hazards = std::make_shared<HazardReport>();
  std::uint64_t elapsed_ns = 0;
};

/// Fills `steps` times, in turn into `buffers` buffers, in `rounds` batches.
Outcome run(std::size_t buffers, int steps, int rounds) {
  Outcome outcome;
  const std::shared_ptr<backend::Device> device =
      open_fake({.costs = {.copy_ns = 100'000},
                 .decorate = [&](auto inner) { return make_hazard_driver(std::move(inner), outcome.hazards); }});
  Session session = Session::open(device).value();
  std::vector<runtime::BufferView> views;
  for (std::size_t i = 0; i < buffers; ++i) views.push_back(session.bytes(64).value());
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < steps; ++i) {
      EXPECT_TRUE(
          session.fill(views[static_cast<std::size_t>(i) % buffers], static_cast<std::uint32_t>(i) * 0x0101'0101U));
    }
    EXPECT_TRUE(session.flush());
  }
  std::vector<std::byte> last(64);
  EXPECT_TRUE(session.read_bytes(views.back(), last));
  outcome.elapsed_ns = session.finish().value().elapsed_ns;
  EXPECT_THAT(last, testing::Each(std::byte{static_cast<std::uint8_t>(steps - 1)}));
  return outcome;
}

TEST(Queues, TakeArmsThatShareNothing) {
  constexpr int kSteps = 40;
  constexpr int kRounds = 5;
  const Outcome together = run(1, kSteps, kRounds);
  const Outcome apart = run(2, kSteps, kRounds);
  EXPECT_EQ(together.hazards->launches_elsewhere, 0U);
  EXPECT_EQ(apart.hazards->launches_elsewhere, static_cast<std::uint64_t>(kRounds));
  EXPECT_THAT(apart.hazards->unordered, testing::IsEmpty());
  // On a clock without noise: half the work on each of two queues takes about half the time.
  EXPECT_LT(apart.elapsed_ns, together.elapsed_ns * 6 / 10);
}

TEST(Queues, WaitForWhatOtherQueuesDidBefore) {
  const auto hazards = std::make_shared<HazardReport>();
  const std::shared_ptr<backend::Device> device =
      open_fake({.decorate = [&](auto inner) { return make_hazard_driver(std::move(inner), hazards); }});
  Session session = Session::open(device).value();
  const runtime::BufferView a = session.bytes(64).value();
  const runtime::BufferView b = session.bytes(64).value();
  const runtime::BufferView c = session.bytes(64).value();
  const runtime::BufferView d = session.bytes(64).value();
  for (std::uint32_t i = 1; i < 50; ++i) {
    EXPECT_TRUE(session.fill(a, i * 0x0101'0101U));
    EXPECT_TRUE(session.fill(b, (100 + i) * 0x0101'0101U));
    EXPECT_TRUE(session.flush());
    // Each reads what the other queue wrote.
    EXPECT_TRUE(session.copy(b, c));
    EXPECT_TRUE(session.copy(a, d));
    EXPECT_TRUE(session.flush());
  }
  std::vector<std::byte> last(64);
  EXPECT_TRUE(session.read_bytes(c, last));
  EXPECT_TRUE(session.finish());
  EXPECT_THAT(last, testing::Each(std::byte{149}));
  EXPECT_GT(hazards->launches_elsewhere, 0U);
  EXPECT_THAT(hazards->unordered, testing::IsEmpty());
}

}  // namespace
}  // namespace vyre::tests
