#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <vyre/choice/way.hpp>
#include <vyre/policy/audit_event.hpp>
#include <vyre/runtime/batch_description.hpp>

namespace vyre::runtime {

/// How a batch is launched. Its spans are valid until the chooser decides again.
struct Decision {
  /// The launch mode, and whether a list is kept for it.
  choice::Way way = choice::Way::Batched;
  std::string_view reason = {};  ///< Why, for the report.
  /// The kinds of groups of the batch, and for each kind whether it runs in the form of `way`. Other groups run in the
  /// form in which their dispatches were gathered. Both are empty if no group runs in the form of `way`.
  std::span<const ShapeKind> kinds = {};
  const std::vector<bool>* uses_form = nullptr;
  /// If the tuner chose: the shape and launch mode that the time of this batch is a sample of, and the audit events of
  /// the policies.
  std::optional<choice::UsedWay> used = {};
  /// If the list is to be timed group by group: the form that is timed, in the place of that of `way`.
  std::optional<program::FormKind> timed = {};
  std::span<const policy::AuditEvent> events = {};
  std::uint64_t asked_ns = 0;  ///< The time spent in asking the tuner.

  /// The form in which a kind of groups runs; nothing if it runs in the form in which it was gathered.
  [[nodiscard]] std::optional<program::FormKind> form_of(const ShapeKind& kind) const noexcept {
    const program::FormKind form = timed.value_or(choice::form_of(way));
    if (uses_form == nullptr || form == program::FormKind::Descriptor) return std::nullopt;
    const auto found = std::ranges::find(kinds, kind);
    const bool is_used = found != kinds.end() && (*uses_form)[static_cast<std::size_t>(found - kinds.begin())];
    return is_used ? std::optional{form} : std::nullopt;
  }
};

}  // namespace vyre::runtime
