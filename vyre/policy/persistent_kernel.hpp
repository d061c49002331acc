#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include <vyre/base/u128.hpp>
#include <vyre/policy/choice.hpp>

namespace vyre::policy {

/// Fewer items than this never need a queue.
inline constexpr std::uint32_t kMinPersistentBatch = 2;

/// What is known of a batch of independent, alike launches.
struct PersistentKernelInputs {
  std::uint32_t batch_size = 0;
  std::uint64_t per_launch_overhead_ns = 0;        ///< Paid per standard launch.
  std::uint64_t per_item_kernel_ns = 0;            ///< Paid either way; carried for explanations.
  std::uint64_t persistent_setup_overhead_ns = 0;  ///< Paid once, a slower body included.

  friend constexpr bool operator==(const PersistentKernelInputs&, const PersistentKernelInputs&) = default;
};

/// One launch per item.
struct StandardLaunches {
  friend constexpr bool operator==(const StandardLaunches&, const StandardLaunches&) = default;
};

/// One kernel drains a device-side queue of all items.
struct PersistentKernel {
  u128 savings_ns = 0;
  friend constexpr bool operator==(const PersistentKernel&, const PersistentKernel&) = default;
};

using PersistentKernelDecision = std::variant<StandardLaunches, PersistentKernel>;

namespace detail {

[[nodiscard]] constexpr Savings savings(const PersistentKernelInputs& in) noexcept {
  const u128 launches = u128{in.batch_size} * in.per_launch_overhead_ns;
  const bool pays = (in.batch_size >= kMinPersistentBatch) & (launches > in.persistent_setup_overhead_ns);
  return {.pays = pays, .ns = launches - in.persistent_setup_overhead_ns};
}

}  // namespace detail

/// D1: decides whether one persistent kernel beats a launch per item.
///
/// A tie stays with standard launches, which hold no queue.
[[nodiscard]] constexpr PersistentKernelDecision decide_persistent_kernel(const PersistentKernelInputs& in) noexcept {
  return detail::verdict<PersistentKernelDecision, PersistentKernel>(detail::savings(in));
}

/// `standard-launches` or `persistent-kernel:<savings>`.
[[nodiscard]] constexpr std::string to_string(const PersistentKernelDecision& decision) {
  const auto* persistent = std::get_if<PersistentKernel>(&decision);
  return persistent != nullptr ? "persistent-kernel:" + to_decimal(persistent->savings_ns) : "standard-launches";
}

static_assert(
    decide_persistent_kernel({.batch_size = 2, .per_launch_overhead_ns = 5, .persistent_setup_overhead_ns = 10}) ==
    PersistentKernelDecision{StandardLaunches{}});
static_assert(
    decide_persistent_kernel({.batch_size = 2, .per_launch_overhead_ns = 5, .persistent_setup_overhead_ns = 9}) ==
    PersistentKernelDecision{PersistentKernel{.savings_ns = 1}});

}  // namespace vyre::policy
