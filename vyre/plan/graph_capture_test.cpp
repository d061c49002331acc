#include <vyre/plan/graph_capture.hpp>

#include <vector>

#include <gtest/gtest.h>

namespace vyre::plan {
namespace {

const std::vector<CaptureBinding> kBindings{
    {.role = BindingRole::Input, .input_index = 0, .output_index = {}},
    {.role = BindingRole::Shared, .input_index = 5, .output_index = 5},
    {.role = BindingRole::Output, .input_index = {}, .output_index = 0},
    {.role = BindingRole::InputOutput, .input_index = 1, .output_index = 1},
};

TEST(GraphCapture, CountsEachTable) {
  EXPECT_EQ(plan_graph_capture_bindings(kBindings).value(), (GraphCapturePlan{.input_device_capacity = 2,
                                                                              .output_device_capacity = 1,
                                                                              .output_readback_capacity = 2,
                                                                              .kernel_pointer_capacity = 3,
                                                                              .kernel_argument_capacity = 4,
                                                                              .resident_input_replay_safe = false}));
}

TEST(GraphCapture, NamesTheTableThatOverflows) {
  EXPECT_TRUE(plan_graph_capture_bindings(kBindings, 4).has_value());
  const auto message = [](std::uint32_t limit) {
    return plan_graph_capture_bindings(kBindings, limit).error().message;
  };
  EXPECT_EQ(message(3), "kernel argument table needs 3 + 1 entries, the limit is 3; record a smaller graph");
  const std::vector<CaptureBinding> inputs(2, {.role = BindingRole::Input, .input_index = 0, .output_index = {}});
  EXPECT_EQ(plan_graph_capture_bindings(inputs, 1).error().message,
            "kernel argument table needs 1 + 1 entries, the limit is 1; record a smaller graph");
  EXPECT_EQ(plan_graph_capture_bindings(inputs, 0).error().code, ErrorCode::InvalidArgument);
}

TEST(GraphCapture, TakesTheBindingsOfAPlan) {
  const program::Interface interface{
      .bindings = {{.slot = 0, .name = "x", .access = program::Access::Read, .size = 4},
                   {.slot = 1, .name = "y", .access = program::Access::Write, .size = 4}}};
  const BindingPlan plan = plan_program_bindings(interface, {}).value();
  const GraphCapturePlan capture = plan_graph_capture_bindings(plan).value();
  EXPECT_EQ(capture.input_device_capacity, 1U);
  EXPECT_EQ(capture.output_readback_capacity, 1U);
  EXPECT_EQ(capture.kernel_argument_capacity, 3U);
  EXPECT_TRUE(capture.resident_input_replay_safe);
}

}  // namespace
}  // namespace vyre::plan
