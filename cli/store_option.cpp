#include "cli/store_option.hpp"

#include <utility>

#include <fmt/format.h>

#include "cli/command.hpp"

namespace vyre::cli {

void add_store_option(CLI::App& command, std::string& value) {
  command
      .add_option(
          "--store", value,
          "The folder for what is kept from one run to the next, or off; by default vyre in the user's folder for "
          "caches")
      ->type_name("FOLDER")
      ->check(check_not_empty);
}

std::shared_ptr<store::Store> open_store(const std::string& value, bool may_write) {
  if (value == "off") return nullptr;
  const auto say = [](const Error& error) {
    std::string line = error.message;
    for (const std::string& context : error.context) line += "; " + context;
    fmt::print(stderr, "warning: {}\n", line);
  };
  return store::Store::open({.folder = value, .may_write = may_write, .on_problem = say});
}

}  // namespace vyre::cli
