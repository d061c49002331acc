#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include <vyre/policy/arm.hpp>
#include <vyre/policy/audit_event.hpp>
#include <vyre/policy/bindless.hpp>
#include <vyre/policy/command_reuse.hpp>
#include <vyre/policy/persistent_kernel.hpp>
#include <vyre/policy/primary_mode.hpp>
#include <vyre/policy/trace_jit.hpp>

namespace vyre::policy {

/// Everything known of a batch before it is launched.
struct DispatchFacts {
  PersistentKernelInputs persistent = {};
  CommandReuseInputs graph = {};
  TraceJitInputs trace_jit = {};
  BindlessInputs bindless = {};
  std::optional<std::uint32_t> copy_dst_slot = {};  ///< The slot a host-to-device copy writes, if there is a copy.
  Arm arm_a = {};
  Arm arm_b = {};

  friend constexpr bool operator==(const DispatchFacts&, const DispatchFacts&) = default;
};

/// All six answers, and the one launch mode they come to.
struct DispatchPolicy {
  PersistentKernelDecision persistent = {};
  CommandReuseDecision command_reuse = {};
  TraceJitDecision trace_jit = {};
  PrimaryMode primary_mode = {};
  ArmIndependence arm_independence = {};
  std::optional<CopyOverlap> copy_overlap = {};  ///< Of the copy against `arm_a`; nothing without a copy.
  BindlessDecision bindless = BindlessDecision::TraditionalBindings;

  friend constexpr bool operator==(const DispatchPolicy&, const DispatchPolicy&) = default;
};

/// The recorder that records nothing, at no cost.
struct NoRecorder {
  constexpr void operator()(std::span<const AuditEvent> /*events*/) const noexcept {}
};

/// Answers D1, D2, D3, D4, D9 and I2 for one batch.
///
/// `record` is called at most once, with the audit events of D1, D4, D9 and I2 in that order, and not at all when every
/// verdict is the plain one. D2 and D3 are audited by who acts on them. The span is valid during the call only.
template <typename Recorder = NoRecorder>
  requires std::is_invocable_v<Recorder&, std::span<const AuditEvent>>
[[nodiscard]] constexpr DispatchPolicy evaluate_dispatch_policy(
    const DispatchFacts& facts, Recorder&& record = {},
    std::uint32_t bindless_threshold =
        kBindlessThreshold) noexcept(std::is_nothrow_invocable_v<Recorder&, std::span<const AuditEvent>>) {
  const detail::Savings queue_savings = detail::savings(facts.persistent);
  const detail::Savings replay_savings = detail::savings(facts.graph);
  DispatchPolicy policy{
      .persistent = detail::verdict<PersistentKernelDecision, PersistentKernel>(queue_savings),
      .command_reuse = detail::verdict<CommandReuseDecision, RecordAndReplay>(replay_savings),
      .trace_jit = decide_trace_jit_speculation(facts.trace_jit),
      .primary_mode = detail::primary_mode(queue_savings, replay_savings),
      .arm_independence = can_dispatch_concurrently(facts.arm_a, facts.arm_b),
      .copy_overlap = facts.copy_dst_slot.transform(
          [&](std::uint32_t slot) { return can_overlap_copy_with_kernel(slot, facts.arm_a); }),
      .bindless = decide_bindless(facts.bindless, bindless_threshold),
  };

  if constexpr (!std::is_same_v<std::remove_cvref_t<Recorder>, NoRecorder>) {
    std::array<AuditEvent, 4> events;
    std::size_t count = 0;
    if (const auto* queue = std::get_if<PersistentKernel>(&policy.persistent)) {
      events[count++] = {Substrate::PersistentKernel, Action::QueueBatch, Detail::LaunchOverhead, queue->savings_ns};
    }
    if (const auto* replay = std::get_if<RecordAndReplay>(&policy.command_reuse)) {
      events[count++] = {Substrate::CommandReuse, Action::RecordAndReplay, Detail::RepeatShape, replay->savings_ns};
    }
    if (policy.bindless == BindlessDecision::Bindless) {
      events[count++] = {Substrate::Bindless, Action::DescriptorArray, Detail::ResourceCountThreshold, 0};
    }
    if (const auto* speculate = std::get_if<Speculate>(&policy.trace_jit)) {
      events[count++] = {Substrate::TraceJit, Action::Speculate, Detail::PredictedShape,
                         speculate->expected_savings_ns};
    }
    if (count != 0) record(std::span<const AuditEvent>{events.data(), count});
  }
  return policy;
}

/// A function that answers as `evaluate_dispatch_policy` does; `bindless_threshold` is the measured crossover.
using Evaluate = DispatchPolicy (*)(const DispatchFacts& facts, std::uint32_t bindless_threshold);

/// `evaluate_dispatch_policy` without a recorder.
[[nodiscard]] constexpr DispatchPolicy evaluate(const DispatchFacts& facts, std::uint32_t bindless_threshold) noexcept {
  return evaluate_dispatch_policy(facts, NoRecorder{}, bindless_threshold);
}

}  // namespace vyre::policy
