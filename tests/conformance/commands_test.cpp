#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "tests/conformance/conformance.hpp"
#include "tests/kernels/data.hpp"

// Copies, fills, barriers, timestamps and tickets.

namespace vyre::tests {
namespace {

/// What commands do to bytes, in the plainest way.
void model_copy(const std::vector<std::byte>& from, std::size_t from_offset, std::vector<std::byte>& to,
                std::size_t to_offset, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[to_offset + i] = from[from_offset + i];
}

void model_fill(std::vector<std::byte>& bytes, std::size_t offset, std::size_t size, std::uint32_t pattern) {
  for (std::size_t i = 0; i < size; ++i) bytes[offset + i] = static_cast<std::byte>(pattern >> (8 * (i % 4)));
}

TEST_P(Conformance, CopiesAndFillsOfAnyOffsetAndLengthDoAsTheModel) {
  constexpr std::size_t kSize = 3001;
  kernels::Sequence random{7};
  const auto below = [&](std::size_t bound) { return random.next() % bound; };
  for (std::uint32_t round = 0; round < 6; ++round) {
    SCOPED_TRACE(round);
    std::array model = {random_bytes(kSize, round), random_bytes(kSize, round + 100)};
    const std::array buffers = {allocate_with(model[0], round % 2 == 0 ? Memory::Device : Memory::Upload),
                                allocate_with(model[1], round % 3 == 0 ? Memory::Readback : Memory::Device)};
    CommandList list;
    for (int i = 0; i < 60; ++i) {
      const std::size_t target = below(2);
      const std::size_t to = below(kSize);
      const std::size_t size = 1 + below(std::min<std::size_t>(kSize - to, i % 3 == 0 ? kSize : 9));
      if (i % 2 == 0) {
        // From the other buffer; within one, source and destination may not overlap.
        const std::size_t source = i % 8 == 0 && size <= to ? target : 1 - target;
        const std::size_t from = source == target ? below(to - size + 1) : below(kSize - size + 1);
        list.copy(buffers[source], from, buffers[target], to, size);
        const std::vector<std::byte> before = model[source];
        model_copy(before, from, model[target], to, size);
      } else {
        const bool is_whole = to % 4 == 0 && size % 4 == 0;
        const std::uint32_t word = random.next();
        const std::uint32_t pattern = is_whole ? word : (word & 0xff) * 0x0101'0101U;
        list.fill({.buffer = buffers[target], .offset = to, .size = size}, pattern);
        model_fill(model[target], to, size, pattern);
      }
      list.barrier();
    }
    run(list);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(contents<std::byte>(buffers[i], kSize) == model[i]) << i;
  }
}

TEST_P(Conformance, CopiesAndFillsOfEverySmallAlignment) {
  const std::vector<std::byte> source = random_bytes(32, 1);
  std::vector<std::byte> expected(std::size_t{9} * 9 * 16, std::byte{0xee});
  const BufferHandle from = allocate_with(source);
  const BufferHandle copied = allocate_with(expected);
  const BufferHandle filled = allocate_with(expected);
  std::vector<std::byte> expected_fill = expected;
  CommandList list;  // Without a barrier: they are apart.
  for (std::size_t offset = 0; offset < 8; ++offset) {
    for (std::size_t size = 1; size <= 8; ++size) {
      const std::size_t to = (offset * 9 + size) * 16 + offset;
      list.copy(from, size + offset, copied, to, size);
      model_copy(source, size + offset, expected, to, size);
      const std::uint32_t pattern = offset % 4 == 0 && size % 4 == 0 ? 0x1234'5678U : 0x7777'7777U;
      list.fill({.buffer = filled, .offset = to, .size = size}, pattern);
      model_fill(expected_fill, to, size, pattern);
    }
  }
  run(list);
  EXPECT_TRUE(contents<std::byte>(copied, expected.size()) == expected);
  EXPECT_TRUE(contents<std::byte>(filled, expected_fill.size()) == expected_fill);
}

TEST_P(Conformance, AFillReachesToTheEndOfABufferOfAnySize) {
  for (const std::size_t size : std::initializer_list<std::size_t>{1, 2, 3, 4, 5, 7, 8, 100, 70'001, 1'048'576}) {
    SCOPED_TRACE(size);
    const BufferHandle buffer = allocate_with(std::vector<std::byte>(size));
    CommandList list;
    list.fill({.buffer = buffer}, 0x2a2a'2a2aU);
    run(list);
    EXPECT_TRUE(contents<std::byte>(buffer, size) == std::vector<std::byte>(size, std::byte{0x2a}));
  }
}

TEST_P(Conformance, CommandsThatCannotRunAreRefusedWhole) {
  const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(25, 1));
  const BufferHandle other = allocate(100);
  struct Wrong {
    const char* what = "";
    CommandList list = {};
    std::vector<std::string> parts = {};
  };
  std::vector<Wrong> cases;
  const auto add = [&](const char* what, std::vector<std::string> parts) -> CommandList& {
    cases.push_back({.what = what, .parts = std::move(parts)});
    cases.back().list.fill({.buffer = buffer}, 0);  // What is right before it must not run either.
    cases.back().list.barrier();
    return cases.back().list;
  };
  constexpr std::uint64_t kHuge = ~std::uint64_t{0} - 3;
  add("copy past the end of the source", {"60", "41", "100"}).copy(buffer, 60, other, 0, 41);
  add("copy past the end of the destination", {"1", "100"}).copy(buffer, 0, other, 100, 1);
  add("copy of nothing", {"0 bytes"}).copy(buffer, 0, other, 0, 0);
  add("copy from far away", {text(kHuge)}).copy(buffer, kHuge, other, 0, 8);
  add("copy of very much", {text(kHuge)}).copy(buffer, 8, other, 0, kHuge);
  add("copy onto itself", {"40"}).copy(buffer, 0, buffer, 39, 40);
  add("fill past the end", {"4", "97", "100"}).fill({.buffer = other, .offset = 97, .size = 4}, 0);
  add("fill behind the end", {"101", "100"}).fill({.buffer = other, .offset = 101}, 0);
  add("fill of nothing", {"100"}).fill({.buffer = other, .offset = 100}, 0);
  add("fill of words at an odd place", {"0x12345678", "4"})
      .fill({.buffer = other, .offset = 2, .size = 4}, 0x1234'5678U);
  add("fill of words of an odd length", {"0x12345678", "4"}).fill({.buffer = other, .size = 6}, 0x1234'5678U);
  if (limits().max_timestamps > 0) {
    add("timestamp at an odd place", {"4", "8"}).timestamp(other, 4);
    add("timestamp past the end", {"96", "100"}).timestamp(other, 96);
  }
  for (const Wrong& wrong : cases) {
    SCOPED_TRACE(wrong.what);
    const auto submitted = device().submit(wrong.list);
    EXPECT_TRUE(is_refused(submitted, ErrorCode::InvalidArgument));
    const auto recorded = device().record(wrong.list);
    EXPECT_TRUE(is_refused(recorded, ErrorCode::InvalidArgument));
    if (recorded) continue;
    for (const std::string& part : wrong.parts) EXPECT_THAT(recorded.error().message, testing::HasSubstr(part));
    EXPECT_THAT(to_string(recorded.error()), testing::HasSubstr("command 2"));
  }
  EXPECT_EQ(words(buffer, 25), std::vector<std::uint32_t>(25, 1));
}

TEST_P(Conformance, AnEmptyListRuns) {
  CommandList list;
  run(list);
  must(device().wait(must(device().replay(record(list)))));
  list.barrier();
  list.barrier();
  run(list);
}

TEST_P(Conformance, TimestampsRiseWithTheWork) {
  const std::uint32_t most = limits().max_timestamps;
  const BufferHandle times = allocate_with(std::vector<std::uint64_t>(5));
  const BufferHandle target = allocate(4);
  CommandList list;
  if (most == 0) {
    list.timestamp(times, 0);
    EXPECT_TRUE(is_refused(device().submit(list), ErrorCode::Unsupported));
    GTEST_SKIP() << "the device has no timestamps";
  }
  const PipelineHandle pipeline = compile("spin");
  const std::vector<std::uint32_t> params = {kSpinIterations, 1};
  const std::array ranges = {BufferRange{.buffer = target}};
  // Once unmeasured, since a driver may compile it at its first use.
  list.dispatch(pipeline, ranges, {1, 1, 1}, bytes_of(params));
  run(list);
  list.clear();
  list.timestamp(times, 8);
  list.dispatch(pipeline, ranges, {kSpinGroups / 50, 1, 1}, bytes_of(params));
  list.timestamp(times, 16);
  list.barrier();
  list.dispatch(pipeline, ranges, {kSpinGroups / 2, 1, 1}, bytes_of(params));
  list.timestamp(times, 24);
  const RecordingHandle recording = record(list);
  std::uint64_t last = 0;
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t before = device().now_ns();
    must(device().wait(must(device().replay(recording))));
    const std::uint64_t after = device().now_ns();
    const std::vector<std::uint64_t> ticks = contents<std::uint64_t>(times, 5);
    EXPECT_EQ(ticks[0], 0);
    EXPECT_GT(ticks[1], last);
    EXPECT_GT(ticks[2], ticks[1]);
    EXPECT_GT(ticks[3], ticks[2]);
    EXPECT_EQ(ticks[4], 0);
    EXPECT_GT(ticks[3] - ticks[2], ticks[2] - ticks[1]);
    const double measured_ns = static_cast<double>(ticks[3] - ticks[1]) * device().info().timestamp_period_ns;
    const auto elapsed_ns = static_cast<double>(after - before);
    EXPECT_LE(measured_ns, elapsed_ns * 1.01);
    EXPECT_GE(measured_ns, elapsed_ns * 0.01);
    last = ticks[3];
  }
}

TEST_P(Conformance, AsManyTimestampsAsTheLimitAndNotOneMore) {
  const std::uint32_t most = limits().max_timestamps;
  if (most == 0 || most > 100'000) GTEST_SKIP() << "the limit is " << most;
  const BufferHandle times = allocate_with(std::vector<std::uint64_t>(most + 1));
  CommandList list;
  for (std::uint64_t i = 0; i < most; ++i) {
    list.timestamp(times, 8 * i);
    list.barrier();
  }
  run(list);
  const std::vector<std::uint64_t> ticks = contents<std::uint64_t>(times, most + 1);
  EXPECT_TRUE(std::is_sorted(ticks.begin(), ticks.end() - 1));
  EXPECT_GT(ticks[0], 0);
  EXPECT_EQ(ticks[most], 0);
  list.timestamp(times, 8 * std::uint64_t{most});
  EXPECT_TRUE(is_refused(device().submit(list), ErrorCode::InvalidArgument, {text(most + 1), text(most)}));
}

TEST_P(Conformance, TicketsComeInOrderAndOthersAreRefused) {
  const BufferHandle buffer = allocate(4);
  CommandList list;
  list.fill({.buffer = buffer}, 0);
  for (std::uint32_t queue = 0; queue < limits().queues; ++queue) {
    SCOPED_TRACE(queue);
    EXPECT_TRUE(must(device().poll({.queue = queue, .value = 0})));
    must(device().wait({.queue = queue, .value = 0}, std::chrono::nanoseconds{0}));
    for (std::uint64_t value = 1; value < 10; ++value) {
      EXPECT_EQ(must(device().submit(list, {.queue = queue})), (Ticket{.queue = queue, .value = value}));
    }
    must(device().wait({.queue = queue, .value = 9}));
    for (std::uint64_t value = 1; value < 10; ++value)
      EXPECT_TRUE(must(device().poll({.queue = queue, .value = value})));
    const Ticket unissued{.queue = queue, .value = 11};
    EXPECT_TRUE(is_refused(device().poll(unissued), ErrorCode::InvalidArgument, {"11", "9"}));
    EXPECT_TRUE(is_refused(device().wait(unissued), ErrorCode::InvalidArgument, {"11", "9"}));
    EXPECT_TRUE(
        is_refused(device().submit(list, {.after = std::span{&unissued, 1}}), ErrorCode::InvalidArgument, {"11", "9"}));
  }
  const Ticket nowhere{.queue = limits().queues, .value = 0};
  const std::string queues = text(limits().queues);
  EXPECT_TRUE(is_refused(device().poll(nowhere), ErrorCode::InvalidArgument, {queues}));
  EXPECT_TRUE(is_refused(device().wait(nowhere), ErrorCode::InvalidArgument, {queues}));
  EXPECT_TRUE(is_refused(device().submit(list, {.queue = limits().queues}), ErrorCode::InvalidArgument, {queues}));
  EXPECT_TRUE(
      is_refused(device().submit(list, {.after = std::span{&nowhere, 1}}), ErrorCode::InvalidArgument, {queues}));
}

TEST_P(Conformance, WorkOnOneQueueWaitsForWorkOnAnother) {
  const std::uint32_t queues = limits().queues;
  const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(64, 1));
  const BufferHandle target = allocate(4);
  const PipelineHandle pipeline = compile("step");
  CommandList slow;
  add_spin(slow, target);
  std::vector<Ticket> last = {must(device().submit(slow))};
  std::uint32_t expected = 1;
  for (std::uint32_t i = 0; i < 30; ++i) {
    CommandList list;
    const std::vector<std::uint32_t> params = {i};
    list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {1, 1, 1}, bytes_of(params));
    // A queue does not wait for itself.
    if (queues == 1) last.clear();
    last = {must(device().submit(list, {.queue = (i + 1) % queues, .after = last}))};
    expected = stepped(expected, i);
  }
  must(device().wait(last.front()));
  // It came behind all the others.
  EXPECT_TRUE(must(device().poll({.queue = 0, .value = 1})));
  EXPECT_EQ(words(buffer, 64), std::vector<std::uint32_t>(64, expected));
  EXPECT_EQ(words(target, 1).front(), spun(1));
}

TEST_P(Conformance, AWaitThatTimesOutCancelsNothing) {
  using namespace std::chrono_literals;
  const BufferHandle target = allocate_with(std::vector<std::uint32_t>{0});
  CommandList list;
  add_spin(list, target);
  const Ticket ticket = must(device().submit(list));
  EXPECT_TRUE(is_refused(device().wait(ticket, 0ns), ErrorCode::TimedOut, {text(ticket.value)}));
  EXPECT_TRUE(is_refused(device().wait(ticket, 1us), ErrorCode::TimedOut));
  EXPECT_TRUE(is_refused(device().wait_idle(1us), ErrorCode::TimedOut));
  EXPECT_FALSE(must(device().poll(ticket)));
  EXPECT_EQ(device().usage().pending, 1);
  must(device().wait(ticket));
  must(device().wait(ticket, 0ns));
  EXPECT_TRUE(must(device().poll(ticket)));
  EXPECT_EQ(words(target, 1).front(), spun(1));
}

TEST_P(Conformance, SubmissionsBeyondThoseThatMayPendWaitTheirTurn) {
  using namespace std::chrono_literals;
  reopen({.max_pending = 2});
  const BufferHandle target = allocate_with(std::vector<std::uint32_t>{0});
  const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(64, 1));
  CommandList slow;
  add_spin(slow, target);
  must(device().submit(slow));
  must(device().submit(slow));
  EXPECT_TRUE(is_refused(device().submit(slow, {.timeout = 1us}), ErrorCode::TimedOut, {"2"}));
  EXPECT_LE(device().usage().pending, 2);
  CommandList list;
  const std::vector<std::uint32_t> params = {3};
  list.dispatch(compile("step"), std::array{BufferRange{.buffer = buffer}}, {1, 1, 1}, bytes_of(params));
  const RecordingHandle recording = record(list);
  std::uint32_t expected = 1;
  for (std::uint64_t i = 0; i < 50; ++i) {
    // The one that timed out got no ticket.
    EXPECT_EQ(must(i % 2 == 0 ? device().submit(list) : device().replay(recording)).value, i + 3);
    EXPECT_LE(device().usage().pending, 2);
    expected = stepped(expected, 3);
  }
  EXPECT_EQ(words(buffer, 64), std::vector<std::uint32_t>(64, expected));
  EXPECT_EQ(words(target, 1).front(), spun(1));
}

}  // namespace
}  // namespace vyre::tests
