#include <vyre/program/forms/pointer_rewriter.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <vyre/program/saturating.hpp>
#include <vyre/program/spirv/opcodes.hpp>

namespace vyre::program::forms {
namespace {

using spirv::Function;
using spirv::Instruction;
using spirv::is_access_chain;
using spirv::is_atomic;

}  // namespace

PointerRewriter::PointerRewriter(const KernelFacts& facts, spirv::Constants& constants, FormKind kind,
                                 const FormOptions& options, ModuleWriter& writer)
    : facts_{facts},
      module_{facts.module},
      constants_{constants},
      kind_{kind},
      options_{options},
      writer_{writer},
      is_kept_(facts.module.id_bound(), false),
      code_{writer},
      prologue_{writer} {
  // What is said of members is not known where they are reached in another way.
  has_pairs_ = options.pairs;
  for (std::size_t i = 0; i < module_.global_count(); ++i) {
    const Instruction each = module_[i];
    const bool is_member = each.op() == spv::OpMemberDecorate;
    if (!is_member && each.op() != spv::OpDecorate) continue;
    const std::uint32_t decoration = each.operand(is_member ? 2 : 1);
    has_row_major_ = has_row_major_ || decoration == spv::DecorationRowMajor;
    if (decoration == spv::DecorationCoherent || decoration == spv::DecorationVolatile) has_pairs_ = false;
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
  entry_bytes_.clear();
  limits_.clear();
  shifted_lengths_.clear();
  scratch_pointers_.clear();
  flow_.reset();
  loops_.reset();
  last_labels_.clear();
  phi_labels_.clear();
  array_pointers_.clear();
  params_pointer_ = 0;
  record_pointer_ = 0;
  if (function.blocks.empty()) return refuse("a function has no body");
  VYRE_TRY(find_offsets(function));

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
  const bool is_element_chain = instruction.op() == spv::OpPtrAccessChain;
  if (is_element_chain && facts_.is_buffer_pointer(instruction.result())) return rewrite_element_chain(instruction);
  VYRE_TRY(rewrite_plainly(instruction));
  return offsets_.contains(instruction.result()) ? write_offset(instruction) : Result<void>{};
}

Result<void> PointerRewriter::rewrite_plainly(const Instruction& instruction) {
  const spv::Op op = instruction.op();
  const Id first = instruction.operand(0);
  const bool is_comparison = op == spv::OpPtrEqual || op == spv::OpPtrNotEqual || op == spv::OpPtrDiff;
  if (is_comparison && facts_.is_buffer_pointer(first)) return rewrite_comparison(instruction);
  if (is_access_chain(op) && facts_.is_buffer_pointer(first)) return rewrite_chain(instruction);
  if (is_access_chain(op) && replaced_.contains(first)) return rewrite_built_in_chain(instruction);
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
    case spv::OpSelect: VYRE_TRY(select_view(instruction)); break;
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
  place.is_aligned = is_variable && facts_.buffer_of.contains(pointer);
  places_.emplace(pointer, place);
  return place;
}

Result<Id> PointerRewriter::pointer_of(Id id) {
  if (id == facts_.push) {
    if (params_pointer_ == 0) {
      params_pointer_ = prologue_.value(spv::OpAccessChain, module_.type_of(id),
                                        {record_pointer(), writer_.constant(types_.params_member)});
    }
    return params_pointer_;
  }
  const auto found = facts_.buffer_of.find(id);
  if (found == facts_.buffer_of.end()) return id;
  const BufferVariable& buffer = facts_.buffers[found->second];
  if (buffer.is_array) return refuse("the address of a whole array of buffers is taken");
  return entry_address(buffer.first_entry, module_.type_of(id));
}

Id PointerRewriter::from_private(Id& variable, Id type, Code& code) {
  if (variable == 0) variable = writer_.variable(spv::StorageClassPrivate, type);
  return code.value(spv::OpLoad, type, {variable});
}

Id PointerRewriter::record_pointer() {
  if (record_pointer_ == 0) {
    const Id words = from_private(state_.record, types_.uvec2, prologue_);
    record_pointer_ = prologue_.value(spv::OpBitcast, types_.record_pointer, {words});
  }
  return record_pointer_;
}

Id PointerRewriter::entry_address(std::uint32_t entry, Id pointer_type) {
  Id& pointer = entry_pointers_[{entry, pointer_type}];
  if (pointer == 0) {
    const Id words = from_private(state_.addresses[entry], types_.uvec2, prologue_);
    pointer = prologue_.value(spv::OpBitcast, pointer_type, {words});
  }
  return pointer;
}

Result<Id> PointerRewriter::length_of(const Place& place) {
  if (place.length != 0) return place.length;
  if (!place.entry) return refuse("a runtime array is reached through an address whose buffer is not known");
  Id& length = entry_lengths_[*place.entry];
  if (length == 0) length = from_private(state_.lengths[*place.entry], types_.uint, prologue_);
  return length;
}

Id PointerRewriter::entry_pointer(Code& code, Id record, Id entry, std::uint32_t member) const {
  const Id type = member == kAddressMember ? types_.uvec2 : types_.uint;
  return code.value(spv::OpAccessChain, writer_.pointer_type(kPhysical, type),
                    {record, writer_.constant(1), entry, writer_.constant(member)});
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
    Id words = from_private(state_.scratch, types_.uvec2, prologue_);
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

Words PointerRewriter::memory_operands(std::span<const std::uint32_t> operands, std::uint32_t alignment) const {
  Words all(operands.begin(), operands.end());
  if (all.empty()) all.push_back(0);
  // The parameters of low bits come first, and only one without a parameter is lower.
  if ((all[0] & spv::MemoryAccessAlignedMask) == 0) {
    all[0] |= spv::MemoryAccessAlignedMask;
    all.insert(all.begin() + 1, alignment);
  } else {
    all[1] = std::max(all[1], alignment);
  }
  // In a chain, others read and write the same bytes: barriers order only accesses that are not private.
  if (kind_ == FormKind::Chain && facts_.has_vulkan_memory_model) all[0] |= spv::MemoryAccessNonPrivatePointerMask;
  return all;
}

}  // namespace vyre::program::forms
