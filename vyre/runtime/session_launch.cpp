#include <algorithm>
#include <tuple>
#include <utility>

#include <vyre/runtime/session_state.hpp>

namespace vyre::runtime {
namespace {

constexpr std::uint64_t kTimedPlans = 16;
constexpr std::uint64_t kTimedAtFirst = 64;

}  // namespace

void Session::State::begin_batch() noexcept {
  std::swap(gathered, previous);
  copies_in_batch = 0;
  fills_in_batch = 0;
  for (CompiledProgram& program : programs) program.in_batch = program.too_long = program.cut = 0;
  ++batch;
  gathered.clear();
  gathered.gathered_at = batch;
}

std::unexpected<Error> Session::State::broken(Error error) {
  if (!failure) failure = error;
  // What was begun says nothing.
  stopwatch.reset();
  stopwatch.spoil();
  // What these wait for will not come.
  std::erase_if(reads, [&](const PendingRead& read) { return read.batch >= batch || read.from == nullptr; });
  begin_batch();
  return std::unexpected{std::move(error)};
}

Result<void> Session::State::flush_batch() {
  if (gathered.list.commands().empty()) return {};
  const std::uint64_t begin = device->now_ns();
  if (!begin_ns) begin_ns = begin;
  stopwatch.launch(begin);
  const std::uint64_t calibrated_before = report.calibration_ns;
  if (auto launched = launch_batch(); !launched) return broken(std::move(launched).error());
  ++report.batches;
  report.copies += copies_in_batch;
  report.fills += fills_in_batch;
  begin_batch();
  // What measuring the device took once is not the batch's.
  const std::uint64_t taken = device->now_ns() - begin - (report.calibration_ns - calibrated_before);
  report.host_ns += taken;
  stopwatch.work(taken);
  // So that what is pending stays short; the device itself makes us wait when there is too much.
  return in_flight.size() > 1 ? refresh(true) : Result<void>{};
}

Session::State::Planned Session::State::plan_batch(std::size_t max_arms) {
  // It is enough to time some of many batches.
  const bool is_timed = options.mode == LaunchMode::Auto && (batch % kTimedPlans == 1 || batch < kTimedAtFirst);
  const std::uint64_t begin = is_timed ? device->now_ns() : 0;
  const Plan& plan = planner.plan(gathered.list, max_arms, writes_of());
  const Planned planned{.plan = &plan, .counts = plan.counts()};
  if (planned.counts.largest_wave > 1) {
    const policy::AuditEvent event{.substrate = policy::Substrate::ArmIndependence,
                                   .action = policy::Action::RunConcurrently,
                                   .detail = policy::Detail::DisjointSlots};
    log.record({&event, 1});
  }
  if (is_timed) planning_ns = device->now_ns() - begin;
  return planned;
}

void Session::State::lower_batch(const Planned& planned, Places& places) {
  lower_batch(planned, places,
              [](const plan::Group&) { return [](const backend::Dispatch& dispatch) { return dispatch.pipeline; }; });
}

Result<void> Session::State::launch_batch() {
  Places places;
  switch (options.mode) {
    case LaunchMode::Auto: {
      // Drivers compile what they put off at the first launch of a program: what that takes says nothing of a way.
      is_first_launch =
          std::ranges::any_of(programs, [](const auto& each) { return each.in_batch > 0 && each.last_used == 0; });
      Result<void> launched = launch_chosen();
      is_first_launch = false;
      return launched;
    }
    case LaunchMode::Plain: return launch_plain("the mode is plain");
    case LaunchMode::Bindless: {
      if (options.time_device) break;
      const Planned planned = plan_batch(1);
      lower_batch(planned, places);
      return launch_through_table(planned.counts, "one list serves all batches of this shape");
    }
    case LaunchMode::Batched: {
      const Planned planned = plan_batch(max_arms());
      lower_batch(planned, places);
      return launch_anew(planned.counts, places, "the mode is batched");
    }
    default: break;
  }
  return launch_by_rule();
}

Result<void> Session::State::launch_by_rule() {
  if (const KeptBatch* found = recordings.find(gathered, choice::Way::Replay)) {
    return launch_kept(*found, "the batch came before and was kept");
  }
  Places places;
  const Planned planned = plan_batch(max_arms());
  lower_batch(planned, places);
  // A batch that comes for the second time may well come for a third.
  SeenBatch& before = seen_place();
  const bool keep = options.mode == LaunchMode::Replay || (before.hash == gathered.hash && options.max_recordings > 0);
  before = {.hash = gathered.hash};
  if (!keep) return launch_anew(planned.counts, places, "the batch is new");
  VYRE_ASSIGN(const KeptBatch* made,
              keep_batch(planned.counts, std::move(places), gathered.hash, gathered.list, choice::Way::Replay));
  return launch_kept(*made, "the batch comes again and is kept");
}

Result<void> Session::State::launch_kept(const KeptBatch& found, std::string_view reason) {
  VYRE_TRY(launch_arms(found.plan.arms, found.places, [&](std::size_t arm, const backend::SubmitOptions& how) {
    return device->replay(found.recordings[arm], how);
  }));
  report.replays += found.plan.arms;
  note_launch(found.plan, &report::ProgramReport::replayed, reason);
  return {};
}

Result<void> Session::State::launch_anew(const PlanCounts& plan, const Places& places, std::string_view reason) {
  VYRE_TRY(launch_arms(plan.arms, places, [&](std::size_t arm, const backend::SubmitOptions& how) {
    return device->submit(lowered[arm], how);
  }));
  note_launch(plan, &report::ProgramReport::batched, reason);
  return {};
}

Result<void> Session::State::launch_through_table(const PlanCounts& plan, std::string_view reason) {
  const std::uint64_t hash = plan::hash_shape(lowered[0]);
  const auto is_fixed = [&](backend::PipelineHandle pipeline) {
    const CompiledProgram& compiled = programs[program_of[pipeline.index]];
    return pipeline == compiled.written_pipeline ||
           (pipeline == compiled.pipeline && compiled.form == program::FormKind::Descriptor);
  };
  if (const KeptBatch* found = recordings.find_table(hash, lowered[0], is_fixed)) {
    VYRE_TRY(launch_arms(1, {}, [&](std::size_t, const backend::SubmitOptions& how) {
      return device->replay(found->recordings[0], lowered[0], how);
    }));
  } else {
    VYRE_ASSIGN(const KeptBatch* made, keep_batch(plan, {}, hash, lowered[0], choice::Way::Table));
    VYRE_TRY(launch_arms(1, {}, [&](std::size_t, const backend::SubmitOptions& how) {
      return device->replay(made->recordings[0], how);
    }));
  }
  report.replays += 1;
  note_launch(plan, &report::ProgramReport::replayed, reason);
  return {};
}

Result<void> Session::State::launch_plain(std::string_view reason) {
  const auto commands = gathered.list.commands();
  for (const backend::Command& command : commands) {
    const Places places{take_place()};
    single.clear();
    places[0].begin(single);
    single.append(gathered.list, command);
    places[0].end(single);
    VYRE_TRY(launch_arms(1, places,
                         [&](std::size_t, const backend::SubmitOptions& how) { return device->submit(single, how); }));
  }
  note_launch({.waves = static_cast<std::uint32_t>(commands.size()), .largest_wave = 1}, &report::ProgramReport::plain,
              reason);
  return {};
}

void Session::State::note_launch(const PlanCounts& plan, std::uint64_t report::ProgramReport::* how,
                                 std::string_view reason) {
  report.waves += plan.waves;
  report.barriers += plan.barriers;
  report.barriers_avoided += plan.barriers_avoided;
  for (CompiledProgram& program : programs) {
    if (program.in_batch == 0) continue;
    report::ProgramReport& each = report.programs[program.report_index];
    each.dispatches += program.in_batch;
    each.*how += program.in_batch;
    if (each.reason != reason) each.reason = reason;
    each.form = program.used_form.value_or(program.form);
    if (program.cut > 0) {
      each.form_refused = "some views end within an element of an array, and their dispatches run as written";
    } else if (program.too_long > 0) {
      each.form_refused = "some dispatches are longer than a workgroup of it may be, and run as written";
    } else if (each.form_refused.empty()) {
      each.form_refused = program.form_refused;
    }
    report.dispatches += program.in_batch;
    program.last_used = batch;
  }
}

Result<KeptBatch*> Session::State::keep_batch(const PlanCounts& plan, Places places, std::uint64_t hash,
                                              const backend::CommandList& list, choice::Way way) {
  const std::uint64_t begin = device->now_ns();
  VYRE_ASSIGN(KeptBatch * kept, recordings.keep({.hash = hash,
                                                 .way = way,
                                                 .shape = launching ? launching->shape : 0,
                                                 .list = list,
                                                 .places = std::move(places),
                                                 .plan = plan},
                                                std::span{lowered}.first(plan.arms)));
  ++report.recordings;
  if (launching) {
    note_setup(begin);
  } else {
    // Where the mode is chosen, the policies have said so.
    const policy::AuditEvent event{.substrate = policy::Substrate::CommandReuse,
                                   .action = policy::Action::RecordAndReplay,
                                   .detail = policy::Detail::RepeatShape};
    log.record({&event, 1});
  }
  return kept;
}

}  // namespace vyre::runtime
