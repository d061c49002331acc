#pragma once

#include <string>
#include <string_view>

#include "cli/job/job.hpp"

namespace vyre::cli::job {

/// Reads the text of a job. `file` is its name as it was given. `InvalidArgument`, with file, line and column, what is
/// there and what was expected.
[[nodiscard]] Result<Job> read_job(std::string_view text, const std::string& file);

}  // namespace vyre::cli::job
