#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <backends/fake/fake_backend.hpp>

#include "tests/conformance/conformance.hpp"

// Dispatches that depend on one another, in one launch.

namespace vyre::tests {
namespace {

using backend::Groups;
using program::FormKind;

using Words = std::vector<std::uint32_t>;

/// What the suite's kernels `turn` and `turn_shared` write.
Words turned(const Words& source, std::uint32_t shift, bool through_shared) {
  Words target(source.size());
  for (std::uint32_t i = 0; i < target.size(); ++i) {
    const std::uint32_t from = through_shared ? i / 64 * 64 + 63 - i % 64 : i;
    target[i] = source[(from + shift) % source.size()] * 3 + i;
  }
  return target;
}

class Chains : public Conformance {
 protected:
  /// Goes to and fro between two buffers.
  void turn(std::string_view name, FormKind form, std::uint32_t groups, std::uint32_t steps) {
    SCOPED_TRACE(fmt::format("{} as {}, {} groups", name, to_string(form), groups));
    const PipelineHandle pipeline = compile(name, form);
    Words values(std::size_t{64} * groups);
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * i;
    const std::array buffers{allocate_with(values), allocate_with(values)};
    CommandList list;
    for (std::uint32_t i = 0; i < steps; ++i) {
      if (i > 0) list.barrier();
      const std::uint32_t shift = 1 + i * 37;
      list.dispatch(pipeline,
                    std::array{BufferRange{.buffer = buffers[i % 2]}, BufferRange{.buffer = buffers[1 - i % 2]}},
                    {groups, 1, 1}, bytes_of(Words{shift}));
      values = turned(values, shift, name == "turn_shared");
    }
    run(list);
    EXPECT_TRUE(words(buffers[steps % 2], values.size()) == values);
  }
};

TEST_P(Chains, EachDispatchSeesWhatThoseBeforeWrote) {
  for (const std::string_view name : {"turn", "turn_shared"}) {
    for (const FormKind form : program::kAllForms) {
      for (const std::uint32_t groups : {1U, 3U, 20U}) turn(name, form, groups, 100);
    }
  }
}

TEST_P(Chains, UnderTheVulkanMemoryModelToo) {
  if (!has_capability("VulkanMemoryModel")) GTEST_SKIP() << "the device does not have the Vulkan memory model";
  for (const FormKind form : program::kAllForms) {
    for (const std::uint32_t groups : {1U, 3U, 20U}) turn("turn_model", form, groups, 100);
  }
}

TEST_P(Chains, MoreThanAWorkgroupCanRunAreSeveralLaunches) {
  const std::uint64_t most = device().info().forms.max_iterations;
  const PipelineHandle pipeline = compile("step", FormKind::Chain);
  std::uint32_t groups = 1;
  while (most != 0 && device().fits_form(pipeline, {2 * groups, 1, 1})) groups *= 2;
  const BufferHandle buffer = allocate_with(Words(64, 1));
  CommandList list;
  std::uint32_t expected = 1;
  for (std::uint32_t i = 0; i < 9; ++i) {
    if (i > 0) list.barrier();
    // Of all groups but the first nothing is left to do.
    list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {groups, 1, 1}, bytes_of(Words{i}));
    expected = expected * 3 + i;
  }
  run(list);
  EXPECT_THAT(words(buffer, 64), testing::Each(expected));
}

TEST_P(Chains, AreBoundedSoThatNoLaunchTakesForEver) {
  const std::uint32_t most = device().info().forms.turn_groups;
  const PipelineHandle pipeline = compile("indices", FormKind::Chain);
  EXPECT_TRUE(device().fits_form(pipeline, {most, 1, 1}));
  EXPECT_FALSE(device().fits_form(pipeline, {most + 1, 1, 1}));
  CommandList list;
  list.dispatch(pipeline, std::array{BufferRange{.buffer = allocate(4)}}, {most + 1, 1, 1}, {});
  EXPECT_TRUE(is_refused(device().submit(list), ErrorCode::InvalidArgument, {"indices", text(most + 1), text(most)}));
}

TEST_P(Chains, WhatStandsBesideADispatchWaitsForTheChain) {
  // Two waves: what one of them has beside the chain depends on the other.
  const PipelineHandle chain = compile("step", FormKind::Chain);
  const PipelineHandle across = compile("step_across", FormKind::Descriptor);
  const BufferHandle a = allocate_with(Words(64, 1));
  const BufferHandle b = allocate_with(Words(64, 2));
  const BufferHandle c = allocate_with(Words(64, 3));
  const auto step = [&](CommandList& list, BufferHandle buffer) {
    list.dispatch(chain, std::array{BufferRange{.buffer = buffer}}, {1, 1, 1}, bytes_of(Words{1}));
  };
  CommandList list;
  list.dispatch(across, std::array{BufferRange{.buffer = c}, BufferRange{.buffer = b}}, {1, 1, 1}, bytes_of(Words{5}));
  step(list, a);
  list.barrier();
  step(list, b);
  list.dispatch(across, std::array{BufferRange{.buffer = a}, BufferRange{.buffer = c}}, {1, 1, 1}, bytes_of(Words{7}));
  list.barrier();
  step(list, c);
  run(list);
  EXPECT_THAT(words(a, 64), testing::Each(1U * 3 + 1));
  EXPECT_THAT(words(b, 64), testing::Each((3U * 3 + 5) * 3 + 1));
  EXPECT_THAT(words(c, 64), testing::Each(((1U * 3 + 1) * 3 + 7) * 3 + 1));
}

TEST_P(Chains, AreRecordedAndReplayedWithOtherBuffers) {
  const PipelineHandle pipeline = compile("turn", FormKind::Chain);
  Words values(64);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i;
  const auto make = [&](BufferHandle a, BufferHandle b, std::uint32_t shift) {
    CommandList list;
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}, std::pair{a, b}}) {
      if (!list.commands().empty()) list.barrier();
      list.dispatch(pipeline, std::array{BufferRange{.buffer = from}, BufferRange{.buffer = to}}, {1, 1, 1},
                    bytes_of(Words{shift}));
    }
    return list;
  };
  const BufferHandle a = allocate_with(values);
  const BufferHandle b = allocate_with(values);
  const RecordingHandle recording = must(device().record(make(a, b, 1), {.updatable = true}));
  for (std::uint32_t shift = 1; shift < 20; ++shift) {
    must(device().write(a, 0, bytes_of(values)));
    must(device().write(b, 0, bytes_of(values)));
    const bool is_swapped = shift % 2 == 0;
    const CommandList list = make(is_swapped ? b : a, is_swapped ? a : b, shift);
    must(device().wait(must(device().replay(recording, list))));
    const Words expected = turned(turned(turned(values, shift, false), shift, false), shift, false);
    EXPECT_TRUE(words(is_swapped ? a : b, 64) == expected) << shift;
  }
  must(device().free(recording));
}

INSTANTIATE_TEST_SUITE_P(Devices, Chains, testing::Values("fake", "vulkan"),
                         [](const auto& info) { return info.param; });

TEST(FakeChains, AreOneLaunchWhereTheyCanBe) {
  backends::fake::FakeOptions options{
      .kernels = suite_kernels(), .costs = {.dispatch_ns = 1'000}, .max_iterations = 1'000};
  const auto backend = backends::fake::make_fake_backend(std::move(options));
  const std::unique_ptr<Device> device = must(Device::open(*backend, must(backend->devices()).front()));
  const BufferHandle buffer = must(device->allocate({.size = 256}));
  const auto launches = [&](FormKind form, std::uint32_t items, std::uint32_t groups) {
    const PipelineHandle pipeline = must(device->compile(suite_program("step"), {.form = form}));
    CommandList list;
    for (std::uint32_t i = 0; i < items; ++i) {
      if (i > 0) list.barrier();
      list.dispatch(pipeline, std::array{BufferRange{.buffer = buffer}}, {groups, 1, 1}, bytes_of(Words{1}));
    }
    const std::uint64_t begin = device->now_ns();
    must(device->wait(must(device->submit(list))));
    return (device->now_ns() - begin) / 1'000;
  };
  EXPECT_EQ(launches(FormKind::Persistent, 20, 1), 20U);
  EXPECT_EQ(launches(FormKind::Chain, 20, 1), 1U);
  EXPECT_EQ(launches(FormKind::Chain, 20, 0), 1U);
  EXPECT_EQ(launches(FormKind::Chain, 1, 1), 1U);
  // An iteration for each group; a workgroup may make 998 and leave the loop.
  EXPECT_EQ(launches(FormKind::Chain, 20, 499), 10U);
  EXPECT_EQ(launches(FormKind::Chain, 20, 500), 20U);
}

}  // namespace
}  // namespace vyre::tests
