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

INSTANTIATE_TEST_SUITE_P(Vulkan, Streaming, testing::Bool(),
                         [](const auto& each) { return each.param ? "Mapped" : "Staged"; });

}  // namespace
}  // namespace vyre::tests
