#include <vyre/program/aliased.hpp>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <vyre/program/spirv/header.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::program {
namespace {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kVersion13 =
    0x0001'0300;  // The first version in which storage buffers have their own storage class.

/// Whether an opcode declares a type. In a module, types come after all annotations.
bool declares_type(spv::Op op) { return op >= spv::OpTypeVoid && op <= spv::OpTypeForwardPointer; }

/// The capability that a storage buffer needs instead of this one of a uniform block; nothing if it is the same.
std::optional<spv::Capability> storage_capability(std::uint32_t of_uniform) {
  switch (of_uniform) {
    case spv::CapabilityUniformBufferArrayDynamicIndexing: return spv::CapabilityStorageBufferArrayDynamicIndexing;
    case spv::CapabilityUniformBufferArrayNonUniformIndexing:
      return spv::CapabilityStorageBufferArrayNonUniformIndexing;
    default: return std::nullopt;
  }
}

class AliasedWriter {
 public:
  AliasedWriter(const Module& module, std::span<const BindingPlace> bindings) : module_{module} {
    for (std::size_t i = 0; i < module_.global_count(); ++i) {
      if (module_[i].op() == spv::OpVariable) note_variable(module_[i], bindings);
    }
    note_parameters();
  }

  Words write() {
    const Words source = module_.write();
    words_.assign(source.begin(), source.begin() + spirv::kHeaderWords);
    bool has_capabilities = true;
    bool has_annotations = true;
    for (std::size_t i = 0; i < module_.size(); ++i) {
      const Instruction instruction = module_[i];
      if (std::exchange(has_capabilities, has_capabilities && instruction.op() == spv::OpCapability) &&
          !has_capabilities) {
        end_capabilities();
      }
      if (has_annotations && declares_type(instruction.op())) {
        has_annotations = false;
        for (const Id each : aliased_) emit(spv::OpDecorate, {each, spv::DecorationAliased});
      }
      write(instruction);
    }
    return std::move(words_);
  }

 private:
  [[nodiscard]] Id block_of(Id pointer_type) const {
    const auto pointer = module_.definition(pointer_type);
    if (!pointer || pointer->op() != spv::OpTypePointer) return 0;
    const auto array = module_.definition(pointer->operand(1));
    const bool is_array = array && (array->op() == spv::OpTypeArray || array->op() == spv::OpTypeRuntimeArray);
    return is_array ? array->operand(0) : pointer->operand(1);
  }

  void note_variable(const Instruction& variable, std::span<const BindingPlace> bindings) {
    const std::uint32_t storage = variable.operand(0);
    if (storage != spv::StorageClassUniform && storage != spv::StorageClassStorageBuffer) return;
    const auto set = module_.decoration(variable.result(), spv::DecorationDescriptorSet);
    const auto slot = module_.decoration(variable.result(), spv::DecorationBinding);
    if (std::ranges::find(bindings, BindingPlace{set.value_or(0), slot.value_or(0)}) == bindings.end()) return;
    const Id block = block_of(variable.type());
    aliased_.insert(variable.result());
    blocks_.insert(block);
    moves_uniforms_ |= storage == spv::StorageClassUniform && !module_.decoration(block, spv::DecorationBufferBlock);
  }

  /// Notes the parameters of functions through which one of the aliased variables may be accessed.
  void note_parameters() {
    for (const spirv::Function& function : module_.functions()) {
      for (const Id parameter : function.parameters) {
        const auto type = module_.definition(module_.type_of(parameter));
        if (!type || type->op() != spv::OpTypePointer) continue;
        const std::uint32_t storage = type->operand(0);
        if (storage == spv::StorageClassUniform || storage == spv::StorageClassStorageBuffer) {
          aliased_.insert(parameter);
        }
      }
    }
  }

  void emit(spv::Op op, std::span<const std::uint32_t> operands) {
    words_.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | static_cast<std::uint32_t>(op));
    words_.insert(words_.end(), operands.begin(), operands.end());
  }
  void emit(spv::Op op, std::initializer_list<std::uint32_t> operands) { emit(op, std::span{operands}); }

  void end_capabilities() {
    if (!moves_uniforms_) return;
    for (std::size_t i = 0; i < module_.global_count() && module_[i].op() == spv::OpCapability; ++i) {
      if (const auto more = storage_capability(module_[i].operand(0))) {
        emit(spv::OpCapability, {static_cast<std::uint32_t>(*more)});
      }
    }
    if (module_.version() >= kVersion13) return;
    constexpr std::string_view kExtension = "SPV_KHR_storage_buffer_storage_class";
    Words name(kExtension.size() / 4 + 1);
    for (std::size_t i = 0; i < kExtension.size(); ++i) {
      name[i / 4] |= std::uint32_t{static_cast<unsigned char>(kExtension[i])} << 8 * (i % 4);
    }
    emit(spv::OpExtension, name);
  }

  /// Whether a decoration must be dropped, because it is no longer true.
  [[nodiscard]] bool is_dropped(Id target, std::uint32_t kind) const {
    const bool is_promise = kind == spv::DecorationRestrict || kind == spv::DecorationNonWritable;
    if (kind == spv::DecorationAliased)
      return aliased_.contains(target);  // Written for all of them at once, elsewhere.
    return is_promise && (aliased_.contains(target) || blocks_.contains(target));
  }
  [[nodiscard]] std::uint32_t renamed(std::uint32_t kind) const {
    const bool is_old_block = moves_uniforms_ && kind == spv::DecorationBufferBlock;
    return is_old_block ? static_cast<std::uint32_t>(spv::DecorationBlock) : kind;
  }

  /// Writes a decoration unless it is dropped. Its kind is the operand at `kind_at`.
  void decorate(spv::Op op, Words operands, std::size_t kind_at) {
    if (is_dropped(operands[0], operands[kind_at])) return;
    operands[kind_at] = renamed(operands[kind_at]);
    emit(op, operands);
  }

  void write(const Instruction& instruction) {
    const Words operands(instruction.operands().begin(), instruction.operands().end());
    switch (instruction.op()) {
      case spv::OpDecorate: decorate(spv::OpDecorate, operands, 1); return;
      case spv::OpMemberDecorate: decorate(spv::OpMemberDecorate, operands, 2); return;
      case spv::OpGroupDecorate:
      case spv::OpGroupMemberDecorate: write_group(instruction); return;
      case spv::OpTypePointer:
      case spv::OpVariable:
        if (moves_uniforms_) {
          write_moved(instruction);
          return;
        }
        break;
      default: break;
    }
    const std::span<const std::uint32_t> words = instruction.words();
    words_.insert(words_.end(), words.begin(), words.end());
  }

  /// Writes the decorations of a group for each of its targets.
  void write_group(const Instruction& group) {
    const bool has_members = group.op() == spv::OpGroupMemberDecorate;
    const std::span<const std::uint32_t> targets = group.operands().subspan(1);
    for (std::size_t at = 0; at < targets.size(); at += has_members ? 2 : 1) {
      for (const spirv::Decoration& each : module_.decorations(group.operand(0))) {
        Words operands{targets[at]};
        if (has_members) operands.push_back(targets[at + 1]);
        operands.push_back(each.kind);
        operands.insert(operands.end(), each.parameters.begin(), each.parameters.end());
        decorate(has_members ? spv::OpMemberDecorate : spv::OpDecorate, operands, has_members ? 2 : 1);
      }
    }
  }

  void write_moved(const Instruction& instruction) {
    Words words(instruction.words().begin(), instruction.words().end());
    std::uint32_t& storage = words[words.size() - instruction.operands().size()];
    if (storage == spv::StorageClassUniform) storage = spv::StorageClassStorageBuffer;
    words_.insert(words_.end(), words.begin(), words.end());
  }

  const Module& module_;
  std::set<Id> aliased_;  // The variables and parameters that become `Aliased`.
  std::set<Id> blocks_;   // The structures that these variables hold.
  bool moves_uniforms_ = false;
  Words words_;
};

}  // namespace

Result<Program> make_aliased(const Program& program, std::span<const BindingPlace> bindings) {
  const Words words = AliasedWriter{program.module(), bindings}.write();
  return Program::from_spirv(
      words,
      {.name = program.name(), .entry_point = program.interface().entry_point, .target = program.validation().target});
}

}  // namespace vyre::program
