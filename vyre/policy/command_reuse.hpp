#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include <vyre/base/u128.hpp>
#include <vyre/policy/choice.hpp>

namespace vyre::policy {

/// A batch that comes fewer times than this is never recorded.
inline constexpr std::uint32_t kMinReuseRepeats = 2;

/// What is known of a launch before deciding whether to record it.
struct CommandReuseInputs {
  std::uint32_t repeat_count = 0;
  std::uint64_t per_launch_overhead_ns = 0;  ///< Paid per plain launch.
  std::uint64_t record_overhead_ns = 0;      ///< Paid once.
  std::uint64_t replay_overhead_ns = 0;      ///< Paid per replay.

  friend constexpr bool operator==(const CommandReuseInputs&, const CommandReuseInputs&) = default;
};

/// Every launch is submitted on its own.
struct PlainLaunches {
  friend constexpr bool operator==(const PlainLaunches&, const PlainLaunches&) = default;
};

/// The launches are recorded once, and the recording is replayed.
struct RecordAndReplay {
  u128 savings_ns = 0;
  friend constexpr bool operator==(const RecordAndReplay&, const RecordAndReplay&) = default;
};

using CommandReuseDecision = std::variant<PlainLaunches, RecordAndReplay>;

namespace detail {

[[nodiscard]] constexpr Savings savings(const CommandReuseInputs& in) noexcept {
  const u128 plain = u128{in.repeat_count} * in.per_launch_overhead_ns;
  const u128 replayed = u128{in.repeat_count} * in.replay_overhead_ns + in.record_overhead_ns;
  const bool pays = (in.repeat_count >= kMinReuseRepeats) & (plain > replayed);
  return {.pays = pays, .ns = plain - replayed};
}

}  // namespace detail

/// D4: decides whether recording once and replaying beats launching plainly.
///
/// A tie stays plain, which holds no device memory between launches.
[[nodiscard]] constexpr CommandReuseDecision decide_command_reuse(const CommandReuseInputs& in) noexcept {
  return detail::verdict<CommandReuseDecision, RecordAndReplay>(detail::savings(in));
}

/// `plain-launches` or `record-and-replay:<savings>`.
[[nodiscard]] constexpr std::string to_string(const CommandReuseDecision& decision) {
  const auto* replay = std::get_if<RecordAndReplay>(&decision);
  return replay != nullptr ? "record-and-replay:" + to_decimal(replay->savings_ns) : "plain-launches";
}

static_assert(decide_command_reuse({.repeat_count = 1, .per_launch_overhead_ns = 5'000}) ==
              CommandReuseDecision{PlainLaunches{}});

}  // namespace vyre::policy
