#include <vyre/program/spirv/module.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/program/spirv/cfg.hpp>
#include <vyre/program/spirv/constants.hpp>

#include "tests/support/spirv.hpp"

namespace vyre::program::spirv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tests::assemble;

// A little of everything the grammar has: strings, masks with parameters, pairs, groups, operations within constants.
constexpr std::string_view kText = R"(
               OpCapability Shader
               OpCapability Int64
               OpExtension "SPV_KHR_storage_buffer_storage_class"
         %glsl = OpExtInstImport "GLSL.std.450"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 8 4 2
               OpSource GLSL 450
               OpName %main "main"
               OpName %data "data"
               OpMemberName %block 0 "first"
               OpMemberName %block 1 "second"
               OpDecorate %group NonWritable
               OpDecorate %group DescriptorSet 3
      %group = OpDecorationGroup
               OpGroupDecorate %group %data %other
               OpDecorate %data Binding 7
               OpDecorate %other Binding 8
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpMemberDecorate %block 1 Offset 4
               OpDecorate %width SpecId 5
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %uint = OpTypeInt 32 0
        %int = OpTypeInt 32 1
       %long = OpTypeInt 64 0
      %float = OpTypeFloat 32
       %bool = OpTypeBool
      %block = OpTypeStruct %uint %float
    %pointer = OpTypePointer StorageBuffer %block
%uint_pointer = OpTypePointer StorageBuffer %uint
       %data = OpVariable %pointer StorageBuffer
      %other = OpVariable %pointer StorageBuffer
       %zero = OpConstant %uint 0
       %four = OpConstant %uint 4
   %minus_one = OpConstant %int -1
        %big = OpConstant %long 0x123456789
      %width = OpSpecConstant %uint 32
      %twice = OpSpecConstantOp %uint IMul %width %four
   %is_large = OpSpecConstantOp %bool UGreaterThan %twice %four
     %chosen = OpSpecConstantOp %uint Select %is_large %twice %four
       %main = OpFunction %void None %fn
      %entry = OpLabel
    %element = OpAccessChain %uint_pointer %data %zero
      %value = OpLoad %uint %element Volatile|Aligned 4
       %wide = OpUConvert %long %value
               OpSelectionMerge %end None
               OpSwitch %wide %end 1 %one 0x200000000 %two
        %one = OpLabel
               OpBranch %end
        %two = OpLabel
               OpBranch %end
        %end = OpLabel
        %phi = OpPhi %uint %zero %entry %four %one %value %two
               OpReturn
               OpFunctionEnd
)";

/// The id of a name in kText: ids are given in the order of appearance, so look it up by what it is.
Id id_of(const Module& module, spv::Op op, std::size_t which = 0) {
  for (std::size_t i = 0; i < module.size(); ++i) {
    if (module[i].op() == op && which-- == 0) return module[i].result();
  }
  return 0;
}

TEST(Module, GivesEveryWordBack) {
  const std::vector<std::uint32_t> words = assemble(std::string{kText});
  const Result<Module> module = Module::read(words);
  ASSERT_TRUE(module.has_value()) << to_string(module.error());
  EXPECT_EQ(module->write(), words);
}

TEST(Module, IndexesDefinitionsUsesNamesAndDecorations) {
  const Module module = Module::read(assemble(std::string{kText})).value();
  const Id data = id_of(module, spv::OpVariable, 0);
  const Id other = id_of(module, spv::OpVariable, 1);
  const Id block = id_of(module, spv::OpTypeStruct);
  EXPECT_EQ(module.name(data), "data");
  EXPECT_EQ(module.name(other), "");
  EXPECT_EQ(module.member_name(block, 1), "second");
  EXPECT_EQ(module.member_name(block, 2), "");
  EXPECT_EQ(module.decoration(data, spv::DecorationBinding), 7);
  EXPECT_EQ(module.decoration(data, spv::DecorationDescriptorSet), 3) << "by its group";
  EXPECT_EQ(module.decoration(other, spv::DecorationNonWritable), 0) << "by its group";
  EXPECT_EQ(module.decoration(block, spv::DecorationOffset, 1), 4);
  EXPECT_EQ(module.decoration(block, spv::DecorationOffset), std::nullopt);
  EXPECT_EQ(module.definition_op(data), spv::OpVariable);
  EXPECT_EQ(module.definition(0), std::nullopt);
  EXPECT_EQ(module.definition_op(module.id_bound() + 5), spv::OpNop);

  std::vector<spv::Op> users;
  for (const std::uint32_t use : module.uses(data)) users.push_back(module[use].op());
  EXPECT_THAT(users, ElementsAre(spv::OpName, spv::OpGroupDecorate, spv::OpDecorate, spv::OpAccessChain));
}

TEST(Module, ReadsOperandsByTheGrammar) {
  const Module module = Module::read(assemble(std::string{kText})).value();
  const auto kinds = [&](spv::Op op) {
    std::vector<OperandKind> result;
    for (std::size_t i = 0; i < module.size(); ++i) {
      if (module[i].op() != op) continue;
      for_each_operand(module, module[i], [&](const Operand& operand) { result.push_back(operand.kind); });
      break;
    }
    return result;
  };
  using enum OperandKind;
  EXPECT_THAT(kinds(spv::OpLoad), ElementsAre(IdResultType, IdResult, IdRef, MemoryAccess, LiteralInteger));
  EXPECT_THAT(kinds(spv::OpSpecConstantOp),
              ElementsAre(IdResultType, IdResult, LiteralSpecConstantOpInteger, IdRef, IdRef));
  EXPECT_THAT(kinds(spv::OpSwitch), ElementsAre(IdRef, IdRef, LiteralInteger, IdRef, LiteralInteger, IdRef));
  EXPECT_THAT(kinds(spv::OpPhi), ElementsAre(IdResultType, IdResult, IdRef, IdRef, IdRef, IdRef, IdRef, IdRef));
  EXPECT_THAT(kinds(spv::OpExecutionMode),
              ElementsAre(IdRef, ExecutionMode, LiteralInteger, LiteralInteger, LiteralInteger));
}

TEST(Module, FindsFunctionsAndBlocks) {
  const Module module = Module::read(assemble(std::string{kText})).value();
  ASSERT_EQ(module.functions().size(), 1U);
  const Function& function = module.functions()[0];
  EXPECT_EQ(module.name(function.id), "main");
  ASSERT_EQ(function.blocks.size(), 4U);
  EXPECT_EQ(module.function(function.id), &function);
  EXPECT_EQ(module.function(function.id + 1), nullptr);

  const ControlFlow flow{module, function};
  EXPECT_THAT(flow.successors(0), ElementsAre(1, 2, 3));
  EXPECT_THAT(flow.predecessors(3), ElementsAre(0, 1, 2));
  EXPECT_TRUE(flow.dominates(0, 3));
  EXPECT_FALSE(flow.dominates(1, 3));
  EXPECT_EQ(flow.immediate_dominator(3), 0U);
  EXPECT_EQ(flow.block_of_instruction(function.blocks[2].begin), 2U);
  EXPECT_EQ(flow.block_of_instruction(0), ControlFlow::kNone);
}

TEST(Constants, EvaluatesOperationsWithDefaultsAndOverrides) {
  const Module module = Module::read(assemble(std::string{kText})).value();
  const Id twice = id_of(module, spv::OpSpecConstantOp, 0);
  const Id chosen = id_of(module, spv::OpSpecConstantOp, 2);
  Constants defaults{module};
  EXPECT_EQ(defaults.number(twice), 128U);
  EXPECT_EQ(defaults.number(chosen), 128U);
  EXPECT_EQ(defaults.number(id_of(module, spv::OpConstant, 3)), 0x1'2345'6789U);
  EXPECT_EQ(defaults.value(id_of(module, spv::OpConstant, 2))->as_signed(), -1);
  EXPECT_EQ(defaults.number(id_of(module, spv::OpVariable)), std::nullopt);
  const std::vector<SpecOverride> overrides{{.spec_id = 5, .bits = 0}};
  Constants specialised{module, overrides};
  EXPECT_EQ(specialised.number(twice), 0U);
  EXPECT_EQ(specialised.number(chosen), 4U);
}

TEST(Constants, FoldsAsTheSpecificationSays) {
  const auto folded = [](spv::Op op, std::int64_t a, std::int64_t b,
                         std::uint32_t width) -> std::optional<std::int64_t> {
    const std::vector<ConstantValue> operands{
        {.bits = cut_to_width(static_cast<std::uint64_t>(a), width), .width = width, .is_signed = true},
        {.bits = cut_to_width(static_cast<std::uint64_t>(b), width), .width = width, .is_signed = true}};
    const std::optional<ConstantValue> value = fold(op, operands, width, true);
    return value ? std::optional{value->as_signed()} : std::nullopt;
  };
  EXPECT_EQ(folded(spv::OpIAdd, 127, 1, 8), -128);
  EXPECT_EQ(folded(spv::OpSDiv, -7, 2, 32), -3);
  EXPECT_EQ(folded(spv::OpSRem, -7, 2, 32), -1);
  EXPECT_EQ(folded(spv::OpSMod, -7, 2, 32), 1);
  EXPECT_EQ(folded(spv::OpSMod, 7, -2, 32), -1);
  EXPECT_EQ(folded(spv::OpUDiv, -1, 2, 32), 0x7fff'ffff);
  EXPECT_EQ(folded(spv::OpSDiv, INT64_MIN, -1, 64), INT64_MIN) << "wraps instead of trapping";
  EXPECT_EQ(folded(spv::OpSDiv, 1, 0, 32), std::nullopt);
  EXPECT_EQ(folded(spv::OpShiftRightArithmetic, -8, 1, 16), -4);
  EXPECT_EQ(folded(spv::OpShiftRightLogical, -8, 1, 16), 0x7ffc);
  EXPECT_EQ(folded(spv::OpShiftLeftLogical, 1, 32, 32), std::nullopt);
  EXPECT_EQ(folded(spv::OpFAdd, 1, 1, 32), std::nullopt);
}

struct Broken {
  std::vector<std::uint32_t> words;
  ErrorCode code;
  std::string message;
};

TEST(Module, RefusesWhatIsNoModule) {
  const std::vector<std::uint32_t> header{spv::MagicNumber, 0x10300, 0, 10, 0};
  const auto with = [&](std::vector<std::uint32_t> more) {
    std::vector<std::uint32_t> words = header;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto op = [](spv::Op opcode, std::uint32_t length) {
    return length << 16 | static_cast<std::uint32_t>(opcode);
  };
  const std::vector<Broken> cases{
      {{}, ErrorCode::CompileFailed, "module is empty, it needs at least 5 words"},
      {{1, 2, 3, 4, 5}, ErrorCode::CompileFailed, "starts with 0x00000001, it needs 0x07230203"},
      {{0x0302'2307, 0, 0, 1, 0}, ErrorCode::CompileFailed, "byte order"},
      {{spv::MagicNumber, 0x10300, 0, 0, 0}, ErrorCode::CompileFailed, "id bound of 0"},
      {{spv::MagicNumber, 0x10300, 0, 0x40'0000, 0},
       ErrorCode::InvalidArgument,
       "id bound of 4194304, the limit is 4194303"},
      {with({0}), ErrorCode::CompileFailed, "at word 5 has 0 words, there are 1 left"},
      {with({op(spv::OpNop, 2)}), ErrorCode::CompileFailed, "has 2 words, there are 1 left"},
      {with({op(static_cast<spv::Op>(0xfff), 1)}), ErrorCode::Unsupported,
       "opcode 4095, which the SPIR-V grammar of this build does not have"},
      {with({op(spv::OpTypeVoid, 1)}), ErrorCode::CompileFailed,
       "OpTypeVoid at word 5 has 1 words, it needs at least 2"},
      {with({op(spv::OpTypeVoid, 2), 10}), ErrorCode::CompileFailed, "defines id 10, the bound is 10"},
      {with({op(spv::OpTypeVoid, 2), 0}), ErrorCode::CompileFailed, "defines id 0"},
      {with({op(spv::OpTypeVoid, 2), 1, op(spv::OpTypeVoid, 2), 1}), ErrorCode::CompileFailed, "defines id 1 again"},
      {with({op(spv::OpReturnValue, 2), 11}), ErrorCode::CompileFailed, "uses id 11, the bound is 10"},
      {with({op(spv::OpReturnValue, 3), 1, 1}), ErrorCode::CompileFailed, "OpReturnValue at word 5 do not follow"},
      {with({op(spv::OpReturnValue, 1)}), ErrorCode::CompileFailed, "OpReturnValue at word 5 do not follow"},
      {with({op(spv::OpName, 3), 1, 0x61616161}), ErrorCode::CompileFailed, "OpName at word 5 do not follow"},
      {with({op(spv::OpFunctionEnd, 1)}), ErrorCode::CompileFailed, "OpFunctionEnd at word 5 does not belong there"},
      {with({op(spv::OpLabel, 2), 1}), ErrorCode::CompileFailed, "OpLabel at word 5 does not belong there"},
      {with({op(spv::OpFunction, 5), 1, 2, 0, 3}), ErrorCode::CompileFailed, "has no end"},
  };
  for (const Broken& broken : cases) {
    const Result<Module> module = Module::read(broken.words);
    ASSERT_FALSE(module.has_value()) << broken.message;
    EXPECT_EQ(module.error().code, broken.code) << broken.message;
    EXPECT_THAT(module.error().message, HasSubstr(broken.message));
  }
}

}  // namespace
}  // namespace vyre::program::spirv
