#include <algorithm>
#include <tuple>
#include <utility>

#include <vyre/runtime/session_state.hpp>

namespace vyre::runtime {
namespace {

using choice::Way;
using program::FormKind;

/// More kinds of groups than this count as the last of them.
constexpr std::size_t kMaxKinds = 32;
constexpr std::size_t kMaxShapes = 1024;
// What was decided holds at most for so many batches without a wait, and for such a share of those that came.
constexpr std::uint32_t kMostUnasked = 64;
constexpr std::uint64_t kUnaskedShare = 8;
// Shapes in the report of a run.
constexpr std::size_t kMostReported = 256;
// A batch that takes so many times what is expected asks for another decision.
constexpr double kSurprising = 1.25;

std::uint64_t workgroups(const backend::Groups& groups) noexcept {
  return std::uint64_t{groups[0]} * groups[1] * groups[2];
}

std::string_view reason_of(const choice::Choice& choice, Way proposed) noexcept {
  if (choice.is_trial) return "it is tried, to see what it takes";
  return choice.way == proposed ? "the policies expect it to take least" : "it was measured to take least";
}

}  // namespace

Result<bool> Session::State::is_calibrated() {
  if (tuner->is_calibrated()) return true;
  // One operation is launched alike in all modes; measuring can wait until there is something to choose.
  if (!is_measurable || gathered.list.commands().size() < policy::kMinPersistentBatch) return false;
  const auto patience = static_cast<std::uint64_t>(std::max<std::int64_t>(options.calibrate_after.count(), 0));
  if (tuner->spent_ns() < patience) return false;
  // Measuring waits for what is pending, as if that took no time.
  if (!in_flight.empty()) stopwatch.spoil();
  const std::uint64_t begin = device->now_ns();
  const auto measured = tuner->calibrate(*device, options.watchdog);
  const std::uint64_t taken = device->now_ns() - begin;
  report.calibration_ns += taken;
  if (begin_ns) *begin_ns += taken;
  stopwatch.skip(taken);
  if (measured) return true;
  if (measured.error().code == ErrorCode::DeviceLost) return std::unexpected{measured.error()};
  is_measurable = false;
  report.not_calibrated = measured.error().message;
  return false;
}

Session::State::ShapeKind Session::State::kind_of(const Plan& plan, const plan::Group& group) const {
  std::uint64_t most = 1;
  for (const std::uint32_t i : plan.operations_of(group)) {
    most = std::max(most, workgroups(std::get<backend::Dispatch>(gathered.list.commands()[i]).groups));
  }
  return {.program = program_of[group.program], .count = group.count, .size_class = choice::size_class(most)};
}

void Session::State::describe(const Plan& plan) {
  shape.kinds.clear();
  shape.dispatches = shape.barriers = shape.copies = shape.stretches = shape.inner_barriers = 0;
  shape.copied_bytes = 0;
  described.clear();
  std::uint64_t key = std::max<std::uint64_t>(plan.arms.size(), 1);
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t stretch_of = kNone;  // The program of the last dispatch, unless a transfer came since.
  std::uint32_t barriers_since = 0;  // The barriers since that dispatch.
  // Dispatches that bind what the one before does: lists of those take less.
  std::uint64_t bound_alike = 0;
  std::span<const backend::BufferRange> bound;
  const auto add_transfer = [&](const backend::Command& command) {
    const auto* copy = std::get_if<backend::Copy>(&command);
    const std::uint64_t bytes = copy != nullptr ? copy->size : std::get<backend::Fill>(command).range.size;
    ++shape.copies;
    shape.copied_bytes += bytes;
    stretch_of = kNone;
    key = mix(key, (copy != nullptr ? std::uint64_t{2} : std::uint64_t{3}) << 32 | choice::size_class(bytes));
  };
  const auto add_group = [&](const plan::Group& group) {
    const ShapeKind kind = kind_of(plan, group);
    const std::uint64_t program = programs[kind.program].id;
    std::uint32_t resources = 0;
    for (const std::uint32_t i : plan.operations_of(group)) {
      const auto binds = gathered.list.ranges(std::get<backend::Dispatch>(gathered.list.commands()[i]));
      if (std::ranges::equal(binds, bound)) ++bound_alike;
      bound = binds;
      resources = static_cast<std::uint32_t>(binds.size());
    }
    shape.dispatches += kind.count;
    if (stretch_of != kind.program) ++shape.stretches;
    if (stretch_of == kind.program) shape.inner_barriers += barriers_since;
    stretch_of = kind.program;
    barriers_since = 0;
    const auto found = std::ranges::find(described, kind);
    // Which of the kinds it is counts, too: two programs here may be one and the same to the tuner.
    key = mix(mix(key, program), std::uint64_t{kind.count} << 32 | kind.size_class);
    key = mix(key, static_cast<std::uint64_t>(found - described.begin()));
    if (found != described.end()) {
      ++shape.kinds[static_cast<std::size_t>(found - described.begin())].groups;
    } else if (described.size() < kMaxKinds) {
      described.push_back(kind);
      shape.kinds.push_back(
          {.program = program, .count = kind.count, .size_class = kind.size_class, .resources = resources});
    } else {
      shape.kinds.back().groups += std::max(kind.count / shape.kinds.back().count, 1U);
    }
  };
  for (const plan::Arm& arm : plan.arms) {
    stretch_of = kNone;
    bool is_first = true;
    for (const plan::Wave& wave : plan.waves_of(arm)) {
      if (!is_first) {
        ++shape.barriers;
        ++barriers_since;
        key = mix(key, 1);
      }
      is_first = false;
      for (const plan::Group& group : plan.groups_of(wave)) {
        if (group.kind == plan::OperationKind::Dispatch) {
          add_group(group);
          continue;
        }
        for (const std::uint32_t i : plan.operations_of(group)) add_transfer(gathered.list.commands()[i]);
      }
    }
  }
  shape.key = key = mix(key, choice::size_class(bound_alike));
  if (const auto found = shapes.find(key); found != shapes.end() && found->second.kinds == described) return;
  if (shapes.size() >= kMaxShapes) shapes.clear();
  shapes[key] = {.kinds = described};
}

void Session::State::tell(KnownShape& of) {
  of.has_news = true;
  for (const Sample& each : of.samples) tuner->observe_late(each.used, each.ns, each.is_undisturbed);
  of.samples.clear();
  of.report.reset();
  are_errors_old = true;
}

bool Session::State::choose(const SeenBatch& before) {
  const auto found = shapes.find(before.shape);
  if (found == shapes.end()) return false;
  known = &found->second;
  chosen_shape = before.shape;
  ++known->batches;
  // What is tried must be launched after a wait, so that is the time to ask.
  const bool is_calm = known->chosen.holds_for > 0;
  const std::uint64_t most =
      is_calm ? kMostUnasked : std::min<std::uint64_t>(kMostUnasked, known->batches / kUnaskedShare);
  const bool has_reason = known->has_news && !is_calm;
  const bool holds = (is_calm && known->left > 0) || (is_in_span() && !has_reason && known->unasked < most);
  const bool is_alike = known->came_before == (before.times > 0) &&
                        (!choice::is_replay(known->chosen.choice.way) || known->hash == gathered.hash);
  if (!holds || !is_alike || options.exploration >= 1) return ask(before);
  known->left -= std::min(known->left, 1U);
  ++known->unasked;
  // The same facts, the same verdicts.
  log.record(known->events);
  return true;
}

bool Session::State::ask(const SeenBatch& before) {
  // What asking takes is no part of what a batch does: those for which a decision holds do not ask.
  const std::uint64_t begin = device->now_ns();
  const bool is_chosen = ask_tuner(before);
  stopwatch.exclude(device->now_ns() - begin);
  return is_chosen;
}

bool Session::State::ask_tuner(const SeenBatch& before) {
  tell(*known);
  kind_forms.clear();
  for (const ShapeKind& kind : known->kinds) {
    const CompiledProgram& program = programs[kind.program];
    choice::ProgramForms& forms = kind_forms.emplace_back();
    for (const FormKind form : program::kAllForms) {
      const auto i = static_cast<std::size_t>(form);
      const bool is_own = form == program.form;
      forms.possible[i] = is_own || (device->info().forms.has(form) && !program.refused[i]);
      forms.compiled[i] = is_own || program.shared->has(form);
      // Where even the least of its class is too long for a workgroup, all run as written.
      const backend::PipelineHandle pipeline = is_own ? program.pipeline : program.others[i];
      const std::uint64_t least = std::uint64_t{1} << (kind.size_class - 1);
      const bool is_long = takes_turns(form) && least > device->info().forms.turn_groups;
      const backend::Groups few = {static_cast<std::uint32_t>(std::min<std::uint64_t>(least, UINT32_MAX)), 1, 1};
      const bool is_too_long = takes_turns(form) && pipeline.generation != 0 && !device->fits_form(pipeline, few);
      if (is_long || is_too_long) forms.possible[i] = false;
    }
    if (options.time_device) forms.possible[static_cast<std::size_t>(FormKind::Pointer)] = false;
  }
  choice::Moment moment{.seen = {.of_batch = before.times},
                        .may_keep = options.max_recordings > 0,
                        .may_try = !is_in_span(),
                        .exploration = options.exploration};
  for (const KeptBatch& each : recordings.batches()) {
    const bool serves = each.way == Way::Table ? each.shape == before.shape : each.hash == gathered.hash;
    if (serves) moment.is_set_up[static_cast<std::size_t>(each.way)] = true;
  }
  known->events.clear();
  const auto record = [&](std::span<const policy::AuditEvent> events) {
    known->events.insert(known->events.end(), events.begin(), events.end());
  };
  if (!tuner->choose(before.shape, kind_forms, moment, known->unasked, known->chosen, record)) return false;
  log.record(known->events);
  known->hash = gathered.hash;
  known->came_before = before.times > 0;
  known->left = known->chosen.holds_for;
  known->unasked = 0;
  known->has_news = false;
  return true;
}

Result<void> Session::State::compile_form() {
  const FormKind form = choice::form_of(known->chosen.choice.way);
  const std::vector<ShapeKind>& kinds = known->kinds;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    CompiledProgram& program = programs[kinds[i].program];
    const bool is_there = form == program.form || program.others[static_cast<std::size_t>(form)].generation != 0;
    if (!known->chosen.uses_form[i] || is_there) continue;
    // Compiling waits for what is pending, as if that took no time.
    if (!in_flight.empty()) stopwatch.spoil();
    const std::uint64_t begin = device->now_ns();
    VYRE_ASSIGN(const backend::PipelineHandle pipeline, find_form(program, form, options.watchdog));
    note_pipeline(pipeline, kinds[i].program);
    note_setup(begin);
  }
  return {};
}

void Session::State::lower_in_form(const Planned& planned, Places& places) {
  const FormKind form = choice::form_of(known->chosen.choice.way);
  if (form == FormKind::Descriptor) return lower_batch(planned, places);
  lower_batch(planned, places, [&](const plan::Group& group) {
    const ShapeKind kind = kind_of(*planned.plan, group);
    CompiledProgram& program = programs[kind.program];
    const auto found = std::ranges::find(known->kinds, kind);
    // Kinds beyond the most that are told apart run as they are written.
    const bool is_used =
        found != known->kinds.end() && known->chosen.uses_form[static_cast<std::size_t>(found - known->kinds.begin())];
    const backend::PipelineHandle pipeline =
        form == program.form ? program.pipeline : program.others[static_cast<std::size_t>(form)];
    const bool fits_all_views = device->fits_all_views(pipeline);
    return [this, &program, pipeline, is_used, fits_all_views, is_limited = is_one_launch(form),
            last = backend::Groups{}, fits = true](const backend::Dispatch& dispatch) mutable {
      if (!is_used) return dispatch.pipeline;
      if (!fits_all_views && !device->fits_views(pipeline, std::as_const(gathered.list).ranges(dispatch))) {
        ++program.cut;
        return dispatch.pipeline;
      }
      // Alike dispatches stand together: most are as large as the one before.
      if (is_limited && last != dispatch.groups) {
        fits = device->fits_form(pipeline, dispatch.groups);
        last = dispatch.groups;
      }
      program.too_long += fits ? 0U : 1U;
      return fits ? pipeline : dispatch.pipeline;
    };
  });
}

Result<void> Session::State::launch_in_way(Planned planned) {
  const Way way = known->chosen.choice.way;
  const std::string_view reason = reason_of(known->chosen.choice, known->chosen.proposed);
  launching = {.shape = chosen_shape, .way = way, .batches = 1};
  const std::vector<ShapeKind>& kinds = known->kinds;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (known->chosen.uses_form[i]) programs[kinds[i].program].used_form = choice::form_of(way);
  }
  if (way == Way::Plain) return launch_plain(reason);
  if (choice::is_replay(way)) {
    if (const KeptBatch* found = recordings.find(gathered, way)) return launch_kept(*found, reason);
  }
  const std::size_t arms_allowed = way == Way::Table ? 1 : max_arms();
  if (planned.plan == nullptr || planned.counts.arms > arms_allowed) planned = plan_batch(arms_allowed);
  VYRE_TRY(compile_form());
  Places places;
  lower_in_form(planned, places);
  if (way == Way::Table) return launch_through_table(planned.counts, reason);
  if (!choice::is_replay(way)) return launch_anew(planned.counts, places, reason);
  VYRE_ASSIGN(const KeptBatch* made, keep_batch(planned.counts, std::move(places), gathered.hash, gathered.list, way));
  return launch_kept(*made, reason);
}

bool Session::State::can_do_without(const Error& error) {
  if (error.code == ErrorCode::Unsupported) return true;
  const FormKind form = choice::form_of(known->chosen.choice.way);
  const bool is_launched = in_flight.last() == batch;
  const bool is_refusal = error.code == ErrorCode::OutOfMemory || error.code == ErrorCode::CompileFailed;
  if (form == FormKind::Descriptor || is_launched || !is_refusal) return false;
  for (std::size_t i = 0; i < known->kinds.size(); ++i) {
    if (!known->chosen.uses_form[i]) continue;
    CompiledProgram& program = programs[known->kinds[i].program];
    if (form == program.form) return false;
    program.refused[static_cast<std::size_t>(form)] = true;
    program.form_refused = error.message;
  }
  return true;
}

Result<void> Session::State::launch_chosen() {
  // Copies and fills alone have no forms, and are worth keeping wherever they come again. One dispatch is launched
  // alike in all ways but the slower ones.
  const bool has_dispatch = std::ranges::any_of(programs, [](const auto& each) { return each.in_batch > 0; });
  if (!has_dispatch || gathered.list.commands().size() == 1) return launch_by_rule();
  VYRE_ASSIGN(const bool is_known_device, is_calibrated());
  if (!is_known_device) return launch_by_rule();
  SeenBatch& before = seen_place();
  // A form that a program turns out not to have is not chosen again.
  const std::size_t most_tries = programs.size() * std::size(program::kAllForms) + 1;
  Result<void> launched;
  for (std::size_t i = 0; i < most_tries; ++i) {
    Planned planned;
    if (before.hash != gathered.hash || before.times == 0 || !choose(before)) {
      planned = plan_batch(max_arms());
      describe(*planned.plan);
      const std::uint32_t times = before.hash == gathered.hash ? before.times : 0;
      before = {.hash = gathered.hash, .shape = shape.key, .times = times};
      if (!choose(before)) {
        tuner->learn(shape);
        if (!choose(before)) {
          Places places;
          lower_batch(planned, places);
          return launch_anew(planned.counts, places, "the batch is new");
        }
      }
    }
    launched = launch_in_way(planned);
    for (const ShapeKind& kind : known->kinds) programs[kind.program].used_form.reset();
    if (!launched) ask_again(*known);
    if (launched || !can_do_without(launched.error())) break;
  }
  if (run_shapes.size() < kMostReported && std::ranges::find(run_shapes, chosen_shape) == run_shapes.end()) {
    run_shapes.push_back(chosen_shape);
  }
  before.times = std::min(before.times + 1, Tuner::kMostSeen);
  launching.reset();
  return launched;
}

void Session::State::note_setup(std::uint64_t begin) {
  const std::uint64_t taken = device->now_ns() - begin;
  stopwatch.exclude(taken);
  if (launching) tuner->note_setup(launching->shape, static_cast<double>(taken));
}

void Session::State::note_time(const TimedBatches& timed) {
  if (timed.used.size() == 1) {
    const UsedWay& used = timed.used.front();
    const auto found = shapes.find(used.shape);
    KnownShape* of = found == shapes.end() ? nullptr : &found->second;
    const bool is_usual = of != nullptr && choice::are_alike_waits(used.batches, of->chosen.per_wait);
    // What was decided is not for such batches.
    if (of != nullptr && !is_usual) ask_again(*of);
    if (is_usual && of->chosen.holds_for > 0 && of->chosen.choice.way == used.way) {
      of->samples.push_back({.used = used, .ns = timed.ns, .is_undisturbed = timed.is_undisturbed});
      // What is surprising is told at once.
      if (timed.ns > kSurprising * of->chosen.choice.expected_ns * used.batches) ask_again(*of);
      return;
    }
  }
  for (const UsedWay& each : timed.used) {
    if (const auto found = shapes.find(each.shape); found != shapes.end()) tell(found->second);
  }
  tuner->observe(timed.used, timed.ns, timed.is_undisturbed);
}

void Session::State::stop_lap(bool is_waited) {
  const Stopwatch::Lap lap = stopwatch.stop(device->now_ns(), is_waited, !in_flight.empty());
  if (!tuner->is_calibrated()) tuner->note_spent(lap.ns);
  if (lap.timed) note_time(*lap.timed);
}

}  // namespace vyre::runtime
