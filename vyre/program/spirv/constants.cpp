#include <vyre/program/spirv/constants.hpp>

#include <array>

namespace vyre::program::spirv {
namespace {

/// Specialisation constants with deeper expressions count as unknown.
constexpr int kMaxDepth = 256;

std::optional<std::uint64_t> fold_unary(spv::Op op, const ConstantValue& a) noexcept {
  switch (op) {
    case spv::OpCopyObject:
    case spv::OpUConvert: return a.bits;
    case spv::OpSConvert: {
      ConstantValue wide = a;
      wide.is_signed = true;
      return static_cast<std::uint64_t>(wide.as_signed());
    }
    case spv::OpBitcast: return a.bits;
    case spv::OpSNegate: return 0 - a.bits;
    case spv::OpNot: return ~a.bits;
    case spv::OpLogicalNot: return a.bits ^ 1;
    default: return std::nullopt;
  }
}

std::optional<std::uint64_t> fold_shift(spv::Op op, const ConstantValue& a, const ConstantValue& b) noexcept {
  if (b.bits >= a.width) return std::nullopt;
  switch (op) {
    case spv::OpShiftLeftLogical: return a.bits << b.bits;
    case spv::OpShiftRightLogical: return a.bits >> b.bits;
    default: {
      ConstantValue wide = a;
      wide.is_signed = true;
      return static_cast<std::uint64_t>(wide.as_signed() >> b.bits);
    }
  }
}

std::optional<std::uint64_t> fold_division(spv::Op op, const ConstantValue& a, const ConstantValue& b) noexcept {
  if (b.bits == 0) return std::nullopt;
  if (op == spv::OpUDiv) return a.bits / b.bits;
  if (op == spv::OpUMod) return a.bits % b.bits;
  ConstantValue signed_a = a;
  ConstantValue signed_b = b;
  signed_a.is_signed = signed_b.is_signed = true;
  const std::int64_t x = signed_a.as_signed();
  const std::int64_t y = signed_b.as_signed();
  if (y == -1) return op == spv::OpSDiv ? 0 - a.bits : 0;  // The smallest value divided by -1 does not fit, and wraps.
  switch (op) {
    case spv::OpSDiv: return static_cast<std::uint64_t>(x / y);
    case spv::OpSRem: return static_cast<std::uint64_t>(x % y);
    default: {
      const std::int64_t rest = x % y;
      return static_cast<std::uint64_t>(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
    }
  }
}

std::optional<std::uint64_t> fold_binary(spv::Op op, const ConstantValue& a, const ConstantValue& b) noexcept {
  const auto signed_less = [](ConstantValue x, ConstantValue y) {
    x.is_signed = y.is_signed = true;
    return x.as_signed() < y.as_signed();
  };
  switch (op) {
    case spv::OpIAdd: return a.bits + b.bits;
    case spv::OpISub: return a.bits - b.bits;
    case spv::OpIMul: return a.bits * b.bits;
    case spv::OpUDiv:
    case spv::OpUMod:
    case spv::OpSDiv:
    case spv::OpSRem:
    case spv::OpSMod: return fold_division(op, a, b);
    case spv::OpShiftLeftLogical:
    case spv::OpShiftRightLogical:
    case spv::OpShiftRightArithmetic: return fold_shift(op, a, b);
    case spv::OpBitwiseAnd:
    case spv::OpLogicalAnd: return a.bits & b.bits;
    case spv::OpBitwiseOr:
    case spv::OpLogicalOr: return a.bits | b.bits;
    case spv::OpBitwiseXor: return a.bits ^ b.bits;
    case spv::OpIEqual:
    case spv::OpLogicalEqual: return a.bits == b.bits ? 1 : 0;
    case spv::OpINotEqual:
    case spv::OpLogicalNotEqual: return a.bits != b.bits ? 1 : 0;
    case spv::OpULessThan: return a.bits < b.bits ? 1 : 0;
    case spv::OpULessThanEqual: return a.bits <= b.bits ? 1 : 0;
    case spv::OpUGreaterThan: return a.bits > b.bits ? 1 : 0;
    case spv::OpUGreaterThanEqual: return a.bits >= b.bits ? 1 : 0;
    case spv::OpSLessThan: return signed_less(a, b) ? 1 : 0;
    case spv::OpSGreaterThan: return signed_less(b, a) ? 1 : 0;
    case spv::OpSLessThanEqual: return signed_less(b, a) ? 0 : 1;
    case spv::OpSGreaterThanEqual: return signed_less(a, b) ? 0 : 1;
    default: return std::nullopt;
  }
}

}  // namespace

std::int64_t ConstantValue::as_signed() const noexcept {
  const bool negative = is_signed && width < 64 && (bits >> (width - 1) & 1) != 0;
  return static_cast<std::int64_t>(negative ? bits | ~std::uint64_t{0} << width : bits);
}

std::optional<ConstantValue> fold(spv::Op op, std::span<const ConstantValue> operands, std::uint32_t width,
                                  bool is_signed) noexcept {
  std::optional<std::uint64_t> bits;
  if (operands.size() == 1) bits = fold_unary(op, operands[0]);
  if (operands.size() == 2) bits = fold_binary(op, operands[0], operands[1]);
  if (operands.size() == 3 && op == spv::OpSelect) bits = operands[operands[0].bits != 0 ? 1 : 2].bits;
  if (!bits) return std::nullopt;
  return ConstantValue{.bits = cut_to_width(*bits, width), .width = width, .is_signed = is_signed};
}

std::optional<ConstantValue> scalar_shape(const Module& module, Id type) noexcept {
  const std::optional<Instruction> definition = module.definition(type);
  if (!definition) return std::nullopt;
  if (definition->op() == spv::OpTypeBool) return ConstantValue{.width = 1};
  const std::uint32_t width = definition->operand(0);
  if (definition->op() != spv::OpTypeInt || width == 0 || width > 64) return std::nullopt;
  return ConstantValue{.width = width, .is_signed = definition->operand(1) != 0};
}

std::optional<ConstantValue> Constants::value(Id id) { return value_at(id, 0); }

std::optional<std::uint64_t> Constants::number(Id id) {
  const std::optional<ConstantValue> found = value(id);
  return found ? std::optional{found->bits} : std::nullopt;
}

std::optional<std::uint64_t> Constants::override_of(Id id) const {
  const std::optional<std::uint32_t> spec_id = module_.decoration(id, spv::DecorationSpecId);
  if (!spec_id) return std::nullopt;
  for (const SpecOverride& override : overrides_) {
    if (override.spec_id == *spec_id) return override.bits;
  }
  return std::nullopt;
}

std::optional<ConstantValue> Constants::value_at(Id id, int depth) {
  const std::optional<Instruction> constant = module_.definition(id);
  if (!constant || depth > kMaxDepth) return std::nullopt;
  if (constant->op() != spv::OpSpecConstantOp) return evaluate(*constant, depth);
  if (const auto known = operations_.find(id); known != operations_.end()) return known->second;
  operations_[id] = std::nullopt;  // A constant that depends on itself has no value.
  return operations_[id] = evaluate(*constant, depth);
}

std::optional<ConstantValue> Constants::evaluate(const Instruction& constant, int depth) {
  std::optional<ConstantValue> shape = scalar_shape(module_, constant.type());
  if (!shape) return std::nullopt;
  std::uint64_t bits = 0;
  switch (constant.op()) {
    case spv::OpConstantFalse:
    case spv::OpConstantNull: break;
    case spv::OpConstantTrue: bits = 1; break;
    case spv::OpConstant: bits = constant.operand(0) | std::uint64_t{constant.operand(1)} << 32; break;
    case spv::OpSpecConstantFalse: bits = override_of(constant.result()).value_or(0); break;
    case spv::OpSpecConstantTrue: bits = override_of(constant.result()).value_or(1); break;
    case spv::OpSpecConstant:
      bits = override_of(constant.result()).value_or(constant.operand(0) | std::uint64_t{constant.operand(1)} << 32);
      break;
    case spv::OpSpecConstantOp: return evaluate_operation(constant, depth);
    default: return std::nullopt;
  }
  shape->bits = shape->width == 1 ? (bits != 0 ? 1 : 0) : cut_to_width(bits, shape->width);
  return shape;
}

std::optional<ConstantValue> Constants::evaluate_operation(const Instruction& constant, int depth) {
  const std::optional<ConstantValue> shape = scalar_shape(module_, constant.type());
  const std::span<const std::uint32_t> ids = constant.operands().subspan(1);
  const auto op = static_cast<spv::Op>(constant.operand(0));
  std::array<ConstantValue, 3> operands{};
  if (!shape || ids.size() > operands.size()) return std::nullopt;
  if (op == spv::OpCompositeExtract) {  // For example of a workgroup size: gives the value of the constituent.
    const std::optional<Instruction> composite = module_.definition(ids[0]);
    const bool is_flat =
        composite && ids.size() == 2 &&
        (composite->op() == spv::OpSpecConstantComposite || composite->op() == spv::OpConstantComposite);
    return is_flat ? value_at(composite->operand(ids[1]), depth + 1) : std::nullopt;
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::optional<ConstantValue> operand = value_at(ids[i], depth + 1);
    if (!operand) return std::nullopt;
    operands[i] = *operand;
  }
  return fold(op, std::span{operands}.first(ids.size()), shape->width, shape->is_signed);
}

}  // namespace vyre::program::spirv
