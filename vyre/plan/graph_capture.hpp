#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include <vyre/base/error.hpp>
#include <vyre/plan/binding_plan.hpp>

namespace vyre::plan {

/// What a recording needs to know of a binding: its role, and which of the host's inputs and outputs it is.
struct CaptureBinding {
  BindingRole role = BindingRole::Input;
  std::optional<std::uint32_t> input_index = {};
  std::optional<std::uint32_t> output_index = {};

  friend bool operator==(const CaptureBinding&, const CaptureBinding&) = default;
};

/// How large the tables of a recording are. Shared memory is in none of them; the other bindings are live.
struct GraphCapturePlan {
  std::uint32_t input_device_capacity = 0;     ///< Live bindings that the host gives.
  std::uint32_t output_device_capacity = 0;    ///< Live bindings that it does not.
  std::uint32_t output_readback_capacity = 0;  ///< Live bindings that the host gets.
  std::uint32_t kernel_pointer_capacity = 0;   ///< Live bindings.
  std::uint32_t kernel_argument_capacity = 0;  ///< Live bindings and the parameters.
  /// Whether inputs may stay on the device across replays: no binding that the host gives is also returned to it.
  bool resident_input_replay_safe = true;

  friend bool operator==(const GraphCapturePlan&, const GraphCapturePlan&) = default;
};

/// Sizes the tables of a recording. The order of the bindings does not matter.
///
/// `InvalidArgument`, naming the table, if one would have more than `max_entries`.
[[nodiscard]] Result<GraphCapturePlan> plan_graph_capture_bindings(
    std::span<const CaptureBinding> bindings, std::uint32_t max_entries = std::numeric_limits<std::uint32_t>::max());

/// The same for the bindings of a plan.
[[nodiscard]] Result<GraphCapturePlan> plan_graph_capture_bindings(
    const BindingPlan& plan, std::uint32_t max_entries = std::numeric_limits<std::uint32_t>::max());

}  // namespace vyre::plan
