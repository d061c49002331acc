#include <vyre/report/choice_report.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vyre/report/choice_json.hpp>
#include <vyre/report/wording.hpp>

namespace vyre::report {
namespace {

using choice::Way;
using nlohmann::ordered_json;
using program::FormKind;

std::string time(double ns) { return duration(static_cast<std::uint64_t>(std::llround(std::max(ns, 0.0)))); }

std::string signed_time(double ns) { return (ns < 0 ? "-" : "") + time(std::abs(ns)); }

ordered_json to_value(const choice::Line& line) { return {{"fixed_ns", line.fixed_ns}, {"slope_ns", line.slope_ns}}; }

constexpr std::string_view describe(Way way) {
  switch (way) {
    case Way::Plain: return "a submission for each dispatch";
    case Way::Batched: return "one list, made anew";
    case Way::Replay: return "a list that was kept";
    case Way::Merged: return "one launch of all, made anew";
    case Way::MergedReplay: return "one launch of all, kept";
    case Way::Persistent: return "a few workgroups for all, made anew";
    case Way::PersistentReplay: return "a few workgroups for all, kept";
    case Way::Chain: return "one workgroup for all in order, made anew";
    case Way::ChainReplay: return "one workgroup for all in order, kept";
    case Way::Table: return "a list that was kept, with another table";
  }
  return "";
}

}  // namespace

std::string to_text(const ShapeReport& shape) {
  std::string text = fmt::format("{} of {}", counted(shape.batches, "batch", "batches"),
                                 counted(shape.dispatches, "dispatch", "dispatches"));
  if (shape.copies > 0) text += fmt::format(", {}", counted(shape.copies, "copy or fill", "copies and fills"));
  text += fmt::format(", {}: {}", counted(shape.barriers, "barrier", "barriers"), to_string(shape.chosen));
  if (shape.chosen != shape.proposed) text += fmt::format(" (the policies propose {})", to_string(shape.proposed));
  text += "\n";
  for (const GroupReport& group : shape.groups) {
    text += fmt::format("  {} × {} of {}, {} buffers", group.kind.groups,
                        counted(group.kind.count, "dispatch", "dispatches"),
                        group.program.empty() ? "a program" : group.program, group.kind.resources);
    std::string_view before = "; its kernel takes ";
    for (const FormKind form : program::kAllForms) {
      const std::optional<double>& ns = group.kernel_ns[static_cast<std::size_t>(form)];
      if (!ns) continue;
      text += fmt::format("{}{} ({})", before, signed_time(*ns), to_string(form));
      before = ", ";
    }
    text += "\n";
  }
  text += fmt::format("  {:<20} {:>12} {:>12} {:>12} {:>8} {:>12}\n", "way", "predicted", "measured", "once", "samples",
                      "used below");
  bool is_any_scaled = false;
  for (const WayReport& way : shape.ways) {
    const bool is_scaled = way.samples > 0 && way.scaled != 1;
    is_any_scaled |= is_scaled;
    text += fmt::format("{} {:<20} {:>12} {:>12} {:>12} {:>8} {:>12}\n", way.way == shape.chosen ? " >" : "  ",
                        to_string(way.way), time(way.predicted_ns),
                        way.samples == 0 ? std::string{"-"} : (is_scaled ? "~" : "") + time(way.observed_ns),
                        time(way.setup_ns), way.samples, way.used_below_ns > 0 ? time(way.used_below_ns) : "-");
  }
  text += "  predicted as of the last decision; measured is the lower quartile of the last nine";
  text += is_any_scaled ? ", ~ scaled since as what is used was\n" : "\n";
  const bool is_kernel_unknown = std::ranges::any_of(
      shape.groups, [](const GroupReport& group) { return group.facts.persistent.per_item_kernel_ns == 0; });
  if (is_kernel_unknown) text += "  kernels of which nothing more was known then count as one that does nothing\n";
  text +=
      fmt::format("  saves over a list made anew, by medians: {} as decided, ", signed_time(shape.predicted_saving_ns));
  text += shape.measured_saving_ns     ? fmt::format("{} measured", signed_time(*shape.measured_saving_ns))
          : shape.is_baseline_measured ? std::string{"not measured yet"}
                                       : std::string{"not measured: the list made anew was not tried yet"};
  if (shape.total_ns > 0)
    text +=
        fmt::format("\n  {}, {} of them disturbed, in {:.1f} % of the time", counted(shape.trials, "trial", "trials"),
                    shape.disturbed, 100 * shape.tried_ns / shape.total_ns);
  return text + "\n";
}

ordered_json to_value(const ShapeReport& shape) {
  ordered_json value{{"shape", fmt::format("{:016x}", shape.key)},
                     {"batches", shape.batches},
                     {"dispatches", shape.dispatches},
                     {"barriers", shape.barriers},
                     {"copies", shape.copies},
                     {"proposed", to_string(shape.proposed)},
                     {"chosen", to_string(shape.chosen)},
                     {"trials", shape.trials},
                     {"disturbed_trials", shape.disturbed},
                     {"total_ns", shape.total_ns},
                     {"tried_ns", shape.tried_ns},
                     {"baseline_ns", shape.baseline_ns},
                     {"predicted_saving_ns", shape.predicted_saving_ns},
                     {"measured_saving_ns",
                      shape.measured_saving_ns ? ordered_json(*shape.measured_saving_ns) : ordered_json(nullptr)},
                     {"is_baseline_measured", shape.is_baseline_measured},
                     {"bindless_threshold", shape.bindless_threshold},
                     {"groups", ordered_json::array()},
                     {"ways", ordered_json::array()}};
  const auto digits = [](std::uint64_t ns) { return fmt::format("{}", ns); };
  for (const GroupReport& group : shape.groups) {
    const policy::DispatchFacts& facts = group.facts;
    ordered_json kernel = ordered_json::object();
    for (const FormKind form : program::kAllForms) {
      const std::optional<double>& ns = group.kernel_ns[static_cast<std::size_t>(form)];
      if (ns) kernel[to_string(form)] = *ns;
    }
    value["groups"].push_back(
        {{"program", group.program},
         {"groups", group.kind.groups},
         {"dispatches", group.kind.count},
         {"size_class", group.kind.size_class},
         {"kernel_ns", kernel},
         {"facts",
          {{"persistent",
            {{"batch_size", facts.persistent.batch_size},
             {"per_launch_overhead_ns", digits(facts.persistent.per_launch_overhead_ns)},
             {"per_item_kernel_ns", digits(facts.persistent.per_item_kernel_ns)},
             {"persistent_setup_overhead_ns", digits(facts.persistent.persistent_setup_overhead_ns)}}},
           {"graph",
            {{"repeat_count", facts.graph.repeat_count},
             {"per_launch_overhead_ns", digits(facts.graph.per_launch_overhead_ns)},
             {"record_overhead_ns", digits(facts.graph.record_overhead_ns)},
             {"replay_overhead_ns", digits(facts.graph.replay_overhead_ns)}}},
           {"bindless",
            {{"resource_count", facts.bindless.resource_count},
             {"support", to_string(facts.bindless.support)},
             {"dynamic_indexing", facts.bindless.dynamic_indexing}}},
           {"trace_jit",
            {{"shader_hit_count", facts.trace_jit.shader_hit_count},
             {"prediction_confidence_bps", facts.trace_jit.prediction_confidence_bps},
             {"speculative_spec_cost_ns", digits(facts.trace_jit.speculative_spec_cost_ns)},
             {"miss_cost_ns", digits(facts.trace_jit.miss_cost_ns)}}},
           // Groups are of dispatches that touch nothing in common: the planner has seen to it.
           {"arm_a", {{"reads", ordered_json::array()}, {"writes", ordered_json::array()}}},
           {"arm_b", {{"reads", ordered_json::array()}, {"writes", ordered_json::array()}}},
           {"copy_dst_slot", nullptr}}}});
  }
  for (const WayReport& way : shape.ways) {
    value["ways"].push_back({{"way", to_string(way.way)},
                             {"predicted_ns", way.predicted_ns},
                             {"setup_ns", way.setup_ns},
                             {"observed_ns", way.observed_ns},
                             {"scaled", way.scaled},
                             {"samples", way.samples},
                             {"used_below_ns", way.used_below_ns}});
  }
  return value;
}

std::string to_json(const ShapeReport& shape) { return to_value(shape).dump(); }

std::string to_text(const choice::Calibration& calibration) {
  std::string text = fmt::format("{}\nmeasured in {}: {} samples, {} dropped\n\n", calibration.device,
                                 duration(calibration.took_ns), calibration.samples, calibration.dropped);
  text += fmt::format("{:<20} {:>12} {:>14}   {}\n", "way", "fixed", "per dispatch", "");
  const auto row = [&](std::string_view name, const choice::Line& line, std::string_view what) {
    text += fmt::format("{:<20} {:>12} {:>14}   {}\n", name, time(line.fixed_ns), time(line.slope_ns), what);
  };
  for (const Way way : choice::kAllWays) {
    if (calibration.way(way) != choice::Line{}) row(to_string(way), calibration.way(way), describe(way));
  }
  row("record", calibration.record, "keeping a list");
  text += fmt::format("\nbarrier {}, copy {} and {} per MiB, a small kernel compiles in {}\n",
                      time(calibration.barrier_ns), time(calibration.copy.fixed_ns),
                      time(calibration.copy.slope_ns * 1024 * 1024), time(calibration.compile_ns));
  text += fmt::format("\n{:<12} {:>12} {:>12} {:>12}\n", "form", "one group", "many", "compiling");
  for (const FormKind form : program::kAllForms) {
    if (!calibration.has(form)) {
      text += fmt::format("{:<12} not on this device\n", to_string(form));
      continue;
    }
    const choice::FormRatios& ratios = calibration.form(form);
    text += fmt::format("{:<12} {:>10.2f} x {:>10.2f} x {:>10.2f} x\n", to_string(form), ratios.narrow, ratios.wide,
                        ratios.compile);
  }
  text +=
      fmt::format("\nbindings {} + {} per buffer, a table {} + {}: ", time(calibration.bound.fixed_ns),
                  time(calibration.bound.slope_ns), time(calibration.table.fixed_ns), time(calibration.table.slope_ns));
  if (!calibration.bindless_crossover) return text + "no table on this device\n";
  // Where it is never less, it is for those that cannot be bound.
  const std::uint32_t from = *calibration.bindless_crossover;
  const bool is_less = calibration.table.at(from) < 0.9 * calibration.bound.at(from);
  return text +
         (is_less
              ? fmt::format("a table takes a tenth less from {} buffers on\n", from)
              : fmt::format("a table takes a tenth less for none of up to {} buffers, which is all that can be bound\n",
                            from - 1));
}

std::string to_json(const choice::Calibration& calibration) {
  ordered_json value{{"device", calibration.device},   {"signature", calibration.signature},
                     {"took_ns", calibration.took_ns}, {"samples", calibration.samples},
                     {"dropped", calibration.dropped}, {"ways", ordered_json::object()}};
  for (const Way way : choice::kAllWays) {
    if (calibration.way(way) != choice::Line{}) value["ways"][to_string(way)] = to_value(calibration.way(way));
  }
  value["record"] = to_value(calibration.record);
  value["copy_by_bytes"] = to_value(calibration.copy);
  value["barrier_ns"] = calibration.barrier_ns;
  value["compile_ns"] = calibration.compile_ns;
  value["forms"] = ordered_json::object();
  for (const FormKind form : program::kAllForms) {
    if (!calibration.has(form)) continue;
    const choice::FormRatios& ratios = calibration.form(form);
    value["forms"][to_string(form)] = {{"narrow", ratios.narrow}, {"wide", ratios.wide}, {"compile", ratios.compile}};
  }
  value["bound_by_buffers"] = to_value(calibration.bound);
  value["table_by_buffers"] = to_value(calibration.table);
  value["bindless_crossover"] =
      calibration.bindless_crossover ? ordered_json(*calibration.bindless_crossover) : ordered_json(nullptr);
  return value.dump(2);
}

}  // namespace vyre::report
