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
    case Way::Plain: return "each dispatch in a submission of its own";
    case Way::Batched: return "one list, recorded anew for each batch";
    case Way::Replay: return "one list, recorded once and replayed";
    case Way::Merged: return "alike dispatches in one launch, recorded anew";
    case Way::MergedReplay: return "alike dispatches in one launch, recorded once and replayed";
    case Way::Persistent: return "a few workgroups run alike dispatches, recorded anew";
    case Way::PersistentReplay: return "a few workgroups run alike dispatches, recorded once and replayed";
    case Way::Chain: return "one workgroup runs alike dispatches in order, recorded anew";
    case Way::ChainReplay: return "one workgroup runs alike dispatches in order, recorded once and replayed";
    case Way::Table: return "one list, recorded once, with other buffers and parameters in its table";
  }
  return "";
}

/// 90 % of a normal variable lie within so many standard deviations.
constexpr double kNinety = 1.645;

const WayReport* find(const ShapeReport& shape, Way way) {
  const auto found = std::ranges::find(shape.ways, way, &WayReport::way);
  return found == shape.ways.end() ? nullptr : &*found;
}

/// `This saves 280 ns of 1200 ns a batch …`
std::string saving_text(const ShapeReport& shape) {
  if (shape.chosen == Way::Batched) {
    return "  This is the baseline: every other launch mode is estimated to take longer, or not clearly less.\n";
  }
  if (!shape.measured_saving_ns) {
    return fmt::format("  The forecast is a saving of {} of {} a batch against recording anew; it is not measured.\n",
                       signed_time(shape.forecast_saving_ns), time(shape.baseline_ns));
  }
  const double saving = *shape.measured_saving_ns;
  const double off = kNinety * shape.saving_deviation_ns;
  const double share = shape.baseline_ns > 0 ? 100 * saving / shape.baseline_ns : 0;
  return fmt::format(
      "  This saves {} of {} a batch against recording anew ({:.0f} %), measured by trials: with 90 % certainty {} to "
      "{}; "
      "the forecast was {}.\n",
      signed_time(saving), time(shape.baseline_ns), share, signed_time(saving - off), signed_time(saving + off),
      signed_time(shape.forecast_saving_ns));
}

/// The mode that needs the least to replace the current one.
std::string alternative_text(const ShapeReport& shape) {
  const WayReport* nearest = nullptr;
  for (const WayReport& way : shape.ways) {
    if (way.used_below_ns <= 0) continue;
    const auto lack = [](const WayReport& each) { return each.estimate_ns / each.used_below_ns; };
    if (nearest == nullptr || lack(way) < lack(*nearest)) nearest = &way;
  }
  if (nearest == nullptr) return "";
  return fmt::format("  The nearest other mode is {}: {} {} a batch, and it would be used below {}.\n",
                     to_string(nearest->way), nearest->is_measured ? "measured at" : "forecast at",
                     time(nearest->estimate_ns), time(nearest->used_below_ns));
}

std::string kernels_text(const ShapeReport& shape) {
  const WayReport* current = find(shape, shape.chosen);
  if (current == nullptr) return "";
  std::string text = fmt::format("  A batch takes {} ({}); launching it is forecast to take {} of that.\n",
                                 time(current->estimate_ns), current->is_measured ? "measured" : "forecast",
                                 time(std::min(shape.launching_ns, current->estimate_ns)));
  for (const GroupReport& group : shape.groups) {
    text += fmt::format("  {} × {} of {}, {}", group.kind.groups, counted(group.kind.count, "dispatch", "dispatches"),
                        group.program.empty() ? "a program" : group.program,
                        counted(group.kind.resources, "buffer", "buffers"));
    std::string_view before = "; its kernel takes ";
    for (const FormKind form : program::kAllForms) {
      const std::optional<double>& ns = group.kernel_ns[static_cast<std::size_t>(form)];
      if (!ns) continue;
      const bool is_timed = group.is_timed[static_cast<std::size_t>(form)];
      text += fmt::format("{}{} ({}, {})", before, signed_time(*ns), to_string(form),
                          is_timed ? "measured" : "from whole batches");
      before = ", ";
    }
    const std::string_view unknown = group.can_time ? "; its kernel's time is unknown\n"
                                                    : "; its kernel's time is unknown: the device has no timestamps\n";
    text += before == ", " ? "\n" : unknown;
  }
  return text;
}

}  // namespace

std::string to_text(const ShapeReport& shape) {
  std::string text = fmt::format("{} of {}", counted(shape.batches, "batch", "batches"),
                                 counted(shape.dispatches, "dispatch", "dispatches"));
  if (shape.copies > 0) text += fmt::format(", {}", counted(shape.copies, "copy or fill", "copies and fills"));
  text += fmt::format(", {}\n", counted(shape.barriers, "barrier", "barriers"));
  text += fmt::format("  They are launched as {}: {}.\n", to_string(shape.chosen), describe(shape.chosen));
  if (shape.chosen != shape.proposed) {
    text += fmt::format("  The policies' verdict is {}; the current mode is kept until that is clearly faster.\n",
                        to_string(shape.proposed));
  }
  text += saving_text(shape);
  text += kernels_text(shape);
  text += alternative_text(shape);
  if (shape.total_ns > 0) {
    text += fmt::format("  {} cost {:.1f} % of the time.\n", counted(shape.trials, "trial", "trials"),
                        100 * shape.trial_cost_ns / shape.total_ns);
  }
  text += fmt::format("  {:<18} {:>11} {:>11} {:>7} {:>11} {:>7} {:>11}\n", "mode", "forecast", "estimate", "±", "once",
                      "trials", "used below");
  for (const WayReport& way : shape.ways) {
    const std::string off = way.way == shape.chosen ? "" : fmt::format("{:.0f} %", 100 * kNinety * way.deviation);
    text += fmt::format("{} {:<18} {:>11} {:>11} {:>6} {:>11} {:>7} {:>11}\n", way.way == shape.chosen ? " >" : "  ",
                        to_string(way.way), time(way.forecast_ns), time(way.estimate_ns), off, time(way.setup_ns),
                        way.trials, way.used_below_ns > 0 ? time(way.used_below_ns) : "-");
  }
  return text;
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
                     {"samples", shape.samples},
                     {"total_ns", shape.total_ns},
                     {"trial_cost_ns", shape.trial_cost_ns},
                     {"baseline_ns", shape.baseline_ns},
                     {"launching_ns", shape.launching_ns},
                     {"forecast_saving_ns", shape.forecast_saving_ns},
                     {"measured_saving_ns",
                      shape.measured_saving_ns ? ordered_json(*shape.measured_saving_ns) : ordered_json(nullptr)},
                     {"saving_deviation_ns", shape.saving_deviation_ns},
                     {"groups", ordered_json::array()},
                     {"ways", ordered_json::array()}};
  const auto digits = [](std::uint64_t ns) { return fmt::format("{}", ns); };
  for (const GroupReport& group : shape.groups) {
    const policy::DispatchFacts& facts = group.facts;
    ordered_json kernel = ordered_json::object();
    ordered_json measured = ordered_json::array();
    for (const FormKind form : program::kAllForms) {
      const std::optional<double>& ns = group.kernel_ns[static_cast<std::size_t>(form)];
      if (ns) kernel[to_string(form)] = *ns;
      if (ns && group.is_timed[static_cast<std::size_t>(form)]) measured.push_back(to_string(form));
    }
    value["groups"].push_back(
        {{"program", group.program},
         {"groups", group.kind.groups},
         {"dispatches", group.kind.count},
         {"size_class", group.kind.size_class},
         {"kernel_ns", kernel},
         {"kernel_is_measured", measured},
         {"can_time", group.can_time},
         {"bindless_threshold", group.bindless_threshold},
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
                             {"forecast_ns", way.forecast_ns},
                             {"estimate_ns", way.estimate_ns},
                             {"deviation", way.deviation},
                             {"setup_ns", way.setup_ns},
                             {"trials", way.trials},
                             {"is_measured", way.is_measured},
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
