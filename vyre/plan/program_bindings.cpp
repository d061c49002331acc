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
constexpr std::uint32_t kMaxArrayLength = 65'536;

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

/// Bytes before the runtime array, which is that of the widest variable where several share the slot.
std::uint64_t header_of(const Binding& binding) {
  const auto widest = std::ranges::find_if(binding.variables, [&](const program::BindingVariable& variable) {
    return variable.runtime_sized && variable.members == binding.members;
  });
  return widest == binding.variables.end() ? binding.size : widest->size;
}

Extent extent_of(const Binding& binding) {
  if (binding.runtime_sized) return {.header = header_of(binding), .element = binding.stride, .count = std::nullopt};
  const bool is_one_array = binding.members.size() == 1 && binding.stride != 0 && binding.size % binding.stride == 0;
  if (is_one_array) return {.element = binding.stride, .count = binding.size / binding.stride};
  return {.element = binding.size, .count = 1};
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
  for (const Binding& binding : interface.bindings) {
    if (binding.count == 0 || binding.count.value_or(0) > kMaxArrayLength) {
      return fail(ErrorCode::InvalidArgument, fmt::format("binding {} '{}' is an array of {} buffers, it needs 1 to {}",
                                                          binding.slot, binding.name, *binding.count, kMaxArrayLength));
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
