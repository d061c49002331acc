#include <vyre/program/forms/waiting_loops.hpp>

#include <algorithm>
#include <map>
#include <span>
#include <unordered_set>
#include <vector>

#include <vyre/program/reflect.hpp>
#include <vyre/program/spirv/cfg.hpp>
#include <vyre/program/spirv/opcodes.hpp>

namespace vyre::program::forms {
namespace {

using spirv::ControlFlow;
using spirv::Function;
using spirv::Instruction;

/// Whether an instruction derives a pointer to a part of what another pointer points to, or copies a pointer.
bool is_part(spv::Op op) { return spirv::is_access_chain(op) || op == spv::OpCopyObject; }

bool is_volatile_buffer(const KernelFacts& facts, Id pointer) {
  const Id origin = facts.origins[pointer];
  const auto found = facts.buffer_of.find(origin);
  if (found == facts.buffer_of.end()) return false;
  return facts.module.decoration(origin, spv::DecorationVolatile) ||
         std::ranges::any_of(facts.module.decorations(facts.buffers[found->second].block),
                             [](const spirv::Decoration& each) { return each.kind == spv::DecorationVolatile; });
}

/// The operation by which an instruction sees writes of other invocations; empty if it does not. A compare-and-swap and
/// an atomic that counts up or down do not count, because a loop around one ends without help from other invocations.
std::string watches(const KernelFacts& facts, const Instruction& instruction, spirv::Constants& constants) {
  const spv::Op op = instruction.op();
  if (op == spv::OpLoad || op == spv::OpCopyMemory) {
    const bool is_load = op == spv::OpLoad;
    // A copy may have a second mask after the operands of the first. An operand that is mistaken for a mask does no
    // harm.
    const std::span<const std::uint32_t> all = instruction.operands();
    const std::span<const std::uint32_t> masks =
        is_load ? all.subspan(1, std::min<std::size_t>(all.size() - 1, 1)) : all.subspan(2);
    const bool is_volatile =
        is_volatile_buffer(facts, all[is_load ? 0 : 1]) ||
        std::ranges::any_of(masks, [](std::uint32_t mask) { return (mask & spv::MemoryAccessVolatileMask) != 0; });
    return is_volatile ? "a volatile " + std::string{instruction.name()} : "";
  }
  if (!spirv::is_atomic(op) || op == spv::OpAtomicCompareExchange || op == spv::OpAtomicCompareExchangeWeak) return {};
  if (op == spv::OpAtomicIIncrement || op == spv::OpAtomicIDecrement) return {};
  if (op == spv::OpAtomicIAdd || op == spv::OpAtomicISub) {
    const auto step = constants.number(instruction.operand(3));
    if (step && *step != 0) return {};
  }
  return std::string{instruction.name()};
}

/// Finds the branches that decide whether a block runs.
class Control {
 public:
  Control(const Function& function, const ControlFlow& flow) : blocks_{function.blocks.size()}, flow_{flow} {
    // The blocks that end the function.
    for (std::uint32_t i = 0; i < blocks_; ++i) {
      if (flow_.immediate_dominator(i) != ControlFlow::kNone && flow_.successors(i).empty()) ends_.push_back(i);
    }
    const std::vector<bool> ending = before_end(ControlFlow::kNone);
    for (std::uint32_t i = 0; i < blocks_; ++i) {
      if (flow_.immediate_dominator(i) != ControlFlow::kNone && !ending[i]) always_ends_ = false;
    }
  }

  /// Whether the end can be reached from every block. If not, nothing is known of the branches.
  [[nodiscard]] bool is_known() const { return always_ends_; }

  /// The branches that decide whether a block runs: one target always leads to it, and another may not.
  [[nodiscard]] const std::vector<std::uint32_t>& of(std::uint32_t block) {
    const auto [found, is_new] = controls_.try_emplace(block);
    if (!is_new) return found->second;
    const std::vector<bool> avoids = before_end(block);
    for (std::uint32_t i = 0; i < blocks_; ++i) {
      if (flow_.successors(i).size() < 2 || (!avoids[i] && i != block)) continue;
      const bool leads_there =
          std::ranges::any_of(flow_.successors(i), [&](std::uint32_t next) { return !avoids[next]; });
      if (leads_there) found->second.push_back(i);
    }
    return found->second;
  }

 private:
  /// The blocks from which an end can be reached without passing the block `without`.
  [[nodiscard]] std::vector<bool> before_end(std::uint32_t without) const {
    std::vector<bool> found(blocks_, false);
    std::vector<std::uint32_t> open;
    const auto reach = [&](std::uint32_t block) {
      if (block == without || found[block]) return;
      found[block] = true;
      open.push_back(block);
    };
    for (const std::uint32_t end : ends_) reach(end);
    while (!open.empty()) {
      const std::uint32_t block = open.back();
      open.pop_back();
      for (const std::uint32_t before : flow_.predecessors(block)) reach(before);
    }
    return found;
  }

  std::size_t blocks_;
  const ControlFlow& flow_;
  std::vector<std::uint32_t> ends_;
  bool always_ends_ = true;
  std::map<std::uint32_t, std::vector<std::uint32_t>> controls_;
};

/// Finds the values on which it depends whether a loop goes on, and follows each of them back to its source.
class WaitFinder {
 public:
  WaitFinder(const KernelFacts& facts, const Function& function, spirv::Constants& constants)
      : facts_{facts},
        function_{function},
        constants_{constants},
        flow_{facts.module, function},
        control_{function, flow_} {}

  [[nodiscard]] std::string find() {
    constexpr std::size_t kMostBlocks = 10'000;  // The time may grow with the square of the blocks.
    for (header_ = 0; header_ < function_.blocks.size(); ++header_) {
      const spirv::Block& block = function_.blocks[header_];
      if (block.end - block.begin < 3 || facts_.module[block.end - 2].op() != spv::OpLoopMerge) continue;
      if (function_.blocks.size() > kMostBlocks) return "something that cannot be followed";
      find_loop();
      seen_.clear();
      followed_.clear();
      decided_.clear();
      for (std::uint32_t i = 0; i < function_.blocks.size(); ++i) {
        if (!is_inside_[i] || flow_.successors(i).size() < 2) continue;
        const bool leaves =
            std::ranges::any_of(flow_.successors(i), [&](std::uint32_t next) { return !is_inside_[next]; });
        if (leaves || !control_.is_known()) reach_branch(i);
      }
      if (std::string by = follow(); !by.empty()) return by;
    }
    return {};
  }

 private:
  /// Finds the blocks of the loop: those from which its next iteration can be reached.
  void find_loop() {
    is_inside_.assign(function_.blocks.size(), false);
    is_inside_[header_] = true;
    std::vector<std::uint32_t> open{header_};
    while (!open.empty()) {
      const std::uint32_t block = open.back();
      open.pop_back();
      for (const std::uint32_t before : flow_.predecessors(block)) {
        if (is_inside_[before] || !flow_.dominates(header_, before)) continue;
        is_inside_[before] = true;
        open.push_back(before);
      }
    }
  }

  [[nodiscard]] bool is_inside(std::size_t instruction) const {
    if (instruction < function_.begin || instruction >= function_.end) return false;
    const std::uint32_t block = flow_.block_of_instruction(instruction);
    return block != ControlFlow::kNone && is_inside_[block];
  }

  /// Notes that the loop depends on a value.
  void reach(Id id) {
    if (seen_.insert(id).second) open_.push_back(id);
  }

  void reach_branch(std::uint32_t block) {
    reach(facts_.module[function_.blocks[block].end - 1].operand(0));
    reach_block(block);
  }

  /// Notes that the loop depends on whether a block runs.
  void reach_block(std::uint32_t block) {
    if (!control_.is_known() || block == ControlFlow::kNone) return;
    std::vector<std::uint32_t> open{block};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (!is_inside_[at] || !decided_.insert(at).second) continue;
      for (const std::uint32_t by : control_.of(at)) {
        if (is_inside_[by]) reach(facts_.module[function_.blocks[by].end - 1].operand(0));
        open.push_back(by);
      }
    }
  }

  /// Notes that the loop depends on the contents of a variable.
  void reach_variable(Id pointer) {
    while (is_part(facts_.module.definition_op(pointer))) pointer = facts_.module.definition(pointer)->operand(0);
    if (facts_.module.definition_op(pointer) != spv::OpVariable || facts_.buffer_of.contains(pointer)) return;
    if (followed_.insert(pointer).second) variables_.push_back(pointer);
  }

  [[nodiscard]] std::string follow() {
    std::string found;
    while (found.empty() && (!open_.empty() || !variables_.empty())) {
      std::vector<Id>& from = open_.empty() ? variables_ : open_;
      const Id id = from.back();
      const bool is_variable = open_.empty();
      from.pop_back();
      found = is_variable ? stored_watches(id) : computed_watches(id);
    }
    return found;
  }

  [[nodiscard]] std::string computed_watches(Id id) {
    const std::size_t index = facts_.module.definition_index(id);
    if (!is_inside(index)) return {};
    const Instruction instruction = facts_.module[index];
    if (std::string own = watches(facts_, instruction, constants_); !own.empty()) return own;
    if (instruction.op() == spv::OpFunctionCall) return passed_watches(instruction, index);
    if (instruction.op() == spv::OpLoad) {
      reach_variable(instruction.operand(0));
      return {};
    }
    if (instruction.op() == spv::OpPhi) reach_ways(instruction);
    for_each_used_id(facts_.module, instruction, [&](Id used) { reach(used); });
    return {};
  }

  /// Notes that the loop depends on which predecessor a phi takes its value from.
  void reach_ways(const Instruction& phi) {
    for (std::size_t i = 1; i < phi.operands().size(); i += 2) {
      const std::uint32_t from = flow_.block_of_label(phi.operand(i));
      if (from == ControlFlow::kNone || !is_inside_[from]) continue;
      if (flow_.successors(from).size() > 1) {
        reach_branch(from);
      } else {
        reach_block(from);
      }
    }
  }

  /// Looks at everything that may change a variable: stores to it or its parts, and functions that use it.
  [[nodiscard]] std::string stored_watches(Id variable) {
    std::vector<Id> parts{variable};
    while (!parts.empty()) {
      const Id part = parts.back();
      parts.pop_back();
      for (const std::uint32_t use : facts_.module.uses(part)) {
        if (use < function_.begin || use >= function_.end) continue;
        const Instruction instruction = facts_.module[use];
        if (is_part(instruction.op())) parts.push_back(instruction.result());
        if (!is_inside(use)) continue;
        if (std::string found = written_watches(instruction, use, part); !found.empty()) return found;
      }
    }
    // A global variable, which every function may change.
    const bool is_global = facts_.module.definition_index(variable) < facts_.module.global_count();
    for (std::size_t i = function_.begin; is_global && i < function_.end; ++i) {
      const Instruction call = facts_.module[i];
      if (call.op() != spv::OpFunctionCall || !is_inside(i) || !has(call.operand(0), variable)) continue;
      if (std::string found = passed_watches(call, i); !found.empty()) return found;
    }
    return {};
  }

  /// Looks at what an instruction of the loop may store through a pointer.
  [[nodiscard]] std::string written_watches(const Instruction& instruction, std::size_t index, Id pointer) {
    switch (instruction.op()) {
      case spv::OpStore:
        if (instruction.operand(0) != pointer) return {};
        reach(instruction.operand(1));
        reach_block(flow_.block_of_instruction(index));
        return {};
      case spv::OpCopyMemory:
        if (instruction.operand(0) != pointer) return {};
        reach_variable(instruction.operand(1));
        reach_block(flow_.block_of_instruction(index));
        return watches(facts_, instruction, constants_);
      case spv::OpFunctionCall:
      case spv::OpExtInst: return passed_watches(instruction, index);
      default: return {};
    }
  }

  /// Looks at the result of a call, which may depend on anything that the function reads or is given.
  [[nodiscard]] std::string passed_watches(const Instruction& call, std::size_t index) {
    reach_block(flow_.block_of_instruction(index));
    for_each_used_id(facts_.module, call, [&](Id used) {
      if (facts_.storage(used)) {
        reach_variable(used);
      } else {
        reach(used);
      }
    });
    return call.op() == spv::OpFunctionCall ? called_watches(call.operand(0)) : "";
  }

  [[nodiscard]] std::string called_watches(Id function) const {
    for (const Function* each : reachable_functions(facts_.module, function)) {
      for (std::size_t i = each->begin; i < each->end; ++i) {
        if (std::string own = watches(facts_, facts_.module[i], constants_); !own.empty()) return own;
      }
    }
    return {};
  }

  /// Whether a function, or one that it calls, uses a variable.
  [[nodiscard]] bool has(Id function, Id variable) const {
    const auto functions = reachable_functions(facts_.module, function);
    return std::ranges::any_of(facts_.module.uses(variable), [&](std::uint32_t use) {
      return std::ranges::any_of(functions,
                                 [&](const Function* each) { return use >= each->begin && use < each->end; });
    });
  }

  const KernelFacts& facts_;
  const Function& function_;
  spirv::Constants& constants_;
  ControlFlow flow_;
  Control control_;

  // The loop that is being looked at.
  std::uint32_t header_ = 0;
  std::vector<bool> is_inside_;                // By block.
  std::unordered_set<Id> seen_;                // Values.
  std::unordered_set<Id> followed_;            // Variables.
  std::vector<Id> open_;                       // The values still to be followed,
  std::vector<Id> variables_;                  // and the variables.
  std::unordered_set<std::uint32_t> decided_;  // Blocks.
};

}  // namespace

std::string find_wait(const KernelFacts& facts, const Function& function, spirv::Constants& constants) {
  return WaitFinder{facts, function, constants}.find();
}

}  // namespace vyre::program::forms
