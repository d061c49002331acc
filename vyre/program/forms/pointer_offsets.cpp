#include <vyre/program/forms/pointer_offsets.hpp>

#include <vector>

#include <fmt/format.h>

#include <vyre/program/spirv/opcodes.hpp>

namespace vyre::program::forms {
namespace {

using spirv::Instruction;

bool compares(spv::Op op) { return op == spv::OpPtrEqual || op == spv::OpPtrNotEqual || op == spv::OpPtrDiff; }

}  // namespace

Result<void> PointerOffsets::find_offsets(const spirv::Function& function) {
  offsets_.clear();
  std::vector<Id> pending;
  const auto need = [&](Id pointer, spv::Op op) -> Result<void> {
    const auto buffer = facts_.buffer_of.find(facts_.origins[pointer]);
    if (buffer == facts_.buffer_of.end() || facts_.buffers[buffer->second].is_array) {
      return refuse(fmt::format("{} takes an address whose buffer is not known",
                                op == spv::OpPtrAccessChain ? "OpPtrAccessChain" : "a comparison of pointers"));
    }
    if (pointer == facts_.origins[pointer]) return {};
    if (offsets_.emplace(pointer, 0).second) pending.push_back(pointer);
    return {};
  };
  for (std::size_t i = function.begin; i < function.end; ++i) {
    const Instruction each = module_[i];
    if (!facts_.is_buffer_pointer(each.operand(0))) continue;
    if (compares(each.op())) {
      VYRE_TRY(need(each.operand(0), each.op()));
      VYRE_TRY(need(each.operand(1), each.op()));
      if (facts_.origins[each.operand(0)] != facts_.origins[each.operand(1)]) {
        return refuse(fmt::format("{} compares pointers into two buffers", each.name()));
      }
    } else if (each.op() == spv::OpPtrAccessChain) {
      VYRE_TRY(need(each.result(), each.op()));
    }
  }
  while (!pending.empty()) {
    const Instruction each = *module_.definition(pending.back());
    pending.pop_back();
    offsets_[each.result()] = writer_.fresh();
    switch (each.op()) {
      case spv::OpAccessChain:
      case spv::OpInBoundsAccessChain:
      case spv::OpPtrAccessChain:
      case spv::OpCopyObject: VYRE_TRY(need(each.operand(0), each.op())); break;
      case spv::OpSelect:
        VYRE_TRY(need(each.operand(1), each.op()));
        VYRE_TRY(need(each.operand(2), each.op()));
        break;
      case spv::OpPhi:
        for (std::size_t i = 0; i + 1 < each.operands().size(); i += 2) VYRE_TRY(need(each.operand(i), each.op()));
        break;
      default: return refuse(fmt::format("a pointer that comes from {} is compared or stepped along", each.name()));
    }
  }
  return {};
}

Id PointerOffsets::offset_of(Id pointer) {
  return pointer == facts_.origins[pointer] ? writer_.constant(0) : offsets_.at(pointer);
}

Id PointerOffsets::to_uint(Id index) {
  const Id type = module_.type_of(index);
  if (type == types_.uint) return index;
  const auto shape = spirv::scalar_shape(module_, type);
  if (!shape || shape->width == 32) return code_.value(spv::OpBitcast, types_.uint, {index});
  if (shape->width > 32) return code_.value(spv::OpUConvert, types_.uint, {index});
  if (!shape->is_signed) return code_.value(spv::OpUConvert, types_.uint, {index});
  const Id wide = code_.value(spv::OpSConvert, writer_.int_type(32, true), {index});
  return code_.value(spv::OpBitcast, types_.uint, {wide});
}

Result<void> PointerOffsets::write_offset(const Instruction& pointer) {
  const Id result = offsets_.at(pointer.result());
  switch (pointer.op()) {
    case spv::OpCopyObject:
      code_.named(spv::OpCopyObject, types_.uint, result, {offset_of(pointer.operand(0))});
      return {};
    case spv::OpSelect:
      code_.named(spv::OpSelect, types_.uint, result,
                  {pointer.operand(0), offset_of(pointer.operand(1)), offset_of(pointer.operand(2))});
      return {};
    case spv::OpPhi: {
      Words all{types_.uint, result};
      for (std::size_t i = 0; i + 1 < pointer.operands().size(); i += 2) {
        all.push_back(offset_of(pointer.operand(i)));
        body_.note_phi_label(code_.words.size() + 1 + all.size());
        all.push_back(pointer.operand(i + 1));
      }
      emit(code_.words, spv::OpPhi, all);
      return {};
    }
    default: return write_chain_offset(pointer, result);
  }
}

Result<void> PointerOffsets::write_chain_offset(const Instruction& chain, Id result) {
  Id offset = offset_of(chain.operand(0));
  const auto step = [&](Id index, std::uint32_t bytes) {
    const Id distance = code_.value(spv::OpIMul, types_.uint, {to_uint(index), writer_.constant(bytes)});
    offset = code_.value(spv::OpIAdd, types_.uint, {offset, distance});
  };
  std::span<const std::uint32_t> indices = chain.operands().subspan(1);
  if (chain.op() == spv::OpPtrAccessChain) {
    const std::uint32_t stride =
        module_.decoration(module_.type_of(chain.operand(0)), spv::DecorationArrayStride).value_or(0);
    if (stride == 0) return refuse("OpPtrAccessChain steps along pointers that have no ArrayStride");
    step(indices[0], stride);
    indices = indices.subspan(1);
  }
  Id type = facts_.pointee(chain.operand(0));
  for (const Id index : indices) {
    const Instruction definition = *module_.definition(type);
    switch (definition.op()) {
      case spv::OpTypeStruct: {
        const auto member = static_cast<std::uint32_t>(constants_.number(index).value_or(0));
        const std::uint32_t bytes = module_.decoration(type, spv::DecorationOffset, member).value_or(0);
        offset = code_.value(spv::OpIAdd, types_.uint, {offset, writer_.constant(bytes)});
        type = definition.operand(member);
        continue;
      }
      case spv::OpTypeArray:
      case spv::OpTypeRuntimeArray:
        step(index, module_.decoration(type, spv::DecorationArrayStride).value_or(0));
        break;
      case spv::OpTypeVector: step(index, static_cast<std::uint32_t>(sizes_.extent(definition.operand(0)))); break;
      default: return refuse(fmt::format("a pointer into {} is compared or stepped along", definition.name()));
    }
    type = definition.operand(0);
  }
  code_.named(spv::OpCopyObject, types_.uint, result, {offset});
  return {};
}

Result<void> PointerOffsets::rewrite_comparison(const Instruction& comparison) {
  const Id a = offset_of(comparison.operand(0));
  const Id b = offset_of(comparison.operand(1));
  if (comparison.op() != spv::OpPtrDiff) {
    const spv::Op op = comparison.op() == spv::OpPtrEqual ? spv::OpIEqual : spv::OpINotEqual;
    code_.named(op, comparison.type(), comparison.result(), {a, b});
    return {};
  }
  const Id pointer_type = module_.type_of(comparison.operand(0));
  const std::uint32_t stride = module_.decoration(pointer_type, spv::DecorationArrayStride).value_or(0);
  if (stride == 0) return refuse("OpPtrDiff subtracts pointers that have no ArrayStride");
  // Divides the positive difference, whichever pointer is the greater, because a distance may need all 32 bits.
  const auto elements = [&](Id from, Id to) {
    const Id bytes = code_.value(spv::OpISub, types_.uint, {to, from});
    const Id count = code_.value(spv::OpUDiv, types_.uint, {bytes, writer_.constant(stride)});
    const auto shape = spirv::scalar_shape(module_, comparison.type());
    if (comparison.type() == types_.uint) return count;
    if (!shape || shape->width == 32) return code_.value(spv::OpBitcast, comparison.type(), {count});
    const Id wide = code_.value(spv::OpUConvert, writer_.int_type(shape->width, false), {count});
    return shape->is_signed ? code_.value(spv::OpBitcast, comparison.type(), {wide}) : wide;
  };
  const Id is_behind = code_.value(spv::OpUGreaterThanEqual, writer_.bool_type(), {a, b});
  const Id ahead = elements(b, a);
  const Id back = code_.value(spv::OpSNegate, comparison.type(), {elements(a, b)});
  code_.named(spv::OpSelect, comparison.type(), comparison.result(), {is_behind, ahead, back});
  return {};
}

}  // namespace vyre::program::forms
