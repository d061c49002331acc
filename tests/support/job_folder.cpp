#include "tests/support/job_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

namespace vyre::tests {

namespace fs = std::filesystem;

JobFolder::JobFolder() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  folder_ = fs::path{testing::TempDir()} / ("vyre_" + std::string{test->name()} + "_" + std::to_string(::getpid()));
  fs::remove_all(folder_);
  fs::create_directories(folder_);
}

JobFolder::~JobFolder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string JobFolder::path(std::string_view name) const { return folder_ / name; }

void JobFolder::write(std::string_view name, std::string_view text) const {
  std::ofstream file{folder_ / name, std::ios::binary};
  file << text;
  EXPECT_TRUE(file.good()) << name;
}

std::string JobFolder::read(std::string_view name) const { return read_file(path(name)); }

bool JobFolder::has(std::string_view name) const { return fs::exists(folder_ / name); }

std::vector<std::string> JobFolder::list(std::string_view folder) const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator{folder_ / folder}) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

CommandResult JobFolder::run(std::string_view job, const std::vector<std::string>& flags) const {
  write("job.toml", job);
  std::vector<std::string> arguments{"run", path("job.toml")};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return run_vyre(arguments);
}

std::string JobFolder::python(const std::string& script) const {
  // The system's own, which has the packages of the system.
  const CommandResult result =
      run_command({"/usr/bin/python3", "-c", "import os\nimport numpy as np\nos.chdir('" + path() + "')\n" + script});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

}  // namespace vyre::tests
