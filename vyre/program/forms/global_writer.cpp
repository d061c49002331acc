#include <vyre/program/forms/global_writer.hpp>

#include <algorithm>
#include <utility>

namespace vyre::program::forms {
namespace {

using spirv::Instruction;

constexpr std::uint32_t kVersion15 = 0x0001'0500;

}  // namespace

bool GlobalWriter::is_block_array(Id type) const {
  const auto array = module_.definition(type);
  if (!array || (array->op() != spv::OpTypeArray && array->op() != spv::OpTypeRuntimeArray)) return false;
  return module_.decoration(array->operand(0), spv::DecorationBlock) ||
         module_.decoration(array->operand(0), spv::DecorationBufferBlock);
}

Result<void> GlobalWriter::write_globals(const std::set<Id>& replaced) {
  replaced_ = replaced;
  // The types made so far use types of the kernel, so they are moved after those.
  Words made = std::move(writer_.globals);
  writer_.globals.clear();
  std::vector<Instruction> variables;
  for (std::size_t i = 0; i < module_.global_count(); ++i) {
    const Instruction instruction = module_[i];
    const spv::Op op = instruction.op();
    if (is_debug(op)) continue;
    switch (op) {
      case spv::OpCapability: writer_.capability(instruction.operand(0)); continue;
      case spv::OpExtension: writer_.extension(instruction.string(0)); continue;
      case spv::OpExtInstImport:
        if (instruction.string(0).starts_with("NonSemantic.")) continue;
        writer_.copy(writer_.imports, instruction);
        is_kept_[instruction.result()] = true;
        continue;
      case spv::OpExtInst: continue;  // Outside functions, these are debug information.
      case spv::OpMemoryModel:
      case spv::OpEntryPoint:
      case spv::OpName:
      case spv::OpMemberName: continue;
      case spv::OpExecutionMode:
      case spv::OpExecutionModeId:
        if (instruction.operand(0) == facts_.entry.operand(1)) writer_.copy(writer_.modes, instruction);
        continue;
      case spv::OpTypeForwardPointer: return refuse("OpTypeForwardPointer declares an address within a buffer");
      default: break;
    }
    if (op >= spv::OpDecorate && op <= spv::OpGroupMemberDecorate) continue;
    if (op == spv::OpDecorateId || op == spv::OpDecorateString || op == spv::OpMemberDecorateString) continue;
    if (op == spv::OpVariable) {
      variables.push_back(instruction);
      continue;
    }
    if (op == spv::OpTypePointer) {
      const std::uint32_t storage = instruction.operand(0);
      const bool is_buffer = storage == spv::StorageClassStorageBuffer || storage == spv::StorageClassUniform ||
                             storage == spv::StorageClassPushConstant;
      if (is_buffer && is_block_array(instruction.operand(1))) continue;
      is_kept_[instruction.result()] = true;
      emit(writer_.globals, op,
           {instruction.result(), is_buffer ? static_cast<std::uint32_t>(kPhysical) : storage, instruction.operand(1)});
      continue;
    }
    if (instruction.result() != 0) is_kept_[instruction.result()] = true;
    writer_.copy(writer_.globals, instruction);
  }
  writer_.globals.insert(writer_.globals.end(), made.begin(), made.end());
  for (const Instruction& variable : variables) {
    const Id id = variable.result();
    if (facts_.buffer_of.contains(id) || id == facts_.push || !facts_.is_used(id)) continue;
    is_kept_[id] = true;
    const auto storage = static_cast<spv::StorageClass>(variable.operand(0));
    if (replaced_.contains(id)) {
      writer_.variable(spv::StorageClassPrivate, facts_.pointee(id), id);
    } else {
      writer_.copy(writer_.globals, variable);
      writer_.add_to_interface(id, storage == spv::StorageClassInput || storage == spv::StorageClassOutput);
    }
  }
  writer_.capability(spv::CapabilityPhysicalStorageBufferAddresses);
  if (module_.version() < kVersion15) writer_.extension("SPV_KHR_physical_storage_buffer");
  // Validators treat making a pointer from an address like a conversion of the values that it points to, and
  // conversions of 8-bit and 16-bit numbers need a capability.
  for (std::size_t i = 0; i < module_.global_count(); ++i) {
    const Instruction type = module_[i];
    if (type.op() == spv::OpTypeInt && type.operand(0) == 8) writer_.capability(spv::CapabilityInt8);
    if (type.op() == spv::OpTypeInt && type.operand(0) == 16) writer_.capability(spv::CapabilityInt16);
    if (type.op() == spv::OpTypeFloat && type.operand(0) == 16) writer_.capability(spv::CapabilityFloat16);
  }
  // Push constants move into a buffer, so 8-bit and 16-bit numbers in them need the capability for buffers.
  for (std::size_t i = 0; i < module_.global_count(); ++i) {
    if (module_[i].op() != spv::OpCapability || facts_.push == 0) continue;
    if (module_[i].operand(0) == spv::CapabilityStoragePushConstant8) {
      writer_.capability(spv::CapabilityStorageBuffer8BitAccess);
    } else if (module_[i].operand(0) == spv::CapabilityStoragePushConstant16) {
      writer_.capability(spv::CapabilityStorageBuffer16BitAccess);
    }
  }
  return {};
}

void GlobalWriter::write_annotations() {
  const Id push_block = facts_.push != 0 ? facts_.pointee(facts_.push) : 0;
  // In a chain, other dispatches may write a buffer that this one only reads, so these decorations are not true.
  const auto is_hidden = [&](std::uint32_t kind) {
    return kind_ == FormKind::Chain && (kind == spv::DecorationNonWritable || kind == spv::DecorationRestrict);
  };
  const auto is_wanted = [&](Id target, std::uint32_t kind) {
    if (target >= is_kept_.size() || !is_kept_[target]) return false;
    if (replaced_.contains(target)) return false;  // The form has another variable for this built-in.
    if (kind == spv::DecorationNonWritable && is_hidden(kind)) return false;
    return target != push_block || kind != spv::DecorationBlock;
  };
  const auto renamed = [&](std::uint32_t kind) {
    if (kind == spv::DecorationBufferBlock) return static_cast<std::uint32_t>(spv::DecorationBlock);
    // A pointer must be decorated with one of the two.
    if (kind == spv::DecorationRestrict && is_hidden(kind)) return static_cast<std::uint32_t>(spv::DecorationAliased);
    return kind;
  };
  for (std::size_t i = 0; i < module_.global_count(); ++i) {
    const Instruction instruction = module_[i];
    const Id target = instruction.operand(0);
    switch (instruction.op()) {
      case spv::OpName:
      case spv::OpMemberName:
        if (target < is_kept_.size() && is_kept_[target]) writer_.copy(writer_.names, instruction);
        break;
      case spv::OpDecorate: {
        if (!is_wanted(target, instruction.operand(1))) break;
        Words all(instruction.operands().begin(), instruction.operands().end());
        all[1] = renamed(all[1]);
        emit(writer_.annotations, spv::OpDecorate, all);
        break;
      }
      case spv::OpMemberDecorate:
        if (is_hidden(instruction.operand(2))) break;
        [[fallthrough]];
      case spv::OpDecorateId:
      case spv::OpDecorateString:
      case spv::OpMemberDecorateString:
        if (target < is_kept_.size() && is_kept_[target]) writer_.copy(writer_.annotations, instruction);
        break;
      case spv::OpGroupDecorate:
      case spv::OpGroupMemberDecorate: {
        const bool members = instruction.op() == spv::OpGroupMemberDecorate;
        const std::span<const std::uint32_t> targets = instruction.operands().subspan(1);
        for (std::size_t at = 0; at < targets.size(); at += members ? 2 : 1) {
          for (const spirv::Decoration& each : module_.decorations(target)) {
            if (!is_wanted(targets[at], each.kind)) continue;
            Words all{targets[at]};
            if (members) all.push_back(targets[at + 1]);
            all.push_back(renamed(each.kind));
            all.insert(all.end(), each.parameters.begin(), each.parameters.end());
            emit(writer_.annotations, members ? spv::OpMemberDecorate : spv::OpDecorate, all);
          }
        }
        break;
      }
      default: break;
    }
  }
  // Decorations of a buffer's variable move to the members of its block, since there is no variable any more. In a
  // chain, other dispatches may write every buffer.
  std::set<std::pair<Id, spv::Decoration>> said;
  for (const BufferVariable& buffer : facts_.buffers) {
    for (const spv::Decoration kind : {spv::DecorationCoherent, spv::DecorationVolatile}) {
      // The Vulkan memory model has no such decoration: each access is marked instead.
      const bool is_shared =
          kind_ == FormKind::Chain && kind == spv::DecorationCoherent && !facts_.has_vulkan_memory_model;
      if (!is_shared && !module_.decoration(buffer.id, kind)) continue;
      if (!said.emplace(buffer.block, kind).second) continue;
      const std::size_t members = module_.definition(buffer.block)->operands().size();
      for (std::uint32_t i = 0; i < members; ++i) {
        if (!module_.decoration(buffer.block, kind, i)) writer_.decorate_member(buffer.block, i, kind);
      }
    }
  }
}

}  // namespace vyre::program::forms
