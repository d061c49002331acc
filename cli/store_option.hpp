#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <vyre/store/store.hpp>

namespace vyre::cli {

/// Adds `--store` to a command: a folder, or `off`. `value` is empty for the user's folder for caches.
void add_store_option(CLI::App& command, std::string& value);

/// Opens the store that `--store` names; null if that is `off`. A problem is one line of the standard error.
[[nodiscard]] std::shared_ptr<store::Store> open_store(const std::string& value, bool may_write = true);

}  // namespace vyre::cli
