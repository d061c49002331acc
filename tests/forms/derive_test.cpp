#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <vyre/program/forms/form.hpp>
#include <vyre/program/program.hpp>
#include <vyre/program/spirv/module.hpp>
#include "tests/kernels/kernel_case.hpp"
#include "tests/support/corpus.hpp"

// Every kernel of the corpus in every form, as modules: derived or refused with a reason, and valid.

namespace vyre::tests {
namespace {

using program::FormKind;
using program::FormOptions;

/// With all that a device can ask for, and with nothing.
std::vector<FormOptions> all_options() {
  return {{.robust = true,
           .fold = 8,
           .lanes = 8,
           .pairs = true,
           .quirks = {.component_loads = true, .float_operands = true, .values_of_loops = true}},
          {.robust = false}};
}

class Derivation : public testing::TestWithParam<Variant> {};

TEST_P(Derivation, GivesEveryKernelEveryForm) {
  for (const kernels::KernelCase& kernel : kernels::all_kernels()) {
    SCOPED_TRACE(kernel.name);
    const std::vector<std::uint32_t> words = compile_kernel(kernel.name, GetParam());
    const auto program = program::Program::from_spirv(words, {.name = kernel.name, .target = GetParam().target});
    ASSERT_TRUE(program) << to_string(program.error());
    std::vector<program::spirv::SpecOverride> values;
    for (const kernels::SpecValue& value : kernel.spec_values) values.push_back({value.id, value.bits});
    for (const FormOptions& options : all_options()) {
      for (const FormKind kind : {FormKind::Pointer, FormKind::Merged, FormKind::Persistent, FormKind::Chain}) {
        const auto form = derive_form(*program, kind, options, values);
        EXPECT_TRUE(form) << to_string(form.error());
        if (!form) continue;
        EXPECT_TRUE(form->interface.bindings.empty());
        EXPECT_EQ(form->interface.push_constants->size, sizeof(program::Root));
      }
    }
  }
}

/// What a form says of memory.
struct Says {
  bool coherent = false;
  bool read_only = false;
  bool restricted = false;
  std::optional<std::uint32_t> barrier = {};  ///< The scope that it waits for.
};

Says what_it_says(const program::Form& form) {
  const auto module = program::spirv::Module::read(form.words);
  Says says;
  std::map<std::uint32_t, std::uint32_t> constants;
  for (std::size_t i = 0; i < module->size(); ++i) {
    const program::spirv::Instruction each = (*module)[i];
    if (each.op() == spv::OpConstant) constants[each.result()] = each.operand(0);
    if (each.op() == spv::OpControlBarrier) says.barrier = constants[each.operand(0)];
    if (each.op() != spv::OpMemberDecorate) continue;
    says.coherent |= each.operand(2) == spv::DecorationCoherent;
    says.read_only |= each.operand(2) == spv::DecorationNonWritable;
    says.restricted |= each.operand(2) == spv::DecorationRestrict;
  }
  return says;
}

TEST(ChainForm, OrdersWhatItsDispatchesReadAndWrite) {
  // Drivers that run one invocation after another would not show it.
  const auto program = program::Program::from_glsl(R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
void main() { y[gl_GlobalInvocationID.x] = x[gl_GlobalInvocationID.x ^ 1u]; }
)",
                                                   {.name = "neighbours"});
  ASSERT_TRUE(program);
  const Says one = what_it_says(derive_form(*program, FormKind::Chain, {}).value());
  EXPECT_TRUE(one.coherent);
  EXPECT_FALSE(one.read_only);
  EXPECT_EQ(one.barrier, spv::ScopeWorkgroup);
  // Folded into a subgroup that is all there, it need not wait for others.
  EXPECT_EQ(what_it_says(derive_form(*program, FormKind::Chain, {.fold = 8, .lanes = 8}).value()).barrier,
            spv::ScopeSubgroup);
  EXPECT_EQ(what_it_says(derive_form(*program, FormKind::Chain, {.fold = 8}).value()).barrier, spv::ScopeWorkgroup);
  // Nor may it promise that buffers do not alias: those of one dispatch are the next one's.
  const auto promising = program::Program::from_glsl(R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer X { float x[]; };
layout(binding = 1) restrict writeonly buffer Y { float y[]; };
void main() { y[gl_GlobalInvocationID.x] = x[gl_GlobalInvocationID.x ^ 1u]; }
)",
                                                     {.name = "promising"});
  ASSERT_TRUE(promising);
  EXPECT_FALSE(what_it_says(derive_form(*promising, FormKind::Chain, {}).value()).restricted);
  // Items that do not depend on each other need none of it.
  const Says apart = what_it_says(derive_form(*program, FormKind::Persistent, {}).value());
  EXPECT_FALSE(apart.coherent);
  EXPECT_TRUE(apart.read_only);
  EXPECT_FALSE(apart.barrier);
}

TEST(ChainForm, MarksEachAccessUnderTheVulkanMemoryModel) {
  const auto program = program::Program::from_glsl(R"(#version 450
#pragma use_vulkan_memory_model
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { vec2 y[]; };
void main() { y[gl_GlobalInvocationID.x].y += x[gl_GlobalInvocationID.x ^ 1u]; }
)",
                                                   {.name = "model"});
  ASSERT_TRUE(program) << to_string(program.error());
  for (const FormKind kind : {FormKind::Chain, FormKind::Persistent}) {
    for (const FormOptions& options : all_options()) {
      const program::Form form = derive_form(*program, kind, options).value();
      const auto module = program::spirv::Module::read(form.words).value();
      const program::spirv::Function* entry = nullptr;
      std::map<std::uint32_t, std::uint32_t> constants;
      int accesses = 0;
      for (std::size_t i = 0; i < module.size(); ++i) {
        const program::spirv::Instruction each = module[i];
        if (each.op() == spv::OpEntryPoint) entry = module.function(each.operand(1));
        if (each.op() == spv::OpConstant) constants[each.result()] = each.operand(0);
        EXPECT_FALSE(each.op() == spv::OpMemberDecorate && each.operand(2) == spv::DecorationCoherent);
        if (each.op() == spv::OpControlBarrier) {
          constexpr std::uint32_t kBoth = 0x6000;  // Makes available, and visible.
          EXPECT_EQ(constants[each.operand(2)] & kBoth, kBoth);
        }
        const bool is_load = each.op() == spv::OpLoad;
        if (!is_load && each.op() != spv::OpStore) continue;
        // The launcher reads records, which no dispatch writes.
        if (entry == nullptr || (i >= entry->begin && i < entry->end)) continue;
        const auto pointer = module.definition(module.type_of(each.operand(0)));
        if (pointer->operand(0) != spv::StorageClassPhysicalStorageBuffer) continue;
        ++accesses;
        EXPECT_EQ((each.operand(is_load ? 1 : 2) & spv::MemoryAccessNonPrivatePointerMask) != 0,
                  kind == FormKind::Chain);
      }
      EXPECT_GE(accesses, 3);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, Derivation, testing::ValuesIn(chosen_variants()),
                         [](const auto& info) { return info.param.name(); });

}  // namespace
}  // namespace vyre::tests
