#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>
#include <vyre/runtime/tuner.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/equivalence/kernels.hpp"
#include "tests/support/forwarding_driver.hpp"

// What a launch mode does with programs that it is for, and with those that it is not for; and what the report says.

namespace vyre::tests {
namespace {

using backends::fake::Invocation;
using program::FormKind;
using program::Program;
using runtime::Argument;
using runtime::Buffer;
using runtime::LaunchMode;
using runtime::params;
using runtime::Session;
using testing::Each;
using testing::HasSubstr;

using Word = std::uint32_t;

const Program& named(std::string_view kernel) { return program_of(kernel_index(kernel)); }

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error{to_string(result.error())};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

Program make_program(std::string_view name, std::string_view glsl) {
  return must(Program::from_glsl(fmt::format("#version 460\n{}\n", glsl), {.name = std::string{name}}));
}

Word* word_of(const Invocation& invocation, std::size_t binding) {
  return reinterpret_cast<Word*>(invocation.bindings[binding].data());
}

/// Adds 1, 2, 3 … to the first words of so many buffers.
constexpr Word kManyBuffers = 150;
Program many_buffers() {
  std::string text = "layout(local_size_x = 1) in;\n";
  std::string statements;
  for (Word i = 0; i < kManyBuffers; ++i) {
    text += fmt::format("layout(binding = {0}) buffer Values{0} {{ uint value_{0}; }};\n", i);
    statements += fmt::format("  value_{} += {};\n", i, i + 1);
  }
  return make_program("many_buffers", fmt::format("{}void main() {{\n{}}}", text, statements));
}

/// Waits for what is there already; but that nobody knows.
constexpr std::string_view kWaiting = R"(
layout(local_size_x = 1) in;
layout(binding = 0) buffer Flags { uint ready; uint count; };
void main() {
  while (atomicOr(ready, 0u) == 0u) {}
  atomicAdd(count, 1u);
})";

/// Makes so many iterations in each workgroup.
constexpr Word kTrips = 300;
constexpr std::string_view kCounting = R"(
layout(local_size_x = 1) in;
layout(binding = 0) buffer Counts { uint counts[]; };
void main() {
  uint count = 0;
  for (uint i = 0; i < 300; ++i) count += i ^ (count >> 3);
  counts[gl_WorkGroupID.x] += count | 1;
})";
Word counted() {
  Word count = 0;
  for (Word i = 0; i < kTrips; ++i) count += i ^ (count >> 3);
  return count | 1;
}

/// Makes as many iterations as its parameter says.
constexpr std::string_view kCountingTo = R"(
layout(local_size_x = 1) in;
layout(binding = 0) buffer Counts { uint counts[]; };
layout(push_constant) uniform Push { uint trips; };
void main() {
  uint count = 0;
  for (uint i = 0; i < trips; ++i) count += i ^ (count >> 3);
  counts[gl_WorkGroupID.x] += count | 1;
})";
Word counted_to(Word trips) {
  Word count = 0;
  for (Word i = 0; i < trips; ++i) count += i ^ (count >> 3);
  return count | 1;
}

/// Has as many parameters as `Params` take, which is more than many devices have push constants for.
struct WideParams {
  Word first = 0;
  std::array<Word, 63> values = {};
};
static_assert(sizeof(WideParams) == runtime::Params::kMaxBytes);
constexpr std::string_view kWideParams = R"(
layout(local_size_x = 1) in;
layout(binding = 0) buffer Sums { uint sums[]; };
layout(push_constant) uniform Push { uint first; uint values[63]; };
void main() { sums[gl_WorkGroupID.x] += first + values[62] + values[gl_WorkGroupID.x]; })";

FakeSetup fake_setup() {
  return {
      .kernels = {{"many_buffers",
                   [](const Invocation& invocation) {
                     for (std::size_t i = 0; i < invocation.bindings.size(); ++i) {
                       *word_of(invocation, i) += static_cast<Word>(i + 1);
                     }
                   }},
                  {"waiting", [](const Invocation& invocation) { word_of(invocation, 0)[1] += invocation.groups[0]; }},
                  {"counting",
                   [](const Invocation& invocation) {
                     for (Word i = 0; i < invocation.groups[0]; ++i) word_of(invocation, 0)[i] += counted();
                   }},
                  {"wide_params",
                   [](const Invocation& invocation) {
                     WideParams params;
                     std::memcpy(&params, invocation.params.data(), sizeof(params));
                     for (Word i = 0; i < invocation.groups[0]; ++i) {
                       word_of(invocation, 0)[i] += params.first + params.values[62] + params.values[i];
                     }
                   }},
                  {"counting_to",
                   [](const Invocation& invocation) {
                     Word trips = 0;
                     std::memcpy(&trips, invocation.params.data(), sizeof(trips));
                     for (Word i = 0; i < invocation.groups[0]; ++i) word_of(invocation, 0)[i] += counted_to(trips);
                   }}},
      .max_iterations = 65'535};
}

std::shared_ptr<backend::Device> open(const std::string& backend) {
  return backend == "fake" ? open_fake(fake_setup()) : open_device(backend);
}

FormKind form_of(LaunchMode mode) {
  switch (mode) {
    case LaunchMode::Merged: return FormKind::Merged;
    case LaunchMode::Persistent: return FormKind::Persistent;
    case LaunchMode::Chain: return FormKind::Chain;
    case LaunchMode::Bindless: return FormKind::Pointer;
    default: return FormKind::Descriptor;
  }
}

class LaunchModes : public testing::TestWithParam<std::tuple<std::string, LaunchMode>> {
 protected:
  [[nodiscard]] static std::string backend() { return std::get<0>(GetParam()); }
  [[nodiscard]] static LaunchMode mode() { return std::get<1>(GetParam()); }
  [[nodiscard]] static Session open_session() { return must(Session::open(open(backend()), {.mode = mode()})); }
};

TEST_P(LaunchModes, MoreBuffersThanCanBeBound) {
  const Program program = many_buffers();
  Session session = open_session();
  ASSERT_GT(kManyBuffers, session.device().info().limits.max_storage_buffers);
  std::vector<Buffer<Word>> buffers;
  std::vector<Argument> arguments;
  for (Word i = 0; i < kManyBuffers; ++i) {
    buffers.push_back(must(session.buffer<Word>(std::vector<Word>{i})));
    arguments.emplace_back(buffers.back());
  }
  for (int i = 0; i < 4; ++i) must(session.dispatch(program, arguments));
  const auto report = must(session.finish());
  EXPECT_EQ(report.programs[0].form, form_of(mode()) == FormKind::Descriptor ? FormKind::Pointer : form_of(mode()));
  for (Word i = 0; i < kManyBuffers; ++i) {
    std::vector<Word> value(1);
    must(session.read(buffers[i], value));
    must(session.finish());
    EXPECT_EQ(value[0], i + 4 * (i + 1));
  }
}

TEST_P(LaunchModes, AProgramWithoutTheFormRunsAsWrittenAndTheReportSaysWhy) {
  const Program program = make_program("waiting", kWaiting);
  Session session = open_session();
  const auto buffer = must(session.buffer<Word>(std::vector<Word>{1, 0}));
  for (int i = 0; i < 3; ++i) must(session.dispatch(program, {buffer}, {.groups = {.x = 4}}));
  std::vector<Word> values(2);
  must(session.read(buffer, values));
  const auto report = must(session.finish());
  EXPECT_EQ(values[1], 12U);
  ASSERT_EQ(report.programs.size(), 1U);
  const bool is_one_launch = program::is_one_launch(form_of(mode()));
  EXPECT_EQ(report.programs[0].form, is_one_launch ? FormKind::Descriptor : form_of(mode()));
  if (is_one_launch) {
    EXPECT_THAT(report.programs[0].form_refused, HasSubstr("OpAtomicOr"));
    EXPECT_THAT(to_text(report), HasSubstr("OpAtomicOr"));
  } else {
    EXPECT_EQ(report.programs[0].form_refused, "");
  }
}

TEST_P(LaunchModes, MoreParametersThanTheDeviceHasPushConstants) {
  constexpr Word kGroups = 5;
  const Program program = make_program("wide_params", kWideParams);
  Session session = open_session();
  const bool is_wide = session.device().info().limits.max_push_bytes < sizeof(WideParams);
  const auto a = must(session.buffer<Word>(kGroups));
  const auto b = must(session.buffer<Word>(kGroups));
  std::vector<Word> expected(kGroups);
  WideParams wide;
  for (Word i = 0; i < wide.values.size(); ++i) wide.values[i] = i * i + 1;
  const auto prepared =
      must(session.prepare(program, {b}, {.groups = {.x = kGroups}, .params = runtime::params_block(wide)}));
  for (Word round = 0; round < 5; ++round) {
    wide.first = round;
    must(session.dispatch(program, {a}, {.groups = {.x = kGroups}, .params = runtime::params_block(wide)}));
    must(session.enqueue(prepared, runtime::params_block(wide)));
    const auto report = must(session.finish());
    const FormKind written = is_wide ? FormKind::Pointer : FormKind::Descriptor;
    if (mode() != LaunchMode::Auto) {
      EXPECT_EQ(report.programs[0].form, form_of(mode()) == FormKind::Descriptor ? written : form_of(mode()));
    }
    for (Word i = 0; i < kGroups; ++i) expected[i] += round + wide.values[62] + wide.values[i];
  }
  for (const auto& each : {a, b}) {
    std::vector<Word> values(kGroups);
    must(session.read(each, values));
    must(session.finish());
    EXPECT_EQ(values, expected);
  }
}

TEST_P(LaunchModes, DispatchesThatAreTooLongForAPersistentWorkgroupRunAnyhow) {
  const Program program = make_program("counting", kCounting);
  const std::shared_ptr<backend::Device> device = open(backend());
  Session session = must(Session::open(device, {.mode = mode()}));
  // 300 iterations for each group; some devices end an invocation after 65,535.
  const bool is_cut_off = device->info().forms.max_iterations > 0;
  constexpr std::array<Word, 4> kGroups = {1, 100, 1'000, 3'000};
  std::vector<Buffer<Word>> buffers;
  for (const Word groups : kGroups) buffers.push_back(must(session.buffer<Word>(groups)));
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < kGroups.size(); ++i) {
      must(session.dispatch(program, {buffers[i]}, {.groups = {.x = kGroups[i]}}));
    }
  }
  const auto report = must(session.finish());
  EXPECT_EQ(report.programs[0].form, form_of(mode()));
  EXPECT_THAT(report.programs[0].form_refused,
              HasSubstr(is_cut_off && mode() == LaunchMode::Persistent ? "longer" : ""));
  for (std::size_t i = 0; i < kGroups.size(); ++i) {
    std::vector<Word> values(kGroups[i]);
    must(session.read(buffers[i], values));
    must(session.finish());
    EXPECT_THAT(values, Each(2 * counted())) << kGroups[i];
  }
}

TEST_P(LaunchModes, LoopsThatAParameterBoundsRunToTheirEnd) {
  const Program program = make_program("counting_to", kCountingTo);
  const std::shared_ptr<backend::Device> device = open(backend());
  Session session = must(Session::open(device, {.mode = mode()}));
  struct Item {
    Word groups = 1;
    Word trips = 0;
    Buffer<Word> buffer = {};
    Word expected = 0;
  };
  // Some devices end an invocation after 65,535 iterations, which two workgroups of the longest make.
  std::vector<Item> items{{1, 10}, {3, 10}, {1, 40'000}, {2, 40'000}, {3, 30'000}, {1, 0}};
  for (Item& each : items) each.buffer = must(session.buffer<Word>(each.groups));
  const auto expect_all = [&] {
    for (const Item& each : items) {
      std::vector<Word> values(each.groups);
      must(session.read(each.buffer, values));
      must(session.finish());
      EXPECT_THAT(values, Each(each.expected)) << each.groups << " workgroups, " << each.trips << " trips";
    }
  };
  for (int round = 0; round < 4; ++round) {
    for (Item& each : items) {
      must(session.dispatch(program, {each.buffer}, {.groups = {.x = each.groups}, .params = params(each.trips)}));
      each.expected += counted_to(each.trips);
    }
    const auto report = must(session.finish());
    if (mode() != LaunchMode::Auto) {
      EXPECT_EQ(report.programs[0].form, form_of(mode()));
    }
    // The same sizes with other bounds: what was kept for smaller ones is not used.
    std::swap(items[3].trips, items[4].trips);
    items[1].trips = round % 2 == 0 ? 40'000 : 10;
  }
  expect_all();

  const auto capture = must(session.capture([&]() -> Result<void> {
    for (const Item& each : items) {
      auto done = session.dispatch(program, {each.buffer},
                                   {.groups = {.x = each.groups}, .params = params(10U), .label = "all"});
      if (!done) return done;
    }
    return {};
  }));
  for (const Word trips : {10U, 40'000U, 10U}) {
    const runtime::CaptureParams changed{.label = "all", .params = params(trips)};
    must(session.replay(capture));
    must(session.replay(capture, {&changed, 1}));
    for (Item& each : items) each.expected += counted_to(10) + counted_to(trips);
  }
  must(session.finish());
  expect_all();
}

TEST_P(LaunchModes, ManyAlikeDispatchesWithBuffersAndParametersOfTheirOwn) {
  constexpr Word kItems = 300;
  Session session = open_session();
  std::vector<Buffer<Word>> x;
  std::vector<Buffer<Word>> y;
  for (Word i = 0; i < kItems; ++i) {
    x.push_back(must(session.buffer<Word>(std::vector<Word>(64 + i % 7, i))));
    y.push_back(must(session.buffer<Word>(std::vector<Word>(64 + i % 7, 2))));
  }
  Word expected_of[kItems];
  std::ranges::fill(expected_of, 2U);
  for (Word round = 0; round < 5; ++round) {
    for (Word i = 0; i < kItems; ++i) {
      must(session.dispatch(named("mix"), {x[i], y[i]}, {.groups = {.x = 2}, .params = params(round * i)}));
      expected_of[i] = expected_of[i] * 3 + i + round * i;
    }
    must(session.flush());
  }
  must(session.finish());
  for (Word i = 0; i < kItems; ++i) {
    std::vector<Word> values(64 + i % 7);
    must(session.read(y[i], values));
    must(session.finish());
    EXPECT_THAT(values, Each(expected_of[i])) << i;
  }
}

// A program that is compiled when all memory is given out takes none of it.
TEST_P(LaunchModes, CompilingNeedsNoneOfTheMemoryOfBuffers) {
  constexpr std::size_t kWords = 1024;
  const backend::DeviceOptions options{.memory_budget = 2 * kWords * sizeof(Word)};
  const auto device = backend() == "fake" ? open_fake({.options = options}) : open_vulkan(options).value();
  Session session = must(Session::open(device, {.mode = mode()}));
  const auto x = must(session.buffer<Word>(std::vector<Word>(kWords, 1)));
  const auto y = must(session.buffer<Word>(std::vector<Word>(kWords, 2)));
  must(session.dispatch(named("mix"), {x, y}, {.groups = {.x = kWords / 64}, .params = params(5U)}));
  must(session.finish());
  std::vector<Word> values(kWords);
  must(session.read(y, values));
  must(session.finish());
  EXPECT_THAT(values, Each(2 * 3 + 1 + 5));
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::string, LaunchMode>>& info) {
  return fmt::format("{}_{}", std::get<0>(info.param), to_string(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(FakeEquivalence, LaunchModes,
                         testing::Combine(testing::Values("fake"), testing::ValuesIn(kModes)), name_of);
INSTANTIATE_TEST_SUITE_P(VulkanEquivalence, LaunchModes,
                         testing::Combine(testing::Values("vulkan"), testing::ValuesIn(kModes)), name_of);

class BindlessSessions : public testing::TestWithParam<std::string> {};

// Other buffers, parameters and group counts are the same list.
TEST_P(BindlessSessions, ALoopOfBatchesIsRecordedOnce) {
  constexpr Word kBatches = 60;
  constexpr Word kBuffers = 6;
  Session session = must(Session::open(open(GetParam()), {.mode = LaunchMode::Bindless}));
  std::vector<Buffer<Word>> buffers;
  std::vector<std::vector<Word>> values;
  for (Word i = 0; i < kBuffers; ++i) {
    values.emplace_back(256, i);
    buffers.push_back(must(session.buffer<Word>(values.back())));
  }
  must(session.finish());
  for (Word i = 0; i < kBatches; ++i) {
    const auto step = [&](Word from, Word to, Word groups, Word k) {
      must(
          session.dispatch(named("mix"), {buffers[from], buffers[to]}, {.groups = {.x = groups}, .params = params(k)}));
      for (Word j = 0; j < groups * 64; ++j) values[to][j] = values[to][j] * 3 + values[from][j] + k;
    };
    const auto at = [&](Word place) { return (i + place) % kBuffers; };
    step(at(0), at(1), 1 + i % 4, i);
    step(at(2), at(3), 1 + i % 3, i * 7);
    step(at(1), at(4), 1 + i % 2, i + 1);
    must(session.flush());
  }
  const auto report = must(session.finish());
  EXPECT_EQ(report.recordings, 1U) << to_text(report);
  EXPECT_EQ(report.replays, kBatches);
  EXPECT_EQ(report.submissions, kBatches);
  EXPECT_EQ(report.programs[0].replayed, std::uint64_t{3} * kBatches);
  for (Word i = 0; i < kBuffers; ++i) {
    std::vector<Word> actual(256);
    must(session.read(buffers[i], actual));
    must(session.finish());
    EXPECT_EQ(actual, values[i]) << i;
  }
}

class ChoosingSessions : public testing::TestWithParam<std::string> {};

// Once nothing changes any more a decision holds for many batches: with other buffers, after buffers have gone, for
// batches of other shapes in between, awaited one by one or many at once.
TEST_P(ChoosingSessions, WhatHoldsForManyBatchesIsRightForEachOfThem) {
  constexpr Word kBatches = 500;
  constexpr Word kBuffers = 6;
  Session session = must(Session::open(open(GetParam()), {.calibrate_after = {}}));
  std::vector<Buffer<Word>> buffers;
  std::vector<std::vector<Word>> values;
  for (Word i = 0; i < kBuffers; ++i) {
    values.emplace_back(64, i);
    buffers.push_back(must(session.buffer<Word>(values.back())));
  }
  const auto step = [&](Word from, Word to, Word k) {
    must(session.dispatch(named("mix"), {buffers[from], buffers[to]}, {.params = params(k)}));
    for (Word j = 0; j < 64; ++j) values[to][j] = values[to][j] * 3 + values[from][j] + k;
  };
  std::shared_ptr<const report::ShapeReport> last;
  bool has_held = false;
  for (Word i = 0; i < kBatches; ++i) {
    // The first half is one batch again and again.
    const auto at = [&](Word place) { return i < kBatches / 2 ? place : (i + place) % kBuffers; };
    step(at(0), at(1), 5);
    step(at(2), at(3), 7);
    step(at(1), at(4), i < kBatches / 2 ? 1 : i);
    if (i % 50 == 49) step(at(4), at(5), 3);
    must(session.flush());
    if (i > kBatches / 4 && i < kBatches / 2 && i % 10 != 9) continue;
    const auto report = must(session.finish());
    ASSERT_FALSE(report.shapes.empty());
    has_held |= last == report.shapes[0];
    last = report.shapes[0];
    if (i % 120 != 119) continue;
    const Word gone = at(2);
    must(session.free(buffers[gone].view()));
    buffers[gone] = must(session.buffer<Word>(values[gone]));
  }
  // Elsewhere that depends on what disturbs.
  if (GetParam() == "fake") {
    EXPECT_TRUE(has_held);
  }
  for (Word i = 0; i < kBuffers; ++i) {
    std::vector<Word> actual(64);
    must(session.read(buffers[i], actual));
    must(session.finish());
    EXPECT_EQ(actual, values[i]) << i;
  }
}

// A specialisation constant with the value that it has anyway is the same program to whoever learns of it, and another
// one here. Batches of the one and of both must not be taken for each other.
TEST_P(ChoosingSessions, AConstantMayBeGivenItsDefault) {
  constexpr Word kDefault = 7;
  const std::vector<program::spirv::SpecOverride> given{{.spec_id = kFactorSpecId, .bits = kDefault}};
  for (const bool both_first : {true, false}) {
    Session session =
        must(Session::open(open(GetParam()), {.calibrate_after = {}, .tuner = std::make_shared<runtime::Tuner>()}));
    std::vector<Word> values(64, 1);
    const auto buffer = must(session.buffer<Word>(values));
    const auto step = [&](bool is_given) {
      must(session.dispatch(named("spec_step"), {buffer},
                            {.params = params(3U), .values = is_given ? std::span{given} : std::span{given}.first(0)}));
      for (Word& each : values) each = each * kDefault + 3;
    };
    for (Word i = 0; i < 60; ++i) {
      step(false);
      step((i % 2 == 0) == both_first);
      must(session.finish());
    }
    std::vector<Word> actual(values.size());
    must(session.read(buffer, actual));
    must(session.finish());
    EXPECT_EQ(actual, values);
  }
}

// Two batches in turns that differ in a parameter alone, and in its high bits: each is known when it comes back.
TEST_P(ChoosingSessions, BatchesThatDifferInTheLastParameterAreToldApart) {
  Session session = must(Session::open(open(GetParam()), {.calibrate_after = std::chrono::hours{1}}));
  const auto x = must(session.buffer<Word>(64));
  const auto y = must(session.buffer<Word>(64));
  std::uint64_t replays = 0;
  constexpr Word kBatches = 20;
  for (Word i = 0; i < kBatches; ++i) {
    for (const Word k : {1U, i % 2 == 0 ? 0x3f80'0000U : 0x4000'0000U}) {
      must(session.dispatch(named("mix"), {x, y}, {.params = params(k)}));
    }
    replays += must(session.finish()).replays;
  }
  // All but the first time that each comes.
  EXPECT_EQ(replays, kBatches - 2);
}

// What is learned is told on the fake device's clock: elsewhere it depends on what disturbs.
//
// A single dispatch has no mode to choose; batches that are waited for together with it are learned of all the same.
TEST(LearningSessions, ASingleDispatchBesideABatchIsNoHindrance) {
  Session session = must(Session::open(open("fake"), {.calibrate_after = {}}));
  const auto x = must(session.buffer<Word>(64));
  const auto y = must(session.buffer<Word>(64));
  const auto dispatch = [&](Word k) { must(session.dispatch(named("mix"), {x, y}, {.params = params(k)})); };
  std::uint64_t most = 0;
  for (Word i = 0; i < 40; ++i) {
    dispatch(7);
    must(session.flush());
    for (const Word k : {1U, 2U, 3U}) dispatch(k);
    const auto report = must(session.finish());
    ASSERT_EQ(report.shapes.size(), 1);
    most = std::max(most, report.shapes[0]->samples);
  }
  EXPECT_GT(most, 20);
}

// Batches that nobody waits for, of which some are always pending, are seen all the same.
TEST(LearningSessions, WhoDoesNotWaitIsMeasured) {
  Session session = must(Session::open(open("fake"), {.calibrate_after = {}}));
  const auto x = must(session.buffer<Word>(64));
  const auto y = must(session.buffer<Word>(64));
  for (Word i = 0; i < 1'000; ++i) {
    for (const Word k : {1U, 2U, 3U}) must(session.dispatch(named("mix"), {x, y}, {.params = params(k)}));
    must(session.flush());
  }
  const auto report = must(session.finish());
  ASSERT_EQ(report.shapes.size(), 1);
  EXPECT_GE(report.shapes[0]->samples, 3);
}

/// A device whose compiler refuses all forms but the one that programs are written in, though it says that it has them.
class RefusingDriver final : public ForwardingDriver {
 public:
  RefusingDriver(std::unique_ptr<backend::DeviceDriver> driver, ErrorCode code) noexcept
      : ForwardingDriver{std::move(driver)}, code_{code} {}

  [[nodiscard]] Result<std::unique_ptr<backend::DriverPipeline>> compile(const backend::PipelineDesc& desc) override {
    if (desc.form != nullptr && desc.program.name() == "mix") return fail(code_, "not this one");
    return inner().compile(desc);
  }

 private:
  ErrorCode code_;
};

// What is tried to be faster must not end what works.
TEST(LearningSessions, AFormThatCannotBeCompiledAfterAllIsNotUsed) {
  for (const ErrorCode code : {ErrorCode::CompileFailed, ErrorCode::OutOfMemory}) {
    FakeSetup setup = fake_setup();
    setup.decorate = [code](std::unique_ptr<backend::DeviceDriver> driver) {
      return std::make_unique<RefusingDriver>(std::move(driver), code);
    };
    Session session = must(Session::open(open_fake(setup), {.exploration = 1, .calibrate_after = {}}));
    std::vector<Word> from(64, 3);
    std::vector<Word> to(64, 5);
    const auto x = must(session.buffer<Word>(from));
    const auto y = must(session.buffer<Word>(to));
    for (Word i = 0; i < 60; ++i) {
      for (const Word k : {1U, 2U, 3U}) {
        must(session.dispatch(named("mix"), {x, y}, {.params = params(k)}));
        for (Word j = 0; j < 64; ++j) to[j] = to[j] * 3 + from[j] + k;
      }
      const auto report = must(session.finish());
      EXPECT_EQ(report.programs[0].form, program::FormKind::Descriptor);
    }
    std::vector<Word> actual(64);
    must(session.read(y, actual));
    must(session.finish());
    EXPECT_EQ(actual, to);
  }
}

// A few that are waited for at the end say nothing of those that came before in other numbers.
TEST(LearningSessions, AWaitForFewerForgetsNothing) {
  Session session = must(Session::open(open("fake"), {.calibrate_after = {}}));
  const auto x = must(session.buffer<Word>(64));
  const auto y = must(session.buffer<Word>(64));
  std::uint64_t most = 0;
  const auto run = [&](Word batches) {
    for (Word i = 0; i < batches; ++i) {
      for (const Word k : {1U, 2U, 3U}) must(session.dispatch(named("mix"), {x, y}, {.params = params(k)}));
      must(session.flush());
    }
    const auto report = must(session.finish());
    most = report.shapes[0]->samples;
  };
  for (Word i = 0; i < 40; ++i) run(12);
  const std::uint64_t before = most;
  EXPECT_GT(before, 5);
  run(2);
  run(12);
  EXPECT_GE(most, before);
}

INSTANTIATE_TEST_SUITE_P(FakeEquivalence, ChoosingSessions, testing::Values("fake"));
INSTANTIATE_TEST_SUITE_P(VulkanEquivalence, ChoosingSessions, testing::Values("vulkan"));

INSTANTIATE_TEST_SUITE_P(FakeEquivalence, BindlessSessions, testing::Values("fake"));
INSTANTIATE_TEST_SUITE_P(VulkanEquivalence, BindlessSessions, testing::Values("vulkan"));

TEST(LaunchModesWithoutForms, EveryModeRunsAndSaysWhy) {
  for (const LaunchMode mode : kModes) {
    SCOPED_TRACE(to_string(mode));
    Session session = must(Session::open(open_fake({.has_forms = false}), {.mode = mode}));
    const auto x = must(session.buffer<Word>(std::vector<Word>(64, 1)));
    const auto y = must(session.buffer<Word>(std::vector<Word>(64, 2)));
    for (int i = 0; i < 2; ++i) must(session.dispatch(named("mix"), {x, y}, {.params = params(5U)}));
    std::vector<Word> values(64);
    must(session.read(y, values));
    const auto report = must(session.finish());
    EXPECT_THAT(values, Each(42U));
    EXPECT_EQ(report.programs[0].form, FormKind::Descriptor);
    if (form_of(mode) == FormKind::Descriptor) {
      EXPECT_EQ(report.programs[0].form_refused, "");
    } else {
      EXPECT_THAT(report.programs[0].form_refused,
                  HasSubstr(fmt::format("does not run the {} form", to_string(form_of(mode)))));
    }
  }
}

}  // namespace
}  // namespace vyre::tests
