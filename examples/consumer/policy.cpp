// Asks one question of the decisions: record three launches and replay them, or launch plainly?
#include <cstdio>
#include <variant>

#include <vyre/policy/command_reuse.hpp>

int main() {
  const auto decision = vyre::policy::decide_command_reuse(
      {.repeat_count = 3, .per_launch_overhead_ns = 6'400, .record_overhead_ns = 15'000, .replay_overhead_ns = 580});
  std::printf("%s\n", to_string(decision).c_str());
  return std::holds_alternative<vyre::policy::RecordAndReplay>(decision) ? 0 : 1;
}
