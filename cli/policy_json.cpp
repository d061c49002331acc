#include "cli/policy_json.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include <vyre/base/u128.hpp>
#include <vyre/plan/graph_capture.hpp>

namespace vyre::cli {

namespace dom = simdjson::dom;

struct PolicyResponder::Parser {
  dom::parser json;
};

namespace {

static_assert(PolicyResponder::kPadding >= simdjson::SIMDJSON_PADDING);

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

std::string_view describe(dom::element value) {
  switch (value.type()) {
    case dom::element_type::ARRAY: return "an array";
    case dom::element_type::OBJECT: return "an object";
    case dom::element_type::INT64: return value.get_int64().value_unsafe() < 0 ? "a negative number" : "a number";
    case dom::element_type::UINT64: return "a number";
    case dom::element_type::DOUBLE: return "a number with a fraction or out of range";
    case dom::element_type::STRING: return "a string";
    case dom::element_type::BOOL: return "a boolean";
    case dom::element_type::NULL_VALUE: return "null";
  }
  return "nothing";
}

/// A JSON object and the path to it, for messages such as `in.graph.repeat_count is missing`.
class Fields {
 public:
  Fields(dom::object object, std::string path) : object_{object}, path_{std::move(path)} {}

  [[nodiscard]] Result<std::uint32_t> u32(std::string_view key) const {
    VYRE_ASSIGN(const dom::element value, at(key));
    return to_u32(value, key);
  }

  /// A number, or nothing where it is null or missing.
  [[nodiscard]] Result<std::optional<std::uint32_t>> optional_u32(std::string_view key) const {
    dom::element value;
    if (object_[key].get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
    return to_u32(value, key);
  }

  /// Nanoseconds: a decimal string of at most 64 bits.
  [[nodiscard]] Result<std::uint64_t> ns(std::string_view key) const {
    constexpr std::string_view kTakes = "a decimal from 0 to 18446744073709551615 in quotes";
    VYRE_ASSIGN(const dom::element element, at(key));
    std::string_view text;
    if (element.get(text) != simdjson::SUCCESS) return wrong_type(key, element, kTakes);
    const std::optional<std::uint64_t> value = parse_u64(text);
    if (!value) return refuse(key, fmt::format("is \"{:.40}\"", text), kTakes);
    return *value;
  }

  [[nodiscard]] Result<bool> boolean(std::string_view key) const {
    VYRE_ASSIGN(const dom::element value, at(key));
    bool result = false;
    if (value.get(result) != simdjson::SUCCESS) return wrong_type(key, value, "true or false");
    return result;
  }

  [[nodiscard]] Result<std::string_view> string(std::string_view key) const {
    VYRE_ASSIGN(const dom::element value, at(key));
    std::string_view result;
    if (value.get(result) != simdjson::SUCCESS) return wrong_type(key, value, "a string");
    return result;
  }

  [[nodiscard]] Result<policy::SlotSet> slots(std::string_view key) const {
    VYRE_ASSIGN(const dom::array values, array(key));
    std::vector<std::uint32_t> slots;
    slots.reserve(values.size());
    for (const dom::element value : values) {
      VYRE_ASSIGN(const std::uint32_t slot, to_u32(value, key));
      slots.push_back(slot);
    }
    return policy::SlotSet{std::span<const std::uint32_t>{slots}};
  }

  [[nodiscard]] Result<dom::array> array(std::string_view key) const {
    VYRE_ASSIGN(const dom::element value, at(key));
    dom::array result;
    if (value.get(result) != simdjson::SUCCESS) return wrong_type(key, value, "an array");
    return result;
  }

  [[nodiscard]] Result<Fields> nested(std::string_view key) const {
    VYRE_ASSIGN(const dom::element value, at(key));
    dom::object result;
    if (value.get(result) != simdjson::SUCCESS) return wrong_type(key, value, "an object");
    return Fields{result, name(key)};
  }

  [[nodiscard]] bool has(std::string_view key) const { return object_[key].error() == simdjson::SUCCESS; }

  /// `in.a is 7, it takes …`
  [[nodiscard]] std::unexpected<Error> refuse(std::string_view key, std::string_view got,
                                              std::string_view takes) const {
    return invalid(fmt::format("{} {}, it takes {}", name(key), got, takes));
  }

 private:
  [[nodiscard]] std::string name(std::string_view key) const {
    return path_.empty() ? std::string{key} : fmt::format("{}.{}", path_, key);
  }

  [[nodiscard]] Result<dom::element> at(std::string_view key) const {
    dom::element value;
    if (object_[key].get(value) != simdjson::SUCCESS) return invalid(name(key) + " is missing");
    return value;
  }

  [[nodiscard]] std::unexpected<Error> wrong_type(std::string_view key, dom::element value,
                                                  std::string_view takes) const {
    return refuse(key, fmt::format("is {}", describe(value)), takes);
  }

  [[nodiscard]] Result<std::uint32_t> to_u32(dom::element value, std::string_view key) const {
    constexpr std::string_view kRange = "a whole number from 0 to 4294967295";
    std::uint64_t number = 0;
    if (value.get(number) != simdjson::SUCCESS) return wrong_type(key, value, kRange);
    if (number > std::numeric_limits<std::uint32_t>::max()) return refuse(key, fmt::format("is {}", number), kRange);
    return static_cast<std::uint32_t>(number);
  }

  dom::object object_;
  std::string path_;
};

Result<policy::PersistentKernelInputs> read_persistent_kernel(const Fields& in) {
  policy::PersistentKernelInputs inputs;
  VYRE_ASSIGN(inputs.batch_size, in.u32("batch_size"));
  VYRE_ASSIGN(inputs.per_launch_overhead_ns, in.ns("per_launch_overhead_ns"));
  VYRE_ASSIGN(inputs.per_item_kernel_ns, in.ns("per_item_kernel_ns"));
  VYRE_ASSIGN(inputs.persistent_setup_overhead_ns, in.ns("persistent_setup_overhead_ns"));
  return inputs;
}

Result<policy::CommandReuseInputs> read_command_reuse(const Fields& in) {
  policy::CommandReuseInputs inputs;
  VYRE_ASSIGN(inputs.repeat_count, in.u32("repeat_count"));
  VYRE_ASSIGN(inputs.per_launch_overhead_ns, in.ns("per_launch_overhead_ns"));
  VYRE_ASSIGN(inputs.record_overhead_ns, in.ns("record_overhead_ns"));
  VYRE_ASSIGN(inputs.replay_overhead_ns, in.ns("replay_overhead_ns"));
  return inputs;
}

Result<policy::TraceJitInputs> read_trace_jit(const Fields& in) {
  policy::TraceJitInputs inputs;
  VYRE_ASSIGN(inputs.shader_hit_count, in.u32("shader_hit_count"));
  VYRE_ASSIGN(inputs.prediction_confidence_bps, in.u32("prediction_confidence_bps"));
  VYRE_ASSIGN(inputs.speculative_spec_cost_ns, in.ns("speculative_spec_cost_ns"));
  VYRE_ASSIGN(inputs.miss_cost_ns, in.ns("miss_cost_ns"));
  return inputs;
}

Result<policy::BindlessInputs> read_bindless(const Fields& in) {
  policy::BindlessInputs inputs;
  VYRE_ASSIGN(inputs.resource_count, in.u32("resource_count"));
  VYRE_ASSIGN(inputs.dynamic_indexing, in.boolean("dynamic_indexing"));
  VYRE_ASSIGN(const std::string_view support, in.string("support"));
  for (const auto kind :
       {policy::BindlessSupport::Full, policy::BindlessSupport::Static, policy::BindlessSupport::Unsupported}) {
    if (support == to_string(kind)) {
      inputs.support = kind;
      return inputs;
    }
  }
  return in.refuse("support", fmt::format("is \"{:.40}\"", support), "full, static or unsupported");
}

Result<policy::Arm> read_arm(const Fields& in, std::string_view key) {
  VYRE_ASSIGN(const Fields fields, in.nested(key));
  policy::Arm arm;
  VYRE_ASSIGN(arm.reads, fields.slots("reads"));
  VYRE_ASSIGN(arm.writes, fields.slots("writes"));
  return arm;
}

template <typename Read>
auto read_nested(const Fields& in, std::string_view key, Read read) -> decltype(read(in)) {
  VYRE_ASSIGN(const Fields fields, in.nested(key));
  return read(fields);
}

Result<policy::DispatchFacts> read_dispatch_facts(const Fields& in) {
  policy::DispatchFacts facts;
  VYRE_ASSIGN(facts.persistent, read_nested(in, "persistent", read_persistent_kernel));
  VYRE_ASSIGN(facts.arm_a, read_arm(in, "arm_a"));
  VYRE_ASSIGN(facts.arm_b, read_arm(in, "arm_b"));
  VYRE_ASSIGN(facts.copy_dst_slot, in.optional_u32("copy_dst_slot"));
  VYRE_ASSIGN(facts.graph, read_nested(in, "graph", read_command_reuse));
  VYRE_ASSIGN(facts.bindless, read_nested(in, "bindless", read_bindless));
  VYRE_ASSIGN(facts.trace_jit, read_nested(in, "trace_jit", read_trace_jit));
  return facts;
}

Result<plan::CaptureBinding> read_capture_binding(const Fields& in) {
  using plan::BindingRole;
  plan::CaptureBinding binding;
  VYRE_ASSIGN(binding.input_index, in.optional_u32("input_index"));
  VYRE_ASSIGN(binding.output_index, in.optional_u32("output_index"));
  VYRE_ASSIGN(const std::string_view name, in.string("role"));
  for (const auto role :
       {BindingRole::Input, BindingRole::Output, BindingRole::InputOutput, BindingRole::Uniform, BindingRole::Shared}) {
    if (name == to_string(role)) {
      binding.role = role;
      return binding;
    }
  }
  return in.refuse("role", fmt::format("is \"{:.40}\"", name), "input, output, input_output, uniform or shared");
}

Result<std::vector<plan::CaptureBinding>> read_capture_bindings(const Fields& in) {
  VYRE_ASSIGN(const dom::array values, in.array("bindings"));
  std::vector<plan::CaptureBinding> bindings;
  for (const dom::element value : values) {
    dom::object object;
    if (value.get(object) != simdjson::SUCCESS) {
      return in.refuse("bindings", fmt::format("has {}", describe(value)), "objects");
    }
    VYRE_ASSIGN(const plan::CaptureBinding binding, read_capture_binding(Fields{object, "in.bindings"}));
    bindings.push_back(binding);
  }
  return bindings;
}

void append_ns(std::string& out, std::string_view key, u128 ns) {
  out.append(",\"").append(key).append("\":\"").append(U128Text{ns}.view()).append("\"");
}

void append_decision(std::string& out, std::string_view name) {
  out.append("{\"decision\":\"").append(name).append("\"");
}

/// `"display"` as the vectors have it: the name, and the savings behind a colon if there are any.
void append_display(std::string& out, std::string_view name, u128 savings) {
  out.append(",\"display\":\"").append(name);
  if (savings != 0) out.append(":").append(U128Text{savings}.view());
  out.append("\"}");
}

void append(std::string& out, const policy::PersistentKernelDecision& decision) {
  const auto* persistent = std::get_if<policy::PersistentKernel>(&decision);
  append_decision(out, persistent != nullptr ? "persistent_kernel" : "standard_launches");
  if (persistent != nullptr) append_ns(out, "savings_ns", persistent->savings_ns);
  out.append("}");
}

void append(std::string& out, const policy::CommandReuseDecision& decision) {
  const auto* replay = std::get_if<policy::RecordAndReplay>(&decision);
  append_decision(out, replay != nullptr ? "record_and_replay" : "plain_launches");
  if (replay != nullptr) append_ns(out, "savings_ns", replay->savings_ns);
  append_display(out, replay != nullptr ? "record-and-replay" : "plain-launches",
                 replay != nullptr ? replay->savings_ns : 0);
}

void append(std::string& out, const policy::TraceJitDecision& decision) {
  const auto* speculate = std::get_if<policy::Speculate>(&decision);
  append_decision(out, speculate != nullptr ? "speculate" : "hold_steady");
  if (speculate != nullptr) append_ns(out, "expected_savings_ns", speculate->expected_savings_ns);
  append_display(out, speculate != nullptr ? "speculate" : "hold-steady",
                 speculate != nullptr ? speculate->expected_savings_ns : 0);
}

std::string_view conflict_name(policy::ArmConflict conflict) {
  switch (conflict) {
    case policy::ArmConflict::WriteWriteConflict: return "write_write_conflict";
    case policy::ArmConflict::ReadAfterWrite: return "read_after_write";
    case policy::ArmConflict::WriteAfterRead: return "write_after_read";
  }
  return "";
}

void append(std::string& out, const policy::ArmIndependence& decision) {
  const auto* serialize = std::get_if<policy::SerializeRequired>(&decision);
  append_decision(out, serialize != nullptr ? "serialize_required" : "independent");
  if (serialize != nullptr) out.append(",\"reason\":\"").append(conflict_name(serialize->reason)).append("\"");
  out.append("}");
}

void append(std::string& out, policy::CopyOverlap decision) {
  append_decision(out, to_string(decision));
  out.append("}");
}

void append(std::string& out, policy::BindlessDecision decision) {
  append_decision(out, decision == policy::BindlessDecision::Bindless ? "bindless" : "traditional_bindings");
  out.append("}");
}

std::string_view mode_name(policy::ExecutionMode mode) {
  switch (mode) {
    case policy::ExecutionMode::PlainLaunches: return "plain_launches";
    case policy::ExecutionMode::PersistentKernel: return "persistent_kernel";
    case policy::ExecutionMode::CommandReuse: return "command_reuse";
  }
  return "";
}

void append(std::string& out, const policy::PrimaryMode& primary) {
  append_decision(out, mode_name(primary.mode));
  if (primary.mode != policy::ExecutionMode::PlainLaunches) append_ns(out, "savings_ns", primary.savings_ns);
  out.append("}");
}

void append(std::string& out, const policy::AuditEvent& event) {
  fmt::format_to(std::back_inserter(out), R"({{"substrate":"{}","action":"{}","saved_ns":"{}","detail":"{}"}})",
                 to_string(event.substrate), to_string(event.action), U128Text{event.saved_ns}.view(),
                 to_string(event.detail));
}

void append(std::string& out, const plan::GraphCapturePlan& plan) {
  fmt::format_to(std::back_inserter(out),
                 R"({{"input_device_capacity":{},"output_device_capacity":{},"output_readback_capacity":{},)"
                 R"("kernel_pointer_capacity":{},"kernel_argument_capacity":{},"resident_input_replay_safe":{}}})",
                 plan.input_device_capacity, plan.output_device_capacity, plan.output_readback_capacity,
                 plan.kernel_pointer_capacity, plan.kernel_argument_capacity, plan.resident_input_replay_safe);
}

Result<void> answer_persistent_kernel(const Fields& in, std::string& out) {
  VYRE_ASSIGN(const policy::PersistentKernelInputs inputs, read_persistent_kernel(in));
  append(out, decide_persistent_kernel(inputs));
  return {};
}

Result<void> answer_command_reuse(const Fields& in, std::string& out) {
  VYRE_ASSIGN(const policy::CommandReuseInputs inputs, read_command_reuse(in));
  append(out, decide_command_reuse(inputs));
  return {};
}

Result<void> answer_trace_jit(const Fields& in, std::string& out) {
  VYRE_ASSIGN(const policy::TraceJitInputs inputs, read_trace_jit(in));
  append(out, decide_trace_jit_speculation(inputs));
  return {};
}

Result<void> answer_arm_independence(const Fields& in, std::string& out) {
  VYRE_ASSIGN(const policy::Arm a, read_arm(in, "a"));
  VYRE_ASSIGN(const policy::Arm b, read_arm(in, "b"));
  append(out, can_dispatch_concurrently(a, b));
  return {};
}

Result<void> answer_copy_overlap(const Fields& in, std::string& out) {
  VYRE_ASSIGN(const std::uint32_t slot, in.u32("copy_dst_slot"));
  VYRE_ASSIGN(const policy::Arm kernel, read_arm(in, "kernel"));
  append(out, policy::can_overlap_copy_with_kernel(slot, kernel));
  return {};
}

Result<void> answer_bindless(const Fields& in, std::string& out) {
  VYRE_ASSIGN(const policy::BindlessInputs inputs, read_bindless(in));
  append(out, decide_bindless(inputs));
  return {};
}

Result<void> answer_primary_mode(const Fields& in, std::string& out) {
  VYRE_ASSIGN(const auto persistent, read_nested(in, "persistent", read_persistent_kernel));
  VYRE_ASSIGN(const auto graph, read_nested(in, "graph", read_command_reuse));
  append(out, select_primary_execution_mode(decide_persistent_kernel(persistent), decide_command_reuse(graph)));
  return {};
}

Result<void> answer_dispatch_bundle(const Fields& in, std::string& out) {
  VYRE_ASSIGN(const policy::DispatchFacts facts, read_dispatch_facts(in));
  std::string events;
  const policy::DispatchPolicy answer =
      evaluate_dispatch_policy(facts, [&events](std::span<const policy::AuditEvent> recorded) {
        for (const policy::AuditEvent& event : recorded) {
          if (!events.empty()) events.append(",");
          append(events, event);
        }
      });
  append(out.append("{\"persistent\":"), answer.persistent);
  append(out.append(",\"arm_independence\":"), answer.arm_independence);
  out.append(",\"copy_overlap\":");
  answer.copy_overlap ? append(out, *answer.copy_overlap) : static_cast<void>(out.append("null"));
  append(out.append(",\"command_reuse\":"), answer.command_reuse);
  append(out.append(",\"bindless\":"), answer.bindless);
  append(out.append(",\"trace_jit\":"), answer.trace_jit);
  append(out.append(",\"primary_mode\":"), answer.primary_mode);
  out.append(",\"audit_events\":[").append(events).append("]}");
  return {};
}

Result<void> answer_graph_capture(const Fields& in, std::string& out) {
  VYRE_ASSIGN(const std::vector<plan::CaptureBinding> bindings, read_capture_bindings(in));
  VYRE_ASSIGN(const plan::GraphCapturePlan plan, plan::plan_graph_capture_bindings(bindings));
  append(out, plan);
  return {};
}

struct Policy {
  std::string_view name;
  Result<void> (*answer)(const Fields& in, std::string& out);
};

constexpr std::array kPolicies{
    Policy{"persistent_kernel", answer_persistent_kernel},
    Policy{"command_reuse", answer_command_reuse},
    Policy{"trace_jit", answer_trace_jit},
    Policy{"arm_independence", answer_arm_independence},
    Policy{"copy_overlap", answer_copy_overlap},
    Policy{"bindless", answer_bindless},
    Policy{"primary_mode", answer_primary_mode},
    Policy{"dispatch_bundle", answer_dispatch_bundle},
    Policy{"graph_capture", answer_graph_capture},
};

std::string policy_names() {
  std::string names;
  for (const Policy& policy : kPolicies) names.append(names.empty() ? "" : ", ").append(policy.name);
  return names;
}

Result<Fields> parse_object(dom::parser& parser, std::string_view padded_text) {
  dom::element root;
  const simdjson::error_code error = parser.parse(padded_text.data(), padded_text.size(), false).get(root);
  if (error != simdjson::SUCCESS) return invalid(fmt::format("this is no JSON: {}", simdjson::error_message(error)));
  dom::object object;
  if (root.get(object) != simdjson::SUCCESS) {
    return invalid(fmt::format("the line is {}, it takes an object", describe(root)));
  }
  return Fields{object, ""};
}

}  // namespace

PolicyResponder::PolicyResponder() : parser_{std::make_unique<Parser>()} {}
PolicyResponder::~PolicyResponder() = default;

Result<void> PolicyResponder::answer(std::string_view padded_line, std::string& out) {
  VYRE_ASSIGN(const Fields question, parse_object(parser_->json, padded_line));
  VYRE_ASSIGN(const std::string_view name, question.string("policy"));
  const auto* policy = std::ranges::find(kPolicies, name, &Policy::name);
  if (policy == kPolicies.end()) {
    return question.refuse("policy", fmt::format("is \"{:.40}\"", name), "one of " + policy_names());
  }
  VYRE_ASSIGN(const Fields in, question.nested("in"));
  const std::size_t before = out.size();
  out.append("{\"policy\":\"").append(name).append("\",\"out\":");
  if (Result<void> answered = policy->answer(in, out); !answered) {
    out.resize(before);
    return answered;
  }
  out.append("}\n");
  return {};
}

void append_error_line(std::string& out, const Error& error, std::uint64_t line) {
  out.append("{\"error\":{\"code\":\"").append(to_string(error.code)).append("\",\"message\":\"");
  for (const char c : error.message) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else {
      if (c == '"' || c == '\\') out.push_back('\\');
      out.push_back(c);
    }
  }
  fmt::format_to(std::back_inserter(out), "\",\"line\":{}}}}}\n", line);
}

Result<policy::DispatchFacts> parse_dispatch_facts(std::string_view json) {
  const simdjson::padded_string text{json};
  dom::parser parser;
  VYRE_ASSIGN(const Fields root, parse_object(parser, std::string_view{text}));
  if (!root.has("in")) return read_dispatch_facts(root);
  VYRE_ASSIGN(const Fields in, root.nested("in"));
  return read_dispatch_facts(in);
}

}  // namespace vyre::cli
