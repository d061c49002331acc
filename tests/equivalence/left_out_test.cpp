#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/equivalence/devices.hpp"

// A binding that the specialisation does not need takes part in nothing: no hazard, no overlap, and it may be left out.

namespace vyre::tests {
namespace {

using program::Program;
using program::spirv::SpecOverride;
using runtime::Argument;
using runtime::BufferView;
using runtime::DispatchItem;
using runtime::DispatchOptions;
using runtime::LaunchMode;
using runtime::Session;
using testing::HasSubstr;

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kCount = 64;

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error{to_string(result.error())};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// Adds what `scales` and `bias` hold only if the specialisation says so.
Program mix_program(bool optimise) {
  return must(Program::from_glsl(R"(#version 450
layout(local_size_x = 16) in;
layout(constant_id = 0) const bool kScales = false;
layout(constant_id = 1) const bool kBiases = false;
layout(binding = 0) readonly buffer From { uint from[]; };
layout(binding = 1) readonly buffer Scales { uint head[64]; uint scales[]; };
layout(binding = 2) uniform Bias { uint bias[16]; };
layout(binding = 3) buffer To { uint to[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint value = from[i] + 1u;
  if (kScales) value *= scales[i] + head[i] + uint(scales.length());
  if (kBiases) value += bias[0];
  to[i] = value;
})",
                                 {.name = "mix", .optimise = optimise}));
}

class LeftOut : public testing::TestWithParam<LaunchMode> {
 protected:
  Session session_ = must(Session::open(open_device("vulkan"), {.mode = GetParam()}));
};

TEST_P(LeftOut, ByNameByNoViewAndByAnyOther) {
  for (const bool optimise : {false, true}) {
    const Program mix = mix_program(optimise);
    const auto a = must(session_.buffer<std::uint32_t>(Words(kCount, 5)));
    const auto b = must(session_.buffer<std::uint32_t>(kCount));
    const auto c = must(session_.buffer<std::uint32_t>(kCount));
    const auto d = must(session_.buffer<std::uint32_t>(kCount));
    const DispatchOptions options{.groups = {kCount / 16}};
    const std::array<BufferView, 4> views = {a, d, BufferView{}, d};
    const std::array<DispatchItem, 2> items = {DispatchItem{.buffers = views, .groups = options.groups},
                                               DispatchItem{.buffers = views, .groups = options.groups}};
    Words got_b(kCount);
    Words got_c(kCount);
    Words got_d(kCount);
    // Often enough that batches are recognised and kept.
    for (int round = 0; round < 4; ++round) {
      must(session_.dispatch(mix, {{"From", a}, {"To", b.view()}}, options));
      must(session_.dispatch(mix, {b, BufferView{}, BufferView{}, c}, options));
      // In place of a view that would be too small and is written as well.
      must(session_.dispatch(mix, {c, d.view().bytes(16, 4), d, d}, options));
      must(session_.flush());
      must(session_.dispatch_many(mix, items));
      must(session_.read(b, got_b));
      must(session_.read(c, got_c));
      must(session_.read(d, got_d));
      must(session_.finish());
      EXPECT_EQ(got_b, Words(kCount, 6));
      EXPECT_EQ(got_c, Words(kCount, 7));
      EXPECT_EQ(got_d, Words(kCount, 6));
    }
  }
}

TEST_P(LeftOut, NoDispatchWaitsForABufferThatIsNotNeeded) {
  const Program mix = mix_program(true);
  const auto a = must(session_.buffer<std::uint32_t>(Words(kCount, 5)));
  const auto b = must(session_.buffer<std::uint32_t>(std::uint64_t{2} * kCount));
  const auto c = must(session_.buffer<std::uint32_t>(kCount));
  const DispatchOptions options{.groups = {kCount / 16}};
  must(session_.dispatch(mix, {a, BufferView{}, BufferView{}, b}, options));
  must(session_.dispatch(mix, {a, b, b, c}, options));
  const auto report = must(session_.finish());
  if (GetParam() != LaunchMode::Plain) {
    EXPECT_EQ(report.waves, 1U);
  }

  const std::array<SpecOverride, 1> scaled = {SpecOverride{.spec_id = 0, .bits = 1}};
  must(session_.dispatch(mix, {a, BufferView{}, BufferView{}, b}, options));
  must(session_.dispatch(mix, {a, b, BufferView{}, c}, {.groups = options.groups, .values = scaled}));
  Words got(kCount);
  must(session_.read(c, got));
  const auto waiting = must(session_.finish());
  EXPECT_EQ(waiting.waves, 2U) << "what the specialisation needs is waited for";
  EXPECT_EQ(got, Words(kCount, 6 * (0 + 6 + kCount)));
}

TEST_P(LeftOut, PreparedAndCapturedWorkOutlivesABufferThatIsNotNeeded) {
  const Program mix = mix_program(true);
  const auto a = must(session_.buffer<std::uint32_t>(Words(kCount, 5)));
  const auto b = must(session_.buffer<std::uint32_t>(kCount));
  const auto c = must(session_.buffer<std::uint32_t>(kCount));
  const auto other = must(session_.buffer<std::uint32_t>(kCount));
  const DispatchOptions options{.groups = {kCount / 16}};
  const auto prepared = must(session_.prepare(mix, {a, other, other, b}, options));
  const auto capture = must(session_.capture([&] { return session_.dispatch(mix, {b, other, other, c}, options); }));
  must(session_.free(other));
  Words got(kCount);
  for (int round = 0; round < 3; ++round) {
    must(session_.enqueue(prepared));
    must(session_.replay(capture));
    must(session_.read(c, got));
    must(session_.finish());
    EXPECT_EQ(got, Words(kCount, 7));
  }
}

TEST_P(LeftOut, WhatIsNeededMustBeGiven) {
  const Program mix = mix_program(true);
  const auto a = must(session_.buffer<std::uint32_t>(Words(kCount, 5)));
  const auto b = must(session_.buffer<std::uint32_t>(kCount));
  const auto gone = must(session_.buffer<std::uint32_t>(kCount));
  must(session_.free(gone));
  const std::array<SpecOverride, 1> scaled = {SpecOverride{.spec_id = 0, .bits = 1}};
  const auto refusal = [&](std::initializer_list<Argument> arguments, const DispatchOptions& options) {
    const auto done = session_.dispatch(mix, arguments, options);
    return done ? std::string{} : to_string(done.error());
  };
  EXPECT_THAT(refusal({{"From", a}, {"To", b.view()}}, {.values = scaled}),
              HasSubstr("binding 1 'Scales' is not given"));
  EXPECT_THAT(refusal({a, BufferView{}, BufferView{}, b}, {.values = scaled}), HasSubstr("the view names no buffer"));
  EXPECT_THAT(refusal({a, gone, BufferView{}, b}, {}), HasSubstr("the buffer was freed"));
  EXPECT_THAT(refusal({{"From", a}, {"To", b.view()}, {"To", a.view()}}, {}), HasSubstr("uses 4 buffers"));
  EXPECT_THAT(refusal({a, b}, {}), HasSubstr("uses 4 buffers"));
  must(session_.finish());
}

INSTANTIATE_TEST_SUITE_P(Modes, LeftOut, testing::ValuesIn(kModes),
                         [](const auto& mode) { return std::string{to_string(mode.param)}; });

}  // namespace
}  // namespace vyre::tests
