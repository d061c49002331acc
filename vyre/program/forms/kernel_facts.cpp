#include <vyre/program/forms/kernel_facts.hpp>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <vyre/program/reflect.hpp>
#include <vyre/program/spirv/cfg.hpp>

namespace vyre::program::forms {
namespace {

using spirv::Function;
using spirv::Instruction;
using spirv::Module;

std::string label(const Module& module, Id id) {
  const std::string_view name = module.name(id);
  return name.empty() ? fmt::format("%{}", id) : fmt::format("'{}'", name);
}

/// Follows pointers from the variables they begin at.
class OriginFinder {
 public:
  explicit OriginFinder(KernelFacts& facts) : facts_{facts} { facts.origins.assign(facts.module.id_bound(), 0); }

  void solve() {
    for (const BufferVariable& buffer : facts_.buffers) facts_.origins[buffer.id] = buffer.id;
    if (facts_.push != 0) facts_.origins[facts_.push] = facts_.push;
    // Each round carries origins further along calls and loops; an origin changes at most twice.
    for (bool changed = true; changed;) {
      changed = false;
      for (const Function* function : facts_.functions) {
        for (std::size_t i = function->begin; i < function->end; ++i) {
          changed = add(facts_.module[i], *function) || changed;
        }
      }
    }
  }

 private:
  bool join(Id to, Id from) {
    const Id origin = facts_.origins[from];
    Id& known = facts_.origins[to];
    if (origin == 0 || known == KernelFacts::kUnknown || known == origin) return false;
    known = known == 0 ? origin : KernelFacts::kUnknown;
    return true;
  }

  bool add(const Instruction& instruction, const Function& function) {
    const Id result = instruction.result();
    switch (instruction.op()) {
      case spv::OpAccessChain:
      case spv::OpInBoundsAccessChain:
      case spv::OpPtrAccessChain:
      case spv::OpCopyObject: return join(result, instruction.operand(0));
      case spv::OpSelect: {
        const bool first = join(result, instruction.operand(1));
        return join(result, instruction.operand(2)) || first;
      }
      case spv::OpPhi: {
        bool changed = false;
        for (std::size_t i = 0; i + 1 < instruction.operands().size(); i += 2) {
          changed = join(result, instruction.operand(i)) || changed;
        }
        return changed;
      }
      case spv::OpLoad:
        if (!facts_.is_buffer_pointer(result) || facts_.origins[result] == KernelFacts::kUnknown) return false;
        facts_.origins[result] = KernelFacts::kUnknown;
        return true;
      case spv::OpReturnValue: return join(function.id, instruction.operand(0));
      case spv::OpFunctionCall: {
        bool changed = join(result, instruction.operand(0));
        const Function* callee = facts_.module.function(instruction.operand(0));
        const std::span<const std::uint32_t> arguments = instruction.operands().subspan(1);
        for (std::size_t i = 0; callee != nullptr && i < std::min(arguments.size(), callee->parameters.size()); ++i) {
          changed = join(callee->parameters[i], arguments[i]) || changed;
        }
        return changed;
      }
      default: return false;
    }
  }

  KernelFacts& facts_;
};

Result<void> add_buffer(KernelFacts& facts, const Instruction& variable, spirv::Constants& constants) {
  const Module& module = facts.module;
  BufferVariable buffer{.id = variable.result(),
                        .block = facts.pointee(variable.result()),
                        .set = module.decoration(variable.result(), spv::DecorationDescriptorSet).value_or(0),
                        .slot = module.decoration(variable.result(), spv::DecorationBinding).value_or(0)};
  if (module.definition_op(buffer.block) == spv::OpTypeArray) {
    const Instruction array = *module.definition(buffer.block);
    buffer.is_array = true;
    buffer.block = array.operand(0);
    const auto length = constants.number(array.operand(1));
    constexpr std::uint64_t kMostBuffers = 65'536;
    if (!length || *length == 0 || *length > kMostBuffers) {
      return refuse(fmt::format("the array of buffers {} has {} elements, the limit is {}", label(module, buffer.id),
                                length.value_or(0), kMostBuffers));
    }
    buffer.count = static_cast<std::uint32_t>(*length);
  }
  const auto block = module.definition(buffer.block);
  if (!block || block->op() != spv::OpTypeStruct || block->operands().empty()) {
    return refuse(fmt::format("the buffer {} is no structure, nor an array of them", label(module, buffer.id)));
  }
  const auto last = static_cast<std::uint32_t>(block->operands().size() - 1);
  const Id last_type = block->operand(last);
  if (module.definition_op(last_type) == spv::OpTypeRuntimeArray) {
    buffer.array_offset = module.decoration(buffer.block, spv::DecorationOffset, last).value_or(0);
    buffer.array_stride = module.decoration(last_type, spv::DecorationArrayStride).value_or(0);
    if (buffer.array_stride == 0) {
      return refuse(fmt::format("the runtime array of the buffer {} has no stride", label(module, buffer.id)));
    }
  }
  facts.buffers.push_back(buffer);
  return {};
}

void number_entries(KernelFacts& facts) {
  std::ranges::sort(facts.buffers, {}, [&](const BufferVariable& buffer) {
    return std::tuple{buffer.set, buffer.slot, facts.module.definition_index(buffer.id)};
  });
  std::uint32_t entry = 0;
  std::uint32_t range = 0;
  for (std::size_t i = 0; i < facts.buffers.size();) {
    // Those that share a binding share its ranges.
    std::uint32_t count = 0;
    const std::pair place{facts.buffers[i].set, facts.buffers[i].slot};
    for (; i < facts.buffers.size() && std::pair{facts.buffers[i].set, facts.buffers[i].slot} == place; ++i) {
      BufferVariable& buffer = facts.buffers[i];
      buffer.first_entry = entry;
      buffer.first_range = range;
      entry += buffer.count;
      count = std::max(count, buffer.count);
      facts.buffer_of.emplace(buffer.id, i);
    }
    range += count;
  }
}

bool is_atomic(spv::Op op) {
  return (op >= spv::OpAtomicLoad && op <= spv::OpAtomicXor) || op == spv::OpAtomicFlagTestAndSet ||
         op == spv::OpAtomicFAddEXT || op == spv::OpAtomicFMinEXT || op == spv::OpAtomicFMaxEXT;
}

/// Finds loops that wait for others: whose way out hangs on a value that others change meanwhile.
class SpinFinder {
 public:
  SpinFinder(const KernelFacts& facts, const Function& function, spirv::Constants& constants)
      : facts_{facts}, function_{function}, constants_{constants}, flow_{facts.module, function} {}

  /// The operation by which a loop waits; empty if none does.
  [[nodiscard]] std::string find() {
    for (header_ = 0; header_ < function_.blocks.size(); ++header_) {
      const spirv::Block& block = function_.blocks[header_];
      if (block.end - block.begin < 3) continue;
      const Instruction merge = facts_.module[block.end - 2];
      if (merge.op() != spv::OpLoopMerge) continue;
      exit_ = flow_.block_of_label(merge.operand(0));
      for (std::uint32_t i = 0; i < function_.blocks.size(); ++i) {
        const Instruction branch = facts_.module[function_.blocks[i].end - 1];
        if (branch.op() != spv::OpBranchConditional && branch.op() != spv::OpSwitch) continue;
        if (!is_inside(i)) continue;
        seen_.clear();
        if (std::string by = waits_by(branch.operand(0), 0); !by.empty()) return by;
      }
    }
    return {};
  }

 private:
  [[nodiscard]] bool is_inside(std::uint32_t block) const {
    return block != spirv::ControlFlow::kNone && flow_.dominates(header_, block) &&
           (exit_ == spirv::ControlFlow::kNone || !flow_.dominates(exit_, block));
  }

  [[nodiscard]] std::string waits_by(Id id, int depth) {
    constexpr int kMaxDepth = 64;
    constexpr std::size_t kMostSteps = 2'000;
    if (std::ranges::find(seen_, id) != seen_.end()) return {};
    if (depth > kMaxDepth || seen_.size() > kMostSteps) return "something that cannot be followed";
    seen_.push_back(id);
    const std::size_t index = facts_.module.definition_index(id);
    if (index < function_.begin || index >= function_.end) return {};
    if (!is_inside(flow_.block_of_instruction(index))) return {};
    const Instruction instruction = facts_.module[index];
    if (std::string own = watches(facts_, instruction, constants_); !own.empty()) return own;
    if (instruction.op() == spv::OpFunctionCall) {
      if (std::string inner = called_watches(instruction.operand(0)); !inner.empty()) return inner;
    }
    if (instruction.op() == spv::OpLoad) return stored_waits(instruction.operand(0), depth);
    std::string found;
    for_each_used_id(facts_.module, instruction, [&](Id used) {
      if (found.empty()) found = waits_by(used, depth + 1);
    });
    return found;
  }

  /// Through a variable, what is stored to it counts, and what a function that gets it does.
  [[nodiscard]] std::string stored_waits(Id variable, int depth) {
    while (facts_.module.definition_op(variable) == spv::OpAccessChain) {
      variable = facts_.module.definition(variable)->operand(0);
    }
    if (facts_.module.definition_op(variable) != spv::OpVariable || facts_.buffer_of.contains(variable)) return {};
    for (const std::uint32_t use : facts_.module.uses(variable)) {
      if (use < function_.begin || use >= function_.end) continue;
      const Instruction instruction = facts_.module[use];
      std::string found;
      if (instruction.op() == spv::OpStore && instruction.operand(0) == variable) {
        found = waits_by(instruction.operand(1), depth + 1);
      } else if (instruction.op() == spv::OpFunctionCall && is_inside(flow_.block_of_instruction(use))) {
        found = called_watches(instruction.operand(0));
      }
      if (!found.empty()) return found;
    }
    return {};
  }

  [[nodiscard]] std::string called_watches(Id function) const {
    for (const Function* each : reachable_functions(facts_.module, function)) {
      for (std::size_t i = each->begin; i < each->end; ++i) {
        if (std::string own = watches(facts_, facts_.module[i], constants_); !own.empty()) return own;
      }
    }
    return {};
  }

  /// By what an instruction sees what others do meanwhile, other than by bringing them further: a loop around a
  /// compare-and-swap, or one that counts up, ends by itself.
  static std::string watches(const KernelFacts& facts, const Instruction& instruction, spirv::Constants& constants) {
    const spv::Op op = instruction.op();
    if (op == spv::OpLoad) {
      const bool is_volatile = (instruction.operand(1) & spv::MemoryAccessVolatileMask) != 0;
      return is_volatile || is_volatile_buffer(facts, instruction.operand(0)) ? "a volatile OpLoad" : "";
    }
    if (!is_atomic(op) || op == spv::OpAtomicCompareExchange || op == spv::OpAtomicCompareExchangeWeak) return {};
    if (op == spv::OpAtomicIIncrement || op == spv::OpAtomicIDecrement) return {};
    if (op == spv::OpAtomicIAdd || op == spv::OpAtomicISub) {
      const auto step = constants.number(instruction.operand(3));
      if (step && *step != 0) return {};
    }
    return std::string{instruction.name()};
  }

  [[nodiscard]] static bool is_volatile_buffer(const KernelFacts& facts, Id pointer) {
    const Id origin = facts.origins[pointer];
    const auto found = facts.buffer_of.find(origin);
    if (found == facts.buffer_of.end()) return false;
    return facts.module.decoration(origin, spv::DecorationVolatile) ||
           std::ranges::any_of(facts.module.decorations(facts.buffers[found->second].block),
                               [](const spirv::Decoration& each) { return each.kind == spv::DecorationVolatile; });
  }

  const KernelFacts& facts_;
  const Function& function_;
  spirv::Constants& constants_;
  spirv::ControlFlow flow_;
  std::uint32_t header_ = 0;
  std::uint32_t exit_ = 0;
  std::vector<Id> seen_;
};

/// The built-ins that a one-launch form sets itself.
constexpr std::array kOwnBuiltIns = {spv::BuiltInWorkgroupId, spv::BuiltInNumWorkgroups, spv::BuiltInGlobalInvocationId,
                                     spv::BuiltInLocalInvocationId, spv::BuiltInLocalInvocationIndex};

Result<void> check_built_ins(const KernelFacts& facts) {
  for (const spv::BuiltIn each : kOwnBuiltIns) {
    const auto found = facts.built_ins.find(each);
    if (found == facts.built_ins.end()) continue;
    for (const std::uint32_t use : facts.module.uses(found->second)) {
      if (!facts.is_reached[use]) continue;
      const Instruction instruction = facts.module[use];
      const bool is_chain = instruction.op() == spv::OpAccessChain || instruction.op() == spv::OpInBoundsAccessChain;
      bool is_plain = instruction.op() == spv::OpLoad;
      if (is_chain) {
        is_plain = std::ranges::all_of(facts.module.uses(instruction.result()), [&](std::uint32_t next) {
          return !facts.is_reached[next] || facts.module[next].op() == spv::OpLoad;
        });
      }
      if (!is_plain) {
        return refuse(fmt::format("the address of the built-in {} goes into {}",
                                  enumerant_name(spirv::OperandKind::BuiltIn, each), instruction.name()));
      }
    }
  }
  return {};
}

}  // namespace

std::unexpected<Error> refuse(std::string message) { return fail(ErrorCode::Unsupported, std::move(message)); }

Id KernelFacts::pointee(Id pointer) const {
  const auto type = module.definition(module.type_of(pointer));
  return type && type->op() == spv::OpTypePointer ? type->operand(1) : 0;
}

std::optional<std::uint32_t> KernelFacts::storage(Id pointer) const {
  const auto type = module.definition(module.type_of(pointer));
  if (!type || type->op() != spv::OpTypePointer) return std::nullopt;
  return type->operand(0);
}

bool KernelFacts::is_buffer_pointer(Id id) const {
  const std::optional<std::uint32_t> where = storage(id);
  return where == spv::StorageClassStorageBuffer || where == spv::StorageClassUniform ||
         where == spv::StorageClassPushConstant;
}

bool KernelFacts::is_used(Id id) const {
  return std::ranges::any_of(module.uses(id), [this](std::uint32_t use) { return is_reached[use]; });
}

Result<KernelFacts> find_facts(const Module& module, const Interface& interface, spirv::Constants& constants) {
  VYRE_ASSIGN(const Instruction entry, find_entry_point(module, interface.entry_point));
  KernelFacts facts{.module = module, .entry = entry, .functions = reachable_functions(module, entry.operand(1))};
  facts.is_reached.assign(module.size(), false);
  for (const Function* function : facts.functions) {
    std::fill(facts.is_reached.begin() + function->begin, facts.is_reached.begin() + function->end, true);
  }
  for (std::size_t i = 0; i < module.global_count(); ++i) {
    const Instruction variable = module[i];
    if (variable.op() != spv::OpVariable || !facts.is_used(variable.result())) continue;
    switch (variable.operand(0)) {
      case spv::StorageClassStorageBuffer:
      case spv::StorageClassUniform: VYRE_TRY(add_buffer(facts, variable, constants)); break;
      case spv::StorageClassPushConstant:
        if (facts.push != 0) return refuse("the kernel uses two push-constant blocks");
        facts.push = variable.result();
        break;
      case spv::StorageClassInput:
        if (const auto which = module.decoration(variable.result(), spv::DecorationBuiltIn)) {
          facts.built_ins.emplace(*which, variable.result());
        }
        break;
      case spv::StorageClassPrivate:
      case spv::StorageClassWorkgroup: break;
      default:
        return refuse(fmt::format("the variable {} has storage class {}", label(module, variable.result()),
                                  enumerant_name(spirv::OperandKind::StorageClass, variable.operand(0))));
    }
  }
  number_entries(facts);
  OriginFinder{facts}.solve();
  return facts;
}

Result<void> check_one_launch(const KernelFacts& facts, FormKind kind, spirv::Constants& constants) {
  VYRE_TRY(check_built_ins(facts));
  const Module& module = facts.module;
  for (std::size_t i = 0; i < module.global_count(); ++i) {
    const Instruction variable = module[i];
    if (variable.op() != spv::OpVariable || variable.operands().size() < 2 || !facts.is_used(variable.result()))
      continue;
    if (variable.operand(0) == spv::StorageClassWorkgroup && kind == FormKind::Persistent) {
      return refuse(
          fmt::format("the workgroup variable {} is initialised in each workgroup", label(module, variable.result())));
    }
    if (variable.operand(0) == spv::StorageClassPrivate &&
        module.definition_op(variable.operand(1)) == spv::OpVariable) {
      return refuse(fmt::format("the private variable {} begins as an address", label(module, variable.result())));
    }
  }
  for (const Function* function : facts.functions) {
    for (std::size_t i = function->begin; i < function->end; ++i) {
      if (module[i].op() != spv::OpControlBarrier) continue;
      const auto scope = constants.number(module[i].operand(0));
      const bool is_narrow =
          scope == spv::ScopeWorkgroup || scope == spv::ScopeSubgroup || scope == spv::ScopeInvocation;
      if (!is_narrow) return refuse("OpControlBarrier waits for more than its workgroup");
    }
    if (const std::string by = SpinFinder{facts, *function, constants}.find(); !by.empty()) {
      return refuse(fmt::format("a loop of {} waits for another invocation, by {}", label(module, function->id), by));
    }
  }
  return {};
}

bool can_fold(const KernelFacts& facts, const Interface& interface) {
  if (interface.uses_barriers || interface.uses_subgroups || interface.shared_bytes > 0) return false;
  constexpr std::array kOfSubgroups = {spv::BuiltInSubgroupId, spv::BuiltInNumSubgroups, spv::BuiltInSubgroupSize,
                                       spv::BuiltInSubgroupLocalInvocationId};
  return std::ranges::none_of(kOfSubgroups, [&](spv::BuiltIn each) { return facts.built_ins.contains(each); });
}

}  // namespace vyre::program::forms
