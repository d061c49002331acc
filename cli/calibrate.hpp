#pragma once

#include <CLI/CLI.hpp>

#include "cli/command.hpp"

namespace vyre::cli {

/// Adds `vyre calibrate` to the command line.
void add_calibrate(CLI::App& app, Action& action);

}  // namespace vyre::cli
