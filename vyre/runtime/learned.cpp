#include <vyre/runtime/learned.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace vyre::runtime {
namespace {

using choice::Way;

/// Errors by powers of the fourth root of two, from a thousandth on.
constexpr double kLeastError = 0.001;
constexpr double kBucketsPerOctave = 4;

double upper_end(std::size_t bucket) {
  return kLeastError * std::exp2(static_cast<double>(bucket) / kBucketsPerOctave);
}

std::size_t bucket_of(double error) {
  const double octaves = std::log2(std::max(error, kLeastError) / kLeastError);
  return std::min<std::size_t>(static_cast<std::size_t>(std::ceil(octaves * kBucketsPerOctave)), 63);
}

// The weight of the newest planning time in the average.
constexpr double kNewest = 0.3;
// A forecast is made again if it would change by this share, at once for so many batches, and later this often.
constexpr double kNoChange = 0.03;
constexpr std::uint64_t kOftenRefreshed = 64;
constexpr std::uint32_t kRefreshEvery = 16;
// If the number of batches for one wait changes, the new number is believed from the third time in a row on.
constexpr std::uint32_t kOftenUnusual = 3;
// The rest of a measurement, beyond the batches whose time is known, says something if it is this share of it.
constexpr double kLeastRest = 0.3;
// A form may make kernels so much faster, as a share of their time: what is expected of a deviation of 0.4, as that of
// forms is.
constexpr double kMaySave = 0.16;
// A saving below this share of a batch's time is noise, and no prediction is judged by it.
constexpr double kLeastSaving = 0.02;

/// Refuses what is not finite: forecasts add these numbers up, and the policies get the sums as whole nanoseconds.
Result<void> check(const choice::Calibration& calibration) {
  const auto check_one = [](double value, std::string_view what) -> Result<void> {
    // What is measured as a difference may be below 0.
    if (std::isfinite(value)) return {};
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the calibration's {} is {}, it takes a finite number", what, value));
  };
  const auto check_line = [&](const choice::Line& line, std::string_view what) -> Result<void> {
    VYRE_TRY(check_one(line.fixed_ns, what));
    return check_one(line.slope_ns, what);
  };
  for (std::size_t i = 0; i < calibration.ways.size(); ++i) {
    VYRE_TRY(check_line(calibration.ways[i], fmt::format("way '{}'", to_string(static_cast<choice::Way>(i)))));
  }
  VYRE_TRY(check_line(calibration.record, "record"));
  VYRE_TRY(check_line(calibration.copy, "copy"));
  VYRE_TRY(check_line(calibration.bound, "bound"));
  VYRE_TRY(check_line(calibration.table, "table"));
  VYRE_TRY(check_one(calibration.barrier_ns, "barrier_ns"));
  VYRE_TRY(check_one(calibration.compile_ns, "compile_ns"));
  for (const program::FormKind kind : program::kAllForms) {
    const choice::FormRatios& form = calibration.form(kind);
    const std::string what = fmt::format("{} form", to_string(kind));
    VYRE_TRY(check_line(calibration.timed[static_cast<std::size_t>(kind)], what + "'s timed launch"));
    for (const double ratio : {form.narrow, form.wide, form.compile}) VYRE_TRY(check_one(ratio, what));
  }
  return {};
}

}  // namespace

Result<void> Learned::set(const choice::Calibration& calibration) {
  VYRE_TRY(check(calibration));
  const std::scoped_lock lock{mutex_};
  calibration_ = calibration;
  is_calibrated_ = true;
  for (auto& [key, entry] : entries_) entry.forms.clear();
  return {};
}

std::optional<choice::Calibration> Learned::calibration() const {
  const std::scoped_lock lock{mutex_};
  return calibration_;
}

void Learned::learn(const choice::BatchShape& shape) {
  const std::scoped_lock lock{mutex_};
  if (entries_.contains(shape.key)) return;
  if (entries_.size() >= kMaxShapes) {
    entries_.erase(order_.back());
    order_.pop_back();
  }
  order_.push_front(shape.key);
  Entry entry;
  entry.shape = shape;
  entry.used = order_.begin();
  entries_.emplace(shape.key, std::move(entry));
}

void Learned::refresh(Entry& entry, std::span<const choice::ProgramForms> forms) {
  const std::uint64_t batches = entry.choice.batches();
  const bool is_due = batches < kOftenRefreshed || batches >= entry.refreshed_at + kRefreshEvery;
  if (!(entry.is_stale && is_due) && std::ranges::equal(entry.forms, forms)) return;
  entry.forms.assign(forms.begin(), forms.end());
  entry.habits = {.plan_ns = plan_ns_, .per_wait = entry.per_wait, .unknown_kernels_ns = entry.unknown_kernels_ns};
  entry.forecast = choice::forecast(entry.shape, *calibration_, kernels_, forms, entry.habits);
  entry.is_stale = false;
  entry.refreshed_at = batches;
}

bool Learned::choose(const Question& question, TunedChoice& chosen) {
  const std::scoped_lock lock{mutex_};
  const auto found = entries_.find(question.shape);
  if (found == entries_.end() || !calibration_) return false;
  Entry& entry = found->second;
  order_.splice(order_.begin(), order_, entry.used);
  entry.choice.skip(question.unasked);
  choice::Moment moment = question.moment;
  moment.seen.of_shape = static_cast<std::uint32_t>(std::min<std::uint64_t>(entry.choice.batches(), kMostSeen));
  moment.per_wait = entry.per_wait;
  refresh(entry, question.forms);
  // Kernel times come before trials: all forecasts follow from them. They wait until the current mode is known.
  const auto timed = worth_timing(entry, question);
  const bool was_calm = entry.choice.is_calm();
  moment.may_try = moment.may_try && !timed;
  chosen.choice = entry.choice.choose(entry.shape, *calibration_, entry.forecast, moment, policy_);
  chosen.proposed = entry.choice.verdict();
  const bool is_calm = entry.choice.batches() >= kOftenRefreshed && moment.exploration < 1 && entry.choice.is_calm();
  chosen.holds_for = is_calm ? kRefreshEvery : 0;
  chosen.per_wait = entry.per_wait;
  const Way way = chosen.choice.way;
  chosen.uses_form.resize(entry.forecast.kinds.size());
  for (std::size_t i = 0; i < chosen.uses_form.size(); ++i) {
    chosen.uses_form[i] = entry.forecast.kinds[i].uses_form(way);
  }
  chosen.events.clear();
  chosen.timed = was_calm && !chosen.choice.is_trial ? timed : std::nullopt;
  if (chosen.timed) {
    ++entry.timed[static_cast<std::size_t>(*chosen.timed)];
    chosen.holds_for = 0;
    for (std::size_t i = 0; i < chosen.uses_form.size(); ++i) {
      chosen.uses_form[i] = question.forms[i].possible[static_cast<std::size_t>(*chosen.timed)];
    }
    return true;
  }
  entry.choice.questions().events(way, chosen.uses_form, chosen.events);
  return true;
}

std::optional<program::FormKind> Learned::worth_timing(const Entry& entry, const Question& question) const {
  const choice::BatchShape& shape = entry.shape;
  const double exploration = question.moment.exploration;
  const bool may = question.may_time && calibration_->can_time() && exploration > 0 && exploration < 1;
  if (!may) return std::nullopt;
  double as_written_ns = 0;
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    as_written_ns += shape.kinds[i].groups * entry.forecast.kinds[i].kernels_ns[0];
  }
  for (const program::FormKind form : program::kAllForms) {
    const auto f = static_cast<std::size_t>(form);
    if (entry.timed[f] >= choice::KernelTimes::kTimings || !calibration_->has(form)) continue;
    bool is_unknown = false;
    double cost_ns = 0;
    for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
      const choice::GroupKind& kind = shape.kinds[i];
      if (!question.forms[i].possible[f]) continue;
      is_unknown |= kernels_.timings({.program = kind.program, .size_class = kind.size_class}, form) <
                    choice::KernelTimes::kTimings;
      if (!question.forms[i].compiled[f]) cost_ns += calibration_->compile_ns * calibration_->form(form).compile;
      cost_ns += kind.groups * (calibration_->timed[f].at(kind.count) + calibration_->barrier_ns);
      cost_ns += kind.groups * entry.forecast.kinds[i].kernels_ns[f];
    }
    if (!is_unknown) continue;
    // Kernels as written are timed for the forecasts of all modes; a form only for what it may save.
    const double may_save_ns = kMaySave * as_written_ns * static_cast<double>(entry.choice.batches());
    cost_ns = std::max(cost_ns - entry.choice.now_ns(), 0.0);
    const bool pays = form == program::FormKind::Descriptor || may_save_ns > cost_ns;
    if (pays && entry.choice.can_afford(cost_ns, exploration)) return form;
  }
  return std::nullopt;
}

void Learned::observe_groups(std::uint64_t shape, program::FormKind form, std::span<const GroupTime> groups,
                             double setup_ns) {
  const std::scoped_lock lock{mutex_};
  const auto found = entries_.find(shape);
  if (found == entries_.end() || !calibration_) return;
  Entry& entry = found->second;
  entry.is_stale = true;
  const choice::Line& empty = calibration_->timed[static_cast<std::size_t>(form)];
  std::vector<double> each_ns;
  double list_ns = 0;
  for (std::uint32_t i = 0; i < entry.shape.kinds.size(); ++i) {
    each_ns.clear();
    for (const GroupTime& group : groups) {
      if (group.kind != i || group.dispatches == 0) continue;
      each_ns.push_back(std::max(group.ns - empty.at(group.dispatches), 0.0) / group.dispatches);
    }
    if (each_ns.empty()) continue;
    const choice::GroupKind& kind = entry.shape.kinds[i];
    kernels_.time({.program = kind.program, .size_class = kind.size_class}, form, choice::median(each_ns));
    const double group_ns = kind.count * choice::median(each_ns) + empty.at(kind.count) + calibration_->barrier_ns;
    list_ns += kind.groups * group_ns;
  }
  entry.choice.note_timing(std::max(list_ns - entry.choice.now_ns(), 0.0) + setup_ns);
}

bool Learned::has_kernel_times(const Entry& entry, Way way) const {
  for (std::size_t i = 0; i < entry.shape.kinds.size(); ++i) {
    const choice::GroupKind& kind = entry.shape.kinds[i];
    const program::FormKind form = entry.forecast.kinds[i].form_in(way);
    if (kernels_.timings({.program = kind.program, .size_class = kind.size_class}, form) == 0) return false;
  }
  return true;
}

void Learned::observe(std::span<const UsedWay> used, double elapsed_ns, bool is_undisturbed) {
  const std::scoped_lock lock{mutex_};
  if (!calibration_) return;
  // The batches whose time is known take that time; the others share the rest in proportion to their estimates.
  double known_ns = 0;
  double unknown_ns = 0;
  double batches = 0;
  const auto estimate = [&](const Entry& entry, Way way) { return entry.choice.estimate(way).ns; };
  const auto is_known = [](const Entry& entry, Way way) {
    return way == entry.choice.current() && entry.choice.is_measured(way);
  };
  for (const UsedWay& each : used) {
    batches += each.batches;
    const auto found = entries_.find(each.shape);
    if (found == entries_.end()) continue;
    (is_known(found->second, each.way) ? known_ns : unknown_ns) += estimate(found->second, each.way) * each.batches;
  }
  const double rest_ns = elapsed_ns - known_ns;
  const bool is_any_known = known_ns > 0;
  const bool says_enough = unknown_ns > 0 && rest_ns >= kLeastRest * elapsed_ns;
  for (const UsedWay& each : used) {
    const auto found = entries_.find(each.shape);
    if (found == entries_.end()) continue;
    Entry& entry = found->second;
    // Another number of batches for one wait may be an exception: the rest that is waited for at the end.
    const bool is_usual = choice::are_alike_waits(batches, entry.per_wait) || entry.choice.total_ns() == 0;
    entry.unusual_waits = is_usual ? 0 : entry.unusual_waits + 1;
    if (!is_usual && entry.unusual_waits < kOftenUnusual) continue;
    const auto counted = [](double per_wait) { return std::min(per_wait, choice::kManyPerWait); };
    entry.is_stale |= counted(entry.per_wait) != counted(batches);
    entry.per_wait = batches;
    if (used.size() == 1) {
      observe_one(entry, each, elapsed_ns / each.batches, is_undisturbed);
    } else if (unknown_ns == 0) {
      observe_one(entry, each, estimate(entry, each.way) * elapsed_ns / std::max(known_ns, 1.0), false);
    } else if (!is_known(entry, each.way) && (!is_any_known || says_enough)) {
      observe_one(entry, each, estimate(entry, each.way) * rest_ns / unknown_ns, false);
    }
  }
}

void Learned::observe_late(const UsedWay& used, double elapsed_ns, bool is_undisturbed) {
  const std::scoped_lock lock{mutex_};
  const auto found = entries_.find(used.shape);
  if (!calibration_ || found == entries_.end()) return;
  if (!choice::are_alike_waits(used.batches, found->second.per_wait)) return;
  observe_one(found->second, used, elapsed_ns / used.batches, is_undisturbed);
}

void Learned::observe_one(Entry& entry, const UsedWay& used, double ns, bool is_undisturbed) {
  entry.choice.observe(used.way, ns, used.batches);
  if (const auto outcome = entry.choice.take_outcome()) note_error(*outcome);
  const bool is_current = used.way == entry.choice.current() && entry.choice.is_measured(used.way);
  if (is_undisturbed && is_current) learn_kernels(entry, used.way);
}

void Learned::note_error(const choice::ModeChoice::Outcome& outcome) noexcept {
  const double predicted = 1 - std::exp(outcome.expected.mean);
  const double measured = 1 - std::exp(outcome.measured.mean);
  if (std::abs(measured) < kLeastSaving) return;
  ++errors_[bucket_of(std::abs(predicted - measured) / std::abs(measured))];
  ++error_count_;
}

void Learned::learn_kernels(Entry& entry, Way way) {
  const choice::BatchShape& shape = entry.shape;
  if (shape.kinds.empty() || entry.forecast.kinds.empty()) return;
  const double ns = entry.choice.estimate(way).ns;
  const double launching = choice::overhead_ns(shape, *calibration_, entry.forecast, entry.habits, way);
  const double rest = std::max(ns - launching, 0.0);
  if (shape.kinds.size() == 1) {
    // Only where all kernels of a batch are alike, their time is each one's.
    const choice::GroupKind& kind = shape.kinds[0];
    const choice::KernelTimes::Key key{.program = kind.program, .size_class = kind.size_class};
    const program::FormKind form = entry.forecast.kinds[0].form_in(way);
    const double dispatches = 1.0 * kind.count * kind.groups;
    const double before = kernels_.get(*calibration_, key, form);
    kernels_.set(key, form, rest / dispatches);
    entry.is_stale |= std::abs(kernels_.get(*calibration_, key, form) - before) * dispatches > kNoChange * ns;
    return;
  }
  // The rest is then a mistake of what launching is forecast to take, and no kernel's time.
  if (has_kernel_times(entry, way)) {
    entry.is_stale |= entry.unknown_kernels_ns > 0;
    entry.unknown_kernels_ns = 0;
    return;
  }
  double known = 0;
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    const choice::KindCost& costs = entry.forecast.kinds[i];
    known += shape.kinds[i].groups * costs.kernels_ns[static_cast<std::size_t>(costs.form_in(way))];
  }
  const double ratio = choice::body_ratio(shape, *calibration_, entry.forecast, way);
  const double unknown = std::max(rest - known, 0.0) / std::max(ratio, 1e-3);
  entry.is_stale |= std::abs(unknown - entry.habits.unknown_kernels_ns) > kNoChange * ns;
  entry.unknown_kernels_ns = unknown;
}

choice::KernelTimes Learned::kernels() const {
  const std::scoped_lock lock{mutex_};
  return kernels_;
}

void Learned::recall(choice::KernelTimes::Key key, const choice::KernelTimes::Times& times) {
  const std::scoped_lock lock{mutex_};
  kernels_.recall(key, times);
}

void Learned::note_planning(double ns, std::size_t operations) {
  const std::scoped_lock lock{mutex_};
  const double each = ns / static_cast<double>(std::max<std::size_t>(operations, 1));
  // One that was disturbed does not count for more than another.
  plan_ns_ = plan_ns_ == 0 ? each : plan_ns_ + kNewest * (std::min(each, 2 * plan_ns_) - plan_ns_);
}

void Learned::note_setup(std::uint64_t shape, double ns) {
  const std::scoped_lock lock{mutex_};
  if (const auto found = entries_.find(shape); found != entries_.end()) found->second.choice.note_setup(ns);
}

report::GroupReport Learned::report_group(const Entry& entry, std::size_t i) const {
  const choice::GroupKind& kind = entry.shape.kinds[i];
  const auto times = kernels_.observed({.program = kind.program, .size_class = kind.size_class});
  report::GroupReport group{.kind = kind, .kernel_ns = times.ns, .can_time = calibration_->can_time()};
  for (std::size_t form = 0; form < group.is_timed.size(); ++form) group.is_timed[form] = times.timings[form] > 0;
  const auto verdicts = entry.choice.questions().groups();
  if (i >= verdicts.size()) return group;
  group.facts = verdicts[i].facts;
  group.bindless_threshold = verdicts[i].bindless_threshold;
  return group;
}

std::optional<report::ShapeReport> Learned::report(std::uint64_t shape) const {
  const std::scoped_lock lock{mutex_};
  const auto found = entries_.find(shape);
  if (found == entries_.end() || !calibration_ || found->second.forecast.kinds.empty()) return std::nullopt;
  const Entry& entry = found->second;
  const choice::ModeChoice& choice = entry.choice;
  const Way chosen = choice.current();
  report::ShapeReport result{
      .key = shape,
      .dispatches = entry.shape.dispatches,
      .barriers = entry.shape.barriers,
      .copies = entry.shape.copies,
      .proposed = choice.verdict(),
      .chosen = chosen,
      .batches = choice.batches(),
      .trials = choice.trials(),
      .samples = choice.samples(),
      .total_ns = choice.total_ns(),
      .trial_cost_ns = choice.trial_cost_ns(),
      .baseline_ns = choice.estimate(Way::Batched).ns,
      .launching_ns = choice::overhead_ns(entry.shape, *calibration_, entry.forecast, entry.habits, chosen),
      .forecast_saving_ns = entry.forecast.of(Way::Batched).ns - entry.forecast.of(chosen).ns};
  result.groups.reserve(entry.shape.kinds.size());
  for (std::size_t i = 0; i < entry.shape.kinds.size(); ++i) result.groups.push_back(report_group(entry, i));
  result.ways.reserve(choice::kAllWays.size());
  for (const Way way : choice::kAllWays) {
    const choice::WayCost& cost = entry.forecast.of(way);
    if (!cost.is_possible) continue;
    const choice::ModeEstimate estimate = choice.estimate(way);
    result.ways.push_back({.way = way,
                           .forecast_ns = cost.ns,
                           .estimate_ns = estimate.ns,
                           .deviation = estimate.deviation,
                           .setup_ns = cost.setup_ns,
                           .trials = estimate.trials,
                           .is_measured = choice.is_measured(way),
                           .used_below_ns = choice.used_below_ns(way)});
  }
  if (choice.is_measured(chosen) && choice.is_measured(Way::Batched)) {
    result.measured_saving_ns = result.baseline_ns - choice.estimate(chosen).ns;
    result.saving_deviation_ns = result.baseline_ns * choice.estimate(Way::Batched).deviation;
  }
  return result;
}

std::vector<std::uint64_t> Learned::shapes() const {
  const std::scoped_lock lock{mutex_};
  return {order_.begin(), order_.end()};
}

report::PredictionErrors Learned::errors() const {
  const std::scoped_lock lock{mutex_};
  const auto at = [&](double share) {
    const double wanted = share * static_cast<double>(error_count_);
    double passed = 0;
    for (std::size_t i = 0; i < errors_.size(); ++i) {
      passed += static_cast<double>(errors_[i]);
      if (passed >= wanted) return upper_end(i);
    }
    return upper_end(errors_.size() - 1);
  };
  return {.count = error_count_, .median = at(0.5), .ninth_decile = at(0.9)};
}

bool Learned::is_settled(std::uint64_t shape) const {
  const std::scoped_lock lock{mutex_};
  const auto found = entries_.find(shape);
  return found != entries_.end() && found->second.choice.is_settled();
}

}  // namespace vyre::runtime
