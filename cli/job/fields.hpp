#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cli/job/job.hpp"

namespace vyre::cli::job {

/// A table of a job whose keys are all known.
class Fields {
 public:
  /// `what` names the table in messages. `InvalidArgument` if the value is not a table, or has a key that is not in
  /// `keys`.
  [[nodiscard]] static Result<Fields> open(std::string_view file, const Value& value, std::string what,
                                           std::initializer_list<std::string_view> keys);

  [[nodiscard]] std::string_view file() const noexcept { return file_; }
  [[nodiscard]] Position at() const noexcept { return at_; }
  [[nodiscard]] const std::string& what() const noexcept { return what_; }
  /// The value of a key; null if the table does not have it.
  [[nodiscard]] const Value* find(std::string_view key) const noexcept;
  [[nodiscard]] Result<const Value*> need(std::string_view key, std::string_view takes) const;
  /// The one of these keys that the table has. `InvalidArgument` if it has none or several.
  [[nodiscard]] Result<std::string_view> only_one_of(std::initializer_list<std::string_view> keys) const;
  [[nodiscard]] std::unexpected<Error> refuse(std::string_view message) const;

 private:
  Fields(std::string_view file, const Value& value, const Table& table, std::string what) noexcept
      : file_{file}, at_{value.at}, table_{&table}, what_{std::move(what)} {}

  std::string_view file_;
  Position at_;
  const Table* table_;
  std::string what_;
};

/// An error such as `'size' is a list of 4, it takes …`, with the place of the value.
[[nodiscard]] std::unexpected<Error> refuse_value(std::string_view file, const Value& value, std::string_view key,
                                                  std::string_view takes);

[[nodiscard]] Result<const Table*> read_table(std::string_view file, const Value& value, std::string_view key,
                                              std::string_view takes);
[[nodiscard]] Result<const List*> read_list(std::string_view file, const Value& value, std::string_view key,
                                            std::string_view takes);
/// Reads the key of a table as a name. Refuses an empty one and control characters.
[[nodiscard]] Result<Name> read_key(std::string_view file, const Entry& entry);
/// Reads a string. Refuses an empty one and control characters.
[[nodiscard]] Result<Name> read_text(std::string_view file, const Value& value, std::string_view key,
                                     std::string_view takes);
[[nodiscard]] Result<std::int64_t> read_integer(std::string_view file, const Value& value, std::string_view key,
                                                std::int64_t least = std::numeric_limits<std::int64_t>::min());
/// Reads a number, or a string of digits for a number beyond TOML's range.
[[nodiscard]] Result<Number> read_number(std::string_view file, const Value& value, std::string_view key);
[[nodiscard]] Result<double> read_fraction(std::string_view file, const Value& value, std::string_view key);
/// A number or `"$i"`.
[[nodiscard]] Result<Quantity> read_quantity(std::string_view file, const Value& value, std::string_view key);
/// One size, or a list of them.
[[nodiscard]] Result<Shape> read_shape(std::string_view file, const Value& value, std::string_view key);

}  // namespace vyre::cli::job
