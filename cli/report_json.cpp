#include "cli/report_json.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/policy_json.hpp"

namespace vyre::cli {
namespace {

using nlohmann::json;

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

Result<json> field(const json& in, const char* name) {
  if (in.is_object() && in.contains(name)) return in[name];
  return invalid(fmt::format("there is no field '{}'", name));
}

Result<std::uint64_t> count(const json& in, const char* name) {
  VYRE_ASSIGN(const json value, field(in, name));
  if (!value.is_number_unsigned()) return invalid(fmt::format("the field '{}' is not a count", name));
  return value.get<std::uint64_t>();
}

Result<double> number(const json& in, const char* name) {
  VYRE_ASSIGN(const json value, field(in, name));
  if (!value.is_number()) return invalid(fmt::format("the field '{}' is not a number", name));
  return value.get<double>();
}

Result<json> array(const json& in, const char* name) {
  VYRE_ASSIGN(json value, field(in, name));
  if (!value.is_array()) return invalid(fmt::format("the field '{}' is not an array", name));
  return value;
}

Result<choice::Way> way(const json& in, const char* name) {
  VYRE_ASSIGN(const json value, field(in, name));
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  const auto found = std::ranges::find(choice::kAllWays, text, [](choice::Way each) { return to_string(each); });
  if (found == choice::kAllWays.end()) return invalid(fmt::format("the field '{}' is '{:.40}', not a way", name, text));
  return *found;
}

Result<report::GroupReport> parse_group(const json& in) {
  report::GroupReport group;
  VYRE_ASSIGN(const json name, field(in, "program"));
  group.program = name.is_string() ? name.get<std::string>() : "";
  VYRE_ASSIGN(const std::uint64_t groups, count(in, "groups"));
  VYRE_ASSIGN(const std::uint64_t dispatches, count(in, "dispatches"));
  VYRE_ASSIGN(const json facts, field(in, "facts"));
  VYRE_ASSIGN(group.facts, parse_dispatch_facts(facts.dump()));
  VYRE_ASSIGN(const std::uint64_t threshold, count(in, "bindless_threshold"));
  group.bindless_threshold = static_cast<std::uint32_t>(threshold);
  if (in.contains("kernel_ns") && in["kernel_ns"].is_object()) {
    for (const program::FormKind form : program::kAllForms) {
      const auto found = in["kernel_ns"].find(to_string(form));
      if (found == in["kernel_ns"].end()) continue;
      if (!found->is_number()) return invalid("a kernel's time is not a number");
      group.kernel_ns[static_cast<std::size_t>(form)] = found->get<double>();
    }
  }
  // Reports of earlier versions do not say how a time was learned.
  const json measured = in.value("kernel_is_measured", json::array());
  for (const program::FormKind form : program::kAllForms) {
    const bool is_timed = std::ranges::find(measured, json(to_string(form))) != measured.end();
    group.is_timed[static_cast<std::size_t>(form)] = is_timed;
  }
  if (in.contains("can_time") && in["can_time"].is_boolean()) group.can_time = in["can_time"].get<bool>();
  group.kind = {.count = static_cast<std::uint32_t>(dispatches),
                .groups = static_cast<std::uint32_t>(groups),
                .resources = group.facts.bindless.resource_count};
  return group;
}

Result<report::ShapeReport> parse_shape(const json& in) {
  report::ShapeReport shape;
  const auto take = [&](std::uint32_t& to, const char* name) -> Result<void> {
    VYRE_ASSIGN(const std::uint64_t value, count(in, name));
    to = static_cast<std::uint32_t>(value);
    return {};
  };
  VYRE_TRY(take(shape.dispatches, "dispatches"));
  VYRE_TRY(take(shape.barriers, "barriers"));
  VYRE_TRY(take(shape.copies, "copies"));
  VYRE_ASSIGN(shape.batches, count(in, "batches"));
  VYRE_ASSIGN(shape.trials, count(in, "trials"));
  VYRE_ASSIGN(shape.samples, count(in, "samples"));
  VYRE_ASSIGN(shape.proposed, way(in, "proposed"));
  VYRE_ASSIGN(shape.chosen, way(in, "chosen"));
  VYRE_ASSIGN(shape.total_ns, number(in, "total_ns"));
  VYRE_ASSIGN(shape.trial_cost_ns, number(in, "trial_cost_ns"));
  VYRE_ASSIGN(shape.baseline_ns, number(in, "baseline_ns"));
  VYRE_ASSIGN(shape.launching_ns, number(in, "launching_ns"));
  VYRE_ASSIGN(shape.forecast_saving_ns, number(in, "forecast_saving_ns"));
  VYRE_ASSIGN(shape.saving_deviation_ns, number(in, "saving_deviation_ns"));
  if (in.contains("measured_saving_ns") && in["measured_saving_ns"].is_number()) {
    shape.measured_saving_ns = in["measured_saving_ns"].get<double>();
  }
  VYRE_ASSIGN(const json groups, array(in, "groups"));
  for (const json& each : groups) {
    VYRE_ASSIGN(report::GroupReport group, parse_group(each));
    shape.groups.push_back(std::move(group));
  }
  VYRE_ASSIGN(const json ways, array(in, "ways"));
  for (const json& each : ways) {
    report::WayReport cost;
    VYRE_ASSIGN(cost.way, way(each, "way"));
    VYRE_ASSIGN(cost.forecast_ns, number(each, "forecast_ns"));
    VYRE_ASSIGN(cost.estimate_ns, number(each, "estimate_ns"));
    VYRE_ASSIGN(cost.deviation, number(each, "deviation"));
    VYRE_ASSIGN(cost.setup_ns, number(each, "setup_ns"));
    VYRE_ASSIGN(const std::uint64_t trials, count(each, "trials"));
    cost.trials = static_cast<std::uint32_t>(trials);
    cost.is_measured = each.contains("is_measured") && each["is_measured"] == true;
    VYRE_ASSIGN(cost.used_below_ns, number(each, "used_below_ns"));
    shape.ways.push_back(cost);
  }
  return shape;
}

}  // namespace

Result<std::vector<report::ShapeReport>> parse_shapes(std::string_view text) {
  const json root = json::parse(text, nullptr, false);
  if (root.is_discarded()) return invalid("it is not JSON");
  const bool is_job = root.is_object() && root.contains("report");
  VYRE_ASSIGN(const json shapes, array(is_job ? root["report"] : root, "shapes"));
  std::vector<report::ShapeReport> result;
  for (const json& each : shapes) {
    auto shape = parse_shape(each);
    if (!shape) return in_context(std::move(shape).error(), fmt::format("in shape {}", result.size() + 1));
    result.push_back(*std::move(shape));
  }
  return result;
}

}  // namespace vyre::cli
