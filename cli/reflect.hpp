#pragma once

#include <CLI/CLI.hpp>

#include "cli/command.hpp"

namespace vyre::cli {

/// Adds `vyre reflect` to the command line.
void add_reflect(CLI::App& app, Action& action);

}  // namespace vyre::cli
