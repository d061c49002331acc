#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <backends/fake/fake_backend.hpp>
#include <backends/vulkan/features.hpp>
#include <vyre/backend/check.hpp>
#include <vyre/program/spirv/compute_names.hpp>
#include <vyre/program/spirv/grammar.hpp>
#include <vyre/program/spirv/newer.hpp>
#include "tests/forms/form_runner.hpp"
#include "tests/support/capabilities.hpp"
#include "tests/support/spirv.hpp"

// Every capability, execution mode and extension of the table: a kernel that names it is right on a device that has it,
// or is refused by its name. The fake device offers all.

namespace vyre::tests {
namespace {

using backend::Device;
using program::Program;
using testing::HasSubstr;

/// What a kernel says and does to need a capability. Where nothing is done, it is declared alone.
struct Need {
  std::vector<std::string_view> capabilities = {};  ///< Besides.
  std::vector<std::string_view> extensions = {};
  std::string_view globals = {};
  std::string_view body = {};
  std::string_view element = "float";  ///< Of the second buffer, `%cell` points to its first element.
};

constexpr std::string_view kSubgroupExtension = "SPV_KHR_subgroup_rotate";

const std::map<std::string_view, Need>& needs() {
  static const std::map<std::string_view, Need> all = {
      {"Int8", {.globals = "%narrow = OpTypeInt 8 0", .body = "%made = OpUConvert %narrow %i"}},
      {"Int16", {.globals = "%narrow = OpTypeInt 16 0", .body = "%made = OpUConvert %narrow %i"}},
      {"Int64", {.globals = "%wide = OpTypeInt 64 0", .body = "%made = OpUConvert %wide %i"}},
      {"Float16", {.globals = "%half = OpTypeFloat 16", .body = "%made = OpConvertUToF %half %i"}},
      {"Float64", {.globals = "%double = OpTypeFloat 64", .body = "%made = OpConvertUToF %double %i"}},
      {"Int64Atomics",
       {.capabilities = {"Int64"},
        .globals = "%wide_one = OpConstant %wide 1",
        .body = "%made = OpAtomicIAdd %wide %cell %c1 %c0 %wide_one",
        .element = "wide"}},
      {"AtomicFloat32AddEXT",
       {.extensions = {"SPV_EXT_shader_atomic_float_add"},
        .body = "%made = OpAtomicFAddEXT %float %cell %c1 %c0 %one"}},
      {"AtomicFloat32MinMaxEXT",
       {.extensions = {"SPV_EXT_shader_atomic_float_min_max"},
        .body = "%made = OpAtomicFMinEXT %float %cell %c1 %c0 %one"}},
      {"AtomicFloat64AddEXT",
       {.capabilities = {"Float64"},
        .extensions = {"SPV_EXT_shader_atomic_float_add"},
        .globals = "%large_one = OpConstant %double 1",
        .body = "%made = OpAtomicFAddEXT %double %cell %c1 %c0 %large_one",
        .element = "double"}},
      {"AtomicFloat64MinMaxEXT",
       {.capabilities = {"Float64"},
        .extensions = {"SPV_EXT_shader_atomic_float_min_max"},
        .globals = "%large_one = OpConstant %double 1",
        .body = "%made = OpAtomicFMaxEXT %double %cell %c1 %c0 %large_one",
        .element = "double"}},
      {"AtomicFloat16AddEXT", {.extensions = {"SPV_EXT_shader_atomic_float16_add"}}},
      {"AtomicFloat16MinMaxEXT", {.extensions = {"SPV_EXT_shader_atomic_float_min_max"}}},
      {"GroupNonUniform", {.body = "%made = OpGroupNonUniformElect %bool %c3"}},
      {"GroupNonUniformVote", {.body = "%made = OpGroupNonUniformAll %bool %c3 %true"}},
      {"GroupNonUniformArithmetic", {.body = "%made = OpGroupNonUniformIAdd %uint %c3 Reduce %i"}},
      {"GroupNonUniformBallot", {.body = "%made = OpGroupNonUniformBallot %uvec4 %c3 %true"}},
      {"GroupNonUniformShuffle", {.body = "%made = OpGroupNonUniformShuffle %uint %c3 %i %c0"}},
      {"GroupNonUniformShuffleRelative", {.body = "%made = OpGroupNonUniformShuffleUp %uint %c3 %i %c1"}},
      {"GroupNonUniformClustered", {.body = "%made = OpGroupNonUniformIAdd %uint %c3 ClusteredReduce %i %c2"}},
      {"GroupNonUniformQuad", {.body = "%made = OpGroupNonUniformQuadBroadcast %uint %c3 %i %c0"}},
      {"GroupNonUniformRotateKHR",
       {.capabilities = {"GroupNonUniform"},
        .extensions = {kSubgroupExtension},
        .body = "%made = OpGroupNonUniformRotateKHR %uint %c3 %i %c1"}},
      {"GroupNonUniformPartitionedNV",
       {.extensions = {"SPV_NV_shader_subgroup_partitioned"},
        .body = "%made = OpGroupNonUniformPartitionNV %uvec4 %i"}},
      {"SubgroupBallotKHR",
       {.extensions = {"SPV_KHR_shader_ballot"}, .body = "%made = OpSubgroupBallotKHR %uvec4 %true"}},
      {"SubgroupVoteKHR", {.extensions = {"SPV_KHR_subgroup_vote"}, .body = "%made = OpSubgroupAllKHR %bool %true"}},
      {"ShaderClockKHR", {.extensions = {"SPV_KHR_shader_clock"}, .body = "%made = OpReadClockKHR %uvec2 %c3"}},
      {"ExpectAssumeKHR", {.extensions = {"SPV_KHR_expect_assume"}, .body = "OpAssumeTrueKHR %true"}},
      {"DotProduct",
       {.capabilities = {"DotProductInputAll"},
        .extensions = {"SPV_KHR_integer_dot_product"},
        .body = "%pair = OpCompositeConstruct %uvec2 %i %c1\n%made = OpUDot %uint %pair %pair"}},
      {"DotProductInputAll",
       {.capabilities = {"DotProduct"},
        .extensions = {"SPV_KHR_integer_dot_product"},
        .body = "%pair = OpCompositeConstruct %uvec2 %i %c1\n%made = OpUDot %uint %pair %pair"}},
      {"DotProductInput4x8Bit",
       {.capabilities = {"DotProduct", "Int8"},
        .extensions = {"SPV_KHR_integer_dot_product"},
        .globals = "%bytes = OpTypeVector %narrow 4",
        .body = "%byte = OpUConvert %narrow %i\n%four = OpCompositeConstruct %bytes %byte %byte %byte %byte\n"
                "%made = OpUDot %uint %four %four"}},
      {"DotProductInput4x8BitPacked",
       {.capabilities = {"DotProduct"},
        .extensions = {"SPV_KHR_integer_dot_product"},
        .body = "%made = OpUDot %uint %i %i PackedVectorFormat4x8Bit"}},
      {"DenormPreserve", {.extensions = {"SPV_KHR_float_controls"}}},
      {"DenormFlushToZero", {.extensions = {"SPV_KHR_float_controls"}}},
      {"SignedZeroInfNanPreserve", {.extensions = {"SPV_KHR_float_controls"}}},
      {"RoundingModeRTE", {.extensions = {"SPV_KHR_float_controls"}}},
      {"RoundingModeRTZ", {.extensions = {"SPV_KHR_float_controls"}}},
      {"ComputeDerivativeGroupLinearNV", {.extensions = {"SPV_NV_compute_shader_derivatives"}}},
      {"ComputeDerivativeGroupQuadsNV", {.extensions = {"SPV_NV_compute_shader_derivatives"}}},
      {"CooperativeMatrixNV", {.extensions = {"SPV_NV_cooperative_matrix"}}},
      {"CoreBuiltinsARM", {.extensions = {"SPV_ARM_core_builtins"}}},
      {"IntegerFunctions2INTEL", {.extensions = {"SPV_INTEL_shader_integer_functions2"}}},
      {"ShaderSMBuiltinsNV", {.extensions = {"SPV_NV_shader_sm_builtins"}}},
      {"RuntimeDescriptorArray", {.extensions = {"SPV_EXT_descriptor_indexing"}}},
      {"ShaderNonUniform", {.extensions = {"SPV_EXT_descriptor_indexing"}}},
      {"StorageBufferArrayNonUniformIndexing",
       {.capabilities = {"ShaderNonUniform"}, .extensions = {"SPV_EXT_descriptor_indexing"}}},
      {"UniformBufferArrayNonUniformIndexing",
       {.capabilities = {"ShaderNonUniform"}, .extensions = {"SPV_EXT_descriptor_indexing"}}},
      {"VulkanMemoryModelDeviceScope", {.capabilities = {"VulkanMemoryModel"}}},
      {"WorkgroupMemoryExplicitLayoutKHR", {.extensions = {"SPV_KHR_workgroup_memory_explicit_layout"}}},
      {"WorkgroupMemoryExplicitLayout8BitAccessKHR", {.extensions = {"SPV_KHR_workgroup_memory_explicit_layout"}}},
      {"WorkgroupMemoryExplicitLayout16BitAccessKHR", {.extensions = {"SPV_KHR_workgroup_memory_explicit_layout"}}},
  };
  return all;
}

/// A kernel that leaves `i + 1` in `result[i]`.
std::vector<std::uint32_t> kernel(const std::vector<std::string_view>& capabilities, const Need& need,
                                  std::string_view mode) {
  std::string text = "OpCapability Shader\n";
  std::string types = "%float = OpTypeFloat 32\n%uint = OpTypeInt 32 0\n";
  std::vector<std::string_view> all = capabilities;
  all.insert(all.end(), need.capabilities.begin(), need.capabilities.end());
  for (const std::string_view each : all) {
    if (each != "Shader") text += fmt::format("OpCapability {}\n", each);
    const bool is_shown =
        std::ranges::find(capabilities, each) != capabilities.end() && need.globals.contains("OpType");
    if (is_shown && each != "DotProductInput4x8Bit") continue;
    if (each == "Float64") types += "%double = OpTypeFloat 64\n";
    if (each == "Int64") types += "%wide = OpTypeInt 64 0\n";
    if (each == "Int8") types += "%narrow = OpTypeInt 8 0\n";
  }
  for (const std::string_view each : need.extensions) text += fmt::format("OpExtension \"{}\"\n", each);
  const bool is_vulkan =
      std::ranges::any_of(capabilities, [](std::string_view each) { return each.starts_with("VulkanMemoryModel"); });
  const std::uint32_t stride = need.element == "float" ? 4 : 8;
  text += fmt::format(
      "OpMemoryModel Logical {6}\nOpEntryPoint GLCompute %main \"main\" %id %result %other\n"
      "OpExecutionMode %main LocalSize 8 1 1\n{0}"
      "OpDecorate %id BuiltIn LocalInvocationIndex\nOpDecorate %words ArrayStride 4\nOpDecorate %Words Block\n"
      "OpMemberDecorate %Words 0 Offset 0\nOpDecorate %cells ArrayStride {1}\nOpDecorate %Cells Block\n"
      "OpMemberDecorate %Cells 0 Offset 0\n"
      "OpDecorate %result DescriptorSet 0\nOpDecorate %result Binding 0\n"
      "OpDecorate %other DescriptorSet 0\nOpDecorate %other Binding 1\n"
      "%void = OpTypeVoid\n%main_type = OpTypeFunction %void\n%bool = OpTypeBool\n{2}"
      "%uvec2 = OpTypeVector %uint 2\n%uvec4 = OpTypeVector %uint 4\n{3}\n%true = OpConstantTrue %bool\n"
      "%c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n%c2 = OpConstant %uint 2\n%c3 = OpConstant %uint 3\n"
      "%one = OpConstant %float 1\n%words = OpTypeRuntimeArray %uint\n%Words = OpTypeStruct %words\n"
      "%cells = OpTypeRuntimeArray %{4}\n%Cells = OpTypeStruct %cells\n"
      "%Words_pointer = OpTypePointer StorageBuffer %Words\n%uint_pointer = OpTypePointer StorageBuffer %uint\n"
      "%Cells_pointer = OpTypePointer StorageBuffer %Cells\n%cell_pointer = OpTypePointer StorageBuffer %{4}\n"
      "%id_pointer = OpTypePointer Input %uint\n%id = OpVariable %id_pointer Input\n"
      "%result = OpVariable %Words_pointer StorageBuffer\n%other = OpVariable %Cells_pointer StorageBuffer\n"
      "%main = OpFunction %void None %main_type\n%entry = OpLabel\n%i = OpLoad %uint %id\n"
      "%cell = OpAccessChain %cell_pointer %other %c0 %c0\n{5}\n%sum = OpIAdd %uint %i %c1\n"
      "%target = OpAccessChain %uint_pointer %result %c0 %i\nOpStore %target %sum\nOpReturn\nOpFunctionEnd\n",
      mode.empty() ? std::string{} : fmt::format("OpExecutionMode %main {}\n", mode), stride, types, need.globals,
      need.element, need.body, is_vulkan ? "Vulkan" : "GLSL450");
  constexpr std::uint32_t kVersion15 = 0x10500;
  return assemble(text, kVersion15);
}

bool is_newer(program::spirv::OperandKind kind, std::string_view name) {
  return std::ranges::any_of(program::spirv::kNewerEnumerants,
                             [&](const auto& each) { return each.kind == kind && each.name == name; });
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

Device& device() {
  static const std::unique_ptr<Device> opened = [] {
    auto made = open_form_device();
    return made ? *std::move(made) : nullptr;
  }();
  return *opened;
}

backend::DeviceInfo fake_info() { return backends::fake::make_fake_backend({})->devices().value().front(); }

/// A program is refused, naming what is missing, where a device does not have `name`, and right where it has.
void expect_refused_or_right(const Program& program, std::string_view name, bool is_there) {
  std::vector<std::string> missing = {std::string{name}};
  for (const std::string& each : program.interface().capabilities) {  // Those it comes with.
    if (!has(device().info().spirv_capabilities, each)) missing.push_back(each);
  }
  for (const program::FormKind form : program::kAllForms) {
    SCOPED_TRACE(to_string(form));
    const auto pipeline = device().compile(program, {.form = form});
    if (!pipeline) {
      EXPECT_EQ(pipeline.error().code, ErrorCode::Unsupported) << to_string(pipeline.error());
      if (form == program::FormKind::Descriptor) {
        EXPECT_FALSE(can_run(device(), program) && is_there) << to_string(pipeline.error());
        if (!is_there) {
          const bool is_named = std::ranges::any_of(
              missing, [&](const std::string& each) { return pipeline.error().message.ends_with(" " + each); });
          EXPECT_TRUE(is_named) << to_string(pipeline.error());
        }
      }
      continue;
    }
    EXPECT_TRUE(is_there);
    const FormItem item{.groups = {1, 1, 1}, .buffers = {std::vector<std::byte>(32), std::vector<std::byte>(16)}};
    const auto outcome = run_items(device(), *pipeline, {item});
    ASSERT_TRUE(outcome.has_value()) << to_string(outcome.error());
    for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(outcome->contents[0][0][4 * i], std::byte(i + 1));
    EXPECT_TRUE(device().free(*pipeline).has_value());
  }
}

/// What is said of a device by its description alone, for what no module here can be made of.
void expect_known(std::string_view name, const program::Interface& interface, bool is_there) {
  const Result<void> checked = backend::check_program(interface, device().info());
  EXPECT_EQ(checked.has_value(), is_there);
  if (!checked) {
    EXPECT_THAT(checked.error().message, HasSubstr(name));
  }
}

class Capabilities : public testing::TestWithParam<std::string_view> {};
class ExecutionModes : public testing::TestWithParam<std::string_view> {};
class Extensions : public testing::TestWithParam<std::string_view> {};

std::string test_name(const testing::TestParamInfo<std::string_view>& info) {
  std::string name{info.param};
  std::ranges::replace(name, ' ', '_');
  return name;
}

TEST_P(Capabilities, RunOrAreRefusedByName) {
  const std::string_view name = GetParam();
  const bool is_there = has(device().info().spirv_capabilities, name);
  const program::Interface named{.workgroup = {}, .capabilities = {std::string{name}}};
  EXPECT_TRUE(backend::check_program(named, fake_info()).has_value());
  expect_known(name, named, is_there);
  // Kernels that follow addresses, and those of other APIs, are refused as programs.
  if (name == "PhysicalStorageBufferAddresses" || is_newer(program::spirv::OperandKind::Capability, name)) return;
  const auto found = needs().find(name);
  const Need need = found == needs().end() ? Need{} : found->second;
  const Result<Program> program = Program::from_spirv(kernel({name}, need, {}), {.name = "kernel"});
  ASSERT_TRUE(program.has_value()) << to_string(program.error());
  EXPECT_TRUE(backend::check_program(program->interface(), fake_info()).has_value());
  expect_refused_or_right(*program, name, is_there);
}
INSTANTIATE_TEST_SUITE_P(Table, Capabilities, testing::ValuesIn(program::spirv::kComputeCapabilities), test_name);

TEST_P(ExecutionModes, RunOrAreRefusedByName) {
  const std::string_view name = GetParam();
  const bool is_there = has(device().info().spirv_execution_modes, name);
  const program::Interface named{.execution_modes = {std::string{name}}};
  EXPECT_TRUE(backend::check_program(named, fake_info()).has_value());
  expect_known(name, named, is_there);
  if (is_newer(program::spirv::OperandKind::ExecutionMode, name) || name.starts_with("Derivative")) return;
  const bool is_uniform = name == "SubgroupUniformControlFlowKHR";
  Need need{.extensions = {is_uniform ? "SPV_KHR_subgroup_uniform_control_flow" : "SPV_KHR_float_controls"}};
  std::vector<std::string_view> capabilities = {"Shader"};
  if (!is_uniform) {
    capabilities.push_back(name.substr(0, name.find(' ')));
    if (name.ends_with("16")) capabilities.emplace_back("Float16");
    if (name.ends_with("64")) capabilities.emplace_back("Float64");
  }
  const Result<Program> program = Program::from_spirv(kernel(capabilities, need, name), {.name = "kernel"});
  ASSERT_TRUE(program.has_value()) << to_string(program.error());
  EXPECT_TRUE(has(program->interface().execution_modes, name));
  // A capability that is not there is said first.
  if (!can_run(device(), *program)) return;
  expect_refused_or_right(*program, name, is_there);
}
INSTANTIATE_TEST_SUITE_P(Table, ExecutionModes, testing::ValuesIn(program::spirv::kComputeExecutionModes), test_name);

TEST_P(Extensions, RunOrAreRefusedByName) {
  const std::string_view name = GetParam();
  const program::Interface named{.extensions = {std::string{name}}};
  EXPECT_TRUE(backend::check_program(named, fake_info()).has_value());
  expect_known(name, named, has(device().info().spirv_extensions, name));
}
INSTANTIATE_TEST_SUITE_P(Table, Extensions, testing::ValuesIn(program::spirv::kComputeExtensions), test_name);

TEST(Table, TheVulkanBackendKnowsEveryNameAndNoOther) {
  const auto names = [](const auto& list) { return std::vector<std::string>(std::begin(list), std::end(list)); };
  const backends::vulkan::SpirvSupport known = backends::vulkan::known_spirv_support();
  EXPECT_EQ(known.capabilities, names(program::spirv::kComputeCapabilities));
  EXPECT_EQ(known.execution_modes, names(program::spirv::kComputeExecutionModes));
  EXPECT_EQ(known.extensions, names(program::spirv::kComputeExtensions));
}

TEST(Table, EveryCapabilityIsAnEnumerantOfTheGrammarOrOfTheNewerOnes) {
  for (const std::string_view name : program::spirv::kComputeCapabilities) {
    bool is_known = false;
    for (std::uint32_t value = 0; value < 7'000 && !is_known; ++value) {
      is_known = program::spirv::name_of(program::spirv::OperandKind::Capability, value) == name;
    }
    EXPECT_TRUE(is_known) << name;
  }
}

TEST(Table, NewerNamesAreNotInTheGrammar) {
  for (const program::spirv::NewerEnumerant& each : program::spirv::kNewerEnumerants) {
    const std::string_view known = program::spirv::enumerant_name(each.kind, each.value);
    EXPECT_TRUE(known.empty() || known == each.name) << each.name << " is " << known;
  }
}

}  // namespace
}  // namespace vyre::tests
