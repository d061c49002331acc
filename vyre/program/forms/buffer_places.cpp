#include <vyre/program/forms/buffer_places.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include <vyre/program/saturating.hpp>
#include <vyre/program/spirv/opcodes.hpp>

namespace vyre::program::forms {
namespace {

using spirv::Instruction;
using spirv::is_access_chain;
using spirv::is_atomic;

/// The most access chains on top of each other. Each is analysed from its root, so longer ones are refused.
constexpr std::size_t kMostSteps = 64;

}  // namespace

void BufferPlaces::note_vectors(Id type) {
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

Place BufferPlaces::place_of(Id pointer) {
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

Result<Id> BufferPlaces::pointer_of(Id id) {
  if (id == facts_.push) return record_.params_pointer(module_.type_of(id));
  const auto found = facts_.buffer_of.find(id);
  if (found == facts_.buffer_of.end()) return id;
  const BufferVariable& buffer = facts_.buffers[found->second];
  if (buffer.is_array) return refuse("the address of a whole array of buffers is taken");
  return record_.entry_address(buffer.first_entry, module_.type_of(id));
}

Id BufferPlaces::validity_of(Id pointer, const Place& place) {
  if (!place.may_be_null) return place.valid;
  const Id words = code_.value(spv::OpBitcast, types_.uvec2, {pointer});
  const Id low = code_.value(spv::OpCompositeExtract, types_.uint, {words, 0});
  const Id high = code_.value(spv::OpCompositeExtract, types_.uint, {words, 1});
  const Id bits = code_.value(spv::OpBitwiseOr, types_.uint, {low, high});
  return code_.value(spv::OpINotEqual, writer_.bool_type(), {bits, writer_.constant(0)});
}

Result<Id> BufferPlaces::guarded(Id pointer, Id pointer_type, Id valid, Id type, bool writes) {
  if (valid == 0) return pointer;
  const std::uint64_t bytes = sizes_.extent(type);
  if (bytes > kScratchBytes) {
    return refuse(fmt::format("a value of {} bytes is {} at once, a checked one has at most {}", bytes,
                              writes ? "written" : "read", kScratchBytes));
  }
  return code_.value(spv::OpSelect, pointer_type, {valid, pointer, record_.scratch_pointer(pointer_type, writes)});
}

Result<void> BufferPlaces::select_view(const Instruction& select) {
  if (!is_block(facts_.pointee(select.result()))) return {};
  const Place first = place_of(select.operand(1));
  const Place second = place_of(select.operand(2));
  if (first.entry && first.entry == second.entry) return {};
  Place place{.may_be_null = true};
  const auto choose_between = [&](Id one, Id other) {
    return code_.value(spv::OpSelect, types_.uint, {select.operand(0), one, other});
  };
  if ((first.entry || first.bytes != 0) && (second.entry || second.bytes != 0)) {
    VYRE_ASSIGN(const Id bytes, bounds_.bytes_of(first));
    VYRE_ASSIGN(const Id other_bytes, bounds_.bytes_of(second));
    place.bytes = choose_between(bytes, other_bytes);
  }
  const bool has_lengths = (first.entry || first.length != 0) && (second.entry || second.length != 0);
  if (has_lengths && sizes_.has_runtime_array(facts_.pointee(select.result()))) {
    VYRE_ASSIGN(const Id length, bounds_.length_of(first));
    VYRE_ASSIGN(const Id other_length, bounds_.length_of(second));
    place.length = choose_between(length, other_length);
  }
  places_[select.result()] = place;
  return {};
}

Result<Id> BufferPlaces::enter_array(const BufferVariable& buffer, Id index, bool kept, Place& place) {
  const Id pointer_type = writer_.pointer_type(kPhysical, buffer.block);
  if (const auto known = constants_.number(index); known && *known < buffer.count) {
    place.entry = buffer.first_entry + static_cast<std::uint32_t>(*known);
    return record_.entry_address(*place.entry, pointer_type);
  }
  const auto shape = spirv::scalar_shape(module_, module_.type_of(index));
  if (!shape || shape->width != 32) return refuse("an array of buffers is indexed by other than 32 bits");
  const Id record = record_.record_pointer();
  Id entry = code_.value(spv::OpIAdd, types_.uint, {index, writer_.constant(buffer.first_entry)});
  if (options_.robust) {
    place.base_valid = bounds_.check_index(index, writer_.constant(buffer.count), 0);
    entry = code_.value(spv::OpSelect, types_.uint, {place.base_valid, entry, writer_.constant(buffer.first_entry)});
  }
  const auto load_member = [&](Id type, std::uint32_t member, std::uint32_t alignment) -> Result<Id> {
    const Id from = record_.entry_pointer(code_, record, entry, member);
    const Id found = code_.value(spv::OpLoad, type, {from, spv::MemoryAccessAlignedMask, alignment});
    if (!kept) return found;
    const Id result = writer_.fresh();
    VYRE_TRY(loops_.keep(type, found, result));
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

const BufferVariable& BufferPlaces::buffer_of_entry(std::uint32_t entry) const {
  return *std::ranges::find_if(facts_.buffers, [&](const BufferVariable& buffer) {
    return entry >= buffer.first_entry && entry < buffer.first_entry + buffer.count;
  });
}

bool BufferPlaces::escapes(Id pointer) const {
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

bool BufferPlaces::is_block(Id type) const {
  return std::ranges::any_of(facts_.buffers, [&](const BufferVariable& buffer) { return buffer.block == type; });
}

std::optional<spirv::ConstantValue> BufferPlaces::index_value(Id index) {
  if (const auto made = made_indices_.find(index); made != made_indices_.end()) {
    return spirv::ConstantValue{.bits = made->second};
  }
  return constants_.value(index);
}

Result<Walk> BufferPlaces::look_at(std::span<const Id> indices, Id type, bool is_param, Place& place) {
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
      walk.layout = sizes_.layout_of_member(walk.type, which);
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
        step.stride = walk.layout.is_row_major ? sizes_.extent(scalar) : walk.layout.stride;
        break;
      }
      case spv::OpTypeVector:
        bound = definition->operand(1);
        step.stride =
            is_in_matrix && walk.layout.is_row_major ? walk.layout.stride : sizes_.extent(definition->operand(0));
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
                                        bounds_.is_guarded(index, *place.entry);
      step.may_leave = !is_guarded_by_length && !(bound && bounds_.is_proven(index, *bound));
      step.is_open = options_.robust && step.may_leave;
      if (step.is_open && step.stride == 0) return refuse("an index goes into a matrix that no structure lays out");
    }
    if (step.is_open && is_param) {
      // Push constants have no view, so the declared length is the limit.
      if (!bound || *bound == 0) return refuse("an array has a length that is not known");
      constexpr std::uint64_t kMostElements = 0x7fff'ffff;
      const Id limit = writer_.constant(static_cast<std::uint32_t>(std::min(*bound, kMostElements)));
      step.index = bounds_.checked_index(index, limit, place.base_valid);
      step.may_leave = step.is_open = false;
    }
    walk.type = definition->operand(0);
    walk.steps.push_back(step);
  }
  return walk;
}

Id BufferPlaces::endless(Id element, std::uint32_t stride) {
  Id& type = endless_[{element, stride}];
  if (type == 0) {
    const std::pair<Id, std::uint32_t> member{writer_.runtime_array_type(element, stride), 0};
    type = writer_.struct_type(std::span{&member, 1});
    writer_.decorate(type, spv::DecorationBlock);
  }
  return type;
}

void BufferPlaces::cast_pointer(Id pointer, Id type, Id result, Id result_type) {
  if (type == result_type) {
    code_.named(spv::OpCopyObject, result_type, result, {pointer});
    return;
  }
  // Casts by way of two words, because some drivers cannot cast pointers.
  const Id words = code_.value(spv::OpBitcast, types_.uvec2, {pointer});
  code_.named(spv::OpBitcast, result_type, result, {words});
}

void BufferPlaces::write_chain(const Walk& walk, Id pointer, Id pointer_type, Id result, Id result_type) {
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
    const bool is_packed = parent != spv::OpTypeVector || step.stride == sizes_.extent(element);
    if (step.may_leave && is_declared && is_packed && step.stride != 0 && !sizes_.holds_matrix(element)) {
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

bool BufferPlaces::is_never_split(const Place& place, Id vector) {
  const std::uint64_t scalar = sizes_.extent(module_.definition(vector)->operand(0));
  const std::uint32_t count = module_.definition(vector)->operand(1);
  const std::uint64_t bytes = scalar * (count == 3 ? 4 : count);
  return !place.in_matrix && count <= 4 && bytes <= kReadBehind && place.distance->unit % bytes == 0 &&
         place.distance->offset % bytes == 0;
}

bool BufferPlaces::is_accessed_whole(const Place& component, const Step& last) {
  if (!component.distance) return true;
  const auto index = constants_.number(last.index);
  if (!index) return true;
  Place vector;
  vector.in_matrix = component.in_matrix;
  vector.distance = component.distance;
  vector.distance->offset -= *index * last.stride;
  return is_never_split(vector, last.parent);
}

Result<void> BufferPlaces::follow(const Way& way, Id result, Id result_type, std::uint64_t needed, bool kept,
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
    // A null pointer is replaced by one to zeros, so that it can be read.
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
      const std::uint64_t bytes = saturating_add(walk.array_offset, sizes_.extent(element));
      if (bytes > kScratchBytes) {
        return refuse(
            fmt::format("an element of a runtime array ends {} bytes behind the beginning of its buffer, "
                        "a checked one does so after at most {}",
                        bytes, kScratchBytes));
      }
    }
    if (needed == 0) needed = sizes_.bytes_in(walk.type, walk.layout);
    VYRE_TRY(bounds_.check_steps(walk, needed, place, root, type_of_root, pointer));
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

Result<Id> BufferPlaces::follow_part(const Place& whole, std::uint32_t part, Id type, Place& place) {
  Way way = whole.way;
  way.indices.push_back(writer_.constant(part));
  made_indices_[way.indices.back()] = part;
  const Id pointer = writer_.fresh();
  VYRE_TRY(follow(way, pointer, writer_.pointer_type(kPhysical, type), 0, false, place));
  place.vector = 0;
  return pointer;
}

Result<void> BufferPlaces::rewrite_chain(const Instruction& chain) {
  const Place base = place_of(chain.operand(0));
  Way way = base.way;
  if (way.root == 0) way.root = chain.operand(0);
  const std::span<const std::uint32_t> indices = chain.operands().subspan(1);
  way.indices.insert(way.indices.end(), indices.begin(), indices.end());
  const bool may_be_null = escapes(chain.result());
  const Id result = may_be_null ? writer_.fresh() : chain.result();
  Place place;
  VYRE_TRY(follow(way, result, chain.type(), 0, loops_.outlives_loop(chain.result()), place));
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

Result<void> BufferPlaces::rewrite_element_chain(const Instruction& chain) {
  VYRE_TRY(offsets_.write_offset(chain));
  const Id offset = offsets_.at(chain.result());
  const std::uint32_t entry = facts_.buffers[facts_.buffer_of.at(facts_.origins[chain.result()])].first_entry;
  const Id type = facts_.pointee(chain.result());
  const std::uint64_t bytes = sizes_.extent(type);
  if (bytes == 0 || sizes_.has_runtime_array(type))
    return refuse("OpPtrAccessChain leads to a value whose size is not known");
  // Adds the offset to the address of the buffer, with the carry.
  const Id address = record_.entry_words(entry);
  const Id low = code_.value(spv::OpCompositeExtract, types_.uint, {address, 0});
  const Id high = code_.value(spv::OpCompositeExtract, types_.uint, {address, 1});
  const Id sum = code_.value(spv::OpIAddCarry, writer_.plain_struct_type({types_.uint, types_.uint}), {low, offset});
  const Id carry = code_.value(spv::OpCompositeExtract, types_.uint, {sum, 1});
  const Id words = code_.value(spv::OpCompositeConstruct, types_.uvec2,
                               {code_.value(spv::OpCompositeExtract, types_.uint, {sum, 0}),
                                code_.value(spv::OpIAdd, types_.uint, {high, carry})});
  Place place{.entry = entry};
  const bool is_checked = options_.robust;
  Id pointer = is_checked ? code_.value(spv::OpBitcast, chain.type(), {words}) : 0;
  if (!is_checked) {
    code_.named(spv::OpBitcast, chain.type(), chain.result(), {words});
    places_[chain.result()] = place;
    return {};
  }
  // The value is inside the view if it does not begin after the last offset at which a value of its size fits.
  const Id view = record_.entry_size(entry);
  const Id size = writer_.constant(static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, ~std::uint32_t{0})));
  const Id last = code_.value(spv::OpISub, types_.uint, {view, size});
  const Id fits = code_.value(spv::OpUGreaterThanEqual, writer_.bool_type(), {view, size});
  const Id is_inside = code_.value(spv::OpULessThanEqual, writer_.bool_type(), {offset, last});
  place.valid = code_.value(spv::OpLogicalAnd, writer_.bool_type(), {fits, is_inside});
  if (escapes(chain.result())) {
    const Id zero = writer_.composite(types_.uvec2, {writer_.constant(0), writer_.constant(0)});
    const Id null = code_.value(spv::OpBitcast, chain.type(), {zero});
    code_.named(spv::OpSelect, chain.type(), chain.result(), {place.valid, pointer, null});
    place.valid = 0;
    place.may_be_null = true;
  } else {
    VYRE_ASSIGN(pointer, guarded(pointer, chain.type(), place.valid, type, false));
    code_.named(spv::OpCopyObject, chain.type(), chain.result(), {pointer});
  }
  places_[chain.result()] = place;
  return {};
}

}  // namespace vyre::program::forms
