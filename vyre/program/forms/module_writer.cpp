#include <vyre/program/forms/module_writer.hpp>

#include <algorithm>
#include <cstring>

#include <vyre/program/spirv/header.hpp>

namespace vyre::program::forms {
namespace {

constexpr std::uint32_t kVersion14 = 0x0001'0400;

Words string_words(std::string_view text) {
  Words words(text.size() / sizeof(std::uint32_t) + 1);
  std::memcpy(words.data(), text.data(), text.size());
  return words;
}

}  // namespace

void emit(Words& to, spv::Op op, std::span<const std::uint32_t> operands) {
  to.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | static_cast<std::uint32_t>(op));
  to.insert(to.end(), operands.begin(), operands.end());
}

void emit(Words& to, spv::Op op, std::initializer_list<std::uint32_t> operands) {
  emit(to, op, std::span{operands.begin(), operands.size()});
}

ModuleWriter::ModuleWriter(const spirv::Module& source) : source_{source}, bound_{source.id_bound()} {
  for (std::size_t i = 0; i < source.global_count(); ++i) {
    const spirv::Instruction instruction = source[i];
    switch (instruction.op()) {
      case spv::OpTypeVoid:
      case spv::OpTypeBool:
      case spv::OpTypeInt:
      case spv::OpTypeFloat:
      case spv::OpTypeVector: {
        const std::span<const std::uint32_t> operands = instruction.operands();
        globals_.try_emplace({instruction.op(), Words(operands.begin(), operands.end())}, instruction.result());
        break;
      }
      default: break;
    }
  }
}

Id ModuleWriter::global(spv::Op op, Id type, std::initializer_list<std::uint32_t> operands) {
  Words key;
  if (type != 0) key.push_back(type);
  const std::size_t place = key.size();
  key.insert(key.end(), operands.begin(), operands.end());
  const auto [found, is_new] = globals_.try_emplace({op, key}, 0);
  if (is_new) {
    found->second = fresh();
    key.insert(key.begin() + static_cast<std::ptrdiff_t>(place), found->second);
    emit(globals, op, key);
  }
  return found->second;
}

Id ModuleWriter::struct_type(std::span<const std::pair<Id, std::uint32_t>> members) {
  Words all{fresh()};
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    all.push_back(members[i].first);
    decorate_member(all[0], i, spv::DecorationOffset, {members[i].second});
  }
  emit(globals, spv::OpTypeStruct, all);
  return all[0];
}

Id ModuleWriter::plain_struct_type(std::initializer_list<Id> members) {
  Words all{fresh()};
  all.insert(all.end(), members.begin(), members.end());
  emit(globals, spv::OpTypeStruct, all);
  return all[0];
}

Id ModuleWriter::array_type(Id element, std::uint32_t count, std::uint32_t stride) {
  const Id length = constant(count);
  const Id id = fresh();
  emit(globals, spv::OpTypeArray, {id, element, length});
  decorate(id, spv::DecorationArrayStride, {stride});
  return id;
}

Id ModuleWriter::plain_array_type(Id element, std::uint32_t count) {
  const Id length = constant(count);
  const Id id = fresh();
  emit(globals, spv::OpTypeArray, {id, element, length});
  return id;
}

Id ModuleWriter::runtime_array_type(Id element, std::uint32_t stride) {
  const Id id = fresh();
  emit(globals, spv::OpTypeRuntimeArray, {id, element});
  decorate(id, spv::DecorationArrayStride, {stride});
  return id;
}

Id ModuleWriter::constant(std::uint32_t value) { return global(spv::OpConstant, uint_type(), {value}); }

Id ModuleWriter::variable(spv::StorageClass storage, Id type) {
  const Id id = fresh();
  variable(storage, type, id);
  return id;
}

void ModuleWriter::variable(spv::StorageClass storage, Id type, Id id, Id initialiser) {
  const Id pointer = pointer_type(storage, type);
  Words all{pointer, id, static_cast<std::uint32_t>(storage)};
  if (initialiser != 0) all.push_back(initialiser);
  emit(globals, spv::OpVariable, all);
  add_to_interface(id, storage == spv::StorageClassInput || storage == spv::StorageClassOutput);
}

void ModuleWriter::decorate(Id target, spv::Decoration kind, std::initializer_list<std::uint32_t> parameters) {
  Words all{target, static_cast<std::uint32_t>(kind)};
  all.insert(all.end(), parameters.begin(), parameters.end());
  emit(annotations, spv::OpDecorate, all);
}

void ModuleWriter::decorate_member(Id target, std::uint32_t member, spv::Decoration kind,
                                   std::initializer_list<std::uint32_t> parameters) {
  Words all{target, member, static_cast<std::uint32_t>(kind)};
  all.insert(all.end(), parameters.begin(), parameters.end());
  emit(annotations, spv::OpMemberDecorate, all);
}

void ModuleWriter::copy(Words& to, const spirv::Instruction& instruction) {
  const std::span<const std::uint32_t> words = instruction.words();
  to.insert(to.end(), words.begin(), words.end());
}

Words ModuleWriter::finish(const spirv::Instruction& entry_point) const {
  Words words(spirv::kHeaderWords);
  words[0] = spv::MagicNumber;
  words[1] = source_.version();
  words[3] = bound_;
  for (const std::uint32_t each : capabilities_) emit(words, spv::OpCapability, {each});
  for (const std::string& each : extensions_) emit(words, spv::OpExtension, string_words(each));
  words.insert(words.end(), imports.begin(), imports.end());
  for (std::size_t i = 0; i < source_.global_count(); ++i) {
    if (source_[i].op() != spv::OpMemoryModel) continue;
    emit(words, spv::OpMemoryModel, {spv::AddressingModelPhysicalStorageBuffer64, source_[i].operand(1)});
  }
  Words entry{entry_point.operand(0), entry_point.operand(1)};
  std::ranges::copy(string_words(entry_point.string(2)), std::back_inserter(entry));
  for (const auto& [variable, is_input_or_output] : interface_) {
    if (is_input_or_output || source_.version() >= kVersion14) entry.push_back(variable);
  }
  emit(words, spv::OpEntryPoint, entry);
  for (const Words* section : {&modes, &names, &annotations, &globals, &functions}) {
    words.insert(words.end(), section->begin(), section->end());
  }
  return words;
}

void Code::named(spv::Op op, Id type, Id id, std::initializer_list<std::uint32_t> operands) {
  words.push_back(static_cast<std::uint32_t>(operands.size() + 3) << 16 | static_cast<std::uint32_t>(op));
  words.push_back(type);
  words.push_back(id);
  words.insert(words.end(), operands.begin(), operands.end());
}

}  // namespace vyre::program::forms
