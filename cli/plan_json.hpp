#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/plan/planner.hpp>

namespace vyre::cli {

/// The operations of a batch, and the names of their programs by number.
struct NamedOperations {
  std::vector<plan::Operation> operations = {};
  std::vector<std::string> programs = {};
};

/// Reads the operations of a batch:
/// `{"operations": [{"kind": "dispatch", "program": "saxpy", "reads": [RANGE…], "writes": [RANGE…]}…]}`, where a range
/// is
/// `{"buffer": "x", "offset": 0, "size": 256}`.
///
/// The kind is dispatch, copy or fill; only a dispatch has a program. `reads` and `writes` may be missing.
/// `InvalidArgument`, naming the operation's number and the key: `operations[3].reads[0].size is missing`.
[[nodiscard]] Result<NamedOperations> parse_operations(std::string_view text);

/// One line of JSON.
[[nodiscard]] std::string to_json(const plan::Plan& plan, const std::vector<std::string>& programs);

}  // namespace vyre::cli
