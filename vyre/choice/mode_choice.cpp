#include <vyre/choice/mode_choice.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

namespace vyre::choice {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// All by `bench_choice`, on the half of its programs with even seeds; near these values nothing changes by a percent.
// The verdict replaces the current mode if it is cheaper by this many standard deviations of what is not known,
constexpr double kCertainty = 0.4;
// and by at least this share.
constexpr double kLeastGain = 0.02;
// A batch is expected to come this many times as often as it has come: what is set up once is paid over so many. The
// first time nothing is expected, so that a batch that comes once is not slowed down by setup.
constexpr double kHorizon = 3;
// No trials before a batch has come so often.
constexpr std::uint32_t kFewTimes = 4;
// A single trial costs at most as much as this many batches in the current mode, and half of what is left of the share.
constexpr double kMostBatchesPerTrial = 20;
// Switching back and forth costs a part of a batch, whatever the modes.
constexpr double kSwitching = 0.25;
// A trial ends at its first sample if that is exp(1.5) = 4.5 times as long as a batch in the current mode.
constexpr double kHopeless = 1.5;
// An outcome is clear if it differs by this many standard deviations of noise and of what counts as a change.
constexpr double kClear = 3;
// A trial that gives no samples for so many waits is given up.
constexpr double kLongestTrial = 16;
// The samples of one trial are off by this much together, beyond their noise: as a standard deviation.
constexpr double kTrialDeviation = 0.02;
// The current mode has changed its time if its level moves by this much, as a logarithm, and twice its noise.
constexpr double kChange = 0.2;
// How much of a change's square is added to the variance of the others: most changes are the machine's, and common.
constexpr double kShareOfChange = 0.2;
// Estimates get less certain with every batch by this variance.
constexpr double kAging = 2e-6;
// The noise of samples before any was seen, and its floor, as variances of logarithms; the weight of the newest.
constexpr double kFirstVariance = 0.01;
constexpr double kLeastVariance = 1e-5;
constexpr double kNewest = 0.05;
// One outlier counts as at most this many standard deviations.
constexpr double kOutlier = 3;

constexpr std::size_t index(Way way) noexcept { return static_cast<std::size_t>(way); }

double median_of(std::span<double> values) noexcept {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// The expected part below zero of a normal variable.
double expected_gain(double mean, double deviation) noexcept {
  if (deviation <= 0) return std::max(-mean, 0.0);
  const double z = -mean / deviation;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return deviation * (density + z * 0.5 * std::erfc(-z / std::numbers::sqrt2));
}

}  // namespace

ModeChoice::ModeChoice() noexcept : variance_{kFirstVariance} {}

void ModeChoice::Level::add(double log_ns) noexcept {
  last[count++ % kLevelSamples] = log_ns;
  std::array<double, kLevelSamples> sorted = last;
  known = median_of(std::span{sorted}.first(std::min(count, kLevelSamples)));
}

double ModeChoice::now_ns() const noexcept {
  return level().known ? std::exp(*level().known) : forecast_ns_[index(current())];
}

void ModeChoice::price(const Forecast& forecast, const Moment& moment) {
  std::array<double, kWays> ns = {};
  for (const Way way : kAllWays) ns[index(way)] = forecast.of(way).is_possible ? forecast.of(way).ns : 1;
  if (ns != forecast_ns_) estimates_.set_forecast(ns);
  forecast_ns_ = ns;
  // Ratios to a mode whose time is known.
  const Way reference = current();
  const double reference_ns = now_ns();
  prices_.repeats = 1 + kHorizon * moment.seen.of_shape;
  prices_.exact_repeats = 1 + kHorizon * moment.seen.of_batch;
  for (const Way way : kAllWays) {
    const bool is_kept = is_replay(way) || way == Way::Table;
    // Plain submissions do all that one list does, and more.
    const bool is_possible = forecast.of(way).is_possible && way != Way::Plain && (!is_kept || moment.may_keep) &&
                             (!is_replay(way) || moment.seen.of_batch > 0);
    prices_.ns[index(way)] = is_possible ? reference_ns * std::exp(estimates_.ratio(way, reference).mean) : kNever;
    prices_.setup_ns[index(way)] = moment.is_set_up[index(way)] ? 0 : forecast.of(way).setup_ns;
  }
}

Choice ModeChoice::choose(const BatchShape& shape, const Calibration& calibration, const Forecast& forecast,
                          const Moment& moment, policy::Evaluate evaluate) {
  ++batches_;
  estimates_.widen(kAging);
  if (!are_alike_waits(moment.per_wait, per_wait_)) {
    // What is paid once for a wait has another weight now.
    estimates_.forget();
    levels_ = {};
    trial_.reset();
    samples_ = 0;
  }
  per_wait_ = moment.per_wait;
  last_context_ = moment.seen.of_batch > 0 ? 1 : 0;
  price(forecast, moment);
  const auto expected = [&](Way way) { return prices_.ns[index(way)]; };
  if (moment.exploration >= 1) {
    std::array<Way, kWays> possible = {};
    std::size_t count = 0;
    for (const Way way : kAllWays) {
      if (way == Way::Plain || expected(way) < kNever) possible[count++] = way;
    }
    const Way way = possible[(batches_ * 0x9e37'79b9'7f4a'7c15U >> 32) % count];
    return {.way = way, .is_trial = true, .expected_ns = expected(way)};
  }
  if (const auto tried = continue_trial(moment)) return *tried;
  proposed_ = verdict_.decide(shape, calibration, prices_, evaluate);
  use_verdict(moment);
  const Way way = current();
  if (moment.may_try && moment.exploration > 0) {
    if (const auto next = worth_a_trial(moment)) {
      trial_ = {.way = *next, .beside = way, .context = last_context_, .since = batches_, .before = *level().known};
      ++trials_;
      return {.way = *next, .is_trial = true, .expected_ns = expected(*next)};
    }
  }
  return {.way = way, .expected_ns = expected(way)};
}

std::optional<Choice> ModeChoice::continue_trial(const Moment& moment) {
  if (!trial_ || trial_->is_over || trial_->context != last_context_) return std::nullopt;
  const bool is_possible = prices_.ns[index(trial_->way)] < kNever && moment.exploration > 0;
  const bool is_late = static_cast<double>(batches_ - trial_->since) > kLongestTrial * std::max(per_wait_, 1.0);
  if (is_possible && !is_late) {
    return Choice{.way = trial_->way, .is_trial = true, .expected_ns = prices_.ns[index(trial_->way)]};
  }
  // Its time cannot be told from that of other work; it is not asked for again soon.
  if (is_late) next_trial_ = 2 * batches_;
  trial_.reset();
  return std::nullopt;
}

void ModeChoice::use_verdict(const Moment& moment) {
  std::optional<Way>& current = current_[last_context_];
  if (current == proposed_) return;
  if (current && prices_.ns[index(*current)] < kNever) {
    if (trial_) return;  // The current mode is being timed after a trial.
    const double log_cost = std::log(prices_.amortised_ns(proposed_) / prices_.amortised_ns(*current));
    // Where nothing can be tried, the estimate is all there is.
    if (log_cost > (moment.exploration > 0 ? -margin(proposed_) : 0)) return;
  }
  Level begun;
  if (current && level().known) begun.known = *level().known + estimates_.ratio(proposed_, *current).mean;
  level() = begun;
  current = proposed_;
  trial_.reset();
}

double ModeChoice::margin(Way other) const noexcept {
  return std::max(kLeastGain, kCertainty * std::sqrt(estimates_.ratio(other, current()).variance));
}

bool ModeChoice::can_afford(double cost_ns, double exploration) const noexcept {
  const double left = exploration * total_ns_ - trial_cost_ns_;
  return left >= 0 && cost_ns <= kMostBatchesPerTrial * now_ns() + left / 2;
}

double ModeChoice::trial_cost_ns(Way way) const noexcept {
  const Estimates::LogRatio ratio = estimates_.ratio(way, current());
  // A hopeless trial ends at its first sample, so that its cost is not all that an uncertain estimate allows for.
  const double log_longer = std::min(ratio.mean + ratio.variance / 2, std::max(ratio.mean, kHopeless));
  const double longer = std::max(std::exp(log_longer) - 1, 0.0);
  const double samples = ratio.mean < kHopeless ? kTrialSamples : 1;
  const double batches = samples * std::max(per_wait_, 1.0);
  return (batches * longer + kSwitching) * now_ns() + prices_.setup_ns[index(way)];
}

std::optional<Way> ModeChoice::worth_a_trial(const Moment& moment) {
  if (trial_ || level().count < 2 || moment.seen.of_shape < kFewTimes || batches_ < next_trial_) return std::nullopt;
  const Way current = this->current();
  const double noise = 2 * variance_ / kTrialSamples + kTrialDeviation * kTrialDeviation;
  // A saving is said to be measured only if the baseline was.
  const bool needs_baseline = current != Way::Batched && trials_of_[index(Way::Batched)] == 0;
  const double left_ns = moment.exploration * total_ns_ - trial_cost_ns_;
  if (needs_baseline && trial_cost_ns(Way::Batched) <= left_ns) return Way::Batched;
  std::optional<Way> best;
  double best_ns = 0;
  is_settled_ = !needs_baseline;
  for (const Way way : kAllWays) {
    if (way == current || prices_.ns[index(way)] == kNever) continue;
    const Estimates::LogRatio ratio = estimates_.ratio(way, current);
    const double times = is_replay(way) ? moment.seen.of_batch : moment.seen.of_shape;
    // How far a trial is expected to move the estimate.
    const double moves = ratio.variance / std::sqrt(ratio.variance + noise);
    const double cost_ns = trial_cost_ns(way);
    const double gain_ns = times * now_ns() * expected_gain(ratio.mean + kLeastGain, moves) - cost_ns;
    if (gain_ns <= 0) continue;
    is_settled_ = false;
    if (gain_ns > best_ns && can_afford(cost_ns, moment.exploration)) {
      best = way;
      best_ns = gain_ns;
    }
  }
  return best;
}

void ModeChoice::note_setup(double ns) noexcept {
  total_ns_ += ns;
  if (trial_ && !trial_->is_over) trial_cost_ns_ += ns;
}

void ModeChoice::add_to_level(Level& level, double log_ns) {
  if (level.skip > 0) {
    --level.skip;
    return;
  }
  if (level.count > 0) {
    // The variance of a sample is half of that of the difference of two.
    const double step = log_ns - level.last[(level.count - 1) % kLevelSamples];
    const double seen = std::min(step * step / 2, kOutlier * kOutlier * variance_);
    variance_ = std::max(variance_ + kNewest * (seen - variance_), kLeastVariance);
  }
  level.add(log_ns);
  if (level.count < kLevelSamples) return;
  const double now = *level.known;
  const double change = now - level.anchor.value_or(now);
  if (!level.anchor) level.anchor = now;
  if (std::abs(change) <= std::max(kChange, 2 * std::sqrt(variance_))) return;
  estimates_.widen(kShareOfChange * change * change);
  level.anchor = now;
}

void ModeChoice::add_to_trial(double log_ns, double ns, std::uint32_t batches) {
  trial_->samples[trial_->count++] = log_ns;
  trial_cost_ns_ += std::max(ns - std::exp(trial_->before), 0.0) * batches;
  trial_->since = batches_;
  if (trial_->count < kTrialSamples && log_ns - trial_->before < kHopeless) return;
  trial_->is_over = true;
  levels_[trial_->context].restart();
  // What the current mode takes afterwards says nothing that matters if the outcome is as clear as that.
  const double clear = kClear * std::sqrt(variance_ + kChange * kChange);
  if (std::abs(trial_->tried() - trial_->before) > clear) end_trial(trial_->before, kChange * kChange);
}

double ModeChoice::Trial::tried() const noexcept {
  // The first batch in another mode takes longer than those after it.
  std::array<double, kTrialSamples> sorted = samples;
  return median_of(std::span{sorted}.first(count).subspan(count > 1 ? 1 : 0));
}

void ModeChoice::end_trial(double after, double unsure) {
  const double count = std::max(trial_->count, 2U) - 1;
  // The current mode may have changed at any moment between.
  const double moved = (after - trial_->before) / 2;
  const double alone = trial_->count == 1 ? kChange * kChange : 0;
  const Estimates::LogRatio measured = {
      .mean = trial_->tried() - (trial_->before + after) / 2,
      .variance = variance_ * (1 / count + 0.25) + moved * moved + alone + unsure + kTrialDeviation * kTrialDeviation};
  outcome_ = {.tried = trial_->way,
              .beside = trial_->beside,
              .expected = estimates_.ratio(trial_->way, trial_->beside),
              .measured = measured};
  estimates_.observe(trial_->way, trial_->beside, measured);
  ++trials_of_[index(trial_->way)];
  trial_.reset();
}

void ModeChoice::observe(Way way, double ns, std::uint32_t batches) {
  ns = std::max(ns, 1.0);
  total_ns_ += ns * batches;
  ++samples_;
  const double log_ns = std::log(ns);
  const bool is_trying = trial_ && !trial_->is_over;
  if (is_trying && way == trial_->way) return add_to_trial(log_ns, ns, batches);
  for (std::size_t context = 0; context < levels_.size(); ++context) {
    if (current_[context] != way) continue;
    // Batches in the current mode that were pending when the trial began.
    if (is_trying && trial_->context == context) continue;
    add_to_level(levels_[context], log_ns);
    if (!trial_ || trial_->context != context || levels_[context].count < 2) continue;
    end_trial((levels_[context].last[0] + levels_[context].last[1]) / 2, 0);
  }
}

ModeEstimate ModeChoice::estimate(Way way) const noexcept {
  const Estimates::LogRatio ratio = estimates_.ratio(way, current());
  return {
      .ns = now_ns() * std::exp(ratio.mean), .deviation = std::sqrt(ratio.variance), .trials = trials_of_[index(way)]};
}

double ModeChoice::used_below_ns(Way way) const noexcept {
  if (way == current() || prices_.ns[index(way)] == kNever) return 0;
  const double setup = prices_.amortised_ns(way) - prices_.ns[index(way)];
  return std::max(prices_.amortised_ns(current()) * std::exp(-margin(way)) - setup, 0.0);
}

bool ModeChoice::is_measured(Way way) const noexcept {
  return trials_of_[index(way)] > 0 || (way == current() && level().known);
}

}  // namespace vyre::choice
