#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <vyre/policy/command_reuse.hpp>
#include <vyre/policy/persistent_kernel.hpp>

namespace vyre::policy {

/// How a group is launched.
enum class ExecutionMode : std::uint8_t { PlainLaunches, PersistentKernel, CommandReuse };

/// The one launch mode of a group, and what it saves over plain launches.
struct PrimaryMode {
  ExecutionMode mode = ExecutionMode::PlainLaunches;
  u128 savings_ns = 0;

  friend constexpr bool operator==(const PrimaryMode&, const PrimaryMode&) = default;
};

namespace detail {

[[nodiscard]] constexpr PrimaryMode primary_mode(const Savings& queue, const Savings& replay) noexcept {
  const u128 queue_ns = queue.pays ? queue.ns : 0;
  const u128 replay_ns = replay.pays ? replay.ns : 0;
  const bool queue_wins = queue_ns > replay_ns;
  const ExecutionMode reuse = replay.pays ? ExecutionMode::CommandReuse : ExecutionMode::PlainLaunches;
  return {.mode = queue_wins ? ExecutionMode::PersistentKernel : reuse,
          .savings_ns = queue_wins ? queue_ns : replay_ns};
}

}  // namespace detail

/// Resolves D1 against D4: the greater savings win; on a tie reuse, which holds no queue.
[[nodiscard]] constexpr PrimaryMode select_primary_execution_mode(const PersistentKernelDecision& persistent,
                                                                  const CommandReuseDecision& reuse) noexcept {
  const auto* queue = std::get_if<PersistentKernel>(&persistent);
  const auto* replay = std::get_if<RecordAndReplay>(&reuse);
  return detail::primary_mode({.pays = queue != nullptr, .ns = queue != nullptr ? queue->savings_ns : 0},
                              {.pays = replay != nullptr, .ns = replay != nullptr ? replay->savings_ns : 0});
}

[[nodiscard]] constexpr std::string_view to_string(ExecutionMode mode) noexcept {
  switch (mode) {
    case ExecutionMode::PlainLaunches: return "plain-launches";
    case ExecutionMode::PersistentKernel: return "persistent-kernel";
    case ExecutionMode::CommandReuse: return "command-reuse";
  }
  return "plain-launches";
}

/// `plain-launches`, `persistent-kernel:<savings>` or `command-reuse:<savings>`.
[[nodiscard]] constexpr std::string to_string(const PrimaryMode& primary) {
  std::string text{to_string(primary.mode)};
  if (primary.mode != ExecutionMode::PlainLaunches) text.append(":").append(U128Text{primary.savings_ns}.view());
  return text;
}

}  // namespace vyre::policy
