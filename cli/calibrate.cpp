#include "cli/calibrate.hpp"

#include <memory>
#include <string>

#include <vyre/report/choice_report.hpp>
#include <vyre/runtime/calibrate.hpp>

#include "cli/backends.hpp"
#include "cli/file.hpp"

namespace vyre::cli {
namespace {

/// The options of `vyre calibrate`.
struct CalibrateArguments {
  std::string device = {};
  bool run_inline = false;
  bool json = false;
};

Result<int> run(const CalibrateArguments& arguments) {
  if (arguments.run_inline) prefer_inline_drivers();
  VYRE_ASSIGN(const std::shared_ptr<backend::Device> device, all_devices().open({.name = arguments.device}));
  VYRE_ASSIGN(const choice::Calibration measured, runtime::calibrate(*device));
  VYRE_TRY(standard_output().write(arguments.json ? report::to_json(measured) + "\n" : report::to_text(measured)));
  return kExitSuccess;
}

}  // namespace

void add_calibrate(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("calibrate", "Measure what launching costs on a device, and show it");
  command->footer(
      "Each launch mode costs a fixed time for each batch and a time for each dispatch, measured with a kernel that "
      "does\n"
      "next to nothing. Forms make a kernel slower or faster by the factors shown. A session measures the same before "
      "it\n"
      "first chooses a launch mode. This command keeps nothing: each run measures again.\n\n"
      "Example:\n"
      "  vyre calibrate --inline --json");
  auto arguments = std::make_shared<CalibrateArguments>();
  command->add_option("--device", arguments->device, "Use the first device that has this in its name")
      ->check(check_not_empty);
  command->add_flag("--inline", arguments->run_inline,
                    "Let lavapipe run kernels on its submission thread instead of worker threads");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace vyre::cli
