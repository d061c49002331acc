#include <vyre/program/spirv/cfg.hpp>

#include <algorithm>
#include <numeric>
#include <ranges>

namespace vyre::program::spirv {
namespace {

/// A block on the way of a walk, and which of its successors is next.
struct Visit {
  std::uint32_t block;
  std::size_t next;
};

}  // namespace

ControlFlow::Lists::Lists(std::size_t blocks, std::span<const Edge> edges)
    : first_(blocks + 1, 0), entries_(edges.size()) {
  for (const Edge& edge : edges) ++first_[edge.from];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  for (const Edge& edge : std::views::reverse(edges)) entries_[--first_[edge.from]] = edge.to;
}

ControlFlow::ControlFlow(const Module& module, const Function& function) : module_{module}, function_{function} {
  const std::size_t count = function.blocks.size();
  std::vector<Edge> edges;
  edges.reserve(2 * count);
  for (std::uint32_t block = 0; block < count; ++block) add_edges(block, edges);
  successors_ = Lists{count, edges};
  for (Edge& edge : edges) std::swap(edge.from, edge.to);
  predecessors_ = Lists{count, edges};
  find_dominators();
  number_dominator_tree();
}

std::uint32_t ControlFlow::block_of_label(Id label) const {
  if (module_.definition_op(label) != spv::OpLabel) return kNone;
  const std::uint32_t block = module_.block_of_label(label);
  return block < function_.blocks.size() && function_.blocks[block].label == label ? block : kNone;
}

std::uint32_t ControlFlow::block_of_instruction(std::size_t index) const {
  const auto after = std::ranges::upper_bound(function_.blocks, index, {}, &Block::begin);
  if (after == function_.blocks.begin() || index >= std::prev(after)->end) return kNone;
  return static_cast<std::uint32_t>(after - function_.blocks.begin() - 1);
}

bool ControlFlow::dominates(std::uint32_t a, std::uint32_t b) const {
  if (dominators_[a] == kNone || dominators_[b] == kNone) return false;
  return enter_[a] <= enter_[b] && leave_[b] <= leave_[a];
}

void ControlFlow::add_edges(std::uint32_t block, std::vector<Edge>& edges) const {
  const Instruction last = module_[function_.blocks[block].end - 1];
  const std::size_t before = edges.size();
  const auto add = [&](Id label) {
    const std::uint32_t target = block_of_label(label);
    if (target != kNone) edges.push_back({.from = block, .to = target});
  };
  switch (last.op()) {
    case spv::OpBranch: add(last.operand(0)); break;
    case spv::OpBranchConditional:
      add(last.operand(1));
      if (last.operand(2) != last.operand(1)) add(last.operand(2));
      break;
    case spv::OpSwitch: {
      const std::size_t step = module_.has_wide_literals(last) ? 3 : 2;
      add(last.operand(1));
      for (std::size_t i = 1 + step; i < last.operands().size(); i += step) add(last.operand(i));
      const auto own = std::ranges::subrange(edges.begin() + static_cast<std::ptrdiff_t>(before), edges.end());
      std::ranges::sort(own, {}, &Edge::to);
      const auto repeated = std::ranges::unique(own, {}, &Edge::to);
      edges.erase(repeated.begin(), repeated.end());
      break;
    }
    default: break;
  }
}

// Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm".
void ControlFlow::find_dominators() {
  const std::size_t count = function_.blocks.size();
  dominators_.assign(count, kNone);
  if (count == 0) return;

  std::vector<std::uint32_t> number(count, kNone);
  std::vector<bool> seen(count, false);
  std::vector<Visit> stack{{.block = 0, .next = 0}};
  seen[0] = true;
  while (!stack.empty()) {
    Visit& visit = stack.back();
    if (visit.next < successors(visit.block).size()) {
      const std::uint32_t successor = successors(visit.block)[visit.next++];
      if (!seen[successor]) {
        seen[successor] = true;
        stack.push_back({.block = successor, .next = 0});
      }
      continue;
    }
    number[visit.block] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(visit.block);
    stack.pop_back();
  }

  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (number[a] < number[b]) a = dominators_[a];
      while (number[b] < number[a]) b = dominators_[b];
    }
    return a;
  };
  dominators_[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t block : order_ | std::views::reverse | std::views::drop(1)) {
      std::uint32_t dominator = kNone;
      for (const std::uint32_t predecessor : predecessors(block)) {
        if (dominators_[predecessor] == kNone) continue;
        dominator = dominator == kNone ? predecessor : meet(predecessor, dominator);
      }
      if (dominator == dominators_[block]) continue;
      dominators_[block] = dominator;
      changed = true;
    }
  }
}

void ControlFlow::number_dominator_tree() {
  const std::size_t count = function_.blocks.size();
  enter_.assign(count, 0);
  leave_.assign(count, 0);
  if (count == 0) return;
  std::vector<Edge> edges;
  edges.reserve(order_.size());
  for (const std::uint32_t block : order_) {
    if (block != 0) edges.push_back({.from = dominators_[block], .to = block});
  }
  const Lists children{count, edges};
  std::uint32_t clock = 0;
  std::vector<Visit> stack{{.block = 0, .next = 0}};
  enter_[0] = clock++;
  while (!stack.empty()) {
    Visit& visit = stack.back();
    if (visit.next < children.of(visit.block).size()) {
      const std::uint32_t child = children.of(visit.block)[visit.next++];
      enter_[child] = clock++;
      stack.push_back({.block = child, .next = 0});
      continue;
    }
    leave_[visit.block] = clock++;
    stack.pop_back();
  }
}

}  // namespace vyre::program::spirv
