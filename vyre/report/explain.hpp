#pragma once

#include <cstdint>

#include <vyre/policy/arm.hpp>
#include <vyre/policy/bindless.hpp>
#include <vyre/policy/command_reuse.hpp>
#include <vyre/policy/dispatch_policy.hpp>
#include <vyre/policy/persistent_kernel.hpp>
#include <vyre/policy/trace_jit.hpp>
#include <vyre/report/explanation.hpp>

/// Explains a decision: the costs that were compared, and the smallest changes of inputs that would change it.
///
/// The changes are found by calling the decision's function, so that an explanation always agrees with the decision.
namespace vyre::report {

[[nodiscard]] Explanation explain(const policy::PersistentKernelInputs& inputs);
[[nodiscard]] Explanation explain(const policy::CommandReuseInputs& inputs);
[[nodiscard]] Explanation explain(const policy::TraceJitInputs& inputs);
[[nodiscard]] Explanation explain(const policy::BindlessInputs& inputs,
                                  std::uint32_t threshold = policy::kBindlessThreshold);

/// Shows all conflicts between the arms, not only the one that decides.
[[nodiscard]] Explanation explain_arms(const policy::Arm& a, const policy::Arm& b);

[[nodiscard]] Explanation explain_copy_overlap(std::uint32_t copy_dst_slot, const policy::Arm& kernel);

/// If both inputs have the same per-launch overhead, it counts as one input, which is varied in both at once.
[[nodiscard]] Explanation explain_primary_mode(const policy::PersistentKernelInputs& persistent,
                                               const policy::CommandReuseInputs& graph);

/// Explains all decisions for a batch. `copy_overlap` is left out if the batch has no copy.
[[nodiscard]] BundleExplanation explain(const policy::DispatchFacts& facts,
                                        std::uint32_t bindless_threshold = policy::kBindlessThreshold);

}  // namespace vyre::report
