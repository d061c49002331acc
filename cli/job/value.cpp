#include "cli/job/value.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace vyre::cli::job {

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::size_t end = std::min(text.size(), kMost);
  // Does not cut a UTF-8 character of several bytes.
  while (end < text.size() && end > 0 && (text[end] & 0xc0) == 0x80) --end;
  std::string printable{text.substr(0, end)};
  std::ranges::replace_if(printable, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }, '?');
  if (end < text.size()) printable.append("…");
  return printable;
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
