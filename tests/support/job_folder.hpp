#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/run_command.hpp"

namespace vyre::tests {

/// A folder of its own for the running test, with jobs and their files. Gone with this.
class JobFolder {
 public:
  JobFolder();
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;
  ~JobFolder();

  [[nodiscard]] std::string path(std::string_view name = "") const;
  void write(std::string_view name, std::string_view text) const;
  [[nodiscard]] std::string read(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  /// Names of everything in a folder within, the hidden ones too; sorted.
  [[nodiscard]] std::vector<std::string> list(std::string_view folder = "") const;

  /// `vyre run job.toml` with a job.
  [[nodiscard]] CommandResult run(std::string_view job, const std::vector<std::string>& flags = {}) const;
  /// A Python script with numpy as `np`, started in this folder. Fails the test if it fails; returns what it prints.
  [[nodiscard]] std::string python(const std::string& script) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace vyre::tests
