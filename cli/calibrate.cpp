#include "cli/calibrate.hpp"

#include <memory>
#include <string>

#include <vyre/report/choice_report.hpp>
#include <vyre/runtime/calibrate.hpp>

#include "cli/backends.hpp"
#include "cli/file.hpp"

namespace vyre::cli {
namespace {

/// What was typed for `vyre calibrate`.
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
  CLI::App* command = app.add_subcommand("calibrate", "Measure what launching takes on a device, and show it");
  command->footer(
      "Every way of launching is a fixed time and one for each dispatch of a kernel that does next to nothing. Forms\n"
      "make kernels slower or faster by the factors shown. This is what a session measures before it first has a\n"
      "launch mode to choose; each run measures anew.\n\n"
      "Example:\n"
      "  vyre calibrate --inline --json");
  auto arguments = std::make_shared<CalibrateArguments>();
  command->add_option("--device", arguments->device, "A part of the device's name; the first that has it is taken")
      ->check(check_not_empty);
  command->add_flag("--inline", arguments->run_inline, "Let lavapipe run work without threads of its own");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace vyre::cli
