#include <vyre/program/reflect.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vyre/program/access.hpp>
#include <vyre/program/bindings.hpp>
#include <vyre/program/kept.hpp>
#include <vyre/program/layout.hpp>
#include <vyre/program/live_code.hpp>
#include <vyre/program/loops.hpp>
#include <vyre/program/spirv/opcodes.hpp>

namespace vyre::program {
namespace {

using spirv::Constants;
using spirv::Function;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::OperandKind;

/// The most steps of the search for loop bounds in a module; they take a fraction of a second.
constexpr std::uint64_t kLoopEffort = 4'000'000;

std::string quoted(std::string_view text) { return fmt::format("'{}'", text); }

bool is_subgroup(spv::Op op) {
  return (op >= spv::OpGroupNonUniformElect && op <= spv::OpGroupNonUniformQuadSwap) ||
         (op >= spv::OpSubgroupBallotKHR && op <= spv::OpSubgroupReadInvocationKHR) ||
         op == spv::OpGroupNonUniformPartitionNV;
}

/// The memory operands of an access, as a mask.
std::uint32_t memory_operands(const Instruction& instruction) {
  switch (instruction.op()) {
    case spv::OpLoad: return instruction.operand(1);
    case spv::OpStore:
    case spv::OpCopyMemory: return instruction.operand(2);
    default: return 0;
  }
}

/// Why vyre cannot run a module with this capability; empty if it can.
std::string_view capability_obstacle(std::uint32_t capability) {
  switch (capability) {
    case spv::CapabilityPhysicalStorageBufferAddresses:
      return "what a kernel does through addresses of its own cannot be followed";
    case spv::CapabilityKernel:
    case spv::CapabilityAddresses: return "this is a kernel for OpenCL, not for Vulkan";
    case spv::CapabilityLinkage: return "the module is not linked";
    case spv::CapabilityRayQueryKHR:
    case spv::CapabilityRayQueryProvisionalKHR:
    case spv::CapabilityRayTracingKHR:
    case spv::CapabilityRayTracingNV: return "ray queries are not supported";
    default: return {};
  }
}

class Reflection {
 public:
  Reflection(const Module& module, const Instruction& entry, std::span<const spirv::SpecOverride> overrides)
      : module_{module},
        entry_{entry},
        constants_{module, overrides},
        layout_{module, constants_},
        functions_{reachable_functions(module, entry.operand(1))},
        is_live_{find_live_code(module, entry.operand(1), constants_)},
        access_{derive_access(module, functions_, is_live_)},
        reached_(module.size(), false) {
    for (const Function* function : functions_) {
      std::fill(reached_.begin() + function->begin, reached_.begin() + function->end, true);
    }
  }

  Interface derive() {
    interface_.entry_point = entry_.string(2);
    interface_.spirv_version = module_.version();
    read_workgroup_size();
    read_functions();
    read_globals();
    interface_.kept = derive_kept(module_, functions_, constants_);
    finish();
    return std::move(interface_);
  }

 private:
  /// Whether a reached function uses an id, or a variable is initialised with it.
  [[nodiscard]] bool is_used(Id id) const {
    return std::ranges::any_of(module_.uses(id), [this](std::uint32_t use) {
      return reached_[use] || (use < module_.global_count() && module_[use].op() == spv::OpVariable);
    });
  }

  /// The same of the code that this specialisation leaves in.
  [[nodiscard]] bool is_needed(Id id) const {
    return std::ranges::any_of(module_.uses(id), [this](std::uint32_t use) {
      const bool is_global = use < module_.global_count();
      return is_global ? module_[use].op() == spv::OpVariable : is_live_[use];
    });
  }

  void refuse(std::string what, std::string why) {
    constexpr std::size_t kMostObstacles = 64;  // More would not help the reader.
    if (interface_.unsupported.size() == kMostObstacles) return;
    Obstacle obstacle{.what = std::move(what), .why = std::move(why)};
    if (std::ranges::find(interface_.unsupported, obstacle) == interface_.unsupported.end()) {
      interface_.unsupported.push_back(std::move(obstacle));
    }
  }

  void read_functions() {
    LoopSearch search{.module = module_,
                      .constants = constants_,
                      .is_live = is_live_,
                      .workgroup = interface_.workgroup.size,
                      .effort = kLoopEffort};
    for (const Function* function : functions_) {
      for (std::size_t i = function->begin; i < function->end; ++i) {
        const Instruction instruction = module_[i];
        interface_.uses_barriers |= instruction.op() == spv::OpControlBarrier;
        interface_.uses_atomics |= spirv::is_atomic(instruction.op());
        interface_.uses_subgroups |= is_subgroup(instruction.op());
        interface_.uses_volatile |= (memory_operands(instruction) & spv::MemoryAccessVolatileMask) != 0;
        // In the Vulkan memory model, such accesses take the place of coherent ones.
        interface_.uses_coherent |= (memory_operands(instruction) & spv::MemoryAccessNonPrivatePointerMask) != 0;
      }
      std::vector<Loop> loops = derive_loops(search, *function);
      std::ranges::move(loops, std::back_inserter(interface_.loops));
    }
  }

  void read_globals() {
    for (std::size_t i = 0; i < module_.global_count(); ++i) {
      const Instruction instruction = module_[i];
      switch (instruction.op()) {
        case spv::OpCapability: read_capability(instruction.operand(0)); break;
        case spv::OpExtension: interface_.extensions.emplace_back(instruction.string(0)); break;
        case spv::OpSpecConstantTrue:
        case spv::OpSpecConstantFalse:
        case spv::OpSpecConstant: read_spec_constant(instruction); break;
        case spv::OpVariable:
          if (is_used(instruction.result())) read_variable(instruction);
          break;
        default: break;
      }
    }
  }

  void read_capability(std::uint32_t capability) {
    const std::string name = spirv::name_of(OperandKind::Capability, capability);
    interface_.capabilities.push_back(name);
    const std::string_view why = capability_obstacle(capability);
    if (!why.empty()) refuse(fmt::format("capability {}", name), std::string{why});
  }

  void read_spec_constant(const Instruction& constant) {
    const std::optional<std::uint32_t> id = module_.decoration(constant.result(), spv::DecorationSpecId);
    const std::optional<ScalarType> type = layout_.scalar(constant.type());
    if (!id || !type) return;
    std::uint64_t bits = constant.operand(0) | std::uint64_t{constant.operand(1)} << 32;
    if (type->kind == ScalarKind::Bool) bits = constant.op() == spv::OpSpecConstantTrue ? 1 : 0;
    if (type->bits < 64) bits = spirv::cut_to_width(bits, type->bits);
    interface_.spec_constants.push_back(
        {.id = *id, .name = std::string{module_.name(constant.result())}, .type = *type, .default_bits = bits});
  }

  void read_variable(const Instruction& variable) {
    const std::uint32_t storage = variable.operand(0);  // A value of spv::StorageClass, or an unknown number.
    const std::optional<Instruction> pointer = module_.definition(variable.type());
    const Id type = pointer && pointer->op() == spv::OpTypePointer ? pointer->operand(1) : 0;
    const Id id = variable.result();
    switch (storage) {
      case spv::StorageClassStorageBuffer:
      case spv::StorageClassUniform: read_buffer(id, type, storage); break;
      case spv::StorageClassPushConstant: read_push_constants(id, type); break;
      case spv::StorageClassWorkgroup: read_shared(type); break;
      case spv::StorageClassInput: read_built_in(id); break;
      case spv::StorageClassPrivate:
      case spv::StorageClassFunction: break;
      default: refuse_resource(id, type, storage);
    }
  }

  void read_shared(Id type) {
    if (module_.decoration(
            type, spv::DecorationBlock)) {  // A workgroup block has a layout, and all such blocks share the same bytes.
      shared_block_bytes_ = std::max(shared_block_bytes_, Layout::size_of(layout_.members(type)));
    } else {
      interface_.shared_bytes += layout_.packed_size(type);
    }
  }

  void read_built_in(Id id) {
    const std::optional<std::uint32_t> built_in = module_.decoration(id, spv::DecorationBuiltIn);
    if (!built_in) return;
    interface_.built_ins.emplace_back(enumerant_name(OperandKind::BuiltIn, *built_in));
  }

  void refuse_resource(Id id, Id type, std::uint32_t storage) {
    for (int depth = 0; depth < 8; ++depth) {  // An array of resources is described by its element.
      const std::optional<Instruction> array = module_.definition(type);
      if (!array || (array->op() != spv::OpTypeArray && array->op() != spv::OpTypeRuntimeArray)) break;
      type = array->operand(0);
    }
    const std::optional<Instruction> definition = module_.definition(type);
    const std::string_view kind = definition ? definition->name() : "OpVariable";
    const bool opaque = kind == "OpTypeImage" || kind == "OpTypeSampler" || kind == "OpTypeSampledImage";
    refuse(fmt::format("{} '{}'", kind, module_.name(id)),
           opaque ? "images and samplers are not supported"
                  : fmt::format("variables of storage class {} are not supported",
                                enumerant_name(OperandKind::StorageClass, storage)));
  }

  void read_buffer(Id id, Id type, std::uint32_t storage) {
    Binding binding{.set = module_.decoration(id, spv::DecorationDescriptorSet).value_or(0),
                    .slot = module_.decoration(id, spv::DecorationBinding).value_or(0)};
    if (const std::optional<Instruction> array = module_.definition(type);
        array && (array->op() == spv::OpTypeArray || array->op() == spv::OpTypeRuntimeArray)) {
      const std::optional<std::uint64_t> length = layout_.array_length(type);
      binding.count = length ? std::optional{static_cast<std::uint32_t>(
                                   std::min<std::uint64_t>(*length, std::numeric_limits<std::uint32_t>::max()))}
                             : std::nullopt;
      type = array->operand(0);
    }
    const bool is_uniform =
        storage == spv::StorageClassUniform && !module_.decoration(type, spv::DecorationBufferBlock);
    binding.kind = is_uniform ? BindingKind::UniformBuffer : BindingKind::StorageBuffer;
    binding.name = module_.name(id).empty() ? module_.name(type) : module_.name(id);
    binding.members = layout_.members(type);
    binding.size = Layout::size_of(binding.members);
    if (!binding.members.empty()) {
      const Member& last = *std::ranges::max_element(binding.members, {}, &Member::offset);
      binding.stride = last.array_stride;
      binding.runtime_sized = is_runtime_array(type, last);
    }
    read_qualifiers(id, type, binding);
    if (!binding.count) {
      refuse(fmt::format("binding {}.{} '{}'", binding.set, binding.slot, binding.name),
             "arrays of buffers without a length are not supported");
    }
    interface_.bindings.push_back(std::move(binding));
  }

  [[nodiscard]] bool is_runtime_array(Id structure, const Member& last) const {
    const std::optional<Instruction> definition = module_.definition(structure);
    if (!definition || definition->operands().empty()) return false;
    return last.size == 0 && std::ranges::any_of(definition->operands(), [this](Id member) {
             return module_.definition_op(member) == spv::OpTypeRuntimeArray;
           });
  }

  void read_qualifiers(Id id, Id type, Binding& binding) {
    const std::optional<Instruction> structure = module_.definition(type);
    const auto members = static_cast<std::uint32_t>(structure ? structure->operands().size() : 0);
    const auto count = [&](spv::Decoration kind) {
      if (module_.decoration(id, kind)) return members;
      return static_cast<std::uint32_t>(std::ranges::count_if(module_.decorations(type), [&](const auto& decoration) {
        return decoration.member != spirv::Decoration::kNoMember && decoration.kind == static_cast<std::uint32_t>(kind);
      }));
    };
    const auto any = [&](spv::Decoration kind) { return module_.decoration(id, kind).has_value() || count(kind) > 0; };
    // Decorations say what code may do, not what it does: some compilers decorate a block as never read and read it.
    binding.access = access_[id];
    binding.is_needed = is_needed(id);
    binding.coherent = any(spv::DecorationCoherent);
    binding.is_volatile = any(spv::DecorationVolatile);
    binding.aliased = module_.decoration(id, spv::DecorationAliased).has_value();
    interface_.uses_coherent |= binding.coherent;
    interface_.uses_volatile |= binding.is_volatile;
  }

  void read_push_constants(Id id, Id type) {
    if (interface_.push_constants) {
      refuse(fmt::format("push-constant block '{}'", module_.name(id)), "one push-constant block can be used, not two");
      return;
    }
    PushConstants block{.name = std::string{module_.name(id).empty() ? module_.name(type) : module_.name(id)},
                        .members = layout_.members(type)};
    block.size = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(Layout::size_of(block.members), std::numeric_limits<std::uint32_t>::max()));
    interface_.push_constants = std::move(block);
  }

  void set_workgroup_dimension(std::size_t dimension, Id constant) {
    const std::uint64_t value = constants_.number(constant).value_or(1);
    interface_.workgroup.size[dimension] =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
    interface_.workgroup.spec_ids[dimension] = module_.decoration(constant, spv::DecorationSpecId);
  }

  void read_workgroup_size() {
    std::optional<Instruction> built_in;
    for (std::size_t i = 0; i < module_.global_count(); ++i) {
      const Instruction instruction = module_[i];
      const bool is_mode = instruction.op() == spv::OpExecutionMode || instruction.op() == spv::OpExecutionModeId;
      if (is_mode && instruction.operand(0) == entry_.operand(1)) read_execution_mode(instruction);
      if (instruction.op() == spv::OpDecorate && instruction.operand(1) == spv::DecorationBuiltIn &&
          instruction.operand(2) == spv::BuiltInWorkgroupSize) {
        built_in = module_.definition(instruction.operand(0));
      }
    }
    // The built-in constant overrides the execution mode.
    const bool is_composite =
        built_in && (built_in->op() == spv::OpConstantComposite || built_in->op() == spv::OpSpecConstantComposite);
    if (!is_composite || built_in->operands().size() != 3) return;
    for (std::size_t i = 0; i < 3; ++i) set_workgroup_dimension(i, built_in->operand(i));
    if (is_used(built_in->result())) interface_.built_ins.emplace_back("WorkgroupSize");
  }

  void read_execution_mode(const Instruction& mode) {
    const std::uint32_t which = mode.operand(1);
    if (which != spv::ExecutionModeLocalSize && which != spv::ExecutionModeLocalSizeId) {
      const bool has_width = which >= spv::ExecutionModeDenormPreserve && which <= spv::ExecutionModeRoundingModeRTZ;
      const std::string name = spirv::name_of(OperandKind::ExecutionMode, which);
      interface_.execution_modes.push_back(has_width ? fmt::format("{} {}", name, mode.operand(2)) : name);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (mode.operand(1) == spv::ExecutionModeLocalSize) interface_.workgroup.size[i] = mode.operand(2 + i);
      if (mode.operand(1) == spv::ExecutionModeLocalSizeId) set_workgroup_dimension(i, mode.operand(2 + i));
    }
  }

  void finish() {
    interface_.shared_bytes += shared_block_bytes_;
    if (layout_.is_exhausted()) {
      refuse("the blocks",
             fmt::format("they have more than {} members in all, that is the limit", Layout::kMaxMembers));
    }
    std::ranges::sort(interface_.built_ins);
    std::ranges::sort(interface_.capabilities);
    std::ranges::sort(interface_.extensions);
    std::ranges::sort(interface_.execution_modes);
    // Some compilers declare a specialised workgroup size twice under one id; the constant with a name tells more.
    std::ranges::sort(interface_.spec_constants, {},
                      [](const SpecConstant& c) { return std::tuple{c.id, c.name.empty(), std::string_view{c.name}}; });
    const auto repeated = std::ranges::unique(interface_.spec_constants, {}, &SpecConstant::id);
    interface_.spec_constants.erase(repeated.begin(), repeated.end());
    join_bindings();
  }

  void join_bindings() {
    const auto is_uniform = [](const Binding& binding) { return binding.kind == BindingKind::UniformBuffer; };
    for (const Binding& a : interface_.bindings) {
      for (const Binding& b : interface_.bindings) {
        if (a.set != b.set || a.slot != b.slot || !is_uniform(a) || is_uniform(b)) continue;
        refuse(fmt::format("binding {}.{}", a.set, a.slot),
               fmt::format("it is the uniform buffer '{}' and the storage buffer '{}' at once", a.name, b.name));
      }
    }
    interface_.bindings = join_variables(std::move(interface_.bindings));
  }

  const Module& module_;
  Instruction entry_;
  Constants constants_;
  Layout layout_;
  std::vector<const Function*> functions_;
  std::vector<bool> is_live_;  // By instruction.
  std::vector<Access> access_;
  std::vector<bool> reached_;  // By instruction.
  std::uint64_t shared_block_bytes_ = 0;
  Interface interface_;
};

}  // namespace

Result<Instruction> find_entry_point(const Module& module, std::string_view name) {
  std::vector<Instruction> found;
  std::vector<std::string> names;
  std::vector<std::string> others;
  for (std::size_t i = 0; i < module.global_count(); ++i) {
    const Instruction entry = module[i];
    if (entry.op() != spv::OpEntryPoint) continue;
    const std::string_view own = entry.string(2);
    if (entry.operand(0) != spv::ExecutionModelGLCompute) {
      others.push_back(fmt::format("{} '{}'", enumerant_name(OperandKind::ExecutionModel, entry.operand(0)), own));
      continue;
    }
    names.push_back(quoted(own));
    if (name.empty() || own == name) found.push_back(entry);
  }
  if (found.size() == 1) return found[0];
  if (names.empty()) {
    return fail(ErrorCode::Unsupported, others.empty() ? "the module has no entry point, it needs a compute one"
                                                       : fmt::format("the module has no compute entry point, it has {}",
                                                                     fmt::join(others, ", ")));
  }
  if (found.empty()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the module has no compute entry point '{}', it has {}", name, fmt::join(names, ", ")));
  }
  return fail(ErrorCode::InvalidArgument, fmt::format("the module has {} compute entry points, one must be named: {}",
                                                      names.size(), fmt::join(names, ", ")));
}

std::vector<const Function*> reachable_functions(const Module& module, Id entry) {
  std::vector<const Function*> reached;
  std::vector<bool> seen(module.functions().size(), false);
  const auto reach = [&](Id id) {
    const Function* function = module.function(id);
    if (function == nullptr) return;
    const auto index = static_cast<std::size_t>(function - module.functions().data());
    if (seen[index]) return;
    seen[index] = true;
    reached.push_back(function);
  };
  reach(entry);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (std::size_t at = reached[i]->begin; at < reached[i]->end; ++at) {
      if (module[at].op() == spv::OpFunctionCall) reach(module[at].operand(0));
    }
  }
  return reached;
}

Result<Interface> reflect(const Module& module, std::string_view entry_point,
                          std::span<const spirv::SpecOverride> overrides) {
  VYRE_ASSIGN(const Instruction entry, find_entry_point(module, entry_point));
  return Reflection{module, entry, overrides}.derive();
}

}  // namespace vyre::program
