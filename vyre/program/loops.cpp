#include <vyre/program/loops.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include <vyre/base/u128.hpp>
#include <vyre/program/saturating.hpp>
#include <vyre/program/spirv/cfg.hpp>

namespace vyre::program {
namespace {

using spirv::Constants;
using spirv::ConstantValue;
using spirv::ControlFlow;
using spirv::Function;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

constexpr int kMaxExpressionDepth = 16;
/// A counter that is shifted or multiplied is simulated for at most this number of iterations; with 64 bits it ends
/// earlier.
constexpr std::uint64_t kMaxSimulatedTrips = 256;
/// Nothing is proven in functions with more blocks: the time to find dominators can grow with the square of their
/// number.
constexpr std::size_t kMaxBlocks = 16'384;
constexpr std::size_t kMaxFunctionName = 256;

/// A loop of the control flow. The members are blocks.
struct LoopBlocks {
  std::uint32_t header = 0;
  std::uint32_t merge = 0;
  std::uint32_t latch = 0;    ///< The one block that jumps back.
  std::uint32_t outside = 0;  ///< The one block that enters.
};

/// The counter of a loop: a phi of its header, or a variable with a single store in the loop.
struct Counter {
  LoopBlocks loop = {};
  Id id = 0;              ///< The phi or the variable.
  std::size_t store = 0;  ///< The store's index; unused for a phi.
  Id next = 0;            ///< The value of the next iteration.
  ConstantValue start = {};
};

/// A linear function of the counter with slope one: counter + offset.
struct Affine {
  std::uint64_t offset = 0;
};

class LoopBounds {
 public:
  LoopBounds(const Module& module, const Function& function, Constants& constants, std::uint64_t& effort)
      : module_{module}, function_{function}, constants_{constants}, effort_{effort}, flow_{module, function} {}

  /// The most iterations of all loops in a call of the function. `cost_of(callee)` gives those of a call of another
  /// one.
  template <typename CostOf>
  std::optional<std::uint64_t> iterations(CostOf cost_of) {
    struct Bounded {
      LoopBlocks blocks;
      std::uint64_t trips;
    };
    std::vector<Bounded> loops;
    for (std::uint32_t block = 0; block < function_.blocks.size(); ++block) {
      const std::optional<Instruction> merge = loop_merge(block);
      if (!merge || flow_.immediate_dominator(block) == ControlFlow::kNone) continue;
      const std::optional<std::uint64_t> trips = bound(block, *merge);
      if (!trips) return std::nullopt;
      loops.push_back({.blocks = {.header = block, .merge = flow_.block_of_label(merge->operand(0))}, .trips = *trips});
    }
    // How often a block runs at most: the product of the bounds of all loops around it.
    const auto times = [&](std::uint32_t block) {
      std::uint64_t count = 1;
      for (const Bounded& loop : loops) {
        if (block != loop.blocks.header && is_inside(loop.blocks, block)) {
          count = saturating_mul(count, saturating_add(loop.trips, 1));
        }
      }
      return count;
    };
    std::uint64_t sum = 0;
    for (const Bounded& loop : loops) {
      if (!spend()) return std::nullopt;
      sum = saturating_add(sum, saturating_mul(times(loop.blocks.header), saturating_add(loop.trips, 1)));
    }
    for (std::uint32_t block = 0; block < function_.blocks.size(); ++block) {
      for (std::size_t i = function_.blocks[block].begin; i < function_.blocks[block].end; ++i) {
        if (module_[i].op() != spv::OpFunctionCall) continue;
        const std::optional<std::uint64_t> callee = cost_of(module_[i].operand(0));
        if (!callee) return std::nullopt;
        if (*callee != 0) sum = saturating_add(sum, saturating_mul(times(block), *callee));
      }
    }
    return sum == std::numeric_limits<std::uint64_t>::max() ? std::nullopt : std::optional{sum};
  }

  std::vector<Loop> all() {
    std::vector<Loop> loops;
    for (std::uint32_t block = 0; block < function_.blocks.size(); ++block) {
      const std::optional<Instruction> merge = loop_merge(block);
      if (!merge || flow_.immediate_dominator(block) == ControlFlow::kNone) continue;
      loops.push_back({.function = std::string{module_.name(function_.id).substr(0, kMaxFunctionName)},
                       .max_trips = bound(block, *merge)});
    }
    return loops;
  }

 private:
  /// Uses up one step of the budget. False if none is left; then nothing more is proven.
  [[nodiscard]] bool spend() {
    if (effort_ == 0) return false;
    --effort_;
    return true;
  }

  [[nodiscard]] Instruction terminator(std::uint32_t block) const { return module_[function_.blocks[block].end - 1]; }

  [[nodiscard]] std::optional<Instruction> loop_merge(std::uint32_t block) const {
    const spirv::Block& range = function_.blocks[block];
    if (range.end - range.begin < 3) return std::nullopt;
    const Instruction merge = module_[range.end - 2];
    return merge.op() == spv::OpLoopMerge ? std::optional{merge} : std::nullopt;
  }

  [[nodiscard]] bool is_inside(const LoopBlocks& loop, std::uint32_t block) const {
    return flow_.dominates(loop.header, block) && !flow_.dominates(loop.merge, block);
  }

  /// Whether a block is in the loop and not in an inner loop, so that it runs at most once per iteration.
  [[nodiscard]] bool is_directly_inside(const LoopBlocks& loop, std::uint32_t block) {
    if (!is_inside(loop, block)) return false;
    for (std::uint32_t at = block; at != loop.header; at = flow_.immediate_dominator(at)) {
      if (!spend()) return false;
      const std::optional<Instruction> merge = loop_merge(at);
      if (!merge) continue;
      const std::uint32_t end = flow_.block_of_label(merge->operand(0));
      if (end == ControlFlow::kNone || !flow_.dominates(end, block)) return false;
    }
    return true;
  }

  std::optional<std::uint64_t> bound(std::uint32_t header, const Instruction& merge) {
    LoopBlocks loop{.header = header, .merge = flow_.block_of_label(merge.operand(0))};
    if (loop.merge == ControlFlow::kNone) return std::nullopt;
    const std::span<const std::uint32_t> entries = flow_.predecessors(header);
    // If the loop never ends, its merge block is unreachable and has no dominator, so that is not checked.
    if (entries.size() != 2) return std::nullopt;
    loop.latch = flow_.dominates(header, entries[0]) ? entries[0] : entries[1];
    loop.outside = loop.latch == entries[0] ? entries[1] : entries[0];
    if (!flow_.dominates(header, loop.latch) || flow_.dominates(header, loop.outside)) return std::nullopt;

    // Every iteration that continues runs the blocks on the path from the latch to the header in the dominator tree, so
    // a test in one of them bounds the loop.
    std::optional<std::uint64_t> best;
    for (std::uint32_t block = loop.latch;; block = flow_.immediate_dominator(block)) {
      if (const std::optional<std::uint64_t> trips = bound_of_test(loop, block)) {
        best = std::min(best.value_or(*trips), *trips);
      }
      if (block == loop.header || !spend()) break;
    }
    return best;
  }

  /// The bound that the branch at the end of a block sets, if it can leave the loop.
  std::optional<std::uint64_t> bound_of_test(const LoopBlocks& loop, std::uint32_t block) {
    const Instruction branch = terminator(block);
    if (branch.op() != spv::OpBranchConditional) return std::nullopt;
    const auto stays = [&](Id label) {
      const std::uint32_t target = flow_.block_of_label(label);
      return target != ControlFlow::kNone && is_inside(loop, target);
    };
    const bool stays_if_true = stays(branch.operand(1));
    if (stays_if_true == stays(branch.operand(2))) return std::nullopt;
    const std::optional<std::uint64_t> stays_count = count_stays(loop, branch.operand(0), stays_if_true, 0);
    if (!stays_count || *stays_count == std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
    return *stays_count + (is_before_body(loop, block) ? 0 : 1);
  }

  /// Whether the test at the end of a block comes before the body: on a straight path from the header, with only reads
  /// before it.
  [[nodiscard]] bool is_before_body(const LoopBlocks& loop, std::uint32_t block) {
    for (std::uint32_t at = loop.header;; at = flow_.successors(at)[0]) {
      if (at == loop.latch || !has_no_effect(at)) return false;
      if (at == block) return true;
      if (terminator(at).op() != spv::OpBranch || flow_.successors(at).empty()) return false;
    }
  }

  [[nodiscard]] bool has_no_effect(std::uint32_t block) {
    for (std::size_t i = function_.blocks[block].begin; i < function_.blocks[block].end; ++i) {
      const spv::Op op = module_[i].op();
      const bool computes = op == spv::OpLoad || op == spv::OpPhi || op == spv::OpAccessChain ||
                            op == spv::OpInBoundsAccessChain || op == spv::OpArrayLength || op == spv::OpSelect ||
                            (op >= spv::OpConvertFToU && op <= spv::OpBitcast) ||
                            (op >= spv::OpSNegate && op <= spv::OpFUnordGreaterThanEqual) ||
                            (op >= spv::OpShiftRightLogical && op <= spv::OpBitCount) ||
                            (op >= spv::OpVectorExtractDynamic && op <= spv::OpTranspose);
      const bool steers = op == spv::OpLabel || op == spv::OpLoopMerge || op == spv::OpSelectionMerge ||
                          op == spv::OpBranch || op == spv::OpBranchConditional || op == spv::OpLine ||
                          op == spv::OpNoLine;
      if (!spend() || !(computes || steers)) return false;
    }
    return true;
  }

  /// For how many iterations in a row the condition makes the loop continue.
  std::optional<std::uint64_t> count_stays(const LoopBlocks& loop, Id condition, bool stays_if, int depth) {
    const std::optional<Instruction> test = module_.definition(condition);
    if (!test || depth > kMaxExpressionDepth || !spend()) return std::nullopt;
    if (test->op() == spv::OpLogicalNot) return count_stays(loop, test->operand(0), !stays_if, depth + 1);
    const bool either_leaves = test->op() == (stays_if ? spv::OpLogicalAnd : spv::OpLogicalOr);
    if (either_leaves) {
      const auto a = count_stays(loop, test->operand(0), stays_if, depth + 1);
      const auto b = count_stays(loop, test->operand(1), stays_if, depth + 1);
      return a && b ? std::min(a, b) : (a ? a : b);
    }
    const std::optional<Counter> counter = find_counter(loop, condition, depth);
    if (!counter) return std::nullopt;
    if (const auto count = count_affine(*test, *counter, stays_if)) return count;
    return simulate(condition, *counter, stays_if);
  }

  // Finding the counter.

  std::optional<Counter> find_counter(const LoopBlocks& loop, Id expression, int depth) {
    const std::optional<Instruction> node = module_.definition(expression);
    if (!node || depth > kMaxExpressionDepth || !spend()) return std::nullopt;
    if (node->op() == spv::OpPhi) return phi_counter(loop, *node);
    if (node->op() == spv::OpLoad) return variable_counter(loop, node->operand(0));
    if (module_.definition_index(expression) < module_.global_count()) return std::nullopt;
    if (node->operands().size() > 3) return std::nullopt;
    for (const Id operand : node->operands()) {
      if (const std::optional<Counter> counter = find_counter(loop, operand, depth + 1)) return counter;
    }
    return std::nullopt;
  }

  std::optional<Counter> phi_counter(const LoopBlocks& loop, const Instruction& phi) {
    if (flow_.block_of_instruction(module_.definition_index(phi.result())) != loop.header) return std::nullopt;
    Counter counter{.loop = loop, .id = phi.result()};
    std::optional<ConstantValue> start;
    for (std::size_t i = 0; i + 1 < phi.operands().size(); i += 2) {
      const std::uint32_t from = flow_.block_of_label(phi.operand(i + 1));
      if (from == loop.latch) counter.next = phi.operand(i);
      if (from == loop.outside) start = constants_.value(phi.operand(i));
    }
    if (!start || counter.next == 0) return std::nullopt;
    counter.start = *start;
    return counter;
  }

  std::optional<Counter> variable_counter(const LoopBlocks& loop, Id variable) {
    if (module_.definition_op(variable) != spv::OpVariable) return std::nullopt;
    if (flow_.block_of_instruction(module_.definition_index(variable)) == ControlFlow::kNone) return std::nullopt;
    Counter counter{.loop = loop, .id = variable};
    for (const std::uint32_t index : module_.uses(variable)) {
      if (!spend()) return std::nullopt;
      const Instruction use = module_[index];
      if (index < module_.global_count() || use.op() == spv::OpLoad) continue;
      if (use.op() != spv::OpStore || use.operand(0) != variable)
        return std::nullopt;  // Another instruction may change the variable.
      const std::uint32_t block = flow_.block_of_instruction(index);
      if (block == ControlFlow::kNone || !is_inside(loop, block)) continue;
      const bool once = is_directly_inside(loop, block) && flow_.dominates(block, loop.latch);
      if (counter.next != 0 || !once) return std::nullopt;
      counter.store = index;
      counter.next = use.operand(1);
    }
    const std::optional<ConstantValue> start = value_before(loop.outside, variable);
    if (!start || counter.next == 0) return std::nullopt;
    counter.start = *start;
    return counter;
  }

  /// The constant that a variable holds at the end of a block.
  std::optional<ConstantValue> value_before(std::uint32_t block, Id variable) {
    for (std::size_t steps = 0; steps < function_.blocks.size(); ++steps) {
      const spirv::Block& range = function_.blocks[block];
      for (std::size_t i = range.end; i-- > range.begin;) {
        if (!spend()) return std::nullopt;
        const Instruction instruction = module_[i];
        if (instruction.op() == spv::OpStore && instruction.operand(0) == variable) {
          return constants_.value(instruction.operand(1));
        }
        if (instruction.op() == spv::OpVariable && instruction.result() == variable) {
          return instruction.operand(1) != 0 ? constants_.value(instruction.operand(1)) : std::nullopt;
        }
      }
      const std::span<const std::uint32_t> before = flow_.predecessors(block);
      if (before.size() != 1) return std::nullopt;
      block = before[0];
    }
    return std::nullopt;
  }

  // Evaluating expressions of the counter.

  /// Whether a load of the counter comes after its store in the same iteration; nothing if that is uncertain.
  [[nodiscard]] std::optional<bool> is_after_store(std::size_t load, const Counter& counter) const {
    const std::uint32_t load_block = flow_.block_of_instruction(load);
    const std::uint32_t store_block = flow_.block_of_instruction(counter.store);
    if (load_block == ControlFlow::kNone || !is_inside(counter.loop, load_block)) return std::nullopt;
    if (load_block == store_block) return load > counter.store;
    if (flow_.dominates(store_block, load_block)) return true;
    if (flow_.dominates(load_block, store_block)) return false;
    return std::nullopt;
  }

  /// What a leaf of an expression stands for: the counter (0), or the expression for its value in the next iteration.
  [[nodiscard]] std::optional<Id> leaf_of(Id expression, const Instruction& node, const Counter& counter) const {
    if (expression == counter.id) return 0;
    if (node.op() != spv::OpLoad || node.operand(0) != counter.id || counter.store == 0) return std::nullopt;
    const std::optional<bool> after = is_after_store(module_.definition_index(expression), counter);
    if (!after) return std::nullopt;
    return *after ? counter.next : 0;
  }

  std::optional<Affine> affine(Id expression, const Counter& counter, int depth) {
    const std::optional<Instruction> node = module_.definition(expression);
    if (!node || depth > kMaxExpressionDepth || !spend()) return std::nullopt;
    if (const std::optional<Id> leaf = leaf_of(expression, *node, counter)) {
      return *leaf == 0 ? std::optional{Affine{}} : affine(*leaf, counter, depth + 1);
    }
    if (node->op() == spv::OpBitcast || node->op() == spv::OpCopyObject) {
      const std::optional<ConstantValue> shape = spirv::scalar_shape(module_, node->type());
      if (!shape || shape->width != counter.start.width) return std::nullopt;
      return affine(node->operand(0), counter, depth + 1);
    }
    if (node->op() != spv::OpIAdd && node->op() != spv::OpISub) return std::nullopt;
    const std::optional<std::uint64_t> right = constants_.number(node->operand(1));
    const std::optional<std::uint64_t> left = right ? std::nullopt : constants_.number(node->operand(0));
    if (left && node->op() == spv::OpIAdd) {
      const std::optional<Affine> rest = affine(node->operand(1), counter, depth + 1);
      return rest ? std::optional{Affine{rest->offset + *left}} : std::nullopt;
    }
    if (!right) return std::nullopt;
    const std::optional<Affine> rest = affine(node->operand(0), counter, depth + 1);
    if (!rest) return std::nullopt;
    return Affine{node->op() == spv::OpIAdd ? rest->offset + *right : rest->offset - *right};
  }

  std::optional<ConstantValue> evaluate(Id expression, const Counter& counter, const ConstantValue& now, int depth) {
    if (const std::optional<ConstantValue> constant = constants_.value(expression)) return constant;
    const std::optional<Instruction> node = module_.definition(expression);
    if (!node || depth > kMaxExpressionDepth || !spend()) return std::nullopt;
    if (const std::optional<Id> leaf = leaf_of(expression, *node, counter)) {
      return *leaf == 0 ? std::optional{now} : evaluate(*leaf, counter, now, depth + 1);
    }
    const std::optional<ConstantValue> shape = spirv::scalar_shape(module_, node->type());
    std::array<ConstantValue, 2> operands{};
    if (!shape || node->operands().size() > operands.size()) return std::nullopt;
    for (std::size_t i = 0; i < node->operands().size(); ++i) {
      const std::optional<ConstantValue> operand = evaluate(node->operand(i), counter, now, depth + 1);
      if (!operand) return std::nullopt;
      operands[i] = *operand;
    }
    return spirv::fold(node->op(), std::span{operands}.first(node->operands().size()), shape->width, shape->is_signed);
  }

  /// Runs the counter until the condition leaves the loop.
  std::optional<std::uint64_t> simulate(Id condition, const Counter& counter, bool stays_if) {
    ConstantValue now = counter.start;
    for (std::uint64_t trips = 0; trips <= kMaxSimulatedTrips; ++trips) {
      const std::optional<ConstantValue> test = evaluate(condition, counter, now, 0);
      if (!test) return std::nullopt;
      if ((test->bits != 0) != stays_if) return trips;
      const std::optional<ConstantValue> next = evaluate(counter.next, counter, now, 0);
      if (!next || next->width != now.width) return std::nullopt;
      now.bits = next->bits;
    }
    return std::nullopt;
  }

  /// Computes the same without running, for a counter with a constant step that is compared with a constant.
  std::optional<std::uint64_t> count_affine(const Instruction& test, const Counter& counter, bool stays_if);

  const Module& module_;
  const Function& function_;
  Constants& constants_;
  std::uint64_t& effort_;
  ControlFlow flow_;
};

/// A comparison in the form "continue while value < limit" or "value > limit", for numbers that do not wrap.
struct Comparison {
  enum class Kind : std::uint8_t { Below, Above, NotEqual };
  Kind kind = Kind::Below;
  bool is_signed = false;
  bool or_equal = false;
};

std::optional<Comparison> to_comparison(spv::Op op) {
  using enum Comparison::Kind;
  switch (op) {
    case spv::OpULessThan: return Comparison{Below, false, false};
    case spv::OpULessThanEqual: return Comparison{Below, false, true};
    case spv::OpSLessThan: return Comparison{Below, true, false};
    case spv::OpSLessThanEqual: return Comparison{Below, true, true};
    case spv::OpUGreaterThan: return Comparison{Above, false, false};
    case spv::OpUGreaterThanEqual: return Comparison{Above, false, true};
    case spv::OpSGreaterThan: return Comparison{Above, true, false};
    case spv::OpSGreaterThanEqual: return Comparison{Above, true, true};
    case spv::OpINotEqual: return Comparison{NotEqual, false, false};
    default: return std::nullopt;
  }
}

/// The comparison that holds exactly when the given one does not.
std::optional<Comparison> negated(Comparison comparison) {
  using enum Comparison::Kind;
  if (comparison.kind == NotEqual) return std::nullopt;
  comparison.kind = comparison.kind == Below ? Above : Below;
  comparison.or_equal = !comparison.or_equal;
  return comparison;
}

__extension__ using i128 = __int128;

i128 widen(std::uint64_t bits, std::uint32_t width, bool is_signed) {
  const ConstantValue value{.bits = spirv::cut_to_width(bits, width), .width = width, .is_signed = is_signed};
  return is_signed ? i128{value.as_signed()} : static_cast<i128>(value.bits);
}

/// How many of the values first, first + step, … are below the limit (above it, for a negative step). Nothing if one of
/// them would wrap.
std::optional<std::uint64_t> count_until(i128 first, i128 step, i128 limit, i128 last_value) {
  if (first >= limit) return 0;
  if (step <= 0) return std::nullopt;
  const i128 count = (limit - first + step - 1) / step;
  if (first + count * step > last_value) return std::nullopt;  // It would wrap before it leaves.
  return static_cast<std::uint64_t>(count);
}

std::optional<std::uint64_t> LoopBounds::count_affine(const Instruction& test, const Counter& counter, bool stays_if) {
  std::optional<Comparison> comparison = to_comparison(test.op());
  if (test.op() == spv::OpIEqual && !stays_if)
    comparison = to_comparison(spv::OpINotEqual);
  else if (comparison && !stays_if)
    comparison = negated(*comparison);
  if (!comparison) return std::nullopt;

  std::optional<std::uint64_t> limit = constants_.number(test.operand(1));
  Id tested = test.operand(0);
  if (!limit) {
    limit = constants_.number(test.operand(0));
    tested = test.operand(1);
    if (comparison->kind == Comparison::Kind::Below)
      comparison->kind = Comparison::Kind::Above;
    else if (comparison->kind == Comparison::Kind::Above)
      comparison->kind = Comparison::Kind::Below;
  }
  const std::optional<Affine> value = affine(tested, counter, 0);
  const std::optional<Affine> next = affine(counter.next, counter, 0);
  if (!limit || !value || !next) return std::nullopt;

  const std::uint32_t width = counter.start.width;
  const bool is_signed = comparison->is_signed;
  const i128 step = widen(next->offset, width, true);
  const i128 first = widen(counter.start.bits + value->offset, width, is_signed);
  const i128 end = widen(*limit, width, is_signed);
  const i128 largest = is_signed ? (i128{1} << (width - 1)) - 1 : (i128{1} << width) - 1;
  const i128 smallest = is_signed ? -(i128{1} << (width - 1)) : 0;
  const i128 more = comparison->or_equal ? 1 : 0;
  switch (comparison->kind) {
    case Comparison::Kind::Below: return count_until(first, step, end + more, largest);
    case Comparison::Kind::Above: return count_until(-first, -step, -end + more, -smallest);
    case Comparison::Kind::NotEqual: {
      const i128 distance = end - first;
      if (distance == 0) return 0;
      if (step == 0 || distance % step != 0 || distance / step < 0) return std::nullopt;
      return static_cast<std::uint64_t>(distance / step);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Loop> derive_loops(const Module& module, const Function& function, Constants& constants,
                               std::uint64_t& effort) {
  const auto is_loop = [&module](const spirv::Block& block) {
    return block.end - block.begin >= 3 && module[block.end - 2].op() == spv::OpLoopMerge;
  };
  if (function.blocks.size() > kMaxBlocks) {
    const std::string name{module.name(function.id).substr(0, kMaxFunctionName)};
    const auto count = static_cast<std::size_t>(std::ranges::count_if(function.blocks, is_loop));
    return std::vector<Loop>(std::min(count, kMaxBlocks), Loop{.function = name});
  }
  const bool has_loops = std::ranges::any_of(function.blocks, is_loop);
  if (!has_loops) return {};
  return LoopBounds{module, function, constants, effort}.all();
}

std::optional<std::uint64_t> derive_iterations(const Module& module, std::span<const Function* const> functions,
                                               Constants& constants, std::uint64_t& effort) {
  // A function is computed after all functions that it calls. There is no recursion, so each round computes at least
  // one.
  std::unordered_map<Id, std::optional<std::uint64_t>> costs;
  const auto is_ready = [&](const Function& function) {
    for (std::size_t i = function.begin; i < function.end; ++i) {
      if (module[i].op() == spv::OpFunctionCall && !costs.contains(module[i].operand(0))) return false;
    }
    return true;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (const Function* function : functions) {
      if (costs.contains(function->id) || !is_ready(*function)) continue;
      progress = true;
      std::optional<std::uint64_t> cost;
      if (function->blocks.size() <= kMaxBlocks) {
        cost = LoopBounds{module, *function, constants, effort}.iterations([&](Id callee) { return costs[callee]; });
      }
      costs.emplace(function->id, cost);
    }
  }
  return functions.empty() || !costs.contains(functions[0]->id) ? std::nullopt : costs[functions[0]->id];
}

}  // namespace vyre::program
