#include <vyre/program/forms/kernel_facts.hpp>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <vyre/program/forms/waiting_loops.hpp>
#include <vyre/program/reflect.hpp>
#include <vyre/program/spirv/opcodes.hpp>

namespace vyre::program::forms {
namespace {

using spirv::Function;
using spirv::Instruction;
using spirv::Module;

std::string label(const Module& module, Id id) {
  const std::string_view name = module.name(id);
  return name.empty() ? fmt::format("%{}", id) : fmt::format("'{}'", name);
}

/// Finds for each pointer the variable from which it was derived.
class OriginFinder {
 public:
  explicit OriginFinder(KernelFacts& facts) : facts_{facts} { facts.origins.assign(facts.module.id_bound(), 0); }

  void solve() {
    for (const BufferVariable& buffer : facts_.buffers) facts_.origins[buffer.id] = buffer.id;
    if (facts_.push != 0) facts_.origins[facts_.push] = facts_.push;
    // Each round passes origins on along calls and loops. The rounds end, because an origin changes at most twice.
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

/// The size in bytes of the smallest scalar in a type.
std::uint32_t smallest_scalar(const Module& module, Id type, int depth) {
  constexpr int kMostDepth = 64;
  const auto definition = module.definition(type);
  if (!definition || depth > kMostDepth) return 1;
  switch (definition->op()) {
    case spv::OpTypeInt:
    case spv::OpTypeFloat: return std::max(definition->operand(0) / 8, 1U);
    case spv::OpTypeVector:
    case spv::OpTypeMatrix:
    case spv::OpTypeArray: return smallest_scalar(module, definition->operand(0), depth + 1);
    case spv::OpTypeStruct: {
      std::uint32_t least = 8;
      for (const Id member : definition->operands())
        least = std::min(least, smallest_scalar(module, member, depth + 1));
      return least;
    }
    default: return 1;
  }
}

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
    const std::uint32_t smallest = smallest_scalar(module, module.definition(last_type)->operand(0), 0);
    buffer.scalar_bytes = smallest == buffer.array_stride ? 0 : smallest;
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
    // Variables that share a binding also share its ranges.
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

/// The built-ins that a form for many dispatches sets itself.
constexpr std::array kOwnBuiltIns = {spv::BuiltInWorkgroupId, spv::BuiltInNumWorkgroups, spv::BuiltInGlobalInvocationId,
                                     spv::BuiltInLocalInvocationId, spv::BuiltInLocalInvocationIndex};

/// Refuses a kernel with several variables for one built-in, because the form sets only one.
Result<void> check_unique_built_ins(const KernelFacts& facts) {
  for (std::size_t i = 0; i < facts.module.global_count(); ++i) {
    const Instruction variable = facts.module[i];
    if (variable.op() != spv::OpVariable || !facts.is_used(variable.result())) continue;
    const auto which = facts.module.decoration(variable.result(), spv::DecorationBuiltIn);
    const auto found = which ? facts.built_ins.find(*which) : facts.built_ins.end();
    if (found == facts.built_ins.end() || found->second == variable.result()) continue;
    return refuse(
        fmt::format("two variables are the built-in {}", enumerant_name(spirv::OperandKind::BuiltIn, *which)));
  }
  return {};
}

Result<void> check_built_ins(const KernelFacts& facts) {
  for (const spv::BuiltIn each : kOwnBuiltIns) {
    const auto found = facts.built_ins.find(each);
    if (found == facts.built_ins.end()) continue;
    for (const std::uint32_t use : facts.module.uses(found->second)) {
      if (!facts.is_reached[use]) continue;
      const Instruction instruction = facts.module[use];
      const bool is_chain = spirv::is_access_chain(instruction.op());
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
    if (variable.op() == spv::OpMemoryModel) {
      facts.has_vulkan_memory_model = variable.operand(1) == spv::MemoryModelVulkan;
    }
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
  VYRE_TRY(check_unique_built_ins(facts));
  const Module& module = facts.module;
  for (std::size_t i = 0; i < module.global_count(); ++i) {
    const Instruction variable = module[i];
    if (variable.op() != spv::OpVariable || variable.operands().size() < 2 || !facts.is_used(variable.result()))
      continue;
    if (variable.operand(0) == spv::StorageClassWorkgroup && takes_turns(kind)) {
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
    if (const std::string by = find_wait(facts, *function, constants); !by.empty()) {
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
