#include <vyre/choice/forecast.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace vyre::choice {
namespace {

using program::FormKind;

constexpr std::size_t index(FormKind form) noexcept { return static_cast<std::size_t>(form); }

std::uint64_t whole_ns(double ns) noexcept { return static_cast<std::uint64_t>(std::max(ns, 0.0)); }

std::uint32_t bounded(double count) noexcept {
  return static_cast<std::uint32_t>(std::clamp(count, 0.0, double{std::numeric_limits<std::uint32_t>::max()}));
}

/// What a list as written takes, made anew or kept.
const Line& list_line(const Calibration& calibration, bool is_kept) noexcept {
  return calibration.way(is_kept ? Way::Replay : Way::Batched);
}

const Line& one_launch_line(const Calibration& calibration, FormKind form, bool is_kept) noexcept {
  return calibration.way(is_kept ? kept_of(way_of(form)) : way_of(form));
}

/// What launches of a form take within a list, kernels and items aside: the first goes with the list, the others are
/// dispatches in it.
double launches_ns(const Calibration& calibration, FormKind form, bool is_kept, std::uint32_t launches) noexcept {
  const Line& list = list_line(calibration, is_kept);
  const double first = std::max(one_launch_line(calibration, form, is_kept).fixed_ns - list.fixed_ns, 0.0);
  return first + std::max(first, list.slope_ns) * (std::max(launches, 1U) - 1);
}

/// What one launch of a group takes within a list, kernels aside.
double one_launch_ns(const Calibration& calibration, FormKind form, bool is_kept, std::uint32_t count) noexcept {
  return launches_ns(calibration, form, is_kept, 1) + one_launch_line(calibration, form, is_kept).slope_ns * count;
}

/// D1 for one group, as it comes this once.
policy::PersistentKernelInputs queue_inputs(const Calibration& calibration, const GroupKind& kind,
                                            const KindCost& costs, FormKind form, bool is_kept) noexcept {
  const double written = costs.kernels_ns[index(FormKind::Descriptor)];
  const double other = costs.kernels_ns[index(form)];
  // What a form saves of the kernels themselves, by filling the device, a launch of its own costs.
  const double idle = std::max(written - other, 0.0) / kind.count;
  return {.batch_size = kind.count,
          .per_launch_overhead_ns = whole_ns(list_line(calibration, is_kept).slope_ns + idle),
          .per_item_kernel_ns = whole_ns(written / kind.count),
          .persistent_setup_overhead_ns =
              whole_ns(one_launch_ns(calibration, form, is_kept, kind.count) + std::max(other - written, 0.0))};
}

/// D1 for all dispatches of a program, which a chain makes one launch of, or as many as there are stretches.
policy::PersistentKernelInputs chain_inputs(const BatchShape& shape, const Calibration& calibration,
                                            const Forecast& forecast, std::uint64_t program, bool is_kept) noexcept {
  std::uint32_t count = 0;
  std::uint32_t groups = 0;
  double written = 0;
  double other = 0;
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    const GroupKind& kind = shape.kinds[i];
    if (kind.program != program) continue;
    count += kind.count * kind.groups;
    groups += kind.groups;
    written += kind.groups * forecast.kinds[i].kernels_ns[index(FormKind::Descriptor)];
    other += kind.groups * forecast.kinds[i].kernels_ns[index(FormKind::Chain)];
  }
  const double barriers = calibration.barrier_ns * shape.inner_barriers / std::max(shape.dispatches, 1U);
  const double items = one_launch_line(calibration, FormKind::Chain, is_kept).slope_ns * count;
  const double launches = launches_ns(calibration, FormKind::Chain, is_kept, std::min(shape.stretches, groups));
  return {.batch_size = count,
          .per_launch_overhead_ns =
              whole_ns(list_line(calibration, is_kept).slope_ns + barriers + std::max(written - other, 0.0) / count),
          .per_item_kernel_ns = whole_ns(written / count),
          .persistent_setup_overhead_ns = whole_ns(launches + items + std::max(other - written, 0.0))};
}

/// Whether one workgroup takes many times as long for a wide kernel as all that the device runs at once.
bool runs_many_at_once(const Calibration& calibration) noexcept {
  constexpr double kMany = 4;
  return calibration.form(FormKind::Chain).wide > kMany * calibration.form(FormKind::Persistent).wide;
}

bool pays(const policy::PersistentKernelInputs& inputs) noexcept {
  return std::holds_alternative<policy::PersistentKernel>(policy::decide_persistent_kernel(inputs));
}

}  // namespace

double fixed_ns(const Calibration& calibration, const Habits& habits, Way way) noexcept {
  const Line& line = calibration.way(is_one_launch(way) ? (is_replay(way) ? Way::Replay : Way::Batched) : way);
  const double waits = 1 / std::max(habits.per_wait, 1.0);
  if (way == Way::Plain) return line.fixed_ns * waits;
  // A list that is not waited for costs what one more submission does.
  const Line& batched = calibration.way(Way::Batched);
  const double submission = std::max(calibration.way(Way::Plain).slope_ns - batched.slope_ns, 0.0);
  const double saved = std::max(batched.fixed_ns - submission, 0.0) * (1 - waits);
  return std::max(line.fixed_ns - saved, std::min(line.fixed_ns, submission));
}

double overhead_ns(const BatchShape& shape, const Calibration& calibration, const Forecast& forecast,
                   const Habits& habits, Way way) {
  const double copies =
      calibration.copy.fixed_ns * shape.copies + calibration.copy.slope_ns * static_cast<double>(shape.copied_bytes);
  const double planning = is_replay(way) || way == Way::Plain ? 0 : habits.plan_ns * shape.operations();
  const double fixed = fixed_ns(calibration, habits, way);
  if (way == Way::Plain)
    return habits.pace_of(way) * (fixed + calibration.way(way).slope_ns * shape.operations() + copies);
  const bool is_chain = form_of(way) == FormKind::Chain;
  // A chain waits by itself, where all are in it.
  const auto uses_form = [&](const KindCost& each) { return each.uses_form(way); };
  const bool is_all = is_chain && std::ranges::all_of(forecast.kinds, uses_form);
  const double barriers = calibration.barrier_ns * (shape.barriers - (is_all ? shape.inner_barriers : 0));
  const double around = fixed + planning + barriers + copies;
  if (!is_one_launch(way)) return habits.pace_of(way) * (around + calibration.way(way).slope_ns * shape.dispatches);
  const bool is_kept = is_replay(way);
  double ns = around;
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    const GroupKind& kind = shape.kinds[i];
    const double written = list_line(calibration, is_kept).slope_ns * kind.count;
    const double in_form = is_chain ? one_launch_line(calibration, form_of(way), is_kept).slope_ns * kind.count
                                    : one_launch_ns(calibration, form_of(way), is_kept, kind.count);
    // The form is for many. That it is better for one, too, must be seen.
    const double form_ns = kind.count > 1 || is_chain ? in_form : std::max(in_form, written);
    ns += kind.groups * (forecast.kinds[i].uses_form(way) ? form_ns : written);
  }
  if (is_chain) ns += launches_ns(calibration, form_of(way), is_kept, shape.stretches);
  return habits.pace_of(way) * ns;
}

Forecast forecast(const BatchShape& shape, const Calibration& calibration, const KernelTimes& kernels,
                  std::span<const ProgramForms> forms, const Habits& habits) {
  Forecast result;
  bool all_have_pointers = calibration.has(FormKind::Pointer);
  std::array<bool, program::kForms> has_some = {};
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    const GroupKind& kind = shape.kinds[i];
    KindCost& costs = result.kinds.emplace_back();
    for (const FormKind form : program::kAllForms) {
      costs.kernels_ns[index(form)] =
          kind.count * kernels.get(calibration, {.program = kind.program, .size_class = kind.size_class}, form);
    }
    all_have_pointers = all_have_pointers && forms[i].possible[index(FormKind::Pointer)];
    for (const FormKind form : {FormKind::Merged, FormKind::Persistent}) {
      if (kind.count < policy::kMinPersistentBatch || !calibration.has(form) || !forms[i].possible[index(form)])
        continue;
      has_some[index(form)] = true;
      costs.is_used[index(form)] = pays(queue_inputs(calibration, kind, costs, form, false));
      costs.is_used_in_replay[index(form)] = pays(queue_inputs(calibration, kind, costs, form, true));
    }
  }
  // Where nothing waits, too: a few workgroups do what one would, and more of it at once, but one wakes no other.
  for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
    constexpr std::size_t kChain = index(FormKind::Chain);
    if (shape.dispatches < policy::kMinPersistentBatch || !calibration.has(FormKind::Chain) ||
        !forms[i].possible[kChain])
      continue;
    has_some[kChain] = true;
    const std::uint64_t program = shape.kinds[i].program;
    KindCost& costs = result.kinds[i];
    costs.is_used[kChain] = pays(chain_inputs(shape, calibration, result, program, false));
    costs.is_used_in_replay[kChain] = pays(chain_inputs(shape, calibration, result, program, true));
  }
  // A dispatch that is alone goes along with those of its program, so that bindings and pipelines need not change,
  // unless that makes its kernel longer by more than a launch.
  const auto go_along = [&](std::array<bool, program::kForms> KindCost::* used, FormKind form, bool is_kept) {
    for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
      const GroupKind& kind = shape.kinds[i];
      if (kind.count > 1 || !calibration.has(form) || !forms[i].possible[index(form)]) continue;
      const KindCost& costs = result.kinds[i];
      const double longer = costs.kernels_ns[index(form)] - costs.kernels_ns[index(FormKind::Descriptor)];
      bool any = false;
      for (std::size_t j = 0; j < shape.kinds.size(); ++j) {
        any |=
            shape.kinds[j].program == kind.program && shape.kinds[j].count > 1 && (result.kinds[j].*used)[index(form)];
      }
      (result.kinds[i].*used)[index(form)] = any && longer <= list_line(calibration, is_kept).slope_ns;
    }
  };
  for (const FormKind form : {FormKind::Merged, FormKind::Persistent}) {
    go_along(&KindCost::is_used, form, false);
    go_along(&KindCost::is_used_in_replay, form, true);
  }
  // A form that pays for no group stays a way for all that have it: what was measured may say otherwise.
  const auto use_if_none = [&](std::array<bool, program::kForms> KindCost::* used, FormKind form) {
    const auto is_it = [&](const KindCost& costs) { return (costs.*used)[index(form)]; };
    if (std::ranges::any_of(result.kinds, is_it)) return;
    for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
      const bool is_enough = form == FormKind::Chain || shape.kinds[i].count >= policy::kMinPersistentBatch;
      (result.kinds[i].*used)[index(form)] = is_enough && forms[i].possible[index(form)];
    }
  };
  for (const FormKind form : {FormKind::Merged, FormKind::Persistent, FormKind::Chain}) {
    use_if_none(&KindCost::is_used, form);
    use_if_none(&KindCost::is_used_in_replay, form);
  }
  // Where every dispatch is alone a workgroup of the merged form is one as written: all that changes is how it finds
  // its buffers. Drivers may be faster or slower at that.
  const bool is_chain = std::ranges::all_of(shape.kinds, [](const GroupKind& kind) { return kind.count == 1; });
  if (is_chain && calibration.has(FormKind::Merged)) {
    for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
      const bool has = forms[i].possible[index(FormKind::Merged)];
      result.kinds[i].is_used[index(FormKind::Merged)] = has;
      result.kinds[i].is_used_in_replay[index(FormKind::Merged)] = has;
      has_some[index(FormKind::Merged)] |= has;
    }
  }

  for (const Way way : kAllWays) {
    const FormKind form = form_of(way);
    WayCost& cost = result.ways[static_cast<std::size_t>(way)];
    cost.is_possible = !is_one_launch(way) || has_some[index(form)];
    if (way == Way::Table) cost.is_possible = all_have_pointers && shape.copies == 0 && shape.dispatches > 0;
    if (!cost.is_possible) continue;
    cost.ns = overhead_ns(shape, calibration, result, habits, way);
    cost.hoped_ns = cost.ns;
    // What the calibration's kernel takes longer through a table is in each dispatch.
    if (way == Way::Table) {
      const double longer = calibration.way(way).slope_ns - calibration.way(Way::Replay).slope_ns;
      cost.hoped_ns -= habits.pace_of(way) * std::max(longer, 0.0) * shape.dispatches;
    }
    double launches = 0;
    for (std::size_t i = 0; i < shape.kinds.size(); ++i) {
      const GroupKind& kind = shape.kinds[i];
      const bool in_form = result.kinds[i].uses_form(way);
      const KindCost& costs = result.kinds[i];
      const FormKind own = costs.form_in(way);
      const double kernels_ns = costs.kernels_ns[index(own)];
      cost.ns += kind.groups * kernels_ns;
      // What was learned of a kernel in a form may be mistaken, and is never seen again where it keeps from using it.
      const double written = costs.kernels_ns[index(FormKind::Descriptor)];
      // But where many workgroups run at once, that one is as fast as they are is not hoped for.
      const bool is_lone = own == FormKind::Chain && kind.size_class > 1 && runs_many_at_once(calibration);
      cost.hoped_ns += kind.groups * (is_lone ? kernels_ns : std::min(kernels_ns, written));
      // Those of a chain are counted below.
      const double one_each = form == FormKind::Chain ? 0 : kind.groups;
      launches += in_form && is_one_launch(way) ? one_each : 1.0 * kind.groups * kind.count;
      const auto same_program = [&](const GroupKind& other) { return other.program == kind.program; };
      const bool is_first = std::ranges::none_of(std::span{shape.kinds}.first(i), same_program);
      if (in_form && is_first && !forms[i].compiled[index(form)]) {
        cost.setup_ns += calibration.compile_ns * calibration.form(form).compile;
      }
    }
    if (form == FormKind::Chain) launches += shape.stretches;
    if (is_replay(way) || way == Way::Table) cost.setup_ns += calibration.record.at(launches);
    // That it is faster must be seen.
    if (is_chain && is_one_launch(way) && form != FormKind::Chain)
      cost.ns = std::max(cost.ns, result.of(as_written(way)).ns);
    cost.ns = std::max(cost.ns, 1.0);
    cost.hoped_ns = std::clamp(cost.hoped_ns, 1.0, cost.ns);
  }
  // A submission for each does all that one list does, and more: that it is faster must be seen, too.
  WayCost& plain = result.ways[static_cast<std::size_t>(Way::Plain)];
  plain.ns = std::max(plain.ns, result.of(Way::Batched).ns);
  return result;
}

std::uint32_t bindless_threshold(const Calibration& calibration) noexcept {
  return calibration.bindless_crossover.value_or(std::numeric_limits<std::uint32_t>::max());
}

policy::DispatchFacts facts_of(const BatchShape& shape, const Calibration& calibration, const Forecast& forecast,
                               std::size_t which, Appearances seen) {
  const GroupKind& kind = shape.kinds[which];
  const KindCost& costs = forecast.kinds[which];
  const double times = 1.0 + seen.of_shape;

  policy::DispatchFacts facts;
  // One dispatch is not many; and a form that there is not takes for ever.
  facts.persistent = {.batch_size = kind.count,
                      .per_launch_overhead_ns = whole_ns(calibration.way(Way::Batched).slope_ns),
                      .per_item_kernel_ns = whole_ns(costs.kernels_ns[index(FormKind::Descriptor)] / kind.count),
                      .persistent_setup_overhead_ns = std::numeric_limits<std::uint64_t>::max()};
  // The best of the forms that make one launch of a group, or a chain of all that its program has; of a chain the facts
  // are those of all groups of the kind.
  double best = std::numeric_limits<double>::infinity();
  std::uint32_t count = kind.count;
  for (const Way way : {Way::Merged, Way::Persistent, Way::Chain}) {
    const bool is_chain = way == Way::Chain;
    if (!forecast.of(way).is_possible || !costs.is_used[index(form_of(way))]) continue;
    const policy::PersistentKernelInputs once = is_chain
                                                    ? chain_inputs(shape, calibration, forecast, kind.program, false)
                                                    : queue_inputs(calibration, kind, costs, form_of(way), false);
    if (once.batch_size < policy::kMinPersistentBatch) continue;
    // Of what the whole batch pays once for the form, and the program for its chain, a dispatch pays its share.
    const double all = once.batch_size;
    const double setup = times * static_cast<double>(once.persistent_setup_overhead_ns) / all +
                         forecast.of(way).setup_ns / std::max(shape.dispatches, 1U);
    const double gain = times * static_cast<double>(once.per_launch_overhead_ns);
    if (setup - gain >= best) continue;
    best = setup - gain;
    count = is_chain ? kind.count * kind.groups : kind.count;
    facts.persistent = {.batch_size = bounded(times * count),
                        .per_launch_overhead_ns = once.per_launch_overhead_ns,
                        .per_item_kernel_ns = once.per_item_kernel_ns,
                        .persistent_setup_overhead_ns = whole_ns(setup * count)};
  }
  // A batch that came exactly like this can be replayed as it is; one of its shape, through a table.
  const double share = shape.dispatches == 0 ? 1 : 1.0 * count / shape.dispatches;
  const bool is_known = seen.of_batch > 0;
  const Way again = is_known || !forecast.of(Way::Table).is_possible ? Way::Replay : Way::Table;
  const double body =
      again == Way::Table
          ? (costs.kernels_ns[index(FormKind::Pointer)] - costs.kernels_ns[index(FormKind::Descriptor)]) * count /
                kind.count
          : 0;
  const auto part = [&](Way way) {
    return calibration.way(way).fixed_ns * share + calibration.way(way).slope_ns * count;
  };
  facts.graph = {.repeat_count = again == Way::Replay ? seen.of_batch + 1 : seen.of_shape + 1,
                 .per_launch_overhead_ns = whole_ns(part(Way::Batched) + std::max(-body, 0.0)),
                 .record_overhead_ns = whole_ns(forecast.of(again).setup_ns * share),
                 .replay_overhead_ns = whole_ns(part(again) + std::max(body, 0.0))};
  facts.bindless = {.resource_count = kind.resources,
                    .support = calibration.has(FormKind::Pointer) ? policy::BindlessSupport::Full
                                                                  : policy::BindlessSupport::Unsupported};
  return facts;
}

Way combine(const Forecast& forecast, Appearances seen, bool any_one_launch, bool any_reuse, bool any_bindless) {
  Way best = Way::Batched;
  double best_ns = std::numeric_limits<double>::infinity();
  const auto consider = [&](Way way) {
    const WayCost& cost = forecast.of(way);
    const bool is_known = seen.of_batch > 0;
    if (!cost.is_possible || (is_replay(way) && !is_known)) return;
    const double ns = cost.ns + cost.setup_ns / (1.0 + (is_replay(way) ? seen.of_batch : seen.of_shape));
    if (ns >= best_ns) return;
    best_ns = ns;
    best = way;
  };
  if (any_one_launch) {
    for (const Way way : kAllWays) {
      if (is_one_launch(way)) consider(way);
    }
    if (best_ns < std::numeric_limits<double>::infinity()) return best;
  }
  if (any_reuse) consider(Way::Replay);
  if (any_reuse && best != Way::Replay) consider(Way::Table);
  if (best_ns < std::numeric_limits<double>::infinity()) return best;
  consider(Way::Batched);
  if (any_bindless) consider(Way::Table);
  return best;
}

}  // namespace vyre::choice
