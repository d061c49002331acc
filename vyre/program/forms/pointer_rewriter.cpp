#include <vyre/program/forms/pointer_rewriter.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <vyre/program/saturating.hpp>
#include <vyre/program/spirv/cfg.hpp>

namespace vyre::program::forms {
namespace {

using spirv::Function;
using spirv::Instruction;

constexpr std::uint32_t kVersion15 = 0x0001'0500;
constexpr spv::StorageClass kPhysical = spv::StorageClassPhysicalStorageBuffer;
constexpr std::uint32_t kAddressMember = 0;
constexpr std::uint32_t kLengthMember = 2;

bool is_atomic(spv::Op op) {
  return (op >= spv::OpAtomicLoad && op <= spv::OpAtomicXor) || op == spv::OpAtomicFAddEXT ||
         op == spv::OpAtomicFMinEXT || op == spv::OpAtomicFMaxEXT;
}

bool is_chain(spv::Op op) { return op == spv::OpAccessChain || op == spv::OpInBoundsAccessChain; }

/// What says where something came from, and nothing about what it does.
bool is_debug(spv::Op op) {
  switch (op) {
    case spv::OpLine:
    case spv::OpNoLine:
    case spv::OpString:
    case spv::OpSource:
    case spv::OpSourceExtension:
    case spv::OpSourceContinued:
    case spv::OpModuleProcessed:
    case spv::OpNop: return true;
    default: return false;
  }
}

}  // namespace

PointerRewriter::PointerRewriter(const KernelFacts& facts, spirv::Constants& constants, const FormOptions& options,
                                 ModuleWriter& writer)
    : facts_{facts},
      module_{facts.module},
      constants_{constants},
      options_{options},
      writer_{writer},
      is_kept_(facts.module.id_bound(), false),
      code_{writer},
      prologue_{writer} {}

Result<RecordTypes> PointerRewriter::make_types() {
  types_.uint = writer_.uint_type();
  types_.uvec2 = writer_.vector_type(types_.uint, 2);
  types_.uvec3 = writer_.vector_type(types_.uint, 3);
  const std::pair<Id, std::uint32_t> entry_members[] = {{types_.uvec2, 0}, {types_.uint, 8}, {types_.uint, 12}};
  const Id entry = writer_.struct_type(entry_members);
  std::uint32_t entries = 0;
  for (const BufferVariable& buffer : facts_.buffers) entries += buffer.count;
  std::vector<std::pair<Id, std::uint32_t>> members{{types_.uvec3, 0}};
  std::uint32_t end = RecordLayout::kEntriesOffset + entries * RecordLayout::kEntryBytes;
  if (entries > 0) {
    members.emplace_back(writer_.array_type(entry, entries, RecordLayout::kEntryBytes), RecordLayout::kEntriesOffset);
  }
  // Records begin at multiples of the largest alignment there is, that of a vector of four doubles; push constants in
  // them where they may.
  constexpr std::uint32_t kAlignment = 32;
  const auto round = [](std::uint32_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; };
  const bool has_wide = facts_.push != 0 && alignment(facts_.pointee(facts_.push)) > 4;
  types_.params_offset = has_wide ? round(end) : end;
  if (facts_.push != 0) {
    const Id block = facts_.pointee(facts_.push);
    if (module_.definition_op(block) != spv::OpTypeStruct) return refuse("the push constants are no structure");
    types_.params_member = static_cast<std::uint32_t>(members.size());
    members.emplace_back(block, types_.params_offset);
    const std::uint64_t bytes = extent(block);
    constexpr std::uint64_t kMostBytes = 65'536;
    if (bytes > kMostBytes) {
      return refuse(fmt::format("the push constants have {} bytes, the limit is {}", bytes, kMostBytes));
    }
    end = types_.params_offset + static_cast<std::uint32_t>(bytes);
  }
  types_.stride = round(end);
  types_.record = writer_.struct_type(members);
  types_.record_pointer = writer_.pointer_type(kPhysical, types_.record);
  return types_;
}

bool PointerRewriter::is_block_array(Id type) const {
  const auto array = module_.definition(type);
  if (!array || (array->op() != spv::OpTypeArray && array->op() != spv::OpTypeRuntimeArray)) return false;
  return module_.decoration(array->operand(0), spv::DecorationBlock) ||
         module_.decoration(array->operand(0), spv::DecorationBufferBlock);
}

Result<void> PointerRewriter::write_globals(const std::set<Id>& replaced) {
  replaced_ = replaced;
  // Types made so far use those of the source, and come behind them.
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
      case spv::OpExtInst: continue;  // Outside functions they are debug information.
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
  // Validators take a pointer made of an address for a conversion of what it points to, and small numbers may be
  // converted only by a kernel that may compute with them.
  for (std::size_t i = 0; i < module_.global_count(); ++i) {
    const Instruction type = module_[i];
    if (type.op() == spv::OpTypeInt && type.operand(0) == 8) writer_.capability(spv::CapabilityInt8);
    if (type.op() == spv::OpTypeInt && type.operand(0) == 16) writer_.capability(spv::CapabilityInt16);
    if (type.op() == spv::OpTypeFloat && type.operand(0) == 16) writer_.capability(spv::CapabilityFloat16);
  }
  // What small numbers in push constants needed, they need in a buffer.
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

void PointerRewriter::write_annotations(const std::set<Id>& replaced) {
  const Id push_block = facts_.push != 0 ? facts_.pointee(facts_.push) : 0;
  const auto is_wanted = [&](Id target, std::uint32_t kind) {
    if (target >= is_kept_.size() || !is_kept_[target]) return false;
    if (replaced.contains(target)) return false;  // Its built-in is another variable's now.
    return target != push_block || kind != spv::DecorationBlock;
  };
  const auto renamed = [](std::uint32_t kind) {
    return kind == spv::DecorationBufferBlock ? static_cast<std::uint32_t>(spv::DecorationBlock) : kind;
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
  // What was said of a variable is said of the members of its block.
  std::set<std::pair<Id, spv::Decoration>> said;
  for (const BufferVariable& buffer : facts_.buffers) {
    for (const spv::Decoration kind : {spv::DecorationCoherent, spv::DecorationVolatile}) {
      if (!module_.decoration(buffer.id, kind) || !said.emplace(buffer.block, kind).second) continue;
      const std::size_t members = module_.definition(buffer.block)->operands().size();
      for (std::uint32_t i = 0; i < members; ++i) {
        if (!module_.decoration(buffer.block, kind, i)) writer_.decorate_member(buffer.block, i, kind);
      }
    }
  }
}

void PointerRewriter::note_vectors(Id type) {
  const auto definition = module_.definition(type);
  if (!definition || !whole_types_.insert(type).second) return;
  switch (definition->op()) {
    case spv::OpTypeVector: whole_vectors_.insert(type); break;
    case spv::OpTypeMatrix:
    case spv::OpTypeArray: note_vectors(definition->operand(0)); break;
    case spv::OpTypeStruct:
      for (const Id member : definition->operands()) note_vectors(member);
      break;
    default: break;
  }
}

Result<void> PointerRewriter::write_functions(Id body) {
  for (const Function* function : facts_.functions) {
    for (std::size_t i = function->begin; i < function->end; ++i) {
      const Instruction access = module_[i];
      const bool copies = access.op() == spv::OpCopyMemory;
      if (!copies && access.op() != spv::OpStore && access.op() != spv::OpLoad) continue;
      for (const Id pointer : access.operands().first(copies ? 2 : 1)) {
        if (facts_.is_buffer_pointer(pointer)) note_vectors(facts_.pointee(pointer));
      }
    }
  }
  for (const Function* function : facts_.functions) {
    VYRE_TRY(write_function(*function, function->id == facts_.entry.operand(1) ? body : function->id));
  }
  write_annotations(replaced_);
  return {};
}

Result<void> PointerRewriter::write_function(const Function& function, Id id) {
  function_ = &function;
  code_.words.clear();
  prologue_.words.clear();
  places_.clear();
  entry_pointers_.clear();
  entry_lengths_.clear();
  scratch_pointers_.clear();
  flow_.reset();
  last_labels_.clear();
  phi_labels_.clear();
  array_pointers_.clear();
  params_pointer_ = 0;
  record_pointer_ = 0;
  if (function.blocks.empty()) return refuse("a function has no body");

  Words head;
  bool is_in_head = true;  // Up to the last variable of the first block.
  if (id == function.id) is_kept_[id] = true;
  for (at_ = function.begin; at_ < function.end; ++at_) {
    const Instruction instruction = module_[at_];
    const spv::Op op = instruction.op();
    if (is_debug(op)) continue;
    if (instruction.result() != 0 && op != spv::OpFunction) is_kept_[instruction.result()] = true;
    if (op == spv::OpFunction) {
      emit(head, op, {instruction.type(), id, instruction.operand(0), instruction.operand(1)});
      continue;
    }
    const bool belongs_to_head = op == spv::OpFunctionParameter || op == spv::OpVariable ||
                                 (op == spv::OpLabel && instruction.result() == function.blocks[0].label);
    if (op == spv::OpLabel) {
      block_ = module_.block_of_label(instruction.result());
      label_ = instruction.result();
    }
    if (is_in_head && belongs_to_head) {
      if (op == spv::OpVariable && facts_.is_buffer_pointer(instruction.operand(1))) {
        return refuse("a variable begins as an address of a buffer");
      }
      writer_.copy(head, instruction);
      // The driver must not believe that what they point to is nowhere else.
      const bool is_pointer = op == spv::OpFunctionParameter && facts_.is_buffer_pointer(instruction.result());
      const Id pointee = facts_.pointee(instruction.result());
      const auto inner = module_.definition(pointee);
      const bool holds_pointer = op == spv::OpVariable && inner && inner->op() == spv::OpTypePointer;
      const auto says = [&](spv::Decoration kind) {
        return module_.decoration(instruction.result(), kind).has_value();
      };
      if (is_pointer && !says(spv::DecorationAliased) && !says(spv::DecorationRestrict)) {
        writer_.decorate(instruction.result(), spv::DecorationAliased);
      }
      if (holds_pointer) writer_.decorate(instruction.result(), spv::DecorationAliasedPointer);
      continue;
    }
    is_in_head = false;
    VYRE_TRY(rewrite(instruction));
  }
  // Values that came from a block come from its last piece.
  for (const std::size_t word : phi_labels_) {
    if (const auto last = last_labels_.find(code_.words[word]); last != last_labels_.end()) {
      code_.words[word] = last->second;
    }
  }
  for (const Words* part : {&head, &prologue_.words, &code_.words}) {
    writer_.functions.insert(writer_.functions.end(), part->begin(), part->end());
  }
  return {};
}

Result<void> PointerRewriter::rewrite(const Instruction& instruction) {
  const spv::Op op = instruction.op();
  const Id first = instruction.operand(0);
  if (is_chain(op) && facts_.is_buffer_pointer(first)) return rewrite_chain(instruction);
  if (is_chain(op) && replaced_.contains(first)) return rewrite_built_in_chain(instruction);
  if (op == spv::OpLoad && facts_.is_buffer_pointer(first)) return rewrite_load(instruction);
  if (op == spv::OpStore && facts_.is_buffer_pointer(first)) return rewrite_store(instruction);
  if (op == spv::OpCopyMemory &&
      (facts_.is_buffer_pointer(first) || facts_.is_buffer_pointer(instruction.operand(1)))) {
    return rewrite_copy(instruction);
  }
  const bool is_changed_atomic = is_atomic(op) && (facts_.is_buffer_pointer(first) || options_.quirks.float_operands);
  if (is_changed_atomic) return rewrite_atomic(instruction);
  if (op == spv::OpArrayLength) return rewrite_length(instruction);
  if (op == spv::OpExtInst) return rewrite_extended(instruction);
  if (op == spv::OpPhi) {
    for (std::size_t i = 1; i < instruction.operands().size(); i += 2) {
      phi_labels_.push_back(code_.words.size() + 3 + i);
    }
  }
  bool has_pointers = false;
  for_each_used_id(module_, instruction, [&](Id id) { has_pointers = has_pointers || facts_.is_buffer_pointer(id); });
  if (has_pointers || facts_.is_buffer_pointer(instruction.result())) return copy_with_pointers(instruction);
  writer_.copy(code_.words, instruction);
  return {};
}

Result<void> PointerRewriter::copy_with_pointers(const Instruction& instruction) {
  switch (instruction.op()) {
    case spv::OpCopyObject: places_[instruction.result()] = place_of(instruction.operand(0)); break;
    case spv::OpSelect: VYRE_TRY(select_length(instruction)); break;
    case spv::OpPhi:
    case spv::OpFunctionCall:
    case spv::OpReturnValue:
    case spv::OpStore:  // Of the pointer itself.
    case spv::OpLoad:
    case spv::OpUndef: break;
    default: return refuse(fmt::format("{} takes the address of a buffer", instruction.name()));
  }
  const std::size_t begin = code_.words.size();
  Words words(instruction.words().begin(), instruction.words().end());
  Result<void> result;
  std::size_t at = 1;
  for_each_operand(module_, instruction, [&](const spirv::Operand& operand) {
    const bool is_used = operand.is_id() && operand.kind != spirv::OperandKind::IdResult;
    if (result && is_used && facts_.is_buffer_pointer(operand.words[0])) {
      const Result<Id> pointer = pointer_of(operand.words[0]);
      if (pointer) {
        words[at] = *pointer;
      } else {
        result = std::unexpected{pointer.error()};
      }
    }
    at += operand.words.size();
  });
  // Phis stand at the beginning of a block, so that what they take is made in the prologue or was made before.
  if (code_.words.size() != begin && instruction.op() == spv::OpPhi) {
    return refuse("OpPhi takes the address of a buffer of an array of buffers");
  }
  code_.words.insert(code_.words.end(), words.begin(), words.end());
  return result;
}

Result<void> PointerRewriter::select_length(const Instruction& select) {
  if (!has_runtime_array(facts_.pointee(select.result()))) return {};
  const Place first = place_of(select.operand(1));
  const Place second = place_of(select.operand(2));
  const bool is_known = (first.entry || first.length != 0) && (second.entry || second.length != 0);
  if (!is_known || first.entry == second.entry) return {};
  VYRE_ASSIGN(const Id one, length_of(first));
  VYRE_ASSIGN(const Id other, length_of(second));
  Place place{.may_be_null = true};
  place.length = code_.value(spv::OpSelect, types_.uint, {select.operand(0), one, other});
  places_[select.result()] = place;
  return {};
}

PointerRewriter::Place PointerRewriter::place_of(Id pointer) {
  if (const auto found = places_.find(pointer); found != places_.end()) return found->second;
  Place place;
  const Id origin = facts_.origins[pointer];
  if (const auto found = facts_.buffer_of.find(origin); found != facts_.buffer_of.end()) {
    const BufferVariable& buffer = facts_.buffers[found->second];
    if (!buffer.is_array) place.entry = buffer.first_entry;
  }
  const bool is_variable = module_.definition_op(pointer) == spv::OpVariable;
  place.may_be_null = !is_variable;
  places_.emplace(pointer, place);
  return place;
}

Result<Id> PointerRewriter::pointer_of(Id id) {
  if (id == facts_.push) {
    if (params_pointer_ == 0) {
      if (record_pointer_ == 0) {
        if (state_.record == 0) state_.record = writer_.variable(spv::StorageClassPrivate, types_.uvec2);
        const Id words = prologue_.value(spv::OpLoad, types_.uvec2, {state_.record});
        record_pointer_ = prologue_.value(spv::OpBitcast, types_.record_pointer, {words});
      }
      params_pointer_ = prologue_.value(spv::OpAccessChain, module_.type_of(id),
                                        {record_pointer_, writer_.constant(types_.params_member)});
    }
    return params_pointer_;
  }
  const auto found = facts_.buffer_of.find(id);
  if (found == facts_.buffer_of.end()) return id;
  const BufferVariable& buffer = facts_.buffers[found->second];
  if (buffer.is_array) return refuse("the address of a whole array of buffers is taken");
  return entry_address(buffer.first_entry, module_.type_of(id));
}

Id PointerRewriter::private_address(std::uint32_t entry) {
  Id& variable = state_.addresses[entry];
  if (variable == 0) variable = writer_.variable(spv::StorageClassPrivate, types_.uvec2);
  return variable;
}

Id PointerRewriter::entry_address(std::uint32_t entry, Id pointer_type) {
  Id& pointer = entry_pointers_[{entry, pointer_type}];
  if (pointer == 0) {
    const Id words = prologue_.value(spv::OpLoad, types_.uvec2, {private_address(entry)});
    pointer = prologue_.value(spv::OpBitcast, pointer_type, {words});
  }
  return pointer;
}

Result<Id> PointerRewriter::length_of(const Place& place) {
  if (place.length != 0) return place.length;
  if (!place.entry) return refuse("a runtime array is reached through an address whose buffer is not known");
  Id& length = entry_lengths_[*place.entry];
  if (length == 0) {
    Id& variable = state_.lengths[*place.entry];
    if (variable == 0) variable = writer_.variable(spv::StorageClassPrivate, types_.uint);
    length = prologue_.value(spv::OpLoad, types_.uint, {variable});
  }
  return length;
}

Id PointerRewriter::entry_pointer(Code& code, Id record, Id entry, std::uint32_t member) const {
  const Id type = member == kAddressMember ? types_.uvec2 : types_.uint;
  return code.value(spv::OpAccessChain, writer_.pointer_type(kPhysical, type),
                    {record, writer_.constant(1), entry, writer_.constant(member)});
}

Result<Id> PointerRewriter::enter_array(const BufferVariable& buffer, Id index, Place& place) {
  const Id pointer_type = writer_.pointer_type(kPhysical, buffer.block);
  if (const auto known = constants_.number(index); known && *known < buffer.count) {
    place.entry = buffer.first_entry + static_cast<std::uint32_t>(*known);
    return entry_address(*place.entry, pointer_type);
  }
  const auto shape = spirv::scalar_shape(module_, module_.type_of(index));
  if (!shape || shape->width != 32) return refuse("an array of buffers is indexed by other than 32 bits");
  if (record_pointer_ == 0) {
    if (state_.record == 0) state_.record = writer_.variable(spv::StorageClassPrivate, types_.uvec2);
    const Id words = prologue_.value(spv::OpLoad, types_.uvec2, {state_.record});
    record_pointer_ = prologue_.value(spv::OpBitcast, types_.record_pointer, {words});
  }
  Id entry = code_.value(spv::OpIAdd, types_.uint, {index, writer_.constant(buffer.first_entry)});
  if (options_.robust) {
    place.valid = check_index(index, writer_.constant(buffer.count), place.valid);
    entry = code_.value(spv::OpSelect, types_.uint, {place.valid, entry, writer_.constant(buffer.first_entry)});
  }
  const Id address =
      code_.value(spv::OpLoad, types_.uvec2,
                  {entry_pointer(code_, record_pointer_, entry, kAddressMember), spv::MemoryAccessAlignedMask, 8});
  if (buffer.array_stride != 0) {
    place.length =
        code_.value(spv::OpLoad, types_.uint,
                    {entry_pointer(code_, record_pointer_, entry, kLengthMember), spv::MemoryAccessAlignedMask, 4});
  }
  return code_.value(spv::OpBitcast, pointer_type, {address});
}

bool PointerRewriter::is_proven(Id index, std::uint64_t bound) {
  if (const auto value = constants_.value(index)) {
    return value->width <= 32 ? value->bits < bound : value->as_signed() >= 0 && value->bits < bound;
  }
  const auto node = module_.definition(index);
  if (!node) return false;
  const auto right = constants_.number(node->operand(1));
  const auto left = constants_.number(node->operand(0));
  switch (node->op()) {
    case spv::OpUMod: return right && *right != 0 && *right <= bound;
    case spv::OpBitwiseAnd: return (right && *right < bound) || (left && *left < bound);
    default: return false;
  }
}

/// Whether a branch that stands before the access has compared the index with the length already.
bool PointerRewriter::is_guarded(Id index, std::uint32_t entry) {
  if (function_->blocks.size() > 4096) return false;
  if (!flow_) flow_.emplace(module_, *function_);
  const spirv::ControlFlow& flow = *flow_;
  std::uint32_t block = flow.block_of_instruction(at_);
  if (block == spirv::ControlFlow::kNone) return false;
  const auto is_length = [&](Id id) {
    const auto node = module_.definition(id);
    if (!node || node->op() != spv::OpArrayLength) return false;
    const auto found = facts_.buffer_of.find(node->operand(0));
    if (found == facts_.buffer_of.end()) return false;
    const BufferVariable& buffer = facts_.buffers[found->second];
    return !buffer.is_array && buffer.first_entry == entry;
  };
  for (int steps = 0; steps < 64; ++steps) {
    const std::uint32_t above = flow.immediate_dominator(block);
    if (above == spirv::ControlFlow::kNone || above == block) return false;
    const Instruction branch = module_[function_->blocks[above].end - 1];
    if (branch.op() == spv::OpBranchConditional && branch.operand(1) != branch.operand(2) &&
        flow.predecessors(block).size() == 1) {
      const bool holds = branch.operand(1) == function_->blocks[block].label;
      const auto test = module_.definition(branch.operand(0));
      if (test && test->operands().size() == 2) {
        const Id a = test->operand(0);
        const Id b = test->operand(1);
        const spv::Op op = test->op();
        if (op == spv::OpULessThan && holds && a == index && is_length(b)) return true;
        if (op == spv::OpUGreaterThan && holds && b == index && is_length(a)) return true;
        if (op == spv::OpUGreaterThanEqual && !holds && a == index && is_length(b)) return true;
        if (op == spv::OpULessThanEqual && !holds && b == index && is_length(a)) return true;
      }
    }
    block = above;
  }
  return false;
}

Id PointerRewriter::check_index(Id index, Id bound, Id valid) {
  const auto shape = spirv::scalar_shape(module_, module_.type_of(index));
  Id compared = index;
  Id limit = bound;
  if (shape && shape->width < 32) {
    compared = shape->is_signed ? code_.value(spv::OpSConvert, writer_.int_type(32, true), {index})
                                : code_.value(spv::OpUConvert, types_.uint, {index});
  } else if (shape && shape->width > 32) {
    limit = code_.value(spv::OpUConvert, writer_.int_type(shape->width, false), {bound});
  }
  const Id inside = code_.value(spv::OpULessThan, writer_.bool_type(), {compared, limit});
  return valid == 0 ? inside : code_.value(spv::OpLogicalAnd, writer_.bool_type(), {valid, inside});
}

Id PointerRewriter::checked_index(Id index, Id bound, Id& valid) {
  // Where an earlier step led out, the way begins at something else, which may be smaller.
  valid = check_index(index, bound, valid);
  const Id type = module_.type_of(index);
  return code_.value(spv::OpSelect, type, {valid, index, writer_.null_constant(type)});
}

Result<Id> PointerRewriter::array_pointer(const BufferVariable* buffer, Id pointer, Id pointer_type,
                                          const Place& place) {
  // Where the array is all there is, the host gives the address of zeros for an empty one.
  if (place.entry && buffer_of_entry(*place.entry).array_offset == 0) return pointer;
  const bool is_variable = buffer != nullptr && place.entry;  // So that its address is in the prologue.
  if (is_variable) {
    if (const auto found = array_pointers_.find(*place.entry); found != array_pointers_.end()) return found->second;
  }
  VYRE_ASSIGN(const Id length, length_of(place));
  Code& code = is_variable ? prologue_ : code_;
  const Id zeros = scratch_pointer(pointer_type, false);
  const Id is_there = code.value(spv::OpINotEqual, writer_.bool_type(), {length, writer_.constant(0)});
  const Id chosen = code.value(spv::OpSelect, pointer_type, {is_there, pointer, zeros});
  if (is_variable) array_pointers_.emplace(*place.entry, chosen);
  return chosen;
}

const BufferVariable& PointerRewriter::buffer_of_entry(std::uint32_t entry) const {
  return *std::ranges::find_if(facts_.buffers, [&](const BufferVariable& buffer) {
    return entry >= buffer.first_entry && entry < buffer.first_entry + buffer.count;
  });
}

bool PointerRewriter::has_runtime_array(Id type) const {
  const auto block = module_.definition(type);
  return block && block->op() == spv::OpTypeStruct && !block->operands().empty() &&
         module_.definition_op(block->operands().back()) == spv::OpTypeRuntimeArray;
}

bool PointerRewriter::escapes(Id pointer) const {
  return std::ranges::any_of(module_.uses(pointer), [&](std::uint32_t use) {
    if (use < module_.global_count()) return false;
    const Instruction instruction = module_[use];
    const spv::Op op = instruction.op();
    const bool is_followed = is_chain(op) || op == spv::OpLoad || op == spv::OpCopyMemory || op == spv::OpArrayLength ||
                             op == spv::OpExtInst || op == spv::OpCopyObject || is_atomic(op) ||
                             (op == spv::OpStore && instruction.operand(1) != pointer);
    return !is_followed;
  });
}

Result<void> PointerRewriter::rewrite_built_in_chain(const Instruction& chain) {
  Words all{writer_.pointer_type(spv::StorageClassPrivate, facts_.pointee(chain.result())), chain.result()};
  all.insert(all.end(), chain.operands().begin(), chain.operands().end());
  emit(code_.words, chain.op(), all);
  return {};
}

Result<void> PointerRewriter::rewrite_chain(const Instruction& chain) {
  const Id base = chain.operand(0);
  std::span<const std::uint32_t> indices = chain.operands().subspan(1);
  Place place;
  Id pointer = 0;
  Id type = facts_.pointee(base);
  Id base_type = module_.type_of(base);
  const auto variable = facts_.buffer_of.find(base);
  const BufferVariable* buffer = variable == facts_.buffer_of.end() ? nullptr : &facts_.buffers[variable->second];
  if (buffer != nullptr && buffer->is_array) {
    if (indices.empty()) return refuse("the address of a whole array of buffers is taken");
    VYRE_ASSIGN(pointer, enter_array(*buffer, indices[0], place));
    indices = indices.subspan(1);
    type = buffer->block;
    base_type = writer_.pointer_type(kPhysical, type);
  } else {
    place = place_of(base);
    VYRE_ASSIGN(pointer, pointer_of(base));
    place.valid = options_.robust ? validity_of(pointer, place) : 0;
    // One that leads nowhere becomes one that leads to zeros, so that what is behind it can be read.
    if (place.may_be_null) {
      VYRE_ASSIGN(pointer, guarded(pointer, base_type, place.valid, type, false));
    }
  }
  std::uint32_t array_offset = 0;
  for (const BufferVariable& each : facts_.buffers) {
    if (each.block == type) array_offset = std::max(array_offset, each.array_offset);
  }
  place.may_be_null = false;
  place.vector = 0;
  place.component = 0;
  // The way down. Wherever an index could lead out of what it indexes it is made one that does not.
  Words way(indices.begin(), indices.end());
  Id before_last = 0;
  for (Id& index : way) {
    const auto definition = module_.definition(type);
    if (!definition) return refuse("an access chain goes through an unknown type");
    before_last = type;
    std::optional<std::uint64_t> bound;
    switch (definition->op()) {
      case spv::OpTypeStruct: {
        const auto member = constants_.number(index);
        if (!member || *member >= definition->operands().size()) return refuse("a member is chosen by no constant");
        type = definition->operand(*member);
        place.in_matrix = false;
        continue;
      }
      case spv::OpTypeRuntimeArray:
        type = definition->operand(0);
        if (options_.robust && !(place.entry && is_guarded(index, *place.entry))) {
          const std::uint64_t bytes = saturating_add(array_offset, extent(type));
          if (bytes > kScratchBytes) {
            return refuse(
                fmt::format("an element of a runtime array ends {} bytes behind the beginning of its buffer, "
                            "a checked one does so after at most {}",
                            bytes, kScratchBytes));
          }
          VYRE_ASSIGN(const Id length, length_of(place));
          index = checked_index(index, length, place.valid);
          VYRE_ASSIGN(pointer, array_pointer(buffer, pointer, base_type, place));
        }
        continue;
      case spv::OpTypeArray: bound = constants_.number(definition->operand(1)); break;
      case spv::OpTypeMatrix: place.in_matrix = true; [[fallthrough]];
      case spv::OpTypeVector: bound = definition->operand(1); break;
      default: return refuse(fmt::format("an access chain goes into {}", definition->name()));
    }
    type = definition->operand(0);
    if (!options_.robust) continue;
    if (!bound || *bound == 0) return refuse("an array has a length that is not known");
    if (!is_proven(index, *bound)) {
      constexpr std::uint64_t kMostElements = 0x7fff'ffff;
      index = checked_index(index, writer_.constant(static_cast<std::uint32_t>(std::min(*bound, kMostElements))),
                            place.valid);
    }
  }
  for (Id each = type;;) {
    const auto definition = module_.definition(each);
    if (definition && definition->op() == spv::OpTypeMatrix) place.in_matrix = true;
    if (!definition || definition->op() != spv::OpTypeArray) break;
    each = definition->operand(0);
  }
  const Id result_type = chain.type();
  const auto write = [&](Id result, Id its_type, std::span<const std::uint32_t> steps) {
    Words all{its_type, result, pointer};
    all.insert(all.end(), steps.begin(), steps.end());
    emit(code_.words, spv::OpAccessChain, all);
  };
  // Those of push constants are loaded whole at the beginning, if at all.
  const bool is_param = facts_.origins[base] == facts_.push && facts_.push != 0;
  const bool is_component = module_.definition_op(before_last) == spv::OpTypeVector;
  if (options_.quirks.component_loads && is_component && (is_param || whole_vectors_.contains(before_last))) {
    if (way.size() > 1) {
      place.vector = writer_.fresh();
      write(place.vector, writer_.pointer_type(kPhysical, before_last), std::span{way}.first(way.size() - 1));
    } else {
      place.vector = pointer;
    }
    place.vector_type = before_last;
    place.component = way.back();
  }
  const bool becomes_null = place.valid != 0 && escapes(chain.result());
  const Id raw = becomes_null ? writer_.fresh() : chain.result();
  if (way.empty()) {
    code_.named(spv::OpBitcast, result_type, raw, {pointer});  // Of another id, perhaps, for the same type.
  } else {
    write(raw, result_type, way);
  }
  if (becomes_null) {
    const Id zero = writer_.composite(types_.uvec2, {writer_.constant(0), writer_.constant(0)});
    const Id null = code_.value(spv::OpBitcast, result_type, {zero});
    code_.named(spv::OpSelect, result_type, chain.result(), {place.valid, raw, null});
  }
  places_[chain.result()] = place;
  return {};
}

Id PointerRewriter::validity_of(Id pointer, const Place& place) {
  if (!place.may_be_null) return place.valid;
  const Id words = code_.value(spv::OpBitcast, types_.uvec2, {pointer});
  const Id low = code_.value(spv::OpCompositeExtract, types_.uint, {words, 0});
  const Id high = code_.value(spv::OpCompositeExtract, types_.uint, {words, 1});
  const Id bits = code_.value(spv::OpBitwiseOr, types_.uint, {low, high});
  return code_.value(spv::OpINotEqual, writer_.bool_type(), {bits, writer_.constant(0)});
}

Id PointerRewriter::scratch_pointer(Id pointer_type, bool writes) {
  Id& pointer = scratch_pointers_[{pointer_type, writes}];
  if (pointer == 0) {
    if (state_.scratch == 0) state_.scratch = writer_.variable(spv::StorageClassPrivate, types_.uvec2);
    Id words = prologue_.value(spv::OpLoad, types_.uvec2, {state_.scratch});
    if (writes) {
      const Id behind = writer_.composite(types_.uvec2, {writer_.constant(kScratchBytes), writer_.constant(0)});
      words = prologue_.value(spv::OpBitwiseOr, types_.uvec2, {words, behind});
    }
    pointer = prologue_.value(spv::OpBitcast, pointer_type, {words});
  }
  return pointer;
}

Result<Id> PointerRewriter::guarded(Id pointer, Id pointer_type, Id valid, Id type, bool writes) {
  if (valid == 0) return pointer;
  const std::uint64_t bytes = extent(type);
  if (bytes > kScratchBytes) {
    return refuse(fmt::format("a value of {} bytes is {} at once, a checked one has at most {}", bytes,
                              writes ? "written" : "read", kScratchBytes));
  }
  return code_.value(spv::OpSelect, pointer_type, {valid, pointer, scratch_pointer(pointer_type, writes)});
}

std::uint32_t PointerRewriter::alignment(Id type) const {
  const auto definition = module_.definition(type);
  if (!definition) return 4;
  switch (definition->op()) {
    case spv::OpTypeInt:
    case spv::OpTypeFloat: return std::max(definition->operand(0) / 8, 1U);
    case spv::OpTypePointer: return 8;
    case spv::OpTypeVector:
    case spv::OpTypeMatrix:
    case spv::OpTypeArray:
    case spv::OpTypeRuntimeArray: return alignment(definition->operand(0));
    case spv::OpTypeStruct: {
      std::uint32_t most = 1;
      for (const Id member : definition->operands()) most = std::max(most, alignment(member));
      return most;
    }
    default: return 4;
  }
}

std::uint64_t PointerRewriter::extent(Id type) {
  const auto definition = module_.definition(type);
  if (!definition) return 0;
  switch (definition->op()) {
    case spv::OpTypeInt:
    case spv::OpTypeFloat: return definition->operand(0) / 8;
    case spv::OpTypePointer: return 8;
    case spv::OpTypeVector: return saturating_mul(definition->operand(1), extent(definition->operand(0)));
    case spv::OpTypeMatrix: return 0;  // Its stride is its structure's to say.
    case spv::OpTypeArray: {
      const std::uint64_t stride = module_.decoration(type, spv::DecorationArrayStride).value_or(0);
      return saturating_mul(constants_.number(definition->operand(1)).value_or(0),
                            std::max(stride, extent(definition->operand(0))));
    }
    case spv::OpTypeStruct: {
      std::uint64_t end = 0;
      for (std::uint32_t i = 0; i < definition->operands().size(); ++i) {
        const std::uint64_t offset = module_.decoration(type, spv::DecorationOffset, i).value_or(0);
        const std::uint64_t stride = module_.decoration(type, spv::DecorationMatrixStride, i).value_or(0);
        end = std::max(end, saturating_add(offset, std::max(extent(definition->operand(i)), 4 * stride)));
      }
      return end;
    }
    default: return 0;
  }
}

Words PointerRewriter::aligned(std::span<const std::uint32_t> operands, Id type) const {
  Words all(operands.begin(), operands.end());
  if (all.empty()) all.push_back(0);
  if ((all[0] & spv::MemoryAccessAlignedMask) == 0) {
    all[0] |= spv::MemoryAccessAlignedMask;
    // The parameters of low bits come first, and only one without a parameter is lower.
    all.insert(all.begin() + 1, alignment(type));
  }
  return all;
}

}  // namespace vyre::program::forms
