#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <vyre/program/forms/pointer_rewriter.hpp>
#include <vyre/program/saturating.hpp>
#include <vyre/program/spirv/opcodes.hpp>

// The ways from a buffer to what is in it: every index checked, unless it is known to stay inside.

namespace vyre::program::forms {
namespace {

using spirv::Instruction;
using spirv::is_access_chain;
using spirv::is_atomic;

}  // namespace

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

Result<Id> PointerRewriter::enter_array(const BufferVariable& buffer, const Instruction& chain, Place& place) {
  const Id index = chain.operand(1);
  const Id pointer_type = writer_.pointer_type(kPhysical, buffer.block);
  if (const auto known = constants_.number(index); known && *known < buffer.count) {
    place.entry = buffer.first_entry + static_cast<std::uint32_t>(*known);
    return entry_address(*place.entry, pointer_type);
  }
  const auto shape = spirv::scalar_shape(module_, module_.type_of(index));
  if (!shape || shape->width != 32) return refuse("an array of buffers is indexed by other than 32 bits");
  const Id record = record_pointer();
  Id entry = code_.value(spv::OpIAdd, types_.uint, {index, writer_.constant(buffer.first_entry)});
  if (options_.robust) {
    place.valid = check_index(index, writer_.constant(buffer.count), place.valid);
    entry = code_.value(spv::OpSelect, types_.uint, {place.valid, entry, writer_.constant(buffer.first_entry)});
  }
  const bool kept = outlives_loop(chain.result());
  const auto load_member = [&](Id type, std::uint32_t member, std::uint32_t alignment) -> Result<Id> {
    const Id from = entry_pointer(code_, record, entry, member);
    const Id found = code_.value(spv::OpLoad, type, {from, spv::MemoryAccessAlignedMask, alignment});
    if (!kept) return found;
    const Id result = writer_.fresh();
    VYRE_TRY(keep(type, found, result));
    return result;
  };
  VYRE_ASSIGN(const Id address, load_member(types_.uvec2, kAddressMember, 8));
  if (buffer.array_stride != 0) {
    VYRE_ASSIGN(place.length, load_member(types_.uint, kLengthMember, 4));
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
    const bool is_followed = is_access_chain(op) || op == spv::OpLoad || op == spv::OpCopyMemory ||
                             op == spv::OpArrayLength || op == spv::OpExtInst || op == spv::OpCopyObject ||
                             is_atomic(op) || (op == spv::OpStore && instruction.operand(1) != pointer);
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
    VYRE_ASSIGN(pointer, enter_array(*buffer, chain, place));
    indices = indices.subspan(1);
    type = buffer->block;
    place.is_aligned = true;
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
    const bool is_array = definition->op() == spv::OpTypeArray || definition->op() == spv::OpTypeRuntimeArray;
    if (is_array) place.is_aligned &= module_.decoration(type, spv::DecorationArrayStride).value_or(0) % 8 == 0;
    std::optional<std::uint64_t> bound;
    switch (definition->op()) {
      case spv::OpTypeStruct: {
        const auto member = constants_.number(index);
        if (!member || *member >= definition->operands().size()) return refuse("a member is chosen by no constant");
        place.is_aligned &=
            module_.decoration(type, spv::DecorationOffset, static_cast<std::uint32_t>(*member)).value_or(0) % 8 == 0;
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
    // The same pointer. A type may have several ids; then by way of words, since not every driver casts pointers.
    if (base_type == result_type) {
      code_.named(spv::OpCopyObject, result_type, raw, {pointer});
    } else {
      const Id words = code_.value(spv::OpBitcast, types_.uvec2, {pointer});
      code_.named(spv::OpBitcast, result_type, raw, {words});
    }
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

}  // namespace vyre::program::forms
