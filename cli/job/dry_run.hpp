#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/job/job_walker.hpp"

namespace vyre::cli::job {

/// The plan of a job's first batch.
struct DryRun {
  std::uint64_t operations = 0;
  plan::Plan first_batch = {};
  std::vector<std::string> programs = {};  ///< The names of the job's programs.
  std::uint64_t first_operations = 0;      ///< The number of operations of the first batch.
};

/// Plans the first batch of a job that has `operations` operations in all.
[[nodiscard]] Result<DryRun> plan_first_batch(JobWalker& walker, const JobPlan& plan, std::uint64_t operations);

/// The dry run as text for a person, equal waves as one line.
[[nodiscard]] std::string to_text(const DryRun& run, const std::string& job);
/// The dry run as JSON.
[[nodiscard]] std::string to_json(const DryRun& run, const std::string& job);

}  // namespace vyre::cli::job
