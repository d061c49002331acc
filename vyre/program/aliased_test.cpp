#include <vyre/program/aliased.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/program/forms/form.hpp>
#include <vyre/program/spirv/module.hpp>

#include "tests/support/spirv.hpp"

namespace vyre::program {
namespace {

Program compile(const std::string& text, TargetEnvironment target = TargetEnvironment::Vulkan13) {
  auto program =
      Program::from_glsl("#version 450\nlayout(local_size_x = 64) in;\n" + text, {.name = "kernel", .target = target});
  EXPECT_TRUE(program.has_value()) << to_string(program.error());
  return *std::move(program);
}

const std::string kAxpy = R"(
layout(binding = 0) restrict readonly buffer X { float x[]; };
layout(binding = 1) restrict buffer Y { float y[]; };
layout(binding = 2) restrict readonly buffer Z { float z[]; };
void main() { y[gl_GlobalInvocationID.x] += x[gl_GlobalInvocationID.x] * z[0]; }
)";

/// The bindings with a decoration, of their variable or of a member.
std::vector<std::uint32_t> slots_with(const Program& program, spv::Decoration kind) {
  const spirv::Module& module = program.module();
  std::vector<std::uint32_t> slots;
  for (std::size_t i = 0; i < module.global_count(); ++i) {
    if (module[i].op() != spv::OpVariable) continue;
    const spirv::Id id = module[i].result();
    const auto slot = module.decoration(id, spv::DecorationBinding);
    const spirv::Id block = module.definition(module[i].type())->operand(1);
    if (slot && (module.decoration(id, kind) || module.decoration(block, kind, 0))) slots.push_back(*slot);
  }
  std::ranges::sort(slots);
  return slots;
}

using Slots = std::vector<std::uint32_t>;

TEST(Aliased, OnlyTheBindingsConcernedLoseTheirPromises) {
  const Program program = compile(kAxpy);
  EXPECT_EQ(slots_with(program, spv::DecorationAliased), Slots{});
  EXPECT_EQ(slots_with(program, spv::DecorationRestrict), (Slots{0, 1, 2}));
  EXPECT_EQ(slots_with(program, spv::DecorationNonWritable), (Slots{0, 2}));
  const BindingPlace both[] = {{.slot = 0}, {.slot = 1}};
  const auto aliased = make_aliased(program, both);
  ASSERT_TRUE(aliased.has_value()) << to_string(aliased.error());
  EXPECT_EQ(slots_with(*aliased, spv::DecorationAliased), (Slots{0, 1}));
  EXPECT_EQ(slots_with(*aliased, spv::DecorationRestrict), Slots{2});
  EXPECT_EQ(slots_with(*aliased, spv::DecorationNonWritable), Slots{2});
  EXPECT_NE(aliased->module_hash(), program.module_hash());
  ASSERT_EQ(aliased->interface().bindings.size(), 3U);
  EXPECT_EQ(aliased->interface().bindings[0].access, Access::Read);
  EXPECT_TRUE(aliased->interface().bindings[0].aliased);
  EXPECT_TRUE(aliased->interface().bindings[1].aliased);
  EXPECT_FALSE(aliased->interface().bindings[2].aliased);
}

TEST(Aliased, HasEveryForm) {
  const BindingPlace both[] = {{.slot = 0}, {.slot = 1}};
  const auto aliased = make_aliased(compile(kAxpy), both);
  ASSERT_TRUE(aliased.has_value());
  for (const FormKind kind : kAllForms) {
    if (kind == FormKind::Descriptor) continue;
    const auto form = derive_form(*aliased, kind);
    EXPECT_TRUE(form.has_value()) << to_string(form.error());
  }
}

TEST(Aliased, UniformBlocksBecomeStorageBuffers) {
  const std::string text = R"(
layout(binding = 0) uniform U { vec4 factors[4]; float gain; };
layout(binding = 1) uniform V { float other; } many[2];
layout(binding = 2) buffer Y { float y[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  y[i] = factors[i & 3].x * gain + many[1].other + many[gl_WorkGroupID.x & 1].other;
}
)";
  // SPIR-V 1.0 has storage buffers in the storage class Uniform.
  for (const TargetEnvironment target :
       {TargetEnvironment::Vulkan11, TargetEnvironment::Vulkan12, TargetEnvironment::Vulkan13}) {
    const Program program = compile(text, target);
    const BindingPlace both[] = {{.slot = 0}, {.slot = 2}};
    const auto aliased = make_aliased(program, both);
    ASSERT_TRUE(aliased.has_value()) << to_string(aliased.error());
    ASSERT_EQ(aliased->interface().bindings.size(), program.interface().bindings.size());
    for (std::size_t i = 0; i < program.interface().bindings.size(); ++i) {
      Binding expected = program.interface().bindings[i];
      expected.kind = BindingKind::StorageBuffer;
      expected.aliased = expected.slot != 1;
      EXPECT_EQ(aliased->interface().bindings[i], expected) << i;
    }
    // Where no uniform block is concerned, they stay what they are.
    const BindingPlace output[] = {{.slot = 2}};
    const auto same = make_aliased(program, output);
    ASSERT_TRUE(same.has_value());
    EXPECT_EQ(same->interface().bindings[0].kind, BindingKind::UniformBuffer);
  }
}

// Decorations by group, storage buffers in the storage class Uniform, and the address of a buffer given to a function.
TEST(Aliased, OldModules) {
  const std::vector<std::uint32_t> words = tests::assemble(R"(
               OpCapability Shader
               OpCapability UniformBufferArrayDynamicIndexing
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
               OpName %group "group"
               OpDecorate %group Restrict
               OpDecorate %group DescriptorSet 0
      %group = OpDecorationGroup
               OpGroupDecorate %group %a %b %u
               OpDecorate %a Binding 0
               OpDecorate %b Binding 1
               OpDecorate %u Binding 2
               OpDecorate %array ArrayStride 4
               OpDecorate %block BufferBlock
               OpMemberDecorate %block 0 Offset 0
               OpMemberDecorate %block 0 NonWritable
               OpDecorate %constants Block
               OpMemberDecorate %constants 0 Offset 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %array = OpTypeRuntimeArray %uint
      %block = OpTypeStruct %array
  %constants = OpTypeStruct %uint
    %pointer = OpTypePointer Uniform %block
   %constant = OpTypePointer Uniform %constants
       %item = OpTypePointer Uniform %uint
          %a = OpVariable %pointer Uniform
          %b = OpVariable %pointer Uniform
          %u = OpVariable %constant Uniform
       %zero = OpConstant %uint 0
       %main = OpFunction %void None %fn
      %entry = OpLabel
         %pu = OpAccessChain %item %u %zero
          %v = OpLoad %uint %pu
         %pa = OpAccessChain %item %a %zero %zero
          %w = OpLoad %uint %pa
        %sum = OpIAdd %uint %v %w
         %pb = OpAccessChain %item %b %zero %zero
               OpStore %pb %sum
               OpReturn
               OpFunctionEnd
)",
                                                           0x10000);
  const auto program = Program::from_spirv(words, {.target = TargetEnvironment::Vulkan11});
  ASSERT_TRUE(program.has_value()) << to_string(program.error());
  const BindingPlace with_uniform[] = {{.slot = 1}, {.slot = 2}};
  const auto aliased = make_aliased(*program, with_uniform);
  ASSERT_TRUE(aliased.has_value()) << to_string(aliased.error());
  EXPECT_EQ(slots_with(*aliased, spv::DecorationAliased), (Slots{1, 2}));
  EXPECT_EQ(slots_with(*aliased, spv::DecorationRestrict), Slots{0});
  EXPECT_EQ(slots_with(*aliased, spv::DecorationBufferBlock), Slots{});
  EXPECT_THAT(aliased->interface().capabilities, testing::Contains("StorageBufferArrayDynamicIndexing"));
  EXPECT_EQ(aliased->interface().extensions, std::vector<std::string>{"SPV_KHR_storage_buffer_storage_class"});
  for (const Binding& binding : aliased->interface().bindings) {
    EXPECT_EQ(binding.kind, BindingKind::StorageBuffer);
  }
}

}  // namespace
}  // namespace vyre::program
