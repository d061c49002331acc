#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <vyre/choice/forecast.hpp>
#include <vyre/choice/way.hpp>

namespace vyre::choice {

/// Whether batches take about the same, so many for one wait and so many: of many, each has next to nothing of it.
inline constexpr double kManyPerWait = 16;
[[nodiscard]] constexpr bool are_alike_waits(double a, double b) noexcept {
  a = std::min(a, kManyPerWait);
  b = std::min(b, kManyPerWait);
  return a <= 2 * b && b <= 2 * a;
}

/// What one way of launching was seen to take: the last few times, each per batch.
class Observed {
 public:
  static constexpr std::size_t kKept = 9;
  static constexpr double kMuch = 1.6;

  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  /// Whether it was seen after its first time, which takes longer than the others, and with about as many batches for
  /// one wait.
  [[nodiscard]] bool is_known(double per_wait) const noexcept { return count_ > 1 && is_like(per_wait); }
  /// How often it was seen, with about as many.
  [[nodiscard]] std::uint32_t count(double per_wait) const noexcept { return is_like(per_wait) ? count_ : 0; }
  /// What it takes undisturbed: of the last few the lower quartile, without the first of all; 0 if there are none.
  [[nodiscard]] double ns() const noexcept { return ns_; }
  /// What it takes in the middle.
  [[nodiscard]] double typical_ns() const noexcept { return typical_ns_; }
  /// How far the middle half of them lie apart, of that.
  [[nodiscard]] double spread() const noexcept { return spread_; }
  /// `is_back`: it was not the way that was used last. What was seen before is forgotten if this and the next take much
  /// longer, if it was scaled by much, and if there were many more batches for one wait, or many less.
  void add(double ns, bool is_back, double per_wait);
  /// This is what it takes now, whatever it took before.
  void set(double ns, double per_wait);
  /// It takes so many times as long now, as everything does: what was seen last, at most so many times as long.
  void scale(double factor, double most) noexcept {
    wanted_ *= factor;
    most_ = std::max(most_, most);
    factor = std::clamp(wanted_, 1 / most_, most_) / scaled_;
    for (double& each : last_) each *= factor;
    ns_ *= factor;
    typical_ns_ *= factor;
    scaled_ *= factor;
  }
  /// What it was scaled by since it was last seen,
  [[nodiscard]] double scaled() const noexcept { return scaled_; }
  /// and whether that is much.
  [[nodiscard]] bool is_doubtful() const noexcept { return wanted_ > kMuch || wanted_ * kMuch < 1; }
  /// The batch at which it was last added to, or should have been.
  std::uint64_t last_batch = 0;
  /// The sample of its shape at which it was last added to.
  std::uint64_t last_sample = 0;
  /// Whether its last trial was disturbed, or given up.
  bool was_disturbed = false;
  /// What it took when it was given up; 0 if it was not.
  double given_up_ns = 0;

 private:
  std::array<double, kKept> last_ = {};
  std::uint32_t count_ = 0;  // Since circumstances have changed.
  std::uint32_t held_ = 0;   // In `last_`.
  std::uint32_t next_ = 0;
  std::uint32_t since_back_ = 0;    // Samples.
  std::uint32_t far_in_a_row_ = 0;  // Of those.
  double ns_ = 0;
  double typical_ns_ = 0;
  double spread_ = 0;
  double scaled_ = 1;  // Since the last,
  double wanted_ = 1;  // what it would be without a bound,
  double most_ = 1;    // and the bound.
  double per_wait_ = 1;

  [[nodiscard]] bool is_like(double per_wait) const noexcept { return are_alike_waits(per_wait, per_wait_); }
};

/// What was chosen for a batch.
struct Choice {
  Way way = Way::Batched;
  bool is_trial = false;   ///< Not believed to be the best: to see what it takes.
  double expected_ns = 0;  ///< What it should take, once it is set up.

  friend bool operator==(const Choice&, const Choice&) = default;
};

/// What is known to the chooser of the moment at which a batch comes.
struct Moment {
  Appearances seen = {};
  std::array<bool, kWays> is_set_up = {};  ///< Whether a list is kept that serves this batch.
  Way proposed = Way::Batched;             ///< By the policies.
  bool may_keep = true;                    ///< Whether lists may be kept at all.
  bool may_try = false;                    ///< Whether what it takes will be measured by itself.
  double per_wait = 1;                     ///< Batches that are launched for one wait.
  double exploration = 0;                  ///< The share of the time that may go into trials.
};

/// Batches of one shape: what they took in each way, and which is used for them.
///
/// The policies propose; what is observed corrects them. Of two ways the one that takes less is used, if it is less by
/// more than what noise makes; what is set up once counts by how often the batch came (so that nothing is recorded or
/// compiled before as much was lost without it). Ways near the best are tried within the share of the time that is
/// allowed for it.
///
/// Machines run faster and slower for a while. What was seen of the ways that are not used follows the one that is, so
/// that all of it is as if seen now. When the way that is used takes clearly longer than it did, time and again, one is
/// tried that would now be better if it does not, of those that are least like it: either that takes longer too, and so
/// does everything, or what was seen of the others holds as it was. A trial counts only if the way that is used takes
/// as long after it as before, and as if it had taken what it usually does.
class ShapeHistory {
 public:
  /// A shape that came less often is not experimented with.
  static constexpr std::uint32_t kFewTimes = 4;
  /// A way that was seen so often is known.
  static constexpr std::uint32_t kEnough = 3;
  /// The same after another trial, which leaves its first out.
  static constexpr std::uint32_t kTwice = 2 * kEnough - 1;

  [[nodiscard]] Choice choose(const Forecast& forecast, const Moment& moment);
  /// Whether that would be chosen for the next batches, too, if they take as long as those before.
  [[nodiscard]] bool is_calm(const Choice& choice, const Moment& moment) const noexcept;
  /// So many batches came that nothing was chosen for.
  void skip(std::uint32_t batches) noexcept { batches_ += batches; }
  /// Notes what batches took, each of `batches`, with `per_wait` in all before the wait.
  void observe(Way way, double ns, std::uint32_t batches, double per_wait);
  /// Notes what was spent once to be able to try.
  void note_setup(double ns) noexcept;

  /// What a batch should take, as it was observed if it was, or as it is predicted.
  [[nodiscard]] double expected(const Forecast& forecast, Way way, double per_wait) const noexcept {
    return of(way).is_known(per_wait) ? of(way).ns() : forecast.of(way).ns;
  }
  /// The same as it is on the whole, disturbed or not: what is promised to be saved is the difference of two of these.
  [[nodiscard]] double typical(const Forecast& forecast, Way way, double per_wait) const noexcept;
  [[nodiscard]] const Observed& of(Way way) const noexcept { return observed_[static_cast<std::size_t>(way)]; }
  /// What another way must take less than to be used instead of one: by what noise makes, and by its share of what it
  /// takes once. 0 if it is the same, or cannot be used.
  [[nodiscard]] double used_below(const Forecast& forecast, const Moment& moment, Way used, Way other) const noexcept;
  /// Whether no way is left that should still be tried.
  [[nodiscard]] bool is_settled(const Forecast& forecast, const Moment& moment) const;
  [[nodiscard]] std::uint64_t batches() const noexcept { return batches_; }
  [[nodiscard]] std::uint64_t trials() const noexcept { return trials_; }
  /// Of those, the ones that say nothing: what is used took longer or less after them, or they were given up.
  [[nodiscard]] std::uint64_t disturbed() const noexcept { return disturbed_; }
  [[nodiscard]] double total_ns() const noexcept { return total_ns_; }
  [[nodiscard]] double tried_ns() const noexcept { return tried_ns_; }

 private:
  /// What each way takes, each time.
  struct Weighed {
    std::array<double, kWays> steady = {};  // Without what it takes once; infinite where it may not be used.
    std::array<double, kWays> cost = {};    // With its share of that.
    std::array<bool, kWays> is_moot = {};   // Whether the same list is there to be kept, and takes no longer.

    [[nodiscard]] double steady_of(Way way) const noexcept { return steady[static_cast<std::size_t>(way)]; }
    [[nodiscard]] double cost_of(Way way) const noexcept { return cost[static_cast<std::size_t>(way)]; }
  };

  [[nodiscard]] Weighed weigh(const Forecast& forecast, const Moment& moment) const noexcept;
  /// What another way must take less by, as a share, to be used.
  [[nodiscard]] double margin(const Forecast& forecast, double per_wait, Way used, Way other) const noexcept;
  /// Whether more should be known of a way that takes so long, and was predicted to, as things are now.
  [[nodiscard]] bool is_open(Way way, double ns, double predicted, double least, double per_wait) const noexcept;
  /// Whether it was not seen, and may be better than the best if what is known of forms and kernels is mistaken.
  [[nodiscard]] bool is_long_shot(Way way, const Forecast& forecast, double least, double per_wait) const noexcept;
  /// Whether a trial is within the share of the time.
  [[nodiscard]] bool can_afford(Way way, const Forecast& forecast, const Moment& moment) const noexcept;
  /// Whether enough is known of what is saved over.
  [[nodiscard]] bool has_baseline(double per_wait) const noexcept;
  [[nodiscard]] std::optional<Way> next_trial(const Weighed& weighed, const Forecast& forecast, const Moment& moment,
                                              Way best) const;
  [[nodiscard]] std::optional<Way> next_resort(const Weighed& weighed, const Forecast& forecast,
                                               const Moment& moment) const;
  [[nodiscard]] Choice try_out(Way way, const Forecast& forecast, const Moment& moment);
  /// A sample of the way that is used, after a trial.
  void check_trial(Way way, double ns, double per_wait);
  /// Everything took so many times as long meanwhile as it usually does.
  void accept_trial(double pace);
  void reject_trial();
  void look_for_change(Way way, double ns, double per_wait);
  void end_alarm(bool was_right) noexcept;
  /// A sample of the way that has changed, after another was tried.
  void confirm_change(Way way, double ns, double per_wait);
  /// Follows what the way that is used takes, of which that was believed before; 0 if nothing was.
  void follow(Way way, double believed_ns) noexcept;

  std::array<Observed, kWays> observed_ = {};
  std::optional<Way> kept_ = {};          // For batches that came before exactly like this,
  std::optional<Way> kept_for_new_ = {};  // and for those that did not.
  std::optional<Way> trying_ = {};
  std::uint64_t trying_since_ = 0;
  std::uint32_t trying_left_ = 0;       // Samples that are still wanted.
  std::optional<Way> last_ = {};        // Observed.
  std::optional<Way> last_used_ = {};   // Observed, and no trial,
  std::array<double, 2> last_ns_ = {};  // the last two times.
  /// What was measured counts once it is known that everything else took as long after it as before, and as if that had
  /// been as long as it usually is.
  struct Trial {
    Way way = Way::Batched;
    std::optional<Way> beside = {};  // The way that is used,
    double before_ns = 0;            // and what it took, the lesser of the last two times.
    double per_wait = 1;
    std::array<double, kEnough> ns = {};
    std::uint32_t count = 0;
    std::uint32_t checked = 0;
    double after_ns = 0;
  };
  std::optional<Trial> trial_ = {};
  /// What is done about a change: another way is tried, then the same again.
  struct Alarm {
    Way from = Way::Batched;
    double before_ns = 0;           // What that took,
    double level_ns = 0;            // and takes now.
    std::optional<Way> other = {};  // What was tried,
    double other_ns = 0;            // and took so long.
  };
  std::optional<Alarm> alarm_ = {};
  std::optional<Way> followed_ = {};  // The way that is used,
  std::uint32_t followed_for_ = 0;    // samples of it since it is,
  double level_ns_ = 0;               // and what it takes, as the others have followed; at first, what was believed.
  std::uint32_t bad_in_a_row_ = 0;
  std::uint64_t next_alarm_ = 0;      // Not before so many samples,
  std::uint64_t between_alarms_ = 0;  // and so many after that one.
  std::uint64_t samples_ = 0;
  std::uint64_t batches_ = 0;
  std::uint64_t trials_ = 0;
  std::uint64_t disturbed_ = 0;
  double total_ns_ = 0;
  double tried_ns_ = 0;
};

}  // namespace vyre::choice
