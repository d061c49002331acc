#include "cli/job/value.hpp"

#include <utility>

#include <fmt/format.h>

namespace vyre::cli::job {

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string printable;
  for (const char c : text.substr(0, kMost)) printable.push_back(c >= ' ' && c != '\x7f' ? c : '?');
  return text.size() > kMost ? printable + "…" : printable;
}

std::string describe(const Value& value) {
  struct Describe {
    std::string operator()(bool given) const { return given ? "true" : "false"; }
    std::string operator()(std::int64_t given) const { return fmt::format("the number {}", given); }
    std::string operator()(double given) const { return fmt::format("the number {}", given); }
    std::string operator()(const std::string& given) const { return fmt::format("the string \"{}\"", shown(given)); }
    std::string operator()(Date /*given*/) const { return "a date"; }
    std::string operator()(const List& given) const { return fmt::format("a list of {}", given.size()); }
    std::string operator()(const Table& /*given*/) const { return "a table"; }
  };
  return std::visit(Describe{}, value.value);
}

Error error_at(std::string_view file, Position at, Error error) {
  error.message = fmt::format("{}:{}:{}: {}", file, at.line, at.column, error.message);
  return error;
}

std::unexpected<Error> refuse_at(std::string_view file, Position at, std::string_view message) {
  return std::unexpected{error_at(file, at, {.code = ErrorCode::InvalidArgument, .message = std::string{message}})};
}

}  // namespace vyre::cli::job
