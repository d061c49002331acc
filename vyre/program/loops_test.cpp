#include <vyre/program/loops.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/program/glsl/compile.hpp>
#include <vyre/program/reflect.hpp>

#include "tests/support/spirv.hpp"

namespace vyre::program {
namespace {

using testing::ElementsAre;
using Trips = std::optional<std::uint64_t>;

/// The bounds of all loops of a kernel made of the given blocks, which may write `out_values` and read `n` and `x`.
///
/// One kernel for many blocks: the compiler takes its time to start.
std::vector<Trips> bounds(const std::vector<std::string>& blocks, bool optimise = false) {
  std::string source = R"(#version 450
    #extension GL_EXT_shader_explicit_arithmetic_types : require
    layout(local_size_x = 1) in;
    layout(constant_id = 3) const uint kSpec = 20;
    layout(std430, binding = 0) buffer Data { uint n; int x; uint out_values[]; };
    uint twice(inout uint v) { v += 2; return v; }
    void main() {
)";
  for (const std::string& block : blocks) source += "{ " + block + " }\n";
  const auto words = compile_glsl(source + "}\n", {.optimise = optimise});
  if (!words) {
    ADD_FAILURE() << to_string(words.error());
    return {};
  }
  const auto module = spirv::Module::read(*words);
  std::vector<Trips> trips;
  const auto interface = reflect(module.value());
  for (const Loop& loop : interface.value().loops) trips.push_back(loop.max_trips);
  return trips;
}

TEST(Loops, ProvesCountersWithConstantSteps) {
  EXPECT_THAT(bounds({
                  "for (uint i = 0; i < 10; ++i) out_values[i] = i;",
                  "for (int i = 10; i >= 0; --i) out_values[i] = i;",
                  "for (int i = -5; i <= 5; i += 3) out_values[i + 5] = i;",
                  "for (uint i = 0; i != 12; i += 4) out_values[i] = i;",
                  "for (uint i = 7; 3 < i; i -= 2) out_values[i] = i;",
                  "uint i = 0; while (i < 6) { out_values[i] = 1; i += 2; }",
                  "uint i = 0; do { out_values[i] = 1; ++i; } while (i < 6);",
                  "for (uint i = 0; i + 1 < kSpec; ++i) out_values[i] = i;",
                  "for (uint i = 5; i < 5; ++i) out_values[i] = i;",
                  "for (int64_t i = 0; i < 100000000000L; i += 50000000000L) out_values[0] = 1;",
                  "for (uint i = n; i < 10; ++i) out_values[i] = i;",
              }),
              ElementsAre(10, 11, 4, 3, 2, 3, 6, 19, 0, 2, 10));
}

TEST(Loops, ProvesGeometricCounters) {
  EXPECT_THAT(bounds({
                  "for (uint s = 64; s > 0; s >>= 1) out_values[s] = s;",
                  "for (uint s = 1; s < 1000; s *= 3) out_values[s] = s;",
                  "for (int s = 1; s <= 64; s <<= 1) out_values[s] = s;",
                  "for (uint s = 100; s != 0; s /= 10) out_values[s] = s;",
              }),
              ElementsAre(7, 7, 7, 3));
}

TEST(Loops, ABreakOrAnotherConditionOnlyShortensThem) {
  EXPECT_THAT(bounds({
                  "for (uint i = 0; i < 10; ++i) { if (out_values[i] == n) break; out_values[i] = 1; }",
                  "for (uint i = 0; i < 10; ++i) { if (out_values[i] == n) continue; out_values[i] = 1; }",
                  "for (uint i = 0; i < 4; ++i) for (uint j = 0; j < 5; ++j) out_values[i + j] = 1;",
              }),
              ElementsAre(10, 10, 4, 5));
}

TEST(Loops, ProvesNothingWhereItCannot) {
  const std::vector<std::string> blocks{
      "for (uint i = 0; i < n; ++i) out_values[i] = i;",
      "for (uint i = 0; i < 10; i += n) out_values[i] = i;",
      "for (uint i = 0; i < out_values.length(); ++i) out_values[i] = i;",
      "for (uint i = 10; i >= 0; --i) out_values[i] = i;",                                   // Wraps for ever.
      "for (uint i = 0; i != 5; i += 2) out_values[i] = i;",                                 // Steps over its end.
      "for (int i = 0; i < 10; --i) out_values[0] = i;",                                     // The wrong way.
      "for (uint i = 0; i < 10;) { if (n > 3) ++i; out_values[i] = i; }",                    // Not in every iteration.
      "for (uint i = 0; i < 10; ++i) { if (n > 3) i = 0; out_values[i] = i; }",              // Set back.
      "for (uint i = 0; i < 10; ++i) { twice(i); out_values[i] = i; }",                      // Changed elsewhere.
      "int i = 0; if (n > 3) i = x; for (; i < 10; ++i) out_values[0] = 1;",                 // Any beginning.
      "for (uint i = 1; i < 10; i *= 1) out_values[i] = i;",                                 // Never changes.
      "for (uint8_t i = uint8_t(0); i < uint8_t(255); i += uint8_t(2)) out_values[0] = 1;",  // Wraps past its end.
      "while (atomicAdd(n, 1) < 10) out_values[0] = 1;",
      "for (uint64_t k = 0;; k++) { out_values[0] = 1; if (k >= 0xfffffffffffffffful) break; }",  // Beyond any count.
      "for (;;) { if (out_values[0] == 1) break; }",
  };
  EXPECT_THAT(bounds(blocks), testing::AllOf(testing::SizeIs(blocks.size()), testing::Each(Trips{})));
}

TEST(Loops, ACounterThatAnInnerLoopChangesIsNone) {
  EXPECT_THAT(
      bounds({"uint i = 0; while (i != 11u) { uint j = 0; do { i++; j++; } while (j < 2u); out_values[i] = 1; }"}),
      ElementsAre(std::nullopt, 2));
}

TEST(Loops, ATestOfWhatWasReadBeforeTheLoopProvesNothing) {
  const std::vector<std::uint32_t> words = tests::assemble(R"(
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main "main"
    OpExecutionMode %main LocalSize 1 1 1
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %uint = OpTypeInt 32 0
    %bool = OpTypeBool
    %local = OpTypePointer Function %uint
    %zero = OpConstant %uint 0
    %one = OpConstant %uint 1
    %ten = OpConstant %uint 10
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %i = OpVariable %local Function
    OpStore %i %zero
    %before = OpLoad %uint %i
    OpBranch %head
    %head = OpLabel
    OpLoopMerge %end %next None
    OpBranch %test
    %test = OpLabel
    %stays = OpULessThan %bool %before %ten
    OpBranchConditional %stays %next %end
    %next = OpLabel
    %now = OpLoad %uint %i
    %more = OpIAdd %uint %now %one
    OpStore %i %more
    OpBranch %head
    %end = OpLabel
    OpReturn
    OpFunctionEnd)");
  ASSERT_TRUE(tests::is_valid(words));
  const auto module = spirv::Module::read(words);
  const auto interface = reflect(module.value());
  EXPECT_EQ(interface.value().loops, (std::vector<Loop>{{.function = "", .max_trips = std::nullopt}}));
}

// Loops with random counters, run here as the shader would: the bound is never too small, and where it is given for a
// plain counter it is exact. Optimised, the compiler rearranges the same loop; the bound must hold all the same.
TEST(Loops, AgreeWithRunningThem) {
  std::mt19937 random{5};
  const auto pick = [&](int low, int high) {
    return static_cast<int>(random() % static_cast<unsigned>(high - low + 1)) + low;
  };
  const std::vector<std::string> comparisons{"<", "<=", ">", ">=", "!="};
  std::vector<std::string> bodies;
  std::vector<std::uint64_t> ran;  // Up to 1,000.
  for (int round = 0; round < 300; ++round) {
    const int start = pick(-20, 20);
    const int limit = pick(-20, 20);
    const int step = pick(-4, 4);
    const std::string& comparison = comparisons[static_cast<std::size_t>(pick(0, 4))];
    const bool post = pick(0, 3) == 0;
    const auto stays = [&](std::int64_t i) {
      if (comparison == "<") return i < limit;
      if (comparison == "<=") return i <= limit;
      if (comparison == ">") return i > limit;
      if (comparison == ">=") return i >= limit;
      return i != limit;
    };
    std::uint64_t trips = 0;
    std::int64_t i = start;
    for (bool first = true; trips < 1'000 && ((post && first) || stays(i)); i += step, first = false) ++trips;
    ran.push_back(trips);
    bodies.push_back(post ? fmt::format("int i = {}; do {{ out_values[i & 63] = n; i += {}; }} while (i {} {});", start,
                                        step, comparison, limit)
                          : fmt::format("for (int i = {}; i {} {}; i += {}) out_values[i & 63] = n;", start, comparison,
                                        limit, step));
  }
  const std::vector<Trips> plain = bounds(bodies);
  ASSERT_EQ(plain.size(), bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    // A loop that wraps round may end after all, much later.
    EXPECT_EQ(std::min<std::uint64_t>(plain[i].value_or(1'000), 1'000), ran[i]) << bodies[i];
  }
  EXPECT_GT(std::ranges::count_if(ran, [](std::uint64_t trips) { return trips > 0 && trips < 1'000; }), 75);

  for (std::size_t i = 0; i < 20; ++i) {
    for (const Trips& optimised : bounds({bodies[i]}, true)) EXPECT_GE(optimised.value_or(1'000), ran[i]) << bodies[i];
  }
}

}  // namespace
}  // namespace vyre::program
