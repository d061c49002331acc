#include <vyre/policy/dispatch_policy.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/allocations.hpp"

namespace vyre::policy {
namespace {

DispatchFacts aggressive() {
  return {.persistent = {.batch_size = 500, .per_launch_overhead_ns = 5'000, .persistent_setup_overhead_ns = 50'000},
          .graph = {.repeat_count = 500,
                    .per_launch_overhead_ns = 5'000,
                    .record_overhead_ns = 25'000,
                    .replay_overhead_ns = 500},
          .trace_jit = {.shader_hit_count = 100,
                        .prediction_confidence_bps = 9'000,
                        .speculative_spec_cost_ns = 10'000,
                        .miss_cost_ns = 100'000},
          .bindless = {.resource_count = 40, .support = BindlessSupport::Full, .dynamic_indexing = true},
          .copy_dst_slot = 7,
          .arm_a = {.reads = {0, 1}, .writes = {2}},
          .arm_b = {.reads = {3, 4}, .writes = {5}}};
}

std::vector<AuditEvent> events_of(const DispatchFacts& facts) {
  std::vector<AuditEvent> events;
  int calls = 0;
  static_cast<void>(evaluate_dispatch_policy(facts, [&](std::span<const AuditEvent> recorded) {
    ++calls;
    events.assign(recorded.begin(), recorded.end());
  }));
  EXPECT_EQ(calls, events.empty() ? 0 : 1);
  return events;
}

TEST(DispatchPolicy, RecordsEveryDecisionThatLeftThePlainPathInOrder) {
  EXPECT_THAT(events_of(aggressive()),
              testing::ElementsAre(
                  AuditEvent{Substrate::PersistentKernel, Action::QueueBatch, Detail::LaunchOverhead, 2'450'000},
                  AuditEvent{Substrate::CommandReuse, Action::RecordAndReplay, Detail::RepeatShape, 2'225'000},
                  AuditEvent{Substrate::Bindless, Action::DescriptorArray, Detail::ResourceCountThreshold, 0},
                  AuditEvent{Substrate::TraceJit, Action::Speculate, Detail::PredictedShape, 80'000}));
}

TEST(DispatchPolicy, RecordsNothingOfAPlainBatch) { EXPECT_TRUE(events_of({}).empty()); }

TEST(DispatchPolicy, AnswersTheSameWithAndWithoutARecorder) {
  const auto ignore = [](std::span<const AuditEvent>) {};
  EXPECT_EQ(evaluate_dispatch_policy(aggressive()), evaluate_dispatch_policy(aggressive(), ignore));
}

TEST(DispatchPolicy, TakesAMeasuredBindlessThreshold) {
  EXPECT_EQ(evaluate_dispatch_policy(aggressive(), NoRecorder{}, 41).bindless, BindlessDecision::TraditionalBindings);
}

TEST(DispatchPolicy, DoesNotAllocateForUpToEightSlots) {
  const std::vector<std::uint32_t> slots{900, 5, 4, 3, 2, 1, 0, 77};
  const std::uint64_t before = tests::allocation_count();
  DispatchFacts facts = aggressive();
  facts.arm_a = {.reads = SlotSet{std::span{slots}}, .writes = SlotSet{std::span{slots}}};
  facts.arm_b = facts.arm_a;
  const DispatchPolicy policy = evaluate_dispatch_policy(facts);
  EXPECT_EQ(tests::allocation_count(), before);
  EXPECT_EQ(policy.arm_independence, ArmIndependence{SerializeRequired{ArmConflict::WriteWriteConflict}});
  facts.arm_a.reads.insert(6);
  EXPECT_GT(tests::allocation_count(), before);  // Nine do: the count can tell.
}

TEST(Decisions, ReadAsAPersonWouldSayThem) {
  EXPECT_EQ(to_string(decide_persistent_kernel({})), "standard-launches");
  EXPECT_EQ(to_string(decide_persistent_kernel(aggressive().persistent)), "persistent-kernel:2450000");
  EXPECT_EQ(to_string(decide_command_reuse({})), "plain-launches");
  EXPECT_EQ(to_string(decide_command_reuse(aggressive().graph)), "record-and-replay:2225000");
  EXPECT_EQ(to_string(decide_trace_jit_speculation({})), "hold-steady");
  EXPECT_EQ(to_string(decide_trace_jit_speculation(aggressive().trace_jit)), "speculate:80000");
  EXPECT_EQ(to_string(can_dispatch_concurrently({}, {})), "independent");
  EXPECT_EQ(to_string(can_dispatch_concurrently({.reads = {5}}, {.writes = {5}})),
            "serialize-required:write-after-read");
  EXPECT_EQ(to_string(can_overlap_copy_with_kernel(1, {})), "overlap");
  EXPECT_EQ(to_string(can_overlap_copy_with_kernel(1, {.reads = {1}})), "serialize");
  EXPECT_EQ(to_string(decide_bindless({})), "traditional-bindings");
  EXPECT_EQ(to_string(decide_bindless(aggressive().bindless)), "bindless");
  EXPECT_EQ(to_string(PrimaryMode{}), "plain-launches");
  EXPECT_EQ(to_string(evaluate_dispatch_policy(aggressive()).primary_mode), "persistent-kernel:2450000");
  EXPECT_EQ(to_string(PrimaryMode{ExecutionMode::CommandReuse, 7}), "command-reuse:7");
}

// Everything can be decided while compiling.
static_assert(evaluate_dispatch_policy({}).primary_mode == PrimaryMode{});
static_assert(std::get<Speculate>(decide_trace_jit_speculation({.shader_hit_count = 8,
                                                                .prediction_confidence_bps = 6'000,
                                                                .speculative_spec_cost_ns = 0,
                                                                .miss_cost_ns = ~std::uint64_t{0}}))
                  .expected_savings_ns == u128{~std::uint64_t{0}} * 6'000 / 10'000);
static_assert(noexcept(evaluate_dispatch_policy(DispatchFacts{})));

}  // namespace
}  // namespace vyre::policy
