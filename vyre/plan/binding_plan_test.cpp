#include <vyre/plan/binding_plan.hpp>

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
using testing::ElementsAre;
using testing::Pair;

constexpr backend::Limits kLimits{
    .max_storage_range = 1 << 20, .max_uniform_range = 1 << 10, .storage_alignment = 16, .uniform_alignment = 64};

Result<BindingPlan> plan_of(std::vector<Binding> bindings) {
  return plan_program_bindings({.bindings = std::move(bindings)}, kLimits);
}

Binding binding(std::uint32_t slot, std::string name, Access access) {
  return {.slot = slot, .name = std::move(name), .access = access, .stride = 4, .runtime_sized = true};
}

std::vector<BindingRole> roles_of(const BindingPlan& plan) {
  std::vector<BindingRole> roles;
  for (const PlannedBinding& each : plan.slots) roles.push_back(each.role);
  return roles;
}

TEST(BindingPlan, GivesRolesByAccess) {
  Binding uniform = binding(0, "u", Access::Read);
  uniform.set = 1;
  uniform.kind = BindingKind::UniformBuffer;
  const BindingPlan plan = plan_of({binding(0, "x", Access::Read), binding(1, "y", Access::Write),
                                    binding(2, "z", Access::ReadWrite), binding(3, "length", Access::None), uniform})
                               .value();
  EXPECT_THAT(roles_of(plan), ElementsAre(BindingRole::Input, BindingRole::Output, BindingRole::InputOutput,
                                          BindingRole::Input, BindingRole::Uniform));
  EXPECT_THAT(plan.writes, ElementsAre(false, true, true, false, false));
  EXPECT_FALSE(plan.slots[3].is_used);
}

TEST(BindingPlan, SaysWhichViewsCanBeBound) {
  Binding storage = binding(0, "values", Access::Read);
  storage.size = 32;
  Binding uniform = binding(1, "factors", Access::Read);
  uniform.kind = BindingKind::UniformBuffer;
  const BindingPlan plan = plan_of({storage, uniform}).value();
  EXPECT_TRUE(plan.slots[0].allows(16, 32));
  EXPECT_FALSE(plan.slots[0].allows(8, 32)) << "storage buffers begin at multiples of 16";
  EXPECT_FALSE(plan.slots[0].allows(16, 31)) << "the kernel needs 32 bytes";
  EXPECT_FALSE(plan.slots[0].allows(0, (1 << 20) + 1)) << "the device reaches no more";
  EXPECT_FALSE(plan.slots[1].allows(16, 32)) << "uniform buffers begin at multiples of 64";
  EXPECT_TRUE(plan.slots[1].allows(64, 1 << 10));
  EXPECT_FALSE(plan.slots[1].allows(0, (1 << 10) + 1));
}

TEST(BindingPlan, NoViewIsBoundWhereTheKernelNeedsNone) {
  Binding unneeded = binding(1, "scales", Access::None);
  unneeded.is_needed = false;
  const BindingPlan plan = plan_of({binding(0, "values", Access::ReadWrite), unneeded}).value();
  EXPECT_FALSE(plan.are_all_needed);
  EXPECT_TRUE(plan.slots[0].rule.is_needed);
  EXPECT_FALSE(plan.slots[1].rule.is_needed);
  EXPECT_FALSE(plan.slots[1].allows(0, 1 << 10));
  EXPECT_TRUE(plan.apart.empty());
}

TEST(BindingPlan, NamesWhatMayNotOverlap) {
  std::vector<Binding> bindings{binding(0, "a", Access::Read), binding(1, "b", Access::Read),
                                binding(2, "c", Access::Write), binding(3, "unused", Access::None)};
  EXPECT_THAT(plan_of(bindings).value().apart, ElementsAre(Pair(0, 2), Pair(1, 2)));
  bindings[0].aliased = bindings[2].aliased = true;
  EXPECT_THAT(plan_of(bindings).value().apart, ElementsAre(Pair(1, 2))) << "unless both are declared so";
}

TEST(BindingPlan, HasASlotForEachBufferOfAnArray) {
  Binding parts = binding(5, "parts", Access::Write);
  parts.set = 2;
  parts.count = 3;
  const BindingPlan plan = plan_of({parts}).value();
  ASSERT_EQ(plan.slots.size(), 3U);
  EXPECT_EQ(to_string(plan.slots[2].rule), "binding 5 of set 2 'parts' element 2");
  EXPECT_THAT(plan.apart, ElementsAre(Pair(0, 1), Pair(0, 2), Pair(1, 2)));
}

TEST(BindingPlan, RefusesBindingsThatCannotBe) {
  const auto refusal = [](std::vector<Binding> bindings) { return to_string(plan_of(std::move(bindings)).error()); };
  EXPECT_EQ(refusal({binding(1, "a", Access::Read), binding(1, "c", Access::Read)}),
            "error[invalid-argument]: binding 1 'c' stands after binding 1 'a', bindings are in the order of their "
            "slots, each with its own");
  Binding all = binding(4, "all", Access::Read);
  all.count = std::nullopt;
  EXPECT_EQ(refusal({all}), "error[unsupported]: binding 4 'all' is an array of buffers without a length");
  all.count = 1'000'000'000;
  EXPECT_EQ(refusal({all}), "error[unsupported]: the number of buffers is 1000000000, the limit is 1024");
}

TEST(BindingPlan, IsAValue) {
  EXPECT_EQ(plan_of({binding(0, "a", Access::Read)}).value(), plan_of({binding(0, "a", Access::Read)}).value());
  EXPECT_NE(plan_of({binding(0, "a", Access::Read)}).value(), plan_of({binding(0, "a", Access::Write)}).value());
}

}  // namespace
}  // namespace vyre::plan
