#include <vyre/runtime/session.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/runtime/tuner.hpp>

#include "tests/support/allocations.hpp"
#include "tests/support/forwarding_driver.hpp"
#include "tests/support/stage_rig.hpp"

// The stages together, on the fake device: what every call does, and what it refuses. That results do not depend on the
// launch mode is shown by tests/equivalence.

namespace vyre::runtime {
namespace {

using backends::fake::FakeOptions;
using testing::Each;
using testing::HasSubstr;
using tests::add_program;
using tests::scale_program;

std::shared_ptr<backend::Device> open_device(FakeOptions options = {}, bool is_mapped = true) {
  const backend::DeviceOptions device_options{.map_device_memory = is_mapped};
  return std::make_shared<backend::Device>(
      backends::fake::open_fake(tests::with_kernels(std::move(options)), device_options), device_options);
}

template <typename T>
std::string refusal(const Result<T>& result) {
  return result ? "" : to_string(result.error());
}

#define ASSERT_OK(call)                                 \
  do {                                                  \
    const auto result_ = call;                          \
    ASSERT_TRUE(result_) << to_string(result_.error()); \
  } while (false)

/// A session with two buffers of 16 numbers; the parameter says whether the host sees the memory of buffers.
class SessionTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    session_ = std::make_unique<Session>(Session::open(open_device({}, GetParam())).value());
    a_ = session_->buffer<std::uint32_t>(std::vector<std::uint32_t>(16, 1)).value();
    b_ = session_->buffer<std::uint32_t>(16).value();
  }
  [[nodiscard]] Result<void> scale(const Buffer<std::uint32_t>& data) {
    return session_->dispatch(scale_program(), {data}, {.groups = {4}});
  }
  [[nodiscard]] Result<void> add(std::uint32_t bias, std::string_view label = {}) {
    return session_->dispatch(add_program(), {a_, b_}, {.groups = {4}, .params = params(bias), .label = label});
  }
  /// The numbers of a buffer once all work is done.
  std::vector<std::uint32_t> numbers(const Buffer<std::uint32_t>& from) {
    std::vector<std::uint32_t> all(from.size());
    EXPECT_TRUE(session_->read(from, all));
    const auto finished = session_->finish();
    EXPECT_TRUE(finished) << to_string(finished.error());
    return all;
  }

  std::unique_ptr<Session> session_;
  Buffer<std::uint32_t> a_;
  Buffer<std::uint32_t> b_;
};

INSTANTIATE_TEST_SUITE_P(Memory, SessionTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Mapped" : "Staged"; });

TEST_P(SessionTest, RunsOperationsAsIfInOrder) {
  ASSERT_OK(scale(a_));
  ASSERT_OK(add(5));
  ASSERT_OK(scale(b_));
  EXPECT_THAT(numbers(b_), Each((1 * 2 + 5) * 2));
  ASSERT_OK(session_->copy(b_, a_));
  ASSERT_OK(session_->fill(b_.part(0, 8), 9));
  EXPECT_THAT(numbers(a_), Each(14));
  const std::vector<std::uint32_t> last = numbers(b_);
  EXPECT_EQ(last[7], 9);
  EXPECT_EQ(last[8], 14);
}

TEST_P(SessionTest, ABufferBeginsWithZeros) { EXPECT_THAT(numbers(b_), Each(0)); }

TEST_P(SessionTest, AReadGivesTheBytesOfItsPlaceInTheOrder) {
  std::array<std::uint32_t, 16> before = {};
  std::array<std::uint32_t, 16> after = {};
  ASSERT_OK(session_->read(a_, before));
  ASSERT_OK(scale(a_));
  ASSERT_OK(session_->read(a_, after));
  const auto ticket = session_->flush();
  ASSERT_TRUE(ticket);
  ASSERT_OK(scale(a_));
  ASSERT_OK(session_->wait(*ticket));
  EXPECT_THAT(before, Each(1));
  EXPECT_THAT(after, Each(2));
}

TEST_P(SessionTest, WritesReplaceWhatPendingWorkStillReads) {
  ASSERT_OK(add(0));
  ASSERT_TRUE(session_->flush());
  ASSERT_OK(session_->write(a_, std::vector<std::uint32_t>(16, 100)));
  EXPECT_THAT(numbers(b_), Each(1)) << "the dispatch saw the numbers from before the write";
  EXPECT_THAT(numbers(a_), Each(100));
}

TEST_P(SessionTest, RepeatsADispatch) {
  ASSERT_OK(session_->dispatch(scale_program(), {a_}, {.groups = {4}, .repeat = 5}));
  EXPECT_THAT(numbers(a_), Each(32));
  ASSERT_OK(session_->dispatch(scale_program(), {a_}, {.groups = {4}, .repeat = 0}));
  EXPECT_THAT(numbers(a_), Each(32));
}

TEST_P(SessionTest, RunsManyDispatchesInOneCall) {
  const std::array<BufferView, 1> view = {a_.view()};
  const std::vector<DispatchItem> items(3, {.buffers = view, .groups = {4}});
  for (int round = 0; round < 3; ++round) {  // The second and third are the batch before.
    ASSERT_OK(session_->dispatch_many(scale_program(), items));
    ASSERT_TRUE(session_->flush());
  }
  EXPECT_THAT(numbers(a_), Each(1U << 9));
}

TEST_P(SessionTest, EnqueuesPreparedDispatches) {
  const auto scale_a = session_->prepare(scale_program(), {a_}, {.groups = {4}});
  const auto add_ab = session_->prepare(add_program(), {a_, b_}, {.groups = {4}, .params = params(1U)});
  ASSERT_TRUE(scale_a && add_ab);
  for (int round = 0; round < 3; ++round) {
    ASSERT_OK(session_->enqueue(*scale_a));
    ASSERT_OK(session_->enqueue(*add_ab));
    ASSERT_TRUE(session_->flush());
  }
  EXPECT_THAT(numbers(b_), Each(8 + 1));
  ASSERT_OK(session_->enqueue(*scale_a));
  ASSERT_OK(session_->enqueue(*add_ab, params(7U)));  // Not the batch before.
  EXPECT_THAT(numbers(b_), Each(16 + 7));
}

TEST_P(SessionTest, EnqueuesManyPreparedDispatchesAtOnce) {
  const auto scale_a = session_->prepare(scale_program(), {a_}, {.groups = {4}});
  const auto add_ab = session_->prepare(add_program(), {a_, b_}, {.groups = {4}, .params = params(1U)});
  ASSERT_TRUE(scale_a && add_ab);
  const std::array all = {*scale_a, *add_ab, *scale_a};
  for (std::uint32_t round = 0; round < 3; ++round) {  // The second and third are the batch before.
    ASSERT_OK(session_->enqueue(all));
    ASSERT_TRUE(session_->flush());
  }
  EXPECT_THAT(numbers(b_), Each(32 + 1));
  ASSERT_OK(session_->enqueue(std::span{all}.first(1)));
  ASSERT_OK(session_->enqueue(std::span{all}.subspan(1, 1)));
  EXPECT_THAT(numbers(b_), Each(128 + 1)) << "a part of the batch before";
  const std::array wrong = {*scale_a, Prepared{.session = scale_a->session, .index = 9}};
  EXPECT_THAT(refusal(session_->enqueue(wrong)),
              HasSubstr("prepared dispatch 9 is enqueued, the session made 2\n  in prepared dispatch 1 of 2"));
  EXPECT_THAT(numbers(a_), Each(128)) << "none was enqueued";
}

TEST_P(SessionTest, ReplaysACaptureWithOtherParametersAndBuffers) {
  const auto captured = session_->capture([&]() -> Result<void> {
    VYRE_TRY(scale(a_));
    return add(1, "sum");
  });
  ASSERT_TRUE(captured);
  EXPECT_THAT(numbers(a_), Each(1)) << "nothing ran yet";
  ASSERT_OK(session_->replay(*captured));
  EXPECT_THAT(numbers(b_), Each(3));
  const std::array<CaptureParams, 1> other_params = {{{.label = "sum", .params = params(10U)}}};
  ASSERT_OK(session_->replay(*captured, other_params));
  EXPECT_THAT(numbers(b_), Each(14));
  const auto c = session_->buffer<std::uint32_t>(16).value();
  const std::array<CaptureBuffer, 1> other_buffers = {{{.from = b_, .to = c}}};
  ASSERT_OK(session_->replay(*captured, {}, other_buffers));
  EXPECT_THAT(numbers(c), Each(9));
  EXPECT_THAT(numbers(b_), Each(14));
}

TEST_P(SessionTest, ACaptureHoldsWritesAndReads) {
  std::array<std::uint32_t, 16> in = {};
  std::array<std::uint32_t, 16> between = {};
  std::array<std::uint32_t, 16> out = {};
  const auto captured = session_->capture([&]() -> Result<void> {
    VYRE_TRY(session_->write(a_, in));
    VYRE_TRY(scale(a_));
    VYRE_TRY(session_->read(a_, between));
    VYRE_TRY(scale(a_));
    VYRE_TRY(add(1));
    return session_->read(b_, out);
  });
  ASSERT_OK(captured);
  for (std::uint32_t i = 1; i < 9; ++i) {
    in.fill(i);
    ASSERT_OK(session_->replay(*captured));
    in.fill(0);
    const auto ticket = session_->flush();
    ASSERT_OK(ticket);
    ASSERT_OK(session_->wait(*ticket));
    EXPECT_THAT(between, Each(2 * i));
    EXPECT_THAT(out, Each(4 * i + 1));
  }
  std::array<std::uint32_t, 16> other_in = {};
  std::array<std::uint32_t, 16> other_out = {};
  other_in.fill(100);
  const std::array<CaptureBytes, 2> other = {{{.view = a_, .from = std::as_bytes(std::span{other_in})},
                                              {.view = b_, .to = std::as_writable_bytes(std::span{other_out})}}};
  ASSERT_OK(session_->replay(*captured, {}, {}, other));
  ASSERT_OK(session_->finish());
  EXPECT_THAT(between, Each(200));
  EXPECT_THAT(other_out, Each(401));
  EXPECT_THAT(out, Each(33)) << "it was not read to";
}

TEST_P(SessionTest, PollsATicketWithoutWaiting) {
  const auto device = open_device({.costs = {.launch_ns = 1'000, .poll_ns = 200, .dispatch_ns = 10'000}}, GetParam());
  Session session = Session::open(device).value();
  const auto data = session.buffer<std::uint32_t>(std::vector<std::uint32_t>(16, 1)).value();
  EXPECT_TRUE(session.poll({}).value()) << "a ticket that waits for nothing";
  std::array<std::uint32_t, 16> host = {};
  for (std::uint32_t round = 1; round <= 4; ++round) {
    ASSERT_OK(session.dispatch(scale_program(), {data}, {.groups = {4}}));
    ASSERT_OK(session.read(data, host));
    const auto ticket = session.flush().value();
    ASSERT_OK(session.dispatch(scale_program(), {data}, {.groups = {0}}));  // Writes to what was read.
    int polls = 1;
    for (; !session.poll(ticket).value(); ++polls) {
      ASSERT_LT(polls, 1'000);
    }
    EXPECT_GT(polls, 1);
    EXPECT_THAT(host, Each(1U << round));
    EXPECT_TRUE(session.poll(ticket).value());
  }
  EXPECT_THAT(refusal(session.poll({.session = 1, .batch = 1'000})),
              HasSubstr("the ticket was not given by this session"));
}

TEST_P(SessionTest, ACaptureTakesOperationsAlone) {
  const auto captured = session_->capture([&]() -> Result<void> {
    EXPECT_THAT(refusal(session_->buffer<std::uint32_t>(4)),
                HasSubstr("a buffer is made while a capture is being made"));
    EXPECT_THAT(refusal(session_->free(a_)), HasSubstr("a buffer is freed while a capture is being made"));
    EXPECT_THAT(refusal(session_->flush()), HasSubstr("the session is flushed while a capture is being made"));
    EXPECT_THAT(refusal(session_->finish()), HasSubstr("the session is finished while a capture is being made"));
    EXPECT_THAT(refusal(session_->capture([]() -> Result<void> { return {}; })),
                HasSubstr("a capture is begun while another is being made"));
    return fail(ErrorCode::InvalidArgument, "the body gives up");
  });
  EXPECT_THAT(refusal(captured), HasSubstr("the body gives up\n  while capturing"));
  ASSERT_OK(scale(a_));
  EXPECT_THAT(numbers(a_), Each(2)) << "the session goes on";
}

TEST_P(SessionTest, FreesABufferOnceItsWorkIsDone) {
  const auto prepared = session_->prepare(scale_program(), {a_}, {.groups = {4}});
  ASSERT_TRUE(prepared);
  std::array<std::uint32_t, 16> read = {};
  ASSERT_OK(scale(a_));
  ASSERT_OK(session_->read(a_, read));
  EXPECT_THAT(refusal(session_->free(a_.part(0, 4))), HasSubstr("only whole buffers are"));
  ASSERT_OK(session_->free(a_));
  EXPECT_THAT(refusal(scale(a_)), HasSubstr("the buffer was freed"));
  EXPECT_THAT(refusal(session_->enqueue(*prepared)), HasSubstr("names a buffer that was freed"));
  ASSERT_TRUE(session_->finish());
  EXPECT_THAT(read, Each(2));
}

TEST_P(SessionTest, MapsABufferOnceItsWorkIsDone) {
  ASSERT_OK(scale(a_));
  const auto mapped = session_->map(a_);
  if (!GetParam()) {
    EXPECT_THAT(refusal(mapped), HasSubstr("buffers cannot be mapped on device 'fake device'"));
    return;
  }
  ASSERT_TRUE(mapped);
  EXPECT_EQ(mapped->front(), std::byte{2});
}

TEST_P(SessionTest, ADispatchOnOverlappingBuffersRunsAVariant) {
  ASSERT_OK(session_->dispatch(add_program(), {a_, a_}, {.groups = {4}, .params = params(4U)}));
  EXPECT_THAT(numbers(a_), Each(5));
}

TEST_P(SessionTest, RefusesMistakesAndGoesOn) {
  EXPECT_THAT(refusal(session_->copy(a_, b_.part(0, 4))), HasSubstr("a view of 64 bytes is copied to one of 16"));
  EXPECT_THAT(refusal(session_->copy(a_.part(0, 8), a_.part(4, 8))), HasSubstr("overlap those at"));
  EXPECT_THAT(refusal(session_->fill(a_.view().bytes(1, 5), 0x01020304)), HasSubstr("need multiples of 4"));
  EXPECT_THAT(refusal(session_->dispatch(scale_program(), {})), HasSubstr("while dispatching program 'scale'"));
  EXPECT_THAT(refusal(session_->prepare(scale_program(), {})), HasSubstr("while preparing program 'scale'"));
  EXPECT_THAT(refusal(session_->wait({.session = 1, .batch = 99})), HasSubstr("the ticket was not given by"));
  EXPECT_THAT(refusal(session_->write_bytes(a_, {})), HasSubstr("0 bytes are written to a view of 64"));
  EXPECT_THAT(refusal(session_->read_bytes(a_, {})), HasSubstr("0 bytes are read from a view of 64"));
  EXPECT_THAT(numbers(a_), Each(1));
}

TEST(Session, RefusesASessionWithoutADevice) {
  EXPECT_THAT(refusal(Session::open(nullptr)), HasSubstr("a session needs a device"));
}

TEST(Session, LaunchesABatchThatIsFull) {
  Session session = Session::open(open_device(), {.max_batch = 2}).value();
  const auto data = session.buffer<std::uint32_t>(std::vector<std::uint32_t>(16, 1)).value();
  for (int i = 0; i < 5; ++i) ASSERT_OK(session.dispatch(scale_program(), {data}, {.groups = {4}}));
  const auto report = session.finish();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->batches, 3);
  EXPECT_EQ(report->dispatches, 5);
}

TEST(Session, AFullProgramTableMakesRoom) {
  Session session = Session::open(open_device(), {.max_pipelines = 1}).value();
  const auto a = session.buffer<std::uint32_t>(std::vector<std::uint32_t>(16, 1)).value();
  const auto b = session.buffer<std::uint32_t>(16).value();
  for (int round = 0; round < 2; ++round) {
    ASSERT_OK(session.dispatch(scale_program(), {a}, {.groups = {4}}));
    ASSERT_OK(session.dispatch(add_program(), {a, b}, {.groups = {4}, .params = params(1U)}));
  }
  std::array<std::uint32_t, 16> result = {};
  ASSERT_OK(session.read(b, result));
  ASSERT_TRUE(session.finish());
  EXPECT_THAT(result, Each(5));
}

TEST(Session, IsBrokenByADeviceThatIsLostUntilFinishSaysSo) {
  Session session = Session::open(open_device({.lost_at_launch = 1})).value();
  const auto data = session.buffer<std::uint32_t>(16).value();
  ASSERT_OK(session.dispatch(scale_program(), {data}));
  EXPECT_THAT(refusal(session.flush()), HasSubstr("device-lost"));
  EXPECT_THAT(refusal(session.dispatch(scale_program(), {data})), HasSubstr("device-lost"));
  EXPECT_THAT(refusal(session.finish()), HasSubstr("0 of 0 submissions completed"));
}

TEST(Session, AWaitBeyondTheWatchdogIsReported) {
  const auto device = open_device({.costs = {.dispatch_ns = 1'000'000}});
  Session session = Session::open(device, {.watchdog = std::chrono::nanoseconds{10}}).value();
  const auto data = session.buffer<std::uint32_t>(16).value();
  ASSERT_OK(session.dispatch(scale_program(), {data}));
  EXPECT_THAT(refusal(session.finish()), HasSubstr("timed-out"));
}

TEST(Session, EndsWithoutWaitingForItsWork) {
  constexpr std::uint64_t kLongNs = 5'000'000'000;
  const auto device = open_device({.costs = {.group_ns = kLongNs}});
  const std::uint64_t begin = device->now_ns();
  std::vector<std::uint32_t> host(16, 9);
  {
    Session session = Session::open(device, {.watchdog = std::chrono::milliseconds{1}}).value();
    const auto data = session.buffer<std::uint32_t>(16).value();
    ASSERT_OK(session.dispatch(scale_program(), {data}, {.groups = {1}}));
    ASSERT_OK(session.read(data, host));
    EXPECT_THAT(refusal(session.finish()), HasSubstr("not done after 1000000 ns")) << "what tells beforehand";
  }
  EXPECT_LT(device->now_ns() - begin, kLongNs);
  EXPECT_EQ(device->usage().pending, 1U);
  EXPECT_THAT(host, Each(9U)) << "nothing is read any more";
  EXPECT_TRUE(device->wait_idle());
  EXPECT_EQ(device->usage(), backend::DeviceUsage{}) << "the device has kept what the work used";
}

/// Replaying a capture costs the host the same however many operations it has: it neither plans nor describes them.
TEST(Session, ReplaysAnUnchangedCaptureWithoutLookingAtItsOperations) {
  const auto device = open_device();
  Session session = Session::open(device, {.mode = LaunchMode::Replay}).value();
  const auto data = session.buffer<std::uint32_t>(16).value();
  const auto captured =
      session.capture([&] { return session.dispatch(scale_program(), {data}, {.groups = {4}, .repeat = 100}); });
  ASSERT_OK(captured);
  ASSERT_OK(session.replay(*captured));
  ASSERT_OK(session.finish());
  for (int i = 0; i < 3; ++i) ASSERT_OK(session.replay(*captured));
  const auto report = session.finish();
  ASSERT_OK(report);
  EXPECT_EQ(report->dispatches, 300U);
  EXPECT_EQ(report->replays, 3U);
  EXPECT_EQ(report->recordings, 0U);
  EXPECT_EQ(report->submissions, 3U);
}

TEST(Session, RefusesEveryCallAfterItWasMovedElsewhere) {
  Session session = Session::open(open_device()).value();
  Session other = std::move(session);
  // NOLINTBEGIN(bugprone-use-after-move): what is tested.
  EXPECT_THAT(refusal(session.flush()), HasSubstr("the session was moved elsewhere"));
  EXPECT_EQ(&session.device(), &other.device());
  EXPECT_EQ(&session.tuner(), &other.tuner());
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_TRUE(other.flush());
}

TEST(Session, MeasuresTheDeviceOnceThereIsSomethingToChoose) {
  const auto device = open_device({.costs = {.launch_ns = 5'000, .dispatch_ns = 1'000}});
  Session session = Session::open(device, {.calibrate_after = std::chrono::nanoseconds{0}}).value();
  const auto data = session.buffer<std::uint32_t>(16).value();
  const auto run = [&](std::uint32_t dispatches) {
    EXPECT_TRUE(session.dispatch(scale_program(), {data}, {.groups = {4}, .repeat = dispatches}));
    return session.finish().value();
  };
  EXPECT_EQ(run(1).calibration_ns, 0);
  EXPECT_FALSE(session.tuner().is_calibrated());
  EXPECT_GT(run(20).calibration_ns, 0);
  EXPECT_TRUE(session.tuner().is_calibrated());
  RunReport last;
  for (int i = 0; i < 50; ++i) last = run(20);
  ASSERT_EQ(last.shapes.size(), 1);
  EXPECT_GT(last.shapes[0]->batches, 20);
}

/// A fake device that knows how often it allocates itself.
class CountingDriver final : public tests::ForwardingDriver {
 public:
  using ForwardingDriver::ForwardingDriver;

  [[nodiscard]] Result<backend::RecordingPtr> record(const backend::ListView& view, backend::Reuse reuse) override {
    return counted([&] { return inner().record(view, reuse); });
  }
  [[nodiscard]] Result<void> launch(std::span<backend::DriverRecording* const> recordings, backend::Ticket ticket,
                                    std::span<const backend::Ticket> after) override {
    return counted([&] { return inner().launch(recordings, ticket, after); });
  }
  [[nodiscard]] std::uint64_t allocations() const noexcept { return allocations_; }

 private:
  template <typename Call>
  std::invoke_result_t<Call> counted(Call call) {
    const std::uint64_t before = tests::allocation_count();
    auto result = call();
    allocations_ += tests::allocation_count() - before;
    return result;
  }

  std::uint64_t allocations_ = 0;
};

/// Counts what a session allocates in the calls of a batch and its flush, without the driver, after batches like it.
class AllocationCounter {
 public:
  explicit AllocationCounter(LaunchMode mode) : session{Session::open(open(), {.mode = mode}).value()} {}

  template <typename Gather>
  std::uint64_t count(Gather gather) {
    constexpr int kWarmBatches = 8;
    std::uint64_t count = 0;
    for (int i = 0; i <= kWarmBatches; ++i) {
      const std::uint64_t before = tests::allocation_count() - driver_->allocations();
      gather();
      const auto ticket = session.flush();
      count = tests::allocation_count() - driver_->allocations() - before;
      EXPECT_TRUE(ticket && session.wait(*ticket));
    }
    return count;
  }

 private:
  std::shared_ptr<backend::Device> open() {
    auto driver =
        std::make_unique<CountingDriver>(backends::fake::open_fake(tests::with_kernels({.has_forms = false})));
    driver_ = driver.get();
    return std::make_shared<backend::Device>(std::move(driver), backend::DeviceOptions{});
  }

  CountingDriver* driver_ = nullptr;  // The device has it.

 public:
  Session session;
};

TEST(Session, AllocatesNothingPerDispatch) {
  for (const LaunchMode mode : {LaunchMode::Batched, LaunchMode::Replay, LaunchMode::Auto}) {
    SCOPED_TRACE(to_string(mode));
    AllocationCounter counter{mode};
    Session& session = counter.session;
    const auto a = session.buffer<std::uint32_t>(16).value();
    const auto b = session.buffer<std::uint32_t>(16).value();
    const std::array<BufferView, 2> views = {a.view(), b.view()};
    const std::array<Argument, 2> arguments = {a, b};
    const auto dispatch = [&](std::uint32_t count) {
      return counter.count([&, bias = 0U]() mutable {
        ++bias;  // Every batch is a new one.
        for (std::uint32_t i = 0; i < count; ++i) {
          ASSERT_TRUE(session.dispatch(add_program(), arguments, {.params = params(bias)}));
        }
      });
    };
    const auto enqueue = [&](std::uint32_t count) {
      const auto prepared = session.prepare(add_program(), arguments, {.params = params(1U)}).value();
      return counter.count([&] {
        for (std::uint32_t i = 0; i < count; ++i) ASSERT_TRUE(session.enqueue(prepared));
      });
    };
    const auto many = [&](std::uint32_t count) {
      const std::vector<DispatchItem> items(count, {.buffers = views, .params = params(1U)});
      return counter.count([&] { ASSERT_TRUE(session.dispatch_many(add_program(), items)); });
    };
    const auto enqueue_all = [&](std::uint32_t count) {
      const std::vector<Prepared> all(count, session.prepare(add_program(), arguments, {.params = params(1U)}).value());
      return counter.count([&] { ASSERT_TRUE(session.enqueue(all)); });
    };
    // A capture with a write and a read, as it is or with other parameters for one of its dispatches.
    const auto replay = [&](std::uint32_t count, bool is_changed) {
      std::array<std::uint32_t, 16> host = {};
      const Capture captured =
          session
              .capture([&]() -> Result<void> {
                VYRE_TRY(session.write(a, host));
                for (std::uint32_t i = 0; i < count; ++i) {
                  const std::string_view label = i == 0 ? "first" : "";
                  VYRE_TRY(session.dispatch(add_program(), arguments, {.params = params(1U), .label = label}));
                }
                return session.read(b, host);
              })
              .value();
      return counter.count([&, bias = 0U]() mutable {
        const std::array<CaptureParams, 1> other = {{{.label = "first", .params = params(++bias)}}};
        ASSERT_TRUE(session.replay(captured, std::span{other}.first(is_changed ? 1 : 0)));
      });
    };
    constexpr std::uint32_t kDispatches = 100;
    // A batch may allocate, a dispatch may not: ten times as many dispatches allocate as often. Only the copy of a new
    // batch that is kept grows as it is recorded, twofold each time.
    const std::uint64_t growth = mode == LaunchMode::Replay ? 20 : 0;
    EXPECT_LE(dispatch(10 * kDispatches), dispatch(kDispatches) + growth);
    EXPECT_EQ(enqueue(kDispatches), enqueue(10 * kDispatches));
    EXPECT_EQ(enqueue_all(kDispatches), enqueue_all(10 * kDispatches));
    EXPECT_EQ(many(kDispatches), many(10 * kDispatches));
    EXPECT_EQ(replay(kDispatches, false), replay(10 * kDispatches, false));
    EXPECT_LE(replay(10 * kDispatches, true), replay(kDispatches, true) + growth);
  }
}

}  // namespace
}  // namespace vyre::runtime
