#include <vyre/program/reflect.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/program/program.hpp>

#include "tests/support/spirv.hpp"

namespace vyre::program {
namespace {

Interface interface_of(const std::string& body) {
  const auto program = Program::from_glsl("#version 450\nlayout(local_size_x = 8) in;\n" + body, {.optimise = false});
  EXPECT_TRUE(program.has_value()) << to_string(program.error());
  return program ? program->interface() : Interface{};
}

/// A kernel in assembly whose only buffer has what `decorations` say of its block, and which does what `body` says.
Interface assembled(const std::string& decorations, const std::string& body) {
  const std::vector<std::uint32_t> words = tests::assemble(R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
               OpDecorate %data DescriptorSet 0
               OpDecorate %data Binding 0
               OpDecorate %array ArrayStride 4
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
)" + decorations + R"(
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %array = OpTypeRuntimeArray %uint
      %block = OpTypeStruct %array
    %pointer = OpTypePointer StorageBuffer %block
       %item = OpTypePointer StorageBuffer %uint
       %data = OpVariable %pointer StorageBuffer
       %zero = OpConstant %uint 0
       %main = OpFunction %void None %fn
      %entry = OpLabel
         %at = OpAccessChain %item %data %zero %zero
)" + body + "\nOpReturn\nOpFunctionEnd\n");
  return reflect(spirv::Module::read(words).value()).value();
}

TEST(Reflect, VariablesThatShareASlotAreOneBinding) {
  const Interface interface = interface_of(R"(
    layout(std430, binding = 1) readonly buffer Words { uint count; uint words[]; };
    layout(std430, binding = 0) buffer Other { uint other[]; };
    layout(std430, binding = 1) writeonly buffer Quads { uvec4 quads[]; };
    layout(std430, binding = 1) coherent buffer Fixed { uint fixed_[12]; };
    layout(std430, binding = 1) buffer Unused { uint unused[]; };
    void main() { const uint word = words[0]; quads[1] = uvec4(word + other[0]); fixed_[2] += 1u; })");
  ASSERT_EQ(interface.bindings.size(), 2U);
  EXPECT_EQ(interface.bindings[0].name, "Other");
  EXPECT_TRUE(interface.bindings[0].variables.empty());
  const Binding& joined = interface.bindings[1];
  EXPECT_EQ(joined.slot, 1U);
  EXPECT_EQ(joined.name, "Words") << "the first one's";
  EXPECT_EQ(joined.access, Access::ReadWrite);
  EXPECT_TRUE(joined.coherent);
  EXPECT_EQ(joined.size, 48U) << "that of the largest";
  EXPECT_TRUE(joined.runtime_sized);
  EXPECT_EQ(joined.stride, 16U) << "that of the widest";
  EXPECT_EQ(joined.members, joined.variables[1].members);
  ASSERT_EQ(joined.variables.size(), 3U) << "an unused one is none";
  EXPECT_EQ(joined.variables[0].name, "Words");
  EXPECT_EQ(joined.variables[0].access, Access::Read);
  EXPECT_EQ(joined.variables[0].size, 4U);
  EXPECT_EQ(joined.variables[1].name, "Quads");
  EXPECT_EQ(joined.variables[1].access, Access::Write);
  EXPECT_EQ(joined.variables[2].name, "Fixed");
  EXPECT_EQ(joined.variables[2].access, Access::ReadWrite);
  EXPECT_FALSE(joined.variables[2].runtime_sized);
}

TEST(Reflect, ASlotIsOfOneKind) {
  const auto program = Program::from_glsl(R"(#version 450
    layout(std140, binding = 3) uniform Settings { uvec4 settings; };
    layout(std430, binding = 3) buffer Data { uint data[]; };
    void main() { data[0] = settings.x; })");
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().code, ErrorCode::Unsupported);
  EXPECT_EQ(program.error().message,
            "binding 0.3: it is the uniform buffer 'Settings' and the storage buffer 'Data' at once");
}

TEST(Reflect, ADecorationDoesNotLowerWhatTheCodeDoes) {
  const std::string read_and_write = "%v = OpLoad %uint %at\nOpStore %at %v";
  const auto access = [](const Interface& interface) { return to_string(interface.bindings.at(0).access); };
  EXPECT_EQ(access(assembled("OpMemberDecorate %block 0 NonReadable", read_and_write)), "read_write");
  EXPECT_EQ(access(assembled("OpDecorate %data NonReadable", read_and_write)), "read_write");
  EXPECT_EQ(access(assembled("OpMemberDecorate %block 0 NonReadable", "%v = OpLoad %uint %at")), "read");
  EXPECT_EQ(access(assembled("OpMemberDecorate %block 0 NonWritable", read_and_write)), "read_write");
  EXPECT_EQ(access(assembled("OpMemberDecorate %block 0 NonWritable", "%v = OpLoad %uint %at")), "read");
}

}  // namespace
}  // namespace vyre::program
