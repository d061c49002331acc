#pragma once

#include <cstdint>
#include <string_view>

#include <vyre/base/u128.hpp>

namespace vyre::policy {

/// The decision that left the plain path.
enum class Substrate : std::uint8_t {
  PersistentKernel,
  ArmIndependence,
  CopyOverlap,
  CommandReuse,
  Bindless,
  TraceJit
};

/// What it chose to do instead.
enum class Action : std::uint8_t {
  QueueBatch,
  RunConcurrently,
  OverlapCopy,
  RecordAndReplay,
  DescriptorArray,
  Speculate
};

/// Why.
enum class Detail : std::uint8_t {
  LaunchOverhead,
  DisjointSlots,
  UntouchedSlot,
  RepeatShape,
  ResourceCountThreshold,
  PredictedShape
};

/// One decision that left the plain path: what, why, and what it is predicted to save.
struct AuditEvent {
  Substrate substrate = Substrate::PersistentKernel;
  Action action = Action::QueueBatch;
  Detail detail = Detail::LaunchOverhead;
  u128 saved_ns = 0;

  friend constexpr bool operator==(const AuditEvent&, const AuditEvent&) = default;
};

[[nodiscard]] constexpr std::string_view to_string(Substrate substrate) noexcept {
  switch (substrate) {
    case Substrate::PersistentKernel: return "persistent_kernel";
    case Substrate::ArmIndependence: return "arm_independence";
    case Substrate::CopyOverlap: return "copy_overlap";
    case Substrate::CommandReuse: return "command_reuse";
    case Substrate::Bindless: return "bindless";
    case Substrate::TraceJit: return "trace_jit";
  }
  return "";
}

[[nodiscard]] constexpr std::string_view to_string(Action action) noexcept {
  switch (action) {
    case Action::QueueBatch: return "queue_batch";
    case Action::RunConcurrently: return "run_concurrently";
    case Action::OverlapCopy: return "overlap_copy";
    case Action::RecordAndReplay: return "record_and_replay";
    case Action::DescriptorArray: return "descriptor_array";
    case Action::Speculate: return "speculate";
  }
  return "";
}

[[nodiscard]] constexpr std::string_view to_string(Detail detail) noexcept {
  switch (detail) {
    case Detail::LaunchOverhead: return "launch_overhead";
    case Detail::DisjointSlots: return "disjoint_slots";
    case Detail::UntouchedSlot: return "untouched_slot";
    case Detail::RepeatShape: return "repeat_shape";
    case Detail::ResourceCountThreshold: return "resource_count_threshold";
    case Detail::PredictedShape: return "predicted_shape";
  }
  return "";
}

}  // namespace vyre::policy
