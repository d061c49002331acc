#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <vyre/program/forms/form.hpp>
#include <vyre/program/program.hpp>
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
    const auto program = program::Program::from_spirv(
        words, {.name = kernel.name, .target = GetParam().target, .scalar_layout = kernel.name == "scalar_layout"});
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

/// The oldest and the newest, which differ most; all of them where the environment asks for it.
std::vector<Variant> variants() {
  const std::vector<Variant> all = all_variants();
  return std::getenv("VYRE_ALL_VARIANTS") != nullptr ? all : std::vector{all.front(), all.back()};
}

INSTANTIATE_TEST_SUITE_P(Corpus, Derivation, testing::ValuesIn(variants()),
                         [](const auto& info) { return info.param.name(); });

}  // namespace
}  // namespace vyre::tests
