#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "cli/cache.hpp"
#include "cli/calibrate.hpp"
#include "cli/command.hpp"
#include "cli/decide.hpp"
#include "cli/devices.hpp"
#include "cli/explain.hpp"
#include "cli/job/run.hpp"
#include "cli/reflect.hpp"

namespace vyre::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  vyre explain persistent-kernel --batch-size 500 --per-launch-overhead-ns 5000 "
    "--persistent-setup-overhead-ns 50000\n"
    "  vyre decide questions.jsonl\n"
    "  vyre reflect saxpy.comp\n"
    "  vyre devices\n"
    "  vyre calibrate\n"
    "  vyre run heat.toml\n\n"
    "Exit codes: 0 success, 1 a result differs, 2 bad input, 3 unsupported, 4 unavailable, 5 compilation failed,\n"
    "6 out of memory, 7 timed out, 8 device lost, 9 corrupt data, 10 internal error.";

/// A message with the first word that should be a command and is not, and the known commands; empty if there is no such
/// word.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  const CLI::App* at = &app;
  for (int i = 1; i < argc; ++i) {
    const std::vector<const CLI::App*> commands = at->get_subcommands([](const CLI::App*) { return true; });
    if (commands.empty() || argv[i][0] == '-') return {};
    const auto found = std::ranges::find_if(commands, [&](const CLI::App* each) { return each->check_name(argv[i]); });
    if (found != commands.end()) {
      at = *found;
      continue;
    }
    std::vector<std::string> names;
    for (const CLI::App* command : commands) names.push_back(command->get_name());
    return fmt::format("there is no command '{}', there are {}", argv[i], fmt::join(names, ", "));
  }
  return {};
}

int run(int argc, char** argv) {
  CLI::App app{"vyre: decides how to launch GPU work, and shows why", "vyre"};
  app.set_version_flag("--version", "vyre " VYRE_VERSION);
  app.footer(kFooter);
  app.require_subcommand(1);
  Action action;
  add_cache(app, action);
  add_calibrate(app, action);
  add_decide(app, action);
  add_devices(app, action);
  add_explain(app, action);
  add_reflect(app, action);
  add_run(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const std::string unknown = unknown_command(app, argc, argv);
    const bool is_command = argc > 1 && unknown.empty() && argv[1][0] != '-';
    fmt::print(stderr, "error[invalid-argument]: {}\n  try 'vyre {}--help'\n", unknown.empty() ? error.what() : unknown,
               is_command ? std::string{argv[1]} + " " : "");
    return kExitInvalidArgument;
  }
  const Result<int> code = action();
  if (code) return *code;
  fmt::print(stderr, "{}\n", to_string(code.error()));
  return to_exit_code(code.error().code);
}

}  // namespace
}  // namespace vyre::cli

int main(int argc, char** argv) { return vyre::cli::run(argc, argv); }
