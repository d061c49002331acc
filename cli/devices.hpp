#pragma once

#include <CLI/CLI.hpp>

#include "cli/command.hpp"

namespace vyre::cli {

/// Adds `vyre devices` to the command line.
void add_devices(CLI::App& app, Action& action);

}  // namespace vyre::cli
