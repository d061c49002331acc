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
// Ways that are predicted to take up to this much more than the best may well be the best.
constexpr double kNear = 2;
// And those that were seen to, or should by all that is known and did not: they may have been disturbed.
constexpr double kNearSeen = 1.3;
constexpr double kShouldBeNear = 1.1;
// A way that was seen often enough is looked at again after so many batches.
constexpr std::uint64_t kLookAgain = 100;
// A trial that could not be measured is over after so many.
constexpr std::uint64_t kLongestTrial = 16;
// How far from what is known a sample must be to mean that circumstances have changed.
constexpr double kFar = 0.5;
// A way that takes so many times what it did, so often in a row, has changed; not looked for more often than that.
constexpr double kWorse = 1.5;
constexpr std::uint32_t kOften = 3;
constexpr std::uint64_t kBetweenAlarms = 50;

}  // namespace

void Observed::add(double ns, bool is_back, double per_wait) {
  const bool is_far = is_back && count_ > 1 && std::abs(ns - ns_) > kFar * ns_;
  if (is_far || !is_like(per_wait)) count_ = held_ = next_ = 0;
  per_wait_ = per_wait;
  if (count_ == 1) held_ = next_ = 0;
  last_[next_] = ns;
  next_ = (next_ + 1) % kKept;
  held_ = std::min<std::uint32_t>(held_ + 1, kKept);
  ++count_;
  std::array<double, kKept> sorted = last_;
  std::ranges::sort(std::span{sorted}.first(held_));
  ns_ = sorted[held_ > 3 ? 1 : 0];
}

void Observed::set(double ns, double per_wait) {
  forget();
  add(ns, false, per_wait);
  count_ = 2;
}

double ShapeHistory::steady(const Forecast& forecast, const Moment& moment, Way way) const {
  const WayCost& predicted = forecast.of(way);
  const bool is_kept = is_replay(way) || way == Way::Table;
  const bool is_known = moment.seen.of_batch > 0;
  if (!predicted.is_possible || (is_replay(way) && !is_known) || (is_kept && !moment.may_keep)) return kNever;
  return expected(forecast, way, moment.per_wait);
}

double ShapeHistory::cost(const Forecast& forecast, const Moment& moment, Way way) const {
  const double once = moment.is_set_up[static_cast<std::size_t>(way)] ? 0 : forecast.of(way).setup_ns;
  return steady(forecast, moment, way) + once / (1.0 + (is_replay(way) ? moment.seen.of_batch : moment.seen.of_shape));
}

std::optional<Way> ShapeHistory::next_trial(const Forecast& forecast, const Moment& moment, Way best) const {
  const double least = steady(forecast, moment, best);
  const auto cheapest = [&](auto is_due) {
    std::optional<Way> next;
    for (const Way way : kAllWays) {
      const double each = steady(forecast, moment, way);
      if (way == best || each == kNever || !is_due(way, each)) continue;
      if (!next || each < steady(forecast, moment, *next)) next = way;
    }
    return next;
  };
  const auto is_open = [&](Way way, double each) {
    return of(way).count(moment.per_wait) < kEnough && each <= kNear * least;
  };
  if (const auto next = cheapest(is_open)) return next;
  // What is saved is known only if what it is saved over is.
  if (best != Way::Batched && !of(Way::Batched).is_known(moment.per_wait)) return Way::Batched;
  return cheapest([&](Way way, double each) {
    const bool is_near = each <= kNearSeen * least || forecast.of(way).ns <= kShouldBeNear * least;
    return is_near && batches_ >= of(way).last_batch + kLookAgain;
  });
}

std::optional<Way> ShapeHistory::next_resort(const Forecast& forecast, const Moment& moment) const {
  // What went wrong with one way probably did with those that are like it.
  const auto rank = [&](Way way) {
    const double is_alike = is_one_launch(way) == is_one_launch(alarm_->from) ? 1 : 0;
    return std::pair{is_alike, steady(forecast, moment, way)};
  };
  std::optional<Way> next;
  for (const Way way : kAllWays) {
    const bool is_near = steady(forecast, moment, way) <= kNear * alarm_->level_ns;
    if (way == alarm_->from || alarm_->tried[static_cast<std::size_t>(way)] || !is_near) continue;
    if (!next || rank(way) < rank(*next)) next = way;
  }
  return next;
}

Choice ShapeHistory::try_out(Way way, const Forecast& forecast, const Moment& moment) {
  trying_ = way;
  trying_since_ = batches_;
  // One after another: what runs alone among others is slower than what is used all the time.
  trying_left_ = alarm_ ? 1 : kEnough;
  ++trials_;
  return {.way = way, .is_trial = true, .expected_ns = expected(forecast, way, moment.per_wait)};
}

Choice ShapeHistory::choose(const Forecast& forecast, const Moment& moment) {
  ++batches_;
  const auto takes = [&](Way way) { return expected(forecast, way, moment.per_wait); };
  const auto is_possible = [&](Way way) { return cost(forecast, moment, way) < kNever; };
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
  if (trying_) {
    const bool is_over =
        batches_ - trying_since_ > std::max(kLongestTrial, static_cast<std::uint64_t>(moment.per_wait));
    if (!is_over && is_possible(*trying_)) return {.way = *trying_, .is_trial = true, .expected_ns = takes(*trying_)};
    if (is_over) {
      // It took its time all the same.
      const double lost = takes(*trying_) * static_cast<double>(batches_ - trying_since_);
      tried_ns_ += lost;
      total_ns_ += lost;
      trying_.reset();
    }
  }
  std::optional<Way>& kept = moment.seen.of_batch > 0 ? kept_ : kept_for_new_;
  Way best = kept && is_possible(*kept) ? *kept : moment.proposed;
  if (!is_possible(best)) best = Way::Batched;
  const double stays = cost(forecast, moment, best);
  double least = stays;
  for (const Way way : kAllWays) {
    const double each = cost(forecast, moment, way);
    const double margin = of(way).count(moment.per_wait) >= kEnough ? kMargin : kMarginUnseen;
    if (each < least && each < (1 - margin) * stays) {
      least = each;
      best = way;
    }
  }
  kept = best;
  const bool may_try = moment.may_try && moment.exploration > 0 && moment.seen.of_shape >= kFewTimes;
  if (may_try && alarm_) {
    if (const auto next = next_resort(forecast, moment)) {
      alarm_->tried[static_cast<std::size_t>(*next)] = true;
      return try_out(*next, forecast, moment);
    }
    alarm_.reset();
  }
  if (may_try) {
    if (const auto next = next_trial(forecast, moment, best)) {
      const double setup = moment.is_set_up[static_cast<std::size_t>(*next)] ? 0 : forecast.of(*next).setup_ns;
      // It lasts until it was waited for.
      const double lasts = kEnough * std::max(moment.per_wait, 1.0);
      if (tried_ns_ + takes(*next) * lasts + setup <= moment.exploration * total_ns_) {
        return try_out(*next, forecast, moment);
      }
    }
  }
  return {.way = best, .expected_ns = takes(best)};
}

void ShapeHistory::look_for_change(Way way, double ns, double per_wait) {
  const Observed& seen = of(way);
  const bool is_bad = seen.count(per_wait) >= kEnough && ns > kWorse * seen.ns() && !alarm_;
  bad_in_a_row_ = is_bad ? bad_in_a_row_ + 1 : 0;
  if (bad_in_a_row_ < kOften || (last_alarm_ != 0 && batches_ - last_alarm_ < kBetweenAlarms)) return;
  last_alarm_ = batches_;
  alarm_ = {.from = way, .level_ns = ns};
  for (Observed& each : observed_) each.forget();
  observed_[static_cast<std::size_t>(way)].set(ns, per_wait);
}

void ShapeHistory::observe(Way way, double ns, std::uint32_t batches, double per_wait) {
  Observed& seen = observed_[static_cast<std::size_t>(way)];
  const bool is_trial = trying_ == way;
  if (is_trial && alarm_) {
    seen.set(ns, per_wait);
    if (kWorse * ns < alarm_->level_ns) alarm_.reset();
  } else {
    if (!is_trial) look_for_change(way, ns, per_wait);
    seen.add(ns, last_ != way, per_wait);
  }
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
  const double least = steady(forecast, moment, *kept);
  return std::ranges::none_of(kAllWays, [&](Way way) {
    return way != *kept && of(way).count(moment.per_wait) < kEnough && steady(forecast, moment, way) <= kNear * least;
  });
}

}  // namespace vyre::choice
