#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/choice/calibration.hpp>
#include <vyre/choice/forecast.hpp>
#include <vyre/choice/kernel_times.hpp>
#include <vyre/choice/mode_choice.hpp>
#include <vyre/choice/verdict.hpp>
#include <vyre/choice/way.hpp>
#include <vyre/report/choice_report.hpp>
#include <vyre/runtime/group_timer.hpp>

namespace vyre::runtime {

using choice::UsedWay;

/// The decision for a batch, and for those of its shape that follow.
struct TunedChoice {
  choice::Choice choice = {};
  choice::Way proposed = choice::Way::Batched;  ///< The policies' verdict.
  /// The form in which the groups of the batch are to be timed, if they are.
  std::optional<program::FormKind> timed = {};
  std::vector<bool> uses_form = {};             ///< By kind of groups: whether it runs in the form of the launch mode.
  std::vector<policy::AuditEvent> events = {};  ///< Of what is launched.
  /// How many more batches the decision holds for, unless one takes much longer than expected.
  std::uint32_t holds_for = 0;
  double per_wait = 1;  ///< For how many batches per wait, about, the decision holds.
};

/// Everything learned of a device: its calibration, the times of kernels, and for each shape of batch the estimates of
/// its launch modes.
///
/// Bounded: the shapes that were not used for the longest time are forgotten. Thread safety: all members may be called
/// concurrently.
class Learned {
 public:
  static constexpr std::size_t kMaxShapes = 512;
  /// More often than this is as good as for ever.
  static constexpr std::uint32_t kMostSeen = 1U << 20;

  /// Takes a calibration. `InvalidArgument`, naming the first time or ratio that is not finite.
  [[nodiscard]] Result<void> set(const choice::Calibration& calibration);
  [[nodiscard]] std::optional<choice::Calibration> calibration() const;
  [[nodiscard]] bool is_calibrated() const noexcept { return is_calibrated_; }
  /// The time that sessions have spent on the device until it was calibrated.
  [[nodiscard]] std::uint64_t spent_ns() const noexcept { return spent_ns_; }
  void note_spent(std::uint64_t ns) noexcept { spent_ns_ += ns; }
  /// The time that calibrating the device has taken so far.
  [[nodiscard]] std::uint64_t calibrating_ns() const noexcept { return calibrating_ns_; }
  void note_calibrating(std::uint64_t ns) noexcept { calibrating_ns_ += ns; }

  /// Makes a shape known, if it is not.
  void learn(const choice::BatchShape& shape);

  /// Puts another policy in the place of `policy::evaluate_dispatch_policy`; for tests of what its verdicts change.
  void set_policy(policy::Evaluate policy) noexcept { policy_ = policy; }
  [[nodiscard]] policy::Evaluate policy() const noexcept { return policy_; }

  /// A question about one batch of a known shape.
  struct Question {
    std::uint64_t shape = 0;
    std::span<const choice::ProgramForms> forms = {};  ///< By kind of groups.
    choice::Moment moment = {};                        ///< How often the shape came is known here.
    std::uint32_t unasked = 0;                         ///< Batches since the last question.
    bool may_time = false;                             ///< Whether groups may be timed: nothing else is pending.
  };
  /// Answers, and may choose a mode only to learn how long it takes. Gives false, and no answer, if the shape is not
  /// known or the device is not calibrated.
  [[nodiscard]] bool choose(const Question& question, TunedChoice& chosen);

  /// Learns the time of batches that were launched and awaited together. `is_undisturbed`: the host did next to nothing
  /// else meanwhile, so that the time beyond the launches is the kernels'.
  void observe(std::span<const UsedWay> used, double elapsed_ns, bool is_undisturbed);
  /// Learns the times of groups of a batch, whose list took `setup_ns` to prepare.
  void observe_groups(std::uint64_t shape, program::FormKind form, std::span<const GroupTime> groups, double setup_ns);
  /// Learns the same of some time ago. Does nothing if batches of the shape are awaited otherwise by now.
  void observe_late(const UsedWay& used, double elapsed_ns, bool is_undisturbed);
  /// Counts time that a shape spent once, on compiling or recording.
  void note_setup(std::uint64_t shape, double ns);
  /// Learns the time of planning a batch.
  void note_planning(double ns, std::size_t operations);

  /// The times of all kernels, to be kept for another process; and takes over those that another process kept.
  [[nodiscard]] choice::KernelTimes kernels() const;
  void recall(choice::KernelTimes::Key key, const choice::KernelTimes::Times& times);

  /// The shapes that are known, those used last first, and what is known of one. Programs have no names here.
  [[nodiscard]] std::vector<std::uint64_t> shapes() const;
  [[nodiscard]] std::optional<report::ShapeReport> report(std::uint64_t shape) const;
  [[nodiscard]] report::PredictionErrors errors() const;
  /// Whether nothing is left to try for a shape, for batches like the last of it.
  [[nodiscard]] bool is_settled(std::uint64_t shape) const;

 private:
  struct Entry {
    choice::BatchShape shape = {};
    choice::ModeChoice choice = {};
    choice::Forecast forecast = {};
    std::vector<choice::ProgramForms> forms = {};  // Of the forecast.
    choice::Habits habits = {};                    // Of the forecast.
    bool is_stale = true;                          // Whether the forecast would be another one by now.
    std::uint64_t refreshed_at = 0;                // The batch for which the forecast was made.
    double per_wait = 1;                           // Batches for one wait, as usual.
    std::uint32_t unusual_waits = 0;
    double unknown_kernels_ns = 0;                          // See `choice::Habits`.
    std::array<std::uint32_t, program::kForms> timed = {};  // Lists whose groups were timed, by form.
    std::list<std::uint64_t>::iterator used = {};
  };

  void refresh(Entry& entry, std::span<const choice::ProgramForms> forms);
  void observe_one(Entry& entry, const UsedWay& used, double ns, bool is_undisturbed);
  void learn_kernels(Entry& entry, choice::Way way);
  /// The form in which to time the groups of a batch; nothing if that does not pay.
  [[nodiscard]] std::optional<program::FormKind> worth_timing(const Entry& entry, const Question& question) const;
  /// Whether timestamps told the times of all kernels of a batch, in the forms of a launch mode.
  [[nodiscard]] bool has_kernel_times(const Entry& entry, choice::Way way) const;
  void note_error(const choice::ModeChoice::Outcome& outcome) noexcept;
  [[nodiscard]] report::GroupReport report_group(const Entry& entry, std::size_t kind) const;

  mutable std::mutex mutex_;
  std::optional<choice::Calibration> calibration_;
  std::atomic<bool> is_calibrated_ = false;
  std::atomic<std::uint64_t> spent_ns_ = 0;
  std::atomic<std::uint64_t> calibrating_ns_ = 0;
  std::atomic<policy::Evaluate> policy_ = policy::evaluate;
  choice::KernelTimes kernels_;
  double plan_ns_ = 0;  // Per operation, on average.
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::list<std::uint64_t> order_;  // The shape that was used last comes first.
  // How many errors of predicted savings, relative to the measured ones, were within a factor; see `bucket_of`.
  std::array<std::uint64_t, 64> errors_ = {};
  std::uint64_t error_count_ = 0;
};

}  // namespace vyre::runtime
