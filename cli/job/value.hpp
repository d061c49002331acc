#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <vyre/base/error.hpp>

namespace vyre::cli::job {

/// A place in the text of a job. Lines and columns count from 1.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  friend auto operator<=>(const Position&, const Position&) = default;
};

struct Value;
struct Entry;
using List = std::vector<Value>;
using Table = std::vector<Entry>;  ///< The entries, in the order of the text.

/// A date or a time. No key of a job has such a value.
struct Date {};

/// A TOML value and its place in the text.
struct Value {
  Position at = {};
  std::variant<bool, std::int64_t, double, std::string, Date, List, Table> value;
};

struct Entry {
  std::string key = {};
  Position at = {};
  Value value = {};
};

/// `a table`, `the string "abc"`, `the number 3`
[[nodiscard]] std::string describe(const Value& value);

/// Text of a job for a message: shortened, and without control characters.
[[nodiscard]] std::string shown(std::string_view text);

/// The largest job in bytes.
inline constexpr std::size_t kMaxJobBytes = std::size_t{1} << 20;

/// Reads the text of a job as TOML; `file` is its name for messages. `InvalidArgument`, with file, line and column.
[[nodiscard]] Result<Value> parse_toml(std::string_view text, std::string_view file);

/// The error with its place in front of the message: `job.toml:3:7: `.
[[nodiscard]] Error error_at(std::string_view file, Position at, Error error);
[[nodiscard]] std::unexpected<Error> refuse_at(std::string_view file, Position at, std::string_view message);

}  // namespace vyre::cli::job
