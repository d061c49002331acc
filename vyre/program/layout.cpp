#include <vyre/program/layout.hpp>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace vyre::program {
namespace {

using spirv::Id;
using spirv::Instruction;

/// SPIR-V allows structures to nest this deep.
constexpr int kMaxDepth = 255;

/// The product of two sizes, or the largest value if it exceeds 64 bits.
std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}
std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

constexpr std::uint64_t kAddressBytes = 8;
constexpr std::size_t kMaxTypeName = 256;

}  // namespace

std::vector<Member> Layout::members(Id structure) { return members_at(structure, 0); }

std::uint64_t Layout::size_of(const std::vector<Member>& members) noexcept {
  std::uint64_t size = 0;
  for (const Member& member : members) size = std::max(size, plus(member.offset, member.size));
  return size;
}

std::vector<Member> Layout::members_at(Id structure, int depth) {
  const std::optional<Instruction> definition = module_.definition(structure);
  std::vector<Member> members;
  if (!definition || definition->op() != spv::OpTypeStruct || depth > kMaxDepth) return members;
  const std::span<const std::uint32_t> types = definition->operands();
  for (std::uint32_t i = 0; i < types.size(); ++i) {
    if (effort_ == 0) break;
    --effort_;
    members.push_back(member(structure, i, types[i], depth + 1));
  }
  return members;
}

Member Layout::member(Id structure, std::uint32_t index, Id type, int depth) {
  Member result{.name = std::string{module_.member_name(structure, index)},
                .type = type_name(type, depth),
                .offset = module_.decoration(structure, spv::DecorationOffset, index).value_or(0),
                .matrix_stride = module_.decoration(structure, spv::DecorationMatrixStride, index).value_or(0),
                .row_major = module_.decoration(structure, spv::DecorationRowMajor, index).has_value()};
  result.array_stride = module_.decoration(type, spv::DecorationArrayStride).value_or(0);
  Id element = type;
  for (int i = 0; i < kMaxDepth; ++i) {
    const std::optional<Instruction> array = module_.definition(element);
    if (!array || (array->op() != spv::OpTypeArray && array->op() != spv::OpTypeRuntimeArray)) break;
    element = array->operand(0);
  }
  result.members = members_at(element, depth);
  result.size = explicit_size(type, result);
  return result;
}

std::optional<std::uint64_t> Layout::array_length(Id type) {
  const std::optional<Instruction> array = module_.definition(type);
  if (!array || array->op() != spv::OpTypeArray) return std::nullopt;
  return constants_.number(array->operand(1)).value_or(0);
}

std::uint64_t Layout::explicit_size(Id type, const Member& member) {
  const std::optional<Instruction> definition = module_.definition(type);
  if (!definition) return 0;
  switch (definition->op()) {
    case spv::OpTypeArray: return times(array_length(type).value_or(0), member.array_stride);
    case spv::OpTypeMatrix: {
      const std::optional<Instruction> column = module_.definition(definition->operand(0));
      const std::uint32_t rows = column ? column->operand(1) : 0;
      return times(member.row_major ? rows : definition->operand(1), member.matrix_stride);
    }
    case spv::OpTypeStruct: return size_of(member.members);
    default: return packed_size_at(type, 0);
  }
}

std::uint64_t Layout::packed_size(Id type) { return packed_size_at(type, 0); }

std::uint64_t Layout::packed_size_at(Id type, int depth) {
  const std::optional<Instruction> definition = module_.definition(type);
  if (!definition || depth > kMaxDepth || effort_ == 0) return 0;
  --effort_;
  switch (definition->op()) {
    case spv::OpTypeBool: return 4;
    case spv::OpTypeInt:
    case spv::OpTypeFloat: return definition->operand(0) / 8;
    case spv::OpTypePointer: return kAddressBytes;
    case spv::OpTypeVector:
    case spv::OpTypeMatrix: return times(definition->operand(1), packed_size_at(definition->operand(0), depth + 1));
    case spv::OpTypeArray:
      return times(array_length(type).value_or(0), packed_size_at(definition->operand(0), depth + 1));
    case spv::OpTypeStruct: {
      std::uint64_t size = 0;
      for (const Id member : definition->operands()) size = plus(size, packed_size_at(member, depth + 1));
      return size;
    }
    default: return 0;
  }
}

std::optional<ScalarType> Layout::scalar(Id type) const {
  const std::optional<Instruction> definition = module_.definition(type);
  if (!definition) return std::nullopt;
  switch (definition->op()) {
    case spv::OpTypeBool: return ScalarType{.kind = ScalarKind::Bool, .bits = 32};
    case spv::OpTypeFloat: return ScalarType{.kind = ScalarKind::Float, .bits = definition->operand(0)};
    case spv::OpTypeInt:
      return ScalarType{.kind = definition->operand(1) != 0 ? ScalarKind::Int : ScalarKind::Uint,
                        .bits = definition->operand(0)};
    default: return std::nullopt;
  }
}

std::string Layout::type_name(Id type, int depth) {
  const std::optional<Instruction> definition = module_.definition(type);
  if (!definition || depth > kMaxDepth) return "?";
  if (const std::optional<ScalarType> simple = scalar(type)) return to_string(*simple);
  switch (definition->op()) {
    case spv::OpTypeVector: {
      const std::optional<ScalarType> component = scalar(definition->operand(0));
      return component ? vector_name(*component, definition->operand(1)) : "?";
    }
    case spv::OpTypeMatrix: {
      const std::optional<Instruction> column = module_.definition(definition->operand(0));
      const std::optional<ScalarType> component = column ? scalar(column->operand(0)) : std::nullopt;
      return component ? matrix_name(*component, definition->operand(1), column->operand(1)) : "?";
    }
    case spv::OpTypeArray:
    case spv::OpTypeRuntimeArray: {
      // Outer dimensions come first: an array of three `uint[4]` is `uint[3][4]`.
      std::string dimensions;
      Id element = type;
      for (int i = 0; i < kMaxDepth; ++i) {
        const std::optional<Instruction> array = module_.definition(element);
        if (!array || (array->op() != spv::OpTypeArray && array->op() != spv::OpTypeRuntimeArray)) break;
        const std::optional<std::uint64_t> length = array_length(element);
        dimensions += length ? fmt::format("[{}]", *length) : "[]";
        element = array->operand(0);
      }
      return type_name(element, depth + 1) + dimensions;
    }
    case spv::OpTypeStruct: {
      // Shortened, because a long name is once in the module but may be many times in the result.
      const std::string_view name = module_.name(type).substr(0, kMaxTypeName);
      return name.empty() ? "struct" : std::string{name};
    }
    case spv::OpTypePointer: return "address";
    default: return std::string{definition->name()};
  }
}

}  // namespace vyre::program
