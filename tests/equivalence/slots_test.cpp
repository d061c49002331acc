#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/equivalence/devices.hpp"

// Several variables at one set and slot are one binding: bound once, by any of their names, and what a dispatch writes
// through one of them the next one reads through another.

namespace vyre::tests {
namespace {

using runtime::Argument;
using runtime::Session;

constexpr std::uint32_t kPairs = 64;

TEST(Slots, OneBufferForAllVariablesInEveryMode) {
  const auto program = program::Program::from_glsl(R"(#version 450
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 0) writeonly buffer Pairs { uvec2 pairs[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint first = words[2u * i];
  pairs[i] = uvec2(words[2u * i + 1u] * 3u, first + 1u);
})",
                                                   {.name = "turn_pairs"});
  ASSERT_TRUE(program.has_value()) << to_string(program.error());
  for (const runtime::LaunchMode mode : kModes) {
    SCOPED_TRACE(to_string(mode));
    auto session = Session::open(open_device("vulkan"), {.mode = mode});
    ASSERT_TRUE(session.has_value()) << to_string(session.error());
    std::vector<std::uint32_t> expected(std::size_t{2} * kPairs);
    for (std::uint32_t i = 0; i < expected.size(); ++i) expected[i] = i * i;
    const auto buffer = session->buffer<std::uint32_t>(expected);
    ASSERT_TRUE(buffer.has_value()) << to_string(buffer.error());
    for (int step = 0; step < 12; ++step) {
      const std::array<std::string_view, 3> names = {"Words", "Pairs", ""};
      const std::string_view name = names[static_cast<std::size_t>(step) % names.size()];
      const Argument argument = name.empty() ? Argument{*buffer} : Argument{name, buffer->view()};
      const auto dispatched = session->dispatch(*program, {argument}, {.groups = {kPairs / 16}});
      ASSERT_TRUE(dispatched.has_value()) << to_string(dispatched.error());
      for (std::size_t i = 0; i < expected.size(); i += 2) {
        const std::uint32_t first = expected[i];
        expected[i] = expected[i + 1] * 3;
        expected[i + 1] = first + 1;
      }
    }
    std::vector<std::uint32_t> values(expected.size());
    ASSERT_TRUE(session->read(*buffer, values).has_value());
    const auto report = session->finish();
    ASSERT_TRUE(report.has_value()) << to_string(report.error());
    EXPECT_EQ(values, expected);
  }
}

}  // namespace
}  // namespace vyre::tests
