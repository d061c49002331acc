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

/// The value of an input: a count, a time (all 64-bit inputs are nanoseconds), a switch, a kind of support, or slots.
using Setting = std::variant<std::uint32_t, std::uint64_t, bool, policy::BindlessSupport, policy::SlotSet>;

/// A field of a verdict, as the test vectors write it.
struct VerdictField {
  std::string name;   ///< `decision`, `savings_ns`, `reason`, …
  std::string value;  ///< `persistent_kernel`, `2450000`, …

  friend bool operator==(const VerdictField&, const VerdictField&) = default;
};

/// A time in nanoseconds, and the formula for it.
struct Figure {
  std::string name;     ///< `standard_launches`
  std::string formula;  ///< `500 × 5000`
  u128 ns = 0;

  friend bool operator==(const Figure&, const Figure&) = default;
};

/// A condition for the better way. It is only chosen if all its conditions hold.
struct Check {
  std::string condition;  ///< `batch_size ≥ 2`
  Setting value;          ///< The value of the input.
  bool holds = false;

  friend bool operator==(const Check&, const Check&) = default;
};

/// The smallest value of an input with which the better way wins, if all other inputs stay the same.
struct BreakEven {
  std::string input;
  std::optional<std::uint32_t> value;  ///< Nothing if no value of the input's range is enough.
  std::string winner;                  ///< `persistent-kernel`

  friend bool operator==(const BreakEven&, const BreakEven&) = default;
};

/// The nearest value of an input that changes the verdict, if all other inputs stay the same.
struct Flip {
  std::string input;
  Setting from;
  std::optional<Setting> to;  ///< Nothing if no value of the input's range changes the verdict.
  std::string decision;       ///< The display of the decision with that value; empty without `to`.
  bool and_beyond = false;    ///< Whether all further values have the same verdict.

  friend bool operator==(const Flip&, const Flip&) = default;
};

/// The explanation of a decision: the verdict, the numbers that it was made from, and what would change it.
struct Explanation {
  std::string policy;    ///< `persistent_kernel`
  std::string question;  ///< `D1: N launches, or …?`
  std::vector<VerdictField> decision;
  std::string display;  ///< `persistent-kernel:2450000`
  std::string summary;  ///< The verdict in plain words.
  std::vector<Check> checks;
  std::vector<Figure> costs;            ///< The costs of the plain way and of the better one. The smaller wins.
  std::vector<Figure> savings;          ///< The savings of launch modes, if several compete. The greatest wins.
  std::optional<BreakEven> break_even;  ///< Nothing if the decision does not depend on a quantity.
  std::vector<Flip> flips;              ///< In the order of the inputs; an input may have two.
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

/// One line of JSON. Nanoseconds are decimal strings, other integers are numbers, and absent values are null.
[[nodiscard]] std::string to_json(const Explanation& explanation);
/// One line of JSON: the decisions by the name of their policy, then the audit events.
[[nodiscard]] std::string to_json(const BundleExplanation& bundle);

/// The text with thousands separators in every run of digits: `500 × 5,000`.
[[nodiscard]] std::string with_separators(std::string_view text);

/// A name as a person writes it: `persistent kernel` for `persistent_kernel` and `persistent-kernel`.
[[nodiscard]] std::string to_words(std::string_view name);

/// A setting as text for a person: `5,000`, `yes`, `full`. A long list of slots is shortened: `{0, 1, 2, and 94 more}`.
[[nodiscard]] std::string to_text(const Setting& setting);

}  // namespace vyre::report
