#include <vyre/program/live_code.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

namespace vyre::program {
namespace {

using spirv::Block;
using spirv::Constants;
using spirv::ConstantValue;
using spirv::Function;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

/// Conditions with deeper expressions count as undecided.
constexpr int kMaxDepth = 32;
/// The most rounds. A round uses the live blocks of the previous one to decide phis, and may find fewer of them live.
/// More rounds than this would help only for conditions nested deeper than kernels have them.
constexpr int kMostRounds = 8;

/// The live blocks of one function.
class LiveBlocks {
 public:
  LiveBlocks(const Module& module, const Function& function, Constants& constants)
      : module_{module}, function_{function}, constants_{constants}, is_live_(function.blocks.size(), true) {}

  /// Whether each block is live.
  const std::vector<bool>& find() {
    for (int round = 0; round < kMostRounds; ++round) {
      values_.clear();
      std::vector<bool> reached = reach();
      if (reached == is_live_) break;
      is_live_ = std::move(reached);
    }
    return is_live_;
  }

 private:
  std::vector<bool> reach() {
    std::vector<bool> reached(function_.blocks.size(), false);
    std::vector<std::uint32_t> open;
    const auto visit = [&](std::uint32_t block) {
      if (block >= reached.size() || reached[block]) return;
      reached[block] = true;
      open.push_back(block);
    };
    visit(0);
    while (!open.empty()) {
      const std::uint32_t block = open.back();
      open.pop_back();
      for_each_target(block, [&](Id label) { visit(module_.block_of_label(label)); });
    }
    return reached;
  }

  /// Calls `visit` with each label that may follow a block.
  template <typename Visit>
  void for_each_target(std::uint32_t index, Visit visit) {
    const Block& block = function_.blocks[index];
    if (block.end <= block.begin) return;
    const Instruction branch = module_[block.end - 1];
    switch (branch.op()) {
      case spv::OpBranch: visit(branch.operand(0)); break;
      case spv::OpBranchConditional: {
        const auto condition = value(branch.operand(0), 0);
        if (!condition || condition->bits != 0) visit(branch.operand(1));
        if (!condition || condition->bits == 0) visit(branch.operand(2));
        break;
      }
      case spv::OpSwitch: {
        const auto selector = value(branch.operand(0), 0);
        const bool is_wide = module_.has_wide_literals(branch);
        const std::span<const std::uint32_t> cases = branch.operands().subspan(branch.operands().size() < 2 ? 0 : 2);
        const std::size_t size = is_wide ? 3 : 2;
        bool is_found = false;
        for (std::size_t i = 0; i + size <= cases.size(); i += size) {
          const std::uint64_t literal = cases[i] | (is_wide ? std::uint64_t{cases[i + 1]} << 32 : 0);
          const bool is_taken = selector && spirv::cut_to_width(literal, selector->width) == selector->bits;
          is_found = is_found || is_taken;
          if (!selector || is_taken) visit(cases[i + size - 1]);
        }
        if (!is_found) visit(branch.operand(1));
        break;
      }
      default: break;
    }
  }

  /// The value of an id in every invocation, if the specialisation decides it.
  std::optional<ConstantValue> value(Id id, int depth) {
    if (const auto constant = constants_.value(id)) return constant;
    const std::size_t index = module_.definition_index(id);
    if (depth > kMaxDepth || index < function_.begin || index >= function_.end) return std::nullopt;
    if (const auto known = values_.find(id); known != values_.end()) return known->second;
    values_[id] = std::nullopt;  // If evaluation comes back to this id, it is in a cycle, and undecided.
    return values_[id] = evaluate(module_[index], depth);
  }

  std::optional<ConstantValue> evaluate(const Instruction& instruction, int depth) {
    if (instruction.op() == spv::OpPhi) return evaluate_phi(instruction, depth);
    const auto shape = spirv::scalar_shape(module_, instruction.type());
    std::array<ConstantValue, 3> operands = {};
    const std::span<const std::uint32_t> ids = instruction.operands();
    if (!shape || ids.empty() || ids.size() > operands.size()) return std::nullopt;
    bool is_known = true;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto operand = value(ids[i], depth + 1);
      // A false operand decides an `and`, a true one an `or`, whatever the other operand is.
      const bool is_absorbing = operand && ((instruction.op() == spv::OpLogicalAnd && operand->bits == 0) ||
                                            (instruction.op() == spv::OpLogicalOr && operand->bits != 0));
      if (is_absorbing) return operand;
      if (operand) operands[i] = *operand;
      is_known = is_known && operand;
    }
    if (!is_known) return std::nullopt;
    return spirv::fold(instruction.op(), std::span{operands}.first(ids.size()), shape->width, shape->is_signed);
  }

  std::optional<ConstantValue> evaluate_phi(const Instruction& phi, int depth) {
    std::optional<ConstantValue> all;
    const std::span<const std::uint32_t> operands = phi.operands();
    for (std::size_t i = 0; i + 1 < operands.size(); i += 2) {
      if (!is_left(operands[i + 1])) continue;
      const auto each = value(operands[i], depth + 1);
      if (!each || (all && *all != *each)) return std::nullopt;
      all = each;
    }
    return all;
  }

  /// Whether the block of a label was live in the previous round.
  bool is_left(Id label) const {
    const std::uint32_t block = module_.block_of_label(label);
    return block >= is_live_.size() || is_live_[block];
  }

  const Module& module_;
  const Function& function_;
  Constants& constants_;
  std::vector<bool> is_live_;
  std::unordered_map<Id, std::optional<ConstantValue>> values_;
};

}  // namespace

std::vector<bool> find_live_code(const Module& module, Id entry, Constants& constants) {
  std::vector<bool> is_live(module.size(), false);
  std::fill_n(is_live.begin(), module.global_count(), true);
  std::vector<bool> seen(module.functions().size(), false);
  std::vector<const Function*> open;
  const auto reach = [&](Id id) {
    const Function* function = module.function(id);
    if (function == nullptr) return;
    const auto index = static_cast<std::size_t>(function - module.functions().data());
    if (seen[index]) return;
    seen[index] = true;
    open.push_back(function);
  };
  reach(entry);
  while (!open.empty()) {
    const Function& function = *open.back();
    open.pop_back();
    const std::vector<bool> blocks = LiveBlocks{module, function, constants}.find();
    const std::uint32_t first = function.blocks.empty() ? function.end : function.blocks.front().begin;
    for (std::uint32_t i = function.begin; i < first; ++i) is_live[i] = true;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (!blocks[b]) continue;
      for (std::uint32_t i = function.blocks[b].begin; i < function.blocks[b].end; ++i) {
        is_live[i] = true;
        if (module[i].op() == spv::OpFunctionCall) reach(module[i].operand(0));
      }
    }
  }
  return is_live;
}

}  // namespace vyre::program
