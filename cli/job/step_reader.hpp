#pragma once

#include <string_view>
#include <vector>

#include "cli/job/job.hpp"

namespace vyre::cli::job {

/// Reads a list of steps, those inside loops included.
[[nodiscard]] Result<std::vector<Step>> read_steps(std::string_view file, const Value& value);

/// Reads the values of specialisation constants.
[[nodiscard]] Result<std::vector<NamedQuantity>> read_spec_values(std::string_view file, const Value& value);

}  // namespace vyre::cli::job
