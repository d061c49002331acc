#include "cli/devices.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <vyre/report/device_report.hpp>

#include "cli/backends.hpp"
#include "cli/file.hpp"
#include "cli/job/output_file.hpp"
#include "cli/survey/survey.hpp"

namespace vyre::cli {
namespace {

/// The options of `vyre devices`.
struct DevicesArguments {
  bool run_inline = false;
  bool json = false;
  std::string report = {};  ///< The name of the two files of a survey, without their extensions.
  std::string device = {};  ///< A part of the name of the device that is surveyed.
};

/// Surveys a device and writes the two files of the survey.
Result<int> run_survey(const DevicesArguments& arguments) {
  VYRE_ASSIGN(const std::shared_ptr<backend::Device> device, all_devices().open({.name = arguments.device}));
  const auto name = [&](std::string_view extension) { return fmt::format("{}{}", arguments.report, extension); };
  // Opened before the survey, so that a folder that cannot be written to is reported at once.
  VYRE_ASSIGN(job::OutputFile json, job::OutputFile::create(name(".json"), 0));
  VYRE_ASSIGN(job::OutputFile markdown, job::OutputFile::create(name(".md"), 0));
  const Result<survey::Survey> found = survey::survey_device(device, VYRE_VERSION);
  if (!found) return in_context(Error{found.error()}, fmt::format("while surveying '{}'", device->info().name));
  VYRE_TRY(json.write(survey::to_json(*found)));
  VYRE_TRY(json.commit());
  VYRE_TRY(markdown.write(survey::to_markdown(*found)));
  VYRE_TRY(markdown.commit());
  const auto count = [&](survey::Outcome outcome) {
    return std::ranges::count(found->checks, outcome, &survey::Check::outcome);
  };
  const auto wrong = count(survey::Outcome::Wrong);
  VYRE_TRY(standard_output().write(fmt::format("{}: {} checks right, {} wrong, {} refused; {} and {} are written\n",
                                               device->info().name, count(survey::Outcome::Right), wrong,
                                               count(survey::Outcome::Refused), name(".json"), name(".md"))));
  return wrong == 0 ? kExitSuccess : kExitDifferent;
}

Result<int> run(const DevicesArguments& arguments) {
  if (arguments.run_inline) prefer_inline_drivers();
  if (!arguments.report.empty()) return run_survey(arguments);
  if (!arguments.device.empty()) {
    return fail(ErrorCode::InvalidArgument, "--device chooses the device of --report, which is not given");
  }
  std::vector<report::BackendDevices> found;
  for (const std::unique_ptr<backend::Backend>& backend : all_backends().backends()) {
    report::BackendDevices& each = found.emplace_back(report::BackendDevices{.backend = std::string{backend->name()}});
    if (auto devices = backend->devices()) {
      each.devices = *std::move(devices);
    } else {
      each.error = std::move(devices).error();
    }
  }
  VYRE_TRY(standard_output().write(arguments.json ? report::to_json(found) + "\n" : report::to_text(found)));
  const bool has_device = std::ranges::any_of(found, [](const auto& each) { return !each.devices.empty(); });
  return has_device ? kExitSuccess : to_exit_code(ErrorCode::Unavailable);
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("devices", "List the devices of this machine and what they can do");
  command->footer(
      "A backend that cannot be used is listed with the reason. The exit code is 4 if there is no device at all.\n\n"
      "--report surveys one device in about 20 s: identity, limits, six kernels checked in every launch mode, launch\n"
      "costs, and the time of batches of 1 to 1,000 tiny dispatches. NAME.json and NAME.md are for a bug report, or "
      "for\n"
      "docs/drivers.md. The exit code is 1 if a check is wrong.\n\n"
      "Examples:\n"
      "  vyre devices --json\n"
      "  vyre devices --report mine --device llvmpipe");
  auto arguments = std::make_shared<DevicesArguments>();
  command->add_flag("--inline", arguments->run_inline,
                    "Let lavapipe run kernels on its submission thread instead of worker threads");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->add_option("--report", arguments->report, "Survey a device, and write NAME.json and NAME.md")
      ->type_name("NAME");
  command->add_option("--device", arguments->device, "A part of the name of the device that --report surveys");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace vyre::cli
