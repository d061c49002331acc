#include "tests/support/run_command.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

#include <gtest/gtest.h>

namespace vyre::tests {
namespace {

using TemporaryFile = std::unique_ptr<std::FILE, decltype([](std::FILE* file) { std::fclose(file); })>;

std::string contents(std::FILE* file) {
  std::string text;
  std::rewind(file);
  for (char chunk[4'096]; const std::size_t count = std::fread(chunk, 1, sizeof chunk, file);)
    text.append(chunk, count);
  return text;
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, const std::string& input,
                          const std::string& output_path) {
  const TemporaryFile in{std::tmpfile()};
  const TemporaryFile out{std::tmpfile()};
  const TemporaryFile err{std::tmpfile()};
  std::fwrite(input.data(), 1, input.size(), in.get());
  std::rewind(in.get());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(err.get()), STDERR_FILENO);
  if (output_path.empty()) {
    posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output_path.c_str(), O_WRONLY, 0);
  }
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  CommandResult result;
  pid_t child = 0;
  const int spawned = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(spawned, 0) << "cannot start " << arguments[0];
  if (spawned != 0) return result;
  int status = 0;
  waitpid(child, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = contents(out.get());
  result.err = contents(err.get());
  return result;
}

CommandResult run_vyre(std::vector<std::string> arguments, const std::string& input, const std::string& output_path) {
  const bool names_store = std::ranges::find(arguments, "--store") != arguments.end();
  if (!arguments.empty() && arguments[0] == "run" && !names_store)
    arguments.insert(arguments.begin() + 1, "--store=off");
  arguments.insert(arguments.begin(), VYRE_BIN_DIR "/vyre");
  return run_command(arguments, input, output_path);
}

std::string read_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace vyre::tests
