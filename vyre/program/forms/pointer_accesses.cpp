#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <spirv/unified1/GLSL.std.450.h>

#include <vyre/program/forms/pointer_rewriter.hpp>
#include <vyre/program/spirv/opcodes.hpp>

// How what is done through the address of a buffer is done through a pointer that was checked.

namespace vyre::program::forms {
namespace {

using spirv::Instruction;

/// The memory operands of one side of a copy: without what belongs to the other.
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

/// How many words one set of memory operands has.
std::size_t size_of_set(std::span<const std::uint32_t> operands) {
  return operands.empty() ? 0 : without(operands, 0).size();
}

}  // namespace

bool PointerRewriter::rewrite_param_load(const Instruction& load) {
  const auto chain = module_.definition(load.operand(0));
  if (!chain || !spirv::is_access_chain(chain->op())) return false;
  if (chain->operand(0) != facts_.push) return false;
  const spv::Op kind = module_.definition_op(load.type());
  const bool is_plain =
      kind == spv::OpTypeInt || kind == spv::OpTypeFloat || kind == spv::OpTypeVector || kind == spv::OpTypeMatrix;
  // Small numbers may lie in buffers only.
  if (!is_plain || alignment(load.type()) < 4) return false;
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
  auto& [its_type, variable] = state_.params[path];
  if (variable == 0) {
    its_type = loaded;
    variable = writer_.variable(spv::StorageClassPrivate, loaded);
  }
  if (component) {
    const Id whole = code_.value(spv::OpLoad, loaded, {variable});
    code_.named(spv::OpCompositeExtract, load.type(), load.result(), {whole, *component});
  } else {
    code_.named(spv::OpLoad, load.type(), load.result(), {variable});
  }
  return true;
}

Result<void> PointerRewriter::rewrite_load(const Instruction& load_instruction) {
  if (rewrite_param_load(load_instruction)) return {};
  const Id pointer = load_instruction.operand(0);
  const bool kept = is_read_only(pointer) && outlives_loop(load_instruction.result());
  return load(pointer, load_instruction.type(), load_instruction.result(), load_instruction.operands().subspan(1),
              kept);
}

Result<void> PointerRewriter::load(Id pointer, Id type, Id result, std::span<const std::uint32_t> operands, bool kept) {
  if (kept) {
    const Id found = writer_.fresh();
    VYRE_TRY(load(pointer, type, found, operands, false));
    return keep(type, found, result);
  }
  const Place place = place_of(pointer);
  VYRE_ASSIGN(const Id from, pointer_of(pointer));
  return load_from(place, from, type, result, operands);
}

Result<void> PointerRewriter::load_from(const Place& place, Id from, Id type, Id result,
                                        std::span<const std::uint32_t> operands) {
  if (place.distance && scalars_in(type) > 1) return load_parts(place, type, result, operands);
  const Id valid = options_.robust ? validity_of(from, place) : 0;
  if (place.vector != 0) return load_component(place, valid, type, result, operands);
  // A pointer that may be null is made one to zeros; others lead into their buffer in any case.
  if (place.may_be_null) {
    VYRE_ASSIGN(from, guarded(from, pointer_type_of(from, type), valid, type, false));
  }
  const bool is_checked = valid != 0 && !place.may_be_null;
  const Id found = is_checked ? writer_.fresh() : result;
  load_at(place, from, type, found, operands);
  if (is_checked) VYRE_TRY(choose(valid, type, found, result));
  return {};
}

Id PointerRewriter::pointer_type_of(Id pointer, Id type) {
  const Id known = module_.type_of(pointer);
  return known != 0 ? known : writer_.pointer_type(kPhysical, type);
}

Id PointerRewriter::wide_type(const Place& place, Id type, std::span<const std::uint32_t> operands) {
  const auto vector = module_.definition(type);
  if (!has_pairs_ || !place.is_aligned || place.in_matrix) return 0;
  if (!vector || vector->op() != spv::OpTypeVector || vector->operand(1) % 2 != 0) return 0;
  if (extent(vector->operand(0)) != 4 || vector->operand(1) > 4) return 0;
  if (!operands.empty() && (operands[0] & spv::MemoryAccessVolatileMask) != 0) return 0;
  const Id word = writer_.int_type(64, false);
  return vector->operand(1) == 2 ? word : writer_.vector_type(word, 2);
}

void PointerRewriter::load_at(const Place& place, Id from, Id type, Id result,
                              std::span<const std::uint32_t> operands) {
  const Id wide = wide_type(place, type, operands);
  const Id loaded = wide != 0 ? writer_.fresh() : result;
  if (wide != 0) from = code_.value(spv::OpBitcast, writer_.pointer_type(kPhysical, wide), {from});
  Words all{wide != 0 ? wide : type, loaded, from};
  std::ranges::copy(memory_operands(operands, wide != 0 ? 8 : alignment(type)), std::back_inserter(all));
  emit(code_.words, spv::OpLoad, all);
  if (wide != 0) code_.named(spv::OpBitcast, type, result, {loaded});
}

void PointerRewriter::store_at(const Place& place, Id to, Id value, Id type, std::span<const std::uint32_t> operands) {
  const Id wide = wide_type(place, type, operands);
  if (wide != 0) {
    to = code_.value(spv::OpBitcast, writer_.pointer_type(kPhysical, wide), {to});
    value = code_.value(spv::OpBitcast, wide, {value});
  }
  Words all{to, value};
  std::ranges::copy(memory_operands(operands, wide != 0 ? 8 : alignment(type)), std::back_inserter(all));
  emit(code_.words, spv::OpStore, all);
}

Result<void> PointerRewriter::choose(Id valid, Id type, Id value, Id result) {
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
  // Larger values cannot be selected in all versions.
  if (is_loop_header()) return refuse("a loop begins with a checked load of more than a vector");
  const Id before = label_;
  const Id inside = writer_.fresh();
  const Id end = writer_.fresh();
  code_.add(spv::OpSelectionMerge, {end, 0});
  code_.add(spv::OpBranchConditional, {valid, inside, end});
  code_.label(inside);
  code_.add(spv::OpBranch, {end});
  begin_piece(end);
  code_.named(spv::OpPhi, type, result, {value, inside, zero, before});
  return {};
}

bool PointerRewriter::is_loop_header() const {
  const spirv::Block& block = function_->blocks[block_];
  return block.end - block.begin >= 3 && module_[block.end - 2].op() == spv::OpLoopMerge;
}

void PointerRewriter::begin_piece(Id label) {
  code_.label(label);
  label_ = label;
  last_labels_[function_->blocks[block_].label] = label;
}

Result<void> PointerRewriter::load_component(const Place& place, Id valid, Id type, Id result,
                                             std::span<const std::uint32_t> operands) {
  const Id pointer_type = writer_.pointer_type(spv::StorageClassPhysicalStorageBuffer, place.vector_type);
  Id from = place.vector;
  if (place.may_be_null) {
    VYRE_ASSIGN(from, guarded(from, pointer_type, valid, place.vector_type, false));
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

Result<void> PointerRewriter::rewrite_store(const Instruction& instruction) {
  const Id value = instruction.operand(1);
  if (facts_.is_buffer_pointer(value)) return refuse("OpStore puts an address into a buffer");
  return store(instruction.operand(0), value, module_.type_of(value), instruction.operands().subspan(2));
}

Result<void> PointerRewriter::store(Id pointer, Id value, Id type, std::span<const std::uint32_t> operands) {
  const Place place = place_of(pointer);
  VYRE_ASSIGN(const Id to, pointer_of(pointer));
  return store_to(place, to, value, type, operands);
}

Result<void> PointerRewriter::store_to(const Place& place, Id to, Id value, Id type,
                                       std::span<const std::uint32_t> operands) {
  if (place.distance && scalars_in(type) > 1) return store_parts(place, value, type, operands);
  const Id valid = options_.robust ? validity_of(to, place) : 0;
  // The block that begins a loop must stay one block, so that there what goes nowhere goes to scratch memory.
  if (valid == 0 || is_loop_header()) {
    if (valid != 0 && place.in_matrix) return refuse("a loop begins with a checked store into a matrix");
    if (valid != 0) {
      VYRE_ASSIGN(to, guarded(to, pointer_type_of(to, type), valid, type, true));
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
  begin_piece(end);
  return {};
}

Result<void> PointerRewriter::rewrite_copy(const Instruction& copy) {
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
    const bool kept = options_.quirks.values_of_loops && !facts_.is_buffer_pointer(to) && is_read_only(from);
    VYRE_TRY(load(from, type, value, read_operands, kept && may_repeat()));
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

Words PointerRewriter::atomic_operands(const Instruction& atomic) {
  Words operands(atomic.operands().begin() + 1, atomic.operands().end());
  if (!options_.quirks.float_operands) return operands;
  // Pointer, scope and semantics come first; a compare-exchange has two semantics, and two values.
  const bool compares = atomic.op() == spv::OpAtomicCompareExchange || atomic.op() == spv::OpAtomicCompareExchangeWeak;
  for (std::size_t i = compares ? 3 : 2; i < operands.size(); ++i) {
    const auto shape = spirv::scalar_shape(module_, module_.type_of(operands[i]));
    if (!shape || constants_.value(operands[i])) continue;
    Id zero = from_private(state_.zero, types_.uint, code_);
    if (shape->width > 32) zero = code_.value(spv::OpUConvert, writer_.int_type(shape->width, false), {zero});
    operands[i] = code_.value(spv::OpBitwiseOr, module_.type_of(operands[i]), {operands[i], zero});
  }
  return operands;
}

Result<void> PointerRewriter::rewrite_atomic(const Instruction& atomic) {
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
  VYRE_ASSIGN(const Id named, pointer_of(pointer));
  const Id valid = options_.robust ? validity_of(named, place_of(pointer)) : 0;
  VYRE_ASSIGN(const Id at, guarded(named, module_.type_of(pointer), valid, facts_.pointee(pointer), true));
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

Result<void> PointerRewriter::rewrite_length(const Instruction& length) {
  const Id pointer = length.operand(0);
  if (!facts_.is_buffer_pointer(pointer)) return refuse("OpArrayLength asks for the length of what is no buffer");
  const bool is_known = facts_.origins[pointer] != KernelFacts::kUnknown;
  const Result<Id> elements = is_known ? length_of(place_of(pointer)) : refuse("");
  if (!elements) return refuse("OpArrayLength asks for the length of a buffer that is not known");
  const bool is_same = length.type() == types_.uint;
  code_.named(is_same ? spv::OpCopyObject : spv::OpBitcast, length.type(), length.result(), {*elements});
  return {};
}

Result<void> PointerRewriter::rewrite_extended(const Instruction& instruction) {
  const auto set = module_.definition(instruction.operand(0));
  const std::string_view name = set ? set->string(0) : "";
  if (name.starts_with("NonSemantic.")) {
    is_kept_[instruction.result()] = false;
    return {};
  }
  const bool has_pointer = std::ranges::any_of(instruction.operands().subspan(2),
                                               [&](Id operand) { return facts_.is_buffer_pointer(operand); });
  if (!has_pointer) {
    writer_.copy(code_.words, instruction);
    return {};
  }
  // These give two results, one of them through a pointer; their sisters give both as a structure.
  const std::uint32_t which = instruction.operand(1);
  const bool is_known = name == "GLSL.std.450" && (which == GLSLstd450Modf || which == GLSLstd450Frexp);
  if (!is_known) return refuse("an extended instruction takes the address of a buffer");
  const Id pointer = instruction.operand(3);
  const Id second_type = facts_.pointee(pointer);
  const Id both_type = writer_.plain_struct_type({instruction.type(), second_type});
  const std::uint32_t sister = which == GLSLstd450Modf ? GLSLstd450ModfStruct : GLSLstd450FrexpStruct;
  const Id both = code_.value(spv::OpExtInst, both_type, {instruction.operand(0), sister, instruction.operand(2)});
  const Id second = code_.value(spv::OpCompositeExtract, second_type, {both, 1});
  VYRE_TRY(store(pointer, second, second_type, {}));
  code_.named(spv::OpCompositeExtract, instruction.type(), instruction.result(), {both, 0});
  return {};
}

}  // namespace vyre::program::forms
