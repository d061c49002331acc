#pragma once

#include <CLI/CLI.hpp>

#include "cli/command.hpp"

namespace vyre::cli {

/// Adds `vyre run` to the command line.
void add_run(CLI::App& app, Action& action);

}  // namespace vyre::cli
