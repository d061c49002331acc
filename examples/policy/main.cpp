// Ask whether a batch is worth a persistent kernel or a recording. Needs only the headers: g++ -std=c++23 -I. main.cpp
#include <cstdio>

#include <vyre/policy/dispatch_policy.hpp>

int main() {
  namespace policy = vyre::policy;
  const policy::DispatchFacts facts{
      .persistent = {.batch_size = 500, .per_launch_overhead_ns = 5'000, .persistent_setup_overhead_ns = 50'000},
      .graph = {.repeat_count = 500,
                .per_launch_overhead_ns = 5'000,
                .record_overhead_ns = 25'000,
                .replay_overhead_ns = 500},
      .arm_a = {.reads = {0, 1}, .writes = {2}},
      .arm_b = {.reads = {3, 4}, .writes = {5}},
  };
  const policy::DispatchPolicy answer = policy::evaluate_dispatch_policy(facts);
  std::printf("launch as %s\n", to_string(answer.primary_mode).c_str());
  std::printf("the two arms: %s\n", to_string(answer.arm_independence).c_str());
}
