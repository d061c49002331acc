#include <vyre/choice/forecast.hpp>

#include <algorithm>

#include <vyre/policy/persistent_kernel.hpp>

namespace vyre::choice {
namespace {

using program::FormKind;

constexpr std::array kOneLaunchForms = {FormKind::Merged, FormKind::Persistent, FormKind::Chain};

constexpr std::size_t index(FormKind form) noexcept { return static_cast<std::size_t>(form); }

std::uint64_t whole_ns(double ns) noexcept { return static_cast<std::uint64_t>(std::max(ns, 0.0)); }

/// The calibrated line of a list of dispatches as written: recorded anew for each batch, or kept.
const Line& list_line(const Calibration& calibration, bool is_kept) noexcept {
  return calibration.way(is_kept ? Way::Replay : Way::Batched);
}

/// The time of `launches` launches of a form within a list, without their kernels and items.
double launches_ns(const Calibration& calibration, Way way, std::uint32_t launches) noexcept {
  const Line& list = list_line(calibration, is_replay(way));
  const double first = std::max(calibration.way(way).fixed_ns - list.fixed_ns, 0.0);
  return first + std::max(first, list.slope_ns) * (std::max(launches, 1U) - 1);
}

/// The time of one launch for a group of `count` dispatches, or for a group's part of a chain.
double group_ns(const Calibration& calibration, Way way, std::uint32_t count) noexcept {
  const double items = calibration.way(way).slope_ns * count;
  return form_of(way) == FormKind::Chain ? items : launches_ns(calibration, way, 1) + items;
}

/// Dispatches that a form makes one launch of: a group, or all that a program has in a chain.
struct Gathered {
  std::uint32_t count = 0;
  double launch_ns = 0;      ///< Of the one launch.
  double as_written_ns = 0;  ///< Of the kernels as written, and the barriers between them,
  double in_form_ns = 0;     ///< and of the kernels in the form.
};

Gathered gather(const BatchShape& shape, const Calibration& calibration, const Forecast& forecast, std::size_t which,
                FormKind form) {
  const GroupKind& kind = shape.kinds[which];
  const KindCost& costs = forecast.kinds[which];
  const Way way = way_of(form);
  if (form != FormKind::Chain) {
    return {.count = kind.count,
            .launch_ns = group_ns(calibration, way, kind.count),
            .as_written_ns = costs.kernels_ns[index(FormKind::Descriptor)],
            .in_form_ns = costs.kernels_ns[index(form)]};
  }
  Gathered all;
  std::uint32_t groups = 0;
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    const GroupKind& each = shape.kinds[i];
    if (each.program != kind.program) continue;
    all.count += each.count * each.groups;
    groups += each.groups;
    all.as_written_ns += each.groups * forecast.kinds[i].kernels_ns[index(FormKind::Descriptor)];
    all.in_form_ns += each.groups * forecast.kinds[i].kernels_ns[index(form)];
  }
  all.as_written_ns += calibration.barrier_ns * shape.inner_barriers * all.count / std::max(shape.dispatches, 1U);
  all.launch_ns =
      launches_ns(calibration, way, std::min(shape.stretches, groups)) + group_ns(calibration, way, all.count);
  return all;
}

/// D1, with calibrated times, for one kind of groups in one form.
bool pays(const BatchShape& shape, const Calibration& calibration, const Forecast& forecast, std::size_t which,
          FormKind form) {
  const Gathered all = gather(shape, calibration, forecast, which, form);
  if (all.count == 0) return false;
  const double longer = all.in_form_ns - all.as_written_ns;
  const double each = list_line(calibration, false).slope_ns + std::max(-longer, 0.0) / all.count;
  return std::holds_alternative<policy::PersistentKernel>(policy::decide_persistent_kernel(
      {.batch_size = all.count,
       .per_launch_overhead_ns = whole_ns(each),
       .per_item_kernel_ns = whole_ns(all.as_written_ns / all.count),
       .persistent_setup_overhead_ns = whole_ns(all.launch_ns + std::max(longer, 0.0))}));
}

/// Whether timestamps have shown that a lone dispatch takes less time in a form than as written, launch included: a
/// form may be better code or worse, whatever its launch saves.
bool is_faster_alone(const BatchShape& shape, const Calibration& calibration, const Forecast& forecast,
                     std::size_t which, FormKind form) {
  const KindCost& costs = forecast.kinds[which];
  const bool is_known = costs.is_timed[index(form)] && costs.is_timed[index(FormKind::Descriptor)];
  if (!is_known || shape.kinds[which].count > 1 || form == FormKind::Chain) return false;
  const double launch_ns =
      std::max(group_ns(calibration, way_of(form), 1) - list_line(calibration, false).slope_ns, 0.0);
  return costs.kernels_ns[index(form)] + launch_ns < costs.kernels_ns[index(FormKind::Descriptor)];
}

/// Decides which kinds of groups run in a form where the batch's launch mode has it. False if none can.
bool compose(const BatchShape& shape, const Calibration& calibration, std::span<const ProgramForms> forms,
             FormKind form, Forecast& forecast) {
  const auto can = [&](std::size_t i) { return forms[i].possible[index(form)]; };
  const bool is_lone = std::ranges::all_of(shape.kinds, [](const GroupKind& kind) { return kind.count == 1; });
  // Where every dispatch is alone, one workgroup of the merged form is one as written; only how it finds its buffers
  // differs, which a driver may be faster or slower at.
  const bool takes_lone = form == FormKind::Chain || (form == FormKind::Merged && is_lone);
  const auto is_faster = [&](std::size_t i) { return is_faster_alone(shape, calibration, forecast, i, form); };
  const auto is_candidate = [&](std::size_t i) {
    return can(i) && (takes_lone || shape.kinds[i].count > 1 || is_faster(i));
  };
  if (!calibration.has(form) || shape.dispatches < policy::kMinPersistentBatch) return false;
  bool any = false;
  bool any_pays = false;
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    any |= is_candidate(i);
    const bool is_used = is_candidate(i) && (pays(shape, calibration, forecast, i, form) || is_faster(i));
    forecast.kinds[i].is_used[index(form)] = is_used;
    any_pays |= is_used;
  }
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    // A form that pays for no kind stays a launch mode for all that have it: a trial may say otherwise.
    if (!any_pays) forecast.kinds[i].is_used[index(form)] = is_candidate(i);
    // A lone dispatch goes along with others of its program, so that pipeline and bindings need not change.
    // Not if that takes longer than a launch.
    const KindCost& costs = forecast.kinds[i];
    const double longer = costs.kernels_ns[index(form)] - costs.kernels_ns[index(FormKind::Descriptor)];
    if (is_candidate(i) || !can(i) || longer > list_line(calibration, false).slope_ns) continue;
    for (std::size_t j = 0; j < shape.kinds.size(); ++j) {
      const bool is_same = shape.kinds[j].program == shape.kinds[i].program && shape.kinds[j].count > 1;
      if (is_same && forecast.kinds[j].is_used[index(form)]) forecast.kinds[i].is_used[index(form)] = true;
    }
  }
  return any;
}

/// The time that is spent once: compiling forms, recording a list.
double setup_ns(const BatchShape& shape, const Calibration& calibration, std::span<const ProgramForms> forms,
                const Forecast& forecast, Way way) {
  const FormKind form = form_of(way);
  double ns = 0;
  double launches = form == FormKind::Chain ? shape.stretches : 0;
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    const GroupKind& kind = shape.kinds[i];
    const bool in_form = forecast.kinds[i].uses_form(way);
    if (!in_form || !is_one_launch(way)) launches += 1.0 * kind.groups * kind.count;
    if (in_form && is_one_launch(way) && form != FormKind::Chain) launches += kind.groups;
    const auto is_same = [&](const GroupKind& other) { return other.program == kind.program; };
    const bool is_first = std::ranges::none_of(std::span{shape.kinds}.first(i), is_same);
    if (in_form && is_first && !forms[i].compiled[index(form)]) {
      ns += calibration.compile_ns * calibration.form(form).compile;
    }
  }
  return ns + (is_replay(way) || way == Way::Table ? calibration.record.at(launches) : 0);
}

/// The time of a batch that does not grow with its dispatches.
double fixed_ns(const Calibration& calibration, double per_wait, Way way) noexcept {
  const Line& line = is_one_launch(way) ? list_line(calibration, is_replay(way)) : calibration.way(way);
  const double waits = 1 / std::max(per_wait, 1.0);
  if (way == Way::Plain) return line.fixed_ns * waits;
  // A list that is not waited for costs what one more submission does.
  const Line& batched = calibration.way(Way::Batched);
  const double submission = std::max(calibration.way(Way::Plain).slope_ns - batched.slope_ns, 0.0);
  const double saved = std::max(batched.fixed_ns - submission, 0.0) * (1 - waits);
  return std::max(line.fixed_ns - saved, std::min(line.fixed_ns, submission));
}

}  // namespace

double overhead_ns(const BatchShape& shape, const Calibration& calibration, const Forecast& forecast,
                   const Habits& habits, Way way) {
  const bool is_kept = is_replay(way) || way == Way::Table;
  const bool is_chain = form_of(way) == FormKind::Chain;
  const auto uses_form = [&](const KindCost& each) { return each.uses_form(way); };
  // A chain waits within its one launch, where all dispatches are in it; a submission of its own is a barrier.
  const bool has_inner = !is_chain || !std::ranges::all_of(forecast.kinds, uses_form);
  const std::uint32_t barriers = way == Way::Plain ? 0 : shape.barriers - (has_inner ? 0 : shape.inner_barriers);
  double ns = fixed_ns(calibration, habits.per_wait, way) + calibration.barrier_ns * barriers +
              calibration.copy.fixed_ns * shape.copies +
              calibration.copy.slope_ns * static_cast<double>(shape.copied_bytes);
  if (!is_replay(way) && way != Way::Plain) ns += habits.plan_ns * shape.operations();
  if (!is_one_launch(way)) return ns + calibration.way(way).slope_ns * shape.dispatches;
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    const GroupKind& kind = shape.kinds[i];
    const double written = list_line(calibration, is_kept).slope_ns * kind.count;
    const double in_form = group_ns(calibration, way, kind.count);
    // The form is for many. That it is better for a lone dispatch, too, a trial must show.
    const double form_ns = kind.count > 1 || is_chain ? in_form : std::max(in_form, written);
    ns += kind.groups * (forecast.kinds[i].uses_form(way) ? form_ns : written);
  }
  return ns + (is_chain ? launches_ns(calibration, way, shape.stretches) : 0);
}

double body_ratio(const BatchShape& shape, const Calibration& calibration, const Forecast& forecast, Way way) {
  double sum = 0;
  double dispatches = 0;
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    const GroupKind& kind = shape.kinds[i];
    const double count = 1.0 * kind.count * kind.groups;
    sum += count * body_ratio(calibration, forecast.kinds[i].form_in(way), kind.size_class);
    dispatches += count;
  }
  return dispatches > 0 ? sum / dispatches : 1;
}

Forecast forecast(const BatchShape& shape, const Calibration& calibration, const KernelTimes& kernels,
                  std::span<const ProgramForms> forms, const Habits& habits) {
  Forecast result;
  for (const GroupKind& kind : shape.kinds) {
    KindCost& costs = result.kinds.emplace_back();
    for (const FormKind form : program::kAllForms) {
      costs.is_timed[index(form)] = kernels.timings({.program = kind.program, .size_class = kind.size_class}, form) > 0;
      costs.kernels_ns[index(form)] =
          kind.count * kernels.get(calibration, {.program = kind.program, .size_class = kind.size_class}, form);
    }
  }
  std::array<bool, program::kForms> has = {};
  for (const FormKind form : kOneLaunchForms) has[index(form)] = compose(shape, calibration, forms, form, result);
  const auto has_pointers = [](const ProgramForms& each) { return each.possible[index(FormKind::Pointer)]; };
  has[index(FormKind::Pointer)] = calibration.has(FormKind::Pointer) && shape.dispatches > 0 &&
                                  std::ranges::all_of(forms.first(shape.kinds.size()), has_pointers);
  for (const Way way : kAllWays) {
    WayCost& cost = result.ways[static_cast<std::size_t>(way)];
    cost.is_possible = form_of(way) == FormKind::Descriptor || has[index(form_of(way))];
    if (!cost.is_possible) continue;
    cost.ns = overhead_ns(shape, calibration, result, habits, way) +
              habits.unknown_kernels_ns * body_ratio(shape, calibration, result, way);
    for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
      cost.ns += shape.kinds[i].groups * result.kinds[i].kernels_ns[index(result.kinds[i].form_in(way))];
    }
    cost.setup_ns = setup_ns(shape, calibration, forms, result, way);
    cost.ns = std::max(cost.ns, 1.0);
  }
  return result;
}

}  // namespace vyre::choice
