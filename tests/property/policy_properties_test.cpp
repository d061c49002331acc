#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <vyre/policy/dispatch_policy.hpp>

// Each decision against the rule as a person would write it down: signed 128-bit sums, one `if` per clause, std::set.
// A million cases each, drawn from extremes, thresholds, near-ties and everything between.

namespace vyre::policy {
namespace {

__extension__ using i128 = __int128;
constexpr int kCases = 1'000'000;

/// A source of numbers that likes edges.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : random_{seed} {}

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool coin() { return below(2) == 1; }

  std::uint32_t u32() {
    constexpr std::array<std::uint32_t, 18> kEdges = {
        0, 1, 2, 3, 7, 8, 9, 23, 24, 25, 5'999, 6'000, 6'001, 10'000, 10'001, 65'535, 0xffff'fffe, 0xffff'ffff};
    switch (below(3)) {
      case 0: return kEdges[below(kEdges.size())];
      case 1: return static_cast<std::uint32_t>(below(1'000));
      default: return static_cast<std::uint32_t>(random_());
    }
  }

  std::uint64_t u64() {
    constexpr std::array<std::uint64_t, 11> kEdges = {0,
                                                      1,
                                                      2,
                                                      9'999,
                                                      10'000,
                                                      10'001,
                                                      0xffff'ffff,
                                                      0x1'0000'0000,
                                                      0x1'0000'0001,
                                                      ~std::uint64_t{1},
                                                      ~std::uint64_t{0}};
    switch (below(4)) {
      case 0: return kEdges[below(kEdges.size())];
      case 1: return below(1'000);
      case 2: return below(10'000'000);
      default: return random_() >> below(64);
    }
  }

  /// `exact`, or one beside it; something else if it does not fit.
  std::uint64_t near(i128 exact) {
    const i128 value = exact + static_cast<i128>(below(3)) - 1;
    return value >= 0 && value <= static_cast<i128>(~std::uint64_t{0}) ? static_cast<std::uint64_t>(value) : u64();
  }

  SlotSet slots() {
    std::vector<std::uint32_t> raw(below(6));
    for (std::uint32_t& slot : raw) slot = coin() ? static_cast<std::uint32_t>(below(6)) : u32();
    return SlotSet{std::span<const std::uint32_t>{raw}};
  }
  Arm arm() { return {.reads = slots(), .writes = slots()}; }

  PersistentKernelInputs persistent() {
    PersistentKernelInputs in{.batch_size = u32(),
                              .per_launch_overhead_ns = u64(),
                              .per_item_kernel_ns = u64(),
                              .persistent_setup_overhead_ns = u64()};
    if (coin()) in.persistent_setup_overhead_ns = near(i128{in.batch_size} * in.per_launch_overhead_ns);
    return in;
  }

  CommandReuseInputs reuse() {
    CommandReuseInputs in{.repeat_count = u32(),
                          .per_launch_overhead_ns = u64(),
                          .record_overhead_ns = u64(),
                          .replay_overhead_ns = u64()};
    if (coin()) in.replay_overhead_ns = near(in.per_launch_overhead_ns);
    if (coin()) {
      in.record_overhead_ns =
          near(i128{in.repeat_count} * (i128{in.per_launch_overhead_ns} - i128{in.replay_overhead_ns}));
    }
    return in;
  }

  TraceJitInputs jit() {
    TraceJitInputs in{.shader_hit_count = u32(),
                      .prediction_confidence_bps = u32(),
                      .speculative_spec_cost_ns = u64(),
                      .miss_cost_ns = u64()};
    if (coin()) in.speculative_spec_cost_ns = near(i128{in.miss_cost_ns} * in.prediction_confidence_bps / 10'000);
    return in;
  }

  BindlessInputs bindless() {
    return {.resource_count = u32(), .support = static_cast<BindlessSupport>(below(3)), .dynamic_indexing = coin()};
  }

 private:
  std::mt19937_64 random_;
};

// Savings by the rule, or 0 where it says to stay plain.

i128 persistent_oracle(const PersistentKernelInputs& in) {
  if (in.batch_size < 2) return 0;
  const i128 savings = i128{in.batch_size} * i128{in.per_launch_overhead_ns} - i128{in.persistent_setup_overhead_ns};
  if (savings <= 0) return 0;
  return savings;
}

i128 reuse_oracle(const CommandReuseInputs& in) {
  if (in.repeat_count < 2) return 0;
  const i128 each = i128{in.per_launch_overhead_ns} - i128{in.replay_overhead_ns};
  const i128 savings = i128{in.repeat_count} * each - i128{in.record_overhead_ns};
  if (savings <= 0) return 0;
  return savings;
}

i128 jit_oracle(const TraceJitInputs& in) {
  if (in.shader_hit_count < 8) return 0;
  if (in.prediction_confidence_bps < 6'000) return 0;
  const i128 product = i128{in.miss_cost_ns} * i128{in.prediction_confidence_bps};
  const i128 savings = product / 10'000 - i128{in.speculative_spec_cost_ns};
  if (savings <= 0) return 0;
  return savings;
}

bool bindless_oracle(const BindlessInputs& in) {
  if (in.resource_count < 24) return false;
  if (in.support == BindlessSupport::Full) return true;
  if (in.support == BindlessSupport::Static) return !in.dynamic_indexing;
  return false;
}

bool share(const SlotSet& a, const SlotSet& b) {
  for (const std::uint32_t x : a) {
    for (const std::uint32_t y : b) {
      if (x == y) return true;
    }
  }
  return false;
}

std::optional<ArmConflict> arms_oracle(const Arm& a, const Arm& b) {
  if (share(a.writes, b.writes)) return ArmConflict::WriteWriteConflict;
  if (share(a.writes, b.reads)) return ArmConflict::ReadAfterWrite;
  if (share(a.reads, b.writes)) return ArmConflict::WriteAfterRead;
  return std::nullopt;
}

bool copy_oracle(std::uint32_t slot, const Arm& kernel) {
  return std::ranges::count(kernel.reads, slot) + std::ranges::count(kernel.writes, slot) == 0;
}

PrimaryMode primary_oracle(const PersistentKernelInputs& persistent, const CommandReuseInputs& graph) {
  const i128 queue = persistent_oracle(persistent);
  const i128 replay = reuse_oracle(graph);
  if (queue == 0 && replay == 0) return {};
  if (replay >= queue) return {ExecutionMode::CommandReuse, static_cast<u128>(replay)};
  return {ExecutionMode::PersistentKernel, static_cast<u128>(queue)};
}

// What a decision says, as savings: 0 for the plain verdict, which a winning verdict can never have.

i128 savings(const PersistentKernelDecision& decision) {
  const auto* better = std::get_if<PersistentKernel>(&decision);
  EXPECT_TRUE(better == nullptr || better->savings_ns > 0);
  return better != nullptr ? static_cast<i128>(better->savings_ns) : 0;
}
i128 savings(const CommandReuseDecision& decision) {
  const auto* better = std::get_if<RecordAndReplay>(&decision);
  EXPECT_TRUE(better == nullptr || better->savings_ns > 0);
  return better != nullptr ? static_cast<i128>(better->savings_ns) : 0;
}
i128 savings(const TraceJitDecision& decision) {
  const auto* better = std::get_if<Speculate>(&decision);
  EXPECT_TRUE(better == nullptr || better->expected_savings_ns > 0);
  return better != nullptr ? static_cast<i128>(better->expected_savings_ns) : 0;
}
std::optional<ArmConflict> conflict(const ArmIndependence& decision) {
  const auto* serialize = std::get_if<SerializeRequired>(&decision);
  return serialize != nullptr ? std::optional{serialize->reason} : std::nullopt;
}

TEST(PolicyProperties, PersistentKernel) {
  Numbers numbers{11};
  int wins = 0;
  for (int i = 0; i < kCases; ++i) {
    const PersistentKernelInputs in = numbers.persistent();
    const i128 expected = persistent_oracle(in);
    ASSERT_TRUE(savings(decide_persistent_kernel(in)) == expected) << "case " << i;
    wins += expected > 0 ? 1 : 0;
  }
  EXPECT_GT(wins, kCases / 10);
  EXPECT_LT(wins, kCases - kCases / 10);
}

TEST(PolicyProperties, CommandReuse) {
  Numbers numbers{12};
  int wins = 0;
  for (int i = 0; i < kCases; ++i) {
    const CommandReuseInputs in = numbers.reuse();
    const i128 expected = reuse_oracle(in);
    ASSERT_TRUE(savings(decide_command_reuse(in)) == expected) << "case " << i;
    wins += expected > 0 ? 1 : 0;
  }
  EXPECT_GT(wins, kCases / 10);
  EXPECT_LT(wins, kCases - kCases / 10);
}

TEST(PolicyProperties, TraceJit) {
  Numbers numbers{13};
  int wins = 0;
  for (int i = 0; i < kCases; ++i) {
    const TraceJitInputs in = numbers.jit();
    const i128 expected = jit_oracle(in);
    ASSERT_TRUE(savings(decide_trace_jit_speculation(in)) == expected) << "case " << i;
    wins += expected > 0 ? 1 : 0;
  }
  EXPECT_GT(wins, kCases / 20);
  EXPECT_LT(wins, kCases - kCases / 20);
}

TEST(PolicyProperties, ArmIndependence) {
  Numbers numbers{14};
  std::array<int, 4> seen{};
  for (int i = 0; i < kCases; ++i) {
    const Arm a = numbers.arm();
    const Arm b = numbers.arm();
    const std::optional<ArmConflict> expected = arms_oracle(a, b);
    ASSERT_EQ(conflict(can_dispatch_concurrently(a, b)), expected) << "case " << i;
    ++seen[expected ? static_cast<std::size_t>(*expected) : 3];
  }
  for (const int count : seen) EXPECT_GT(count, kCases / 100);
}

TEST(PolicyProperties, CopyOverlap) {
  Numbers numbers{15};
  for (int i = 0; i < kCases; ++i) {
    const Arm kernel = numbers.arm();
    const std::uint32_t slot = numbers.u32();
    ASSERT_EQ(can_overlap_copy_with_kernel(slot, kernel) == CopyOverlap::Overlap, copy_oracle(slot, kernel))
        << "case " << i;
  }
}

TEST(PolicyProperties, Bindless) {
  Numbers numbers{16};
  for (int i = 0; i < kCases; ++i) {
    const BindlessInputs in = numbers.bindless();
    ASSERT_EQ(decide_bindless(in) == BindlessDecision::Bindless, bindless_oracle(in)) << "case " << i;
  }
}

TEST(PolicyProperties, PrimaryMode) {
  Numbers numbers{17};
  for (int i = 0; i < kCases; ++i) {
    const PersistentKernelInputs persistent = numbers.persistent();
    CommandReuseInputs graph = numbers.reuse();
    if (numbers.coin()) {  // Savings that tie, or nearly.
      graph = {.repeat_count = persistent.batch_size,
               .per_launch_overhead_ns = persistent.per_launch_overhead_ns,
               .record_overhead_ns = numbers.near(persistent.persistent_setup_overhead_ns),
               .replay_overhead_ns = 0};
    }
    ASSERT_EQ(select_primary_execution_mode(decide_persistent_kernel(persistent), decide_command_reuse(graph)),
              primary_oracle(persistent, graph))
        << "case " << i;
  }
}

TEST(PolicyProperties, Bundle) {
  Numbers numbers{18};
  std::vector<Substrate> recorded;
  const auto recorder = [&recorded](std::span<const AuditEvent> events) {
    for (const AuditEvent& event : events) recorded.push_back(event.substrate);
  };
  for (int i = 0; i < kCases; ++i) {
    DispatchFacts facts{.persistent = numbers.persistent(),
                        .graph = numbers.reuse(),
                        .trace_jit = numbers.jit(),
                        .bindless = numbers.bindless(),
                        .copy_dst_slot = std::nullopt,
                        .arm_a = numbers.arm(),
                        .arm_b = numbers.arm()};
    if (numbers.coin()) facts.copy_dst_slot = numbers.u32();
    recorded.clear();
    const DispatchPolicy policy = evaluate_dispatch_policy(facts, recorder);

    ASSERT_TRUE(savings(policy.persistent) == persistent_oracle(facts.persistent)) << "case " << i;
    ASSERT_TRUE(savings(policy.command_reuse) == reuse_oracle(facts.graph)) << "case " << i;
    ASSERT_TRUE(savings(policy.trace_jit) == jit_oracle(facts.trace_jit)) << "case " << i;
    ASSERT_EQ(conflict(policy.arm_independence), arms_oracle(facts.arm_a, facts.arm_b)) << "case " << i;
    ASSERT_EQ(policy.bindless == BindlessDecision::Bindless, bindless_oracle(facts.bindless)) << "case " << i;
    ASSERT_EQ(policy.primary_mode, primary_oracle(facts.persistent, facts.graph)) << "case " << i;
    ASSERT_EQ(policy.copy_overlap.has_value(), facts.copy_dst_slot.has_value()) << "case " << i;
    if (policy.copy_overlap) {
      ASSERT_EQ(*policy.copy_overlap == CopyOverlap::Overlap, copy_oracle(*facts.copy_dst_slot, facts.arm_a))
          << "case " << i;
    }
    std::vector<Substrate> expected;
    if (persistent_oracle(facts.persistent) > 0) expected.push_back(Substrate::PersistentKernel);
    if (reuse_oracle(facts.graph) > 0) expected.push_back(Substrate::CommandReuse);
    if (bindless_oracle(facts.bindless)) expected.push_back(Substrate::Bindless);
    if (jit_oracle(facts.trace_jit) > 0) expected.push_back(Substrate::TraceJit);
    ASSERT_EQ(recorded, expected) << "case " << i;
  }
}

}  // namespace
}  // namespace vyre::policy
