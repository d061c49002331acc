#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include <vyre/base/error.hpp>
#include <vyre/plan/binding_plan.hpp>

namespace vyre::plan {

/// A binding as a recording needs it: its role, and its places among the host's inputs and outputs.
struct CaptureBinding {
  BindingRole role = BindingRole::Input;
  std::optional<std::uint32_t> input_index = {};
  std::optional<std::uint32_t> output_index = {};

  friend bool operator==(const CaptureBinding&, const CaptureBinding&) = default;
};

/// The sizes of the tables of a recording. Bindings other than workgroup memory are *live* and have entries.
struct GraphCapturePlan {
  std::uint32_t input_device_capacity = 0;     ///< Live bindings that the host writes before a replay.
  std::uint32_t output_device_capacity = 0;    ///< Live bindings that the host does not write.
  std::uint32_t output_readback_capacity = 0;  ///< Live bindings that the host reads after a replay.
  std::uint32_t kernel_pointer_capacity = 0;   ///< Live bindings.
  std::uint32_t kernel_argument_capacity = 0;  ///< Live bindings and the parameters.
  /// Whether inputs may stay on the device from one replay to the next: no binding is both written and read by the
  /// host.
  bool resident_input_replay_safe = true;

  friend bool operator==(const GraphCapturePlan&, const GraphCapturePlan&) = default;
};

/// Sizes the tables of a recording. The order of the bindings does not matter.
///
/// `InvalidArgument`, naming the table, if one would have more than `max_entries`.
[[nodiscard]] Result<GraphCapturePlan> plan_graph_capture_bindings(
    std::span<const CaptureBinding> bindings, std::uint32_t max_entries = std::numeric_limits<std::uint32_t>::max());

/// Sizes the tables for the bindings of a binding plan.
[[nodiscard]] Result<GraphCapturePlan> plan_graph_capture_bindings(
    const BindingPlan& plan, std::uint32_t max_entries = std::numeric_limits<std::uint32_t>::max());

}  // namespace vyre::plan
