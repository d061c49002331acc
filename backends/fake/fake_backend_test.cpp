#include <backends/fake/fake_backend.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <set>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <backends/fake/driver_rig.hpp>
#include <vyre/backend/registry.hpp>

namespace vyre::backends::fake {
namespace {

using backend::BufferHandle;
using backend::BufferRange;
using backend::CommandList;
using backend::Memory;
using backend::RecordingPtr;
using std::chrono::nanoseconds;
using testing::Each;
using testing::ElementsAre;

program::Program make_scale() {
  return program::Program::from_glsl(R"(#version 450
    layout(local_size_x = 32) in;
    layout(constant_id = 7) const uint factor = 2;
    layout(push_constant) uniform Params { uint bias; };
    layout(set = 0, binding = 0) buffer Data { uint data[]; };
    void main() { data[gl_GlobalInvocationID.x] = data[gl_GlobalInvocationID.x] * factor + bias; })",
                                     {.name = "scale"})
      .value();
}

void scale(const Invocation& in) {
  const std::uint64_t factor = in.values.empty() ? 2 : in.values.front().bits;
  std::uint32_t bias = 0;
  std::memcpy(&bias, in.params.data(), in.params.size());
  const std::size_t count = std::size_t{in.groups[0]} * in.workgroup[0];
  for (std::size_t i = 0; i < std::min(count, in.bindings[0].size() / 4); ++i) {
    std::uint32_t number = 0;
    std::memcpy(&number, &in.bindings[0][i * 4], 4);
    number = static_cast<std::uint32_t>(number * factor + bias);
    std::memcpy(&in.bindings[0][i * 4], &number, 4);
  }
}

DriverRig make_rig(Costs costs = {}) { return DriverRig{open_fake({.costs = costs})}; }

void fill_twice(CommandList& list, BufferHandle buffer, bool ordered) {
  list.fill({.buffer = buffer}, 1);
  if (ordered) list.barrier();
  list.fill({.buffer = buffer}, 2);
}

TEST(FakeBackend, ListsOneDeviceAndOpensNoOther) {
  const std::unique_ptr<backend::Backend> backend = make_fake_backend({.queues = 3});
  backend::DeviceInfo info = backend->devices().value().at(0);
  EXPECT_EQ(info.backend, "fake");
  EXPECT_EQ(info.name, "fake device");
  EXPECT_EQ(to_string(info.type), "other");
  EXPECT_EQ(info.limits.queues, 3U);
  EXPECT_TRUE(std::ranges::binary_search(info.spirv_capabilities, "Shader"));
  EXPECT_EQ(backend->open(info, {}).value()->info(), info);

  info.backend = "vulkan";
  EXPECT_EQ(to_string(backend->open(info, {}).error()),
            "error[invalid-argument]: device 'fake device' of backend 'vulkan' is not the device of this fake backend");
}

TEST(FakeBackend, OtherCostsAreAnotherDevice) {
  std::set<std::string> signatures;
  for (const std::uint64_t cost : {0U, 1U, 2U}) {
    signatures.insert(make_fake_backend({.costs = {.copy_ns = cost}})->devices().value().at(0).signature);
  }
  EXPECT_EQ(signatures.size(), 3U);
}

TEST(FakeBackend, IsFoundInARegistryByItsName) {
  backend::Registry registry;
  EXPECT_EQ(registry.find("fake").error().message, "there is no backend 'fake', there is none at all");
  ASSERT_TRUE(registry.add(make_fake_backend({})).has_value());
  EXPECT_EQ(registry.find("fake").value(), registry.backends().front().get());
  EXPECT_EQ(registry.add(make_fake_backend({})).error().message, "there is a backend 'fake' already");
  EXPECT_EQ(registry.find("cuda").error().message, "there is no backend 'cuda', there is fake");
}

TEST(FakeDriver, MapsWhatItIsAskedTo) {
  for (const bool map : {false, true}) {
    const auto driver = open_fake({}, {.map_device_memory = map});
    EXPECT_EQ(driver->allocate({.size = 8, .memory = Memory::Device}).value()->mapped != nullptr, map);
    EXPECT_NE(driver->allocate({.size = 8, .memory = Memory::Upload}).value()->mapped, nullptr);
    EXPECT_NE(driver->allocate({.size = 8, .memory = Memory::Readback}).value()->mapped, nullptr);
  }
}

TEST(FakeDriver, RunsTheFunctionOfAProgramOnItsRange) {
  DriverRig rig{open_fake({.kernels = {{"scale", scale}}})};
  const program::Program program = make_scale();
  const std::array values{program::spirv::SpecOverride{.spec_id = 7, .bits = 10}};
  const BufferHandle data = rig.buffer(64);
  const std::uint32_t bias = 5;
  CommandList list;
  list.fill({.buffer = data}, 3);
  list.barrier();
  list.dispatch(rig.pipeline(program), std::array{BufferRange{.buffer = data, .offset = 16, .size = 16}}, {1, 1, 1},
                std::as_bytes(std::span{&bias, 1}));
  list.dispatch(rig.pipeline(program, values), std::array{BufferRange{.buffer = data, .offset = 48}}, {1, 1, 1},
                std::as_bytes(std::span{&bias, 1}));
  const RecordingPtr recording = rig.record(list).value();
  ASSERT_TRUE(rig.launch(*recording, {.value = 1}, {}).has_value());
  EXPECT_THAT(rig.numbers<std::uint32_t>(data), ElementsAre(3, 3, 3, 3, 11, 11, 11, 11, 3, 3, 3, 3, 35, 35, 35, 35));
}

TEST(FakeDriver, RefusesAProgramWithoutAFunction) {
  const auto driver = open_fake();
  const program::Program program = make_scale();
  EXPECT_EQ(
      to_string(
          driver->compile({.program = program, .interface = program.interface(), .values = {}, .slots = {}}).error()),
      "error[unsupported]: the fake device has no function for program 'scale'");
}

TEST(FakeDriver, CopiesAndFillsOddBytes) {
  DriverRig rig = make_rig();
  const BufferHandle from = rig.buffer(8);
  const BufferHandle to = rig.buffer(8);
  CommandList list;
  list.fill({.buffer = from}, 0x0403'0201);
  list.fill({.buffer = to}, 0);
  list.barrier();
  list.copy(from, 1, to, 2, 5);
  list.fill({.buffer = to, .offset = 7, .size = 1}, 0x0909'0909);
  const RecordingPtr recording = rig.record(list).value();
  ASSERT_TRUE(rig.launch(*recording, {.value = 1}, {}).has_value());
  EXPECT_THAT(rig.numbers<std::uint8_t>(to), ElementsAre(0, 0, 2, 3, 4, 1, 2, 9));
}

TEST(FakeDriver, RunsWhatNoBarrierOrdersInAnyOrderAndAlwaysTheSame) {
  std::vector<std::uint32_t> results[2];
  for (auto& result : results) {
    DriverRig rig = make_rig();
    const BufferHandle buffer = rig.buffer(4);
    CommandList unordered;
    fill_twice(unordered, buffer, false);
    CommandList ordered;
    fill_twice(ordered, buffer, true);
    const RecordingPtr wrong = rig.record(unordered).value();
    const RecordingPtr right = rig.record(ordered).value();
    for (std::uint64_t ticket = 1; ticket <= 64; ticket += 2) {
      ASSERT_TRUE(rig.launch(*wrong, {.value = ticket}, {}).has_value());
      result.push_back(rig.numbers<std::uint32_t>(buffer)[0]);
      ASSERT_TRUE(rig.launch(*right, {.value = ticket + 1}, {}).has_value());
      ASSERT_EQ(rig.numbers<std::uint32_t>(buffer)[0], 2U);
    }
  }
  EXPECT_THAT(results[0], testing::Contains(1U));
  EXPECT_THAT(results[0], testing::Contains(2U));
  EXPECT_EQ(results[0], results[1]);
}

TEST(FakeDriver, CountsWhatTheHostAndTheDeviceDo) {
  DriverRig rig = make_rig({.launch_ns = 5, .record_command_ns = 1, .poll_ns = 10, .start_ns = 100, .copy_ns = 1000});
  const BufferHandle buffer = rig.buffer(4);
  CommandList list;
  list.fill({.buffer = buffer}, 1);
  const RecordingPtr recording = rig.record(list).value();
  EXPECT_EQ(rig.driver->now_ns(), 1U);
  // The first runs from 6 to 1106, the second behind it to 2206.
  ASSERT_TRUE(rig.launch(*recording, {.value = 1}, {}).has_value());
  ASSERT_TRUE(rig.launch(*recording, {.value = 2}, {}).has_value());
  EXPECT_EQ(rig.driver->now_ns(), 11U);
  EXPECT_EQ(rig.driver->completed(0).value(), 0U);
  EXPECT_EQ(rig.driver->now_ns(), 21U);

  EXPECT_FALSE(rig.driver->wait({.value = 1}, nanoseconds{1084}).value());
  EXPECT_EQ(rig.driver->now_ns(), 1105U);
  EXPECT_TRUE(rig.driver->wait({.value = 1}, nanoseconds{1}).value());
  EXPECT_EQ(rig.driver->now_ns(), 1106U);
  EXPECT_EQ(rig.driver->completed(0).value(), 1U);
  EXPECT_TRUE(rig.driver->wait({.value = 2}, nanoseconds::max()).value());
  EXPECT_EQ(rig.driver->now_ns(), 2206U);
  EXPECT_TRUE(rig.driver->wait({.value = 1}, nanoseconds{0}).value());
  EXPECT_EQ(rig.driver->completed(0).value(), 2U);
  EXPECT_EQ(rig.driver->now_ns(), 2216U);
}

TEST(FakeDriver, RunsQueuesAtOnceUnlessOneWaits) {
  DriverRig rig = make_rig({.copy_ns = 1000});
  CommandList list;
  list.fill({.buffer = rig.buffer(4)}, 1);
  const RecordingPtr recording = rig.record(list).value();
  const backend::Ticket first{.queue = 0, .value = 1};
  ASSERT_TRUE(rig.launch(*recording, first, {}).has_value());
  ASSERT_TRUE(rig.launch(*recording, {.queue = 1, .value = 1}, {}).has_value());
  ASSERT_TRUE(rig.launch(*recording, {.queue = 0, .value = 2}, {}).has_value());
  ASSERT_TRUE(rig.launch(*recording, {.queue = 1, .value = 2}, std::array{backend::Ticket{.queue = 0, .value = 2}})
                  .has_value());
  ASSERT_TRUE(rig.driver->wait({.queue = 1, .value = 1}, nanoseconds::max()).value());
  EXPECT_EQ(rig.driver->now_ns(), 1000U);
  ASSERT_TRUE(rig.driver->wait({.queue = 1, .value = 2}, nanoseconds::max()).value());
  EXPECT_EQ(rig.driver->now_ns(), 3000U);
}

TEST(FakeDriver, WritesTheTimeOfItsQueue) {
  DriverRig rig{open_fake(
      {.kernels = {{"scale", scale}},
       .costs = {
           .start_ns = 7, .dispatch_ns = 10, .group_ns = 2, .barrier_ns = 3, .copy_ns = 100, .copy_ns_per_kib = 50}})};
  const BufferHandle times = rig.buffer(32);
  const BufferHandle data = rig.buffer(1025);
  const std::uint32_t bias = 0;
  CommandList list;
  list.timestamp(times, 0);
  list.fill({.buffer = data}, 0);
  list.timestamp(times, 8);
  list.barrier();
  list.timestamp(times, 16);
  list.dispatch(rig.pipeline(make_scale()), std::array{BufferRange{.buffer = data, .size = 64}}, {2, 3, 1},
                std::as_bytes(std::span{&bias, 1}));
  list.timestamp(times, 24);
  const RecordingPtr recording = rig.record(list).value();
  ASSERT_TRUE(rig.launch(*recording, {.value = 1}, {}).has_value());
  EXPECT_THAT(rig.numbers<std::uint64_t>(times), ElementsAre(7, 207, 210, 232));
}

TEST(FakeDriver, IsLostFromALaunchOn) {
  DriverRig rig{open_fake({.lost_at_launch = 2})};
  CommandList list;
  list.fill({.buffer = rig.buffer(4)}, 1);
  const RecordingPtr recording = rig.record(list).value();
  const program::Program program = make_scale();
  ASSERT_TRUE(rig.launch(*recording, {.value = 1}, {}).has_value());
  const std::array errors{
      rig.launch(*recording, {.value = 2}, {}).error(),
      rig.launch(*recording, {.value = 2}, {}).error(),
      rig.driver->allocate({.size = 4}).error(),
      rig.driver->compile({.program = program, .interface = program.interface(), .values = {}, .slots = {}}).error(),
      rig.record(list).error(),
      rig.driver->completed(0).error(),
      rig.driver->wait({.value = 1}, nanoseconds{0}).error()};
  EXPECT_THAT(errors, Each(Error{.code = ErrorCode::DeviceLost, .message = "the fake device is lost since launch 2"}));
}

TEST(FakeDriverThreads, LaunchesIntoSeveralQueuesAtOnce) {
  constexpr std::uint64_t kLaunches = 200;
  DriverRig rig = make_rig({.launch_ns = 1, .poll_ns = 1, .copy_ns = 10});
  {
    std::vector<std::jthread> threads;
    for (const std::uint32_t queue : {0U, 1U}) {
      threads.emplace_back([&rig, queue] {
        const BufferHandle buffer = rig.buffer(4);
        CommandList list;
        fill_twice(list, buffer, true);
        for (std::uint64_t ticket = 1; ticket <= kLaunches; ++ticket) {
          const RecordingPtr recording = rig.record(list, backend::Reuse::Once).value();
          EXPECT_TRUE(rig.launch(*recording, {.queue = queue, .value = ticket}, {}).has_value());
          EXPECT_TRUE(rig.driver->wait({.queue = queue, .value = ticket}, nanoseconds::max()).value());
          EXPECT_EQ(rig.driver->completed(queue).value(), ticket);
        }
        EXPECT_EQ(rig.numbers<std::uint32_t>(buffer)[0], 2U);
      });
    }
  }
}

}  // namespace
}  // namespace vyre::backends::fake
