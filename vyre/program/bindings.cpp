#include <vyre/program/bindings.hpp>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace vyre::program {
namespace {

BindingVariable variable_of(const Binding& binding) {
  return {.name = binding.name,
          .access = binding.access,
          .size = binding.size,
          .stride = binding.stride,
          .runtime_sized = binding.runtime_sized,
          .members = binding.members};
}

std::tuple<bool, std::uint64_t, std::uint64_t> width(const BindingVariable& variable) {
  return {variable.runtime_sized, variable.size + variable.stride, variable.size};
}

/// Adds a variable to the binding of its slot.
void add(Binding& binding, const Binding& variable) {
  if (binding.variables.empty()) binding.variables.push_back(variable_of(binding));
  binding.variables.push_back(variable_of(variable));
  binding.access = binding.access | variable.access;
  binding.size = std::max(binding.size, variable.size);
  const bool is_bounded = binding.count && variable.count;
  binding.count = is_bounded ? std::optional{std::max(*binding.count, *variable.count)} : std::nullopt;
  binding.coherent |= variable.coherent;
  binding.is_volatile |= variable.is_volatile;
  binding.is_needed |= variable.is_needed;
  // The binding may overlap others only if each of its variables is declared `Aliased`.
  binding.aliased &= variable.aliased;
}

/// Gives a binding of several variables the layout of the widest of them.
void choose_layout(Binding& binding) {
  if (binding.variables.empty()) return;
  const BindingVariable& widest = *std::ranges::max_element(binding.variables, {}, width);
  binding.stride = widest.stride;
  binding.runtime_sized = widest.runtime_sized;
  binding.members = widest.members;
}

}  // namespace

std::vector<Binding> join_variables(std::vector<Binding> variables) {
  std::ranges::stable_sort(variables, {}, [](const Binding& binding) { return std::pair{binding.set, binding.slot}; });
  std::vector<Binding> joined;
  joined.reserve(variables.size());
  for (Binding& variable : variables) {
    const bool is_there = !joined.empty() && joined.back().set == variable.set && joined.back().slot == variable.slot;
    if (is_there) {
      add(joined.back(), variable);
    } else {
      joined.push_back(std::move(variable));
    }
  }
  std::ranges::for_each(joined, choose_layout);
  return joined;
}

}  // namespace vyre::program
