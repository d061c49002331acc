#include <vyre/program/value_bounds.hpp>

#include <algorithm>
#include <span>
#include <string_view>

#include <spirv/unified1/GLSL.std.450.h>

namespace vyre::program {
namespace {

using spirv::ControlFlow;
using spirv::Id;
using spirv::Instruction;

constexpr int kMostDepth = 24;
/// No device has wider subgroups: masks of them have 128 bits.
constexpr std::uint64_t kMostSubgroup = 128;

std::optional<BoundOp> to_bound_op(spv::Op op) noexcept {
  switch (op) {
    case spv::OpIAdd: return BoundOp::Add;
    case spv::OpISub: return BoundOp::Subtract;
    case spv::OpIMul: return BoundOp::Multiply;
    case spv::OpUDiv: return BoundOp::DivideUnsigned;
    case spv::OpSDiv: return BoundOp::DivideSigned;
    case spv::OpUMod: return BoundOp::RestUnsigned;
    case spv::OpSRem:
    case spv::OpSMod: return BoundOp::RestSigned;
    case spv::OpShiftLeftLogical: return BoundOp::ShiftLeft;
    case spv::OpShiftRightLogical: return BoundOp::ShiftRight;
    case spv::OpShiftRightArithmetic: return BoundOp::ShiftRightSigned;
    case spv::OpBitwiseAnd: return BoundOp::And;
    case spv::OpBitwiseOr: return BoundOp::Or;
    case spv::OpBitwiseXor: return BoundOp::Xor;
    case spv::OpNot: return BoundOp::Not;
    case spv::OpSNegate: return BoundOp::Negate;
    default: return std::nullopt;
  }
}

}  // namespace

ValueBounds::Index ValueBounds::of(Id value, int depth) {
  if (const auto constant = in_.constants.value(value)) return in_.writer.constant(constant->bits, constant->width);
  const auto shape = spirv::scalar_shape(in_.module, in_.module.type_of(value));
  const std::uint32_t width = shape ? shape->width : 32;
  const std::optional<Instruction> instruction = in_.module.definition(value);
  if (!shape || width < 8 || !instruction || depth > kMostDepth || in_.effort == 0) return in_.writer.any(width);
  --in_.effort;
  if (const auto known = known_.find(value); known != known_.end()) return known->second;
  known_[value] = in_.writer.any(width);  // What depends on itself.
  const Index index = operation(*instruction, width, depth + 1);
  known_[value] = index;
  return index;
}

ValueBounds::Index ValueBounds::operation(const Instruction& instruction, std::uint32_t width, int depth) {
  const auto operand = [&](std::size_t i) { return of(instruction.operand(i), depth); };
  if (const auto op = to_bound_op(instruction.op())) {
    const bool is_unary = *op == BoundOp::Not || *op == BoundOp::Negate;
    const Index a = operand(0);
    return in_.writer.operation(*op, width, {a, is_unary ? Index{0} : operand(1), 0});
  }
  switch (instruction.op()) {
    case spv::OpUConvert:
    case spv::OpSConvert:
    case spv::OpBitcast:
    case spv::OpCopyObject: return converted(instruction, width, depth);
    case spv::OpSelect: return either(operand(1), operand(2), width);
    case spv::OpPhi: {
      std::optional<Index> all;
      for (std::size_t i = 0; i + 1 < instruction.operands().size(); i += 2) all = either(all, operand(i), width);
      return all.value_or(in_.writer.any(width));
    }
    case spv::OpExtInst: return extended(instruction, width, depth);
    case spv::OpCompositeExtract: return extracted(instruction, width, depth);
    case spv::OpLoad: return loaded(instruction, width, depth);
    default: return in_.writer.any(width);
  }
}

ValueBounds::Index ValueBounds::converted(const Instruction& instruction, std::uint32_t width, int depth) {
  const Id from = instruction.operand(0);
  const auto shape = spirv::scalar_shape(in_.module, in_.module.type_of(from));
  if (!shape || shape->width < 8) return in_.writer.any(width);
  const Index value = of(from, depth);
  if (shape->width == width) return value;
  if (instruction.op() == spv::OpUConvert) return in_.writer.operation(BoundOp::Widen, width, {value, 0, 0});
  if (instruction.op() == spv::OpSConvert) return in_.writer.operation(BoundOp::WidenSigned, width, {value, 0, 0});
  return in_.writer.any(width);
}

ValueBounds::Index ValueBounds::extended(const Instruction& instruction, std::uint32_t width, int depth) {
  const std::optional<Instruction> set = in_.module.definition(instruction.operand(0));
  if (!set || set->op() != spv::OpExtInstImport || set->string(0) != "GLSL.std.450") return in_.writer.any(width);
  const auto extreme = [&](BoundOp op, Index a, Index b) { return in_.writer.operation(op, width, {a, b, 0}); };
  const auto operand = [&](std::size_t i) { return of(instruction.operand(2 + i), depth); };
  switch (instruction.operand(1)) {
    case GLSLstd450UMin: return extreme(BoundOp::MinUnsigned, operand(0), operand(1));
    case GLSLstd450UMax: return extreme(BoundOp::MaxUnsigned, operand(0), operand(1));
    case GLSLstd450SMin: return extreme(BoundOp::MinSigned, operand(0), operand(1));
    case GLSLstd450SMax: return extreme(BoundOp::MaxSigned, operand(0), operand(1));
    case GLSLstd450UClamp:
      return extreme(BoundOp::MinUnsigned, extreme(BoundOp::MaxUnsigned, operand(0), operand(1)), operand(2));
    case GLSLstd450SClamp:
      return extreme(BoundOp::MinSigned, extreme(BoundOp::MaxSigned, operand(0), operand(1)), operand(2));
    default: return in_.writer.any(width);
  }
}

ValueBounds::Index ValueBounds::extracted(const Instruction& instruction, std::uint32_t width, int depth) {
  const std::optional<Instruction> whole = in_.module.definition(instruction.operand(0));
  if (!whole) return in_.writer.any(width);
  const std::span<const std::uint32_t> indices = instruction.operands().subspan(1);
  const bool is_composed = whole->op() == spv::OpCompositeConstruct || whole->op() == spv::OpConstantComposite ||
                           whole->op() == spv::OpSpecConstantComposite;
  if (is_composed && indices.size() == 1) {
    // A vector may be composed of vectors.
    const auto type = in_.module.definition(whole->type());
    const bool is_each = type && type->op() == spv::OpTypeVector && type->operand(1) == whole->operands().size();
    return is_each && indices[0] < whole->operands().size() ? of(whole->operand(indices[0]), depth)
                                                            : in_.writer.any(width);
  }
  if (whole->op() != spv::OpLoad) return in_.writer.any(width);
  std::optional<Place> place = place_of(whole->operand(0), 0);
  for (const std::uint32_t index : indices) {
    if (place) place = part_of(*place, index);
  }
  return place ? read(*place, width) : in_.writer.any(width);
}

ValueBounds::Index ValueBounds::loaded(const Instruction& load, std::uint32_t width, int depth) {
  const Id pointer = load.operand(0);
  if (const auto place = place_of(pointer, 0)) return read(*place, width);
  if (in_.module.definition_op(pointer) != spv::OpVariable) return in_.writer.any(width);
  return variable(pointer, in_.module.definition_index(load.result()), width, depth);
}

ValueBounds::Index ValueBounds::variable(Id variable, std::size_t load, std::uint32_t width, int depth) {
  const Index any = in_.writer.any(width);
  const std::size_t begin = in_.module.definition_index(variable);
  // Others may be changed by other functions.
  if (in_.flow.block_of_instruction(begin) == ControlFlow::kNone) return any;
  std::optional<Index> all;
  bool is_set = false;
  if (const Id initial = in_.module[begin].operand(1); initial != 0) {
    all = of(initial, depth);
    is_set = true;
  }
  for (const std::uint32_t index : in_.module.uses(variable)) {
    if (in_.effort == 0) return any;
    --in_.effort;
    const Instruction use = in_.module[index];
    if (index < in_.module.global_count() || use.op() == spv::OpLoad) continue;
    if (use.op() != spv::OpStore || use.operand(0) != variable) return any;
    all = either(all, of(use.operand(1), depth), width);
    is_set = is_set || comes_before(index, load);
  }
  return is_set ? *all : any;
}

ValueBounds::Index ValueBounds::either(std::optional<Index> a, Index b, std::uint32_t width) {
  return !a || *a == b ? b : in_.writer.operation(BoundOp::Either, width, {*a, b, 0});
}

bool ValueBounds::comes_before(std::size_t store, std::size_t load) const {
  const std::uint32_t first = in_.flow.block_of_instruction(store);
  const std::uint32_t second = in_.flow.block_of_instruction(load);
  if (first == ControlFlow::kNone || second == ControlFlow::kNone) return false;
  return first == second ? store < load : in_.flow.dominates(first, second);
}

ValueBounds::Index ValueBounds::read(const Place& place, std::uint32_t width) {
  const auto shape = spirv::scalar_shape(in_.module, place.type);
  if (!shape || shape->width != width) return in_.writer.any(width);
  const auto built_in = in_.module.decoration(place.variable, spv::DecorationBuiltIn);
  if (!built_in) return in_.writer.parameter(place.offset, width);
  const std::uint64_t dimension = place.offset / 4;
  if (width != 32 || dimension > 2) return in_.writer.any(width);
  const auto i = static_cast<std::uint32_t>(dimension);
  const std::uint64_t invocations = std::uint64_t{in_.workgroup[0]} * in_.workgroup[1] * in_.workgroup[2];
  const auto from_one = [&](std::uint64_t most) {
    return in_.writer.operation(BoundOp::Add, 32, {in_.writer.below(most), in_.writer.constant(1, 32), 0});
  };
  switch (*built_in) {
    case spv::BuiltInNumWorkgroups: return in_.writer.groups(i);
    case spv::BuiltInWorkgroupId: return in_.writer.below_groups(i, 1);
    case spv::BuiltInGlobalInvocationId: return in_.writer.below_groups(i, in_.workgroup[i]);
    case spv::BuiltInLocalInvocationId: return in_.writer.below(in_.workgroup[i]);
    case spv::BuiltInLocalInvocationIndex:
    case spv::BuiltInSubgroupId: return in_.writer.below(invocations);
    case spv::BuiltInNumSubgroups: return from_one(invocations);
    case spv::BuiltInSubgroupSize: return from_one(kMostSubgroup);
    case spv::BuiltInSubgroupLocalInvocationId: return in_.writer.below(kMostSubgroup);
    default: return in_.writer.any(width);
  }
}

std::optional<ValueBounds::Place> ValueBounds::place_of(Id pointer, int depth) const {
  const std::optional<Instruction> definition = in_.module.definition(pointer);
  if (!definition || depth > kMostDepth) return std::nullopt;
  if (definition->op() == spv::OpVariable) {
    const std::uint32_t storage = definition->operand(0);
    const bool is_built_in =
        storage == spv::StorageClassInput && in_.module.decoration(pointer, spv::DecorationBuiltIn).has_value();
    if (storage != spv::StorageClassPushConstant && !is_built_in) return std::nullopt;
    const std::optional<Instruction> type = in_.module.definition(definition->type());
    if (!type || type->op() != spv::OpTypePointer) return std::nullopt;
    return Place{.variable = pointer, .type = type->operand(1)};
  }
  if (definition->op() == spv::OpCopyObject) return place_of(definition->operand(0), depth + 1);
  if (definition->op() != spv::OpAccessChain && definition->op() != spv::OpInBoundsAccessChain) return std::nullopt;
  std::optional<Place> place = place_of(definition->operand(0), depth + 1);
  for (const Id index : definition->operands().subspan(1)) {
    const auto number = in_.constants.number(index);
    if (!place || !number) return std::nullopt;
    place = part_of(*place, *number);
  }
  return place;
}

std::optional<ValueBounds::Place> ValueBounds::part_of(const Place& place, std::uint64_t index) const {
  constexpr std::uint64_t kMostOffset = 1U << 16;
  const std::optional<Instruction> type = in_.module.definition(place.type);
  if (!type || index > kMostOffset || place.offset > kMostOffset) return std::nullopt;
  const auto at = [&](Id part, std::uint64_t offset) {
    return Place{.variable = place.variable, .type = part, .offset = place.offset + offset};
  };
  if (type->op() == spv::OpTypeStruct) {
    const auto member = static_cast<std::uint32_t>(index);
    const auto offset = in_.module.decoration(place.type, spv::DecorationOffset, member);
    if (!offset || index >= type->operands().size()) return std::nullopt;
    return at(type->operand(index), *offset);
  }
  if (type->op() == spv::OpTypeArray) {
    const auto stride = in_.module.decoration(place.type, spv::DecorationArrayStride);
    const auto length = in_.constants.number(type->operand(1));
    if (!stride || !length || index >= *length) return std::nullopt;
    return at(type->operand(0), index * *stride);
  }
  if (type->op() == spv::OpTypeVector) {
    const auto shape = spirv::scalar_shape(in_.module, type->operand(0));
    if (!shape || index >= type->operand(1)) return std::nullopt;
    return at(type->operand(0), index * (shape->width / 8));
  }
  return std::nullopt;
}

}  // namespace vyre::program
