#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <vyre/base/u128.hpp>
#include <vyre/plan/graph_capture.hpp>
#include <vyre/policy/dispatch_policy.hpp>

// Every line of every file of tests/vectors through the library.

namespace vyre {
namespace {

using nlohmann::json;

std::uint64_t ns(const json& in, const char* key) { return parse_u64(in.at(key).get<std::string>()).value(); }

policy::PersistentKernelInputs to_persistent(const json& in) {
  return {.batch_size = in.at("batch_size"),
          .per_launch_overhead_ns = ns(in, "per_launch_overhead_ns"),
          .per_item_kernel_ns = ns(in, "per_item_kernel_ns"),
          .persistent_setup_overhead_ns = ns(in, "persistent_setup_overhead_ns")};
}

policy::CommandReuseInputs to_reuse(const json& in) {
  return {.repeat_count = in.at("repeat_count"),
          .per_launch_overhead_ns = ns(in, "per_launch_overhead_ns"),
          .record_overhead_ns = ns(in, "record_overhead_ns"),
          .replay_overhead_ns = ns(in, "replay_overhead_ns")};
}

policy::TraceJitInputs to_jit(const json& in) {
  return {.shader_hit_count = in.at("shader_hit_count"),
          .prediction_confidence_bps = in.at("prediction_confidence_bps"),
          .speculative_spec_cost_ns = ns(in, "speculative_spec_cost_ns"),
          .miss_cost_ns = ns(in, "miss_cost_ns")};
}

policy::BindlessInputs to_bindless(const json& in) {
  const std::map<std::string, policy::BindlessSupport> support{{"full", policy::BindlessSupport::Full},
                                                               {"static", policy::BindlessSupport::Static},
                                                               {"unsupported", policy::BindlessSupport::Unsupported}};
  return {.resource_count = in.at("resource_count"),
          .support = support.at(in.at("support")),
          .dynamic_indexing = in.at("dynamic_indexing")};
}

policy::Arm to_arm(const json& in) {
  const auto slots = [](const json& list) {
    return policy::SlotSet{std::span<const std::uint32_t>{list.get<std::vector<std::uint32_t>>()}};
  };
  return {.reads = slots(in.at("reads")), .writes = slots(in.at("writes"))};
}

json out(const policy::PersistentKernelDecision& decision) {
  if (const auto* persistent = std::get_if<policy::PersistentKernel>(&decision)) {
    return {{"decision", "persistent_kernel"}, {"savings_ns", to_decimal(persistent->savings_ns)}};
  }
  return {{"decision", "standard_launches"}};
}

json out(const policy::CommandReuseDecision& decision) {
  json result{{"decision", "plain_launches"}, {"display", to_string(decision)}};
  if (const auto* replay = std::get_if<policy::RecordAndReplay>(&decision)) {
    result["decision"] = "record_and_replay";
    result["savings_ns"] = to_decimal(replay->savings_ns);
  }
  return result;
}

json out(const policy::TraceJitDecision& decision) {
  json result{{"decision", "hold_steady"}, {"display", to_string(decision)}};
  if (const auto* speculate = std::get_if<policy::Speculate>(&decision)) {
    result["decision"] = "speculate";
    result["expected_savings_ns"] = to_decimal(speculate->expected_savings_ns);
  }
  return result;
}

json out(const policy::ArmIndependence& decision) {
  if (const auto* serialize = std::get_if<policy::SerializeRequired>(&decision)) {
    std::string reason{to_string(serialize->reason)};
    std::ranges::replace(reason, '-', '_');
    return {{"decision", "serialize_required"}, {"reason", reason}};
  }
  return {{"decision", "independent"}};
}

json out(policy::CopyOverlap decision) { return {{"decision", to_string(decision)}}; }

json out(policy::BindlessDecision decision) {
  return {{"decision", decision == policy::BindlessDecision::Bindless ? "bindless" : "traditional_bindings"}};
}

json out(const policy::PrimaryMode& primary) {
  std::string mode{to_string(primary.mode)};
  std::ranges::replace(mode, '-', '_');
  json result{{"decision", mode}};
  if (primary.mode != policy::ExecutionMode::PlainLaunches) result["savings_ns"] = to_decimal(primary.savings_ns);
  return result;
}

json bundle(const json& in) {
  json events = json::array();
  const policy::DispatchPolicy answer = policy::evaluate_dispatch_policy(
      {.persistent = to_persistent(in.at("persistent")),
       .graph = to_reuse(in.at("graph")),
       .trace_jit = to_jit(in.at("trace_jit")),
       .bindless = to_bindless(in.at("bindless")),
       .copy_dst_slot =
           in.at("copy_dst_slot").is_null() ? std::nullopt : std::optional<std::uint32_t>{in.at("copy_dst_slot")},
       .arm_a = to_arm(in.at("arm_a")),
       .arm_b = to_arm(in.at("arm_b"))},
      [&events](std::span<const policy::AuditEvent> recorded) {
        for (const policy::AuditEvent& event : recorded) {
          events.push_back({{"substrate", to_string(event.substrate)},
                            {"action", to_string(event.action)},
                            {"saved_ns", to_decimal(event.saved_ns)},
                            {"detail", to_string(event.detail)}});
        }
      });
  return {{"persistent", out(answer.persistent)},
          {"arm_independence", out(answer.arm_independence)},
          {"copy_overlap", answer.copy_overlap ? out(*answer.copy_overlap) : json(nullptr)},
          {"command_reuse", out(answer.command_reuse)},
          {"bindless", out(answer.bindless)},
          {"trace_jit", out(answer.trace_jit)},
          {"primary_mode", out(answer.primary_mode)},
          {"audit_events", events}};
}

json capture(const json& in) {
  const std::map<std::string, plan::BindingRole> roles{{"input", plan::BindingRole::Input},
                                                       {"output", plan::BindingRole::Output},
                                                       {"input_output", plan::BindingRole::InputOutput},
                                                       {"shared", plan::BindingRole::Shared}};
  const auto index = [](const json& value) {
    return value.is_null() ? std::nullopt : std::optional<std::uint32_t>{value};
  };
  std::vector<plan::CaptureBinding> bindings;
  for (const json& binding : in.at("bindings")) {
    bindings.push_back({.role = roles.at(binding.at("role")),
                        .input_index = index(binding.at("input_index")),
                        .output_index = index(binding.at("output_index"))});
  }
  const plan::GraphCapturePlan plan = plan::plan_graph_capture_bindings(bindings).value();
  return {{"input_device_capacity", plan.input_device_capacity},
          {"output_device_capacity", plan.output_device_capacity},
          {"output_readback_capacity", plan.output_readback_capacity},
          {"kernel_pointer_capacity", plan.kernel_pointer_capacity},
          {"kernel_argument_capacity", plan.kernel_argument_capacity},
          {"resident_input_replay_safe", plan.resident_input_replay_safe}};
}

const std::map<std::string, std::function<json(const json&)>> kPolicies{
    {"persistent_kernel", [](const json& in) { return out(decide_persistent_kernel(to_persistent(in))); }},
    {"command_reuse", [](const json& in) { return out(decide_command_reuse(to_reuse(in))); }},
    {"trace_jit", [](const json& in) { return out(decide_trace_jit_speculation(to_jit(in))); }},
    {"arm_independence",
     [](const json& in) { return out(can_dispatch_concurrently(to_arm(in.at("a")), to_arm(in.at("b")))); }},
    {"copy_overlap",
     [](const json& in) {
       return out(policy::can_overlap_copy_with_kernel(in.at("copy_dst_slot"), to_arm(in.at("kernel"))));
     }},
    {"bindless", [](const json& in) { return out(decide_bindless(to_bindless(in))); }},
    {"primary_mode",
     [](const json& in) {
       return out(select_primary_execution_mode(decide_persistent_kernel(to_persistent(in.at("persistent"))),
                                                decide_command_reuse(to_reuse(in.at("graph")))));
     }},
    {"dispatch_bundle", bundle},
    {"graph_capture", capture},
};

class Vectors : public testing::TestWithParam<std::string> {};

TEST_P(Vectors, EveryLineGivesExactlyItsAnswer) {
  std::ifstream file{std::filesystem::path{VYRE_SOURCE_DIR} / "tests/vectors" / (GetParam() + ".jsonl")};
  ASSERT_TRUE(file.is_open());
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    const json vector = json::parse(line);
    ASSERT_EQ(vector.at("policy"), GetParam());
    EXPECT_EQ(kPolicies.at(GetParam())(vector.at("in")), vector.at("out")) << "line " << lines + 1;
  }
  EXPECT_EQ(lines, 150);
}

INSTANTIATE_TEST_SUITE_P(AllPolicies, Vectors,
                         testing::Values("persistent_kernel", "command_reuse", "trace_jit", "arm_independence",
                                         "copy_overlap", "bindless", "primary_mode", "dispatch_bundle",
                                         "graph_capture"),
                         [](const auto& info) { return info.param; });

TEST(VectorFiles, NoFileIsLeftOut) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator{VYRE_SOURCE_DIR "/tests/vectors"}) {
    if (entry.path().extension() != ".jsonl") continue;
    EXPECT_TRUE(kPolicies.contains(entry.path().stem())) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, kPolicies.size());
}

}  // namespace
}  // namespace vyre
