#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/program/forms/ldexp.hpp>
#include <vyre/program/spirv/module.hpp>
#include "tests/forms/form_runner.hpp"
#include "tests/support/capabilities.hpp"
#include "tests/support/spirv.hpp"

// `Ldexp` with exponents of 8, 16 and 64 bits, which end the process in the compiler of lavapipe as they are written.

namespace vyre::tests {
namespace {

using program::Program;

constexpr std::uint32_t kInvocations = 8;

/// `result[i] = ldexp(values[i], exponent(exponents[i] << shift))`, where an exponent has `width` bits and stands alone
/// or in a vector of `count`.
std::vector<std::uint32_t> kernel(std::uint32_t width, std::uint32_t count, std::uint32_t shift) {
  const bool is_vector = count > 1;
  const std::string parts = is_vector ? fmt::format("{}", count) : "";
  const auto spread = [&](std::string_view id, std::string_view type, std::string_view from) {
    std::string text = fmt::format("%{} = OpCompositeConstruct %{}", id, type);
    for (std::uint32_t i = 0; i < count; ++i) text += fmt::format(" %{}", from);
    return text + "\n";
  };
  std::string text = fmt::format(
      "OpCapability Shader\nOpCapability Int{0}\n%glsl = OpExtInstImport \"GLSL.std.450\"\n"
      "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %id\n"
      "OpExecutionMode %main LocalSize 8 1 1\nOpDecorate %id BuiltIn LocalInvocationIndex\n"
      "OpDecorate %words ArrayStride 4\nOpDecorate %Words Block\nOpMemberDecorate %Words 0 Offset 0\n"
      "OpDecorate %values DescriptorSet 0\nOpDecorate %values Binding 0\n"
      "OpDecorate %exponents DescriptorSet 0\nOpDecorate %exponents Binding 1\n"
      "OpDecorate %result DescriptorSet 0\nOpDecorate %result Binding 2\n"
      "%void = OpTypeVoid\n%main_type = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%int = OpTypeInt 32 1\n"
      "%narrow = OpTypeInt {0} 1\n%float = OpTypeFloat 32\n{1}"
      "%c0 = OpConstant %uint 0\n%shift = OpConstant %uint {2}\n"
      "%words = OpTypeRuntimeArray %uint\n%Words = OpTypeStruct %words\n"
      "%Words_pointer = OpTypePointer StorageBuffer %Words\n%uint_pointer = OpTypePointer StorageBuffer %uint\n"
      "%id_pointer = OpTypePointer Input %uint\n%id = OpVariable %id_pointer Input\n"
      "%values = OpVariable %Words_pointer StorageBuffer\n%exponents = OpVariable %Words_pointer StorageBuffer\n"
      "%result = OpVariable %Words_pointer StorageBuffer\n"
      "%main = OpFunction %void None %main_type\n%entry = OpLabel\n%i = OpLoad %uint %id\n"
      "%value_at = OpAccessChain %uint_pointer %values %c0 %i\n%value_bits = OpLoad %uint %value_at\n"
      "%value = OpBitcast %float %value_bits\n"
      "%exponent_at = OpAccessChain %uint_pointer %exponents %c0 %i\n%exponent_bits = OpLoad %uint %exponent_at\n"
      "%exponent_int = OpBitcast %int %exponent_bits\n%unshifted = OpSConvert %narrow %exponent_int\n"
      "%exponent = OpShiftLeftLogical %narrow %unshifted %shift\n",
      width,
      is_vector ? fmt::format("%vfloat = OpTypeVector %float {0}\n%vnarrow = OpTypeVector %narrow {0}\n", count) : "",
      shift);
  if (is_vector) {
    text += spread("vvalue", "vfloat", "value") + spread("vexponent", "vnarrow", "exponent") +
            "%vscaled = OpExtInst %vfloat %glsl Ldexp %vvalue %vexponent\n"
            "%scaled = OpCompositeExtract %float %vscaled 1\n";
  } else {
    text += "%scaled = OpExtInst %float %glsl Ldexp %value %exponent\n";
  }
  text +=
      "%scaled_bits = OpBitcast %uint %scaled\n%target = OpAccessChain %uint_pointer %result %c0 %i\n"
      "OpStore %target %scaled_bits\nOpReturn\nOpFunctionEnd\n";
  return assemble(text);
}

template <typename T>
std::vector<std::byte> to_bytes(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(Ldexp, ExponentsOfEveryWidthAreRightInEveryForm) {
  auto opened = open_form_device();
  ASSERT_TRUE(opened.has_value()) << to_string(opened.error());
  backend::Device& device = **opened;
  const std::vector<float> values = {1.5F, -3.0F, 0.75F, 1e-3F, 7.0F, -0.0F, 1.0F, 2.5F};
  const std::vector<std::int32_t> exponents = {3, -5, 0, 17, -1, 9, -20, 1};
  for (const std::uint32_t width : {8U, 16U, 64U}) {
    for (const std::uint32_t count : {1U, 2U}) {
      for (const std::uint32_t shift : {0U, 40U}) {  // Beyond what 32 bits hold.
        if (shift >= width) continue;
        SCOPED_TRACE(fmt::format("{} bits, {} components, shifted by {}", width, count, shift));
        const Result<Program> program = Program::from_spirv(kernel(width, count, shift), {.name = "ldexp"});
        ASSERT_TRUE(program.has_value()) << to_string(program.error());
        std::vector<float> expected(kInvocations);
        for (std::uint32_t i = 0; i < kInvocations; ++i) {
          const int most = shift == 0 ? exponents[i] : exponents[i] * 10'000;
          expected[i] = std::ldexp(values[i], most);
        }
        const FormItem item{
            .buffers = {to_bytes(values), to_bytes(exponents), std::vector<std::byte>(kInvocations * 4)}};
        for (const program::FormKind form : program::kAllForms) {
          SCOPED_TRACE(to_string(form));
          const auto pipeline = device.compile(*program, {.form = form});
          if (!can_run(device, *program)) {
            ASSERT_FALSE(pipeline.has_value());
            EXPECT_THAT(pipeline.error().message, testing::HasSubstr(fmt::format("Int{}", width)));
            continue;
          }
          ASSERT_TRUE(pipeline.has_value()) << to_string(pipeline.error());
          const auto outcome = run_items(device, *pipeline, {item});
          ASSERT_TRUE(outcome.has_value()) << to_string(outcome.error());
          EXPECT_EQ(outcome->contents[0][2], to_bytes(expected));
        }
      }
    }
  }
}

TEST(Ldexp, AModuleWithoutOtherExponentsStaysAsItIs) {
  const Result<Program> program = Program::from_glsl(
      "#version 460\nlayout(binding = 0) buffer B { float x; int e; };\nvoid main() { x = ldexp(x, e); }\n");
  ASSERT_TRUE(program.has_value()) << to_string(program.error());
  EXPECT_FALSE(program::narrow_ldexp(program->module()).has_value());
}

TEST(Ldexp, WhatIsRewrittenIsValidAndIsNotRewrittenAgain) {
  for (const std::uint32_t width : {8U, 16U, 64U}) {
    for (const std::uint32_t count : {1U, 2U}) {
      SCOPED_TRACE(fmt::format("{} bits, {} components", width, count));
      const auto module = program::spirv::Module::read(kernel(width, count, 0));
      ASSERT_TRUE(module.has_value()) << to_string(module.error());
      const auto words = program::narrow_ldexp(*module);
      ASSERT_TRUE(words.has_value());
      EXPECT_TRUE(is_valid(*words));
      const auto again = program::spirv::Module::read(*words);
      ASSERT_TRUE(again.has_value()) << to_string(again.error());
      EXPECT_FALSE(program::narrow_ldexp(*again).has_value());
    }
  }
}

}  // namespace
}  // namespace vyre::tests
