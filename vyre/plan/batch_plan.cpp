#include <vyre/plan/batch_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

namespace vyre::plan {
namespace {

std::string quantity(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// `0-63, 70`
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

std::string describe(const Group& group) {
  std::string text{to_string(group.kind)};
  if (!group.label.empty()) {
    text += " " + group.label;
  } else if (group.kind == OperationKind::Dispatch) {
    text += fmt::format(" program {}", group.program);
  }
  return text;
}

}  // namespace

std::string_view to_string(OperationKind kind) noexcept {
  switch (kind) {
    case OperationKind::Dispatch: return "dispatch";
    case OperationKind::Copy: return "copy";
    case OperationKind::Fill: return "fill";
  }
  return "";
}

std::size_t BatchPlan::operations() const noexcept {
  std::size_t count = 0;
  for (const Wave& wave : waves) {
    for (const Group& group : wave.groups) count += group.operations.size();
  }
  return count;
}

std::size_t BatchPlan::barriers_avoided() const noexcept {
  const std::size_t count = operations();
  return count == 0 ? 0 : count - 1 - barriers();
}

BatchPlan make_batch_plan(std::span<const Operation> operations) {
  WaveFinder finder;
  std::vector<std::uint32_t> wave_of;
  wave_of.reserve(operations.size());
  for (const Operation& operation : operations) wave_of.push_back(finder.add(operation.touches));

  std::vector<std::uint32_t> order(operations.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(
      order, {}, [&](std::uint32_t i) { return std::tuple{wave_of[i], operations[i].kind, operations[i].program, i}; });

  BatchPlan plan;
  plan.waves.resize(finder.wave_count());
  for (const std::uint32_t i : order) {
    const Operation& operation = operations[i];
    std::vector<Group>& groups = plan.waves[wave_of[i]].groups;
    if (groups.empty() || groups.back().kind != operation.kind || groups.back().program != operation.program) {
      groups.push_back({.kind = operation.kind, .program = operation.program, .label = operation.label});
    }
    groups.back().operations.push_back(i);
  }
  return plan;
}

program::Hash128 hash_of(const BatchPlan& plan) {
  program::Hasher hasher;
  hasher.add(std::uint64_t{plan.waves.size()});
  for (const Wave& wave : plan.waves) {
    hasher.add(std::uint64_t{wave.groups.size()});
    for (const Group& group : wave.groups) {
      hasher.add(static_cast<std::uint64_t>(group.kind)).add(std::uint64_t{group.program}).add(group.label);
      hasher.add(group.operations);
    }
  }
  return hasher.finish();
}

std::string to_text(const BatchPlan& plan) {
  std::string text =
      fmt::format("{} in {}: {} placed, {} avoided\n", quantity(plan.operations(), "operation"),
                  quantity(plan.waves.size(), "wave"), quantity(plan.barriers(), "barrier"), plan.barriers_avoided());
  for (std::size_t i = 0; i < plan.waves.size(); ++i) {
    text += fmt::format("wave {}\n", i);
    for (const Group& group : plan.waves[i].groups) {
      text += fmt::format("  {} × {}: {}\n", group.operations.size(), describe(group), to_runs(group.operations));
    }
  }
  return text;
}

}  // namespace vyre::plan
