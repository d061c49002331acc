#pragma once

#include <nlohmann/json.hpp>

#include <vyre/report/choice_report.hpp>

namespace vyre::report {

/// As `to_json` writes it.
[[nodiscard]] nlohmann::ordered_json to_value(const ShapeReport& shape);

}  // namespace vyre::report
