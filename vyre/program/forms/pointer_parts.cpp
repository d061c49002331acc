#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include <vyre/program/forms/pointer_rewriter.hpp>
#include <vyre/program/saturating.hpp>

// Values that an end of their view may cut: each scalar is inside or outside by itself.

namespace vyre::program::forms {
namespace {

/// A value of more scalars than these is not taken apart, and has no checked form where an end may cut it.
constexpr std::uint64_t kMostScalars = 256;

/// Memory operands without an alignment, which is the whole value's.
Words without_alignment(std::span<const std::uint32_t> operands) {
  Words all(operands.begin(), operands.end());
  if (all.empty() || (all[0] & spv::MemoryAccessAlignedMask) == 0) return all;
  // Its parameter is the first: only one without a parameter has a lower bit.
  all[0] &= ~static_cast<std::uint32_t>(spv::MemoryAccessAlignedMask);
  all.erase(all.begin() + 1);
  return all;
}

}  // namespace

std::uint64_t PointerRewriter::scalars_in(Id type) {
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

Result<std::vector<Id>> PointerRewriter::parts_of_value(Id type) {
  const auto definition = module_.definition(type);
  std::vector<Id> parts;
  if (!definition) return parts;
  if (const std::uint64_t count = scalars_in(type); count > kMostScalars) {
    return refuse(
        fmt::format("a value of {} numbers may lie across the end of a view, it is taken apart if it has at most {}",
                    count, kMostScalars));
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

Result<Id> PointerRewriter::follow_part(const Place& whole, std::uint32_t part, Id type, Place& place) {
  Way way = whole.way;
  way.indices.push_back(writer_.constant(part));
  made_indices_[way.indices.back()] = part;
  const Id pointer = writer_.fresh();
  VYRE_TRY(follow(way, pointer, writer_.pointer_type(kPhysical, type), 0, false, place));
  place.vector = 0;
  return pointer;
}

Result<void> PointerRewriter::load_parts(const Place& place, Id type, Id result,
                                         std::span<const std::uint32_t> operands) {
  const Words memory = without_alignment(operands);
  if (module_.definition_op(type) == spv::OpTypeVector && is_never_split(place, type)) {
    return load_vector(place, type, result, memory);
  }
  VYRE_ASSIGN(const std::vector<Id> parts, parts_of_value(type));
  Words all{type, result};
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    Place part;
    VYRE_ASSIGN(const Id from, follow_part(place, i, parts[i], part));
    all.push_back(writer_.fresh());
    VYRE_TRY(load_from(part, from, parts[i], all.back(), memory));
  }
  emit(code_.words, spv::OpCompositeConstruct, all);
  return {};
}

bool PointerRewriter::is_never_split(const Place& place, Id vector) {
  const std::uint64_t scalar = extent(module_.definition(vector)->operand(0));
  const std::uint32_t count = module_.definition(vector)->operand(1);
  const std::uint64_t bytes = scalar * (count == 3 ? 4 : count);
  return !place.in_matrix && count <= 4 && bytes <= kReadBehind && place.distance->unit % bytes == 0 &&
         place.distance->offset % bytes == 0;
}

bool PointerRewriter::is_accessed_whole(const Place& component, const Step& last) {
  if (!component.distance) return true;
  const auto index = constants_.number(last.index);
  if (!index) return true;
  Place vector;
  vector.in_matrix = component.in_matrix;
  vector.distance = component.distance;
  vector.distance->offset -= *index * last.stride;
  return is_never_split(vector, last.parent);
}

Result<void> PointerRewriter::load_vector(const Place& place, Id type, Id result,
                                          std::span<const std::uint32_t> operands) {
  const Id component = module_.definition(type)->operand(0);
  const std::uint32_t count = module_.definition(type)->operand(1);
  // It lies at a multiple of its size from the beginning of the view, so that no more than its end is outside. That
  // much may be read behind a view, and is not looked at.
  Place first;
  const Id pointer = writer_.fresh();
  VYRE_TRY(follow(place.way, pointer, writer_.pointer_type(kPhysical, type), extent(component), false, first));
  const Id whole = writer_.fresh();
  load_at(first, pointer, type, whole, operands);
  Words inside{writer_.vector_type(writer_.bool_type(), count), writer_.fresh()};
  for (std::uint32_t i = 0; i < count; ++i) {
    VYRE_ASSIGN(const Id valid, is_inside(first, i * extent(component), extent(component)));
    inside.push_back(valid);
  }
  emit(code_.words, spv::OpCompositeConstruct, inside);
  code_.named(spv::OpSelect, type, result, {inside[1], whole, writer_.null_constant(type)});
  return {};
}

Result<void> PointerRewriter::store_parts(const Place& place, Id value, Id type,
                                          std::span<const std::uint32_t> operands) {
  const Words memory = without_alignment(operands);
  VYRE_ASSIGN(const std::vector<Id> parts, parts_of_value(type));
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    Place part;
    VYRE_ASSIGN(const Id to, follow_part(place, i, parts[i], part));
    const Id part_value = code_.value(spv::OpCompositeExtract, parts[i], {value, i});
    VYRE_TRY(store_to(part, to, part_value, parts[i], memory));
  }
  return {};
}

}  // namespace vyre::program::forms
