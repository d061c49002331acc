#include <vyre/report/audit_log.hpp>

#include <array>
#include <cstdint>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vyre/policy/dispatch_policy.hpp>

namespace vyre::report {
namespace {

using policy::AuditEvent;

AuditEvent saved(u128 ns) {
  return {policy::Substrate::TraceJit, policy::Action::Speculate, policy::Detail::PredictedShape, ns};
}

void record(AuditLog& log, u128 ns) {
  const AuditEvent event = saved(ns);
  log.record(std::span{&event, 1});
}

TEST(AuditLog, PrintsALinePerEvent) {
  AuditLog log;
  record(log, 123);
  record(log, (u128{1} << 95) + 1);
  EXPECT_EQ(to_string(log.snapshot()),
            "trace_jit speculate saved=123ns predicted_shape\n"
            "trace_jit speculate saved=39614081257132168796771975169ns predicted_shape\n");
}

TEST(AuditLog, DropsTheOldestAndCountsThem) {
  AuditLog log{3};
  EXPECT_EQ(log.snapshot(), AuditSnapshot{});
  for (unsigned i = 0; i < 3; ++i) record(log, i);
  EXPECT_EQ(log.snapshot(), (AuditSnapshot{.events = {saved(0), saved(1), saved(2)}, .dropped = 0}));
  for (unsigned i = 3; i < 8; ++i) record(log, i);
  EXPECT_EQ(log.snapshot(), (AuditSnapshot{.events = {saved(5), saved(6), saved(7)}, .dropped = 5}));
  EXPECT_THAT(to_string(log.snapshot()), testing::EndsWith("(5 older events dropped)\n"));
}

TEST(AuditLog, HoldsWhatItWasToldTo) {
  EXPECT_EQ(AuditLog{}.capacity(), 256U);
  AuditLog none{0};
  record(none, 1);
  EXPECT_EQ(none.snapshot(), (AuditSnapshot{.events = {}, .dropped = 1}));
}

TEST(AuditLog, TakesTheEventsOfABundle) {
  AuditLog log;
  const auto policy = policy::evaluate_dispatch_policy({.persistent = {.batch_size = 2, .per_launch_overhead_ns = 5},
                                                        .graph = {.repeat_count = 2, .per_launch_overhead_ns = 5}},
                                                       log.recorder());
  EXPECT_EQ(policy.primary_mode.mode, policy::ExecutionMode::CommandReuse);
  EXPECT_EQ(to_string(log.snapshot()),
            "persistent_kernel queue_batch saved=10ns launch_overhead\n"
            "command_reuse record_and_replay saved=10ns repeat_shape\n");
}

TEST(AuditLogThreads, LosesNothingAndKeepsEventsTogether) {
  constexpr std::uint64_t kThreads = 8;
  constexpr std::uint64_t kRounds = 2'000;
  AuditLog log{1'024};
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&log, thread] {
        for (std::uint64_t round = 0; round < kRounds; ++round) {
          const std::array events{saved(thread * kRounds + round), saved(thread * kRounds + round)};
          log.record(events);
          if (round % 100 != 0) continue;
          EXPECT_LE(log.snapshot().events.size(), log.capacity());
        }
      });
    }
  }
  const AuditSnapshot snapshot = log.snapshot();
  EXPECT_EQ(snapshot.events.size() + snapshot.dropped, 2 * kThreads * kRounds);
  for (std::size_t i = 0; i < snapshot.events.size(); i += 2) EXPECT_EQ(snapshot.events[i], snapshot.events[i + 1]);
}

}  // namespace
}  // namespace vyre::report
