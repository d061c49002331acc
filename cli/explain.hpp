#pragma once

#include <CLI/CLI.hpp>

#include "cli/command.hpp"

namespace vyre::cli {

/// Adds `vyre explain` to the command line: a subcommand per decision, and one for the bundle of them all.
///
/// What the options hold is read when the action runs; both the app and the action must be alive then.
void add_explain(CLI::App& app, Action& action);

}  // namespace vyre::cli
