#include <vyre/report/run_report.hpp>

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vyre/report/audit_log.hpp>
#include <vyre/report/choice_json.hpp>
#include <vyre/report/wording.hpp>

namespace vyre::report {
namespace {

using nlohmann::ordered_json;

}  // namespace

std::string to_text(const RunReport& report) {
  const std::vector<std::pair<std::string_view, std::string>> lines = {
      {"device", report.device},
      {"work", fmt::format("{}, {}, {} in {}", counted(report.dispatches, "dispatch", "dispatches"),
                           counted(report.copies, "copy", "copies"), counted(report.fills, "fill", "fills"),
                           counted(report.batches, "batch", "batches"))},
      {"submissions", fmt::format("{}, {} of them replays; {} kept for the next time", report.submissions,
                                  report.replays, counted(report.recordings, "list", "lists"))},
      {"waves",
       fmt::format("{}, {} barriers placed, {} avoided", report.waves, report.barriers, report.barriers_avoided)},
      {"moved", fmt::format("{} bytes written, {} read, {} while the device was at work", report.bytes_written,
                            report.bytes_read, report.bytes_overlapped)},
      {"time", fmt::format("{}: {} planning and submitting, {} waiting", duration(report.elapsed_ns),
                           duration(report.host_ns), duration(report.wait_ns))},
      {"on device", report.timed_submissions == 0
                        ? std::string{"not taken (see time_device)"}
                        : fmt::format("{} in {} of {} submissions", duration(report.device_ns),
                                      report.timed_submissions, report.submissions)},
  };
  std::string text;
  for (const auto& [name, value] : lines) text += fmt::format("{:<12} {}\n", name, value);
  for (const ProgramReport& each : report.programs) {
    text += fmt::format("  {}: {} ({} plain, {} batched, {} replayed) in the {} form; last: {}\n", each.program,
                        counted(each.dispatches, "dispatch", "dispatches"), each.plain, each.batched, each.replayed,
                        to_string(each.form), each.reason);
    if (!each.in_place.empty()) text += fmt::format("    buffers overlap: {} are declared aliased\n", each.in_place);
    if (!each.form_refused.empty()) text += fmt::format("    another form was not possible: {}\n", each.form_refused);
  }
  if (report.calibration_ns > 0)
    text += fmt::format("the device was measured in {}\n", duration(report.calibration_ns));
  if (!report.not_calibrated.empty()) text += fmt::format("the device was not measured: {}\n", report.not_calibrated);
  for (const auto& shape : report.shapes) text += to_text(*shape);
  if (report.errors.count > 0 && !report.shapes.empty()) {
    text += fmt::format(
        "savings as decided were off by {:.0f} % of the measured in the middle, by {:.0f} % in nine of ten\n",
        100 * report.errors.median, 100 * report.errors.ninth_decile);
  }
  return text;
}

std::string to_json(const RunReport& report) {
  ordered_json value{{"device", report.device},
                     {"dispatches", report.dispatches},
                     {"copies", report.copies},
                     {"fills", report.fills},
                     {"batches", report.batches},
                     {"submissions", report.submissions},
                     {"replays", report.replays},
                     {"recordings", report.recordings},
                     {"waves", report.waves},
                     {"barriers", report.barriers},
                     {"barriers_avoided", report.barriers_avoided},
                     {"bytes_written", report.bytes_written},
                     {"bytes_read", report.bytes_read},
                     {"bytes_overlapped", report.bytes_overlapped},
                     {"host_ns", report.host_ns},
                     {"wait_ns", report.wait_ns},
                     {"elapsed_ns", report.elapsed_ns},
                     {"device_ns", report.device_ns},
                     {"timed_submissions", report.timed_submissions},
                     {"programs", ordered_json::array()},
                     {"decisions", ordered_json::array()},
                     {"decisions_dropped", report.decisions_dropped}};
  for (const ProgramReport& each : report.programs) {
    value["programs"].push_back({{"program", each.program},
                                 {"dispatches", each.dispatches},
                                 {"plain", each.plain},
                                 {"batched", each.batched},
                                 {"replayed", each.replayed},
                                 {"form", to_string(each.form)},
                                 {"form_refused", each.form_refused},
                                 {"in_place", each.in_place},
                                 {"reason", each.reason}});
  }
  for (const policy::AuditEvent& event : report.decisions) value["decisions"].push_back(to_string(event));
  value["calibration_ns"] = report.calibration_ns;
  if (!report.not_calibrated.empty()) value["not_calibrated"] = report.not_calibrated;
  value["shapes"] = ordered_json::array();
  for (const auto& shape : report.shapes) value["shapes"].push_back(to_value(*shape));
  value["prediction_errors"] = {
      {"count", report.errors.count}, {"median", report.errors.median}, {"ninth_decile", report.errors.ninth_decile}};
  return value.dump(2);
}

}  // namespace vyre::report
