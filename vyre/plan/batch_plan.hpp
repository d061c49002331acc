#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <vyre/plan/hazards.hpp>
#include <vyre/program/hash.hpp>

namespace vyre::plan {

enum class OperationKind : std::uint8_t { Dispatch, Copy, Fill };

/// `dispatch`, `copy` or `fill`.
[[nodiscard]] std::string_view to_string(OperationKind kind) noexcept;

/// One operation of a batch as the planner sees it.
struct Operation {
  OperationKind kind = OperationKind::Dispatch;
  std::uint32_t program = 0;  ///< Names the kernel of a dispatch; alike operations have the same.
  std::string label = {};     ///< For a person.
  std::vector<Touch> touches = {};

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// Alike operations of one wave: what a launch mode is chosen for.
struct Group {
  OperationKind kind = OperationKind::Dispatch;
  std::uint32_t program = 0;
  std::string label = {};                      ///< Of its first operation.
  std::vector<std::uint32_t> operations = {};  ///< By their place in the batch, in order.

  friend bool operator==(const Group&, const Group&) = default;
};

struct Wave {
  std::vector<Group> groups = {};  ///< By kind and program.

  friend bool operator==(const Wave&, const Wave&) = default;
};

/// How a batch is run. A value: compared, hashed, printed.
struct BatchPlan {
  std::vector<Wave> waves = {};

  [[nodiscard]] std::size_t operations() const noexcept;
  /// One between two waves.
  [[nodiscard]] std::size_t barriers() const noexcept { return waves.empty() ? 0 : waves.size() - 1; }
  /// Those that running one thing after another would have had besides.
  [[nodiscard]] std::size_t barriers_avoided() const noexcept;

  friend bool operator==(const BatchPlan&, const BatchPlan&) = default;
};

/// Plans a batch, so that it is as if all operations had run in order.
[[nodiscard]] BatchPlan make_batch_plan(std::span<const Operation> operations);

[[nodiscard]] program::Hash128 hash_of(const BatchPlan& plan);

/// The plan as waves, for a person.
[[nodiscard]] std::string to_text(const BatchPlan& plan);

}  // namespace vyre::plan
