#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/job/comparison.hpp"
#include "cli/job/job_runner.hpp"
#include "cli/job/output_file.hpp"

namespace vyre::cli::job {

/// The result of an output of a job.
struct OutputResult {
  std::string buffer = {};
  ElementType type = ElementType::F32;
  Shape shape = {};
  std::string path = {};                  ///< The path in the job; empty if the output is printed.
  std::vector<std::string> printed = {};  ///< The first elements, if the output is printed.
  bool is_cut = false;                    ///< Whether there are more elements than were printed.
};

/// The result of a check of a job.
struct CheckResult {
  std::string buffer = {};
  std::string path = {};  ///< The path in the job.
  bool is_close = false;
  Comparison comparison;
  Shape shape = {};

  [[nodiscard]] bool has_passed() const noexcept { return comparison.different() == 0; }
};

/// The files of a job's outputs. They are opened before the job runs, so that a file that cannot be written is reported
/// then. They get their names when all of them are written.
class JobOutputs {
 public:
  [[nodiscard]] static Result<JobOutputs> open(const JobPlan& plan);

  /// Writes all files and gathers what is to be printed.
  [[nodiscard]] Result<std::vector<OutputResult>> write(const JobPlan& plan, JobRunner& runner);
  /// Gives the files their names, replacing existing files.
  [[nodiscard]] Result<void> commit();

 private:
  std::vector<std::optional<OutputFile>> files_;  ///< By output; nothing for one that is printed.
};

/// Compares buffers with what the job expects.
[[nodiscard]] Result<std::vector<CheckResult>> run_checks(const JobPlan& plan, JobRunner& runner);

}  // namespace vyre::cli::job
