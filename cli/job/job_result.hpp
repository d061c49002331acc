#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <vyre/report/run_report.hpp>
#include <vyre/runtime/session.hpp>

#include "cli/job/job_outputs.hpp"

namespace vyre::cli::job {

/// The times of a job in a launch mode, and whether its results equal those of the mode `plain`.
struct ModeResult {
  runtime::LaunchMode mode = runtime::LaunchMode::Auto;
  std::vector<std::uint64_t> ns = {};  ///< The time of each run.
  std::uint64_t submissions = 0;       ///< Of the last run.
  std::uint64_t replays = 0;           ///< Of the last run.
  std::string difference = {};         ///< The first difference from the mode `plain`; empty if there is none.

  [[nodiscard]] std::uint64_t first_ns() const noexcept { return ns.front(); }
  [[nodiscard]] std::uint64_t median_ns() const;
};

/// The result of a job.
struct JobResult {
  std::string job = {};
  std::string configuration = {};  ///< `DeviceInfo::configuration`; may be empty.
  ModeResult mode = {};            ///< The result in the launch mode that was asked for.
  report::RunReport report = {};   ///< The report of the last run in that mode.
  std::vector<OutputResult> outputs = {};
  std::vector<CheckResult> checks = {};
  std::vector<ModeResult> verified = {};  ///< With `--verify`: every mode, `plain` first.

  [[nodiscard]] bool has_passed() const noexcept;
};

/// The result as text for a person.
[[nodiscard]] std::string to_text(const JobResult& result);
/// The result as JSON.
[[nodiscard]] std::string to_json(const JobResult& result);

}  // namespace vyre::cli::job
