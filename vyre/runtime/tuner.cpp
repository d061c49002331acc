#include <vyre/runtime/tuner.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <vyre/runtime/calibrate.hpp>
#include <vyre/runtime/device_state.hpp>

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

// What was seen last counts for so much.
constexpr double kHabit = 0.3;
constexpr double kLeastVariable = 0.5;
constexpr double kUnknownShare = 0.3;
constexpr double kNoChange = 0.03;
constexpr double kLeastPace = 0.5;
constexpr double kMostPace = 2;
// A forecast that would be another one is made again at once for so many batches, and later not more often than that.
constexpr std::uint64_t kOftenRefreshed = 64;
constexpr std::uint32_t kRefreshEvery = 16;
// Waits for another number of batches are the rule from the third in a row on.
constexpr std::uint32_t kOftenUnusual = 3;
// What is predicted within this needs no correction.
constexpr double kExact = 0.01;
// Below this share of what a batch takes a saving is noise.
constexpr double kLeastSaving = 0.02;

/// Estimates are made of these, and become whole numbers.
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
    for (const double ratio : {form.narrow, form.wide, form.compile}) VYRE_TRY(check_one(ratio, what));
  }
  return {};
}

}  // namespace

std::shared_ptr<Tuner> Tuner::of(backend::Device& device) { return DeviceState::of(device).tuner; }

Result<void> Tuner::calibrate(backend::Device& device, std::chrono::nanoseconds timeout) {
  const std::scoped_lock one{calibrating_};
  if (calibration()) return {};
  VYRE_ASSIGN(const choice::Calibration measured, runtime::calibrate(device, timeout));
  return set(measured);
}

Result<void> Tuner::set(const choice::Calibration& calibration) {
  VYRE_TRY(check(calibration));
  const std::scoped_lock lock{mutex_};
  calibration_ = calibration;
  is_calibrated_ = true;
  for (auto& [key, entry] : entries_) entry.forms.clear();
  return {};
}

std::optional<choice::Calibration> Tuner::calibration() const {
  const std::scoped_lock lock{mutex_};
  return calibration_;
}

void Tuner::touch(Entry& entry) { order_.splice(order_.begin(), order_, entry.used); }

void Tuner::learn(const choice::BatchShape& shape) {
  const std::scoped_lock lock{mutex_};
  if (entries_.contains(shape.key)) return;
  if (entries_.size() >= kMaxShapes) {
    entries_.erase(order_.back());
    order_.pop_back();
  }
  order_.push_front(shape.key);
  Entry entry;
  entry.shape = shape;
  entry.pace = pace_;
  entry.used = order_.begin();
  entries_.emplace(shape.key, std::move(entry));
}

void Tuner::refresh(Entry& entry, std::span<const choice::ProgramForms> forms, choice::Appearances seen) {
  const std::uint64_t batches = entry.history.batches();
  const bool is_due = batches < kOftenRefreshed || batches >= entry.refreshed_at + kRefreshEvery;
  const bool is_refreshed = (entry.is_stale && is_due) || !std::ranges::equal(entry.forms, forms);
  if (is_refreshed) {
    entry.forms.assign(forms.begin(), forms.end());
    entry.habits = {.plan_ns = plan_ns_, .per_wait = entry.per_wait, .pace = entry.pace};
    entry.forecast = choice::forecast(entry.shape, *calibration_, kernels_, forms, entry.habits);
    entry.is_stale = false;
    entry.refreshed_at = batches;
  }
  const auto is_other = [](std::uint32_t now, std::uint32_t before) {
    return (now == 0) != (before == 0) || now < before || now - before > before / 8;
  };
  if (!is_refreshed && !is_other(seen.of_shape, entry.facts_for.of_shape) &&
      !is_other(seen.of_batch, entry.facts_for.of_batch)) {
    return;
  }
  entry.facts_for = seen;
  entry.facts.clear();
  for (std::size_t i = 0; i < entry.shape.kinds.size(); ++i) {
    entry.facts.push_back(choice::facts_of(entry.shape, *calibration_, entry.forecast, i, seen));
  }
}

void Tuner::choose_locked(Entry& entry, const choice::Moment& moment, TunedChoice& chosen) {
  chosen.choice = entry.history.choose(entry.forecast, moment);
  chosen.proposed = moment.proposed;
  const bool is_calm = entry.history.batches() >= kOftenRefreshed && entry.history.is_calm(chosen.choice, moment);
  chosen.holds_for = is_calm ? kRefreshEvery : 0;
  chosen.per_wait = entry.per_wait;
  const Way way = chosen.choice.way;
  chosen.uses_form.resize(entry.forecast.kinds.size());
  for (std::size_t i = 0; i < chosen.uses_form.size(); ++i) {
    chosen.uses_form[i] = entry.forecast.kinds[i].uses_form(way);
  }
  entry.moment = moment;
  if (!chosen.choice.is_trial) {
    entry.last = way;
    entry.predicted_ns = entry.history.typical(entry.forecast, way, entry.per_wait);
    entry.baseline_ns = entry.history.typical(entry.forecast, Way::Batched, entry.per_wait);
  }
}

double Tuner::expected(const UsedWay& used) const {
  const auto found = entries_.find(used.shape);
  if (found == entries_.end()) return 0;
  const Entry& entry = found->second;
  return entry.history.expected(entry.forecast, used.way, entry.per_wait);
}

void Tuner::observe(std::span<const UsedWay> used, double elapsed_ns, bool is_undisturbed) {
  const std::scoped_lock lock{mutex_};
  if (!calibration_) return;
  // What is known well takes what it takes; the rest is of those that are not, in proportion to what is expected.
  const auto is_unknown = [&](const UsedWay& each) {
    const auto found = entries_.find(each.shape);
    return found != entries_.end() &&
           found->second.history.of(each.way).count(found->second.per_wait) < choice::ShapeHistory::kEnough;
  };
  double known_ns = 0;
  double unknown_ns = 0;
  for (const UsedWay& each : used) (is_unknown(each) ? unknown_ns : known_ns) += expected(each) * each.batches;
  const bool all_known = unknown_ns == 0;
  const bool all_unknown = known_ns == 0;
  constexpr double kLeastShare = 0.1;
  // A small rest says nothing.
  const bool says_enough = all_known || all_unknown || unknown_ns >= kUnknownShare * elapsed_ns;
  const double scale = all_known
                           ? elapsed_ns / std::max(known_ns, 1.0)
                           : std::max(elapsed_ns - known_ns, kLeastShare * unknown_ns) / std::max(unknown_ns, 1.0);
  double batches = 0;
  for (const UsedWay& each : used) batches += each.batches;
  for (const UsedWay& each : used) {
    const auto found = entries_.find(each.shape);
    if (found == entries_.end()) continue;
    Entry& entry = found->second;
    // Once is an exception, the rest that is waited for at the end, say; and nothing is forgotten for that.
    const bool is_usual = choice::are_alike_waits(batches, entry.per_wait) || entry.history.total_ns() == 0;
    entry.unusual_waits = is_usual ? 0 : entry.unusual_waits + 1;
    if (!is_usual && entry.unusual_waits < kOftenUnusual) continue;
    const auto counted = [](double per_wait) { return std::min(per_wait, choice::kManyPerWait); };
    entry.is_stale |= counted(entry.per_wait) != counted(batches);
    entry.per_wait = batches;
    if (used.size() == 1) {
      observe_one(entry, each, elapsed_ns / each.batches, is_undisturbed);
    } else if (all_known || all_unknown || (says_enough && is_unknown(each))) {
      observe_one(entry, each, expected(each) * scale, false);
    }
  }
}

void Tuner::observe_late(const UsedWay& used, double elapsed_ns, bool is_undisturbed) {
  const std::scoped_lock lock{mutex_};
  const auto found = entries_.find(used.shape);
  if (!calibration_ || found == entries_.end()) return;
  const double per_wait = found->second.per_wait;
  if (!choice::are_alike_waits(used.batches, per_wait)) return;
  observe_one(found->second, used, elapsed_ns / used.batches, is_undisturbed);
}

void Tuner::observe_one(Entry& entry, const UsedWay& used, double ns, bool is_undisturbed) {
  entry.history.observe(used.way, ns, used.batches, entry.per_wait);
  // The first time, drivers compile what they put off, and memory is touched that never was.
  const choice::Observed& seen = entry.history.of(used.way);
  if (is_undisturbed && seen.is_known(entry.per_wait)) learn_kernels(entry, used.way, seen.ns());
  // What was believed before against what comes, of both sides: what is used, and what is saved over.
  const bool is_baseline = used.way == Way::Batched;
  const bool is_saving = entry.last && entry.last != Way::Batched && (is_baseline || used.way == entry.last);
  if (!is_saving || !entry.history.of(Way::Batched).is_known(entry.per_wait)) return;
  const double predicted = entry.baseline_ns - entry.predicted_ns;
  const double measured = is_baseline ? ns - entry.predicted_ns : entry.baseline_ns - ns;
  if (std::abs(measured) < kLeastSaving * ns) return;
  const double error = std::abs(predicted - measured) / std::abs(measured);
  ++errors_[bucket_of(error)];
  ++error_count_;
}

void Tuner::learn_kernels(Entry& entry, Way way, double ns) {
  // What it takes to change a table varies more than what kernels take, and would be taken for that.
  if (way == Way::Table) return;
  if (std::abs(ns - entry.forecast.of(way).ns) <= kExact * ns) return;
  const choice::BatchShape& shape = entry.shape;
  const auto form_in = [&](std::size_t i) { return entry.forecast.kinds[i].form_in(way); };
  const auto key_of = [&](std::size_t i) {
    return choice::KernelTimes::Key{.program = shape.kinds[i].program, .size_class = shape.kinds[i].size_class};
  };
  // Of one dispatch, and how much work it is beside others.
  const auto kernel_of = [&](std::size_t i) {
    return entry.forecast.kinds[i].kernels_ns[static_cast<std::size_t>(form_in(i))] / shape.kinds[i].count;
  };
  const auto work_of = [&](std::size_t i) { return std::ldexp(1.0, static_cast<int>(shape.kinds[i].size_class)); };
  const auto is_new = [&](std::size_t i) {
    return kernel_of(i) <= 0 && !kernels_.observed(key_of(i)).ns[static_cast<std::size_t>(form_in(i))];
  };
  double known_ns = 0;
  double work = 0;
  double new_work = 0;
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    const double dispatches = 1.0 * shape.kinds[i].groups * shape.kinds[i].count;
    known_ns += dispatches * kernel_of(i);
    work += dispatches * work_of(i);
    if (is_new(i)) new_work += dispatches * work_of(i);
  }
  // Beside what is known of the kernels it is, up to a point, launching that takes longer than in a loop that does
  // nothing else, or less. Beyond, it is the kernels, and nothing can be said of launching.
  choice::Habits habits = entry.habits;
  habits.pace = {1, 1};
  const double measured = std::max(choice::overhead_ns(shape, *calibration_, entry.forecast, habits, way), 1.0);
  const std::size_t kind_of_launch = choice::is_one_launch(way) ? 1 : 0;
  double& pace = entry.pace[kind_of_launch];
  const double now = (ns - known_ns) / measured;
  if (now >= kLeastPace && now <= kMostPace) {
    pace += kHabit * (now - pace);
    pace_[kind_of_launch] += kHabit * (now - pace_[kind_of_launch]);
    // A forecast is made again only if it would be another one.
    entry.is_stale |= std::abs(pace - entry.habits.pace_of(way)) > kNoChange * entry.habits.pace_of(way);
    return;
  }
  // From a batch that is mostly its fixed part little can be learned of its kernels, but that they do not take more.
  const bool is_little = ns - choice::fixed_ns(*calibration_, habits, way) < kLeastVariable * ns;
  if (is_little && ns >= entry.forecast.of(way).ns) return;
  const double rest = std::max(ns - pace * measured, 0.0);
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    double each = 0;
    if (new_work > 0 && rest > known_ns) {
      // What is known takes what it takes.
      if (!is_new(i)) continue;
      each = (rest - known_ns) * work_of(i) / new_work;
    } else if (known_ns > 0) {
      if (is_new(i)) continue;
      each = kernel_of(i) * rest / known_ns;
    } else {
      each = rest * work_of(i) / work;
    }
    kernels_.set(key_of(i), form_in(i), each);
    const double difference = 1.0 * shape.kinds[i].groups * shape.kinds[i].count * std::abs(each - kernel_of(i));
    entry.is_stale |= difference > kNoChange * ns;
  }
}

void Tuner::note_planning(double ns, std::size_t operations) {
  const std::scoped_lock lock{mutex_};
  const double each = ns / static_cast<double>(std::max<std::size_t>(operations, 1));
  // One that was disturbed does not count for more than another.
  plan_ns_ = plan_ns_ == 0 ? each : plan_ns_ + kHabit * (std::min(each, 2 * plan_ns_) - plan_ns_);
}

void Tuner::note_setup(std::uint64_t shape, double ns) {
  const std::scoped_lock lock{mutex_};
  if (const auto found = entries_.find(shape); found != entries_.end()) found->second.history.note_setup(ns);
}

std::optional<report::ShapeReport> Tuner::report(std::uint64_t shape) const {
  const std::scoped_lock lock{mutex_};
  const auto found = entries_.find(shape);
  if (found == entries_.end() || !calibration_ || found->second.forecast.kinds.empty()) return std::nullopt;
  const Entry& entry = found->second;
  report::ShapeReport result{.key = shape,
                             .dispatches = entry.shape.dispatches,
                             .barriers = entry.shape.barriers,
                             .copies = entry.shape.copies,
                             .bindless_threshold = choice::bindless_threshold(*calibration_),
                             .proposed = entry.moment.proposed,
                             .chosen = entry.last.value_or(entry.moment.proposed),
                             .batches = entry.history.batches(),
                             .trials = entry.history.trials(),
                             .disturbed = entry.history.disturbed(),
                             .total_ns = entry.history.total_ns(),
                             .tried_ns = entry.history.tried_ns(),
                             .baseline_ns = entry.baseline_ns,
                             .predicted_saving_ns = entry.baseline_ns - entry.predicted_ns};
  result.groups.reserve(entry.shape.kinds.size());
  result.ways.reserve(choice::kAllWays.size());
  for (std::size_t i = 0; i < entry.shape.kinds.size(); ++i) {
    const choice::GroupKind& kind = entry.shape.kinds[i];
    result.groups.push_back(
        {.kind = kind,
         .facts = entry.facts[i],
         .kernel_ns = kernels_.observed({.program = kind.program, .size_class = kind.size_class}).ns});
  }
  for (const Way way : choice::kAllWays) {
    const choice::WayCost& cost = entry.forecast.of(way);
    const choice::Observed& seen = entry.history.of(way);
    if (!cost.is_possible) continue;
    result.ways.push_back(
        {.way = way,
         .predicted_ns = cost.ns,
         .setup_ns = cost.setup_ns,
         .observed_ns = seen.ns(),
         .scaled = seen.scaled(),
         .samples = seen.count(),
         .used_below_ns = entry.history.used_below(entry.forecast, entry.moment, result.chosen, way)});
  }
  const choice::Observed& base = entry.history.of(Way::Batched);
  const choice::Observed& own = entry.history.of(result.chosen);
  result.is_baseline_measured = base.is_known(entry.per_wait);
  if (result.is_baseline_measured && own.is_known(entry.per_wait)) {
    result.measured_saving_ns = base.typical_ns() - own.typical_ns();
  }
  return result;
}

std::vector<std::uint64_t> Tuner::shapes() const {
  const std::scoped_lock lock{mutex_};
  return {order_.begin(), order_.end()};
}

report::PredictionErrors Tuner::errors() const {
  const std::scoped_lock lock{mutex_};
  // What few more make no difference to.
  if (error_count_ <= summary_.count + summary_.count / 16) {
    return {.count = error_count_, .median = summary_.median, .ninth_decile = summary_.ninth_decile};
  }
  const auto at = [&](double share) {
    const double wanted = share * static_cast<double>(error_count_);
    double passed = 0;
    for (std::size_t i = 0; i < errors_.size(); ++i) {
      passed += static_cast<double>(errors_[i]);
      if (passed >= wanted) return upper_end(i);
    }
    return upper_end(errors_.size() - 1);
  };
  summary_ = {.count = error_count_, .median = at(0.5), .ninth_decile = at(0.9)};
  return summary_;
}

bool Tuner::is_settled(std::uint64_t shape) const {
  const std::scoped_lock lock{mutex_};
  const auto found = entries_.find(shape);
  return found != entries_.end() && found->second.history.is_settled(found->second.forecast, found->second.moment);
}

}  // namespace vyre::runtime
