#include <vyre/plan/binding_plan.hpp>

#include <tuple>

#include <fmt/format.h>

namespace vyre::plan {
namespace {

using program::Access;
using program::Binding;
using program::BindingKind;

bool is_written(Access access) noexcept { return (access & Access::Write) != Access::None; }

BindingRole role_of(const Binding& binding) noexcept {
  if (binding.kind == BindingKind::UniformBuffer) return BindingRole::Uniform;
  if (!is_written(binding.access)) return BindingRole::Input;
  return binding.access == Access::Write ? BindingRole::Output : BindingRole::InputOutput;
}

Result<void> check_order(const std::vector<backend::RangeRule>& rules) {
  const auto place_of = [](const backend::RangeRule& rule) { return std::tuple{rule.set, rule.slot, rule.element}; };
  for (std::size_t i = 1; i < rules.size(); ++i) {
    if (place_of(rules[i - 1]) < place_of(rules[i])) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} stands after {}, bindings are in the order of their slots, each with its own",
                            to_string(rules[i]), to_string(rules[i - 1])));
  }
  return {};
}

}  // namespace

std::string_view to_string(BindingRole role) noexcept {
  switch (role) {
    case BindingRole::Input: return "input";
    case BindingRole::Output: return "output";
    case BindingRole::InputOutput: return "input_output";
    case BindingRole::Uniform: return "uniform";
    case BindingRole::Shared: return "shared";
  }
  return "shared";
}

Result<BindingPlan> plan_program_bindings(const program::Interface& interface, const backend::Limits& limits) {
  VYRE_TRY(backend::check_buffers(interface));
  const std::vector<backend::RangeRule> rules = backend::rules_of(interface);
  VYRE_TRY(check_order(rules));
  BindingPlan plan;
  plan.slots.reserve(rules.size());
  for (const Binding& binding : interface.bindings) {
    const bool is_storage = binding.kind == BindingKind::StorageBuffer;
    for (std::uint32_t element = 0; element < *binding.count; ++element) {
      const backend::RangeRule& rule = rules[plan.slots.size()];
      // No view is bound at a slot that the kernel does not need.
      const std::uint64_t max_bytes = is_storage ? limits.max_storage_range : limits.max_uniform_range;
      plan.are_all_needed &= binding.is_needed;
      plan.slots.push_back(
          {.offset_mask = std::uint64_t{is_storage ? limits.storage_alignment : limits.uniform_alignment} - 1,
           .min_bytes = rule.min_bytes,
           .max_bytes = binding.is_needed ? max_bytes : 0,
           .rule = rule,
           .role = role_of(binding),
           .is_aliased = binding.aliased,
           .is_used = binding.access != Access::None});
      plan.writes.push_back(is_written(binding.access));
    }
  }
  for (std::uint32_t i = 0; i < plan.slots.size(); ++i) {
    for (std::uint32_t j = 0; j < i; ++j) {
      const PlannedBinding& one = plan.slots[j];
      const PlannedBinding& other = plan.slots[i];
      // Code that the specialisation leaves out touches nothing.
      const bool may_conflict = (plan.writes[i] || plan.writes[j]) && one.is_used && other.is_used;
      if (may_conflict && !(one.is_aliased && other.is_aliased)) plan.apart.emplace_back(j, i);
    }
  }
  return plan;
}

}  // namespace vyre::plan
