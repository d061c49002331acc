#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <vyre/choice/estimates.hpp>
#include <vyre/choice/forecast.hpp>
#include <vyre/choice/verdict.hpp>
#include <vyre/choice/way.hpp>

namespace vyre::choice {

/// Whether batches cost about the same, `a` or `b` of them for one wait: among many, the wait itself is next to
/// nothing.
inline constexpr double kManyPerWait = 16;
[[nodiscard]] constexpr bool are_alike_waits(double a, double b) noexcept {
  a = std::min(a, kManyPerWait);
  b = std::min(b, kManyPerWait);
  return a <= 2 * b && b <= 2 * a;
}

/// The launch mode that was chosen for a batch.
struct Choice {
  Way way = Way::Batched;
  bool is_trial = false;   ///< Launched to learn how long it takes.
  double expected_ns = 0;  ///< The estimated time, once everything is set up.

  friend bool operator==(const Choice&, const Choice&) = default;
};

/// The circumstances of one batch.
struct Moment {
  Appearances seen = {};
  std::array<bool, kWays> is_set_up = {};  ///< By `Way`: whether a list is kept that serves this batch.
  bool may_keep = true;                    ///< Whether lists may be kept at all.
  bool may_try = false;                    ///< Whether a trial can begin: a new measurement begins with this batch.
  double per_wait = 1;                     ///< How many batches are launched for one wait.
  double exploration = 0;                  ///< The share of the time that trials may cost.
};

/// What is known of one launch mode, for reports.
struct ModeEstimate {
  double ns = 0;
  double deviation = 0;  ///< Standard deviation of the logarithm of its ratio to the current mode.
  std::uint32_t trials = 0;
};

/// Chooses the launch mode of batches of one shape, and learns from their times.
///
/// The policies compare the estimates, and their verdict is the current mode, once it is clear enough that it costs
/// less than the current mode before. A trial launches a few batches in another mode, between batches in the current
/// mode, and only such neighbours are compared. A trial is run if the time it may save, over as many batches as have
/// come, exceeds what it costs; trials cost at most a share of all time. If the current mode changes its time, all
/// estimates become less certain, and trials follow from that.
class ModeChoice {
 public:
  ModeChoice() noexcept;

  [[nodiscard]] Choice choose(const BatchShape& shape, const Calibration& calibration, const Forecast& forecast,
                              const Moment& moment, policy::Evaluate evaluate = policy::evaluate);
  /// Counts batches for which the last choice held without a question.
  void skip(std::uint32_t batches) noexcept { batches_ += batches; }
  /// Learns how long a batch took, on average, of `batches` that were timed together.
  void observe(Way way, double ns, std::uint32_t batches);
  /// Counts time that a list whose groups were timed took longer than a batch in the current mode, with its setup.
  void note_timing(double ns) noexcept {
    total_ns_ += ns;
    trial_cost_ns_ += ns;
  }
  /// Whether trials have so much time left.
  [[nodiscard]] bool can_afford(double cost_ns, double exploration) const noexcept;
  /// The estimated time of the current mode.
  [[nodiscard]] double now_ns() const noexcept;
  /// Counts time that was spent once, on compiling or recording.
  void note_setup(double ns) noexcept;

  /// Whether no trial is running and the current mode's time is well known.
  [[nodiscard]] bool is_calm() const noexcept { return !trial_ && level().count >= kLevelSamples; }
  /// Whether no trial is expected to pay.
  [[nodiscard]] bool is_settled() const noexcept { return !trial_ && is_settled_; }
  /// The mode of the last batch that was no trial.
  [[nodiscard]] Way current() const noexcept { return current_[last_context_].value_or(Way::Batched); }
  /// The policies' verdict for the last batch that was no trial.
  [[nodiscard]] Way verdict() const noexcept { return proposed_; }
  [[nodiscard]] const Verdict& questions() const noexcept { return verdict_; }
  [[nodiscard]] ModeEstimate estimate(Way way) const noexcept;
  /// The time below which a mode would replace the current one; 0 for the current mode, and where it is impossible.
  [[nodiscard]] double used_below_ns(Way way) const noexcept;
  /// Whether a mode was timed, as the current mode or by a trial.
  [[nodiscard]] bool is_measured(Way way) const noexcept;

  [[nodiscard]] std::uint64_t batches() const noexcept { return batches_; }
  [[nodiscard]] std::uint64_t trials() const noexcept { return trials_; }
  /// Times that were learned from, since another number of batches is awaited together.
  [[nodiscard]] std::uint64_t samples() const noexcept { return samples_; }
  [[nodiscard]] double total_ns() const noexcept { return total_ns_; }
  /// What trials cost: their time beyond that of as many batches in the current mode, and setup.
  [[nodiscard]] double trial_cost_ns() const noexcept { return trial_cost_ns_; }

  /// A trial's outcome beside what was expected of it, as time of the tried mode over the time of the current mode.
  struct Outcome {
    Way tried = Way::Batched;
    Way beside = Way::Batched;
    Estimates::LogRatio expected = {};
    Estimates::LogRatio measured = {};
  };
  /// The outcome of a trial that has ended since the last call.
  [[nodiscard]] std::optional<Outcome> take_outcome() noexcept { return std::exchange(outcome_, std::nullopt); }

 private:
  static constexpr std::uint32_t kLevelSamples = 5;
  static constexpr std::uint32_t kTrialSamples = 3;

  /// The logarithm of the current mode's time: the last few samples since it is used.
  struct Level {
    std::array<double, kLevelSamples> last = {};
    std::uint32_t count = 0;
    std::uint32_t skip = 1;             // Samples that do not count: the first one after a switch takes longer.
    std::optional<double> anchor = {};  // The level when estimates were last widened.
    std::optional<double> known = {};   // The median, also of samples before the last trial.

    void restart() noexcept { *this = {.anchor = anchor, .known = known}; }
    void add(double log_ns) noexcept;
  };
  struct Trial {
    Way way = Way::Batched;
    Way beside = Way::Batched;  // The current mode.
    std::size_t context = 0;
    std::uint64_t since = 0;  // The batch at which it began.
    double before = 0;        // The level of the current mode.
    std::array<double, kTrialSamples> samples = {};
    std::uint32_t count = 0;
    bool is_over = false;  // The current mode is timed once more.

    [[nodiscard]] double tried() const noexcept;
  };

  [[nodiscard]] Level& level() noexcept { return levels_[last_context_]; }
  [[nodiscard]] const Level& level() const noexcept { return levels_[last_context_]; }
  void price(const Forecast& forecast, const Moment& moment);
  [[nodiscard]] std::optional<Choice> continue_trial(const Moment& moment);
  void use_verdict(const Moment& moment);
  /// How much cheaper another mode must be, as a logarithm, to replace the current one.
  [[nodiscard]] double margin(Way other) const noexcept;
  [[nodiscard]] std::optional<Way> worth_a_trial(const Moment& moment);
  /// The estimated time of a trial beyond that of as many batches in the current mode, with setup.
  [[nodiscard]] double trial_cost_ns(Way way) const noexcept;
  void add_to_trial(double log_ns, double ns, std::uint32_t batches);
  /// Learns from the trial: `after` is the level of the current mode after it, with a variance of its own.
  void end_trial(double after, double unsure);
  void add_to_level(Level& level, double log_ns);

  Estimates estimates_;
  Verdict verdict_;
  Prices prices_ = {};
  std::array<double, kWays> forecast_ns_ = {};  // As the estimates know it.
  // By context: for batches that are new, and for batches that came before exactly like this.
  std::array<std::optional<Way>, 2> current_ = {};
  std::array<Level, 2> levels_ = {};
  std::size_t last_context_ = 0;
  Way proposed_ = Way::Batched;
  std::optional<Trial> trial_ = {};
  std::optional<Outcome> outcome_ = {};
  double variance_;  // Of the logarithm of a sample.
  double per_wait_ = 1;
  bool is_settled_ = false;
  std::array<std::uint32_t, kWays> trials_of_ = {};
  std::uint64_t next_trial_ = 0;  // Not before this batch.
  std::uint64_t batches_ = 0;
  std::uint64_t trials_ = 0;
  std::uint64_t samples_ = 0;
  double total_ns_ = 0;
  double trial_cost_ns_ = 0;
};

}  // namespace vyre::choice
