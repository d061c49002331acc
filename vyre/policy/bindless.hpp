#pragma once

#include <cstdint>
#include <string_view>

namespace vyre::policy {

/// From this many resources on a table is assumed to pay. A measured crossover takes its place.
inline constexpr std::uint32_t kBindlessThreshold = 24;

/// What a device can index a table of resources with.
enum class BindlessSupport : std::uint8_t {
  Full,    ///< Any index, also one that is known only at run time.
  Static,  ///< Constant indices only.
  Unsupported,
};

struct BindlessInputs {
  std::uint32_t resource_count = 0;
  BindlessSupport support = BindlessSupport::Unsupported;
  bool dynamic_indexing = false;  ///< Whether the kernel computes indices into the table.

  friend constexpr bool operator==(const BindlessInputs&, const BindlessInputs&) = default;
};

enum class BindlessDecision : std::uint8_t { TraditionalBindings, Bindless };

/// D9: decides between one binding per resource and one table of addresses.
[[nodiscard]] constexpr BindlessDecision decide_bindless(const BindlessInputs& in,
                                                         std::uint32_t threshold = kBindlessThreshold) noexcept {
  const bool any_index = in.support == BindlessSupport::Full;
  const bool this_index = (in.support == BindlessSupport::Static) & !in.dynamic_indexing;
  const bool pays = (in.resource_count >= threshold) & (any_index | this_index);
  return pays ? BindlessDecision::Bindless : BindlessDecision::TraditionalBindings;
}

/// `full`, `static` or `unsupported`.
[[nodiscard]] constexpr std::string_view to_string(BindlessSupport support) noexcept {
  switch (support) {
    case BindlessSupport::Full: return "full";
    case BindlessSupport::Static: return "static";
    case BindlessSupport::Unsupported: return "unsupported";
  }
  return "unsupported";
}

/// `bindless` or `traditional-bindings`.
[[nodiscard]] constexpr std::string_view to_string(BindlessDecision decision) noexcept {
  return decision == BindlessDecision::Bindless ? "bindless" : "traditional-bindings";
}

static_assert(decide_bindless({.resource_count = 24, .support = BindlessSupport::Static}) ==
              BindlessDecision::Bindless);
static_assert(decide_bindless({.resource_count = 24, .support = BindlessSupport::Full}, 25) ==
              BindlessDecision::TraditionalBindings);

}  // namespace vyre::policy
