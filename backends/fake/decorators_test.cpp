#include <vyre/backend/decorators.hpp>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <backends/fake/driver_rig.hpp>

namespace vyre::backends::fake {
namespace {

using backend::BufferHandle;
using backend::CommandList;
using backend::DeviceDriver;
using backend::DriverRecording;
using backend::RecordingPtr;
using backend::Reuse;
using backend::Ticket;
using std::chrono::nanoseconds;
using testing::ElementsAre;

constexpr nanoseconds kForever = nanoseconds::max();

std::unique_ptr<DeviceDriver> open_slow() { return open_fake({.costs = {.copy_ns = 1000}}); }

CommandList fill_list(BufferHandle buffer) {
  CommandList list;
  list.fill({.buffer = buffer}, 1);
  return list;
}

program::Program make_empty() {
  return program::Program::from_glsl("#version 450\nvoid main() {}", {.name = "empty"}).value();
}

/// A driver that does nothing, keeps one recording for the next use, and says of its queue what a test wants.
class PoolingDriver final : public DeviceDriver {
 public:
  explicit PoolingDriver(std::shared_ptr<std::uint64_t> done) : done_{std::move(done)} { info_.limits.queues = 1; }

  [[nodiscard]] const backend::DeviceInfo& info() const noexcept override { return info_; }
  [[nodiscard]] Result<std::unique_ptr<backend::DriverBuffer>> allocate(const backend::BufferDesc&) override {
    return std::make_unique<backend::DriverBuffer>();
  }
  [[nodiscard]] Result<std::unique_ptr<backend::DriverPipeline>> compile(const backend::PipelineDesc&) override {
    return std::make_unique<backend::DriverPipeline>();
  }
  [[nodiscard]] Result<RecordingPtr> record(const backend::ListView&, Reuse) override { return RecordingPtr{&pooled_}; }
  [[nodiscard]] Result<void> launch(std::span<DriverRecording* const>, Ticket, std::span<const Ticket>) override {
    return {};
  }
  [[nodiscard]] Result<std::uint64_t> completed(std::uint32_t) override { return *done_; }
  [[nodiscard]] Result<bool> wait(Ticket, nanoseconds) override { return true; }
  [[nodiscard]] std::uint64_t now_ns() noexcept override { return 0; }

 private:
  struct Pooled final : DriverRecording {
    void release() noexcept override {}
  };

  backend::DeviceInfo info_;
  std::shared_ptr<std::uint64_t> done_;
  Pooled pooled_;
};

TEST(CheckingDriver, LetsPassWhatKeepsTheContract) {
  DriverRig rig{make_checking_driver(open_slow())};
  const BufferHandle buffer = rig.buffer(8);
  const RecordingPtr many = rig.record(fill_list(buffer)).value();
  for (std::uint64_t ticket = 1; ticket <= 3; ++ticket) {
    ASSERT_TRUE(rig.launch(*many, {.value = ticket}, {}).has_value());
  }
  ASSERT_TRUE(rig.launch(*many, {.queue = 1, .value = 1}, std::array{Ticket{.queue = 0, .value = 3}}));
  EXPECT_FALSE(rig.driver->wait({.value = 3}, nanoseconds{10}).value());
  EXPECT_TRUE(rig.driver->wait({.queue = 1, .value = 1}, kForever).value());
  EXPECT_EQ(rig.driver->completed(0).value(), 3U);
  ASSERT_TRUE(rig.buffers.remove(buffer).has_value());
}

TEST(CheckingDriver, LetsAFailedLaunchBeMadeAgain) {
  const auto plan = std::make_shared<backend::FaultPlan>();
  DriverRig rig{make_checking_driver(make_faulty_driver(open_slow(), plan))};
  const RecordingPtr once = rig.record(fill_list(rig.buffer(8)), Reuse::Once).value();
  plan->fail_at = 3;
  EXPECT_FALSE(rig.launch(*once, {.value = 1}, {}).has_value());
  EXPECT_TRUE(rig.launch(*once, {.value = 1}, {}).has_value());
  EXPECT_TRUE(rig.driver->wait({.value = 1}, kForever).value());
}

TEST(CheckingDriver, LetsEverythingGoOnceTheDeviceIsLost) {
  DriverRig rig{make_checking_driver(open_fake({.costs = {.copy_ns = 1000}, .lost_at_launch = 2}))};
  const BufferHandle buffer = rig.buffer(8);
  const RecordingPtr many = rig.record(fill_list(buffer)).value();
  ASSERT_TRUE(rig.launch(*many, {.value = 1}, {}).has_value());
  EXPECT_EQ(rig.launch(*many, {.value = 2}, {}).error().code, ErrorCode::DeviceLost);
  EXPECT_TRUE(rig.buffers.remove(buffer).has_value());
}

TEST(CheckingDriver, TakesARecordingThatComesBackForANewOne) {
  const auto done = std::make_shared<std::uint64_t>(0);
  DriverRig rig{make_checking_driver(std::make_unique<PoolingDriver>(done))};
  const CommandList list = fill_list(rig.buffer(8));
  for (std::uint64_t ticket = 1; ticket <= 2; ++ticket) {
    const RecordingPtr once = rig.record(list, Reuse::Once).value();
    ASSERT_TRUE(rig.launch(*once, {.value = ticket}, {}).has_value());
    *done = ticket;
    EXPECT_EQ(rig.driver->completed(0).value(), ticket);
  }
}

TEST(CheckingDriverThreads, ChecksQueuesAtOnce) {
  DriverRig rig{make_checking_driver(open_slow())};
  std::vector<std::jthread> threads;
  for (const std::uint32_t queue : {0U, 1U}) {
    threads.emplace_back([&rig, queue] {
      for (std::uint64_t ticket = 1; ticket <= 100; ++ticket) {
        const BufferHandle buffer = rig.buffer(8);
        const RecordingPtr once = rig.record(fill_list(buffer), Reuse::Once).value();
        EXPECT_TRUE(rig.launch(*once, {.queue = queue, .value = ticket}, {}).has_value());
        EXPECT_TRUE(rig.driver->completed(1 - queue).has_value());
        EXPECT_TRUE(rig.driver->wait({.queue = queue, .value = ticket}, kForever).value());
        EXPECT_TRUE(rig.buffers.remove(buffer).has_value());
      }
    });
  }
}

class CheckingDriverDeathTest : public testing::Test {
 protected:
  CheckingDriverDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  ~CheckingDriverDeathTest() override {
    for (std::uint32_t queue = 0; queue < 2; ++queue) {
      EXPECT_TRUE(rig_.driver->wait({queue, launched_[queue]}, kForever).value());
    }
  }

  DriverRecording& record(Reuse reuse = Reuse::Many) {
    return *recordings_.emplace_back(rig_.record(fill_list(buffer_), reuse).value());
  }

  void launch(DriverRecording& recording, std::uint32_t queue = 0) {
    ASSERT_TRUE(rig_.launch(recording, {queue, ++launched_[queue]}, {}).has_value());
  }

  DriverRig rig_{make_checking_driver(open_slow())};
  BufferHandle buffer_ = rig_.buffer(8);
  std::vector<RecordingPtr> recordings_;
  std::array<std::uint64_t, 2> launched_ = {};
};

TEST_F(CheckingDriverDeathTest, TicketsOutOfOrder) {
  DriverRecording& many = record();
  launch(many);
  for (const std::uint64_t value : {0U, 1U, 3U}) {
    EXPECT_DEATH(std::ignore = rig_.launch(many, {.value = value}, {}), "a ticket is out of order");
  }
  EXPECT_DEATH(std::ignore = rig_.launch(many, {.queue = 2, .value = 1}, {}), "the device has fewer queues");
}

TEST_F(CheckingDriverDeathTest, TicketsThatWereNeverLaunched) {
  DriverRecording& many = record();
  EXPECT_DEATH(std::ignore = rig_.driver->wait({.value = 1}, kForever), "a wait for a ticket that was never launched");
  EXPECT_DEATH(std::ignore = rig_.launch(many, {.value = 1}, std::array{Ticket{.queue = 1, .value = 1}}),
               "a launch behind a ticket that was never launched");
  EXPECT_DEATH(std::ignore = rig_.driver->completed(2), "the device has fewer queues");
}

TEST_F(CheckingDriverDeathTest, ObjectsDestroyedWhileTheyArePending) {
  DriverRecording& many = record();
  launch(many, 1);
  EXPECT_DEATH(std::ignore = rig_.buffers.remove(buffer_), "destroyed while a submission that uses it is pending");
  EXPECT_DEATH(recordings_.clear(), "destroyed while a submission that uses it is pending");
  EXPECT_TRUE(rig_.buffers.remove(rig_.buffer(8)).has_value());
}

TEST_F(CheckingDriverDeathTest, ObjectsOfAnotherDriver) {
  DriverRig other{make_checking_driver(open_slow())};
  const CommandList list = fill_list(other.buffer(8));
  const RecordingPtr recording = other.record(list).value();
  EXPECT_DEATH(std::ignore = rig_.driver->record({.list = list, .buffers = other.buffers, .pipelines = other.pipelines},
                                                 Reuse::Many),
               "a list names an object that this driver does not have");
  EXPECT_DEATH(std::ignore = rig_.launch(*recording, {.value = 1}, {}),
               "a launch of a recording that this driver does not have");
}

TEST_F(CheckingDriverDeathTest, ObjectsUsedAfterTheyWereDestroyed) {
  const CommandList list = fill_list(buffer_);
  const std::unique_ptr<backend::DriverBuffer> taken = std::move(rig_.buffers.at(buffer_).object);
  EXPECT_DEATH(std::ignore = rig_.record(list), "a list names an object that this driver does not have");
  ASSERT_TRUE(rig_.buffers.remove(buffer_).has_value());
  EXPECT_DEATH(std::ignore = rig_.record(list), "a list names a buffer that is not in the table");
}

TEST_F(CheckingDriverDeathTest, RecordingsForOnceLaunchedTwice) {
  DriverRecording& once = record(Reuse::Once);
  launch(once);
  EXPECT_DEATH(std::ignore = rig_.launch(once, {.value = 2}, {}),
               "a recording that was made for once is launched again");
}

TEST_F(CheckingDriverDeathTest, ObjectsLeftWhenTheDriverGoes) {
  EXPECT_DEATH(rig_.driver.reset(), "a driver goes while buffers or pipelines of it are left");
  const RecordingPtr recording = rig_.record({}).value();
  EXPECT_DEATH(
      {
        std::ignore = rig_.buffers.remove(buffer_);
        rig_.driver.reset();
      },
      "a driver goes while recordings of it are left");
}

TEST(CompletedTicketsDeathTest, FallOrWereNeverLaunched) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto done = std::make_shared<std::uint64_t>(0);
  DriverRig rig{make_checking_driver(std::make_unique<PoolingDriver>(done))};
  const RecordingPtr many = rig.record({}).value();
  ASSERT_TRUE(rig.launch(*many, {.value = 1}, {}).has_value());
  EXPECT_DEATH(std::ignore = rig.record({}), "a recording is used again while a launch of it is pending");
  *done = 2;
  EXPECT_DEATH(std::ignore = rig.driver->completed(0), "a completed ticket was never launched");
  *done = 1;
  ASSERT_TRUE(rig.driver->completed(0).has_value());
  *done = 0;
  EXPECT_DEATH(std::ignore = rig.driver->completed(0), "a completed ticket falls");
}

/// Makes every call that can fail once, and tells the number of the first that did.
std::optional<int> first_failure(DeviceDriver& driver) {
  const program::Program program = make_empty();
  backend::BufferTable buffers;
  backend::PipelineTable pipelines;
  const CommandList list;
  if (!driver.allocate({.size = 8})) return 1;
  if (!driver.compile({.program = program, .interface = program.interface(), .values = {}, .slots = {}})) return 2;
  const Result<RecordingPtr> recording =
      driver.record({.list = list, .buffers = buffers, .pipelines = pipelines}, Reuse::Once);
  if (!recording) return 3;
  if (!driver.launch(std::array{recording->get()}, {.value = 1}, {})) return 4;
  if (!driver.completed(0)) return 5;
  if (!driver.wait({.value = 1}, kForever)) return 6;
  return std::nullopt;
}

std::unique_ptr<DeviceDriver> open_empty() {
  return open_fake({.kernels = {{"empty", [](const Invocation&) {}}}});
}

TEST(FaultyDriver, FailsTheCallThatThePlanNames) {
  for (int call = 1; call <= 6; ++call) {
    const auto plan = std::make_shared<backend::FaultPlan>();
    plan->fail_at = static_cast<std::uint64_t>(call);
    EXPECT_EQ(first_failure(*make_faulty_driver(open_empty(), plan)), call);
    EXPECT_EQ(plan->calls, static_cast<std::uint64_t>(call));
  }
  const auto plan = std::make_shared<backend::FaultPlan>();
  EXPECT_EQ(first_failure(*make_faulty_driver(open_empty(), plan)), std::nullopt);
  EXPECT_EQ(plan->calls, 6U);
}

TEST(FaultyDriver, GivesTheErrorOfThePlan) {
  const auto plan = std::make_shared<backend::FaultPlan>();
  plan->error = {.code = ErrorCode::OutOfMemory, .message = "there is no memory today"};
  plan->fail_at = 1;
  const auto driver = make_faulty_driver(open_fake(), plan);
  EXPECT_EQ(driver->allocate({.size = 8}).error(), plan->error);
  EXPECT_TRUE(driver->allocate({.size = 8}).has_value());
}

TEST(TracingDriver, TellsOfEveryCall) {
  std::vector<std::string> calls;
  const auto sink = [&](const backend::TraceEvent& event) {
    calls.push_back(std::string{event.call} + ": " + event.detail);
    EXPECT_FALSE(event.failed);
  };
  EXPECT_EQ(first_failure(*make_tracing_driver(open_empty(), sink)), std::nullopt);
  EXPECT_THAT(calls, ElementsAre("allocate: 8 bytes", "compile: program 'empty'", "record: 0 commands to run once",
                                 "launch: queue 0 ticket 1", "completed: queue 0", "wait: queue 0 ticket 1"));
}

TEST(TracingDriver, TellsTimesAndFailures) {
  std::vector<backend::TraceEvent> events;
  const auto plan = std::make_shared<backend::FaultPlan>();
  plan->fail_at = 2;
  const auto driver = make_tracing_driver(make_faulty_driver(open_fake({.costs = {.poll_ns = 10}}), plan),
                                          [&](const backend::TraceEvent& event) { events.push_back(event); });
  EXPECT_TRUE(driver->completed(0).has_value());
  EXPECT_FALSE(driver->completed(0).has_value());
  EXPECT_TRUE(driver->completed(0).has_value());
  ASSERT_EQ(events.size(), 3U);
  EXPECT_FALSE(events[0].failed);
  EXPECT_TRUE(events[1].failed);
  EXPECT_EQ(events[1].begin_ns, 10U);
  EXPECT_EQ(events[1].end_ns, 10U);
  EXPECT_EQ(events[2].begin_ns, 10U);
  EXPECT_EQ(events[2].end_ns, 20U);
}

}  // namespace
}  // namespace vyre::backends::fake
