#include <vyre/plan/binding_plan.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace vyre::plan {
namespace {

bool is_given(BindingRole role) {
  return role == BindingRole::Input || role == BindingRole::InputOutput || role == BindingRole::Uniform;
}

bool is_returned(BindingRole role) { return role == BindingRole::Output || role == BindingRole::InputOutput; }

/// Where a binding stands: its set, slot and array index.
using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

Place place_of(const BindingDeclaration& binding) { return {binding.set, binding.slot, binding.array_index}; }
Place place_of_planned(const PlannedBinding& binding) { return place_of(binding.declared); }

/// `binding 3 'weights'`, `binding 1.3 'weights'` in another set than the first, `binding 3[2] 'weights'` in an array.
std::string label(const BindingDeclaration& binding) {
  return fmt::format("binding {}{}{} '{}'", binding.set != 0 ? fmt::format("{}.", binding.set) : "", binding.slot,
                     binding.array_index != 0 ? fmt::format("[{}]", binding.array_index) : "", binding.name);
}

std::unexpected<Error> refuse(const BindingDeclaration& binding, std::string_view what) {
  return fail(ErrorCode::InvalidArgument, fmt::format("{} {}", label(binding), what));
}

Result<std::optional<std::uint64_t>> byte_length(const BindingDeclaration& binding) {
  if (!binding.count) return std::nullopt;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(*binding.count, std::uint64_t{binding.element_size}, &bytes) ||
      __builtin_add_overflow(bytes, binding.header_size, &bytes)) {
    return refuse(binding, fmt::format("has {} elements of {} bytes, the limit is {} bytes", *binding.count,
                                       binding.element_size, std::numeric_limits<std::uint64_t>::max()));
  }
  return bytes;
}

Result<PlannedBinding> plan_one(const BindingDeclaration& declared) {
  if (declared.element_size == 0) return refuse(declared, "has elements of 0 bytes, it needs at least 1");
  if (!std::has_single_bit(declared.alignment)) {
    return refuse(declared, fmt::format("has alignment {}, it needs a power of two", declared.alignment));
  }
  VYRE_ASSIGN(const std::optional<std::uint64_t> length, byte_length(declared));
  return PlannedBinding{.declared = declared, .byte_length = length};
}

Result<void> check_length(const PlannedBinding& binding, const Offer& offer) {
  const BindingDeclaration& declared = binding.declared;
  const bool host = offer.place == Offer::Place::Host;
  if (binding.byte_length) {
    const std::uint64_t needed = *binding.byte_length;
    if (host && offer.bytes != needed) {
      return refuse(declared, fmt::format("needs exactly {} bytes, the host gives {}", needed, offer.bytes));
    }
    if (offer.bytes < needed) {
      return refuse(declared, fmt::format("needs at least {} bytes, the view has {}", needed, offer.bytes));
    }
    return {};
  }
  const std::string header = declared.header_size != 0 ? fmt::format("{} bytes and ", declared.header_size) : "";
  if (offer.bytes < declared.header_size || offer.bytes - declared.header_size < declared.element_size) {
    return refuse(declared, fmt::format("needs {}at least one element of {} bytes, the {} {}", header,
                                        declared.element_size, host ? "host gives" : "view has", offer.bytes));
  }
  if (host && (offer.bytes - declared.header_size) % declared.element_size != 0) {
    return refuse(declared, fmt::format("needs {}a multiple of {} bytes, the host gives {}", header,
                                        declared.element_size, offer.bytes));
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

Result<BindingPlan> BindingPlan::make(std::span<const BindingDeclaration> declarations) {
  BindingPlan plan;
  plan.bindings_.reserve(declarations.size());
  for (const BindingDeclaration& declared : declarations) {
    VYRE_ASSIGN(PlannedBinding binding, plan_one(declared));
    const auto place = std::ranges::lower_bound(plan.bindings_, place_of(declared), {}, place_of_planned);
    if (place != plan.bindings_.end() && place_of_planned(*place) == place_of(declared)) {
      return refuse(declared, fmt::format("has the slot of {}, every binding needs its own", label(place->declared)));
    }
    if (is_given(declared.role)) binding.input_index = plan.input_count_++;
    if (is_returned(declared.role)) binding.output_index = plan.output_count_++;
    plan.bindings_.insert(place, std::move(binding));
  }
  return plan;
}

const PlannedBinding* BindingPlan::find(std::uint32_t slot, std::uint32_t set,
                                        std::uint32_t array_index) const noexcept {
  const Place place{set, slot, array_index};
  const auto found = std::ranges::lower_bound(bindings_, place, {}, place_of_planned);
  return found != bindings_.end() && place_of_planned(*found) == place ? &*found : nullptr;
}

Result<std::uint64_t> BindingPlan::element_count(const PlannedBinding& binding, const Offer& offer) {
  const BindingDeclaration& declared = binding.declared;
  if (declared.role == BindingRole::Shared) {
    return refuse(declared, "is shared memory, the host cannot give it");
  }
  VYRE_TRY(check_length(binding, offer));
  if (offer.offset % declared.alignment != 0) {
    return refuse(declared, fmt::format("needs an offset that is a multiple of {}, the view starts at {}",
                                        declared.alignment, offer.offset));
  }
  return declared.count.value_or((offer.bytes - declared.header_size) / declared.element_size);
}

Result<std::uint64_t> BindingPlan::element_count(std::uint32_t slot, const Offer& offer, std::uint32_t set) const {
  const PlannedBinding* binding = find(slot, set);
  if (binding == nullptr) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("there is no binding {}, the plan has {}", slot, bindings_.size()));
  }
  return element_count(*binding, offer);
}

Result<std::vector<std::uint64_t>> BindingPlan::input_element_counts(std::span<const Offer> offers) const {
  if (offers.size() != input_count_) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the plan needs {} inputs, the host gives {}", input_count_, offers.size()));
  }
  std::vector<std::uint64_t> counts(input_count_);
  for (const PlannedBinding& binding : bindings_) {
    if (!binding.input_index) continue;
    VYRE_ASSIGN(counts[*binding.input_index], element_count(binding, offers[*binding.input_index]));
  }
  return counts;
}

}  // namespace vyre::plan
