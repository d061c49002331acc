#pragma once

#include <CLI/CLI.hpp>

#include "cli/command.hpp"

namespace vyre::cli {

/// Adds `vyre explain` to the command line: a subcommand for each decision, and one for all of them.
///
/// The action reads the options when it runs, so the app must be alive then.
void add_explain(CLI::App& app, Action& action);

}  // namespace vyre::cli
