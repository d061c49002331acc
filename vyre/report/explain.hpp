#pragma once

#include <cstdint>

#include <vyre/policy/arm.hpp>
#include <vyre/policy/bindless.hpp>
#include <vyre/policy/command_reuse.hpp>
#include <vyre/policy/dispatch_policy.hpp>
#include <vyre/policy/persistent_kernel.hpp>
#include <vyre/policy/trace_jit.hpp>
#include <vyre/report/explanation.hpp>

/// Why a decision came out as it did, and what would have changed it.
///
/// The nearest change is found by asking the decision itself, so an explanation cannot disagree with what it explains.
namespace vyre::report {

[[nodiscard]] Explanation explain(const policy::PersistentKernelInputs& inputs);
[[nodiscard]] Explanation explain(const policy::CommandReuseInputs& inputs);
[[nodiscard]] Explanation explain(const policy::TraceJitInputs& inputs);
[[nodiscard]] Explanation explain(const policy::BindlessInputs& inputs,
                                  std::uint32_t threshold = policy::kBindlessThreshold);

/// Shows every intersection that would keep `b` from running beside `a`, not only the one that decides.
[[nodiscard]] Explanation explain_arms(const policy::Arm& a, const policy::Arm& b);

[[nodiscard]] Explanation explain_copy_overlap(std::uint32_t copy_dst_slot, const policy::Arm& kernel);

/// Equal per-launch overheads are taken for one quantity, which turns in both places at once.
[[nodiscard]] Explanation explain_primary_mode(const policy::PersistentKernelInputs& persistent,
                                               const policy::CommandReuseInputs& graph);

/// Explains every decision of the batch. Without a copy there is no `copy_overlap` among them.
[[nodiscard]] BundleExplanation explain(const policy::DispatchFacts& facts,
                                        std::uint32_t bindless_threshold = policy::kBindlessThreshold);

}  // namespace vyre::report
