#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <vyre/base/u128.hpp>
#include <vyre/policy/audit_event.hpp>
#include <vyre/policy/bindless.hpp>
#include <vyre/policy/slot_set.hpp>

namespace vyre::report {

/// What an input is set to: a count, nanoseconds (the only 64-bit inputs there are), a switch, a kind, slots.
using Setting = std::variant<std::uint32_t, std::uint64_t, bool, policy::BindlessSupport, policy::SlotSet>;

/// A field of a verdict, as the test vectors write it.
struct VerdictField {
  std::string name;   ///< `decision`, `savings_ns`, `reason`, …
  std::string value;  ///< `persistent_kernel`, `2450000`, …

  friend bool operator==(const VerdictField&, const VerdictField&) = default;
};

/// An amount of nanoseconds, and how it comes about.
struct Figure {
  std::string name;     ///< `standard_launches`
  std::string formula;  ///< `500 × 5000`
  u128 ns = 0;

  friend bool operator==(const Figure&, const Figure&) = default;
};

/// One of the conditions that all have to hold before the plain way is left.
struct Check {
  std::string condition;  ///< `batch_size ≥ 2`
  Setting value;          ///< What was found.
  bool holds = false;

  friend bool operator==(const Check&, const Check&) = default;
};

/// The smallest value of an input at which the better way wins, all other inputs staying as they are.
struct BreakEven {
  std::string input;
  std::optional<std::uint32_t> value;  ///< Nothing if no value of the input's range is enough.
  std::string winner;                  ///< `persistent-kernel`

  friend bool operator==(const BreakEven&, const BreakEven&) = default;
};

/// The nearest value of one input, all others staying as they are, that changes the verdict.
struct Flip {
  std::string input;
  Setting from;
  std::optional<Setting> to;  ///< Nothing if no value of the input's range changes the verdict.
  std::string decision;       ///< What is decided there, as it is displayed; empty without `to`.
  bool and_beyond = false;    ///< Whether every value further on decides alike, its savings aside.

  friend bool operator==(const Flip&, const Flip&) = default;
};

/// One decision: what was decided, from which numbers, and what would have changed it.
struct Explanation {
  std::string policy;    ///< `persistent_kernel`
  std::string question;  ///< `D1: N launches, or …?`
  std::vector<VerdictField> decision;
  std::string display;  ///< `persistent-kernel:2450000`
  std::string summary;  ///< The verdict in plain words.
  std::vector<Check> checks;
  std::vector<Figure> costs;            ///< Of the plain way, then of the better one. The smaller wins.
  std::vector<Figure> savings;          ///< Where modes compete by what they save. The greater wins.
  std::optional<BreakEven> break_even;  ///< Nothing where no quantity decides.
  std::vector<Flip> flips;              ///< In the order of the inputs; an input may flip both ways.
  std::vector<std::string> notes;

  friend bool operator==(const Explanation&, const Explanation&) = default;
};

/// All decisions of a batch.
struct BundleExplanation {
  std::vector<Explanation> decisions;  ///< In the order of the vectors; `primary_mode` last.
  std::vector<policy::AuditEvent> audit_events;

  friend bool operator==(const BundleExplanation&, const BundleExplanation&) = default;
};

/// Text for a person, at most 100 columns wide, every line ending in a newline.
[[nodiscard]] std::string to_string(const Explanation& explanation);
/// The primary mode, the verdicts and the audit events at a glance, then a section per decision.
[[nodiscard]] std::string to_string(const BundleExplanation& bundle);

/// One line of JSON. Nanoseconds are decimal strings, other integers numbers, and what is absent is null.
[[nodiscard]] std::string to_json(const Explanation& explanation);
/// One line of JSON: the decisions by the name of their policy, then the audit events.
[[nodiscard]] std::string to_json(const BundleExplanation& bundle);

/// The text with thousands separators in every run of digits: `500 × 5,000`.
[[nodiscard]] std::string with_separators(std::string_view text);

/// A name as a person writes it: `persistent kernel` for `persistent_kernel` and `persistent-kernel`.
[[nodiscard]] std::string to_words(std::string_view name);

/// A setting as a person reads it: `5,000`, `yes`, `full`, and of many slots the first: `{0, 1, 2, and 94 more}`.
[[nodiscard]] std::string to_text(const Setting& setting);

}  // namespace vyre::report
