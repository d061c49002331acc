#include <vyre/plan/program_bindings.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::plan {
namespace {

using program::Access;
using program::Binding;
using program::BindingKind;
using program::Interface;

Interface with(std::vector<Binding> bindings) { return {.bindings = std::move(bindings)}; }

TEST(ProgramBindings, GiveRolesByAccess) {
  const BindingPlan plan =
      plan_program_bindings(
          with({{.slot = 0, .name = "x", .access = Access::Read, .stride = 4, .runtime_sized = true},
                {.slot = 1, .name = "y", .access = Access::Write, .stride = 8, .runtime_sized = true},
                {.slot = 2, .name = "z", .access = Access::ReadWrite, .size = 100},
                {.slot = 3, .name = "length", .access = Access::None, .stride = 4, .runtime_sized = true},
                {.set = 1,
                 .slot = 0,
                 .name = "u",
                 .kind = BindingKind::UniformBuffer,
                 .access = Access::Read,
                 .size = 64}}))
          .value();
  const auto role = [&](std::uint32_t slot, std::uint32_t set = 0) { return plan.find(slot, set)->declared.role; };
  EXPECT_EQ(role(0), BindingRole::Input);
  EXPECT_EQ(role(1), BindingRole::Output);
  EXPECT_EQ(role(2), BindingRole::InputOutput);
  EXPECT_EQ(role(3), BindingRole::Input);
  EXPECT_EQ(role(0, 1), BindingRole::Uniform);
  EXPECT_EQ(plan.input_count(), 4U);
  EXPECT_EQ(plan.output_count(), 2U);
}

TEST(ProgramBindings, KnowWhatBytesHold) {
  const BindingPlan plan =
      plan_program_bindings(
          with({{.slot = 0, .name = "counted", .access = Access::Read, .size = 16, .stride = 12, .runtime_sized = true},
                {.slot = 1,
                 .name = "table",
                 .access = Access::Read,
                 .size = 256,
                 .stride = 4,
                 .members = {{.name = "t", .size = 256, .array_stride = 4}}},
                {.slot = 2, .name = "record", .access = Access::Write, .size = 40}}))
          .value();
  EXPECT_EQ(plan.element_count(0, {.bytes = 16 + 3 * 12}).value(), 3U);
  EXPECT_EQ(plan.element_count(1, {.bytes = 256}).value(), 64U);
  EXPECT_EQ(plan.element_count(2, {.bytes = 40}).value(), 1U);
  EXPECT_EQ(plan.element_count(0, {.bytes = 20}).error().message,
            "binding 0 'counted' needs 16 bytes and at least one element of 12 bytes, the host gives 20");
  EXPECT_EQ(plan.element_count(0, {.bytes = 30}).error().message,
            "binding 0 'counted' needs 16 bytes and a multiple of 12 bytes, the host gives 30");
  EXPECT_EQ(plan.element_count(1, {.bytes = 255}).error().message,
            "binding 1 'table' needs exactly 256 bytes, the host gives 255");
}

TEST(ProgramBindings, HaveOneForEachBufferOfAnArray) {
  const BindingPlan plan = plan_program_bindings(with({{.set = 2,
                                                        .slot = 5,
                                                        .name = "parts",
                                                        .access = Access::Read,
                                                        .stride = 4,
                                                        .runtime_sized = true,
                                                        .count = 3}}))
                               .value();
  ASSERT_EQ(plan.bindings().size(), 3U);
  EXPECT_EQ(plan.bindings()[2].declared.array_index, 2U);
  EXPECT_EQ(plan.bindings()[2].input_index, 2U);
  EXPECT_EQ(BindingPlan::element_count(plan.bindings()[2], {.bytes = 2}).error().message,
            "binding 2.5[2] 'parts' needs at least one element of 4 bytes, the host gives 2");
}

TEST(ProgramBindings, CountTheElementsOfTheWidestVariable) {
  const std::vector<program::Member> words{{.name = "words", .type = "uint[]", .array_stride = 4}};
  const BindingPlan plan =
      plan_program_bindings(
          with({{.slot = 0,
                 .name = "first",
                 .access = Access::ReadWrite,
                 .size = 16,
                 .stride = 4,
                 .runtime_sized = true,
                 .members = words,
                 .variables = {{.name = "first", .size = 16},
                               {.name = "words", .stride = 4, .runtime_sized = true, .members = words}}}}))
          .value();
  EXPECT_EQ(plan.bindings()[0].declared.role, BindingRole::InputOutput);
  EXPECT_EQ(plan.element_count(0, {.bytes = 64}).value(), 16U);
}

TEST(ProgramBindings, RefuseWhatCannotBeBound) {
  EXPECT_EQ(plan_program_bindings(with({{.slot = 4, .name = "empty", .size = 0}})).error().message,
            "binding 4 'empty' has elements of 0 bytes, it needs 1 to 4294967295");
  EXPECT_EQ(plan_program_bindings(with({{.slot = 4, .name = "all", .size = 4, .count = std::nullopt}})).error().message,
            "binding 4 'all' is an array of buffers without a length, it needs one");
  EXPECT_EQ(
      plan_program_bindings(with({{.slot = 4, .name = "many", .size = 4, .count = 1'000'000'000}})).error().message,
      "binding 4 'many' is an array of 1000000000 buffers, it needs 1 to 65536");
  EXPECT_EQ(plan_program_bindings(with({{.slot = 4, .name = "no", .size = 4, .count = 0}})).error().message,
            "binding 4 'no' is an array of 0 buffers, it needs 1 to 65536");
}

}  // namespace
}  // namespace vyre::plan
