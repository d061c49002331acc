#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <vyre/program/forms/pointer_rewriter.hpp>
#include <vyre/program/saturating.hpp>
#include <vyre/program/spirv/opcodes.hpp>

// The ways from a buffer to what is in it.

namespace vyre::program::forms {
namespace {

using spirv::Instruction;
using spirv::is_access_chain;
using spirv::is_atomic;

/// Chains of chains are gone from their beginning, each; longer ones are refused.
constexpr std::size_t kMostSteps = 64;

}  // namespace

Result<void> PointerRewriter::select_view(const Instruction& select) {
  if (!is_block(facts_.pointee(select.result()))) return {};
  const Place first = place_of(select.operand(1));
  const Place second = place_of(select.operand(2));
  if (first.entry && first.entry == second.entry) return {};
  Place place{.may_be_null = true};
  const auto choose_between = [&](Id one, Id other) {
    return code_.value(spv::OpSelect, types_.uint, {select.operand(0), one, other});
  };
  if ((first.entry || first.bytes != 0) && (second.entry || second.bytes != 0)) {
    VYRE_ASSIGN(const Id bytes, bytes_of(first));
    VYRE_ASSIGN(const Id other_bytes, bytes_of(second));
    place.bytes = choose_between(bytes, other_bytes);
  }
  const bool has_lengths = (first.entry || first.length != 0) && (second.entry || second.length != 0);
  if (has_lengths && has_runtime_array(facts_.pointee(select.result()))) {
    VYRE_ASSIGN(const Id length, length_of(first));
    VYRE_ASSIGN(const Id other_length, length_of(second));
    place.length = choose_between(length, other_length);
  }
  places_[select.result()] = place;
  return {};
}

Result<Id> PointerRewriter::enter_array(const BufferVariable& buffer, Id index, bool kept, Place& place) {
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
    place.base_valid = check_index(index, writer_.constant(buffer.count), 0);
    entry = code_.value(spv::OpSelect, types_.uint, {place.base_valid, entry, writer_.constant(buffer.first_entry)});
  }
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
  const bool is_array_alone = module_.definition(buffer.block)->operands().size() == 1 && buffer.array_stride != 0;
  if (options_.robust && !is_array_alone) {
    VYRE_ASSIGN(place.bytes, load_member(types_.uint, kBytesMember, 4));
  }
  return code_.value(spv::OpBitcast, pointer_type, {address});
}

Result<Id> PointerRewriter::array_pointer(bool is_of_variable, Id pointer, Id pointer_type, const Place& place,
                                          std::uint64_t array_offset) {
  // Where the array is all there is, the host gives the address of zeros for an empty one.
  if (place.entry && array_offset == 0) return pointer;
  const bool is_variable = is_of_variable && place.entry;  // So that its address is in the prologue.
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
                             op == spv::OpPtrAccessChain || op == spv::OpPtrEqual || op == spv::OpPtrNotEqual ||
                             op == spv::OpPtrDiff || is_atomic(op) ||
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

bool PointerRewriter::is_block(Id type) const {
  return std::ranges::any_of(facts_.buffers, [&](const BufferVariable& buffer) { return buffer.block == type; });
}

bool PointerRewriter::holds_matrix(Id type) const {
  const auto definition = module_.definition(type);
  if (!definition) return false;
  if (definition->op() == spv::OpTypeMatrix) return true;
  const bool is_array = definition->op() == spv::OpTypeArray || definition->op() == spv::OpTypeRuntimeArray;
  return is_array && holds_matrix(definition->operand(0));
}

std::uint64_t PointerRewriter::bytes_in(Id type, const MatrixLayout& layout) {
  const auto definition = module_.definition(type);
  if (!definition) return 0;
  switch (definition->op()) {
    case spv::OpTypeMatrix: {
      const auto column = module_.definition(definition->operand(0));
      const std::uint64_t scalar = extent(column->operand(0));
      const std::uint64_t columns = definition->operand(1);
      const std::uint64_t rows = column->operand(1);
      const std::uint64_t lines = layout.is_row_major ? rows : columns;
      return (lines - 1) * layout.stride + (layout.is_row_major ? columns : rows) * scalar;
    }
    case spv::OpTypeArray: {
      const std::uint64_t count = constants_.number(definition->operand(1)).value_or(1);
      const std::uint64_t stride = module_.decoration(type, spv::DecorationArrayStride).value_or(0);
      return saturating_add(saturating_mul(std::max<std::uint64_t>(count, 1) - 1, stride),
                            bytes_in(definition->operand(0), layout));
    }
    case spv::OpTypeStruct: {
      std::uint64_t end = 0;
      for (std::uint32_t i = 0; i < definition->operands().size(); ++i) {
        const std::uint64_t offset = module_.decoration(type, spv::DecorationOffset, i).value_or(0);
        end = std::max(end, saturating_add(offset, bytes_in(definition->operand(i), layout_of_member(type, i))));
      }
      return end;
    }
    default: return extent(type);
  }
}

PointerRewriter::MatrixLayout PointerRewriter::layout_of_member(Id structure, std::uint32_t member) const {
  return {.stride = module_.decoration(structure, spv::DecorationMatrixStride, member).value_or(0),
          .is_row_major = module_.decoration(structure, spv::DecorationRowMajor, member).has_value()};
}

std::optional<spirv::ConstantValue> PointerRewriter::index_value(Id index) {
  if (const auto made = made_indices_.find(index); made != made_indices_.end()) {
    return spirv::ConstantValue{.bits = made->second};
  }
  return constants_.value(index);
}

Result<PointerRewriter::Walk> PointerRewriter::look_at(std::span<const Id> indices, Id type, bool is_param,
                                                       Place& place) {
  Walk walk{.type = type};
  bool is_in_matrix = false;
  for (const Id index : indices) {
    const auto definition = module_.definition(walk.type);
    if (!definition) return refuse("an access chain goes through an unknown type");
    Step step{.index = index, .parent = walk.type};
    if (definition->op() == spv::OpTypeStruct) {
      const auto member = index_value(index);
      if (!member || member->bits >= definition->operands().size()) return refuse("a member is chosen by no constant");
      const auto which = static_cast<std::uint32_t>(member->bits);
      const std::uint32_t offset = module_.decoration(walk.type, spv::DecorationOffset, which).value_or(0);
      walk.offset = saturating_add(walk.offset, offset);
      walk.layout = layout_of_member(walk.type, which);
      place.is_aligned &= offset % 8 == 0;
      place.in_matrix = is_in_matrix = false;
      walk.type = definition->operand(which);
      walk.steps.push_back(step);
      continue;
    }
    std::optional<std::uint64_t> bound;
    switch (definition->op()) {
      case spv::OpTypeRuntimeArray:
      case spv::OpTypeArray:
        step.stride = module_.decoration(walk.type, spv::DecorationArrayStride).value_or(0);
        place.is_aligned &= step.stride % 8 == 0;
        if (definition->op() == spv::OpTypeArray) {
          bound = constants_.number(definition->operand(1));
        } else {
          walk.runtime = walk.steps.size();
          walk.array_offset = walk.offset;
        }
        break;
      case spv::OpTypeMatrix: {
        place.in_matrix = is_in_matrix = true;
        bound = definition->operand(1);
        const Id scalar = module_.definition(definition->operand(0))->operand(0);
        step.stride = walk.layout.is_row_major ? extent(scalar) : walk.layout.stride;
        break;
      }
      case spv::OpTypeVector:
        bound = definition->operand(1);
        step.stride = is_in_matrix && walk.layout.is_row_major ? walk.layout.stride : extent(definition->operand(0));
        break;
      default: return refuse(fmt::format("an access chain goes into {}", definition->name()));
    }
    const auto value = index_value(index);
    const bool is_short = value && bound && value->bits < *bound && value->as_signed() >= 0;
    if (is_short) {
      walk.offset = saturating_add(walk.offset, saturating_mul(value->bits, step.stride));
    } else {
      step.is_dynamic = true;
      const bool is_guarded_by_length = definition->op() == spv::OpTypeRuntimeArray && options_.robust && place.entry &&
                                        is_guarded(index, *place.entry);
      step.may_leave = !is_guarded_by_length && !(bound && is_proven(index, *bound));
      step.is_open = options_.robust && step.may_leave;
      if (step.is_open && step.stride == 0) return refuse("an index goes into a matrix that no structure lays out");
    }
    if (step.is_open && is_param) {
      // Push constants have no view: what is declared is all there is.
      if (!bound || *bound == 0) return refuse("an array has a length that is not known");
      constexpr std::uint64_t kMostElements = 0x7fff'ffff;
      const Id limit = writer_.constant(static_cast<std::uint32_t>(std::min(*bound, kMostElements)));
      step.index = checked_index(index, limit, place.base_valid);
      step.may_leave = step.is_open = false;
    }
    walk.type = definition->operand(0);
    walk.steps.push_back(step);
  }
  return walk;
}

Id PointerRewriter::endless(Id element, std::uint32_t stride) {
  Id& type = endless_[{element, stride}];
  if (type == 0) {
    const std::pair<Id, std::uint32_t> member{writer_.runtime_array_type(element, stride), 0};
    type = writer_.struct_type(std::span{&member, 1});
    writer_.decorate(type, spv::DecorationBlock);
  }
  return type;
}

void PointerRewriter::cast_pointer(Id pointer, Id type, Id result, Id result_type) {
  if (type == result_type) {
    code_.named(spv::OpCopyObject, result_type, result, {pointer});
    return;
  }
  // By way of words, since not every driver casts pointers.
  const Id words = code_.value(spv::OpBitcast, types_.uvec2, {pointer});
  code_.named(spv::OpBitcast, result_type, result, {words});
}

void PointerRewriter::write_chain(const Walk& walk, Id pointer, Id pointer_type, Id result, Id result_type) {
  Words way;
  const auto write = [&](Id its_result, Id its_type) {
    if (way.empty()) {
      cast_pointer(pointer, pointer_type, its_result, its_type);
      return;
    }
    Words all{its_type, its_result, pointer};
    all.insert(all.end(), way.begin(), way.end());
    emit(code_.words, spv::OpAccessChain, all);
  };
  for (const Step& step : walk.steps) {
    const spv::Op parent = module_.definition_op(step.parent);
    const bool is_declared = parent == spv::OpTypeArray || parent == spv::OpTypeVector;
    const Id element = module_.definition(step.parent)->operand(0);
    const bool is_packed = parent != spv::OpTypeVector || step.stride == extent(element);
    if (step.may_leave && is_declared && is_packed && step.stride != 0 && !holds_matrix(element)) {
      const Id here = writer_.fresh();
      const Id here_type = way.empty() ? pointer_type : writer_.pointer_type(kPhysical, step.parent);
      write(here, here_type);
      way.clear();
      pointer = writer_.fresh();
      pointer_type = writer_.pointer_type(kPhysical, endless(element, static_cast<std::uint32_t>(step.stride)));
      cast_pointer(here, here_type, pointer, pointer_type);
      way.push_back(writer_.constant(0));
    }
    way.push_back(step.index);
  }
  write(result, result_type);
}

Result<void> PointerRewriter::follow(const Way& way, Id result, Id result_type, std::uint64_t needed, bool kept,
                                     Place& place) {
  const Id root = way.root;
  std::span<const Id> indices{way.indices};
  if (indices.size() > kMostSteps) {
    return refuse(fmt::format("an access chain has {} indices, the limit is {}", indices.size(), kMostSteps));
  }
  const auto variable = facts_.buffer_of.find(root);
  const BufferVariable* buffer = variable == facts_.buffer_of.end() ? nullptr : &facts_.buffers[variable->second];
  const bool is_param = facts_.push != 0 && facts_.origins[root] == facts_.push;
  Id pointer = 0;
  Id type = facts_.pointee(root);
  Id type_of_root = module_.type_of(root);
  place = {};
  if (buffer != nullptr && buffer->is_array) {
    if (indices.empty()) return refuse("the address of a whole array of buffers is taken");
    VYRE_ASSIGN(pointer, enter_array(*buffer, indices[0], kept, place));
    indices = indices.subspan(1);
    type = buffer->block;
    place.is_aligned = true;
    type_of_root = writer_.pointer_type(kPhysical, type);
  } else {
    place = place_of(root);
    VYRE_ASSIGN(pointer, pointer_of(root));
    place.base_valid = options_.robust ? validity_of(pointer, place) : 0;
    // One that leads nowhere becomes one that leads to zeros, so that what is behind it can be read.
    if (place.may_be_null) {
      VYRE_ASSIGN(pointer, guarded(pointer, type_of_root, place.base_valid, type, false));
    }
  }
  place.may_be_null = false;
  place.vector = place.vector_type = place.component = 0;
  place.way = way;
  place.distance.reset();
  VYRE_ASSIGN(Walk walk, look_at(indices, type, is_param, place));
  walk.starts_at_view = is_block(type);
  walk.starts_at_variable = buffer != nullptr;
  if (!walk.starts_at_view && place.entry && module_.definition_op(type) == spv::OpTypeRuntimeArray) {
    walk.starts_at_view = true;
    walk.array_offset = buffer_of_entry(*place.entry).array_offset;
    walk.offset = saturating_add(walk.offset, walk.array_offset);
  }
  for (Id each = walk.type;;) {
    const auto definition = module_.definition(each);
    if (definition && definition->op() == spv::OpTypeMatrix) place.in_matrix = true;
    if (!definition || definition->op() != spv::OpTypeArray) break;
    each = definition->operand(0);
  }
  if (options_.robust && !is_param) {
    if (walk.runtime && walk.steps[*walk.runtime].is_open) {
      const Id element = module_.definition(walk.steps[*walk.runtime].parent)->operand(0);
      const std::uint64_t bytes = saturating_add(walk.array_offset, extent(element));
      if (bytes > kScratchBytes) {
        return refuse(
            fmt::format("an element of a runtime array ends {} bytes behind the beginning of its buffer, "
                        "a checked one does so after at most {}",
                        bytes, kScratchBytes));
      }
    }
    if (needed == 0) needed = bytes_in(walk.type, walk.layout);
    VYRE_TRY(check_steps(walk, needed, place, root, type_of_root, pointer));
  } else {
    place.valid = place.base_valid;
  }
  place.layout = walk.layout;
  if (!walk.steps.empty()) {
    // Those of push constants are loaded whole at the beginning, if at all.
    const Step& last = walk.steps.back();
    const bool is_component = module_.definition_op(last.parent) == spv::OpTypeVector && !last.may_leave;
    const bool is_also_whole = is_param || (whole_vectors_.contains(last.parent) && is_accessed_whole(place, last));
    if (options_.quirks.component_loads && is_component && is_also_whole) {
      Walk to_vector = walk;
      to_vector.steps.pop_back();
      place.vector = pointer;
      if (!to_vector.steps.empty()) {
        place.vector = writer_.fresh();
        write_chain(to_vector, pointer, type_of_root, place.vector, writer_.pointer_type(kPhysical, last.parent));
      }
      place.vector_type = last.parent;
      place.component = last.index;
    }
  }
  write_chain(walk, pointer, type_of_root, result, result_type);
  return {};
}

Result<void> PointerRewriter::rewrite_chain(const Instruction& chain) {
  const Place base = place_of(chain.operand(0));
  Way way = base.way;
  if (way.root == 0) way.root = chain.operand(0);
  const std::span<const std::uint32_t> indices = chain.operands().subspan(1);
  way.indices.insert(way.indices.end(), indices.begin(), indices.end());
  const bool may_be_null = escapes(chain.result());
  const Id result = may_be_null ? writer_.fresh() : chain.result();
  Place place;
  VYRE_TRY(follow(way, result, chain.type(), 0, outlives_loop(chain.result()), place));
  if (may_be_null && place.valid != 0) {
    const Id zero = writer_.composite(types_.uvec2, {writer_.constant(0), writer_.constant(0)});
    const Id null = code_.value(spv::OpBitcast, chain.type(), {zero});
    code_.named(spv::OpSelect, chain.type(), chain.result(), {place.valid, result, null});
  } else if (may_be_null) {
    code_.named(spv::OpCopyObject, chain.type(), chain.result(), {result});
  }
  places_[chain.result()] = place;
  return {};
}

}  // namespace vyre::program::forms
