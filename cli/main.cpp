#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/command.hpp"
#include "cli/decide.hpp"
#include "cli/explain.hpp"
#include "cli/reflect.hpp"

namespace vyre::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  vyre explain persistent-kernel --batch-size 500 --per-launch-overhead-ns 5000 "
    "--persistent-setup-overhead-ns 50000\n"
    "  vyre decide questions.jsonl\n"
    "  vyre reflect saxpy.comp\n\n"
    "Exit codes: 0 success, 2 bad input, 3 unsupported, 4 unavailable, 5 compilation failed, 6 out of memory,\n"
    "7 timed out, 8 device lost, 9 corrupt data, 10 internal error.";

int run(int argc, char** argv) {
  CLI::App app{"vyre: decides how to launch GPU work, and shows why", "vyre"};
  app.set_version_flag("--version", "vyre " VYRE_VERSION);
  app.footer(kFooter);
  app.require_subcommand(1);
  Action action;
  add_decide(app, action);
  add_explain(app, action);
  add_reflect(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    fmt::print(stderr, "error[invalid-argument]: {}\n  try 'vyre --help'\n", error.what());
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
