#include <vyre/program/bound.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/program/program.hpp>

namespace vyre::program {
namespace {

using testing::HasSubstr;

struct Params {
  std::uint32_t count = 100;
  std::int32_t width = 40;
  std::array<std::uint32_t, 2> size = {7, 9};
};

/// The interface of a kernel of the given blocks, each of which has one loop.
Interface interface_of(const std::vector<std::string>& blocks, bool optimise) {
  std::string source = R"(#version 450
    layout(local_size_x = 64) in;
    layout(push_constant) uniform Push { uint count; int width; uvec2 size; } p;
    layout(std430, binding = 0) buffer Data { uint n; uint values[]; };
    void main() {
)";
  for (const std::string& block : blocks) source += "{ " + block + " }\n";
  const auto program = Program::from_glsl(source + "}\n", {.name = "loops", .optimise = optimise});
  EXPECT_TRUE(program.has_value()) << to_string(program.error());
  return program ? program->interface() : Interface{};
}

/// The most trips of a loop; nothing if no bound is proven.
std::optional<std::uint64_t> trips(const Loop& loop, const Params& params, std::array<std::uint32_t, 3> groups) {
  if (loop.max_trips || !loop.bound) return loop.max_trips;
  return evaluate(*loop.bound, {.params = std::as_bytes(std::span{&params, 1}), .groups = groups});
}

std::optional<std::uint64_t> trips(const std::string& block, bool optimise, const Params& params = {},
                                   std::array<std::uint32_t, 3> groups = {3, 1, 1}) {
  const Interface interface = interface_of({block}, optimise);
  return interface.loops.size() == 1 ? trips(interface.loops[0], params, groups) : std::nullopt;
}

struct Case {
  std::string block;
  std::uint64_t trips = 0;
};

TEST(Bound, ComesFromParametersAndBuiltIns) {
  const std::vector<Case> cases{
      {"for (uint i = 0; i < p.count; ++i) values[i] = 1;", 100},
      {"for (uint i = gl_LocalInvocationID.x; i < p.count; i += 64) values[i] = 1;", 2},
      {"for (uint i = gl_GlobalInvocationID.x; i < p.count; i += 16 * gl_NumWorkGroups.x) values[i] = 1;", 3},
      {"for (uint i = gl_WorkGroupID.x; i < p.count; i += gl_WorkGroupSize.x) values[i] = 1;", 2},
      {"for (uint i = gl_LocalInvocationIndex; i <= p.count; i += 10) values[i] = 1;", 11},
      {"for (int i = 0; i < p.width; ++i) values[i] = 1;", 40},
      {"for (int i = p.width - 1; i >= 0; --i) values[i] = 1;", 40},
      {"for (int i = int(gl_LocalInvocationID.x); i < p.width; i += 4) values[i] = 1;", 10},
      {"for (uint i = 0; i < (p.count + 31) / 32; ++i) values[i] = 1;", 4},
      {"for (uint i = 0; i < p.size.x * p.size.y; ++i) values[i] = 1;", 63},
      {"for (uint i = 0; i < min(p.count, 10u); ++i) values[i] = 1;", 10},
      {"for (uint i = 0; i < p.count >> 2; ++i) values[i] = 1;", 25},
      {"for (uint i = 0; i < (p.count & ~3u); i += 4) values[i] = 1;", 25},
      {"for (uint i = p.size.x; i < p.count; i += p.size.y) values[i] = 1;", 11},
      {"for (uint i = 0; i != p.count; ++i) values[i] = 1;", 100},
      {"for (uint i = n; i < p.count; ++i) values[i] = 1;", 100},
      {"for (uint i = 0; i < (n & 15u) + p.size.x; ++i) values[i] = 1;", 22},
      {"for (uint i = 0; i * 8 + gl_LocalInvocationID.x < p.count; ++i) values[i] = 1;", 13},
      {"for (uint s = p.count; s > 0; s >>= 1) values[s] = 1;", 32},
      {"for (uint s = n; s != 0; s /= 10) values[s] = 1;", 32},
      {"uint end = p.count / 2; if (n > 3) end = 30; for (uint i = 0; i < end; ++i) values[i] = 1;", 50},
  };
  std::vector<std::string> blocks;
  for (const Case& each : cases) blocks.push_back(each.block);
  for (const bool optimise : {false, true}) {
    const Interface interface = interface_of(blocks, optimise);
    ASSERT_EQ(interface.loops.size(), cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      EXPECT_EQ(trips(interface.loops[i], {}, {3, 1, 1}), cases[i].trips) << cases[i].block << optimise;
    }
  }
}

TEST(Bound, IsUnknownWhereACounterWraps) {
  const Params most{.count = ~0U, .width = 0x7fff'ffff, .size = {0, 0}};
  for (const bool optimise : {false, true}) {
    EXPECT_EQ(trips("for (uint i = 0; i < p.count; i += 64) values[0] = 1;", optimise, most), kUnbounded);
    EXPECT_EQ(trips("for (int i = 0; i <= p.width; ++i) values[0] = 1;", optimise, most), kUnbounded);
    EXPECT_EQ(trips("for (uint i = 0; i < 9; i += p.size.x) values[0] = 1;", optimise, most), kUnbounded);
    EXPECT_EQ(trips("for (uint i = 0; i < 900 / p.size.x; ++i) values[0] = 1;", optimise, most), ~0U);
    EXPECT_EQ(trips("for (uint i = 1; i != p.size.x; ++i) values[0] = 1;", optimise, most), ~0U);
    EXPECT_EQ(trips("for (uint i = 1; i != p.size.x; i += 2) values[0] = 1;", optimise, most), kUnbounded);
    EXPECT_EQ(trips("for (uint i = 0; i < p.size.x - 1; ++i) values[0] = 1;", optimise, most), ~0U);
    EXPECT_EQ(trips("for (uint i = 0; i < n; ++i) values[0] = 1;", optimise), std::nullopt);
    EXPECT_EQ(trips("for (uint i = 0; i < p.count;) { if (n > 3) ++i; values[0] = 1; }", optimise), std::nullopt);
    // A limit that the loop itself moves.
    EXPECT_EQ(trips("uint e = p.count; for (uint i = 0; i < e; ++i) { e += n; values[0] = 1; }", optimise),
              std::nullopt);
    // An offset that is not the same in all iterations.
    EXPECT_EQ(trips("for (uint i = 0; i + values[i] < p.count; ++i) values[0] = 1;", optimise), std::nullopt);
  }
}

TEST(Bound, NeedsTheParametersThatItReads) {
  const Interface interface = interface_of({"for (uint i = 0; i < p.count; ++i) values[i] = 1;"}, true);
  ASSERT_TRUE(interface.loops[0].bound.has_value());
  EXPECT_GT(evaluate(*interface.loops[0].bound, {}), std::uint64_t{1} << 31);
}

TEST(Bound, ReadsAsPeopleWriteIt) {
  const auto text = [](const std::string& block) {
    const Interface interface = interface_of({block}, true);
    return to_text(interface.loops.at(0).bound.value(), &*interface.push_constants);
  };
  EXPECT_EQ(text("for (uint i = 0; i < p.count; ++i) values[i] = 1;"), "count");
  EXPECT_EQ(text("for (uint i = gl_LocalInvocationID.x; i < p.count; i += 64) values[i] = 1;"), "ceil(count / 64)");
  EXPECT_EQ(text("for (uint i = p.size.x; i < p.size.y; ++i) values[i] = 1;"), "(size@4 - size)");
}

// Loops whose start, limit and step are parameters, run here as the shader would: the bound is never too small, and
// exact where nothing wraps.
TEST(Bound, AgreesWithRunningTheLoop) {
  std::mt19937 random{7};
  const auto pick = [&](int low, int high) {
    return static_cast<int>(random() % static_cast<unsigned>(high - low + 1)) + low;
  };
  const std::vector<std::string> comparisons{"<", "<=", ">", ">=", "!="};
  std::vector<std::string> blocks;
  for (const std::string& comparison : comparisons) {
    blocks.push_back(
        fmt::format("for (int i = p.width; i {} int(p.count); i += int(p.size.x)) values[i & 63] = n;", comparison));
  }
  for (const bool optimise : {false, true}) {
    const Interface interface = interface_of(blocks, optimise);
    ASSERT_EQ(interface.loops.size(), blocks.size());
    std::size_t proven = 0;
    for (int round = 0; round < 2'000; ++round) {
      const int start = pick(-20, 20);
      const int limit = pick(-20, 20);
      const int step = pick(-4, 4);
      const Params params{
          .count = static_cast<std::uint32_t>(limit), .width = start, .size = {static_cast<std::uint32_t>(step), 0}};
      for (std::size_t k = 0; k < comparisons.size(); ++k) {
        const auto stays = [&](int i) {
          return k == 0 ? i < limit : k == 1 ? i <= limit : k == 2 ? i > limit : k == 3 ? i >= limit : i != limit;
        };
        std::uint64_t ran = 0;
        for (int i = start; ran < 1'000 && stays(i); i += step) ++ran;
        const std::uint64_t bound = trips(interface.loops[k], params, {1, 1, 1}).value_or(kUnbounded);
        EXPECT_EQ(std::min<std::uint64_t>(bound, 1'000), ran) << blocks[k] << start << " " << limit << " " << step;
        proven += bound != kUnbounded ? 1U : 0U;
      }
    }
    EXPECT_GT(proven, 2'000U);
  }
}

TEST(Bound, HasAMostNumberOfNodes) {
  BoundWriter writer;
  BoundWriter::Index all = writer.parameter(0, 32);
  for (std::uint32_t i = 1; i < 300; ++i) {
    all = writer.operation(BoundOp::Add, 32, {all, writer.parameter(4 * i, 32), 0});
  }
  EXPECT_EQ(writer.finish(all), std::nullopt);
}

}  // namespace
}  // namespace vyre::program
