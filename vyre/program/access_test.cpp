#include <vyre/program/access.hpp>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <vyre/program/reflect.hpp>

#include "tests/support/spirv.hpp"

// Pointers where no compiler of GLSL puts them: phi, select, calls, returns, copies, variables that hold pointers.

namespace vyre::program {
namespace {

constexpr std::string_view kHead = R"(
               OpCapability Shader
               OpCapability VariablePointers
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
               OpName %a "a"
               OpName %b "b"
               OpName %c "c"
               OpDecorate %a DescriptorSet 0
               OpDecorate %a Binding 0
               OpDecorate %b DescriptorSet 0
               OpDecorate %b Binding 1
               OpDecorate %c DescriptorSet 0
               OpDecorate %c Binding 2
               OpDecorate %array ArrayStride 4
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %uint = OpTypeInt 32 0
       %bool = OpTypeBool
      %array = OpTypeRuntimeArray %uint
      %block = OpTypeStruct %array
    %pointer = OpTypePointer StorageBuffer %block
       %item = OpTypePointer StorageBuffer %uint
    %holder = OpTypePointer Function %item
          %a = OpVariable %pointer StorageBuffer
          %b = OpVariable %pointer StorageBuffer
          %c = OpVariable %pointer StorageBuffer
       %zero = OpConstant %uint 0
        %one = OpConstant %uint 1
     %truth = OpUndef %bool
    %take_fn = OpTypeFunction %void %item
    %give_fn = OpTypeFunction %item %item
)";

/// The access of a, b and c as "a:read b:write", those that are used.
std::string access_of(const std::string& body) {
  const std::vector<std::uint32_t> words = tests::assemble(std::string{kHead} + body);
  EXPECT_TRUE(tests::is_valid(words));
  const auto module = spirv::Module::read(words);
  const auto interface = reflect(module.value());
  std::string text;
  for (const Binding& binding : interface.value().bindings) {
    text += (text.empty() ? "" : " ") + binding.name + ":" + std::string{to_string(binding.access)};
  }
  return text;
}

std::string main_function(const std::string& body) {
  return "%main = OpFunction %void None %fn\n%entry = OpLabel\n" + body + "\nOpReturn\nOpFunctionEnd\n";
}

const std::string kItems = R"(
  %pa = OpAccessChain %item %a %zero %zero
  %pb = OpInBoundsAccessChain %item %b %zero %zero
  %pc = OpAccessChain %item %c %zero %one
)";

TEST(Access, OfPlainLoadsStoresAndCopies) {
  EXPECT_EQ(access_of(main_function(kItems + "%v = OpLoad %uint %pa\nOpStore %pb %v")), "a:read b:write c:none");
  EXPECT_EQ(access_of(main_function(kItems + "OpCopyMemory %pa %pb\n")), "a:write b:read c:none");
  EXPECT_EQ(access_of(main_function(kItems + "%v = OpArrayLength %uint %a 0")), "a:none b:none c:none");
}

TEST(Access, OfAtomics) {
  EXPECT_EQ(access_of(main_function(kItems + R"(
    %v = OpAtomicLoad %uint %pa %one %zero
    OpAtomicStore %pb %one %zero %v
    %w = OpAtomicIAdd %uint %pc %one %zero %v)")),
            "a:read b:write c:read_write");
}

TEST(Access, ThroughSelect) {
  EXPECT_EQ(access_of(main_function(kItems + "%p = OpSelect %item %truth %pa %pb\nOpStore %p %one")),
            "a:write b:write c:none");
}

TEST(Access, ThroughPhi) {
  EXPECT_EQ(access_of(main_function(kItems + R"(
    OpSelectionMerge %end None
    OpBranchConditional %truth %left %end
    %left = OpLabel
    OpBranch %end
    %end = OpLabel
    %p = OpPhi %item %pa %entry %pb %left
    %v = OpLoad %uint %p
    OpStore %pc %v)")),
            "a:read b:read c:write");
}

TEST(Access, ThroughALoopOfPhis) {
  EXPECT_EQ(access_of(main_function(kItems + R"(
    OpBranch %head
    %head = OpLabel
    %p = OpPhi %item %pa %entry %q %next
    OpLoopMerge %end %next None
    OpBranchConditional %truth %next %end
    %next = OpLabel
    %q = OpSelect %item %truth %p %pb
    OpBranch %head
    %end = OpLabel
    OpStore %p %one)")),
            "a:write b:write c:none");
}

TEST(Access, ThroughCallsParametersAndReturns) {
  EXPECT_EQ(access_of(R"(
    %put = OpFunction %void None %take_fn
    %into = OpFunctionParameter %item
    %put_entry = OpLabel
    OpStore %into %one
    OpReturn
    OpFunctionEnd
    %pass = OpFunction %item None %give_fn
    %given = OpFunctionParameter %item
    %pass_entry = OpLabel
    OpReturnValue %given
    OpFunctionEnd
    )" + main_function(kItems + R"(
    %x = OpFunctionCall %void %put %pa
    %back = OpFunctionCall %item %pass %pb
    %v = OpLoad %uint %back)")),
            // Calls are not told apart: what one caller does with the result counts for all arguments.
            "a:write b:read c:none");
}

TEST(Access, OfAPointerThatIsStoredIsUnknown) {
  EXPECT_EQ(access_of("%main = OpFunction %void None %fn\n%entry = OpLabel\n%slot = OpVariable %holder Function\n" +
                      kItems + R"(
    OpStore %slot %pa
    %p = OpLoad %item %slot
    OpStore %p %one
    OpReturn
    OpFunctionEnd)"),
            "a:read_write b:none c:none");
}

TEST(Access, OfAPointerThatAVariableIsBornWithIsUnknown) {
  const std::string body = R"(
    %p = OpLoad %pointer %slot
    %q = OpAccessChain %item %p %zero %zero
    OpStore %q %one
    OpReturn
    OpFunctionEnd)";
  const std::string types = "%local = OpTypePointer Function %pointer\n%global = OpTypePointer Private %pointer\n";
  const std::string head = "%main = OpFunction %void None %fn\n%entry = OpLabel\n";
  EXPECT_EQ(access_of(types + head + "%slot = OpVariable %local Function %a\n" + body), "a:read_write");
  EXPECT_EQ(access_of(types + "%slot = OpVariable %global Private %b\n" + head + body), "b:read_write");
}

TEST(Access, CountsOnlyWhatTheEntryPointReaches) {
  EXPECT_EQ(access_of(R"(
    %unused = OpFunction %void None %fn
    %unused_entry = OpLabel
    %pu = OpAccessChain %item %c %zero %zero
    OpStore %pu %one
    OpReturn
    OpFunctionEnd
    )" + main_function("%p = OpAccessChain %item %a %zero %zero\n%v = OpLoad %uint %p")),
            "a:read");
}

}  // namespace
}  // namespace vyre::program
