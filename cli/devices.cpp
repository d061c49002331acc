#include "cli/devices.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <vyre/report/device_report.hpp>

#include "cli/backends.hpp"
#include "cli/file.hpp"

namespace vyre::cli {
namespace {

/// What was typed for `vyre devices`.
struct DevicesArguments {
  bool run_inline = false;
  bool json = false;
};

Result<int> run(const DevicesArguments& arguments) {
  if (arguments.run_inline) prefer_inline_drivers();
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
      "A backend that is not there is listed with the reason. The exit code is 4 if there is no device at all.\n\n"
      "Example:\n"
      "  vyre devices --json");
  auto arguments = std::make_shared<DevicesArguments>();
  command->add_flag("--inline", arguments->run_inline, "Let lavapipe run work without threads of its own");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace vyre::cli
