#include <vyre/program/forms/type_layout.hpp>

#include <algorithm>

#include <vyre/program/saturating.hpp>

namespace vyre::program::forms {

std::uint32_t TypeLayout::alignment(Id type) const {
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

std::uint64_t TypeLayout::extent(Id type) const {
  const auto definition = module_.definition(type);
  if (!definition) return 0;
  switch (definition->op()) {
    case spv::OpTypeInt:
    case spv::OpTypeFloat: return definition->operand(0) / 8;
    case spv::OpTypePointer: return 8;
    case spv::OpTypeVector: return saturating_mul(definition->operand(1), extent(definition->operand(0)));
    case spv::OpTypeMatrix:
      return 0;  // The stride of a matrix is not known here: the structure around it decides that.
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

std::uint64_t TypeLayout::bytes_in(Id type, const MatrixLayout& layout) const {
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

MatrixLayout TypeLayout::layout_of_member(Id structure, std::uint32_t member) const {
  return {.stride = module_.decoration(structure, spv::DecorationMatrixStride, member).value_or(0),
          .is_row_major = module_.decoration(structure, spv::DecorationRowMajor, member).has_value()};
}

std::uint64_t TypeLayout::scalars_in(Id type) const {
  const auto definition = module_.definition(type);
  if (!definition) return 1;
  switch (definition->op()) {
    case spv::OpTypeVector:
    case spv::OpTypeMatrix: return saturating_mul(definition->operand(1), scalars_in(definition->operand(0)));
    case spv::OpTypeArray:
      return saturating_mul(constants_.number(definition->operand(1)).value_or(kMostScalars + 1),
                            scalars_in(definition->operand(0)));
    case spv::OpTypeStruct: {
      std::uint64_t count = 0;
      for (const Id member : definition->operands()) count = saturating_add(count, scalars_in(member));
      return count;
    }
    default: return 1;
  }
}

bool TypeLayout::holds_matrix(Id type) const {
  const auto definition = module_.definition(type);
  if (!definition) return false;
  if (definition->op() == spv::OpTypeMatrix) return true;
  const bool is_array = definition->op() == spv::OpTypeArray || definition->op() == spv::OpTypeRuntimeArray;
  return is_array && holds_matrix(definition->operand(0));
}

bool TypeLayout::has_runtime_array(Id type) const {
  const auto block = module_.definition(type);
  return block && block->op() == spv::OpTypeStruct && !block->operands().empty() &&
         module_.definition_op(block->operands().back()) == spv::OpTypeRuntimeArray;
}

}  // namespace vyre::program::forms
