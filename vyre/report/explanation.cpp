#include <vyre/report/explanation.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vyre/report/audit_log.hpp>

namespace vyre::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxColumns = 100;
constexpr std::string_view kMargin = "  ";
constexpr std::string_view kHanging = "    ";  // The indentation of continuation lines.

/// The width of a text on a terminal. Every code point in these texts is one column wide.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(std::string_view text, std::size_t width, bool to_the_right) {
  const std::string space(width - std::min(width, columns(text)), ' ');
  return to_the_right ? space + std::string{text} : std::string{text} + space;
}

/// Breaks a text into lines of at most `kMaxColumns`; lines after the first are indented.
std::string paragraph(std::string_view text) {
  std::string lines;
  std::size_t used = 0;
  for (const auto part : std::views::split(text, ' ')) {
    const std::string_view word{part.begin(), part.end()};
    if (used != 0 && used + 1 + columns(word) > kMaxColumns) {
      lines.append("\n").append(kHanging);
      used = columns(kHanging);
    } else if (used != 0) {
      lines.append(" ");
      ++used;
    }
    lines.append(word);
    used += columns(word);
  }
  return lines.append("\n");
}

using Row = std::vector<std::string>;

std::string line_of(std::span<const std::string> row, std::span<const std::size_t> widths, std::string_view align) {
  std::string line{kMargin};
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i != 0) line.append("  ");
    line.append(padded(row[i], widths[i], align[i] == '>'));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line.append("\n");
}

/// A table as text. `align` has a sign for each column: `<` for left, `>` for right. If the rows are too wide, the last
/// cell of each row gets a line of its own, at the right edge.
std::string table(const std::vector<Row>& rows, std::string_view align) {
  std::vector<std::size_t> widths(align.size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  const std::size_t total = std::accumulate(widths.begin(), widths.end(), columns(kMargin) + 2 * (align.size() - 1));
  std::string text;
  for (const Row& row : rows) {
    if (total <= kMaxColumns) {
      text.append(line_of(row, widths, align));
    } else {
      text.append(line_of(std::span{row}.first(row.size() - 1), widths, align));
      text.append(padded(row.back(), kMaxColumns, true)).append("\n");
    }
  }
  return text;
}

/// The name of an input in plain words, and its unit.
struct Label {
  std::string name;
  std::string unit;
};

Label label_of(std::string_view input) {
  for (const std::string_view unit : {"ns", "bps"}) {
    if (!input.ends_with(fmt::format("_{}", unit))) continue;
    return {.name = to_words(input.substr(0, input.size() - unit.size() - 1)), .unit = std::string{unit}};
  }
  return {.name = to_words(input), .unit = ""};
}

std::string to_short_string(const policy::SlotSet& slots) {
  constexpr std::size_t kMaxLength = 46;
  std::string text = to_string(slots);
  if (text.size() <= kMaxLength) return text;
  text.erase(text.rfind(", ", kMaxLength));
  const auto shown = static_cast<std::size_t>(std::ranges::count(text, ',')) + 1;
  return fmt::format("{}, and {} more}}", text, slots.size() - shown);
}

/// The verdict after a flip without its saving: `persistent-kernel` for `persistent-kernel:2450000`.
std::string_view verdict_of(const Flip& flip) {
  return std::string_view{flip.decision}.substr(0, flip.decision.find(':'));
}

Json json_of(const Setting& setting) {
  return std::visit(
      [](const auto& value) -> Json {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::uint64_t>)
          return to_decimal(value);
        else if constexpr (std::is_same_v<T, policy::BindlessSupport>)
          return std::string{to_string(value)};
        else if constexpr (std::is_same_v<T, policy::SlotSet>)
          return Json(std::vector(value.begin(), value.end()));
        else
          return value;
      },
      setting);
}

std::string text_of(std::span<const Figure> figures, std::string_view unit) {
  std::vector<Row> rows;
  for (const Figure& figure : figures) {
    rows.push_back({to_words(figure.name), with_separators(figure.formula),
                    fmt::format("{} {}", with_separators(to_decimal(figure.ns)), unit)});
  }
  return table(rows, "<<>");
}

std::string text_of(std::span<const Check> checks) {
  std::vector<Row> rows;
  for (const Check& check : checks) {
    rows.push_back({to_words(with_separators(check.condition)),
                    fmt::format("{}: {}", check.holds ? "holds" : "fails", to_text(check.value))});
  }
  return table(rows, "<<");
}

std::string text_of(const BreakEven& even) {
  const auto [input, unit] = label_of(even.input);
  const std::string winner = to_words(even.winner);
  if (!even.value) return fmt::format("break-even: {} wins at no {} while the other inputs stay\n", winner, input);
  return fmt::format("break-even: {} wins from a {} of {}{}{} on\n", winner, input,
                     with_separators(to_decimal(*even.value)), unit.empty() ? "" : " ", unit);
}

/// `or less` or `or more` for numbers; empty for other inputs, and if no further number follows in that direction.
template <typename T>
std::string_view direction(const T& from, const T& to) {
  if constexpr (std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>) {
    if (to != 0 && to != std::numeric_limits<T>::max()) return to < from ? " or less" : " or more";
  }
  return "";
}

std::string_view direction_of(const Flip& flip) {
  if (!flip.and_beyond) return "";
  return std::visit(
      [&](const auto& from) { return direction(from, std::get<std::remove_cvref_t<decltype(from)>>(*flip.to)); },
      flip.from);
}

/// The verdict after each flip, if it is the same for all; otherwise empty.
std::string_view common_target(std::span<const Flip> flips) {
  std::string_view target;
  for (const Flip& flip : flips) {
    const std::string_view decision = verdict_of(flip);
    if (!target.empty() && !decision.empty() && decision != target) return "";
    if (!decision.empty()) target = decision;
  }
  return target;
}

Row row_of(const Flip& flip, bool with_target) {
  const auto [input, unit] = label_of(flip.input);
  const std::string now = to_text(flip.from);
  const std::string heading = unit.empty() ? input : fmt::format("{}, {}", input, unit);
  if (!flip.to) return {heading, now, fmt::format("  no {} would", input)};
  std::string there = fmt::format("→ {}{}", to_text(*flip.to), direction_of(flip));
  if (with_target) there.append(": ").append(verdict_of(flip));
  return {heading, now, std::move(there)};
}

std::string text_of(std::span<const Flip> flips) {
  if (flips.empty()) return "";
  const std::string_view target = common_target(flips);
  std::vector<Row> rows;
  for (const Flip& flip : flips) rows.push_back(row_of(flip, target.empty()));
  return fmt::format("what alone would flip it{}{}\n", target.empty() ? "" : " to ", target) + table(rows, "<><");
}

Json json_of(std::span<const Figure> figures) {
  Json list = Json::array();
  for (const Figure& figure : figures) {
    list.push_back({{"name", figure.name}, {"formula", figure.formula}, {"ns", to_decimal(figure.ns)}});
  }
  return list;
}

Json json_of(std::span<const Check> checks) {
  Json list = Json::array();
  for (const Check& check : checks) {
    list.push_back({{"condition", check.condition}, {"value", json_of(check.value)}, {"holds", check.holds}});
  }
  return list;
}

Json json_of(const std::optional<BreakEven>& even) {
  if (!even) return nullptr;
  const Json value = even->value ? Json(*even->value) : Json(nullptr);
  return {{"input", even->input}, {"value", value}, {"winner", even->winner}};
}

Json json_of(std::span<const Flip> flips) {
  Json list = Json::array();
  for (const Flip& flip : flips) {
    list.push_back({{"input", flip.input},
                    {"from", json_of(flip.from)},
                    {"to", flip.to ? json_of(*flip.to) : Json(nullptr)},
                    {"decision", flip.to ? Json(flip.decision) : Json(nullptr)},
                    {"and_beyond", flip.and_beyond}});
  }
  return list;
}

Json json_of(const Explanation& explanation) {
  Json decision = Json::object();
  for (const VerdictField& field : explanation.decision) decision[field.name] = field.value;
  return {{"policy", explanation.policy},
          {"question", explanation.question},
          {"decision", std::move(decision)},
          {"display", explanation.display},
          {"summary", explanation.summary},
          {"checks", json_of(explanation.checks)},
          {"costs", json_of(explanation.costs)},
          {"savings", json_of(explanation.savings)},
          {"break_even", json_of(explanation.break_even)},
          {"flips", json_of(explanation.flips)},
          {"notes", explanation.notes}};
}

Json json_of(const policy::AuditEvent& event) {
  return {{"substrate", to_string(event.substrate)},
          {"action", to_string(event.action)},
          {"saved_ns", to_decimal(event.saved_ns)},
          {"detail", to_string(event.detail)}};
}

/// Appends a block of lines after a blank line, unless the block is empty.
void append_block(std::string& text, const std::string& block) {
  if (!block.empty()) text.append("\n").append(block);
}

}  // namespace

std::string with_separators(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    result.push_back(text[i]);
    const std::size_t run_end = std::min(text.find_first_not_of("0123456789", i), text.size());
    const std::size_t digits_left = run_end - i;
    if (digits_left > 1 && (digits_left - 1) % 3 == 0) result.push_back(',');
  }
  return result;
}

std::string to_words(std::string_view name) {
  std::string words{name};
  std::ranges::replace_if(words, [](char c) { return c == '_' || c == '-'; }, ' ');
  return words;
}

std::string to_text(const Setting& setting) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool>)
          return value ? "yes" : "no";
        else if constexpr (std::is_same_v<T, policy::BindlessSupport>)
          return std::string{to_string(value)};
        else if constexpr (std::is_same_v<T, policy::SlotSet>)
          return to_short_string(value);
        else
          return with_separators(to_decimal(value));
      },
      setting);
}

std::string to_string(const Explanation& explanation) {
  std::string text = paragraph(explanation.summary);
  append_block(text, text_of(explanation.costs, "ns"));
  append_block(text, text_of(explanation.savings, "ns saved"));
  append_block(text, text_of(explanation.checks));
  if (explanation.break_even) append_block(text, text_of(*explanation.break_even));
  append_block(text, text_of(explanation.flips));
  std::string notes;
  for (const std::string& note : explanation.notes) notes.append(paragraph("note: " + note));
  append_block(text, notes);
  return text;
}

std::string to_string(const BundleExplanation& bundle) {
  std::vector<Row> verdicts;
  verdicts.reserve(bundle.decisions.size());
  for (const Explanation& decision : bundle.decisions)
    verdicts.push_back({to_words(decision.policy), decision.display});
  std::string text = bundle.decisions.empty() ? "" : paragraph(bundle.decisions.back().summary);
  append_block(text, table(verdicts, "<<"));
  append_block(text, bundle.audit_events.empty() ? "no audit events\n" : "audit events\n");
  for (const policy::AuditEvent& event : bundle.audit_events) {
    text.append(fmt::format("{}{}\n", kMargin, to_string(event)));
  }
  for (const Explanation& decision : bundle.decisions) {
    text.append("\n\n").append(paragraph(decision.question)).append(to_string(decision));
  }
  return text;
}

std::string to_json(const Explanation& explanation) { return json_of(explanation).dump(); }

std::string to_json(const BundleExplanation& bundle) {
  Json decisions = Json::object();
  for (const Explanation& decision : bundle.decisions) decisions[decision.policy] = json_of(decision);
  Json events = Json::array();
  for (const policy::AuditEvent& event : bundle.audit_events) events.push_back(json_of(event));
  return Json{{"policy", "dispatch_bundle"}, {"decisions", std::move(decisions)}, {"audit_events", std::move(events)}}
      .dump();
}

}  // namespace vyre::report
