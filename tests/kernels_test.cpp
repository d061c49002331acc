#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/program/glsl/compile.hpp>
#include <vyre/program/reflect.hpp>
#include <vyre/program/validate.hpp>

#include "tests/kernels/kernel_case.hpp"
#include "tests/kernels/precision.hpp"
#include "tests/support/corpus.hpp"
#include "tests/support/cross_oracle.hpp"
#include "tests/support/inlined_access.hpp"

// Every kernel of the corpus, in every way the compiler makes it: what is derived from it against what was written down
// by hand, against SPIRV-Cross, and its accesses against a second analysis.

namespace vyre::tests {
namespace {

using kernels::KernelCase;
using program::Binding;
using program::Interface;
using program::spirv::Module;

void expect_binding(const Binding& derived, const kernels::ExpectedBinding& expected, bool has_names) {
  SCOPED_TRACE(expected.name);
  EXPECT_EQ(derived.set, expected.set);
  EXPECT_EQ(derived.slot, expected.slot);
  if (has_names) {
    EXPECT_EQ(derived.name, expected.name);
  }
  EXPECT_EQ(derived.kind == program::BindingKind::UniformBuffer, expected.kind == kernels::Kind::UniformBuffer);
  EXPECT_EQ(to_string(derived.access), to_string(static_cast<program::Access>(expected.access)));
  EXPECT_EQ(derived.stride, expected.stride);
  EXPECT_EQ(derived.size, expected.size);
  EXPECT_EQ(derived.runtime_sized, expected.runtime_sized);
  EXPECT_EQ(derived.count, expected.count);
  ASSERT_EQ(derived.variables.size(), expected.variables.size());
  for (std::size_t i = 0; i < expected.variables.size(); ++i) {
    const program::BindingVariable& variable = derived.variables[i];
    if (has_names) {
      EXPECT_EQ(variable.name, expected.variables[i].name);
    }
    EXPECT_EQ(to_string(variable.access), to_string(static_cast<program::Access>(expected.variables[i].access)));
    EXPECT_EQ(variable.stride, expected.variables[i].stride);
    EXPECT_EQ(variable.size, expected.variables[i].size);
    EXPECT_EQ(variable.runtime_sized, expected.variables[i].runtime_sized);
  }
}

program::ScalarType to_scalar_type(const kernels::ExpectedSpecConstant& constant) {
  using enum program::ScalarKind;
  using enum kernels::ScalarType;
  if (constant.is_bool) return {.kind = Bool, .bits = 32};
  const std::map<kernels::ScalarType, program::ScalarType> types{
      {U8, {Uint, 8}},   {I8, {Int, 8}},   {U16, {Uint, 16}},  {I16, {Int, 16}},   {U32, {Uint, 32}}, {I32, {Int, 32}},
      {U64, {Uint, 64}}, {I64, {Int, 64}}, {F16, {Float, 16}}, {F32, {Float, 32}}, {F64, {Float, 64}}};
  return types.at(constant.type);
}

void expect_as_written_down(const KernelCase& kernel, const Interface& derived, bool optimised) {
  const bool has_names = !optimised;  // The optimiser strips names.
  const kernels::Expected& expected = kernel.expected;
  EXPECT_EQ(derived.entry_point, "main");
  EXPECT_EQ(derived.workgroup.size, expected.workgroup_size);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t id = derived.workgroup.spec_ids[i] ? std::int64_t{*derived.workgroup.spec_ids[i]} : -1;
    EXPECT_EQ(id, expected.workgroup_spec_ids[i]);
  }
  ASSERT_EQ(derived.bindings.size(), expected.bindings.size());
  for (std::size_t i = 0; i < expected.bindings.size(); ++i) {
    expect_binding(derived.bindings[i], expected.bindings[i], has_names);
  }
  ASSERT_EQ(derived.push_constants.has_value(), expected.push_constant_size != 0);
  if (derived.push_constants) {
    EXPECT_EQ(derived.push_constants->size, expected.push_constant_size);
    ASSERT_EQ(derived.push_constants->members.size(), expected.push_constants.size());
    for (std::size_t i = 0; i < expected.push_constants.size(); ++i) {
      const program::Member& member = derived.push_constants->members[i];
      if (has_names) {
        EXPECT_EQ(member.name, expected.push_constants[i].name);
      }
      EXPECT_EQ(member.offset, expected.push_constants[i].offset);
      EXPECT_EQ(member.size, expected.push_constants[i].size);
    }
  }
  ASSERT_EQ(derived.spec_constants.size(), expected.spec_constants.size());
  for (std::size_t i = 0; i < expected.spec_constants.size(); ++i) {
    const program::SpecConstant& constant = derived.spec_constants[i];
    EXPECT_EQ(constant.id, expected.spec_constants[i].id);
    if (has_names) {
      EXPECT_EQ(constant.name, expected.spec_constants[i].name);
    }
    EXPECT_EQ(constant.type, to_scalar_type(expected.spec_constants[i]));
    EXPECT_EQ(constant.default_bits, expected.spec_constants[i].default_bits);
  }
  EXPECT_EQ(derived.shared_bytes, expected.shared_bytes);
  EXPECT_EQ(derived.uses_barriers, expected.barriers);
  EXPECT_EQ(derived.uses_atomics, expected.atomics);
  EXPECT_THAT(derived.unsupported, testing::IsEmpty());
  if (optimised) return;  // Loops are counted as they were written.
  const auto bounded =
      std::ranges::count_if(derived.loops, [](const auto& loop) { return loop.max_trips.has_value(); });
  EXPECT_EQ(bounded, expected.bounded_loops);
  EXPECT_EQ(std::ssize(derived.loops) - bounded, expected.unbounded_loops);
}

void expect_no_less_access(const std::vector<std::uint32_t>& words, const Interface& derived) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, program::Access> reported;
  for (const Binding& binding : derived.bindings) reported[{binding.set, binding.slot}] = binding.access;
  for (const auto& [place, least] : inlined_access(words)) {
    EXPECT_EQ(to_string(reported[place] | least), to_string(reported[place])) << place.first << "." << place.second;
  }
}

class Kernels : public testing::TestWithParam<Variant> {};

TEST_P(Kernels, AreReadAsTheyAre) {
  for (const KernelCase& kernel : kernels::all_kernels()) {
    SCOPED_TRACE(kernel.name);
    const std::vector<std::uint32_t> words = compile_kernel(kernel.name, GetParam());
    const auto valid = program::validate(words, {.target = GetParam().target});
    ASSERT_TRUE(valid.has_value()) << to_string(valid.error());
    using enum program::BlockLayout;
    EXPECT_EQ(to_string(*valid), to_string(kernel.name.starts_with("scalar_") ? Scalar
                                           : kernel.name == "uniform_std430"  ? UniformStandard
                                                                              : Standard));
    const Result<Module> module = Module::read(words);
    ASSERT_TRUE(module.has_value()) << to_string(module.error());
    EXPECT_EQ(module->write(), words);
    const Result<Interface> interface = program::reflect(*module);
    ASSERT_TRUE(interface.has_value()) << to_string(interface.error());
    expect_as_written_down(kernel, *interface, GetParam().optimise);
    expect_same_as_spirv_cross(words, *interface);
    expect_no_less_access(words, *interface);
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, Kernels, testing::ValuesIn(chosen_variants()),
                         [](const auto& info) { return info.param.name(); });

TEST(Corpus, HasEnoughKernelsAndEveryFileIsOne) {
  std::vector<std::string> names;
  for (const KernelCase& kernel : kernels::all_kernels()) names.push_back(kernel.name);
  EXPECT_GE(names.size(), 60U);
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator{VYRE_SOURCE_DIR "/tests/kernels"}) {
    if (entry.path().extension() == ".comp") files.push_back(entry.path().stem());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAreArray(files));
}

/// How many floats lie between a number and the ends of what is permitted for it.
std::pair<double, double> room(const kernels::Bounded& result) {
  const auto at = static_cast<float>(result.exact());
  const double step = double{std::nextafter(at, INFINITY)} - double{at};
  return {(result.exact() - result.bounds().least) / step, (result.bounds().greatest - result.exact()) / step};
}

TEST(Precision, SumsAndProductsAreEitherNeighbour) {
  using kernels::Bounded;
  const Bounded exact = Bounded{1.5F} + 2.25F;
  EXPECT_EQ(exact.bounds().least, 3.75);
  EXPECT_EQ(exact.bounds().greatest, 3.75);
  const Bounded between = Bounded{1.0F} + 0x1p-25F;
  EXPECT_EQ(between.greatest(), 1 + 0x1p-23);
  EXPECT_EQ(between.least(), 1);
  const Bounded less = Bounded{1.0F} - between;
  EXPECT_EQ(less.least(), -0x1p-23);
  EXPECT_EQ(less.greatest(), 0);
}

TEST(Precision, FunctionsHaveTheBoundsOfTheSpecification) {
  using kernels::Bounded;
  using testing::DoubleNear;
  using testing::Pair;
  const auto both = [](double ulps) { return Pair(DoubleNear(ulps, 0.01), DoubleNear(ulps, 0.01)); };
  EXPECT_THAT(room(Bounded{5.0F} / 4.0F), both(2.5));
  EXPECT_THAT(room(exp(Bounded{1.0F})), both(5));
  EXPECT_THAT(room(exp(Bounded{-3.0F})), both(9));
  EXPECT_THAT(room(log(Bounded{6.0F})), both(3));
  EXPECT_EQ(log(Bounded{1.0F}).bounds().greatest, 0x1p-21);
  EXPECT_EQ(sin(Bounded{0.0F}).bounds().greatest, 0x1p-11);
  EXPECT_EQ(cos(Bounded{0.0F}).bounds().least, 1 - 0x1p-11);
  // 2 of the inverse and 2.5 of the division, and what the first becomes in the second.
  EXPECT_GE(room(sqrt(Bounded{4.0F})).first, 3.5);
  EXPECT_LE(room(sqrt(Bounded{4.0F})).first, 8);
  // log2(8) is off by 3 × 2⁻²², twice that by 6 × 2⁻²². As a power of two this is 6 × 2⁻²² × ln 2 × 64, or 12 ln 2 ulps
  // of 2⁻¹⁷, to which come 3 + 2 × 6.
  EXPECT_NEAR(room(pow(Bounded{8.0F}, 2.0F)).second, 15 + 12 * std::numbers::ln2, 0.01);
}

}  // namespace
}  // namespace vyre::tests
