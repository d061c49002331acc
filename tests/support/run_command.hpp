#pragma once

#include <string>
#include <vector>

namespace vyre::tests {

struct CommandResult {
  int exit_code = -1;  ///< 128 + signal if a signal ended it.
  std::string out;
  std::string err;
};

/// Runs a program to its end, as a shell would, with `input` as its standard input.
///
/// `output_path` takes the place of the captured standard output where it is given.
[[nodiscard]] CommandResult run_command(const std::vector<std::string>& arguments, const std::string& input = "",
                                        const std::string& output_path = "");

/// Runs the `vyre` that this build made. `vyre run` keeps nothing, unless the arguments name a store.
[[nodiscard]] CommandResult run_vyre(std::vector<std::string> arguments, const std::string& input = "",
                                     const std::string& output_path = "");

/// The whole of a file. Fails the test if it cannot be read.
[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace vyre::tests
