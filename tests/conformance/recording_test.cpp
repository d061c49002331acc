#include <algorithm>
#include <array>
#include <vector>

#include "tests/conformance/conformance.hpp"
#include "tests/kernels/data.hpp"

// Recordings: recorded once, replayed often, also while pending; refused once they outlive what they name.

namespace vyre::tests {
namespace {

CommandList step_list(PipelineHandle pipeline, BufferHandle buffer, std::uint32_t addend) {
  CommandList list;
  const std::vector<std::uint32_t> params = {addend};
  list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {1, 1, 1}, bytes_of(params));
  return list;
}

TEST_P(Conformance, ARecordingReplayedAThousandTimesRunsAThousandTimes) {
  const PipelineHandle pipeline = compile("step");
  const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(64, 1));
  CommandList list = step_list(pipeline, buffer, 7);
  list.barrier();
  const std::vector<std::uint32_t> params = {9};
  list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {1, 1, 1}, bytes_of(params));
  const RecordingHandle recording = record(list);
  list.clear();  // The recording has what it needs.
  std::uint32_t expected = 1;
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    EXPECT_EQ(must(device().replay(recording)).value, i + 1);
    expected = stepped(stepped(expected, 7), 9);
  }
  EXPECT_EQ(words(buffer, 64), std::vector<std::uint32_t>(64, expected));
  EXPECT_EQ(device().usage().recordings, 1);
}

TEST_P(Conformance, TwoRecordingsInterleaveWithEachOtherAndWithLists) {
  const PipelineHandle pipeline = compile("step");
  const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(64, 1));
  const RecordingHandle first = record(step_list(pipeline, buffer, 11));
  const RecordingHandle second = record(step_list(pipeline, buffer, 500));
  kernels::Sequence random{3};
  std::uint32_t expected = 1;
  for (std::uint32_t i = 0; i < 300; ++i) {
    switch (random.next() % 3) {
      case 0:
        must(device().replay(first));
        expected = stepped(expected, 11);
        break;
      case 1:
        must(device().replay(second));
        expected = stepped(expected, 500);
        break;
      default:
        must(device().submit(step_list(pipeline, buffer, i)));
        expected = stepped(expected, i);
        break;
    }
  }
  EXPECT_EQ(words(buffer, 64), std::vector<std::uint32_t>(64, expected));
}

TEST_P(Conformance, ARecordingIsReplayedWhileItIsPending) {
  const BufferHandle target = allocate(4);
  const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(64, 1));
  CommandList slow;
  add_spin(slow, target);
  const RecordingHandle recording = record(step_list(compile("step"), buffer, 4));
  must(device().submit(slow));
  std::uint32_t expected = 1;
  for (int i = 0; i < 20; ++i) {
    must(device().replay(recording));
    expected = stepped(expected, 4);
  }
  EXPECT_EQ(words(buffer, 64), std::vector<std::uint32_t>(64, expected));
  EXPECT_EQ(words(target, 1).front(), spun(1));
}

TEST_P(Conformance, ARecordingHoldsEveryKindOfCommand) {
  const std::vector<std::byte> source = random_bytes(256, 4);
  const BufferHandle from = allocate_with(source);
  const BufferHandle to = allocate(256);
  const BufferHandle times = allocate_with(std::vector<std::uint64_t>(1));
  CommandList list;
  list.fill({.buffer = to}, 0x0101'0101U);
  list.barrier();
  list.copy(from, 3, to, 5, 101);
  if (limits().max_timestamps > 0) list.timestamp(times, 0);
  const RecordingHandle recording = record(list);
  std::vector<std::byte> expected(256, std::byte{1});
  std::copy_n(source.begin() + 3, 101, expected.begin() + 5);
  std::uint64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    must(device().replay(recording));
    EXPECT_TRUE(contents<std::byte>(to, 256) == expected);
    const std::uint64_t time = contents<std::uint64_t>(times, 1).front();
    if (limits().max_timestamps > 0) {
      EXPECT_GT(time, last);
    }
    last = time;
    must(device().write(to, 0, source));
  }
}

TEST_P(Conformance, ARecordingSeesWhatTheHostWroteBetweenReplays) {
  const BufferHandle buffer = allocate(256);
  const RecordingHandle recording = record(step_list(compile("step"), buffer, 6));
  for (std::uint32_t i = 0; i < 10; ++i) {
    must(device().write(buffer, 0, bytes_of(std::vector<std::uint32_t>(64, i))));
    must(device().wait(must(device().replay(recording))));
    EXPECT_EQ(words(buffer, 64), std::vector<std::uint32_t>(64, stepped(i, 6)));
  }
}

TEST_P(Conformance, ARecordingThatOutlivesWhatItNamesIsRefused) {
  const PipelineHandle pipeline = compile("step");
  const BufferHandle kept = allocate_with(std::vector<std::uint32_t>(64, 1));
  const RecordingHandle good = record(step_list(pipeline, kept, 1));

  const BufferHandle doomed = allocate(256);
  CommandList copy;
  copy.copy(doomed, 0, kept, 0, 4);
  CommandList fill;
  fill.fill({.buffer = doomed}, 0);
  const std::array recordings = {record(step_list(pipeline, doomed, 1)), record(copy), record(fill)};
  for (const RecordingHandle recording : recordings) must(device().replay(recording));
  must(device().wait_idle());
  must(device().write(kept, 0, bytes_of(std::vector<std::uint32_t>(64, 1))));
  must(device().free(doomed));
  allocate(256);  // Where the freed one was, perhaps.
  for (const RecordingHandle recording : recordings) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(is_refused(device().replay(recording), ErrorCode::InvalidArgument, {"buffer", "freed"}));
    }
  }
  must(device().wait(must(device().replay(good))));
  EXPECT_EQ(words(kept, 64), std::vector<std::uint32_t>(64, stepped(1, 1)));

  must(device().free(pipeline));
  compile("step");
  EXPECT_TRUE(is_refused(device().replay(good), ErrorCode::InvalidArgument, {"pipeline", "freed"}));
  must(device().free(good));
  EXPECT_TRUE(is_refused(device().replay(good), ErrorCode::InvalidArgument, {"recording"}));
  EXPECT_TRUE(is_refused(device().free(good), ErrorCode::InvalidArgument, {"recording"}));
}

TEST_P(Conformance, ManyRecordingsComeAndGo) {
  const PipelineHandle pipeline = compile("step");
  const BufferHandle buffer = allocate_with(std::vector<std::uint32_t>(64, 1));
  std::uint32_t expected = 1;
  std::vector<RecordingHandle> recordings;
  for (std::uint32_t i = 0; i < 200; ++i) {
    recordings.push_back(record(step_list(pipeline, buffer, i)));
    must(device().replay(recordings.back()));
    expected = stepped(expected, i);
    // Freed while it is pending, perhaps.
    if (i % 3 == 0) must(device().free(recordings.back()));
  }
  EXPECT_EQ(words(buffer, 64), std::vector<std::uint32_t>(64, expected));
  EXPECT_EQ(device().usage().recordings, 200 - 67);
}

}  // namespace
}  // namespace vyre::tests
