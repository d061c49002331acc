#include <vyre/program/access.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <spirv/unified1/GLSL.std.450.h>

namespace vyre::program {
namespace {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

/// Passes the accesses through each pointer on to the pointer that it was derived from, until nothing changes.
///
/// An access has two bits that are only ever set, so every pointer is visited at most three times.
class AccessFlow {
 public:
  explicit AccessFlow(const Module& module) : module_{module}, access_(module.id_bound(), Access::None) {
    // If a global variable is initialised with a pointer, anything that reads the variable may use the pointer.
    for (std::size_t i = 0; i < module.global_count(); ++i) {
      if (module[i].op() == spv::OpVariable && module[i].operand(1) != 0) escape(module[i].operand(1));
    }
  }

  void add_function(const spirv::Function& function, const std::vector<bool>& is_live) {
    for (std::size_t i = function.begin; i < function.end; ++i) {
      if (is_live[i]) add(module_[i], function);
    }
  }

  std::vector<Access> solve() && {
    std::ranges::sort(edges_);
    std::vector<Id> pending;
    for (const auto& [derived, source] : edges_) {
      if (access_[derived] != Access::None && (pending.empty() || pending.back() != derived))
        pending.push_back(derived);
    }
    while (!pending.empty()) {
      const Id derived = pending.back();
      pending.pop_back();
      for (const auto& [_, source] : std::ranges::equal_range(edges_, derived, {}, &Edge::first)) {
        const Access joined = access_[source] | access_[derived];
        if (joined == access_[source]) continue;
        access_[source] = joined;
        pending.push_back(source);
      }
    }
    return std::move(access_);
  }

 private:
  using Edge = std::pair<Id, Id>;  // The derived pointer, and the one that it was derived from.

  void touch(Id pointer, Access access) { access_[pointer] = access_[pointer] | access; }
  void derive(Id derived, Id source) { edges_.emplace_back(derived, source); }
  [[nodiscard]] bool is_pointer(Id id) const {
    return module_.definition_op(module_.type_of(id)) == spv::OpTypePointer;
  }

  void add(const Instruction& instruction, const spirv::Function& function) {
    const Id first = instruction.operand(0);
    switch (instruction.op()) {
      case spv::OpLoad: touch(first, Access::Read); break;
      case spv::OpStore:
        touch(first, Access::Write);
        escape(instruction.operand(1));
        break;
      case spv::OpCopyMemory:
      case spv::OpCopyMemorySized:
        touch(first, Access::Write);
        touch(instruction.operand(1), Access::Read);
        break;
      case spv::OpVariable:
        if (instruction.operand(1) != 0) escape(instruction.operand(1));
        break;
      case spv::OpAtomicLoad: touch(first, Access::Read); break;
      case spv::OpAtomicStore: touch(first, Access::Write); break;
      case spv::OpCooperativeMatrixLoadNV: touch(first, Access::Read); break;
      case spv::OpCooperativeMatrixStoreNV: touch(first, Access::Write); break;
      case spv::OpAccessChain:
      case spv::OpInBoundsAccessChain:
      case spv::OpPtrAccessChain:
      case spv::OpInBoundsPtrAccessChain:
      case spv::OpCopyObject: derive(instruction.result(), first); break;
      case spv::OpSelect:
        if (!is_pointer(instruction.result())) break;
        derive(instruction.result(), instruction.operand(1));
        derive(instruction.result(), instruction.operand(2));
        break;
      case spv::OpPhi:
        if (!is_pointer(instruction.result())) break;
        for (std::size_t i = 0; i + 1 < instruction.operands().size(); i += 2) {
          derive(instruction.result(), instruction.operand(i));
        }
        break;
      case spv::OpFunctionCall: add_call(instruction); break;
      case spv::OpReturnValue:
        // An access of a caller through the result is an access through the returned pointer.
        if (is_pointer(first)) derive(function.id, first);
        break;
      case spv::OpExtInst: add_extended(instruction); break;
      case spv::OpArrayLength:
      case spv::OpPtrEqual:
      case spv::OpPtrNotEqual:
      case spv::OpPtrDiff:
      case spv::OpLabel:
      case spv::OpLine: break;
      default:
        if (!computes(instruction.op())) escape_all(instruction);
    }
  }

  /// Whether an operation takes numbers and gives numbers: no pointer can be among its operands.
  [[nodiscard]] static bool computes(spv::Op op) {
    return (op >= spv::OpVectorExtractDynamic && op <= spv::OpVectorShuffle) || op == spv::OpTranspose ||
           (op >= spv::OpConvertFToU && op <= spv::OpQuantizeToF16) ||
           (op >= spv::OpSNegate && op <= spv::OpFUnordGreaterThanEqual) ||
           (op >= spv::OpShiftRightLogical && op <= spv::OpBitCount) || (op >= spv::OpLoopMerge && op <= spv::OpSwitch);
  }

  void add_call(const Instruction& call) {
    const spirv::Function* callee = module_.function(call.operand(0));
    const std::span<const std::uint32_t> arguments = call.operands().subspan(1);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!is_pointer(arguments[i])) continue;
      if (callee != nullptr && i < callee->parameters.size()) {
        derive(callee->parameters[i], arguments[i]);
      } else {
        touch(arguments[i], Access::ReadWrite);
      }
    }
    if (is_pointer(call.result())) derive(call.result(), call.operand(0));
  }

  void add_extended(const Instruction& instruction) {
    const std::optional<Instruction> set = module_.definition(instruction.operand(0));
    const std::string_view name = set ? set->string(0) : "";
    if (name.starts_with("NonSemantic.")) return;
    const bool stores = name == "GLSL.std.450" &&
                        (instruction.operand(1) == GLSLstd450Modf || instruction.operand(1) == GLSLstd450Frexp);
    if (stores) {
      touch(instruction.operand(3), Access::Write);
    } else {
      escape_all(instruction);
    }
  }

  void escape(Id id) {
    if (is_pointer(id)) touch(id, Access::ReadWrite);
  }
  void escape_all(const Instruction& instruction) {
    for_each_used_id(module_, instruction, [this](Id id) { escape(id); });
  }

  const Module& module_;
  std::vector<Access> access_;
  std::vector<Edge> edges_;
};

}  // namespace

std::vector<Access> derive_access(const Module& module, std::span<const spirv::Function* const> functions,
                                  const std::vector<bool>& is_live) {
  AccessFlow flow{module};
  for (const spirv::Function* function : functions) flow.add_function(*function, is_live);
  return std::move(flow).solve();
}

}  // namespace vyre::program
