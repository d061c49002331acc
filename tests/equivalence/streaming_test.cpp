#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>

#include "tests/equivalence/devices.hpp"

// A loop that writes, works and reads every frame, with several frames pending.

namespace vyre::tests {
namespace {

using runtime::Session;

constexpr std::size_t kBytes = 4096;
constexpr std::uint32_t kFrames = 400;

class Streaming : public testing::TestWithParam<bool> {};

TEST_P(Streaming, IsReplayedAlthoughFramesArePending) {
  const std::shared_ptr<backend::Device> device = open_vulkan({.map_device_memory = GetParam()}).value();
  Session session = Session::open(device).value();
  const runtime::BufferView in = session.bytes(kBytes).value();
  const runtime::BufferView out = session.bytes(kBytes).value();
  struct Frame {
    std::byte value = {};
    runtime::SessionTicket ticket = {};
    std::vector<std::byte> result = std::vector<std::byte>(kBytes);
  };
  std::deque<Frame> frames;
  const auto finish_oldest = [&] {
    EXPECT_TRUE(session.wait(frames.front().ticket));
    EXPECT_THAT(frames.front().result, testing::Each(frames.front().value));
    frames.pop_front();
  };
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    Frame& frame = frames.emplace_back(Frame{.value = std::byte{static_cast<std::uint8_t>(i)}});
    ASSERT_TRUE(session.write_bytes(in, std::vector<std::byte>(kBytes, frame.value)));
    ASSERT_TRUE(session.copy(in, out));
    ASSERT_TRUE(session.read_bytes(out, frame.result));
    frame.ticket = session.flush().value();
    if (frames.size() > 3) finish_oldest();
  }
  while (!frames.empty()) finish_oldest();
  const report::RunReport report = session.finish().value();
  EXPECT_GT(report.replays, std::uint64_t{kFrames} * 9 / 10) << to_text(report);
}

TEST_P(Streaming, ReadsIntoTheSameMemoryComeInOrder) {
  const std::shared_ptr<backend::Device> device = open_vulkan({.map_device_memory = GetParam()}).value();
  Session session = Session::open(device).value();
  const runtime::BufferView a = session.bytes(kBytes).value();
  const runtime::BufferView b = session.bytes(kBytes).value();
  ASSERT_TRUE(session.fill(a, 0x0101'0101U));
  ASSERT_TRUE(session.fill(b, 0x0202'0202U));
  std::vector<std::byte> host(kBytes);
  ASSERT_TRUE(session.read_bytes(a, host));
  ASSERT_TRUE(session.read_bytes(b, host));
  ASSERT_TRUE(session.fill(b, 0));
  ASSERT_TRUE(session.finish());
  EXPECT_THAT(host, testing::Each(std::byte{2}));
}

/// Where the host sees the memory, nothing is copied for a read that is awaited before the next batch, however the
/// batch ends; also once batches were pending before.
TEST_P(Streaming, ReadsAreDirectUnlessTheNextBatchWritesBeforeThem) {
  const std::shared_ptr<backend::Device> device = open_vulkan({.map_device_memory = GetParam()}).value();
  Session session = Session::open(device).value();
  const runtime::BufferView out = session.bytes(kBytes).value();
  ASSERT_TRUE(session.finish());
  std::vector<std::byte> host(kBytes);
  std::uint8_t value = 0;
  const auto enqueue_one = [&](std::span<std::byte> to) {
    ASSERT_TRUE(session.fill(out, ++value * 0x0101'0101U));
    ASSERT_TRUE(session.read_bytes(out, to));
  };
  const auto copies_of_awaited = [&](bool is_flushed) {
    std::uint64_t copies = 0;
    for (int i = 0; i < 8; ++i) {
      enqueue_one(host);
      if (is_flushed) {
        EXPECT_TRUE(session.wait(session.flush().value()));
      } else {
        copies += session.finish().value().copies;
      }
      EXPECT_THAT(host, testing::Each(std::byte{value}));
    }
    return copies + session.finish().value().copies;
  };
  const std::uint64_t expected = GetParam() ? 0 : 8;
  EXPECT_EQ(copies_of_awaited(true), expected);
  EXPECT_EQ(copies_of_awaited(false), expected);
  // Two frames pending at a time: reads are copied before the next frame writes.
  std::array<std::vector<std::byte>, 2> results = {host, host};
  std::array<runtime::SessionTicket, 2> tickets;
  for (std::size_t i = 0; i < 8; ++i) {
    enqueue_one(results[i % 2]);
    tickets[i % 2] = session.flush().value();
    if (i == 0) continue;
    ASSERT_TRUE(session.wait(tickets[(i - 1) % 2]));
    EXPECT_THAT(results[(i - 1) % 2], testing::Each(std::byte{static_cast<std::uint8_t>(value - 1)}));
  }
  ASSERT_TRUE(session.wait(tickets[1]));
  EXPECT_EQ(session.finish().value().copies, 8U);
  // The first read that is awaited at once shows that frames are not pending any more.
  enqueue_one(host);
  EXPECT_TRUE(session.wait(session.flush().value()));
  EXPECT_LE(session.finish().value().copies, 1U);
  EXPECT_EQ(copies_of_awaited(true), expected);
}

INSTANTIATE_TEST_SUITE_P(Vulkan, Streaming, testing::Bool(),
                         [](const auto& each) { return each.param ? "Mapped" : "Staged"; });

}  // namespace
}  // namespace vyre::tests
