#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include <vyre/policy/dispatch_policy.hpp>
#include <vyre/report/audit_log.hpp>

// What a decision costs. The mixed inputs are the honest case: 4,096 batches whose verdicts do not predict.

namespace vyre::policy {
namespace {

constexpr std::size_t kMixed = 4'096;

DispatchFacts aggressive() {
  return {
      .persistent = {.batch_size = 500,
                     .per_launch_overhead_ns = 5'000,
                     .per_item_kernel_ns = 1'000,
                     .persistent_setup_overhead_ns = 50'000},
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
      .arm_b = {.reads = {3, 4}, .writes = {5}},
  };
}

DispatchFacts conservative() {
  DispatchFacts facts = aggressive();
  facts.persistent.batch_size = 1;
  facts.graph.repeat_count = 1;
  facts.trace_jit.shader_hit_count = 2;
  facts.bindless = {.resource_count = 4, .support = BindlessSupport::Full, .dynamic_indexing = false};
  facts.copy_dst_slot = 5;
  facts.arm_a = {.reads = {5}, .writes = {1}};
  facts.arm_b = {.reads = {0}, .writes = {5}};
  return facts;
}

/// Batches of which each verdict falls either way about half the time.
std::vector<DispatchFacts> mixed() {
  std::mt19937_64 random{20'240'229};
  const auto up_to = [&](std::uint64_t limit) { return random() % (limit + 1); };
  const auto slots = [&] {
    SlotSet set;
    for (std::uint64_t n = up_to(4); n > 0; --n) set.insert(static_cast<std::uint32_t>(up_to(23)));
    return set;
  };
  std::vector<DispatchFacts> facts(kMixed);
  for (DispatchFacts& f : facts) {
    f.persistent = {.batch_size = static_cast<std::uint32_t>(up_to(20)),
                    .per_launch_overhead_ns = up_to(10'000),
                    .per_item_kernel_ns = up_to(10'000),
                    .persistent_setup_overhead_ns = up_to(100'000)};
    f.graph = {.repeat_count = static_cast<std::uint32_t>(up_to(20)),
               .per_launch_overhead_ns = up_to(10'000),
               .record_overhead_ns = up_to(25'000),
               .replay_overhead_ns = up_to(5'000)};
    f.trace_jit = {.shader_hit_count = static_cast<std::uint32_t>(up_to(40)),
                   .prediction_confidence_bps = static_cast<std::uint32_t>(4'000 + up_to(6'000)),
                   .speculative_spec_cost_ns = up_to(50'000),
                   .miss_cost_ns = up_to(200'000)};
    f.bindless = {.resource_count = static_cast<std::uint32_t>(up_to(48)),
                  .support = static_cast<BindlessSupport>(up_to(2)),
                  .dynamic_indexing = up_to(1) == 1};
    if (up_to(3) != 0) f.copy_dst_slot = static_cast<std::uint32_t>(up_to(23));
    f.arm_a = {.reads = slots(), .writes = slots()};
    f.arm_b = {.reads = slots(), .writes = slots()};
  }
  return facts;
}

/// The order of a pass over the mixed inputs. Shuffled orders differ from pass to pass, so that no predictor learns
/// one.
class Order {
 public:
  Order(bool shuffled) {
    constexpr std::size_t kPasses = 16;
    std::mt19937_64 random{7};
    for (std::size_t pass = 0; pass < (shuffled ? kPasses : 1); ++pass) {
      std::vector<std::uint32_t> order(kMixed);
      std::iota(order.begin(), order.end(), 0U);
      if (shuffled) std::ranges::shuffle(order, random);
      orders_.insert(orders_.end(), order.begin(), order.end());
    }
  }
  [[nodiscard]] std::span<const std::uint32_t> next() {
    at_ = (at_ + kMixed) % orders_.size();
    return std::span{orders_}.subspan(at_, kMixed);
  }

 private:
  std::vector<std::uint32_t> orders_;
  std::size_t at_ = 0;
};

template <typename Evaluate>
void over_mixed(benchmark::State& state, bool shuffled, Evaluate evaluate) {
  const std::vector<DispatchFacts> facts = mixed();
  Order order{shuffled};
  for (auto _ : state) {
    for (const std::uint32_t index : order.next()) benchmark::DoNotOptimize(evaluate(facts[index]));
  }
  state.counters["per_decision"] = benchmark::Counter(
      static_cast<double>(kMixed), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <typename Evaluate>
void on_one(benchmark::State& state, DispatchFacts facts, Evaluate evaluate) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(facts);
    benchmark::DoNotOptimize(evaluate(facts));
  }
}

template <typename Evaluate>
void add(const std::string& name, Evaluate evaluate) {
  benchmark::RegisterBenchmark((name + "/aggressive").c_str(), [=](auto& s) { on_one(s, aggressive(), evaluate); });
  benchmark::RegisterBenchmark((name + "/conservative").c_str(), [=](auto& s) { on_one(s, conservative(), evaluate); });
  benchmark::RegisterBenchmark((name + "/mixed").c_str(), [=](auto& s) { over_mixed(s, false, evaluate); });
  benchmark::RegisterBenchmark((name + "/shuffled").c_str(), [=](auto& s) { over_mixed(s, true, evaluate); });
}

}  // namespace
}  // namespace vyre::policy

int main(int argc, char** argv) {
  using namespace vyre::policy;
  vyre::report::AuditLog log;
  add("persistent_kernel", [](const DispatchFacts& f) { return decide_persistent_kernel(f.persistent); });
  add("command_reuse", [](const DispatchFacts& f) { return decide_command_reuse(f.graph); });
  add("trace_jit", [](const DispatchFacts& f) { return decide_trace_jit_speculation(f.trace_jit); });
  add("bindless", [](const DispatchFacts& f) { return decide_bindless(f.bindless); });
  add("arm_independence", [](const DispatchFacts& f) { return can_dispatch_concurrently(f.arm_a, f.arm_b); });
  add("copy_overlap",
      [](const DispatchFacts& f) { return can_overlap_copy_with_kernel(f.copy_dst_slot.value_or(0), f.arm_a); });
  add("primary_mode", [](const DispatchFacts& f) {
    return select_primary_execution_mode(decide_persistent_kernel(f.persistent), decide_command_reuse(f.graph));
  });
  add("bundle", [](const DispatchFacts& f) { return evaluate_dispatch_policy(f); });
  add("bundle_with_log", [&log](const DispatchFacts& f) { return evaluate_dispatch_policy(f, log.recorder()); });
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
