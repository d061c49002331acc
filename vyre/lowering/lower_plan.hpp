#pragma once

#include <vyre/backend/command_list.hpp>
#include <vyre/plan/plan.hpp>

/// Turns a plan and a decision into the lists that a device runs.
namespace vyre::lowering {

/// Appends the operations of a group.
template <typename Choose>
void lower_group(const plan::Plan& plan, const plan::Group& group, const backend::CommandList& batch,
                 backend::CommandList& lowered, Choose& choose) {
  if (group.kind != plan::OperationKind::Dispatch) {
    for (const std::uint32_t i : plan.operations_of(group)) lowered.append(batch, batch.commands()[i]);
    return;
  }
  auto pipeline_of = choose(group);
  for (const std::uint32_t i : plan.operations_of(group)) {
    const auto& dispatch = std::get<backend::Dispatch>(batch.commands()[i]);
    lowered.dispatch(pipeline_of(dispatch), batch.ranges(dispatch), dispatch.groups, batch.params(dispatch));
  }
}

/// Appends an arm of a plan to a list: its operations wave by wave, with a barrier between two waves.
///
/// `batch` is the batch of the plan. `choose(group)` is called for each group of dispatches, and gives a function that
/// is called with each dispatch of the group and gives its pipeline.
template <typename Choose>
void lower_arm(const plan::Plan& plan, const plan::Arm& arm, const backend::CommandList& batch,
               backend::CommandList& lowered, Choose choose) {
  bool is_first = true;
  for (const plan::Wave& wave : plan.waves_of(arm)) {
    if (!is_first) lowered.barrier();
    is_first = false;
    for (const plan::Group& group : plan.groups_of(wave)) lower_group(plan, group, batch, lowered, choose);
  }
}

/// The same with a barrier between any two groups, so that no two run at once. Calls `begin(group)` before each group
/// of dispatches, and `end(group)` after it.
template <typename Choose, typename Begin, typename End>
void lower_apart(const plan::Plan& plan, const plan::Arm& arm, const backend::CommandList& batch,
                 backend::CommandList& lowered, Choose choose, Begin begin, End end) {
  bool is_first = true;
  for (const plan::Wave& wave : plan.waves_of(arm)) {
    for (const plan::Group& group : plan.groups_of(wave)) {
      if (!is_first) lowered.barrier();
      is_first = false;
      const bool is_marked = group.kind == plan::OperationKind::Dispatch;
      if (is_marked) begin(group);
      lower_group(plan, group, batch, lowered, choose);
      if (is_marked) end(group);
    }
  }
}

/// Appends an arm without dispatches.
inline void lower_arm(const plan::Plan& plan, const plan::Arm& arm, const backend::CommandList& transfers,
                      backend::CommandList& lowered) {
  const auto no_pipeline = [](const plan::Group&) {
    return [](const backend::Dispatch& dispatch) { return dispatch.pipeline; };
  };
  lower_arm(plan, arm, transfers, lowered, no_pipeline);
}

}  // namespace vyre::lowering
