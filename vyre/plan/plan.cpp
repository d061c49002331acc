#include <vyre/plan/plan.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace vyre::plan {
namespace {

std::string quantity(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// Operations as text, with ranges for consecutive ones: `0-63, 70`.
std::string to_runs(std::span<const std::uint32_t> numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}", numbers[i]);
    if (last != i) text += fmt::format("-{}", numbers[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace

std::string_view to_string(OperationKind kind) noexcept {
  switch (kind) {
    case OperationKind::Copy: return "copy";
    case OperationKind::Fill: return "fill";
    case OperationKind::Dispatch: return "dispatch";
  }
  return "";
}

PlanCounts Plan::counts() const noexcept {
  PlanCounts counts{.arms = std::max(static_cast<std::uint32_t>(arms.size()), 1U)};
  for (const Arm& arm : arms) {
    std::uint32_t largest = 0;
    for (const Wave& wave : waves_of(arm)) {
      std::uint32_t in_wave = 0;
      for (const Group& group : groups_of(wave)) in_wave += group.count;
      largest = std::max(largest, in_wave);
    }
    counts.waves = std::max(counts.waves, arm.count);
    counts.largest_wave += largest;
    counts.barriers += arm.count == 0 ? 0 : arm.count - 1;
  }
  const auto count = static_cast<std::uint32_t>(operations.size());
  counts.barriers_avoided = count == 0 ? 0 : count - 1 - counts.barriers;
  return counts;
}

void Plan::clear() noexcept {
  arms.clear();
  waves.clear();
  groups.clear();
  operations.clear();
}

program::Hash128 hash_of(const Plan& plan) {
  program::Hasher hasher;
  hasher.add(std::uint64_t{plan.arms.size()}).add(std::uint64_t{plan.waves.size()});
  for (const Arm& arm : plan.arms) hasher.add(std::uint64_t{arm.first}).add(std::uint64_t{arm.count});
  for (const Wave& wave : plan.waves) hasher.add(std::uint64_t{wave.first}).add(std::uint64_t{wave.count});
  for (const Group& group : plan.groups) {
    hasher.add(static_cast<std::uint64_t>(group.kind)).add(std::uint64_t{group.program});
    hasher.add(std::uint64_t{group.first}).add(std::uint64_t{group.count});
  }
  return hasher.add(plan.operations).finish();
}

std::string to_text(const Plan& plan, const std::function<std::string(std::uint32_t)>& label_of) {
  const PlanCounts counts = plan.counts();
  std::string text =
      fmt::format("{} in {}: {} placed, {} avoided\n", quantity(plan.operations.size(), "operation"),
                  quantity(counts.waves, "wave"), quantity(counts.barriers, "barrier"), counts.barriers_avoided);
  for (std::size_t arm = 0; arm < plan.arms.size(); ++arm) {
    if (plan.arms.size() > 1) text += fmt::format("arm {}\n", arm);
    std::size_t number = 0;
    for (const Wave& wave : plan.waves_of(plan.arms[arm])) {
      text += fmt::format("wave {}\n", number++);
      for (const Group& group : plan.groups_of(wave)) {
        const bool is_dispatch = group.kind == OperationKind::Dispatch;
        text += fmt::format("  {} × {}{}: {}\n", group.count, to_string(group.kind),
                            is_dispatch ? " " + label_of(group.program) : "", to_runs(plan.operations_of(group)));
      }
    }
  }
  return text;
}

}  // namespace vyre::plan
