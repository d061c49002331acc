#include "cli/survey/survey.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vyre/report/choice_report.hpp>
#include <vyre/report/device_report.hpp>
#include <vyre/runtime/calibrate.hpp>

namespace vyre::cli::survey {
namespace {

using nlohmann::ordered_json;
using runtime::LaunchMode;

/// The time for the rounds of one batch size, all launch modes together. Eight batch sizes take most of a survey's
/// time.
constexpr double kSecondsPerBatchSize = 1.0;

Host describe_host() {
  Host host{.cores = std::thread::hardware_concurrency()};
  std::ifstream file{"/proc/cpuinfo"};
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("model name") || colon == std::string::npos) continue;
    host.processor = line.substr(colon + 2);
    break;
  }
  utsname name{};
  if (uname(&name) == 0) {
    // Only the version, without what a distribution adds to it, which says nothing about drivers.
    const std::string_view release = name.release;
    host.system = fmt::format("{} {} {}", name.sysname, release.substr(0, release.find('-')), name.machine);
  }
  return host;
}

std::size_t count_of(const Survey& survey, Outcome outcome) {
  return static_cast<std::size_t>(std::ranges::count(survey.checks, outcome, &Check::outcome));
}

std::string checks_table(const Survey& survey) {
  std::string head = "| kernel |";
  std::string line = "|---|";
  for (const LaunchMode mode : runtime::kAllLaunchModes) {
    head += fmt::format(" {} |", runtime::to_string(mode));
    line += "---|";
  }
  std::string text = head + "\n" + line + "\n";
  std::string notes;
  for (std::size_t i = 0; i < survey.checks.size(); ++i) {
    const Check& check = survey.checks[i];
    if (i % runtime::kAllLaunchModes.size() == 0) text += fmt::format("| {} |", check.kernel);
    text += fmt::format(" {} |", to_string(check.outcome));
    if ((i + 1) % runtime::kAllLaunchModes.size() == 0) text += "\n";
    if (!check.detail.empty()) {
      notes += fmt::format("- {}, {}: {}\n", check.kernel, runtime::to_string(check.mode), check.detail);
    }
  }
  return notes.empty() ? text : text + "\n" + notes;
}

std::string timings_table(const Survey& survey, Pattern pattern) {
  std::string text = "| dispatches |";
  std::string line = "|--:|";
  for (const LaunchMode mode : runtime::kAllLaunchModes) {
    text += fmt::format(" {} |", runtime::to_string(mode));
    line += "--:|";
  }
  text += "\n" + line + "\n";
  for (const std::uint32_t dispatches : kBatchSizes) {
    text += fmt::format("| {} |", dispatches);
    for (const Timing& timing : survey.timings) {
      if (timing.pattern != pattern || timing.dispatches != dispatches) continue;
      // The distance from the median to the farther quartile.
      const double spread = std::max(timing.upper_ns - timing.median_ns, timing.median_ns - timing.lower_ns);
      text += fmt::format(" {:.1f} ± {:.1f} |", timing.median_ns / 1e3, spread / 1e3);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

Result<Survey> survey_device(const std::shared_ptr<backend::Device>& device, std::string vyre_version) {
  Survey survey{.vyre_version = std::move(vyre_version), .host = describe_host(), .device = device->info()};
  VYRE_ASSIGN(survey.checks, run_checks(device));
  VYRE_ASSIGN(survey.calibration, runtime::calibrate(*device));
  VYRE_ASSIGN(survey.timings, time_modes(device, kSecondsPerBatchSize));
  return survey;
}

std::string to_json(const Survey& survey) {
  const report::BackendDevices devices{.backend = survey.device.backend, .devices = {survey.device}};
  ordered_json checks = ordered_json::array();
  for (const Check& check : survey.checks) {
    ordered_json each{
        {"kernel", check.kernel}, {"mode", runtime::to_string(check.mode)}, {"outcome", to_string(check.outcome)}};
    if (!check.detail.empty()) each["detail"] = check.detail;
    checks.push_back(std::move(each));
  }
  ordered_json timings = ordered_json::array();
  for (const Timing& timing : survey.timings) {
    timings.push_back({{"pattern", to_string(timing.pattern)},
                       {"dispatches", timing.dispatches},
                       {"mode", runtime::to_string(timing.mode)},
                       {"median_ns", timing.median_ns},
                       {"lower_quartile_ns", timing.lower_ns},
                       {"upper_quartile_ns", timing.upper_ns},
                       {"rounds", timing.rounds}});
  }
  const ordered_json all{
      {"vyre", survey.vyre_version},
      {"host", {{"processor", survey.host.processor}, {"cores", survey.host.cores}, {"system", survey.host.system}}},
      {"device", ordered_json::parse(report::to_json({&devices, 1}))["backends"][0]["devices"][0]},
      {"calibration", ordered_json::parse(report::to_json(survey.calibration))},
      {"checks",
       {{"right", count_of(survey, Outcome::Right)},
        {"wrong", count_of(survey, Outcome::Wrong)},
        {"refused", count_of(survey, Outcome::Refused)},
        {"results", std::move(checks)}}},
      {"timings", std::move(timings)}};
  return all.dump(2) + "\n";
}

std::string to_markdown(const Survey& survey) {
  const report::BackendDevices devices{.backend = survey.device.backend, .devices = {survey.device}};
  const std::string configuration =
      survey.device.configuration.empty() ? "" : fmt::format(", {}", survey.device.configuration);
  return fmt::format(
      "# {}{}\n\nvyre {} on {}, {} cores, {}\n\n```\n{}```\n\n"
      "## Checks\n\n{} right, {} wrong, {} refused. Each built-in kernel ran in every launch mode; its results were\n"
      "compared, bit for bit, with a computation on the host.\n\n{}\n"
      "## Launch costs, as a session calibrates them\n\n```\n{}```\n\n"
      "## Time of a batch of tiny dispatches, µs\n\nMedian ± distance to the farther quartile. The launch modes ran by "
      "turns.\n\n### Independent dispatches\n\n{}\n### Steps, each of which needs the one before\n\n{}",
      survey.device.name, configuration, survey.vyre_version,
      survey.host.processor.empty() ? "an unnamed processor" : survey.host.processor, survey.host.cores,
      survey.host.system, report::to_text({&devices, 1}), count_of(survey, Outcome::Right),
      count_of(survey, Outcome::Wrong), count_of(survey, Outcome::Refused), checks_table(survey),
      report::to_text(survey.calibration), timings_table(survey, Pattern::Independent),
      timings_table(survey, Pattern::Steps));
}

}  // namespace vyre::cli::survey
