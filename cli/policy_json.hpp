#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <vyre/base/error.hpp>
#include <vyre/policy/dispatch_policy.hpp>

namespace vyre::cli {

/// Answers policy questions, a line of JSON each.
///
/// A question is `{"policy": …, "in": {…}}`, an answer `{"policy": …, "out": {…}}`, with the field names and types of
/// `tests/vectors/README.md`. Other members of a question are ignored.
/// Reuses its memory from one question to the next. Not thread-safe.
class PolicyResponder {
 public:
  /// The number of bytes after every given line that must be readable; their values do not matter.
  static constexpr std::size_t kPadding = 64;

  PolicyResponder();
  PolicyResponder(const PolicyResponder&) = delete;
  PolicyResponder& operator=(const PolicyResponder&) = delete;
  ~PolicyResponder();

  /// Appends the answer to `out`, with a newline. On `InvalidArgument` nothing is appended.
  [[nodiscard]] Result<void> answer(std::string_view padded_line, std::string& out);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

/// Appends `{"error":{"code":…,"message":…,"line":N}}` and a newline.
void append_error_line(std::string& out, const Error& error, std::uint64_t line);

/// Reads the inputs of all decisions: the `in` of a `dispatch_bundle` question, alone or within the question.
[[nodiscard]] Result<policy::DispatchFacts> parse_dispatch_facts(std::string_view json);

}  // namespace vyre::cli
