#pragma once

#include <string>
#include <string_view>

#include "cli/job/job.hpp"

namespace vyre::cli::job {

/// Reads the text of a job. `file` is its name for messages. `InvalidArgument`, with file, line and column, the value
/// that is there and what was expected.
[[nodiscard]] Result<Job> read_job(std::string_view text, const std::string& file);

}  // namespace vyre::cli::job
