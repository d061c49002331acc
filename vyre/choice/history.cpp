#include <vyre/choice/history.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace vyre::choice {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// What another way must be better by: one that was seen often enough, and one that was not.
constexpr double kMargin = 0.02;
constexpr double kMarginUnseen = 0.08;
// And by how much of what samples are apart: what is seen of a few is off by about that.
constexpr double kNoise = 0.5;
// One that nothing but what was seen speaks for, by all of it: among ways that are alike noise makes one look better.
constexpr double kMarginUnpredicted = 0.15;
// A list that is kept takes no longer than the same made anew, if the device was measured so; unless it was seen to
// take that many times as long.
constexpr double kNotKept = 2;
// Ways that are predicted to take up to this much more than the best may well be the best.
constexpr double kNear = 2;
// And those that were seen to, or should by all that is known and did not: they may have been disturbed.
constexpr double kNearSeen = 1.3;
constexpr double kShouldBeNear = 1.1;
// Samples of those that are near when they were seen, and of what is saved over: three trials, of which all but the
// first leave one out.
constexpr std::uint32_t kSeenWell = 3 * ShapeHistory::kEnough - 2;
// A way that was seen often enough is looked at again after so many batches.
constexpr std::uint64_t kLookAgain = 100;
// What is used must take the same before a trial and after it, but for this much, so often.
constexpr double kSteady = 0.2;
constexpr std::uint32_t kChecks = 2;
// What is not used follows what is at most so far. What was seen to change may have by more, but once.
constexpr double kMostFollowed = 2.5;
// One of which a sample takes so many times what is used is given up: more of it would go far beyond the share.
constexpr double kHopeless = 8;
// A trial that could not be measured is over after so many.
constexpr std::uint64_t kLongestTrial = 16;
// How far from what is known a sample must be to mean that circumstances have changed.
constexpr double kFar = 0.5;
// A way that takes so many times what it did, so often in a row, has changed; not looked for again before a time.
constexpr double kWorse = 1.4;
constexpr std::uint32_t kOften = 3;
// Samples; twice as many after each change that was none.
constexpr std::uint64_t kBetweenAlarms = 50;
constexpr std::uint64_t kMostBetweenAlarms = 1600;
// Samples of another way then.
constexpr std::uint32_t kOnAlarm = 2;
// What another takes then, of what it should if everything took longer: less than this, and not everything does.
constexpr double kSpared = 0.85;

/// Whether what makes one longer probably does the other.
bool is_alike(Way a, Way b) noexcept { return is_one_launch(a) == is_one_launch(b); }

}  // namespace

void Observed::add(double ns, bool is_back, double per_wait) {
  since_back_ = is_back ? 1 : since_back_ + 1;
  const bool is_far = count_ > 1 && ns > (1 + kFar) * ns_;
  far_in_a_row_ = is_far ? (is_back ? 1 : far_in_a_row_ + 1) : 0;
  if (!is_like(per_wait)) count_ = held_ = next_ = 0;
  // The first may be disturbed, or slow because it is the first for a while; not the second, too.
  if (far_in_a_row_ == 2 && since_back_ == 2) {
    last_[0] = last_[(next_ + kKept - 1) % kKept];
    held_ = next_ = 1;
  }
  per_wait_ = per_wait;
  // One sample, which may be disturbed, is not enough to begin anew with.
  if (!is_back) {
    if (is_doubtful()) held_ = next_ = 0;
    scaled_ = wanted_ = most_ = 1;
  }
  if (count_ == 1) held_ = next_ = 0;
  last_[next_] = ns;
  next_ = (next_ + 1) % kKept;
  held_ = std::min<std::uint32_t>(held_ + 1, kKept);
  ++count_;
  std::array<double, kKept> sorted = last_;
  std::ranges::sort(std::span{sorted}.first(held_));
  ns_ = sorted[held_ / 4];
  typical_ns_ = (sorted[(held_ - 1) / 2] + sorted[held_ / 2]) / 2;
  spread_ = (sorted[3 * held_ / 4] - ns_) / ns_;
}

void Observed::set(double ns, double per_wait) {
  count_ = held_ = next_ = 0;
  add(ns, false, per_wait);
  count_ = ShapeHistory::kTwice;
}

double ShapeHistory::typical(const Forecast& forecast, Way way, double per_wait) const noexcept {
  if (of(way).is_known(per_wait)) return of(way).typical_ns();
  // Of a list that was not seen, what was seen of the same made anew, or kept, says more.
  const Way sister = is_replay(way) ? made_anew(way) : kept_of(way);
  const bool is_like = of(sister).is_known(per_wait) && forecast.of(sister).is_possible;
  return is_like ? of(sister).typical_ns() * forecast.of(way).ns / forecast.of(sister).ns : forecast.of(way).ns;
}

ShapeHistory::Weighed ShapeHistory::weigh(const Forecast& forecast, const Moment& moment) const noexcept {
  Weighed result;
  for (const Way way : kAllWays) {
    const auto i = static_cast<std::size_t>(way);
    const WayCost& predicted = forecast.ways[i];
    const bool is_kept = is_replay(way) || way == Way::Table;
    const bool is_known = moment.seen.of_batch > 0;
    const bool is_never = !predicted.is_possible || (is_replay(way) && !is_known) || (is_kept && !moment.may_keep);
    const double once = moment.is_set_up[i] ? 0 : predicted.setup_ns;
    const double times = 1.0 + (is_replay(way) ? moment.seen.of_batch : moment.seen.of_shape);
    // What was seen once or twice may have been disturbed.
    const bool is_vague = of(way).count(moment.per_wait) < kEnough;
    const double takes = expected(forecast, way, moment.per_wait);
    result.steady[i] = is_never ? kNever : is_vague ? std::min(takes, predicted.ns) : takes;
    result.cost[i] = once / times;
  }
  for (const Way way : {Way::Batched, Way::Merged, Way::Persistent, Way::Chain}) {
    const Way sister = kept_of(way);
    double& anew = result.steady[static_cast<std::size_t>(way)];
    double& kept = result.steady[static_cast<std::size_t>(sister)];
    const double ratio = forecast.of(sister).ns / forecast.of(way).ns;
    if (kept == kNever || ratio > 1) continue;
    const bool is_anew_vague = of(way).count(moment.per_wait) < kEnough;
    const bool is_kept_vague = of(sister).count(moment.per_wait) < kEnough;
    // What was seen once or twice says nothing beside what was seen often enough.
    const bool knows_anew = of(way).is_known(moment.per_wait) && (!is_anew_vague || is_kept_vague);
    const bool knows_kept = of(sister).is_known(moment.per_wait) && (!is_kept_vague || is_anew_vague);
    if (knows_anew && !knows_kept) kept = ratio * anew;
    if (knows_kept && !knows_anew) anew = kept / ratio;
    if (knows_anew && knows_kept && kNotKept * anew < kept) continue;
    anew = std::max(anew, kept / ratio);
    result.is_moot[static_cast<std::size_t>(way)] = true;
  }
  for (const Way way : kAllWays) {
    const auto i = static_cast<std::size_t>(way);
    result.cost[i] += result.steady[i];
  }
  return result;
}

double ShapeHistory::margin(const Forecast& forecast, double per_wait, Way used, Way other) const noexcept {
  if (of(other).count(per_wait) < kEnough) return kMarginUnseen;
  const double spread = std::max(of(other).spread(), of(used).spread());
  const bool is_predicted = forecast.of(other).ns < forecast.of(used).ns;
  return is_predicted ? std::clamp(kNoise * spread, kMargin, kMarginUnseen)
                      : std::clamp(spread, kMargin, kMarginUnpredicted);
}

double ShapeHistory::used_below(const Forecast& forecast, const Moment& moment, Way used, Way other) const noexcept {
  const Weighed weighed = weigh(forecast, moment);
  if (other == used || weighed.steady_of(other) == kNever) return 0;
  const double once = weighed.cost_of(other) - weighed.steady_of(other);
  return std::max((1 - margin(forecast, moment.per_wait, used, other)) * weighed.cost_of(used) - once, 0.0);
}

bool ShapeHistory::is_open(Way way, double ns, double predicted, double least, double per_wait) const noexcept {
  // What was scaled by much may be far from what it takes.
  if (of(way).is_doubtful()) ns = std::min(ns, predicted);
  const std::uint32_t samples = of(way).count(per_wait);
  const bool is_seen = !of(way).is_doubtful() && samples >= (ns <= kNearSeen * least ? kSeenWell : kEnough);
  return ns <= kNear * least && !is_seen;
}

bool ShapeHistory::is_long_shot(Way way, const Forecast& forecast, double least, double per_wait) const noexcept {
  const bool is_new = of(way).last_batch == 0 || batches_ >= of(way).last_batch + kLookAgain;
  return of(way).count(per_wait) == 0 && is_new && forecast.of(way).hoped_ns < (1 - kMargin) * least;
}

bool ShapeHistory::has_baseline(double per_wait) const noexcept {
  return of(Way::Batched).count(per_wait) >= kSeenWell && !of(Way::Batched).is_doubtful();
}

bool ShapeHistory::can_afford(Way way, const Forecast& forecast, const Moment& moment) const noexcept {
  const double setup = moment.is_set_up[static_cast<std::size_t>(way)] ? 0 : forecast.of(way).setup_ns;
  // It lasts until it was waited for.
  const double lasts = kEnough * std::max(moment.per_wait, 1.0);
  const double takes = lasts * std::max(expected(forecast, way, moment.per_wait), of(way).given_up_ns);
  return tried_ns_ + takes + setup <= moment.exploration * total_ns_;
}

std::optional<Way> ShapeHistory::next_trial(const Weighed& weighed, const Forecast& forecast, const Moment& moment,
                                            Way best) const {
  const double least = weighed.steady_of(best);
  std::optional<Way> open;
  std::optional<Way> hoped;
  std::optional<Way> second;
  std::optional<Way> plain;
  std::optional<Way> again;
  // Where one is disturbed time and again, the others have their turn.
  const auto take = [&](std::optional<Way>& next, Way way, const auto& ns) {
    const auto rank = [&](Way each) { return std::pair{of(each).was_disturbed, ns(each)}; };
    if (!next || rank(way) < rank(*next)) next = way;
  };
  const auto steady = [&](Way way) { return weighed.steady_of(way); };
  const auto predicted = [&](Way way) { return forecast.of(way).ns * least / forecast.of(best).ns; };
  for (const Way way : kAllWays) {
    const double each = weighed.steady_of(way);
    if (way == best || each == kNever || weighed.is_moot[static_cast<std::size_t>(way)]) continue;
    const std::uint32_t samples = of(way).count(moment.per_wait);
    if (is_open(way, each, predicted(way), least, moment.per_wait)) {
      // One that was seen to be no better has less to tell than one that was not seen.
      const bool is_no_better = samples >= kEnough && each >= least && !of(way).is_doubtful();
      take(way == Way::Plain ? plain : is_no_better ? second : open, way, steady);
    }
    if (is_long_shot(way, forecast, least, moment.per_wait)) {
      take(hoped, way, [&](Way other) { return forecast.of(other).hoped_ns; });
    }
    const bool is_near = each <= kNearSeen * least || forecast.of(way).ns <= kShouldBeNear * least;
    // All samples of one trial may have been disturbed.
    const bool was_tried_once = samples > 0 && samples <= kEnough;
    const bool is_vague = was_tried_once || of(way).is_doubtful();
    if ((is_near || is_vague) && batches_ >= of(way).last_batch + kLookAgain) take(again, way, steady);
  }
  if (open) return open;
  // What is saved is known only if what it is saved over is, and well only if that was seen more than once.
  const bool needs_baseline = best != Way::Batched && !has_baseline(moment.per_wait);
  const bool has_any = of(Way::Batched).is_known(moment.per_wait) && !of(Way::Batched).is_doubtful();
  if (needs_baseline && !has_any) return Way::Batched;
  // It is seen again now and then, ever less often.
  const std::uint64_t last = of(Way::Batched).last_batch;
  if (best != Way::Batched && batches_ >= last + std::max(kLookAgain, last / 2)) return Way::Batched;
  if (hoped) return hoped;
  if (second) return second;
  // Of a submission for each nobody expects that it is better.
  if (plain) return plain;
  if (again) return again;
  return needs_baseline ? std::optional{Way::Batched} : std::nullopt;
}

std::optional<Way> ShapeHistory::next_resort(const Weighed& weighed, const Forecast& forecast,
                                             const Moment& moment) const {
  // What was not seen may well be better than it is predicted.
  const auto hoped = [&](Way way) { return weighed.steady_of(way) / (of(way).is_known(moment.per_wait) ? 1 : kNear); };
  std::optional<Way> next;
  for (const Way way : kAllWays) {
    if (way == alarm_->from || hoped(way) > alarm_->level_ns) continue;
    // To compile for it takes longer than the few batches that are tried, and must be within the share.
    const double setup = moment.is_set_up[static_cast<std::size_t>(way)] ? 0 : forecast.of(way).setup_ns;
    if (setup > kOnAlarm * alarm_->level_ns && tried_ns_ + setup > moment.exploration * total_ns_) continue;
    const auto rank = [&](Way each) { return std::pair{is_alike(each, alarm_->from), hoped(each)}; };
    if (!next || rank(way) < rank(*next)) next = way;
  }
  return next;
}

Choice ShapeHistory::try_out(Way way, const Forecast& forecast, const Moment& moment) {
  trying_ = way;
  trying_since_ = batches_;
  // One after another: what runs alone among others is slower than what is used all the time.
  trying_left_ = alarm_ ? kOnAlarm : kEnough;
  ++trials_;
  return {.way = way, .is_trial = true, .expected_ns = expected(forecast, way, moment.per_wait)};
}

Choice ShapeHistory::choose(const Forecast& forecast, const Moment& moment) {
  ++batches_;
  const Weighed weighed = weigh(forecast, moment);
  const auto takes = [&](Way way) { return expected(forecast, way, moment.per_wait); };
  const auto is_possible = [&](Way way) { return weighed.steady_of(way) < kNever; };
  if (moment.exploration >= 1) {
    // All the time: each way that is possible, in an order that looks like none.
    std::array<Way, kWays> possible = {};
    std::size_t count = 0;
    for (const Way way : kAllWays) {
      if (is_possible(way)) possible[count++] = way;
    }
    const Way way = possible[(batches_ * 0x9e37'79b9'7f4a'7c15U >> 32) % count];
    return {.way = way, .is_trial = true, .expected_ns = takes(way)};
  }
  // Who wants none has none, whoever shares what is known.
  if (trying_ && moment.exploration > 0) {
    const bool is_over =
        batches_ - trying_since_ > std::max(kLongestTrial, static_cast<std::uint64_t>(moment.per_wait));
    if (!is_over && is_possible(*trying_)) return {.way = *trying_, .is_trial = true, .expected_ns = takes(*trying_)};
    if (is_over) {
      // It took its time all the same.
      const double lost = takes(*trying_) * static_cast<double>(batches_ - trying_since_);
      tried_ns_ += lost;
      total_ns_ += lost;
      ++disturbed_;
      trying_.reset();
      trial_.reset();
    }
  }
  std::optional<Way>& kept = moment.seen.of_batch > 0 ? kept_ : kept_for_new_;
  Way best = kept && is_possible(*kept) ? *kept : moment.proposed;
  if (!is_possible(best)) best = Way::Batched;
  if (weighed.is_moot[static_cast<std::size_t>(best)] && weighed.cost_of(kept_of(best)) < weighed.cost_of(best)) {
    best = kept_of(best);
  }
  const Way kept_before = best;
  const double stays = weighed.cost_of(best);
  // What the way that is used takes beyond what is predicted is its kernels', of which nothing is known yet, or the
  // machine's: of a way that was not seen as much is expected, unless it can never be.
  const bool is_used_known = moment.exploration > 0 && of(best).is_known(moment.per_wait);
  const double unforeseen = is_used_known ? std::max(weighed.steady_of(best) - forecast.of(best).ns, 0.0) : 0;
  double least = stays;
  for (const Way way : kAllWays) {
    const bool is_seen = of(way).is_known(moment.per_wait) || of(kept_of(way)).is_known(moment.per_wait) ||
                         of(made_anew(way)).is_known(moment.per_wait);
    const double each = weighed.cost_of(way) + (is_seen ? 0 : unforeseen);
    const bool is_predicted = forecast.of(way).ns < forecast.of(kept_before).ns;
    // Once may have been while the machine ran faster, and what is predicted may be of one that does. Where nothing may
    // be tried, it is all there is.
    const std::uint32_t samples = of(way).count(moment.per_wait);
    if (!is_predicted && samples < kTwice && (samples > 0 || moment.exploration > 0)) continue;
    if (each < least && each < (1 - margin(forecast, moment.per_wait, kept_before, way)) * stays) {
      least = each;
      best = way;
    }
  }
  kept = best;
  const bool may_try = !trial_ && moment.may_try && moment.exploration > 0 && moment.seen.of_shape >= kFewTimes;
  // Where nothing may be tried, nothing can be said of a change.
  if (alarm_ && moment.exploration <= 0) end_alarm(false);
  if (alarm_ && alarm_->other) {
    if (is_possible(alarm_->from)) return {.way = alarm_->from, .expected_ns = takes(alarm_->from)};
    end_alarm(false);
  }
  if (may_try && alarm_) {
    if (const auto next = next_resort(weighed, forecast, moment)) return try_out(*next, forecast, moment);
    end_alarm(false);
  }
  // What may be a change is looked at first.
  if (may_try && bad_in_a_row_ == 0) {
    const auto next = next_trial(weighed, forecast, moment, best);
    if (next && can_afford(*next, forecast, moment)) return try_out(*next, forecast, moment);
  }
  return {.way = best, .expected_ns = takes(best)};
}

bool ShapeHistory::is_calm(const Choice& choice, const Moment& moment) const noexcept {
  return !choice.is_trial && !alarm_ && !trial_ && !trying_ && of(choice.way).count(moment.per_wait) >= Observed::kKept;
}

void ShapeHistory::follow(Way way, double believed_ns) noexcept {
  const double ns = of(way).ns();
  if (followed_ != way) {
    followed_ = way;
    followed_for_ = 0;
    level_ns_ = believed_ns > 0 ? believed_ns : ns;
  }
  // What it takes is known well only after some time, and until then not better than what the others do.
  if (++followed_for_ < Observed::kKept) return;
  const bool is_first = followed_for_ == Observed::kKept;
  const double change = ns / level_ns_;
  // But by as much it was not mistaken: then it is the machine.
  const bool was_mistaken = is_first && change < 1 + kFar && change * (1 + kFar) > 1;
  if (change != 1 && !was_mistaken) {
    for (const Way each : kAllWays) {
      Observed& other = observed_[static_cast<std::size_t>(each)];
      // Others were seen at the same speed.
      const bool is_recent = is_first && samples_ < other.last_sample + 2 * Observed::kKept;
      if (each != way && !is_recent) other.scale(change, kMostFollowed);
    }
  }
  level_ns_ = ns;
}

void ShapeHistory::look_for_change(Way way, double ns, double per_wait) {
  const Observed& seen = of(way);
  const bool is_bad = seen.count(per_wait) >= kEnough && ns > kWorse * seen.ns() && !alarm_;
  bad_in_a_row_ = is_bad ? bad_in_a_row_ + 1 : 0;
  if (bad_in_a_row_ < kOften || samples_ < next_alarm_) return;
  bad_in_a_row_ = 0;
  alarm_ = {.from = way, .before_ns = seen.ns(), .level_ns = ns};
}

void ShapeHistory::end_alarm(bool was_right) noexcept {
  alarm_.reset();
  between_alarms_ = was_right ? kBetweenAlarms : std::clamp(2 * between_alarms_, kBetweenAlarms, kMostBetweenAlarms);
  next_alarm_ = samples_ + between_alarms_;
}

void ShapeHistory::confirm_change(Way way, double ns, double per_wait) {
  if (way != alarm_->from) return end_alarm(false);
  alarm_->level_ns = std::min(alarm_->level_ns, ns);
  const double rise = alarm_->level_ns / alarm_->before_ns;
  if (rise < 1 + kSteady) return end_alarm(false);
  Observed& seen = observed_[static_cast<std::size_t>(way)];
  Observed& other = observed_[static_cast<std::size_t>(*alarm_->other)];
  // Of one that was not seen before it can only be said whether it is better.
  const double should = other.is_known(per_wait) ? kSpared * rise * other.ns() : alarm_->level_ns;
  const bool is_spared = alarm_->other_ns < should;
  seen.set(alarm_->level_ns, per_wait);
  for (const Way each : kAllWays) {
    // What went wrong with one way probably did with those that are like it.
    const bool rises = !is_spared || is_alike(each, way);
    if (each != way && rises) observed_[static_cast<std::size_t>(each)].scale(rise, std::max(rise, kMostFollowed));
  }
  if (is_spared) {
    other.set(alarm_->other_ns, per_wait);
    followed_.reset();
  } else {
    followed_ = way;
    followed_for_ = Observed::kKept;
    level_ns_ = alarm_->level_ns;
  }
  end_alarm(is_spared);
}

void ShapeHistory::accept_trial(double pace) {
  Observed& seen = observed_[static_cast<std::size_t>(trial_->way)];
  // The first is the slowest each time: nothing of that way was used for a while. Of a new one it is not counted
  // anyway.
  for (std::uint32_t i = seen.count(trial_->per_wait) == 0 ? 0 : 1; i < trial_->count; ++i) {
    seen.add(trial_->ns[i] / pace, i == 0, trial_->per_wait);
  }
  seen.last_batch = batches_;
  seen.last_sample = samples_;
  seen.was_disturbed = false;
  seen.given_up_ns = 0;
  trial_.reset();
}

void ShapeHistory::reject_trial() {
  // It will be tried again, but others come first.
  Observed& tried = observed_[static_cast<std::size_t>(trial_->way)];
  tried.last_batch = batches_;
  tried.was_disturbed = true;
  ++disturbed_;
  trial_.reset();
}

void ShapeHistory::check_trial(Way way, double ns, double per_wait) {
  // Where there is nothing to compare with, it counts as it is.
  if (way != trial_->beside || !of(way).is_known(per_wait)) return accept_trial(1);
  trial_->after_ns = trial_->checked == 0 ? ns : std::min(trial_->after_ns, ns);
  if (++trial_->checked < kChecks) return;
  const double before = trial_->before_ns;
  const double after = trial_->after_ns;
  const double pace = (before + after) / 2 / of(way).ns();
  // Beyond that it may be the way that is used, and not the machine.
  const bool is_usual = pace < 1 + kFar && pace * (1 + kFar) > 1;
  if (is_usual && std::abs(after - before) <= kSteady * before) return accept_trial(pace);
  reject_trial();
}

void ShapeHistory::observe(Way way, double ns, std::uint32_t batches, double per_wait) {
  ns = std::max(ns, 1.0);
  Observed& seen = observed_[static_cast<std::size_t>(way)];
  const bool is_trial = trying_ == way;
  if (is_trial && alarm_) {
    alarm_->other_ns = alarm_->other_ns == 0 ? ns : std::min(alarm_->other_ns, ns);
    if (trying_left_ == 1) alarm_->other = way;
  } else if (is_trial) {
    if (!trial_) {
      trial_ = {.way = way, .before_ns = std::ranges::min(last_ns_), .per_wait = per_wait};
      if (followed_ == last_used_) trial_->beside = followed_;
    }
    if (trial_->count < kEnough) trial_->ns[trial_->count++] = ns;
    if (trial_->beside && ns > kHopeless * of(*trial_->beside).ns()) {
      // It may be that way, or something that came between: seen again once as much can be afforded.
      seen.given_up_ns = ns;
      reject_trial();
      trying_left_ = 1;
    }
  } else if (alarm_ && alarm_->other) {
    confirm_change(way, ns, per_wait);
  } else {
    if (trial_) check_trial(way, ns, per_wait);
    look_for_change(way, ns, per_wait);
    const std::uint32_t before = seen.count();
    const double believed = seen.is_known(per_wait) && !seen.is_doubtful() ? seen.ns() : 0;
    seen.add(ns, last_ != way, per_wait);
    if (seen.count() <= before) followed_.reset();
    if (seen.is_known(per_wait)) follow(way, believed);
    last_ns_ = {last_used_ == way ? last_ns_[1] : ns, ns};
    last_used_ = way;
    seen.last_sample = samples_;
  }
  ++samples_;
  seen.last_batch = batches_;
  last_ = way;
  total_ns_ += ns * batches;
  if (is_trial) {
    tried_ns_ += ns * batches;
    trying_since_ = batches_;
    if (--trying_left_ == 0) trying_.reset();
  }
}

void ShapeHistory::note_setup(double ns) noexcept {
  total_ns_ += ns;
  if (trying_) tried_ns_ += ns;
}

bool ShapeHistory::is_settled(const Forecast& forecast, const Moment& moment) const {
  const std::optional<Way>& kept = moment.seen.of_batch > 0 ? kept_ : kept_for_new_;
  if (!kept) return false;
  if (*kept != Way::Batched && !has_baseline(moment.per_wait)) return false;
  const Weighed weighed = weigh(forecast, moment);
  const double least = weighed.steady_of(*kept);
  const auto predicted = [&](Way way) { return forecast.of(way).ns * least / forecast.of(*kept).ns; };
  return std::ranges::none_of(kAllWays, [&](Way way) {
    const double each = weighed.steady_of(way);
    if (way == *kept || each == kNever || weighed.is_moot[static_cast<std::size_t>(way)]) return false;
    return is_open(way, each, predicted(way), least, moment.per_wait) ||
           is_long_shot(way, forecast, least, moment.per_wait);
  });
}

}  // namespace vyre::choice
