#include "cli/job/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vyre::cli::job {
namespace {

/// Reads a number such as `18446744073709551615` or `0xffff`.
std::optional<std::uint64_t> parse_digits(std::string_view text) noexcept {
  const bool is_hex = text.starts_with("0x");
  if (is_hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Number> to_number(const Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value.value)) return *boolean;
  if (const auto* integer = std::get_if<std::int64_t>(&value.value)) return *integer;
  if (const auto* fraction = std::get_if<double>(&value.value)) return *fraction;
  const auto* text = std::get_if<std::string>(&value.value);
  const std::optional<std::uint64_t> digits = text != nullptr ? parse_digits(*text) : std::nullopt;
  if (!digits) return std::nullopt;
  if (std::in_range<std::int64_t>(*digits)) return static_cast<std::int64_t>(*digits);
  return *digits;
}

bool is_name(std::string_view text) noexcept {
  return !text.empty() && std::ranges::none_of(text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
}

}  // namespace

Result<Name> read_key(std::string_view file, const Entry& entry) {
  if (is_name(entry.key)) return Name{.text = entry.key, .at = entry.at};
  return refuse_at(file, entry.at,
                   fmt::format("the name '{}' is empty or has control characters, others are taken", shown(entry.key)));
}

Result<Fields> Fields::open(std::string_view file, const Value& value, std::string what,
                            std::initializer_list<std::string_view> keys) {
  const auto* table = std::get_if<Table>(&value.value);
  if (table == nullptr) {
    return refuse_at(file, value.at,
                     fmt::format("{} is {}, it takes a table with {}", what, describe(value), fmt::join(keys, ", ")));
  }
  for (const Entry& entry : *table) {
    if (std::ranges::find(keys, entry.key) != keys.end()) continue;
    return refuse_at(
        file, entry.at,
        fmt::format("there is no key '{}' in {}, there are {}", shown(entry.key), what, fmt::join(keys, ", ")));
  }
  return Fields{file, value, *table, std::move(what)};
}

const Value* Fields::find(std::string_view key) const noexcept {
  const auto found = std::ranges::find(*table_, key, &Entry::key);
  return found == table_->end() ? nullptr : &found->value;
}

Result<const Value*> Fields::need(std::string_view key, std::string_view takes) const {
  if (const Value* found = find(key)) return found;
  return refuse(fmt::format("{} has no '{}', it takes {}", what_, key, takes));
}

Result<std::string_view> Fields::only_one_of(std::initializer_list<std::string_view> keys) const {
  std::vector<std::string_view> found;
  std::ranges::copy_if(keys, std::back_inserter(found), [&](std::string_view key) { return find(key) != nullptr; });
  if (found.size() == 1) return found.front();
  if (found.empty()) return refuse(fmt::format("{} has none of {}, it takes one", what_, fmt::join(keys, ", ")));
  return refuse(fmt::format("{} has {}, it takes only one of them", what_, fmt::join(found, " and ")));
}

std::unexpected<Error> Fields::refuse(std::string_view message) const { return refuse_at(file_, at_, message); }

std::unexpected<Error> refuse_value(std::string_view file, const Value& value, std::string_view key,
                                    std::string_view takes) {
  return refuse_at(file, value.at, fmt::format("'{}' is {}, it takes {}", shown(key), describe(value), takes));
}

Result<const Table*> read_table(std::string_view file, const Value& value, std::string_view key,
                                std::string_view takes) {
  if (const auto* table = std::get_if<Table>(&value.value)) return table;
  return refuse_value(file, value, key, takes);
}

Result<const List*> read_list(std::string_view file, const Value& value, std::string_view key, std::string_view takes) {
  if (const auto* list = std::get_if<List>(&value.value)) return list;
  return refuse_value(file, value, key, takes);
}

Result<Name> read_text(std::string_view file, const Value& value, std::string_view key, std::string_view takes) {
  const auto* text = std::get_if<std::string>(&value.value);
  if (text == nullptr || !is_name(*text)) return refuse_value(file, value, key, takes);
  return Name{.text = *text, .at = value.at};
}

Result<std::int64_t> read_integer(std::string_view file, const Value& value, std::string_view key, std::int64_t least) {
  const auto* integer = std::get_if<std::int64_t>(&value.value);
  if (integer != nullptr && *integer >= least) return *integer;
  const bool is_bounded = least != std::numeric_limits<std::int64_t>::min();
  return refuse_value(file, value, key,
                      is_bounded ? fmt::format("a whole number from {} on", least) : "a whole number");
}

Result<Number> read_number(std::string_view file, const Value& value, std::string_view key) {
  if (const std::optional<Number> number = to_number(value); number && !std::holds_alternative<bool>(*number)) {
    return *number;
  }
  return refuse_value(file, value, key, "a number");
}

Result<double> read_fraction(std::string_view file, const Value& value, std::string_view key) {
  double fraction = std::numeric_limits<double>::quiet_NaN();
  if (const auto* given = std::get_if<double>(&value.value)) fraction = *given;
  if (const auto* given = std::get_if<std::int64_t>(&value.value)) fraction = static_cast<double>(*given);
  // With an infinite tolerance almost everything would count as equal.
  if (fraction >= 0 && std::isfinite(fraction)) return fraction;
  return refuse_value(file, value, key, "a finite number from 0 on");
}

Result<Quantity> read_quantity(std::string_view file, const Value& value, std::string_view key) {
  if (const auto* text = std::get_if<std::string>(&value.value); text != nullptr && text->starts_with('$')) {
    return Quantity{.value = text->substr(1), .at = value.at};
  }
  if (const std::optional<Number> number = to_number(value)) return Quantity{.value = *number, .at = value.at};
  return refuse_value(file, value, key, "a number, or a loop variable like \"$i\"");
}

Result<Shape> read_shape(std::string_view file, const Value& value, std::string_view key) {
  constexpr std::size_t kMaxDimensions = 32;
  const auto* list = std::get_if<List>(&value.value);
  if (list == nullptr) {
    VYRE_ASSIGN(const std::int64_t side, read_integer(file, value, key, 1));
    return Shape{static_cast<std::uint64_t>(side)};
  }
  if (list->empty() || list->size() > kMaxDimensions) {
    return refuse_value(file, value, key, fmt::format("a size, or a list of 1 to {} of them", kMaxDimensions));
  }
  Shape shape;
  for (const Value& each : *list) {
    VYRE_ASSIGN(const std::int64_t side, read_integer(file, each, key, 1));
    shape.push_back(static_cast<std::uint64_t>(side));
  }
  return shape;
}

}  // namespace vyre::cli::job
