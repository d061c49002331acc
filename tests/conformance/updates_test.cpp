#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <vyre/program/forms/form.hpp>

#include "tests/conformance/conformance.hpp"

// Recordings that are replayed with other lists: what runs is what a list that is submitted would do, in that order.

namespace vyre::tests {
namespace {

using backend::Groups;
using program::FormKind;
using testing::Each;

constexpr FormKind kOtherForms[] = {FormKind::Pointer, FormKind::Merged, FormKind::Persistent, FormKind::Chain};
constexpr RecordOptions kUpdatable = {.updatable = true};

/// One dispatch of `step` on a buffer of 64 words.
void add_step(CommandList& list, PipelineHandle pipeline, BufferHandle buffer, std::uint32_t addend) {
  list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {1, 1, 1}, std::as_bytes(std::span{&addend, 1}));
}

CommandList step_list(PipelineHandle pipeline, BufferHandle buffer, std::uint32_t addend) {
  CommandList list;
  add_step(list, pipeline, buffer, addend);
  return list;
}

class Updates : public Conformance {
 protected:
  BufferHandle steps(std::uint32_t value = 1) { return allocate_with(std::vector<std::uint32_t>(64, value)); }
  void expect_steps(BufferHandle buffer, std::uint32_t value) { EXPECT_THAT(words(buffer, 64), Each(value)); }

  /// Replays one recording many times, without waiting, each time with other buffers, parameters and group counts.
  void replay_pending(FormKind form) {
    constexpr std::uint32_t kReplays = 64;
    constexpr std::uint32_t kItems = 8;
    constexpr std::uint32_t kWords = 256;
    const PipelineHandle pipeline = compile("step_across", form);
    std::vector<std::uint32_t> values(kWords * kItems);
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i / kWords;
    const BufferHandle source = allocate_with(values);
    const BufferHandle target = allocate_with(std::vector<std::uint32_t>(kWords * kItems * kReplays, 7));
    // Those of one merged launch are alike, of each replay in another way.
    const auto groups_of = [&](std::uint32_t replay, std::uint32_t item) {
      return 1 + (form == FormKind::Merged ? replay : replay + item) % 3;
    };
    const auto item_of = [&](std::uint32_t replay, std::uint32_t item) { return (replay + item) % kItems; };
    const auto addend_of = [&](std::uint32_t replay, std::uint32_t item) { return 1'000 * replay + item; };
    CommandList list;
    const auto make_list = [&](std::uint32_t replay) {
      list.clear();
      for (std::uint32_t item = 0; item < kItems; ++item) {
        const std::array ranges = {
            BufferRange{.buffer = source, .offset = item_of(replay, item) * kWords * 4, .size = kWords * 4},
            BufferRange{.buffer = target, .offset = (replay * kItems + item) * kWords * 4, .size = kWords * 4}};
        const std::uint32_t addend = addend_of(replay, item);
        list.dispatch(pipeline, ranges, {groups_of(replay, item), 1, 1}, std::as_bytes(std::span{&addend, 1}));
      }
    };
    make_list(0);
    const RecordingHandle recording = record(list, kUpdatable);
    CommandList busy;
    add_spin(busy, allocate(4));
    must(device().submit(busy));
    for (std::uint32_t i = 0; i < kReplays; ++i) {
      make_list(i);
      must(device().replay(recording, list));
    }
    const std::vector<std::uint32_t> after = words(target, kWords * kItems * kReplays);
    for (std::uint32_t replay = 0; replay < kReplays; ++replay) {
      for (std::uint32_t item = 0; item < kItems; ++item) {
        std::vector<std::uint32_t> expected(kWords, 7);
        std::fill_n(expected.begin(), groups_of(replay, item) * 64,
                    stepped(item_of(replay, item), addend_of(replay, item)));
        const auto actual = std::span{after}.subspan((replay * kItems + item) * kWords, kWords);
        EXPECT_TRUE(std::ranges::equal(actual, expected)) << "item " << item << " of replay " << replay;
      }
    }
  }
};

// Tables change in the queue: a replay that is pending has its own.
TEST_P(Updates, PendingReplaysDoNotSeeLaterOnes) {
  for (const FormKind form : kOtherForms) {
    SCOPED_TRACE(to_string(form));
    replay_pending(form);
  }
}

TEST_P(Updates, PendingReplaysDoNotSeeLaterOnesWithoutMappedMemory) {
  reopen({.map_device_memory = false});
  for (const FormKind form : kOtherForms) {
    SCOPED_TRACE(to_string(form));
    replay_pending(form);
  }
}

TEST_P(Updates, AReplayWithoutAListRunsTheLastOne) {
  for (const FormKind form : kOtherForms) {
    SCOPED_TRACE(to_string(form));
    const PipelineHandle pipeline = compile("step", form);
    const BufferHandle first = steps();
    const BufferHandle second = steps();
    const RecordingHandle recording = record(step_list(pipeline, first, 5), kUpdatable);
    must(device().replay(recording));
    must(device().replay(recording, step_list(pipeline, second, 6)));
    must(device().replay(recording));
    must(device().replay(recording));
    must(device().replay(recording, step_list(pipeline, first, 7)));
    must(device().replay(recording));
    expect_steps(first, stepped(stepped(stepped(1, 5), 7), 7));
    expect_steps(second, stepped(stepped(stepped(1, 6), 6), 6));
  }
}

TEST_P(Updates, WhatIsNotInATableStaysAsItIs) {
  const PipelineHandle written = compile("step");
  const PipelineHandle pointer = compile("step", FormKind::Pointer);
  const PipelineHandle merged = compile("step", FormKind::Merged);
  const BufferHandle fixed = steps();
  const BufferHandle copy = steps();
  const auto make_list = [&](BufferHandle a, BufferHandle b, std::uint32_t addend) {
    CommandList list;
    add_step(list, written, fixed, 3);
    add_step(list, pointer, a, addend);
    add_step(list, merged, b, addend + 1);
    list.barrier();
    list.copy(fixed, 0, copy, 0, 256);
    return list;
  };
  const BufferHandle buffers[] = {steps(), steps(), steps(), steps()};
  const RecordingHandle recording = record(make_list(buffers[0], buffers[1], 10), kUpdatable);
  must(device().replay(recording));
  must(device().replay(recording, make_list(buffers[2], buffers[3], 20)));
  expect_steps(buffers[0], stepped(1, 10));
  expect_steps(buffers[1], stepped(1, 11));
  expect_steps(buffers[2], stepped(1, 20));
  expect_steps(buffers[3], stepped(1, 21));
  expect_steps(fixed, stepped(stepped(1, 3), 3));
  expect_steps(copy, stepped(stepped(1, 3), 3));
}

TEST_P(Updates, AListOfOtherCommandsIsRefused) {
  const PipelineHandle written = compile("step");
  const PipelineHandle pointer = compile("step", FormKind::Pointer);
  const PipelineHandle other = compile("step", FormKind::Pointer);
  const BufferHandle a = steps();
  const BufferHandle b = steps();
  const auto make_list = [&](PipelineHandle pipeline, std::uint32_t fixed_addend, std::uint32_t pattern) {
    CommandList list;
    add_step(list, pipeline, a, 1);
    add_step(list, written, b, fixed_addend);
    list.barrier();
    list.fill({.buffer = b, .offset = 0, .size = 4}, pattern);
    return list;
  };
  const CommandList list = make_list(pointer, 2, 3);
  const RecordingHandle recording = record(list, kUpdatable);
  const auto refused = [&](const CommandList& given, std::initializer_list<std::string> parts) {
    return is_refused(device().replay(recording, given), ErrorCode::InvalidArgument, parts);
  };
  CommandList longer = list;
  longer.barrier();
  EXPECT_TRUE(refused(longer, {"5 commands", "4"}));
  EXPECT_TRUE(refused({}, {"0 commands", "4"}));
  EXPECT_TRUE(refused(make_list(other, 2, 3), {"command 0", "pipeline"}));
  EXPECT_TRUE(refused(make_list(written, 2, 3), {"command 0", "pipeline"}));
  EXPECT_TRUE(refused(make_list(pointer, 9, 3), {"command 1", "descriptor form"}));
  EXPECT_TRUE(refused(make_list(pointer, 2, 9), {"command 3"}));
  CommandList swapped;
  add_step(swapped, pointer, a, 1);
  add_step(swapped, written, b, 2);
  swapped.fill({.buffer = b, .offset = 0, .size = 4}, 3);
  swapped.barrier();
  EXPECT_TRUE(refused(swapped, {"command 2"}));
  // A list that could not be submitted either.
  CommandList wrong = list;
  wrong.clear();
  wrong.dispatch(pointer, {}, {1, 1, 1}, {});
  EXPECT_FALSE(device().replay(recording, wrong).has_value());
  EXPECT_TRUE(is_refused(device().replay(RecordingHandle{}, list), ErrorCode::InvalidArgument, {"recording"}));
  const std::array after = {Ticket{.queue = 0, .value = 1'000'000}};
  EXPECT_TRUE(is_refused(device().replay(recording, list, {.after = after}), ErrorCode::InvalidArgument, {"ticket"}));
  EXPECT_TRUE(is_refused(device().replay(recording, list, {.queue = 99}), ErrorCode::InvalidArgument, {"queue 99"}));
  // And the recording is as it was.
  expect_steps(a, 1);
  must(device().replay(recording, list));
  expect_steps(a, stepped(1, 1));
}

TEST_P(Updates, ARecordingThatWasNotMadeForItIsRefused) {
  const PipelineHandle pipeline = compile("step", FormKind::Pointer);
  const CommandList list = step_list(pipeline, steps(), 1);
  const RecordingHandle recording = record(list);
  EXPECT_TRUE(is_refused(device().replay(recording, list), ErrorCode::InvalidArgument, {"not made"}));
  must(device().replay(recording));
}

TEST_P(Updates, ARecordingWithoutATableIsReplayedWithItsOwnListOnly) {
  const PipelineHandle pipeline = compile("step");
  const BufferHandle buffer = steps();
  const CommandList list = step_list(pipeline, buffer, 4);
  const RecordingHandle recording = record(list, kUpdatable);
  must(device().replay(recording, list));
  EXPECT_TRUE(is_refused(device().replay(recording, step_list(pipeline, buffer, 5)), ErrorCode::InvalidArgument,
                         {"command 0", "descriptor form"}));
  expect_steps(buffer, stepped(1, 4));
}

TEST_P(Updates, AListThatMakesOtherLaunchesIsRefused) {
  const PipelineHandle pipeline = compile("step", FormKind::Merged);
  std::array<BufferHandle, 12> buffers = {};
  for (BufferHandle& buffer : buffers) buffer = steps();
  const auto make_list = [&](std::vector<std::uint32_t> groups) {
    CommandList list;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      list.dispatch(pipeline, std::array{BufferRange{.buffer = buffers[i]}}, {groups[i % groups.size()], 1, 1},
                    bytes_of(std::vector<std::uint32_t>{2}));
    }
    return list;
  };
  const RecordingHandle recording = record(make_list({1}), kUpdatable);
  const auto refused = [&](const CommandList& given) {
    return is_refused(device().replay(recording, given), ErrorCode::InvalidArgument, {"other launches"});
  };
  EXPECT_TRUE(refused(make_list({1, 2})));
  EXPECT_TRUE(refused(make_list({1, 0})));
  EXPECT_TRUE(refused(make_list({0})));
  must(device().replay(recording, make_list({3})));
  for (const BufferHandle buffer : buffers) expect_steps(buffer, stepped(1, 2));
}

TEST_P(Updates, BuffersThatWereFreedAreRefused) {
  const PipelineHandle pipeline = compile("step", FormKind::Pointer);
  const BufferHandle first = steps();
  const BufferHandle second = steps();
  const BufferHandle third = steps();
  const RecordingHandle recording = record(step_list(pipeline, first, 1), kUpdatable);
  must(device().replay(recording, step_list(pipeline, second, 2)));
  // It no longer names the first.
  must(device().free(first));
  must(device().replay(recording));
  EXPECT_FALSE(device().replay(recording, step_list(pipeline, first, 2)).has_value());
  expect_steps(second, stepped(stepped(1, 2), 2));
  must(device().free(second));
  EXPECT_TRUE(is_refused(device().replay(recording), ErrorCode::InvalidArgument, {"buffer", "freed"}));
  must(device().replay(recording, step_list(pipeline, third, 3)));
  must(device().replay(recording));
  expect_steps(third, stepped(stepped(1, 3), 3));
  must(device().free(pipeline));
  EXPECT_TRUE(is_refused(device().replay(recording), ErrorCode::InvalidArgument, {"pipeline", "freed"}));
  EXPECT_FALSE(device().replay(recording, step_list(pipeline, third, 3)).has_value());
}

TEST_P(Updates, ManyReplaysHoldNoMoreThanAFew) {
  const PipelineHandle pipeline = compile("step", FormKind::Merged);
  const BufferHandle buffer = steps();
  const RecordingHandle recording = record(step_list(pipeline, buffer, 0), kUpdatable);
  must(device().wait_idle());
  const DeviceUsage before = device().usage();
  std::uint32_t expected = 1;
  for (std::uint32_t i = 0; i < 500; ++i) {
    must(device().replay(recording, step_list(pipeline, buffer, i)));
    must(device().submit(step_list(pipeline, buffer, i)));
    expected = stepped(stepped(expected, i), i);
  }
  must(device().wait_idle());
  EXPECT_EQ(device().usage(), before);
  expect_steps(buffer, expected);
}

TEST_P(Updates, ThreadsReplayOneRecordingWithListsOfTheirOwn) {
  constexpr std::uint32_t kRounds = 200;
  const PipelineHandle pipeline = compile("step", FormKind::Pointer);
  const BufferHandle shared = steps();
  const RecordingHandle recording = record(step_list(pipeline, shared, 0), kUpdatable);
  std::array<BufferHandle, 3> buffers = {};
  for (BufferHandle& buffer : buffers) buffer = steps();
  std::vector<std::string> errors(buffers.size());
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t t = 0; t < buffers.size(); ++t) {
      threads.emplace_back([&, t] {
        CommandList list;
        for (std::uint32_t i = 0; i < kRounds; ++i) {
          list.clear();
          add_step(list, pipeline, buffers[t], t * 1'000 + i);
          const auto ticket = device().replay(recording, list, {.queue = t % limits().queues});
          if (!ticket) errors[t] = to_string(ticket.error());
        }
      });
    }
  }
  EXPECT_THAT(errors, Each(""));
  for (std::uint32_t t = 0; t < buffers.size(); ++t) {
    std::uint32_t expected = 1;
    for (std::uint32_t i = 0; i < kRounds; ++i) expected = stepped(expected, t * 1'000 + i);
    expect_steps(buffers[t], expected);
  }
  expect_steps(shared, 1);
}

// A table is read by replays on every queue, and changed on one.
TEST_P(Updates, ATableChangesBehindReplaysOnOtherQueues) {
  if (limits().queues < 2) GTEST_SKIP() << "the device has one queue";
  const PipelineHandle pipeline = compile("spin", FormKind::Pointer);
  const auto make_list = [&](BufferHandle buffer, std::uint32_t seed) {
    CommandList list;
    list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {kSpinGroups, 1, 1},
                  bytes_of(std::vector<std::uint32_t>{kSpinIterations, seed}));
    return list;
  };
  const std::array buffers = {allocate(4), allocate(4)};
  const RecordingHandle recording = record(make_list(buffers[0], 1), kUpdatable);
  CommandList busy;
  for (int i = 0; i < 3; ++i) add_spin(busy, allocate(4));
  must(device().submit(busy, {.queue = 0}));
  const Ticket read_on_0 = must(device().replay(recording, {.queue = 0}));
  const Ticket read_on_1 = must(device().replay(recording, {.queue = 1}));
  const Ticket changed_on_1 = must(device().replay(recording, make_list(buffers[1], 2), {.queue = 1}));
  must(device().wait(changed_on_1));
  EXPECT_TRUE(must(device().poll(read_on_0)));
  EXPECT_TRUE(must(device().poll(read_on_1)));
  EXPECT_EQ(words(buffers[0], 1)[0], spun(1));
  EXPECT_EQ(words(buffers[1], 1)[0], spun(2));
  // The other way round: what runs next sees the change, on whatever queue.
  const Ticket before = must(device().submit(busy, {.queue = 0}));
  must(device().replay(recording, make_list(buffers[0], 3), {.queue = 0}));
  const Ticket next = must(device().replay(recording, {.queue = 1}));
  must(device().wait(next));
  EXPECT_TRUE(must(device().poll(before)));
  EXPECT_EQ(words(buffers[0], 1)[0], spun(3));
  EXPECT_EQ(words(buffers[1], 1)[0], spun(2));
}

INSTANTIATE_TEST_SUITE_P(Devices, Updates, testing::Values("fake", "vulkan"),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

}  // namespace
}  // namespace vyre::tests
