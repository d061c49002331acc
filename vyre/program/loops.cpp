#include <vyre/program/loops.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include <spirv/unified1/GLSL.std.450.h>

#include <vyre/program/bound.hpp>
#include <vyre/program/spirv/cfg.hpp>
#include <vyre/program/value_bounds.hpp>

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
  Id start = 0;           ///< The value it begins with.
  ConstantValue shape = {};
};

using Index = BoundWriter::Index;

/// A linear function of the counter: counter × scale + offset. Scale and offset do not change while the loop runs.
struct Linear {
  Index scale = 0;
  Index offset = 0;
};

/// A comparison as "stay while value < limit" or "value > limit".
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

/// The comparison with its sides turned round.
Comparison mirrored(Comparison comparison) {
  using enum Comparison::Kind;
  if (comparison.kind != NotEqual) comparison.kind = comparison.kind == Below ? Above : Below;
  return comparison;
}

/// The comparison that keeps a loop going, if the test is one.
std::optional<Comparison> staying(spv::Op test, bool stays_if) {
  if (test == spv::OpIEqual) return stays_if ? std::nullopt : to_comparison(spv::OpINotEqual);
  const std::optional<Comparison> comparison = to_comparison(test);
  return comparison && !stays_if ? negated(*comparison) : comparison;
}

class LoopBounds {
 public:
  LoopBounds(LoopSearch& search, const Function& function, BoundWriter& writer)
      : module_{search.module},
        function_{function},
        constants_{search.constants},
        is_live_{search.is_live},
        effort_{search.effort},
        writer_{writer},
        flow_{search.module, function},
        values_{{.module = module_,
                 .function = function_,
                 .flow = flow_,
                 .constants = constants_,
                 .workgroup = search.workgroup,
                 .writer = writer_,
                 .effort = effort_}} {}

  /// The most iterations of all loops in a call of the function. `cost_of(callee)` gives those of a call of another
  /// one.
  template <typename CostOf>
  std::optional<Index> iterations(CostOf cost_of) {
    struct Bounded {
      LoopBlocks blocks;
      Index rounds;  // One more than its body runs.
    };
    std::vector<Bounded> loops;
    for (std::uint32_t block = 0; block < function_.blocks.size(); ++block) {
      const std::optional<Instruction> merge = loop_merge(block);
      if (!merge || !is_reached(block)) continue;
      const std::optional<Index> trips = bound(block, *merge);
      if (!trips) return std::nullopt;
      loops.push_back({.blocks = {.header = block, .merge = flow_.block_of_label(merge->operand(0))},
                       .rounds = writer_.sum(*trips, writer_.count(1))});
    }
    // How often a block runs at most: the product of the bounds of all loops around it.
    const auto times = [&](std::uint32_t block) {
      Index count = writer_.count(1);
      for (const Bounded& loop : loops) {
        if (block != loop.blocks.header && is_inside(loop.blocks, block)) count = writer_.product(count, loop.rounds);
      }
      return count;
    };
    Index sum = writer_.count(0);
    for (const Bounded& loop : loops) {
      if (!spend()) return std::nullopt;
      sum = writer_.sum(sum, writer_.product(times(loop.blocks.header), loop.rounds));
    }
    for (std::uint32_t block = 0; block < function_.blocks.size(); ++block) {
      for (std::size_t i = function_.blocks[block].begin; i < function_.blocks[block].end; ++i) {
        if (module_[i].op() != spv::OpFunctionCall || !is_live_[i]) continue;
        const std::optional<Index> callee = cost_of(module_[i].operand(0));
        if (!callee) return std::nullopt;
        if (writer_.constant_of(*callee) != 0U) sum = writer_.sum(sum, writer_.product(times(block), *callee));
      }
    }
    return writer_.constant_of(sum) == kUnbounded ? std::nullopt : std::optional{sum};
  }

  std::vector<Loop> all() {
    std::vector<Loop> loops;
    for (std::uint32_t block = 0; block < function_.blocks.size(); ++block) {
      const std::optional<Instruction> merge = loop_merge(block);
      if (!merge || !is_reached(block)) continue;
      Loop& loop = loops.emplace_back();
      loop.function = std::string{module_.name(function_.id).substr(0, kMaxFunctionName)};
      const std::optional<Index> trips = bound(block, *merge);
      if (!trips) continue;
      loop.bound = writer_.finish(*trips);
      if (loop.bound) loop.max_trips = constant_of(*loop.bound);
      if (loop.max_trips) loop.bound.reset();
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

  /// Whether the specialisation leaves a block in, and something leads to it.
  [[nodiscard]] bool is_reached(std::uint32_t block) const {
    return is_live_[function_.blocks[block].begin] && flow_.immediate_dominator(block) != ControlFlow::kNone;
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

  std::optional<Index> bound(std::uint32_t header, const Instruction& merge) {
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
    std::optional<Index> best;
    for (std::uint32_t block = loop.latch;; block = flow_.immediate_dominator(block)) {
      if (const std::optional<Index> trips = bound_of_test(loop, block)) {
        best = best ? writer_.least(*best, *trips) : *trips;
      }
      if (block == loop.header || !spend()) break;
    }
    return best;
  }

  /// The bound that the branch at the end of a block sets, if it can leave the loop.
  std::optional<Index> bound_of_test(const LoopBlocks& loop, std::uint32_t block) {
    const Instruction branch = terminator(block);
    if (branch.op() != spv::OpBranchConditional) return std::nullopt;
    const auto stays = [&](Id label) {
      const std::uint32_t target = flow_.block_of_label(label);
      return target != ControlFlow::kNone && is_inside(loop, target);
    };
    const bool stays_if_true = stays(branch.operand(1));
    if (stays_if_true == stays(branch.operand(2))) return std::nullopt;
    const std::optional<Index> stays_count = count_stays(loop, branch.operand(0), stays_if_true, 0);
    if (!stays_count || writer_.constant_of(*stays_count) == kUnbounded) return std::nullopt;
    return is_before_body(loop, block) ? *stays_count : writer_.sum(*stays_count, writer_.count(1));
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

  /// Whether it is a minimum, maximum or clamp of whole numbers.
  [[nodiscard]] bool is_extreme(const Instruction& instruction) const {
    if (instruction.op() != spv::OpExtInst) return false;
    const std::optional<Instruction> set = module_.definition(instruction.operand(0));
    const std::uint32_t which = instruction.operand(1);
    return set && set->op() == spv::OpExtInstImport && set->string(0) == "GLSL.std.450" &&
           (which == GLSLstd450UMin || which == GLSLstd450SMin || which == GLSLstd450UMax || which == GLSLstd450SMax ||
            which == GLSLstd450UClamp || which == GLSLstd450SClamp);
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
      if (!spend() || !(computes || steers || is_extreme(module_[i]))) return false;
    }
    return true;
  }

  /// For how many iterations in a row the condition makes the loop continue.
  std::optional<Index> count_stays(const LoopBlocks& loop, Id condition, bool stays_if, int depth) {
    const std::optional<Instruction> test = module_.definition(condition);
    if (!test || depth > kMaxExpressionDepth || !spend()) return std::nullopt;
    if (test->op() == spv::OpLogicalNot) return count_stays(loop, test->operand(0), !stays_if, depth + 1);
    const bool either_leaves = test->op() == (stays_if ? spv::OpLogicalAnd : spv::OpLogicalOr);
    if (either_leaves) {
      const auto a = count_stays(loop, test->operand(0), stays_if, depth + 1);
      const auto b = count_stays(loop, test->operand(1), stays_if, depth + 1);
      return a && b ? writer_.least(*a, *b) : (a ? a : b);
    }
    const std::optional<Counter> counter = find_counter(loop, condition, depth);
    if (!counter) return std::nullopt;
    if (const auto count = count_linear(*test, *counter, stays_if)) return count;
    if (const auto count = simulate(condition, *counter, stays_if)) return writer_.count(*count);
    const std::optional<std::uint64_t> count = count_shifts(*test, *counter, stays_if);
    return count ? std::optional{writer_.count(*count)} : std::nullopt;
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
    for (std::size_t i = 0; i + 1 < phi.operands().size(); i += 2) {
      const std::uint32_t from = flow_.block_of_label(phi.operand(i + 1));
      if (from == loop.latch) counter.next = phi.operand(i);
      if (from == loop.outside) counter.start = phi.operand(i);
    }
    return with_shape(counter);
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
    counter.start = value_before(loop.outside, variable).value_or(0);
    return with_shape(counter);
  }

  /// A counter whose beginning and next value are known.
  std::optional<Counter> with_shape(Counter counter) const {
    if (counter.start == 0 || counter.next == 0) return std::nullopt;
    const std::optional<ConstantValue> shape = spirv::scalar_shape(module_, module_.type_of(counter.start));
    if (!shape || shape->width < 8) return std::nullopt;
    counter.shape = *shape;
    return counter;
  }

  /// The value that a variable holds at the end of a block.
  std::optional<Id> value_before(std::uint32_t block, Id variable) {
    for (std::size_t steps = 0; steps < function_.blocks.size(); ++steps) {
      const spirv::Block& range = function_.blocks[block];
      for (std::size_t i = range.end; i-- > range.begin;) {
        if (!spend()) return std::nullopt;
        const Instruction instruction = module_[i];
        if (instruction.op() == spv::OpStore && instruction.operand(0) == variable) {
          return instruction.operand(1);
        }
        if (instruction.op() == spv::OpVariable && instruction.result() == variable) {
          return instruction.operand(1) != 0 ? std::optional{instruction.operand(1)} : std::nullopt;
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

  [[nodiscard]] Index number(std::uint64_t bits, const Counter& counter) {
    return writer_.constant(bits, counter.shape.width);
  }

  /// Two values of the counter's width, combined.
  [[nodiscard]] Index combined(BoundOp op, Index a, Index b, const Counter& counter) {
    const auto a_value = writer_.constant_of(a);
    const auto b_value = writer_.constant_of(b);
    if (op == BoundOp::Multiply && a_value == 1U) return b;
    if (b_value == (op == BoundOp::Multiply ? 1U : 0U)) return a;
    if (op == BoundOp::Add && a_value == 0U) return b;
    return writer_.operation(op, counter.shape.width, {a, b, 0});
  }

  /// Whether a value is the same in all iterations.
  bool is_steady(Id value, const LoopBlocks& loop, int depth) {
    const std::uint32_t block = flow_.block_of_instruction(module_.definition_index(value));
    if (block == ControlFlow::kNone || !is_inside(loop, block)) return true;
    const std::optional<Instruction> node = module_.definition(value);
    if (!node || depth > kMaxExpressionDepth || !spend()) return false;
    if (node->op() == spv::OpLoad) return values_.is_steady(node->operand(0));
    const bool computes = node->op() == spv::OpCopyObject || node->op() == spv::OpSelect ||
                          (node->op() >= spv::OpConvertFToU && node->op() <= spv::OpBitcast) ||
                          (node->op() >= spv::OpSNegate && node->op() <= spv::OpFUnordGreaterThanEqual) ||
                          (node->op() >= spv::OpShiftRightLogical && node->op() <= spv::OpBitCount);
    if (node->op() == spv::OpCompositeExtract) return is_steady(node->operand(0), loop, depth + 1);
    return computes &&
           std::ranges::all_of(node->operands(), [&](Id operand) { return is_steady(operand, loop, depth + 1); });
  }

  std::optional<Linear> linear(Id expression, const Counter& counter, int depth) {
    const std::optional<Instruction> node = module_.definition(expression);
    if (!node || depth > kMaxExpressionDepth || !spend()) return std::nullopt;
    if (const std::optional<Id> leaf = leaf_of(expression, *node, counter)) {
      return *leaf == 0 ? std::optional{Linear{.scale = number(1, counter), .offset = number(0, counter)}}
                        : linear(*leaf, counter, depth + 1);
    }
    const std::optional<ConstantValue> shape = spirv::scalar_shape(module_, node->type());
    if (!shape || shape->width != counter.shape.width) return std::nullopt;
    const auto both = [&](BoundOp op, const Linear& value, Index by) {
      return Linear{.scale = combined(op, value.scale, by, counter), .offset = combined(op, value.offset, by, counter)};
    };
    const Id left = node->operand(0);
    const Id right = node->operand(1);
    switch (node->op()) {
      case spv::OpBitcast:
      case spv::OpCopyObject: return linear(left, counter, depth + 1);
      case spv::OpIAdd:
      case spv::OpISub:
        if (const auto value = linear(left, counter, depth + 1); value && is_steady(right, counter.loop, 0)) {
          const BoundOp op = node->op() == spv::OpIAdd ? BoundOp::Add : BoundOp::Subtract;
          return Linear{.scale = value->scale, .offset = combined(op, value->offset, values_.of(right), counter)};
        }
        if (node->op() == spv::OpISub) return std::nullopt;
        if (const auto value = linear(right, counter, depth + 1); value && is_steady(left, counter.loop, 0)) {
          return Linear{.scale = value->scale,
                        .offset = combined(BoundOp::Add, value->offset, values_.of(left), counter)};
        }
        return std::nullopt;
      case spv::OpIMul:
        if (const auto value = linear(left, counter, depth + 1); value && is_steady(right, counter.loop, 0)) {
          return both(BoundOp::Multiply, *value, values_.of(right));
        }
        if (const auto value = linear(right, counter, depth + 1); value && is_steady(left, counter.loop, 0)) {
          return both(BoundOp::Multiply, *value, values_.of(left));
        }
        return std::nullopt;
      case spv::OpShiftLeftLogical: {
        const std::optional<std::uint64_t> by = constants_.number(right);
        const auto value = by && *by < shape->width ? linear(left, counter, depth + 1) : std::nullopt;
        return value ? std::optional{both(BoundOp::Multiply, *value, number(std::uint64_t{1} << *by, counter))}
                     : std::nullopt;
      }
      default: return std::nullopt;
    }
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
    const std::optional<ConstantValue> start = constants_.value(counter.start);
    if (!start) return std::nullopt;
    ConstantValue now = *start;
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

  /// The same in closed form, for a linear function of the counter that is compared with a limit.
  std::optional<Index> count_linear(const Instruction& test, const Counter& counter, bool stays_if) {
    const std::optional<Comparison> comparison = staying(test.op(), stays_if);
    if (!comparison) return std::nullopt;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const std::optional<Linear> value = linear(test.operand(side), counter, 0);
      if (!value) continue;
      const std::optional<Linear> next = linear(counter.next, counter, 0);
      if (!next || writer_.constant_of(next->scale) != 1U) return std::nullopt;
      const Comparison turned = side == 0 ? *comparison : mirrored(*comparison);
      const Index start = combined(BoundOp::Multiply, values_.of(counter.start), value->scale, counter);
      const Index first = combined(BoundOp::Add, start, value->offset, counter);
      const Index step = combined(BoundOp::Multiply, next->offset, value->scale, counter);
      const Index limit = values_.of(test.operand(1 - side));
      const BoundOp op = turned.kind == Comparison::Kind::Below   ? BoundOp::StepsBelow
                         : turned.kind == Comparison::Kind::Above ? BoundOp::StepsAbove
                                                                  : BoundOp::StepsUnequal;
      const Index count =
          writer_.operation(op, 64, {first, step, limit},
                            (turned.is_signed ? BoundNode::kSigned : 0) | (turned.or_equal ? BoundNode::kOrEqual : 0));
      return writer_.constant_of(count) == kUnbounded ? std::nullopt : std::optional{count};
    }
    return std::nullopt;
  }

  /// How often a positive counter can be shifted down, or divided, until nothing is left of it.
  std::optional<std::uint64_t> count_shifts(const Instruction& test, const Counter& counter, bool stays_if) {
    const std::optional<Comparison> comparison = staying(test.op(), stays_if);
    const std::optional<Instruction> next = module_.definition(counter.next);
    if (!comparison || !next || comparison->kind == Comparison::Kind::Below) return std::nullopt;
    const std::optional<Instruction> tested = module_.definition(test.operand(0));
    const std::optional<std::uint64_t> limit = constants_.number(test.operand(1));
    if (!tested || !limit || leaf_of(test.operand(0), *tested, counter) != Id{0}) return std::nullopt;
    const std::uint32_t width = counter.shape.width;
    const bool is_negative = comparison->is_signed && (*limit >> (width - 1) & 1) != 0;
    const bool is_positive = comparison->kind == Comparison::Kind::NotEqual
                                 ? *limit == 0 && next->op() != spv::OpShiftRightArithmetic
                                 : !is_negative && (!comparison->or_equal || *limit > 0);
    const std::optional<Instruction> shifted = module_.definition(next->operand(0));
    const std::optional<std::uint64_t> by = constants_.number(next->operand(1));
    const bool is_counter = shifted && leaf_of(next->operand(0), *shifted, counter) == Id{0};
    if (!is_positive || !is_counter || !by) return std::nullopt;
    const bool is_shift = next->op() == spv::OpShiftRightLogical || next->op() == spv::OpShiftRightArithmetic;
    if (is_shift && *by > 0 && *by < width) return (width + *by - 1) / *by;
    return next->op() == spv::OpUDiv && *by > 1 ? std::optional<std::uint64_t>{width} : std::nullopt;
  }

  const Module& module_;
  const Function& function_;
  Constants& constants_;
  const std::vector<bool>& is_live_;
  std::uint64_t& effort_;
  BoundWriter& writer_;
  ControlFlow flow_;
  ValueBounds values_;
};

}  // namespace

std::vector<Loop> derive_loops(LoopSearch& search, const Function& function) {
  const auto is_loop = [&](const spirv::Block& block) {
    return block.end - block.begin >= 3 && search.module[block.end - 2].op() == spv::OpLoopMerge;
  };
  if (function.blocks.size() > kMaxBlocks) {
    const std::string name{search.module.name(function.id).substr(0, kMaxFunctionName)};
    const auto count = static_cast<std::size_t>(std::ranges::count_if(function.blocks, is_loop));
    return std::vector<Loop>(std::min(count, kMaxBlocks), Loop{.function = name});
  }
  const bool has_loops = std::ranges::any_of(function.blocks, is_loop);
  if (!has_loops) return {};
  BoundWriter writer;
  return LoopBounds{search, function, writer}.all();
}

std::optional<Bound> derive_iterations(LoopSearch& search, std::span<const Function* const> functions) {
  // A function is computed after all functions that it calls. There is no recursion, so each round computes at least
  // one.
  BoundWriter writer;
  std::unordered_map<Id, std::optional<Index>> costs;
  const auto is_ready = [&](const Function& function) {
    for (std::size_t i = function.begin; i < function.end; ++i) {
      if (search.module[i].op() == spv::OpFunctionCall && !costs.contains(search.module[i].operand(0))) return false;
    }
    return true;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (const Function* function : functions) {
      if (costs.contains(function->id) || !is_ready(*function)) continue;
      progress = true;
      std::optional<Index> cost;
      if (function->blocks.size() <= kMaxBlocks) {
        cost = LoopBounds{search, *function, writer}.iterations([&](Id callee) { return costs[callee]; });
      }
      costs.emplace(function->id, cost);
    }
  }
  if (functions.empty() || !costs.contains(functions[0]->id)) return std::nullopt;
  const std::optional<Index> all = costs[functions[0]->id];
  return all ? writer.finish(*all) : std::nullopt;
}

}  // namespace vyre::program
