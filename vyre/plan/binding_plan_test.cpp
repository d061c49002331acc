#include <vyre/plan/binding_plan.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::plan {
namespace {

using testing::ElementsAre;

BindingPlan make(const std::vector<BindingDeclaration>& declarations) {
  return BindingPlan::make(declarations).value();
}

std::string refusal(const std::vector<BindingDeclaration>& declarations) {
  return to_string(BindingPlan::make(declarations).error());
}

BindingPlan weights_and_result() {
  return make({{.slot = 3, .name = "weights", .role = BindingRole::Input, .count = 256},
               {.slot = 1, .name = "result", .role = BindingRole::Output, .element_size = 12, .alignment = 16},
               {.slot = 0, .name = "state", .role = BindingRole::InputOutput, .count = 8},
               {.slot = 9, .name = "scratch", .role = BindingRole::Shared, .count = 64},
               {.slot = 2, .name = "scale", .role = BindingRole::Uniform, .element_size = 16, .count = 1}});
}

TEST(BindingPlan, SortsBySlotAndCountsInTheOrderOfDeclaration) {
  std::vector<std::string> names;
  std::vector<std::optional<std::uint32_t>> inputs;
  std::vector<std::optional<std::uint32_t>> outputs;
  const BindingPlan plan = weights_and_result();
  for (const PlannedBinding& binding : plan.bindings()) {
    names.push_back(binding.declared.name);
    inputs.push_back(binding.input_index);
    outputs.push_back(binding.output_index);
  }
  EXPECT_THAT(names, ElementsAre("state", "result", "scale", "weights", "scratch"));
  EXPECT_THAT(inputs, ElementsAre(1, std::nullopt, 2, 0, std::nullopt));
  EXPECT_THAT(outputs, ElementsAre(1, 0, std::nullopt, std::nullopt, std::nullopt));
  EXPECT_EQ(plan.input_count(), 3U);
  EXPECT_EQ(plan.output_count(), 2U);
  EXPECT_EQ(plan.find(3)->byte_length, 1024U);
  EXPECT_EQ(plan.find(1)->byte_length, std::nullopt);
  EXPECT_EQ(plan.find(4), nullptr);
}

TEST(BindingPlan, RefusesDeclarationsThatCannotBe) {
  EXPECT_EQ(refusal({{.slot = 1, .name = "a"}, {.slot = 0, .name = "b"}, {.slot = 1, .name = "c"}}),
            "error[invalid-argument]: binding 1 'c' has the slot of binding 1 'a', every binding needs its own");
  EXPECT_EQ(refusal({{.slot = 1, .name = "a", .element_size = 0}}),
            "error[invalid-argument]: binding 1 'a' has elements of 0 bytes, it needs at least 1");
  EXPECT_EQ(refusal({{.slot = 1, .name = "a", .alignment = 12}}),
            "error[invalid-argument]: binding 1 'a' has alignment 12, it needs a power of two");
  EXPECT_EQ(refusal({{.slot = 1, .name = "a", .element_size = 2, .count = std::numeric_limits<std::uint64_t>::max()}}),
            "error[invalid-argument]: binding 1 'a' has 18446744073709551615 elements of 2 bytes, the limit is "
            "18446744073709551615 bytes");
}

TEST(BindingPlan, HostBytesAreExactAndResidentBytesSuffice) {
  const BindingPlan plan = weights_and_result();
  const auto host = [&](std::uint32_t slot, std::uint64_t bytes) { return plan.element_count(slot, {.bytes = bytes}); };
  const auto resident = [&](std::uint32_t slot, std::uint64_t bytes, std::uint64_t offset = 0) {
    return plan.element_count(slot, {.place = Offer::Place::Resident, .bytes = bytes, .offset = offset});
  };
  EXPECT_EQ(host(3, 1024).value(), 256U);
  EXPECT_EQ(resident(3, 4096).value(), 256U);
  EXPECT_EQ(host(1, 36).value(), 3U);
  EXPECT_EQ(resident(1, 40, 32).value(), 3U);

  EXPECT_EQ(host(3, 1025).error().message, "binding 3 'weights' needs exactly 1024 bytes, the host gives 1025");
  EXPECT_EQ(resident(3, 1023).error().message, "binding 3 'weights' needs at least 1024 bytes, the view has 1023");
  EXPECT_EQ(host(1, 40).error().message, "binding 1 'result' needs a multiple of 12 bytes, the host gives 40");
  EXPECT_EQ(host(1, 0).error().message, "binding 1 'result' needs at least one element of 12 bytes, the host gives 0");
  EXPECT_EQ(resident(1, 11).error().message,
            "binding 1 'result' needs at least one element of 12 bytes, the view has 11");
  EXPECT_EQ(resident(1, 48, 8).error().message,
            "binding 1 'result' needs an offset that is a multiple of 16, the view starts at 8");
  EXPECT_EQ(host(9, 256).error().message, "binding 9 'scratch' is shared memory, the host cannot give it");
  EXPECT_EQ(host(7, 4).error().message, "there is no binding 7, the plan has 5");
}

TEST(BindingPlan, CountsAllInputsByTheirIndex) {
  const BindingPlan plan = weights_and_result();
  EXPECT_THAT(plan.input_element_counts(std::vector<Offer>{{.bytes = 1024}, {.bytes = 32}, {.bytes = 16}}).value(),
              ElementsAre(256, 8, 1));
  EXPECT_EQ(plan.input_element_counts(std::vector<Offer>{{.bytes = 1024}}).error().message,
            "the plan needs 3 inputs, the host gives 1");
  EXPECT_EQ(
      plan.input_element_counts(std::vector<Offer>{{.bytes = 1024}, {.bytes = 31}, {.bytes = 16}}).error().message,
      "binding 0 'state' needs exactly 32 bytes, the host gives 31");
}

TEST(BindingPlan, IsAValue) {
  EXPECT_EQ(weights_and_result(), weights_and_result());
  EXPECT_NE(weights_and_result(), make({{.slot = 3}}));
}

}  // namespace
}  // namespace vyre::plan
