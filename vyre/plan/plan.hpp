#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <vyre/program/hash.hpp>

namespace vyre::plan {

/// The kind of an operation. The groups of a wave are sorted by it, in the order of these values.
enum class OperationKind : std::uint8_t { Copy, Fill, Dispatch };

/// `copy`, `fill` or `dispatch`.
[[nodiscard]] std::string_view to_string(OperationKind kind) noexcept;

/// The operations of a wave that are alike: its copies, its fills, or its dispatches of one program. The form in which
/// kernels run is chosen for a group.
struct Group {
  OperationKind kind = OperationKind::Dispatch;
  std::uint32_t program = 0;  ///< The program's number, as given to the planner; 0 for copies and fills.
  std::uint32_t first = 0;    ///< The index of its first operation in `Plan::operations`.
  std::uint32_t count = 0;

  friend bool operator==(const Group&, const Group&) = default;
};

/// Groups of operations that may run in any order and at once.
struct Wave {
  std::uint32_t first = 0;  ///< The index of its first group in `Plan::groups`.
  std::uint32_t count = 0;

  friend bool operator==(const Wave&, const Wave&) = default;
};

/// A part of a batch that can run on a queue of its own. Its waves run in order, with a barrier between two of them.
struct Arm {
  std::uint32_t first = 0;  ///< The index of its first wave in `Plan::waves`.
  std::uint32_t count = 0;

  friend bool operator==(const Arm&, const Arm&) = default;
};

/// The sizes of a plan, for reports.
struct PlanCounts {
  std::uint32_t arms = 1;
  std::uint32_t waves = 0;         ///< The number of waves of the longest arm.
  std::uint32_t largest_wave = 0;  ///< Operations that may run at once, over all arms.
  std::uint32_t barriers = 0;
  std::uint32_t barriers_avoided = 0;  ///< How many more barriers there would be if each operation were a wave.

  friend bool operator==(const PlanCounts&, const PlanCounts&) = default;
};

/// How a batch is run: arms of waves of groups, in flat arrays. A plan names operations by their index in the batch, so
/// that plans can be compared, hashed and printed.
struct Plan {
  std::vector<Arm> arms = {};
  std::vector<Wave> waves = {};
  std::vector<Group> groups = {};
  std::vector<std::uint32_t> operations = {};

  [[nodiscard]] std::span<const Wave> waves_of(const Arm& arm) const noexcept {
    return std::span{waves}.subspan(arm.first, arm.count);
  }
  [[nodiscard]] std::span<const Group> groups_of(const Wave& wave) const noexcept {
    return std::span{groups}.subspan(wave.first, wave.count);
  }
  [[nodiscard]] std::span<const std::uint32_t> operations_of(const Group& group) const noexcept {
    return std::span{operations}.subspan(group.first, group.count);
  }
  [[nodiscard]] PlanCounts counts() const noexcept;
  void clear() noexcept;

  friend bool operator==(const Plan&, const Plan&) = default;
};

[[nodiscard]] program::Hash128 hash_of(const Plan& plan);

/// The waves of a plan as text for a person; `label_of(program)` names programs.
[[nodiscard]] std::string to_text(const Plan& plan, const std::function<std::string(std::uint32_t)>& label_of);

}  // namespace vyre::plan
