#pragma once

#include <CLI/CLI.hpp>

#include "cli/command.hpp"

namespace vyre::cli {

/// Adds `vyre cache` to the command line.
void add_cache(CLI::App& app, Action& action);

}  // namespace vyre::cli
