#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/runtime/session.hpp>

#include "tests/equivalence/devices.hpp"

// One buffer at several bindings of a dispatch, one of which is written: in every launch mode the same as one
// invocation after another.

namespace vyre::tests {
namespace {

using backends::fake::Invocation;
using program::Program;
using runtime::Argument;
using runtime::Buffer;
using runtime::BufferView;
using runtime::DispatchItem;
using runtime::GroupCount;
using runtime::LaunchMode;
using runtime::params;
using runtime::Session;
using testing::HasSubstr;

using Word = std::uint32_t;

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error{to_string(result.error())};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

constexpr Word kLocal = 64;

/// The words of a binding.
std::span<Word> words_of(const Invocation& invocation, std::size_t binding) {
  const std::span<std::byte> bytes = invocation.bindings[binding];
  return {reinterpret_cast<Word*>(bytes.data()), bytes.size() / sizeof(Word)};
}
Word param_of(const Invocation& invocation) {
  Word value = 0;
  std::memcpy(&value, invocation.params.data(), sizeof(value));
  return value;
}

/// A kernel in GLSL, and what one of its invocations does, in C++.
struct InPlaceKernel {
  std::string_view name = {};
  std::string_view glsl = {};
  void (*run_one)(const Invocation& invocation, Word i) = nullptr;
  bool is_optimised = true;
};

// Each invocation reads and writes elements that no other has, whichever bindings are one buffer. What is read after a
// write must be what was written.
constexpr InPlaceKernel kAxpy = {.name = "axpy",
                                 .glsl = R"(
layout(binding = 0) restrict readonly buffer X { uint x[]; };
layout(binding = 1) restrict buffer Y { uint y[]; };
layout(push_constant) uniform Push { uint a; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= x.length() || i >= y.length()) return;
  y[i] += a * x[i];
  y[i] = y[i] * 3 + x[i];
})",
                                 .run_one = [](const Invocation& invocation, Word i) {
                                   const std::span<Word> x = words_of(invocation, 0);
                                   const std::span<Word> y = words_of(invocation, 1);
                                   if (i >= x.size() || i >= y.size()) return;
                                   y[i] += param_of(invocation) * x[i];
                                   y[i] = y[i] * 3 + x[i];
                                 }};

// A step of a scan over pairs that do not touch: the second of each gets the first.
constexpr InPlaceKernel kScanStep = {.name = "scan_step",
                                     .glsl = R"(
layout(binding = 0) readonly buffer From { uint from[]; };
layout(binding = 1) buffer To { uint to[]; };
layout(push_constant) uniform Push { uint distance; };
void main() {
  const uint first = gl_GlobalInvocationID.x * 2 * distance + distance - 1;
  const uint second = first + distance;
  if (second >= to.length()) return;
  to[second] += from[first];
  to[first] ^= from[second];
})",
                                     .run_one = [](const Invocation& invocation, Word i) {
                                       const std::span<Word> from = words_of(invocation, 0);
                                       const std::span<Word> to = words_of(invocation, 1);
                                       const Word first = i * 2 * param_of(invocation) + param_of(invocation) - 1;
                                       const Word second = first + param_of(invocation);
                                       if (second >= to.size()) return;
                                       to[second] += from[first];
                                       to[first] ^= from[second];
                                     }};

// An array of buffers: each element is written, and read as another.
constexpr InPlaceKernel kTwice = {.name = "twice",
                                  .glsl = R"(
layout(binding = 0) restrict buffer Part { uint data[]; } parts[3];
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= parts[0].data.length()) return;
  parts[0].data[i] = parts[1].data[i] + 1;
  parts[1].data[i] = parts[0].data[i] * 5;
  parts[2].data[i] = parts[0].data[i] + parts[1].data[i];
  parts[0].data[i] += parts[2].data[i];
})",
                                  .run_one = [](const Invocation& invocation, Word i) {
                                    const auto part = [&](std::size_t k) { return words_of(invocation, k); };
                                    if (i >= part(0).size()) return;
                                    part(0)[i] = part(1)[i] + 1;
                                    part(1)[i] = part(0)[i] * 5;
                                    part(2)[i] = part(0)[i] + part(1)[i];
                                    part(0)[i] += part(2)[i];
                                  }};

// A uniform block over what is written: an invocation that wrote there must see it. Not optimised, since the compiler
// of GLSL reads a uniform block once where it can.
constexpr InPlaceKernel kUniform = {.name = "uniform_in_place",
                                    .glsl = R"(
layout(binding = 0) uniform Factors { uvec4 factors[16]; };
layout(binding = 1) buffer Y { uint y[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= 64 || i >= y.length()) return;
  const uint before = factors[i >> 2][i & 3];
  y[i] = before * 3 + 1;
  y[i] += factors[i >> 2][i & 3] * 7;
})",
                                    .run_one =
                                        [](const Invocation& invocation, Word i) {
                                          const std::span<Word> factors = words_of(invocation, 0);
                                          const std::span<Word> y = words_of(invocation, 1);
                                          if (i >= 64 || i >= y.size()) return;
                                          y[i] = factors[i] * 3 + 1;
                                          y[i] += factors[i] * 7;
                                        },
                                    .is_optimised = false};

// The third binding is touched only where the specialisation says so.
constexpr InPlaceKernel kUntouched = {.name = "untouched",
                                      .glsl = R"(
layout(constant_id = 0) const uint kFused = 0;
layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) writeonly buffer Y { uint y[]; };
layout(binding = 2) buffer Fuse { uint fuse[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= x.length() || i >= y.length()) return;
  uint value = x[i] * 2;
  if (kFused > 0) value += fuse[i];
  y[i] = value;
})",
                                      .run_one = [](const Invocation& invocation, Word i) {
                                        const std::span<Word> x = words_of(invocation, 0);
                                        const std::span<Word> y = words_of(invocation, 1);
                                        const std::span<Word> fuse = words_of(invocation, 2);
                                        if (i >= x.size() || i >= y.size()) return;
                                        Word value = x[i] * 2;
                                        if (!invocation.values.empty() && invocation.values[0].bits != 0)
                                          value += fuse[i];
                                        y[i] = value;
                                      }};

constexpr std::array kInPlaceKernels = {kAxpy, kScanStep, kTwice, kUniform, kUntouched};

/// All invocations of a dispatch, one after another.
void run_in_order(const InPlaceKernel& kernel, const Invocation& invocation) {
  for (Word i = 0; i < invocation.groups[0] * kLocal; ++i) kernel.run_one(invocation, i);
}

const Program& program_of(const InPlaceKernel& kernel) {
  static const std::vector<Program> kPrograms = [] {
    std::vector<Program> programs;
    for (const InPlaceKernel& each : kInPlaceKernels) {
      programs.push_back(
          must(Program::from_glsl(fmt::format("#version 450\nlayout(local_size_x = {}) in;\n{}\n", kLocal, each.glsl),
                                  {.name = std::string{each.name}, .optimise = each.is_optimised})));
    }
    return programs;
  }();
  const auto found = std::ranges::find(kInPlaceKernels, kernel.name, &InPlaceKernel::name);
  return kPrograms[static_cast<std::size_t>(found - kInPlaceKernels.begin())];
}

std::shared_ptr<backend::Device> open(const std::string& backend) {
  if (backend != "fake") return open_device(backend);
  FakeSetup setup;
  setup.kernels["axpy"] = [](const Invocation& invocation) { run_in_order(kAxpy, invocation); };
  setup.kernels["scan_step"] = [](const Invocation& invocation) { run_in_order(kScanStep, invocation); };
  setup.kernels["twice"] = [](const Invocation& invocation) { run_in_order(kTwice, invocation); };
  setup.kernels["uniform_in_place"] = [](const Invocation& invocation) { run_in_order(kUniform, invocation); };
  setup.kernels["untouched"] = [](const Invocation& invocation) { run_in_order(kUntouched, invocation); };
  return open_fake(setup);
}

std::vector<Word> some_words(std::size_t count, Word seed) {
  std::vector<Word> words(count);
  for (Word& each : words) each = seed = seed * 1'664'525 + 1'013'904'223;
  return words;
}

/// A session with one buffer, and the same in an oracle that runs one invocation after another.
class InPlace : public testing::TestWithParam<std::tuple<std::string, LaunchMode>> {
 protected:
  static constexpr Word kWords = 1024;
  static constexpr std::uint64_t kStep = 64;  // Words: every device's views may begin at multiples of 256 bytes.

  void SetUp() override {
    device_ = open(std::get<0>(GetParam()));
    session_.emplace(must(Session::open(device_, {.mode = std::get<1>(GetParam()), .calibrate_after = {}})));
    words_ = some_words(kWords, 7);
    buffer_ = must(session().buffer<Word>(words_));
  }
  [[nodiscard]] Session& session() { return *session_; }

  struct Part {
    std::uint64_t first = 0;
    std::uint64_t count = kWords;
  };
  [[nodiscard]] BufferView view(const Part& part) const { return buffer_.part(part.first, part.count); }

  void dispatch(const InPlaceKernel& kernel, const std::vector<Part>& parts, Word groups, std::vector<Word> given = {},
                std::vector<program::spirv::SpecOverride> values = {}) {
    std::vector<Argument> arguments;
    for (const Part& part : parts) arguments.emplace_back(view(part));
    runtime::DispatchOptions options{.groups = {.x = groups}, .values = values};
    if (!given.empty()) options.params = params(given[0]);
    must(session().dispatch(program_of(kernel), arguments, options));
    run_oracle(kernel, parts, groups, given, values);
  }

  void run_oracle(const InPlaceKernel& kernel, const std::vector<Part>& parts, Word groups,
                  const std::vector<Word>& given = {}, const std::vector<program::spirv::SpecOverride>& values = {}) {
    std::vector<std::span<std::byte>> bindings;
    for (const Part& part : parts) {
      bindings.push_back(std::as_writable_bytes(std::span{words_}.subspan(part.first, part.count)));
    }
    run_in_order(
        kernel,
        {.groups = {groups, 1, 1}, .bindings = bindings, .params = std::as_bytes(std::span{given}), .values = values});
  }

  runtime::RunReport finish() {
    std::vector<Word> actual(kWords);
    must(session().read(buffer_, actual));
    runtime::RunReport report = must(session().finish());
    EXPECT_EQ(actual, words_);
    return report;
  }

  std::shared_ptr<backend::Device> device_;
  std::optional<Session> session_;
  Buffer<Word> buffer_;
  std::vector<Word> words_;
};

TEST_P(InPlace, AxpyOfABufferWithItself) {
  for (Word round = 0; round < 3; ++round) {
    for (Word i = 0; i < 4; ++i) dispatch(kAxpy, {{}, {}}, kWords / kLocal, {round + i});
    const auto report = finish();
    ASSERT_EQ(report.programs.size(), 1U);
    EXPECT_EQ(report.programs[0].program, "axpy");
    EXPECT_EQ(report.programs[0].in_place, "binding 0 'X', binding 1 'Y'");
    EXPECT_THAT(to_text(report), HasSubstr("binding 0 'X', binding 1 'Y' are declared aliased"));
  }
}

TEST_P(InPlace, WithAndWithoutInOneBatch) {
  for (Word round = 0; round < 3; ++round) {
    const Part left{.first = 0, .count = kWords / 2};
    const Part right{.first = kWords / 2, .count = kWords / 2};
    for (Word i = 0; i < 3; ++i) {
      dispatch(kAxpy, {left, right}, 8, {i});
      dispatch(kAxpy, {left, left}, 8, {i + 1});
      dispatch(kAxpy, {right, left}, 8, {i + 2});
    }
    const auto report = finish();
    ASSERT_EQ(report.programs.size(), 2U);
    EXPECT_EQ(report.programs[0].in_place, "");
    EXPECT_EQ(report.programs[0].dispatches, 6U);
    EXPECT_NE(report.programs[1].in_place, "");
    EXPECT_EQ(report.programs[1].dispatches, 3U);
  }
}

TEST_P(InPlace, AScan) {
  for (Word round = 0; round < 2; ++round) {
    for (Word distance = 1; distance < kWords; distance *= 2) {
      dispatch(kScanStep, {{}, {}}, (kWords / (2 * distance) + kLocal - 1) / kLocal, {distance});
    }
    finish();
  }
}

// Shifted against each other, and without a race: what is read is written by nobody but this invocation.
TEST_P(InPlace, ViewsThatOverlapInPart) {
  for (Word round = 0; round < 3; ++round) {
    dispatch(kAxpy, {{.first = 0, .count = kStep}, {.first = 0, .count = 3 * kStep}}, 3, {round});
    dispatch(kAxpy, {{.first = 2 * kStep, .count = 4 * kStep}, {.first = 2 * kStep, .count = 2 * kStep}}, 4, {round});
    finish();
  }
}

TEST_P(InPlace, AnArrayOfBuffersThatNamesOneTwice) {
  const Part a{.first = 0, .count = 256};
  const Part b{.first = 256, .count = 256};
  for (const auto& parts : {std::vector{a, a, b}, std::vector{a, b, a}, std::vector{b, a, a}, std::vector{a, a, a}}) {
    for (Word round = 0; round < 3; ++round) dispatch(kTwice, parts, 4);
    const auto report = finish();
    ASSERT_EQ(report.programs.size(), 1U);
    EXPECT_EQ(report.programs[0].in_place, "binding 0 'parts'");
  }
}

TEST_P(InPlace, AUniformBlockOverWhatIsWritten) {
  for (Word round = 0; round < 3; ++round) {
    for (Word i = 0; i < 3; ++i) dispatch(kUniform, {{.first = 0, .count = 64}, {.first = 0, .count = 128}}, 2);
    const auto report = finish();
    EXPECT_THAT(report.programs[0].in_place, HasSubstr("binding 0"));
  }
}

TEST_P(InPlace, ABindingThatTheSpecialisationDoesNotTouchIsNoOverlap) {
  const Part x{.first = 0, .count = 256};
  const Part y{.first = 256, .count = 256};
  for (Word round = 0; round < 3; ++round) {
    dispatch(kUntouched, {x, y, y}, 4);
    dispatch(kUntouched, {x, y, x}, 4);
    auto report = finish();
    ASSERT_EQ(report.programs.size(), 1U);
    EXPECT_EQ(report.programs[0].in_place, "");
    dispatch(kUntouched, {x, y, y}, 4, {}, {{.spec_id = 0, .bits = 1}});
    report = finish();
    ASSERT_EQ(report.programs.size(), 1U);
    EXPECT_THAT(report.programs[0].in_place, HasSubstr("'Fuse'"));
  }
}

TEST_P(InPlace, ManyAtOnceAndPrepared) {
  constexpr Word kItems = 8;
  const auto part = [](Word i) { return Part{.first = i * kStep, .count = kStep}; };
  for (Word round = 0; round < 4; ++round) {
    // Every other one is in place.
    std::vector<std::array<BufferView, 2>> views;
    for (Word i = 0; i < kItems; ++i) views.push_back({view(part(i % 2 == 0 ? i : i - 1)), view(part(i))});
    std::vector<DispatchItem> items;
    for (const auto& each : views) items.push_back({.buffers = each, .groups = {.x = 1}, .params = params(round)});
    must(session().dispatch_many(program_of(kAxpy), items));
    for (Word i = 0; i < kItems; ++i) run_oracle(kAxpy, {part(i % 2 == 0 ? i : i - 1), part(i)}, 1, {round});
    finish();
  }
  const auto prepared = must(session().prepare(program_of(kAxpy), {view({}), view({})},
                                               {.groups = {.x = kWords / kLocal}, .params = params(2U)}));
  for (Word round = 0; round < 4; ++round) {
    must(session().enqueue(prepared, params(round)));
    run_oracle(kAxpy, {{}, {}}, kWords / kLocal, {round});
    finish();
  }
}

TEST_P(InPlace, Captured) {
  const auto capture = must(session().capture([&]() -> Result<void> {
    const runtime::DispatchOptions options{.groups = {.x = kWords / kLocal}, .params = params(3U)};
    VYRE_TRY(session().dispatch(program_of(kAxpy), {view({}), view({})}, options));
    return session().dispatch(program_of(kAxpy), {view({}), view({})}, options);
  }));
  for (Word round = 0; round < 3; ++round) {
    must(session().replay(capture));
    for (int i = 0; i < 2; ++i) run_oracle(kAxpy, {{}, {}}, kWords / kLocal, {3});
    finish();
  }
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::string, LaunchMode>>& info) {
  return fmt::format("{}_{}", std::get<0>(info.param), to_string(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(FakeEquivalence, InPlace, testing::Combine(testing::Values("fake"), testing::ValuesIn(kModes)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(VulkanEquivalence, InPlace,
                         testing::Combine(testing::Values("vulkan"), testing::ValuesIn(kModes)), name_of);

}  // namespace
}  // namespace vyre::tests
