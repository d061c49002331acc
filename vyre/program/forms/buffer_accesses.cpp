#include <vyre/program/forms/buffer_accesses.hpp>

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include <vyre/program/spirv/opcodes.hpp>

namespace vyre::program::forms {
namespace {

using spirv::Instruction;

/// The memory operands for one side of a copy: all but those in `mask`, which belong to the other side.
Words without(std::span<const std::uint32_t> operands, std::uint32_t mask) {
  Words all;
  if (operands.empty()) return all;
  all.push_back(operands[0] & ~mask);
  std::size_t at = 1;
  for (std::uint32_t bit = 1; bit != 0 && at < operands.size(); bit <<= 1) {
    const bool has_parameter = bit == spv::MemoryAccessAlignedMask ||
                               bit == spv::MemoryAccessMakePointerAvailableMask ||
                               bit == spv::MemoryAccessMakePointerVisibleMask;
    if ((operands[0] & bit) == 0 || !has_parameter) continue;
    if ((mask & bit) == 0) all.push_back(operands[at]);
    ++at;
  }
  return all;
}

/// The number of words of the first set of memory operands.
std::size_t size_of_set(std::span<const std::uint32_t> operands) {
  return operands.empty() ? 0 : without(operands, 0).size();
}

/// Memory operands for a part of a value: without the alignment, which holds for the whole value.
Words without_alignment(std::span<const std::uint32_t> operands) {
  Words all(operands.begin(), operands.end());
  if (all.empty() || (all[0] & spv::MemoryAccessAlignedMask) == 0) return all;
  // The alignment is the first parameter: the only lower bit has none.
  all[0] &= ~static_cast<std::uint32_t>(spv::MemoryAccessAlignedMask);
  all.erase(all.begin() + 1);
  return all;
}

}  // namespace

BufferAccesses::BufferAccesses(const RewriteContext& in, const TypeLayout& sizes, RecordAccess& record,
                               ViewBounds& bounds, LoopValues& loops, BufferPlaces& places, FunctionWriter& body)
    : facts_{in.facts},
      module_{in.facts.module},
      constants_{in.constants},
      kind_{in.kind},
      options_{in.options},
      writer_{in.writer},
      sizes_{sizes},
      record_{record},
      bounds_{bounds},
      loops_{loops},
      places_{places},
      body_{body},
      code_{body.code},
      has_pairs_{in.options.pairs} {
  for (std::size_t i = 0; i < module_.global_count() && has_pairs_; ++i) {
    const Instruction each = module_[i];
    const bool is_member = each.op() == spv::OpMemberDecorate;
    if (!is_member && each.op() != spv::OpDecorate) continue;
    const std::uint32_t decoration = each.operand(is_member ? 2 : 1);
    has_pairs_ = decoration != spv::DecorationCoherent && decoration != spv::DecorationVolatile;
  }
}

Words BufferAccesses::memory_operands(std::span<const std::uint32_t> operands, std::uint32_t alignment) const {
  Words all(operands.begin(), operands.end());
  if (all.empty()) all.push_back(0);
  // Parameters are in the order of their bits, and the only lower bit has none, so the alignment comes first.
  if ((all[0] & spv::MemoryAccessAlignedMask) == 0) {
    all[0] |= spv::MemoryAccessAlignedMask;
    all.insert(all.begin() + 1, alignment);
  } else {
    all[1] = std::max(all[1], alignment);
  }
  // In a chain, other dispatches read and write the same bytes, and barriers order only accesses that are not private.
  if (kind_ == FormKind::Chain && facts_.has_vulkan_memory_model) all[0] |= spv::MemoryAccessNonPrivatePointerMask;
  return all;
}

bool BufferAccesses::rewrite_param_load(const Instruction& load) {
  const auto chain = module_.definition(load.operand(0));
  if (!chain || !spirv::is_access_chain(chain->op())) return false;
  if (chain->operand(0) != facts_.push) return false;
  const spv::Op kind = module_.definition_op(load.type());
  const bool is_plain =
      kind == spv::OpTypeInt || kind == spv::OpTypeFloat || kind == spv::OpTypeVector || kind == spv::OpTypeMatrix;
  // Numbers smaller than 32 bits are allowed in buffers, but not in private variables.
  if (!is_plain || sizes_.alignment(load.type()) < 4) return false;
  std::vector<std::uint32_t> path;
  std::optional<std::uint32_t> component;  // Of a vector, which is loaded whole.
  Id type = facts_.pointee(facts_.push);
  Id vector = 0;
  for (const Id index : chain->operands().subspan(1)) {
    const auto definition = module_.definition(type);
    const auto value = constants_.number(index);
    if (!definition || !value) return false;
    std::optional<std::uint64_t> bound = definition->operand(1);
    if (definition->op() == spv::OpTypeStruct) bound = definition->operands().size();
    if (definition->op() == spv::OpTypeArray) bound = constants_.number(definition->operand(1));
    if (!bound || *value >= *bound) return false;
    if (definition->op() == spv::OpTypeVector) {
      component = static_cast<std::uint32_t>(*value);
      vector = type;
    } else {
      path.push_back(static_cast<std::uint32_t>(*value));
    }
    type = definition->op() == spv::OpTypeStruct ? definition->operand(*value) : definition->operand(0);
  }
  const Id loaded = component ? vector : load.type();
  const Id variable = record_.param(path, loaded);
  if (component) {
    const Id whole = code_.value(spv::OpLoad, loaded, {variable});
    code_.named(spv::OpCompositeExtract, load.type(), load.result(), {whole, *component});
  } else {
    code_.named(spv::OpLoad, load.type(), load.result(), {variable});
  }
  return true;
}

Result<void> BufferAccesses::rewrite_load(const Instruction& load_instruction) {
  if (rewrite_param_load(load_instruction)) return {};
  const Id pointer = load_instruction.operand(0);
  const bool kept = loops_.is_read_only(pointer) && loops_.outlives_loop(load_instruction.result());
  return load(pointer, load_instruction.type(), load_instruction.result(), load_instruction.operands().subspan(1),
              kept);
}

Result<void> BufferAccesses::load(Id pointer, Id type, Id result, std::span<const std::uint32_t> operands, bool kept) {
  if (kept) {
    const Id found = writer_.fresh();
    VYRE_TRY(load(pointer, type, found, operands, false));
    return loops_.keep(type, found, result);
  }
  const Place place = places_.place_of(pointer);
  VYRE_ASSIGN(const Id from, places_.pointer_of(pointer));
  return load_from(place, from, type, result, operands);
}

Result<void> BufferAccesses::load_from(const Place& place, Id from, Id type, Id result,
                                       std::span<const std::uint32_t> operands) {
  if (place.distance && sizes_.scalars_in(type) > 1) return load_parts(place, type, result, operands);
  const Id valid = options_.robust ? places_.validity_of(from, place) : 0;
  if (place.vector != 0) return load_component(place, valid, type, result, operands);
  // A pointer that may be null is replaced by one to zeros. Any other pointer is into its buffer.
  if (place.may_be_null) {
    VYRE_ASSIGN(from, places_.guarded(from, pointer_type_of(from, type), valid, type, false));
  }
  const bool is_checked = valid != 0 && !place.may_be_null;
  const Id found = is_checked ? writer_.fresh() : result;
  load_at(place, from, type, found, operands);
  if (is_checked) VYRE_TRY(choose(valid, type, found, result));
  return {};
}

Id BufferAccesses::pointer_type_of(Id pointer, Id type) {
  const Id known = module_.type_of(pointer);
  return known != 0 ? known : writer_.pointer_type(kPhysical, type);
}

Id BufferAccesses::wide_type(const Place& place, Id type, std::span<const std::uint32_t> operands) {
  const auto vector = module_.definition(type);
  if (!has_pairs_ || !place.is_aligned || place.in_matrix) return 0;
  if (!vector || vector->op() != spv::OpTypeVector || vector->operand(1) % 2 != 0) return 0;
  if (sizes_.extent(vector->operand(0)) != 4 || vector->operand(1) > 4) return 0;
  if (!operands.empty() && (operands[0] & spv::MemoryAccessVolatileMask) != 0) return 0;
  const Id word = writer_.int_type(64, false);
  return vector->operand(1) == 2 ? word : writer_.vector_type(word, 2);
}

void BufferAccesses::load_at(const Place& place, Id from, Id type, Id result, std::span<const std::uint32_t> operands) {
  const Id wide = wide_type(place, type, operands);
  const Id loaded = wide != 0 ? writer_.fresh() : result;
  if (wide != 0) from = code_.value(spv::OpBitcast, writer_.pointer_type(kPhysical, wide), {from});
  Words all{wide != 0 ? wide : type, loaded, from};
  std::ranges::copy(memory_operands(operands, wide != 0 ? 8 : sizes_.alignment(type)), std::back_inserter(all));
  emit(code_.words, spv::OpLoad, all);
  if (wide != 0) code_.named(spv::OpBitcast, type, result, {loaded});
}

void BufferAccesses::store_at(const Place& place, Id to, Id value, Id type, std::span<const std::uint32_t> operands) {
  const Id wide = wide_type(place, type, operands);
  if (wide != 0) {
    to = code_.value(spv::OpBitcast, writer_.pointer_type(kPhysical, wide), {to});
    value = code_.value(spv::OpBitcast, wide, {value});
  }
  Words all{to, value};
  std::ranges::copy(memory_operands(operands, wide != 0 ? 8 : sizes_.alignment(type)), std::back_inserter(all));
  emit(code_.words, spv::OpStore, all);
}

Result<void> BufferAccesses::choose(Id valid, Id type, Id value, Id result) {
  const Id zero = writer_.null_constant(type);
  const auto definition = module_.definition(type);
  switch (definition->op()) {
    case spv::OpTypeInt:
    case spv::OpTypeFloat: code_.named(spv::OpSelect, type, result, {valid, value, zero}); return {};
    case spv::OpTypeVector: {
      const std::uint32_t count = definition->operand(1);
      Words parts{writer_.vector_type(writer_.bool_type(), count), writer_.fresh()};
      parts.insert(parts.end(), count, valid);
      emit(code_.words, spv::OpCompositeConstruct, parts);
      code_.named(spv::OpSelect, type, result, {parts[1], value, zero});
      return {};
    }
    default: break;
  }
  // Older SPIR-V versions can select scalars and vectors only.
  if (body_.is_loop_header()) return refuse("a loop begins with a checked load of more than a vector");
  const Id before = body_.label;
  const Id inside = writer_.fresh();
  const Id end = writer_.fresh();
  code_.add(spv::OpSelectionMerge, {end, 0});
  code_.add(spv::OpBranchConditional, {valid, inside, end});
  code_.label(inside);
  code_.add(spv::OpBranch, {end});
  body_.begin_piece(end);
  code_.named(spv::OpPhi, type, result, {value, inside, zero, before});
  return {};
}

Result<void> BufferAccesses::load_component(const Place& place, Id valid, Id type, Id result,
                                            std::span<const std::uint32_t> operands) {
  const Id pointer_type = writer_.pointer_type(spv::StorageClassPhysicalStorageBuffer, place.vector_type);
  Id from = place.vector;
  if (place.may_be_null) {
    VYRE_ASSIGN(from, places_.guarded(from, pointer_type, valid, place.vector_type, false));
  }
  const Id whole = writer_.fresh();
  load_at(place, from, place.vector_type, whole, operands);
  const std::uint32_t count = module_.definition(place.vector_type)->operand(1);
  const auto index = constants_.number(place.component);
  const bool is_known = index && *index < count;
  const Id part = valid == 0 ? result : writer_.fresh();
  if (is_known) {
    code_.named(spv::OpCompositeExtract, type, part, {whole, static_cast<std::uint32_t>(*index)});
  } else {
    code_.named(spv::OpVectorExtractDynamic, type, part, {whole, place.component});
  }
  return valid == 0 ? Result<void>{} : choose(valid, type, part, result);
}

Result<std::vector<Id>> BufferAccesses::parts_of_value(Id type) {
  const auto definition = module_.definition(type);
  std::vector<Id> parts;
  if (!definition) return parts;
  if (const std::uint64_t count = sizes_.scalars_in(type); count > TypeLayout::kMostScalars) {
    return refuse(
        fmt::format("a value of {} numbers may lie across the end of a view, it is taken apart if it has at most {}",
                    count, TypeLayout::kMostScalars));
  }
  switch (definition->op()) {
    case spv::OpTypeVector:
    case spv::OpTypeMatrix: parts.assign(definition->operand(1), definition->operand(0)); break;
    case spv::OpTypeArray: parts.assign(*constants_.number(definition->operand(1)), definition->operand(0)); break;
    case spv::OpTypeStruct: parts.assign(definition->operands().begin(), definition->operands().end()); break;
    default: break;
  }
  return parts;
}

Result<void> BufferAccesses::load_parts(const Place& place, Id type, Id result,
                                        std::span<const std::uint32_t> operands) {
  const Words memory = without_alignment(operands);
  if (module_.definition_op(type) == spv::OpTypeVector && places_.is_never_split(place, type)) {
    return load_vector(place, type, result, memory);
  }
  VYRE_ASSIGN(const std::vector<Id> parts, parts_of_value(type));
  Words all{type, result};
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    Place part;
    VYRE_ASSIGN(const Id from, places_.follow_part(place, i, parts[i], part));
    all.push_back(writer_.fresh());
    VYRE_TRY(load_from(part, from, parts[i], all.back(), memory));
  }
  emit(code_.words, spv::OpCompositeConstruct, all);
  return {};
}

Result<void> BufferAccesses::load_vector(const Place& place, Id type, Id result,
                                         std::span<const std::uint32_t> operands) {
  const Id component = module_.definition(type)->operand(0);
  const std::uint32_t count = module_.definition(type)->operand(1);
  // The vector is at a multiple of its size from the beginning of the view, so only its end can be outside. That many
  // bytes may be read after a view, and their values are discarded.
  Place first;
  const Id pointer = writer_.fresh();
  VYRE_TRY(places_.follow(place.way, pointer, writer_.pointer_type(kPhysical, type), sizes_.extent(component), false,
                          first));
  const Id whole = writer_.fresh();
  load_at(first, pointer, type, whole, operands);
  Words inside{writer_.vector_type(writer_.bool_type(), count), writer_.fresh()};
  for (std::uint32_t i = 0; i < count; ++i) {
    VYRE_ASSIGN(const Id valid, bounds_.is_inside(first, i * sizes_.extent(component), sizes_.extent(component)));
    inside.push_back(valid);
  }
  emit(code_.words, spv::OpCompositeConstruct, inside);
  code_.named(spv::OpSelect, type, result, {inside[1], whole, writer_.null_constant(type)});
  return {};
}

Result<void> BufferAccesses::store_parts(const Place& place, Id value, Id type,
                                         std::span<const std::uint32_t> operands) {
  const Words memory = without_alignment(operands);
  VYRE_ASSIGN(const std::vector<Id> parts, parts_of_value(type));
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    Place part;
    VYRE_ASSIGN(const Id to, places_.follow_part(place, i, parts[i], part));
    const Id part_value = code_.value(spv::OpCompositeExtract, parts[i], {value, i});
    VYRE_TRY(store_to(part, to, part_value, parts[i], memory));
  }
  return {};
}

Result<void> BufferAccesses::rewrite_store(const Instruction& instruction) {
  const Id value = instruction.operand(1);
  if (facts_.is_buffer_pointer(value)) return refuse("OpStore puts an address into a buffer");
  return store(instruction.operand(0), value, module_.type_of(value), instruction.operands().subspan(2));
}

Result<void> BufferAccesses::store(Id pointer, Id value, Id type, std::span<const std::uint32_t> operands) {
  const Place place = places_.place_of(pointer);
  VYRE_ASSIGN(const Id to, places_.pointer_of(pointer));
  return store_to(place, to, value, type, operands);
}

Result<void> BufferAccesses::store_to(const Place& place, Id to, Id value, Id type,
                                      std::span<const std::uint32_t> operands) {
  if (place.distance && sizes_.scalars_in(type) > 1) return store_parts(place, value, type, operands);
  const Id valid = options_.robust ? places_.validity_of(to, place) : 0;
  // The header of a loop must stay one block, so there an outside store goes to scratch memory instead of into a
  // branch.
  if (valid == 0 || body_.is_loop_header()) {
    if (valid != 0 && place.in_matrix) return refuse("a loop begins with a checked store into a matrix");
    if (valid != 0) {
      VYRE_ASSIGN(to, places_.guarded(to, pointer_type_of(to, type), valid, type, true));
    }
    store_at(place, to, value, type, operands);
    return {};
  }
  const Id inside = writer_.fresh();
  const Id end = writer_.fresh();
  code_.add(spv::OpSelectionMerge, {end, 0});
  code_.add(spv::OpBranchConditional, {valid, inside, end});
  code_.label(inside);
  store_at(place, to, value, type, operands);
  code_.add(spv::OpBranch, {end});
  body_.begin_piece(end);
  return {};
}

Result<void> BufferAccesses::rewrite_copy(const Instruction& copy) {
  const Id to = copy.operand(0);
  const Id from = copy.operand(1);
  const Id type = facts_.pointee(from);
  if (type == 0 || type != facts_.pointee(to)) return refuse("OpCopyMemory copies between different types");
  const std::span<const std::uint32_t> first = copy.operands().subspan(2);
  std::span<const std::uint32_t> second = first.subspan(std::min(first.size(), size_of_set(first)));
  if (second.empty()) second = first;
  const Words write_operands = without(first, spv::MemoryAccessMakePointerVisibleMask);
  const Words read_operands = without(second, spv::MemoryAccessMakePointerAvailableMask);
  const Id value = writer_.fresh();
  if (facts_.is_buffer_pointer(from)) {
    const bool kept = options_.quirks.values_of_loops && !facts_.is_buffer_pointer(to) && loops_.is_read_only(from);
    VYRE_TRY(load(from, type, value, read_operands, kept && loops_.may_repeat()));
  } else {
    Words all{type, value, from};
    all.insert(all.end(), read_operands.begin(), read_operands.end());
    emit(code_.words, spv::OpLoad, all);
  }
  if (facts_.is_buffer_pointer(to)) return store(to, value, type, write_operands);
  Words all{to, value};
  all.insert(all.end(), write_operands.begin(), write_operands.end());
  emit(code_.words, spv::OpStore, all);
  return {};
}

Words BufferAccesses::atomic_operands(const Instruction& atomic) {
  Words operands(atomic.operands().begin() + 1, atomic.operands().end());
  if (!options_.quirks.float_operands) return operands;
  // Pointer, scope and semantics come first; a compare-exchange has two semantics, and two values.
  const bool compares = atomic.op() == spv::OpAtomicCompareExchange || atomic.op() == spv::OpAtomicCompareExchangeWeak;
  for (std::size_t i = compares ? 3 : 2; i < operands.size(); ++i) {
    const auto shape = spirv::scalar_shape(module_, module_.type_of(operands[i]));
    if (!shape || constants_.value(operands[i])) continue;
    Id zero = record_.zero();
    if (shape->width > 32) zero = code_.value(spv::OpUConvert, writer_.int_type(shape->width, false), {zero});
    operands[i] = code_.value(spv::OpBitwiseOr, module_.type_of(operands[i]), {operands[i], zero});
  }
  return operands;
}

Result<void> BufferAccesses::rewrite_atomic(const Instruction& atomic) {
  const Id pointer = atomic.operand(0);
  const Words operands = atomic_operands(atomic);
  if (!facts_.is_buffer_pointer(pointer)) {
    Words all;
    if (atomic.result() != 0) all = {atomic.type(), atomic.result()};
    all.push_back(pointer);
    all.insert(all.end(), operands.begin(), operands.end());
    emit(code_.words, atomic.op(), all);
    return {};
  }
  VYRE_ASSIGN(const Id named, places_.pointer_of(pointer));
  const Id valid = options_.robust ? places_.validity_of(named, places_.place_of(pointer)) : 0;
  VYRE_ASSIGN(const Id at, places_.guarded(named, module_.type_of(pointer), valid, facts_.pointee(pointer), true));
  const bool is_checked = valid != 0 && atomic.result() != 0;
  Words all;
  if (atomic.result() != 0) all = {atomic.type(), is_checked ? writer_.fresh() : atomic.result()};
  const Id found = all.empty() ? 0 : all[1];
  all.push_back(at);
  all.insert(all.end(), operands.begin(), operands.end());
  emit(code_.words, atomic.op(), all);
  if (is_checked) {
    code_.named(spv::OpSelect, atomic.type(), atomic.result(), {valid, found, writer_.null_constant(atomic.type())});
  }
  return {};
}

}  // namespace vyre::program::forms
