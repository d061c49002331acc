#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

// Compiled in here, and without exceptions: what it refuses comes back as a value.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "cli/job/value.hpp"

namespace vyre::cli::job {
namespace {

/// The library bounds how deep brackets nest; each dot of a key nests once more.
constexpr int kMaxDots = 16;

Position to_position(const toml::source_position& position) noexcept {
  return {.line = std::max(position.line, 1U), .column = std::max(position.column, 1U)};
}

/// Where the quoted text that begins at `begin` ends, behind its quotes.
std::size_t skip_quoted(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string_view triple = text.substr(begin, 3);
  const bool is_long = triple.size() == 3 && triple[1] == quote && triple[2] == quote;
  for (std::size_t i = begin + (is_long ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (!is_long && (text[i] == quote || text[i] == '\n')) {
      return i + 1;
    } else if (is_long && text.substr(i, 3) == triple) {
      return i + 3;
    }
  }
  return text.size();
}

/// Refuses keys of very many parts, which would make tables nested too deep to be walked.
Result<void> check_dots(std::string_view text, std::string_view file) {
  int dots = 0;
  std::size_t line_begin = 0;
  std::uint32_t line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::size_t end = std::min(skip_quoted(text, i), text.size());
      for (; i < end; ++i) {
        if (text[i] == '\n') {
          ++line;
          line_begin = i + 1;
          dots = 0;
        }
      }
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (c == '.' && ++dots > kMaxDots) {
      return refuse_at(file, {.line = line, .column = static_cast<std::uint32_t>(i - line_begin + 1)},
                       fmt::format("the key has more than {} dots, that is the limit", kMaxDots));
    }
    if (c == '\n' || c == ',' || c == '=' || c == '[' || c == ']' || c == '{' || c == '}') dots = 0;
    ++i;
    if (c == '\n') {
      ++line;
      line_begin = i;
    }
  }
  return {};
}

Value convert(const toml::node& node);

Table convert_table(const toml::table& table) {
  Table entries;
  for (const auto& [key, node] : table) {
    const Position at = to_position(key.source().begin);
    entries.push_back({.key = std::string{key.str()}, .at = at, .value = convert(node)});
  }
  std::ranges::stable_sort(entries, {}, &Entry::at);
  return entries;
}

Value convert(const toml::node& node) {
  Value value{.at = to_position(node.source().begin)};
  if (const auto* boolean = node.as_boolean()) {
    value.value = boolean->get();
  } else if (const auto* integer = node.as_integer()) {
    value.value = integer->get();
  } else if (const auto* fraction = node.as_floating_point()) {
    value.value = fraction->get();
  } else if (const auto* text = node.as_string()) {
    value.value = text->get();
  } else if (const auto* array = node.as_array()) {
    List list;
    for (const toml::node& each : *array) list.push_back(convert(each));
    value.value = std::move(list);
  } else if (const auto* table = node.as_table()) {
    value.value = convert_table(*table);
  } else {
    value.value = Date{};
  }
  return value;
}

}  // namespace

Result<Value> parse_toml(std::string_view text, std::string_view file) {
  if (text.size() > kMaxJobBytes) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} has more than {} bytes, that is the limit of a job", file, kMaxJobBytes));
  }
  VYRE_TRY(check_dots(text, file));
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    std::string message{error.description()};
    std::ranges::replace_if(message, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return refuse_at(file, to_position(error.source().begin), fmt::format("this is no TOML: {}", message));
  }
  return Value{.value = convert_table(parsed.table())};
}

}  // namespace vyre::cli::job
