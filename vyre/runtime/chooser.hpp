#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <vyre/report/choice_report.hpp>
#include <vyre/runtime/batch_planner.hpp>
#include <vyre/runtime/decision.hpp>
#include <vyre/runtime/learned.hpp>
#include <vyre/runtime/recording_cache.hpp>
#include <vyre/runtime/session.hpp>
#include <vyre/runtime/stopwatch.hpp>
#include <vyre/runtime/tuner.hpp>

namespace vyre::runtime {

/// Decides how each batch of a session is launched.
///
/// With a pinned launch mode the answer is always the same. In the mode `Auto` the tuner chooses, once the device is
/// calibrated, for batches with dispatches and more than one operation; other batches follow a rule: one list, which is
/// kept when the batch comes for the second time. A decision holds for several batches of a shape, so that most batches
/// do not ask the tuner. Thread safety: one thread at a time; the device outlives this.
class Chooser {
 public:
  Chooser(backend::Device& device, const SessionOptions& options);

  [[nodiscard]] const std::shared_ptr<Tuner>& tuner() const noexcept { return tuner_; }

  /// D2's answers, by which batches are planned.
  [[nodiscard]] plan::WaitRule wait_rule() const { return plan::WaitRule::ask(tuner_->learned().policy()); }
  /// D3's answer: whether the host may write to the bytes of `slot` while the dispatches of an arm run.
  [[nodiscard]] bool may_overlap(std::uint32_t slot, const policy::Arm& kernels) const;

  /// A question to the chooser: a batch, and the stages that it asks about the batch.
  struct Request {
    const plan::Batch& batch;
    BatchPlanner& planner;
    const ProgramTable& programs;
    RecordingCache& recordings;
    std::size_t max_arms = 1;
    bool may_try = false;  ///< Whether a trial may begin: nothing was launched since the last measurement ended.
    bool is_idle = false;  ///< Whether nothing is pending, so that groups may be timed.
    bool is_captured = false;
    bool is_changed = false;  ///< Whether a captured batch has other buffers or parameters than were captured.
  };
  [[nodiscard]] Decision decide(const Request& request);
  /// Notes that a batch was launched, or failed, as decided.
  void note_launch(const Decision& decision, const plan::Batch& batch) noexcept;
  /// Called after a launch failed before anything was submitted. Gives whether the failure came from an optional form.
  /// Its programs do not get that form any more, so that the batch can be decided for again.
  [[nodiscard]] bool can_do_without(const Decision& decision, const Error& error, ProgramTable& programs);

  /// How much time calibration may take before this batch is decided for; 0 if none.
  [[nodiscard]] std::uint64_t calibration_budget_ns(const plan::Batch& batch) const noexcept;
  /// Calibrates the device, or a part of it. If it cannot be measured, it is not tried again, and the rule decides.
  [[nodiscard]] Result<void> calibrate(std::chrono::nanoseconds timeout, std::uint64_t budget_ns);

  /// Learns from the time of completed batches.
  void observe(const TimedBatches& timed);
  /// Learns the times of the groups of a batch that was to be timed.
  void observe_groups(std::span<const GroupTime> groups);
  /// Notes the time that a decision cost once, by compiling and recording.
  void note_setup(const Decision& decision, std::uint64_t ns);
  /// Notes the time of a lap while the device is not calibrated.
  void note_lap(std::uint64_t ns) noexcept;
  void note_planning(std::uint64_t ns, std::size_t operations);

  /// Forgets everything that names programs by number, because a number gets another program.
  void forget_programs() noexcept;
  /// What is known of a shape; null if nothing is.
  [[nodiscard]] std::shared_ptr<const report::ShapeReport> report_of(std::uint64_t shape, const ProgramTable& programs);
  [[nodiscard]] report::PredictionErrors errors();

 private:
  /// Batches of a shape, and what was decided for the last of them.
  struct KnownShape {
    std::vector<ShapeKind> kinds = {};
    TunedChoice chosen = {};
    std::uint64_t hash = 0;                          // Of the batch for which it was asked.
    bool came_before = false;                        // Whether that batch had come before.
    std::uint32_t left = 0;                          // Batches for which the decision still holds.
    std::uint32_t unasked = 0;                       // Batches for which it held.
    std::uint64_t batches = 0;                       // Batches of the shape.
    bool has_news = false;                           // Whether the tuner learned of the shape since it was asked.
    std::vector<TimedBatches::Sample> samples = {};  // Not given to the tuner yet.
    std::shared_ptr<const report::ShapeReport> report = {};  // As of the last time that the tuner was asked.
  };
  /// A batch that came, by its hash.
  struct SeenBatch {
    std::uint64_t hash = 0;
    std::uint64_t shape = 0;
    std::uint32_t times = 0;
  };
  static constexpr std::size_t kSeenBatches = std::size_t{1} << 10;

  [[nodiscard]] Decision pinned(const Request& request);
  [[nodiscard]] Decision by_rule(const Request& request);
  [[nodiscard]] Decision choose(const Request& request);
  /// A decision for a batch of a known shape; nothing if session or tuner do not know the shape.
  [[nodiscard]] std::optional<Decision> decide_known(const Request& request, const SeenBatch& seen);
  [[nodiscard]] bool holds(const KnownShape& known, const Request& request, const SeenBatch& seen) const noexcept;
  [[nodiscard]] bool ask(KnownShape& known, const Request& request, const SeenBatch& seen);
  /// Which forms the programs of a shape can have, by kind.
  void find_forms(const KnownShape& known, const ProgramTable& programs);
  void tell(KnownShape& known);
  static void ask_again(KnownShape& known) noexcept;
  /// The high bits of a hash depend on everything that went into it.
  [[nodiscard]] SeenBatch& seen_place(std::uint64_t hash) noexcept {
    static_assert(kSeenBatches == std::size_t{1} << 10);
    return seen_[hash >> 54];
  }

  backend::Device* device_;
  std::shared_ptr<Tuner> tuner_;
  LaunchMode mode_;
  double exploration_;
  std::uint64_t patience_ns_;  // The time that sessions work by the rule before the device is calibrated.
  bool may_keep_;
  bool has_tables_;
  bool is_measurable_ = true;
  std::unordered_map<std::uint64_t, KnownShape> shapes_;
  std::array<SeenBatch, kSeenBatches> seen_ = {};
  BatchDescription description_;                  // Room.
  std::vector<choice::ProgramForms> kind_forms_;  // Room.
  report::PredictionErrors errors_ = {};          // As the tuner said last.
  bool are_errors_old_ = true;
  // Of the batch whose groups are being timed.
  struct Timing {
    std::uint64_t shape = 0;
    program::FormKind form = program::FormKind::Descriptor;
    double setup_ns = 0;
  };
  Timing timing_;
};

}  // namespace vyre::runtime
