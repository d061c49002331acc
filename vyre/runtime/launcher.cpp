#include <vyre/runtime/launcher.hpp>

#include <algorithm>
#include <utility>

#include <vyre/lowering/lower_plan.hpp>

namespace vyre::runtime {
namespace {

using choice::Way;
using program::FormKind;

}  // namespace

Launcher::Launcher(backend::Device& device, const SessionOptions& options, const plan::WaitRule& rule)
    : device_{&device},
      max_arms_{std::min<std::size_t>(device.info().limits.queues, kMaxArms)},
      watchdog_{options.watchdog},
      is_timed_{options.time_device},
      planner_{device, options.mode == LaunchMode::Auto, rule},
      recordings_{device, {.recordings = options.max_recordings, .bytes = options.max_recording_bytes}},
      in_flight_{device},
      lowered_(1) {}

Launcher::~Launcher() {
  recordings_.clear();
  timer_.free(*device_);
  group_timer_.free(*device_);
}

Result<Launched> Launcher::launch(const Order& order, const Decision& decision, ProgramTable& programs) {
  programs_.clear();
  if (decision.timed) {
    Launched timed{.is_planned = true};
    VYRE_TRY(compile_forms(decision, programs, timed));
    return launch_timed(order, decision, programs, timed);
  }
  if (decision.way == Way::Plain) return launch_plain(order, decision);
  if (choice::is_replay(decision.way)) {
    if (const KeptBatch* kept = recordings_.find(order.batch, decision.way)) return replay(order, decision, *kept, {});
  }
  Launched launched{.is_planned = true};
  VYRE_TRY(compile_forms(decision, programs, launched));
  return decision.way == Way::Table ? launch_table(order, decision, programs, launched)
                                    : launch_lists(order, decision, programs, launched);
}

Result<Launched> Launcher::launch_plain(const Order& order, const Decision& decision) {
  const plan::Batch& batch = order.batch;
  for (const backend::CommandList* list : {&batch.leading, &batch.list, &batch.trailing}) {
    for (const backend::Command& command : list->commands()) {
      TimerPlaces places;
      places[0] = take_place();
      single_.clear();
      places[0].begin(single_);
      single_.append(*list, command);
      places[0].end(single_);
      VYRE_TRY(submit_arms(order, decision, 1, places, [&](std::size_t, const backend::SubmitOptions& how) {
        return device_->submit(single_, how);
      }));
    }
  }
  return Launched{.how = Launched::How::Plain,
                  .counts = {.waves = static_cast<std::uint32_t>(batch.operations()), .largest_wave = 1}};
}

Result<Launched> Launcher::launch_lists(const Order& order, const Decision& decision, ProgramTable& programs,
                                        Launched launched) {
  const BatchPlan& planned = planner_.plan(order.batch, max_arms_, programs);
  TimerPlaces places;
  VYRE_TRY(lower(order, decision, planned, programs, places, launched));
  if (!choice::is_replay(decision.way)) {
    const auto submit = [&](std::size_t arm, const backend::SubmitOptions& how) {
      return device_->submit(lowered_[arm], how);
    };
    // The list of an only arm has them already.
    const bool has_transfers = planned.counts.arms == 1;
    VYRE_TRY(has_transfers ? submit_arms(order, decision, 1, places, submit)
                           : submit_with_transfers(order, decision, planned.counts.arms, places, submit));
    return launched;
  }
  VYRE_ASSIGN(const KeptBatch* kept,
              keep(order, decision, order.batch.hash, order.batch.list, std::move(places), launched));
  return replay(order, decision, *kept, launched);
}

Result<Launched> Launcher::launch_timed(const Order& order, const Decision& decision, ProgramTable& programs,
                                        Launched launched) {
  const BatchPlan& planned = planner_.plan(order.batch, 1, programs);
  TimerPlaces none;
  Result<void> done = lower(order, decision, planned, programs, none, launched);
  if (done) {
    // Its time says nothing of a launch mode.
    done = in_flight_.launch(
        {.batch = order.number, .is_first_launch = order.is_first_launch}, 1, none, watchdog_,
        [&](std::size_t, const backend::SubmitOptions& how) { return device_->submit(lowered_[0], how); });
  }
  if (done) return launched;
  group_timer_.cancel();
  return std::unexpected{std::move(done).error()};
}

template <typename Choose>
void Launcher::lower_timed(const plan::Plan& plan, const plan::Arm& arm, const Order& order, const Decision& decision,
                           const ProgramTable& programs, backend::CommandList& lowered, Choose choose) {
  const backend::CommandList& batch = order.batch.list;
  group_timer_.cancel();
  const bool has_timer = group_timer_.begin(*device_, order.number);
  bool is_timed = false;
  const auto begin = [&](const plan::Group& group) {
    const auto kind = std::ranges::find(decision.kinds, kind_of(plan, group, batch, programs));
    is_timed =
        has_timer && kind != decision.kinds.end() &&
        group_timer_.begin_group(lowered, static_cast<std::uint32_t>(kind - decision.kinds.begin()), group.count);
  };
  const auto end = [&](const plan::Group& group) {
    if (!is_timed) return;
    const CompiledProgram& program = programs[programs.program_of(group.program)];
    const backend::PipelineHandle wanted = program.pipeline_in(*decision.timed);
    const auto runs_in_form = [&](const backend::Command& command) {
      return std::get<backend::Dispatch>(command).pipeline == wanted;
    };
    const bool is_in_form = std::ranges::all_of(lowered.commands().last(group.count), runs_in_form);
    group_timer_.end_group(lowered);
    // A group that runs as written says nothing of the form.
    if (!is_in_form) group_timer_.drop_group();
  };
  lowering::lower_apart(plan, arm, batch, lowered, choose, begin, end);
}

Result<Launched> Launcher::launch_table(const Order& order, const Decision& decision, ProgramTable& programs,
                                        Launched launched) {
  const BatchPlan& planned = planner_.plan(order.batch, 1, programs);
  TimerPlaces places;
  VYRE_TRY(lower(order, decision, planned, programs, places, launched));
  launched.how = Launched::How::Replayed;
  launched.replays = 1;
  const std::uint64_t hash = plan::hash_shape(lowered_[0]);
  const auto is_fixed = [&](backend::PipelineHandle pipeline) {
    const CompiledProgram& program = programs[programs.program_of(pipeline)];
    return (pipeline == program.written_pipeline && program.written_form == FormKind::Descriptor) ||
           (pipeline == program.pipeline && program.form == FormKind::Descriptor);
  };
  const KeptBatch* found = recordings_.find_table(hash, lowered_[0], is_fixed);
  if (found == nullptr) {
    VYRE_ASSIGN(const KeptBatch* made, keep(order, decision, hash, lowered_[0], {}, launched));
    VYRE_TRY(submit_with_transfers(order, decision, 1, {}, [&](std::size_t, const backend::SubmitOptions& how) {
      return device_->replay(made->recordings[0], how);
    }));
    return launched;
  }
  VYRE_TRY(submit_with_transfers(order, decision, 1, {}, [&](std::size_t, const backend::SubmitOptions& how) {
    return device_->replay(found->recordings[0], lowered_[0], how);
  }));
  return launched;
}

Result<Launched> Launcher::replay(const Order& order, const Decision& decision, const KeptBatch& kept,
                                  Launched launched) {
  VYRE_TRY(submit_with_transfers(
      order, decision, kept.plan.arms, kept.places,
      [&](std::size_t arm, const backend::SubmitOptions& how) { return device_->replay(kept.recordings[arm], how); }));
  launched.how = Launched::How::Replayed;
  launched.counts = kept.plan;
  launched.replays = kept.plan.arms;
  launched.programs = kept.programs;
  return launched;
}

template <typename Submit>
Result<void> Launcher::submit_with_transfers(const Order& order, const Decision& decision, std::size_t arms,
                                             const TimerPlaces& places, Submit submit) {
  if (order.batch.beside == 0) [[likely]]
    return submit_arms(order, decision, arms, places, submit);
  const auto lower_into = [&](const backend::CommandList& transfers, backend::CommandList& list) {
    list.clear();
    lower_transfers(transfers, list);
    return transfers.commands().empty() ? nullptr : &list;
  };
  const backend::CommandList* leading = lower_into(order.batch.leading, leading_);
  const backend::CommandList* trailing = lower_into(order.batch.trailing, trailing_);
  if (arms == 1) {
    return submit_arms(order, decision, 1, places, [&](std::size_t arm, backend::SubmitOptions how) {
      how.leading = leading;
      how.trailing = trailing;
      return submit(arm, how);
    });
  }
  const auto submit_alone = [&](const backend::CommandList* list) -> Result<void> {
    if (list == nullptr) return {};
    return submit_arms(order, decision, 1, {},
                       [&](std::size_t, const backend::SubmitOptions& how) { return device_->submit(*list, how); });
  };
  VYRE_TRY(submit_alone(leading));
  VYRE_TRY(submit_arms(order, decision, arms, places, submit));
  return submit_alone(trailing);
}

std::uint32_t Launcher::lower_transfers(const backend::CommandList& transfers, backend::CommandList& lowered) {
  static const std::vector<bool> kNone;
  const plan::Plan& plan =
      transfer_planner_.plan(transfers, 1, [](backend::PipelineHandle) -> const std::vector<bool>& { return kNone; });
  for (const plan::Arm& arm : plan.arms) lowering::lower_arm(plan, arm, transfers, lowered);
  return static_cast<std::uint32_t>(plan.waves.size());
}

template <typename Submit>
Result<void> Launcher::submit_arms(const Order& order, const Decision& decision, std::size_t arms,
                                   const TimerPlaces& places, Submit submit) {
  return in_flight_.launch({.batch = order.number, .used = decision.used, .is_first_launch = order.is_first_launch},
                           arms, places, watchdog_, submit);
}

Result<void> Launcher::compile_forms(const Decision& decision, ProgramTable& programs, Launched& launched) {
  for (const ShapeKind& kind : decision.kinds) {
    const std::optional<FormKind> form = decision.form_of(kind);
    CompiledProgram& program = programs[kind.program];
    if (!form || program.pipeline_in(*form).generation != 0) continue;
    const std::uint64_t begin = device_->now_ns();
    VYRE_ASSIGN(const backend::PipelineHandle pipeline, find_form(program, *form, watchdog_));
    programs.note_pipeline(pipeline, kind.program);
    launched.setup_ns += device_->now_ns() - begin;
    launched.has_compiled = true;
  }
  return {};
}

Result<void> Launcher::lower(const Order& order, const Decision& decision, const BatchPlan& planned,
                             ProgramTable& programs, TimerPlaces& places, Launched& launched) {
  const std::optional<std::uint64_t> planning_ns = planner_.take_time();
  const std::uint64_t begin = planning_ns ? device_->now_ns() : 0;
  // A pipeline as written is compiled when the first dispatch needs it, at most once for each program.
  while (const auto program = try_lower(order, decision, planned, programs, places)) {
    VYRE_ASSIGN(const backend::PipelineHandle written, find_written(programs[*program]));
    programs.note_pipeline(written, *program);
  }
  if (planning_ns) launched.planning_ns = *planning_ns + (device_->now_ns() - begin);
  launched.counts = planned.counts;
  launched.programs = programs_;
  return {};
}

ProgramLaunch& Launcher::launch_of(std::uint32_t program, FormKind form) {
  const auto place = std::ranges::lower_bound(programs_, program, {}, &ProgramLaunch::program);
  if (place == programs_.end() || place->program != program) {
    return *programs_.insert(place, {.program = program, .form = form});
  }
  // A program of which some groups run in a derived form is reported in that form.
  if (form != FormKind::Descriptor) place->form = form;
  return *place;
}

std::optional<std::uint32_t> Launcher::try_lower(const Order& order, const Decision& decision, const BatchPlan& planned,
                                                 const ProgramTable& programs, TimerPlaces& places) {
  const plan::Plan& plan = *planned.plan;
  const backend::CommandList& batch = order.batch.list;
  std::optional<std::uint32_t> missing;
  programs_.clear();
  const auto choose = [&](const plan::Group& group) {
    const std::uint32_t number = programs.program_of(group.program);
    const CompiledProgram& program = programs[number];
    std::optional<FormKind> decided;
    if (decision.uses_form != nullptr) decided = decision.form_of(kind_of(plan, group, batch, programs));
    const FormKind form = decided.value_or(program.form);
    const backend::PipelineHandle pipeline = program.pipeline_in(form);
    const std::size_t place = static_cast<std::size_t>(&launch_of(number, form) - programs_.data());
    const bool may_be_too_long = program::is_one_launch(form) && form != program.written_form;
    const bool may_be_cut = form != FormKind::Descriptor && program.written_form == FormKind::Descriptor &&
                            !device_->fits_all_views(pipeline);
    const bool by_params = may_be_too_long && device_->depends_on_params(pipeline);
    return [=, this, &program, &batch, &missing, last = backend::Groups{},
            fits = true](const backend::Dispatch& dispatch) mutable {
      const bool is_cut = may_be_cut && !device_->fits_views(pipeline, batch.ranges(dispatch));
      // Most dispatches have as many workgroups as the one before.
      if (may_be_too_long && (by_params || last != dispatch.groups)) {
        fits = device_->fits_form(pipeline, {.params = batch.params(dispatch), .groups = dispatch.groups});
        last = dispatch.groups;
      }
      if (fits && !is_cut) return pipeline;
      if (program.written_pipeline.generation == 0) missing = number;
      ProgramLaunch& launch = programs_[place];
      launch.has_cut |= is_cut;
      launch.has_too_long |= !is_cut;
      return program.written_pipeline;
    };
  };
  if (lowered_.size() < plan.arms.size()) lowered_.resize(plan.arms.size());
  // A list that is recorded anew for this batch has all of its transfers.
  const bool is_alone = planned.counts.arms == 1 && !choice::is_replay(decision.way) && decision.way != Way::Table;
  // An empty batch, which a capture may be, has no arms and one list.
  for (std::size_t i = 0; i < planned.counts.arms; ++i) {
    lowered_[i].clear();
    if (!decision.timed) places[i] = take_place();
    places[i].begin(lowered_[i]);
    if (is_alone && !order.batch.leading.commands().empty()) {
      lower_transfers(order.batch.leading, lowered_[i]);
      lowered_[i].barrier();
    }
    if (i < plan.arms.size() && decision.timed) {
      lower_timed(plan, plan.arms[i], order, decision, programs, lowered_[i], choose);
    } else if (i < plan.arms.size()) {
      lowering::lower_arm(plan, plan.arms[i], batch, lowered_[i], choose);
    }
    if (is_alone && !order.batch.trailing.commands().empty()) {
      lowered_[i].barrier();
      lower_transfers(order.batch.trailing, lowered_[i]);
    }
    places[i].end(lowered_[i]);
  }
  return missing;
}

Result<KeptBatch*> Launcher::keep(const Order& order, const Decision& decision, std::uint64_t hash,
                                  const backend::CommandList& list, TimerPlaces places, Launched& launched) {
  const std::uint64_t begin = device_->now_ns();
  VYRE_ASSIGN(KeptBatch * kept, recordings_.keep({.hash = hash,
                                                  .way = decision.way,
                                                  .shape = decision.used ? decision.used->shape : 0,
                                                  .list = list,
                                                  .places = std::move(places),
                                                  .plan = launched.counts,
                                                  .programs = programs_,
                                                  .is_captured = order.is_captured && choice::is_replay(decision.way)},
                                                 std::span{lowered_}.first(launched.counts.arms)));
  launched.has_recorded = true;
  launched.setup_ns += device_->now_ns() - begin;
  return kept;
}

}  // namespace vyre::runtime
