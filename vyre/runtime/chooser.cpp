#include <vyre/runtime/chooser.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace vyre::runtime {
namespace {

using choice::Way;
using program::FormKind;

/// A session with more shapes than this forgets all of them.
constexpr std::size_t kMaxShapes = 1024;
/// Between two waits a decision holds for at most this many batches, and for at most this part of those that came.
constexpr std::uint32_t kMostUnasked = 64;
constexpr std::uint64_t kUnaskedShare = 8;
/// Calibration takes this share of the time, in slices: a program is never slower by more than that, and a calibration
/// of 0.3 s is done after 6 s.
constexpr double kCalibrationShare = 0.05;
/// A slice of calibration is worth at least this: less would be mostly the wait before it.
constexpr double kLeastSliceNs = 1e6;
/// A batch that takes this many times its expected time makes the chooser ask again.
constexpr double kSurprising = 1.25;

std::string_view reason_of(const choice::Choice& choice, Way proposed) noexcept {
  if (choice.is_trial) return "a trial, to learn how long it takes";
  if (choice.way == proposed) return "the policies estimate that it takes least";
  return "the current mode is kept until another one is clearly faster";
}

}  // namespace

Chooser::Chooser(backend::Device& device, const SessionOptions& options)
    : device_{&device},
      tuner_{options.tuner != nullptr ? options.tuner : Tuner::of(device)},
      mode_{options.mode},
      exploration_{options.exploration},
      patience_ns_{static_cast<std::uint64_t>(std::max<std::int64_t>(options.calibrate_after.count(), 0))},
      may_keep_{options.max_recordings > 0},
      has_tables_{!options.time_device} {}

bool Chooser::may_overlap(std::uint32_t slot, const policy::Arm& kernels) const {
  const policy::Evaluate evaluate = tuner_->learned().policy();
  return evaluate({.copy_dst_slot = slot, .arm_a = kernels}, 0).copy_overlap == policy::CopyOverlap::Overlap;
}

Decision Chooser::decide(const Request& request) {
  if (mode_ != LaunchMode::Auto) return pinned(request);
  // Copies and fills have no forms. A single operation is launched alike in all modes but the slower ones.
  const bool is_single = request.batch.list.commands().size() == 1;
  if (!request.batch.has_dispatches() || is_single || !tuner_->is_calibrated()) return by_rule(request);
  return choose(request);
}

Decision Chooser::pinned(const Request& request) {
  const bool is_table = mode_ == LaunchMode::Bindless && has_tables_;
  if (request.is_captured) {
    if (!request.is_changed) return {.way = Way::Replay, .reason = "it was captured"};
    return {.way = is_table ? Way::Table : Way::Batched,
            .reason = "it was captured and is given other parameters or buffers"};
  }
  if (is_table) return {.way = Way::Table, .reason = "one list serves all batches of this shape"};
  if (mode_ == LaunchMode::Plain) return {.way = Way::Plain, .reason = "the mode is plain"};
  if (mode_ == LaunchMode::Batched) return {.way = Way::Batched, .reason = "the mode is batched"};
  return by_rule(request);
}

Decision Chooser::by_rule(const Request& request) {
  const plan::Batch& batch = request.batch;
  if (request.recordings.find(batch, Way::Replay) != nullptr) {
    return {.way = Way::Replay, .reason = "the batch came before and was kept"};
  }
  // A batch that comes for the second time may well come for a third.
  SeenBatch& before = seen_place(batch.hash);
  const bool is_asked_for = mode_ == LaunchMode::Replay || (request.is_captured && !request.is_changed);
  const bool keep = is_asked_for || (before.hash == batch.hash && may_keep_);
  before = {.hash = batch.hash};
  if (!keep) return {.way = Way::Batched, .reason = "the batch is new"};
  return {.way = Way::Replay, .reason = "the batch comes again and is kept"};
}

Decision Chooser::choose(const Request& request) {
  const plan::Batch& batch = request.batch;
  const std::uint64_t hash = batch.cost_hash();
  SeenBatch& seen = seen_place(hash);
  if (seen.hash == hash && seen.times > 0) {
    if (auto decision = decide_known(request, seen)) return *decision;
  }
  const BatchPlan& planned = request.planner.plan(batch, request.max_arms, request.programs);
  describe(*planned.plan, batch, request.programs, description_);
  const std::uint64_t shape = description_.shape.key;
  const auto found = shapes_.find(shape);
  if (found == shapes_.end() || found->second.kinds != description_.kinds) {
    if (shapes_.size() >= kMaxShapes) shapes_.clear();
    shapes_[shape] = {.kinds = description_.kinds};
  }
  seen = {.hash = hash, .shape = shape, .times = seen.hash == hash ? seen.times : 0};
  if (auto decision = decide_known(request, seen)) return *decision;
  tuner_->learned().learn(description_.shape);
  if (auto decision = decide_known(request, seen)) return *decision;
  return {.way = Way::Batched, .reason = "the batch is new"};
}

std::optional<Decision> Chooser::decide_known(const Request& request, const SeenBatch& seen) {
  const auto found = shapes_.find(seen.shape);
  if (found == shapes_.end()) return std::nullopt;
  KnownShape& known = found->second;
  ++known.batches;
  std::uint64_t asked_ns = 0;
  if (holds(known, request, seen)) {
    known.left -= std::min(known.left, 1U);
    ++known.unasked;
  } else {
    // The time that asking costs does not belong to the batch: batches for which a decision holds do not ask.
    const std::uint64_t begin = device_->now_ns();
    if (!ask(known, request, seen)) return std::nullopt;
    asked_ns = device_->now_ns() - begin;
  }
  const choice::Choice& chosen = known.chosen.choice;
  if (known.chosen.timed) {
    timing_ = {.shape = seen.shape, .form = *known.chosen.timed};
    return Decision{.way = Way::Batched,
                    .reason = "its groups are timed one by one, to learn how long the kernels take",
                    .kinds = known.kinds,
                    .uses_form = &known.chosen.uses_form,
                    .used = choice::UsedWay{.shape = seen.shape, .way = Way::Batched, .batches = 1},
                    .timed = known.chosen.timed,
                    .asked_ns = asked_ns};
  }
  return Decision{.way = chosen.way,
                  .reason = reason_of(chosen, known.chosen.proposed),
                  .kinds = known.kinds,
                  .uses_form = &known.chosen.uses_form,
                  .used = choice::UsedWay{.shape = seen.shape, .way = chosen.way, .batches = 1},
                  .events = known.chosen.events,
                  .asked_ns = asked_ns};
}

bool Chooser::holds(const KnownShape& known, const Request& request, const SeenBatch& seen) const noexcept {
  if (exploration_ >= 1) return false;
  // A trial must begin after a wait, so that is the time to ask.
  const bool is_calm = known.chosen.holds_for > 0;
  const std::uint64_t most =
      is_calm ? kMostUnasked : std::min<std::uint64_t>(kMostUnasked, known.batches / kUnaskedShare);
  const bool has_reason = known.has_news && !is_calm;
  const bool is_in_time = (is_calm && known.left > 0) || (!request.may_try && !has_reason && known.unasked < most);
  // A batch whose groups are timed is no example for the next.
  if (known.chosen.timed) return false;
  const bool is_alike = known.came_before == (seen.times > 0) &&
                        (!choice::is_replay(known.chosen.choice.way) || known.hash == request.batch.hash);
  return is_in_time && is_alike;
}

bool Chooser::ask(KnownShape& known, const Request& request, const SeenBatch& seen) {
  tell(known);
  find_forms(known, request.programs);
  choice::Moment moment{
      .seen = {.of_batch = seen.times}, .may_keep = may_keep_, .may_try = request.may_try, .exploration = exploration_};
  for (const KeptBatch& each : request.recordings.batches()) {
    const bool serves = each.way == Way::Table ? each.shape == seen.shape : each.hash == request.batch.hash;
    if (serves) moment.is_set_up[static_cast<std::size_t>(each.way)] = true;
  }
  const Learned::Question question{.shape = seen.shape,
                                   .forms = kind_forms_,
                                   .moment = moment,
                                   .unasked = known.unasked,
                                   .may_time = request.may_try && request.is_idle};
  if (!tuner_->learned().choose(question, known.chosen)) return false;
  known.hash = request.batch.hash;
  known.came_before = seen.times > 0;
  known.left = known.chosen.holds_for;
  known.unasked = 0;
  known.has_news = false;
  return true;
}

void Chooser::find_forms(const KnownShape& known, const ProgramTable& programs) {
  const backend::FormSupport& support = device_->info().forms;
  kind_forms_.clear();
  for (const ShapeKind& kind : known.kinds) {
    const CompiledProgram& program = programs[kind.program];
    choice::ProgramForms& forms = kind_forms_.emplace_back();
    for (const FormKind form : program::kAllForms) {
      const auto i = static_cast<std::size_t>(form);
      const bool is_own = form == program.form;
      forms.possible[i] = is_own || (support.has(form) && !program.refused[i]);
      forms.compiled[i] = is_own || program.shared->has(form);
      // If even the smallest dispatch of the class is too long for one workgroup, all run as written.
      const backend::PipelineHandle pipeline = program.pipeline_in(form);
      const std::uint64_t least = std::uint64_t{1} << (kind.size_class - 1);
      const bool is_long = takes_turns(form) && least > support.turn_groups;
      const backend::Groups few = {static_cast<std::uint32_t>(std::min<std::uint64_t>(least, UINT32_MAX)), 1, 1};
      const bool is_too_long = takes_turns(form) && pipeline.generation != 0 && !device_->fits_form(pipeline, few);
      if (is_long || is_too_long) forms.possible[i] = false;
    }
    if (!has_tables_) forms.possible[static_cast<std::size_t>(FormKind::Pointer)] = false;
  }
}

void Chooser::note_launch(const Decision& decision, const plan::Batch& batch) noexcept {
  if (!decision.used) return;
  const std::uint64_t hash = batch.cost_hash();
  SeenBatch& seen = seen_place(hash);
  if (seen.hash == hash) seen.times = std::min(seen.times + 1, Learned::kMostSeen);
}

bool Chooser::can_do_without(const Decision& decision, const Error& error, ProgramTable& programs) {
  if (!decision.used) return false;
  if (const auto found = shapes_.find(decision.used->shape); found != shapes_.end()) ask_again(found->second);
  if (error.code == ErrorCode::Unsupported) return true;
  const FormKind form = decision.timed.value_or(choice::form_of(decision.way));
  const bool is_refusal = error.code == ErrorCode::OutOfMemory || error.code == ErrorCode::CompileFailed;
  if (form == FormKind::Descriptor || !is_refusal) return false;
  for (const ShapeKind& kind : decision.kinds) {
    if (!decision.form_of(kind)) continue;
    CompiledProgram& program = programs[kind.program];
    if (form == program.form) return false;
    program.refused[static_cast<std::size_t>(form)] = true;
    program.form_refused = error.message;
  }
  return true;
}

std::uint64_t Chooser::calibration_budget_ns(const plan::Batch& batch) const noexcept {
  // A single operation is launched alike in all modes; measuring can wait until there is something to choose.
  const bool is_due = mode_ == LaunchMode::Auto && !tuner_->is_calibrated() && is_measurable_ &&
                      batch.has_dispatches() && batch.list.commands().size() >= policy::kMinPersistentBatch;
  if (!is_due) return 0;
  if (patience_ns_ == 0) return std::numeric_limits<std::uint64_t>::max();
  const Learned& learned = tuner_->learned();
  const double worked = static_cast<double>(learned.spent_ns()) - static_cast<double>(patience_ns_);
  const double left = kCalibrationShare * worked - static_cast<double>(learned.calibrating_ns());
  return left >= kLeastSliceNs ? static_cast<std::uint64_t>(left) : 0;
}

Result<void> Chooser::calibrate(std::chrono::nanoseconds timeout, std::uint64_t budget_ns) {
  Result<void> measured = tuner_->calibrate(*device_, timeout, budget_ns);
  if (!measured) is_measurable_ = false;
  return measured;
}

void Chooser::observe(const TimedBatches& timed) {
  if (timed.used.size() == 1) {
    const UsedWay& used = timed.used.front();
    const auto found = shapes_.find(used.shape);
    KnownShape* known = found == shapes_.end() ? nullptr : &found->second;
    const bool is_usual = known != nullptr && choice::are_alike_waits(used.batches, known->chosen.per_wait);
    // The decision was for another number of batches per wait.
    if (known != nullptr && !is_usual) ask_again(*known);
    if (is_usual && known->chosen.holds_for > 0 && known->chosen.choice.way == used.way) {
      known->samples.push_back({.used = used, .ns = timed.ns, .is_undisturbed = timed.is_undisturbed});
      if (timed.ns > kSurprising * known->chosen.choice.expected_ns * used.batches) ask_again(*known);
      return;
    }
  }
  for (const UsedWay& each : timed.used) {
    if (const auto found = shapes_.find(each.shape); found != shapes_.end()) tell(found->second);
  }
  tuner_->learned().observe(timed.used, timed.ns, timed.is_undisturbed);
}

void Chooser::tell(KnownShape& known) {
  known.has_news = true;
  for (const TimedBatches::Sample& each : known.samples)
    tuner_->learned().observe_late(each.used, each.ns, each.is_undisturbed);
  known.samples.clear();
  known.report.reset();
  are_errors_old_ = true;
}

void Chooser::ask_again(KnownShape& known) noexcept {
  known.chosen.holds_for = 0;
  known.has_news = true;
}

void Chooser::observe_groups(std::span<const GroupTime> groups) {
  tuner_->learned().observe_groups(timing_.shape, timing_.form, groups, timing_.setup_ns);
  if (const auto found = shapes_.find(timing_.shape); found != shapes_.end()) ask_again(found->second);
}

void Chooser::note_setup(const Decision& decision, std::uint64_t ns) {
  if (decision.timed) {
    timing_.setup_ns = static_cast<double>(ns);
    return;
  }
  if (decision.used) tuner_->learned().note_setup(decision.used->shape, static_cast<double>(ns));
}

void Chooser::note_lap(std::uint64_t ns) noexcept {
  if (!tuner_->is_calibrated()) tuner_->learned().note_spent(ns);
}

void Chooser::note_planning(std::uint64_t ns, std::size_t operations) {
  tuner_->learned().note_planning(static_cast<double>(ns), operations);
}

void Chooser::forget_programs() noexcept {
  shapes_.clear();
  seen_ = {};
}

std::shared_ptr<const report::ShapeReport> Chooser::report_of(std::uint64_t shape, const ProgramTable& programs) {
  const auto found = shapes_.find(shape);
  if (found != shapes_.end() && found->second.report != nullptr) return found->second.report;
  auto learned = tuner_->report(shape);
  if (!learned) return nullptr;
  for (report::GroupReport& group : learned->groups) {
    const auto named = std::ranges::find(programs.all(), group.kind.program, &CompiledProgram::id);
    if (named != programs.all().end()) group.program = named->program.name();
  }
  auto made = std::make_shared<const report::ShapeReport>(*std::move(learned));
  if (found != shapes_.end()) found->second.report = made;
  return made;
}

report::PredictionErrors Chooser::errors() {
  if (are_errors_old_) errors_ = tuner_->errors();
  are_errors_old_ = false;
  return errors_;
}

}  // namespace vyre::runtime
