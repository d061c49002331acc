#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include <vyre/base/u128.hpp>
#include <vyre/policy/choice.hpp>

namespace vyre::policy {

/// A shape seen fewer times than this is not worth a prediction.
inline constexpr std::uint32_t kMinSpeculationHits = 8;
/// Predictions less certain than this, in basis points, are not acted on.
inline constexpr std::uint32_t kMinSpeculationConfidenceBps = 6'000;
/// Certainty, in basis points.
inline constexpr std::uint32_t kFullConfidenceBps = 10'000;

/// What is known of the specialisation that is predicted to be asked for next.
struct TraceJitInputs {
  std::uint32_t shader_hit_count = 0;
  std::uint32_t prediction_confidence_bps = 0;  ///< Hits over predictions; used as it is, even above certainty.
  std::uint64_t speculative_spec_cost_ns = 0;   ///< Paid now, needed or not.
  std::uint64_t miss_cost_ns = 0;               ///< Paid later, if the prediction was right and nothing was done.

  friend constexpr bool operator==(const TraceJitInputs&, const TraceJitInputs&) = default;
};

/// Nothing is compiled ahead.
struct HoldSteady {
  friend constexpr bool operator==(const HoldSteady&, const HoldSteady&) = default;
};

/// The predicted specialisation is compiled now.
struct Speculate {
  u128 expected_savings_ns = 0;
  friend constexpr bool operator==(const Speculate&, const Speculate&) = default;
};

using TraceJitDecision = std::variant<HoldSteady, Speculate>;

/// floor(miss cost × confidence / certainty), exactly.
[[nodiscard]] constexpr u128 expected_miss_cost_ns(const TraceJitInputs& in) noexcept {
  // Within 64 bits a division by a constant is a multiplication; beyond, it is a call. Below four seconds the product
  // fits; above, the quotient and the remainder of the cost do, apart.
  constexpr std::uint64_t kProductFits = std::uint64_t{1} << 32;
  if (in.miss_cost_ns < kProductFits) [[likely]] {
    return in.miss_cost_ns * in.prediction_confidence_bps / kFullConfidenceBps;
  }
  const std::uint64_t whole = in.miss_cost_ns / kFullConfidenceBps;
  const std::uint64_t rest = in.miss_cost_ns % kFullConfidenceBps;
  return u128{whole} * in.prediction_confidence_bps + rest * in.prediction_confidence_bps / kFullConfidenceBps;
}

namespace detail {

[[nodiscard]] constexpr Savings savings(const TraceJitInputs& in) noexcept {
  const u128 expected = expected_miss_cost_ns(in);
  const bool sure =
      (in.shader_hit_count >= kMinSpeculationHits) & (in.prediction_confidence_bps >= kMinSpeculationConfidenceBps);
  const bool pays = sure & (expected > in.speculative_spec_cost_ns);
  return {.pays = pays, .ns = expected - in.speculative_spec_cost_ns};
}

}  // namespace detail

/// I2: decides whether to compile the predicted next specialisation before it is asked for.
[[nodiscard]] constexpr TraceJitDecision decide_trace_jit_speculation(const TraceJitInputs& in) noexcept {
  return detail::verdict<TraceJitDecision, Speculate>(detail::savings(in));
}

/// `hold-steady` or `speculate:<savings>`.
[[nodiscard]] constexpr std::string to_string(const TraceJitDecision& decision) {
  const auto* speculate = std::get_if<Speculate>(&decision);
  return speculate != nullptr ? "speculate:" + to_decimal(speculate->expected_savings_ns) : "hold-steady";
}

}  // namespace vyre::policy
