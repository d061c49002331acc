#include "cli/job/job_result.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vyre/report/wording.hpp>

namespace vyre::cli::job {
namespace {

using nlohmann::ordered_json;
using report::counted;
using report::duration;

std::string line(std::string_view what, std::string_view text) { return fmt::format("  {:<9} {}\n", what, text); }

std::string launched(const report::RunReport& report) {
  std::string text = counted(report.dispatches, "dispatch", "dispatches");
  if (report.copies > 0) text.append(", ").append(counted(report.copies, "copy", "copies"));
  if (report.fills > 0) text.append(", ").append(counted(report.fills, "fill", "fills"));
  text += fmt::format(" in {} and {}", counted(report.waves, "wave", "waves"),
                      counted(report.submissions, "submission", "submissions"));
  if (report.replays > 0) text += fmt::format(", {} of them replayed", report.replays);
  return text;
}

/// A line for each shape for which the tuner chose a launch mode.
std::string chosen(const report::RunReport& report) {
  std::string text;
  for (const auto& each : report.shapes) {
    const report::ShapeReport& shape = *each;
    text += fmt::format("    {} for {}", to_string(shape.chosen), counted(shape.dispatches, "dispatch", "dispatches"));
    const auto saving = [](double ns) {
      return fmt::format("{}{}", ns < 0 ? "-" : "", duration(static_cast<std::uint64_t>(std::abs(ns))));
    };
    if (shape.chosen != choice::Way::Batched) {
      text += shape.measured_saving_ns
                  ? fmt::format(": saves {} a batch against recording anew (measured; the forecast was {})",
                                saving(*shape.measured_saving_ns), saving(shape.forecast_saving_ns))
                  : fmt::format(": the forecast is a saving of {} a batch against recording anew (not measured)",
                                saving(shape.forecast_saving_ns));
    }
    text += "\n";
  }
  return text;
}

std::string times(const ModeResult& mode) {
  if (mode.ns.size() == 1) return duration(mode.first_ns());
  return fmt::format("{} at first, {} in the middle of {} runs", duration(mode.first_ns()), duration(mode.median_ns()),
                     mode.ns.size());
}

/// The printed elements, a line for each row of the array.
std::string elements(const OutputResult& output) {
  const std::uint64_t row = output.shape.size() < 2 ? output.printed.size() : output.shape.back();
  std::string text;
  for (std::size_t i = 0; i < output.printed.size(); ++i) {
    text += i % std::max<std::uint64_t>(row, 1) == 0 ? (i == 0 ? "    " : "\n    ") : ", ";
    text += output.printed[i];
  }
  return text + (output.is_cut ? ", …\n" : "\n");
}

std::string verification(const std::vector<ModeResult>& modes) {
  std::string text = fmt::format("  {:<10} {:>10}  {:>8}  {:>11}  {}\n", "mode", "time", "of plain", "submissions",
                                 "compared with plain");
  for (const ModeResult& each : modes) {
    const double ratio = static_cast<double>(each.median_ns()) /
                         static_cast<double>(std::max<std::uint64_t>(modes.front().median_ns(), 1));
    const bool is_plain = each.mode == runtime::LaunchMode::Plain;
    text += fmt::format("  {:<10} {:>10}  {:>8.2f}  {:>11}  {}\n", to_string(each.mode), duration(each.median_ns()),
                        ratio, each.submissions,
                        is_plain                  ? ""
                        : each.difference.empty() ? "the same"
                                                  : fmt::format("differs: {}", each.difference));
  }
  return text;
}

ordered_json to_json(const ModeResult& mode) {
  return {{"mode", to_string(mode.mode)},  {"runs", mode.ns.size()},          {"first_ns", mode.first_ns()},
          {"median_ns", mode.median_ns()}, {"submissions", mode.submissions}, {"replays", mode.replays}};
}

/// An element as a JSON number if JSON has it, otherwise as text (infinities, NaN, complex numbers).
ordered_json element_json(const std::string& text) {
  ordered_json number = ordered_json::parse(text, nullptr, false);
  return number.is_number() ? number : ordered_json(text);
}

}  // namespace

std::uint64_t ModeResult::median_ns() const {
  std::vector<std::uint64_t> sorted = ns;
  std::ranges::sort(sorted);
  return sorted[sorted.size() / 2];
}

bool JobResult::has_passed() const noexcept {
  return std::ranges::all_of(checks, &CheckResult::has_passed) &&
         std::ranges::all_of(verified, [](const ModeResult& each) { return each.difference.empty(); });
}

std::string to_text(const JobResult& result) {
  const std::string configuration = result.configuration.empty() ? "" : fmt::format(", {}", result.configuration);
  std::string text = fmt::format("{}: on {}{}, mode {}\n", result.job, result.report.device, configuration,
                                 to_string(result.mode.mode));
  text += line("launched", launched(result.report));
  for (const report::ProgramReport& each : result.report.programs) {
    if (each.dispatches == 0) continue;
    const bool is_as_written = each.form == program::FormKind::Descriptor;
    text += fmt::format("    {}: {} ({} plain, {} batched, {} replayed){}, {}\n", each.program,
                        counted(each.dispatches, "dispatch", "dispatches"), each.plain, each.batched, each.replayed,
                        is_as_written ? "" : fmt::format(" in the {} form", to_string(each.form)), each.reason);
    if (!each.in_place.empty()) text += fmt::format("      buffers overlap: {} are declared aliased\n", each.in_place);
    if (!each.form_refused.empty()) text += fmt::format("      another form was not possible: {}\n", each.form_refused);
  }
  if (!result.report.shapes.empty()) text += line("chosen", "by what was measured") + chosen(result.report);
  text += line("time", times(result.mode));
  if (result.report.calibration_ns > 0) {
    text += line("", fmt::format("besides, the device was measured, in {}", duration(result.report.calibration_ns)));
  }
  for (const OutputResult& each : result.outputs) {
    const std::string what = describe(each.type, each.shape);
    if (!each.path.empty()) {
      text += line("wrote", fmt::format("{}: {}, {}", each.path, each.buffer, what));
    } else {
      text += line("printed", fmt::format("{}, {}", each.buffer, what)) + elements(each);
    }
  }
  for (const CheckResult& each : result.checks) {
    const char* relation = each.is_close ? "close to" : "equal to";
    text += line("check", each.has_passed() ? fmt::format("{} is {} {}", each.buffer, relation, each.path)
                                            : fmt::format("FAILED: {} is not {} {}: {}", each.buffer, relation,
                                                          each.path, each.comparison.describe(each.shape)));
  }
  if (!result.verified.empty()) text.append("\n").append(verification(result.verified));
  return text;
}

std::string to_json(const JobResult& result) {
  ordered_json value{{"job", result.job},
                     {"device", result.report.device},
                     {"configuration", result.configuration},
                     {"passed", result.has_passed()},
                     {"run", to_json(result.mode)},
                     {"outputs", ordered_json::array()},
                     {"checks", ordered_json::array()},
                     {"verified", ordered_json::array()},
                     {"report", ordered_json::parse(report::to_json(result.report))}};
  for (const OutputResult& each : result.outputs) {
    ordered_json output{{"buffer", each.buffer}, {"type", to_string(each.type)}, {"shape", each.shape}};
    if (!each.path.empty()) {
      output["path"] = each.path;
    } else {
      output["elements"] = ordered_json::array();
      for (const std::string& element : each.printed) output["elements"].push_back(element_json(element));
    }
    value["outputs"].push_back(std::move(output));
  }
  for (const CheckResult& each : result.checks) {
    ordered_json check{{"buffer", each.buffer},
                       {each.is_close ? "close" : "equal", each.path},
                       {"passed", each.has_passed()},
                       {"different", each.comparison.different()},
                       {"elements", each.comparison.count()}};
    if (!each.has_passed()) {
      check["first"] = {{"index", each.comparison.first_index()},
                        {"found", element_json(each.comparison.first_found())},
                        {"expected", element_json(each.comparison.first_expected())}};
    }
    value["checks"].push_back(std::move(check));
  }
  for (const ModeResult& each : result.verified) {
    ordered_json mode = to_json(each);
    mode["same"] = each.difference.empty();
    if (!each.difference.empty()) mode["difference"] = each.difference;
    value["verified"].push_back(std::move(mode));
  }
  return value.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace vyre::cli::job
