#include <vyre/plan/graph_capture.hpp>

#include <string_view>
#include <vector>

#include <vyre/base/checked.hpp>

namespace vyre::plan {
namespace {

/// A count that refuses to exceed its limit.
class Table {
 public:
  Table(std::string_view name, std::uint32_t limit) : name_{name}, limit_{limit} {}

  Result<void> add() {
    VYRE_ASSIGN(count_, checked_add(count_, 1U, {.table = name_, .remedy = "record a smaller graph"}, limit_));
    return {};
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  std::string_view name_;
  std::uint32_t limit_;
  std::uint32_t count_ = 0;
};

}  // namespace

Result<GraphCapturePlan> plan_graph_capture_bindings(std::span<const CaptureBinding> bindings,
                                                     std::uint32_t max_entries) {
  Table input_device{"input device table", max_entries};
  Table output_device{"output device table", max_entries};
  Table readback{"output readback table", max_entries};
  Table pointers{"kernel pointer table", max_entries};
  Table arguments{"kernel argument table", max_entries};
  bool replay_safe = true;
  VYRE_TRY(arguments.add());  // The parameters are an argument of their own.
  for (const CaptureBinding& binding : bindings) {
    if (binding.role == BindingRole::Shared) continue;
    VYRE_TRY(binding.input_index ? input_device.add() : output_device.add());
    if (binding.output_index) VYRE_TRY(readback.add());
    VYRE_TRY(pointers.add());
    VYRE_TRY(arguments.add());
    replay_safe = replay_safe && !(binding.input_index && binding.output_index);
  }
  return GraphCapturePlan{.input_device_capacity = input_device.count(),
                          .output_device_capacity = output_device.count(),
                          .output_readback_capacity = readback.count(),
                          .kernel_pointer_capacity = pointers.count(),
                          .kernel_argument_capacity = arguments.count(),
                          .resident_input_replay_safe = replay_safe};
}

Result<GraphCapturePlan> plan_graph_capture_bindings(const BindingPlan& plan, std::uint32_t max_entries) {
  std::vector<CaptureBinding> bindings;
  bindings.reserve(plan.slots.size());
  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;
  for (const PlannedBinding& binding : plan.slots) {
    CaptureBinding& made = bindings.emplace_back(CaptureBinding{.role = binding.role});
    if (binding.role != BindingRole::Output) made.input_index = inputs++;
    if (binding.role == BindingRole::Output || binding.role == BindingRole::InputOutput) made.output_index = outputs++;
  }
  return plan_graph_capture_bindings(bindings, max_entries);
}

}  // namespace vyre::plan
