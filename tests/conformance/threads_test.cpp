#include <array>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "tests/conformance/conformance.hpp"
#include "tests/kernels/data.hpp"

// Many threads on one device.

namespace vyre::tests {
namespace {

constexpr std::uint32_t kThreads = 8;

/// Runs a function on eight threads at once. What it throws, or returns other than "", is a failure.
void run_threads(const std::function<std::string(std::uint32_t)>& work) {
  std::array<std::string, kThreads> failures;
  std::vector<std::jthread> threads;
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&work, &failure = failures[i], i] {
      try {
        failure = work(i);
      } catch (const std::exception& error) {
        failure = error.what();
      }
    });
  }
  threads.clear();
  for (std::uint32_t i = 0; i < kThreads; ++i) EXPECT_EQ(failures[i], "") << "on thread " << i;
}

TEST_P(Conformance, ThreadsWithTheirOwnBuffersDoNotDisturbEachOther) {
  const PipelineHandle pipeline = compile("step");
  run_threads([&](std::uint32_t thread) -> std::string {
    Device& device = this->device();
    kernels::Sequence random{thread};
    for (std::uint32_t round = 0; round < 20; ++round) {
      const std::uint32_t count = 1 + random.next() % 500;
      std::vector<std::uint32_t> values = kernels::words(count, random.next());
      const BufferHandle buffer = must(device.allocate({.size = std::uint64_t{4} * count}));
      const BufferHandle copied = must(device.allocate({.size = std::uint64_t{4} * count, .memory = Memory::Readback}));
      must(device.write(buffer, 0, bytes_of(values)));
      const std::vector<std::uint32_t> params = {thread * 100 + round};
      CommandList list;
      list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {(count + 63) / 64, 1, 1}, bytes_of(params));
      const RecordingHandle recording = must(device.record(list));
      const std::uint32_t queue = thread % device.info().limits.queues;
      const std::uint32_t replays = random.next() % 5;
      for (std::uint32_t i = 0; i < replays; ++i) must(device.replay(recording, {.queue = queue}));
      list.barrier();
      list.copy(buffer, 0, copied, 0, std::uint64_t{4} * count);
      const Ticket ticket = must(device.submit(list, {.queue = queue}));
      must(device.free(recording));
      must(device.free(buffer));
      for (std::uint32_t i = 0; i <= replays; ++i) {
        for (std::uint32_t& value : values) value = stepped(value, params[0]);
      }
      must(device.wait(ticket));
      std::vector<std::uint32_t> result(count);
      must(device.read(copied, 0, std::as_writable_bytes(std::span{result})));
      must(device.free(copied));
      if (result != values) return fmt::format("round {} gives wrong results", round);
    }
    return {};
  });
}

TEST_P(Conformance, ThreadsTransferThroughStagingAtOnce) {
  reopen({.map_device_memory = false});
  run_threads([&](std::uint32_t thread) -> std::string {
    const std::vector<std::byte> data = random_bytes(100'000 + thread, thread);
    const BufferHandle buffer = must(device().allocate({.size = data.size()}));
    for (int round = 0; round < 10; ++round) {
      must(device().write(buffer, 0, data));
      std::vector<std::byte> back(data.size());
      must(device().read(buffer, 0, back));
      if (back != data) return fmt::format("round {} gives wrong bytes", round);
    }
    must(device().free(buffer));
    return {};
  });
}

TEST_P(Conformance, ThreadsCompileReplayAndFreeOneRecording) {
  const program::Program program = suite_program("spec_place");
  const BufferHandle target = allocate_with(std::vector<std::uint32_t>(64, 1));
  const BufferHandle places = allocate_with(std::vector<std::uint32_t>(kThreads * 4));
  const std::vector<std::uint32_t> params = {0};
  CommandList list;
  list.dispatch(compile("step"), std::array{BufferRange{.buffer = target}}, {1, 1, 1}, bytes_of(params));
  const RecordingHandle shared = record(list);
  run_threads([&](std::uint32_t thread) -> std::string {
    Device& device = this->device();
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::array values = {SpecOverride{.spec_id = 0, .bits = thread * 4 + i}};
      const PipelineHandle pipeline = must(device.compile(program, {.values = values}));
      CommandList own;
      own.dispatch(pipeline, std::array{BufferRange{.buffer = places}}, {1, 1, 1});
      must(device.submit(own));
      must(device.replay(shared));
      must(device.free(pipeline));
      must(device.wait_idle());
    }
    return {};
  });
  // Which thread's replay came first does not matter: with no addend they commute.
  std::uint32_t expected = 1;
  for (std::uint32_t i = 0; i < kThreads * 4; ++i) expected = stepped(expected, 0);
  EXPECT_EQ(words(target, 64), std::vector<std::uint32_t>(64, expected));
  const std::vector<std::uint32_t> result = words(places, kThreads * 4);
  for (std::uint32_t i = 0; i < kThreads * 4; ++i) EXPECT_EQ(result[i], i + 1);
}

TEST_P(Conformance, ThreadsWaitForOneTicketAndForTheirTurn) {
  reopen({.memory_budget = 64 << 10, .max_pending = 2});
  const BufferHandle target = allocate_with(std::vector<std::uint32_t>{0});
  CommandList slow;
  add_spin(slow, target);
  const Ticket ticket = must(device().submit(slow));
  CommandList quick;
  quick.fill({.buffer = allocate(4)}, 1);
  run_threads([&](std::uint32_t) -> std::string {
    must(device().wait(ticket));
    for (int i = 0; i < 20; ++i) {
      must(device().submit(quick));
      // Seven other threads have 8 KiB at most, and what they freed while work was pending.
      if (const auto buffer = device().allocate({.size = 8 << 10})) {
        must(device().free(*buffer));
      } else if (buffer.error().code != ErrorCode::OutOfMemory) {
        return to_string(buffer.error());
      }
    }
    return {};
  });
  EXPECT_EQ(words(target, 1).front(), spun(1));
  EXPECT_EQ(device().usage().bytes, 8);
}

}  // namespace
}  // namespace vyre::tests
