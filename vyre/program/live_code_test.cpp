#include <vyre/program/live_code.hpp>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <vyre/program/program.hpp>

// What a kernel does to its buffers where the specialisation decides which of its code runs.

namespace vyre::program {
namespace {

/// The accesses of the buffers a, b and c, as "a:read b:write".
std::string access_of(const std::string& body, std::vector<spirv::SpecOverride> values = {}, bool optimise = true) {
  const std::string source = R"(#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const bool kFlag = false;
layout(constant_id = 1) const uint kCount = 1;
layout(constant_id = 2) const int kKind = 0;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(binding = 2) buffer C { uint c[]; };
void store_c(uint value) { c[0] = value; }
void main() {
  a[0] = 1;
)" + body + "\n}\n";
  const auto program = Program::from_glsl(source, {.name = "live", .optimise = optimise});
  EXPECT_TRUE(program.has_value()) << to_string(program.error());
  const auto interface = program->specialise(values);
  std::string text;
  for (const Binding& binding : interface.value().bindings) {
    const std::string name(1, static_cast<char>('a' + binding.slot));
    text += (text.empty() ? "" : " ") + name + ":" + std::string{to_string(binding.access)};
  }
  return text;
}

TEST(LiveCode, ABranchThatTheSpecialisationDecides) {
  for (const bool optimise : {false, true}) {
    const auto of = [&](std::vector<spirv::SpecOverride> values) {
      return access_of("if (kFlag) b[0] = 2;", std::move(values), optimise);
    };
    EXPECT_EQ(of({}), "a:write b:none");
    EXPECT_EQ(of({{.spec_id = 0, .bits = 1}}), "a:write b:write");
    EXPECT_EQ(of({{.spec_id = 1, .bits = 5}}), "a:write b:none");
  }
}

TEST(LiveCode, ComparisonsAndLogicOfConstants) {
  for (const bool optimise : {false, true}) {
    const std::string body = "if (kCount * 2 > 6 && !kFlag) b[0] = 2; else c[0] = 3;";
    EXPECT_EQ(access_of(body, {}, optimise), "a:write b:none c:write");
    EXPECT_EQ(access_of(body, {{.spec_id = 1, .bits = 4}}, optimise), "a:write b:write c:none");
    EXPECT_EQ(access_of(body, {{.spec_id = 0, .bits = 1}, {.spec_id = 1, .bits = 4}}, optimise),
              "a:write b:none c:write");
  }
}

// The right side of && is a branch of its own, and the two come together in a phi.
TEST(LiveCode, LogicWithWhatIsNotKnown) {
  for (const bool optimise : {false, true}) {
    const std::string body = "if (kFlag && gl_WorkGroupID.x > 3) b[0] = 2;";
    EXPECT_EQ(access_of(body, {}, optimise), "a:write b:none");
    EXPECT_EQ(access_of(body, {{.spec_id = 0, .bits = 1}}, optimise), "a:write b:write");
  }
}

TEST(LiveCode, ASwitch) {
  for (const bool optimise : {false, true}) {
    const std::string body = "switch (kKind) { case -1: b[0] = 1; break; case 7: c[0] = 1; break; default: break; }";
    EXPECT_EQ(access_of(body, {}, optimise), "a:write b:none c:none");
    EXPECT_EQ(access_of(body, {{.spec_id = 2, .bits = 0xffff'ffff}}, optimise), "a:write b:write c:none");
    EXPECT_EQ(access_of(body, {{.spec_id = 2, .bits = 7}}, optimise), "a:write b:none c:write");
  }
}

TEST(LiveCode, AFunctionThatOnlyDeadCodeCalls) {
  for (const bool optimise : {false, true}) {
    EXPECT_EQ(access_of("if (kFlag) store_c(2);", {}, optimise), "a:write c:none");
    EXPECT_EQ(access_of("if (kFlag) store_c(2);", {{.spec_id = 0, .bits = 1}}, optimise), "a:write c:write");
  }
}

TEST(LiveCode, ABindingIsNeededIfLiveCodeTouchesItOrAsksForItsLength) {
  const auto program = Program::from_glsl(R"(#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const bool kFlag = false;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(binding = 2) readonly buffer Words { uint words[]; };
layout(binding = 2) readonly buffer Pairs { uvec2 pairs[]; };
void main() { if (kFlag) { a[0] = words[0]; } else { a[0] = b.length() + pairs[0].x; } })");
  ASSERT_TRUE(program.has_value()) << to_string(program.error());
  const auto needed = [&](std::uint64_t flag) {
    const std::vector<spirv::SpecOverride> values{{.spec_id = 0, .bits = flag}};
    std::vector<bool> all;
    const Interface interface = program->specialise(values).value();
    for (const Binding& binding : interface.bindings) all.push_back(binding.is_needed);
    return all;
  };
  EXPECT_EQ(needed(0), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(needed(1), (std::vector<bool>{true, false, true})) << "one of the variables of a slot is enough";
}

TEST(LiveCode, WhatDependsOnDataStays) {
  for (const bool optimise : {false, true}) {
    EXPECT_EQ(access_of("if (gl_WorkGroupID.x == kCount) b[0] = 2; else store_c(b[1]);", {}, optimise),
              "a:write b:read_write c:write");
    // A loop: its counter has the value of a constant when it begins, and others later.
    EXPECT_EQ(access_of("for (uint i = 0; i < 3; ++i) { if (i == kCount) b[i] = 2; }", {}, optimise),
              "a:write b:write");
  }
}

}  // namespace
}  // namespace vyre::program
