#include <vyre/plan/program_bindings.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace vyre::plan {
namespace {

using program::Access;
using program::Binding;
using program::BindingKind;

/// Every block starts at a multiple of its largest member's alignment, of which 16 is the largest there is.
constexpr std::uint32_t kBlockAlignment = 16;

BindingRole role_of(BindingKind kind, Access access) {
  if (kind == BindingKind::UniformBuffer) return BindingRole::Uniform;
  switch (access) {
    case Access::None:
    case Access::Read: return BindingRole::Input;
    case Access::Write: return BindingRole::Output;
    case Access::ReadWrite: return BindingRole::InputOutput;
  }
  return BindingRole::InputOutput;
}

/// What a block asks of the bytes bound to it.
struct Extent {
  std::uint64_t header = 0;
  std::uint64_t element = 0;
  std::optional<std::uint64_t> count;
};

Extent extent_of(const Binding& binding) {
  if (binding.runtime_sized) return {.header = binding.size, .element = binding.stride, .count = std::nullopt};
  const bool is_one_array = binding.members.size() == 1 && binding.stride != 0 && binding.size % binding.stride == 0;
  if (is_one_array) return {.element = binding.stride, .count = binding.size / binding.stride};
  return {.element = binding.size, .count = 1};
}

/// One binding for variables that share a slot: a fixed block wins over elements, and the larger over the smaller.
Binding join(Binding a, const Binding& b) {
  a.access = a.access | b.access;
  const bool b_tells_more = !b.runtime_sized && (a.runtime_sized || b.size > a.size);
  const bool b_is_wider = a.runtime_sized && b.runtime_sized && b.size + b.stride > a.size + a.stride;
  if (b_tells_more || b_is_wider) {
    a.size = b.size;
    a.stride = b.stride;
    a.runtime_sized = b.runtime_sized;
    a.members = b.members;
  }
  return a;
}

Result<BindingDeclaration> declare(const Binding& binding, std::uint32_t array_index) {
  const Extent extent = extent_of(binding);
  if (extent.element == 0 || extent.element > std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("binding {} '{}' has elements of {} bytes, it needs 1 to {}", binding.slot, binding.name,
                            extent.element, std::numeric_limits<std::uint32_t>::max()));
  }
  return BindingDeclaration{.set = binding.set,
                            .slot = binding.slot,
                            .array_index = array_index,
                            .name = binding.name,
                            .role = role_of(binding.kind, binding.access),
                            .element_size = static_cast<std::uint32_t>(extent.element),
                            .header_size = extent.header,
                            .alignment = kBlockAlignment,
                            .count = extent.count};
}

}  // namespace

Result<BindingPlan> plan_program_bindings(const program::Interface& interface) {
  std::vector<BindingDeclaration> declarations;
  const std::vector<Binding>& bindings = interface.bindings;
  for (std::size_t i = 0; i < bindings.size();) {
    Binding binding = bindings[i];
    for (++i; i < bindings.size() && bindings[i].set == binding.set && bindings[i].slot == binding.slot; ++i) {
      binding = join(std::move(binding), bindings[i]);
    }
    if (!binding.count) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("binding {} '{}' is an array of buffers without a length, it needs one", binding.slot,
                              binding.name));
    }
    for (std::uint32_t element = 0; element < *binding.count; ++element) {
      VYRE_ASSIGN(const BindingDeclaration declaration, declare(binding, element));
      declarations.push_back(declaration);
    }
  }
  return BindingPlan::make(declarations);
}

}  // namespace vyre::plan
