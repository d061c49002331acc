#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <vyre/choice/batch_shape.hpp>
#include <vyre/choice/calibration.hpp>
#include <vyre/choice/way.hpp>
#include <vyre/policy/audit_event.hpp>
#include <vyre/policy/dispatch_policy.hpp>

namespace vyre::choice {

/// What a batch costs in each launch mode, by `Way`, as estimated at one moment.
struct Prices {
  std::array<double, kWays> ns = {};        ///< Each time; infinite where the mode is impossible.
  std::array<double, kWays> setup_ns = {};  ///< Once: compiling and recording that has not been done.
  double repeats = 1;                       ///< How often batches of the shape are expected from now on,
  double exact_repeats = 1;                 ///< and how often exactly this one.

  /// One time, with its share of the setup.
  [[nodiscard]] double amortised_ns(Way way) const noexcept;
};

/// The questions about one kind of groups, and the answers.
struct GroupVerdict {
  policy::DispatchFacts facts = {};
  std::uint32_t bindless_threshold = 0;  ///< From this many buffers on, a table is estimated to cost less.
  policy::DispatchPolicy answer = {};
  /// Whether the list of one launch for many is kept: the second question, where the first answer is that launch.
  policy::CommandReuseInputs queue_list = {};
  policy::CommandReuseDecision queue_reuse = {};

  friend bool operator==(const GroupVerdict&, const GroupVerdict&) = default;
};

/// The launch mode that the policies come to for a batch.
///
/// Each kind of groups gets its share of the batch's prices, by dispatches. D9 compares a table with a list made anew.
/// D1 compares one launch for many with the cheaper of these two, D4 a list kept for exactly this batch; the greater
/// saving wins. One launch for many is used if it wins for any kind; D4 is then asked once more, whether its list is
/// kept.
class Verdict {
 public:
  /// Asks. Memory is kept from one batch to the next.
  Way decide(const BatchShape& shape, const Calibration& calibration, const Prices& prices,
             policy::Evaluate evaluate = policy::evaluate);

  /// By kind of groups, as of the last question.
  [[nodiscard]] std::span<const GroupVerdict> groups() const noexcept { return groups_; }
  /// The audit events of a batch that is launched in `way`: one for each kind and each decision that left the plain
  /// path there. A launch mode that the policies did not choose, as in a trial, saves 0 in its event.
  void events(Way way, const std::vector<bool>& uses_form, std::vector<policy::AuditEvent>& out) const;

 private:
  std::vector<GroupVerdict> groups_;
};

}  // namespace vyre::choice
