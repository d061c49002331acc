#pragma once

#include <string_view>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/report/choice_report.hpp>

namespace vyre::cli {

/// The shapes of batches in a run report, or in the result of a job that has one, as JSON. `InvalidArgument`, naming
/// the field, for anything else.
[[nodiscard]] Result<std::vector<report::ShapeReport>> parse_shapes(std::string_view json);

}  // namespace vyre::cli
