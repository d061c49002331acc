#include <vyre/program/forms/view_bounds.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include <vyre/program/saturating.hpp>
#include <vyre/program/spirv/opcodes.hpp>

namespace vyre::program::forms {
namespace {

using spirv::Instruction;

/// If several indices of an access are added up, each may be this many units divided by their number, so that the sum
/// fits into 32 bits.
constexpr std::uint64_t kFarthest = std::uint64_t{1} << 31;

constexpr std::string_view kUnknownBuffer =
    "an index that may leave its array goes through an address whose buffer is not known";

}  // namespace

ViewBounds::ViewBounds(const RewriteContext& in, const TypeLayout& sizes, RecordAccess& record, FunctionWriter& body)
    : facts_{in.facts},
      module_{in.facts.module},
      constants_{in.constants},
      writer_{in.writer},
      sizes_{sizes},
      record_{record},
      types_{record.types()},
      body_{body},
      code_{body.code},
      prologue_{body.prologue} {
  // Looks at all decorations, because a pointer to a matrix may come from anywhere.
  for (std::size_t i = 0; i < module_.global_count() && !has_row_major_; ++i) {
    const Instruction each = module_[i];
    const bool is_member = each.op() == spv::OpMemberDecorate;
    if (!is_member && each.op() != spv::OpDecorate) continue;
    has_row_major_ = each.operand(is_member ? 2 : 1) == spv::DecorationRowMajor;
  }
}

void ViewBounds::begin_function() {
  array_pointers_.clear();
  limits_.clear();
  shifted_lengths_.clear();
}

Result<Id> ViewBounds::length_of(const Place& place) {
  if (place.length != 0) return place.length;
  if (!place.entry) return refuse("a runtime array is reached through an address whose buffer is not known");
  return record_.entry_length(*place.entry);
}

Result<Id> ViewBounds::bytes_of(const Place& place) {
  if (place.bytes != 0) return place.bytes;
  if (!place.entry) return refuse(std::string{kUnknownBuffer});
  return record_.entry_bytes(*place.entry);
}

bool ViewBounds::is_proven(Id index, std::uint64_t bound) {
  if (const auto value = constants_.value(index)) {
    return value->width <= 32 ? value->bits < bound : value->as_signed() >= 0 && value->bits < bound;
  }
  const auto node = module_.definition(index);
  if (!node) return false;
  const auto right = constants_.number(node->operand(1));
  const auto left = constants_.number(node->operand(0));
  switch (node->op()) {
    case spv::OpUMod: return right && *right != 0 && *right <= bound;
    case spv::OpBitwiseAnd: return (right && *right < bound) || (left && *left < bound);
    default: return false;
  }
}

bool ViewBounds::is_guarded(Id index, std::uint32_t entry) {
  if (body_.function->blocks.size() > 4096) return false;
  const spirv::ControlFlow& flow = body_.flow();
  std::uint32_t block = flow.block_of_instruction(body_.at);
  if (block == spirv::ControlFlow::kNone) return false;
  const auto is_length = [&](Id id) {
    const auto node = module_.definition(id);
    if (!node || node->op() != spv::OpArrayLength) return false;
    const auto found = facts_.buffer_of.find(node->operand(0));
    if (found == facts_.buffer_of.end()) return false;
    const BufferVariable& buffer = facts_.buffers[found->second];
    return !buffer.is_array && buffer.first_entry == entry;
  };
  for (int steps = 0; steps < 64; ++steps) {
    const std::uint32_t above = flow.immediate_dominator(block);
    if (above == spirv::ControlFlow::kNone || above == block) return false;
    const Instruction branch = module_[body_.function->blocks[above].end - 1];
    if (branch.op() == spv::OpBranchConditional && branch.operand(1) != branch.operand(2) &&
        flow.predecessors(block).size() == 1) {
      const bool holds = branch.operand(1) == body_.function->blocks[block].label;
      const auto test = module_.definition(branch.operand(0));
      if (test && test->operands().size() == 2) {
        const Id a = test->operand(0);
        const Id b = test->operand(1);
        const spv::Op op = test->op();
        if (op == spv::OpULessThan && holds && a == index && is_length(b)) return true;
        if (op == spv::OpUGreaterThan && holds && b == index && is_length(a)) return true;
        if (op == spv::OpUGreaterThanEqual && !holds && a == index && is_length(b)) return true;
        if (op == spv::OpULessThanEqual && !holds && b == index && is_length(a)) return true;
      }
    }
    block = above;
  }
  return false;
}

Id ViewBounds::check_index(Id index, Id bound, Id valid) {
  const auto shape = spirv::scalar_shape(module_, module_.type_of(index));
  Id compared = index;
  Id limit = bound;
  if (shape && shape->width < 32) {
    compared = shape->is_signed ? code_.value(spv::OpSConvert, writer_.int_type(32, true), {index})
                                : code_.value(spv::OpUConvert, types_.uint, {index});
  } else if (shape && shape->width > 32) {
    limit = code_.value(spv::OpUConvert, writer_.int_type(shape->width, false), {bound});
  }
  const Id inside = code_.value(spv::OpULessThan, writer_.bool_type(), {compared, limit});
  return valid == 0 ? inside : code_.value(spv::OpLogicalAnd, writer_.bool_type(), {valid, inside});
}

Id ViewBounds::checked_index(Id index, Id bound, Id& valid) {
  // If an earlier index was outside, the path continues in other memory, which may be smaller, so `valid` counts too.
  valid = check_index(index, bound, valid);
  const Id type = module_.type_of(index);
  return code_.value(spv::OpSelect, type, {valid, index, writer_.null_constant(type)});
}

Id ViewBounds::both(Id one, Id other) {
  if (one == 0 || other == 0) return one == 0 ? other : one;
  return code_.value(spv::OpLogicalAnd, writer_.bool_type(), {one, other});
}

Id ViewBounds::narrow_index(Id index, Id& is_near) {
  const auto shape = spirv::scalar_shape(module_, module_.type_of(index));
  const Id type = writer_.int_type(32, true);
  if (!shape) return index;
  if (shape->width == 32) return shape->is_signed ? index : code_.value(spv::OpBitcast, type, {index});
  if (shape->width < 32) {
    const bool is_signed = shape->is_signed;
    const Id wide = code_.value(is_signed ? spv::OpSConvert : spv::OpUConvert, is_signed ? type : types_.uint, {index});
    return is_signed ? wide : code_.value(spv::OpBitcast, type, {wide});
  }
  const Id low = code_.value(spv::OpBitcast, type, {code_.value(spv::OpUConvert, types_.uint, {index})});
  const Id again = code_.value(spv::OpSConvert, writer_.int_type(shape->width, true), {low});
  is_near = both(is_near, code_.value(spv::OpIEqual, writer_.bool_type(), {again, index}));
  return low;
}

Result<Id> ViewBounds::limit_of(const Place& place, std::uint64_t rest, std::uint32_t unit, std::uint64_t size) {
  const std::uint64_t needed = saturating_add(rest, size);
  if (needed > std::numeric_limits<std::uint32_t>::max()) return writer_.constant(0);
  VYRE_ASSIGN(const Id bytes, bytes_of(place));
  const bool is_known = place.bytes == 0;  // Then the size is loaded in the prologue.
  Id made = 0;
  Id& limit = is_known ? limits_[{*place.entry, rest, unit, size}] : made;
  if (limit != 0) return limit;
  Code& code = is_known ? prologue_ : code_;
  const auto in_units = [&](Id value) {
    return unit == 1 ? value : code.value(spv::OpUDiv, types_.uint, {value, writer_.constant(unit)});
  };
  if (needed == unit) return limit = in_units(bytes);
  const Id least = writer_.constant(static_cast<std::uint32_t>(needed));
  const Id spare = code.value(spv::OpISub, types_.uint, {bytes, least});
  const Id count = code.value(spv::OpIAdd, types_.uint, {in_units(spare), writer_.constant(1)});
  const Id has_one = code.value(spv::OpUGreaterThanEqual, writer_.bool_type(), {bytes, least});
  return limit = code.value(spv::OpSelect, types_.uint, {has_one, count, writer_.constant(0)});
}

Result<Distance> ViewBounds::distance_of(const Walk& walk, const Place& place, Id root) {
  Distance distance{.offset = walk.offset};
  std::uint64_t unit = 0;
  std::size_t terms = 0;
  for (const Step& step : walk.steps) {
    if (!step.is_dynamic) continue;
    unit = std::gcd(unit, step.stride);
    ++terms;
  }
  Id before = 0;  // The bytes from the beginning of the view to the root, if that is an address.
  if (!walk.starts_at_view) {
    if (!place.entry) return refuse(std::string{kUnknownBuffer});
    // The components of a vector are neighbours in memory, unless it is a column of a row-major matrix.
    const bool is_vector = module_.definition_op(facts_.pointee(root)) == spv::OpTypeVector;
    if (is_vector && has_row_major_) return refuse("an index goes into a vector that may be a column of a matrix");
    unit = std::gcd(unit, std::uint64_t{sizes_.alignment(facts_.pointee(root))});
    ++terms;
    const Id begin = record_.entry_address(*place.entry, types_.uvec2);
    const Id here = code_.value(spv::OpBitcast, types_.uvec2, {root});
    const auto low_word = [&](Id words) { return code_.value(spv::OpCompositeExtract, types_.uint, {words, 0}); };
    before = code_.value(spv::OpISub, types_.uint, {low_word(here), low_word(begin)});
  }
  if (unit == 0 || unit > kFarthest) return refuse("an array has elements of no size");
  distance.unit = static_cast<std::uint32_t>(unit);
  distance.units = before;
  if (before != 0 && unit > 1) {
    distance.units = code_.value(spv::OpUDiv, types_.uint, {before, writer_.constant(distance.unit)});
  }
  for (const Step& step : walk.steps) {
    if (!step.is_dynamic) continue;
    Id index = narrow_index(step.index, distance.is_near);
    const std::uint64_t factor = step.stride / unit;
    if (terms > 1 && step.is_open) {
      const auto most = static_cast<std::uint32_t>(std::max<std::uint64_t>(kFarthest / terms / factor, 1));
      const Id shifted = code_.value(spv::OpIAdd, types_.uint, {index, writer_.constant(most)});
      const Id is_near = code_.value(spv::OpULessThan, writer_.bool_type(), {shifted, writer_.constant(2 * most)});
      distance.is_near = both(distance.is_near, is_near);
    }
    if (factor != 1) {
      const Id times = writer_.constant(static_cast<std::uint32_t>(factor));
      index = code_.value(spv::OpIMul, types_.uint, {index, times});
    }
    distance.units = distance.units == 0 ? index : code_.value(spv::OpIAdd, types_.uint, {distance.units, index});
  }
  return distance;
}

Result<Id> ViewBounds::is_inside(const Place& place, std::uint64_t behind, std::uint64_t size) {
  const Distance& distance = *place.distance;
  const std::uint64_t offset = saturating_add(distance.offset, behind);
  const std::uint64_t whole = offset / distance.unit;
  if (whole > kFarthest)
    return refuse(fmt::format("a member lies {} bytes behind the beginning of its buffer", offset));
  VYRE_ASSIGN(const Id limit, limit_of(place, offset % distance.unit, distance.unit, size));
  Id units = distance.units;
  if (whole != 0) {
    units = code_.value(spv::OpIAdd, types_.uint, {units, writer_.constant(static_cast<std::uint32_t>(whole))});
  }
  const Id inside = code_.value(spv::OpULessThan, writer_.bool_type(), {units, limit});
  return both(both(place.base_valid, distance.is_near), inside);
}

Result<Id> ViewBounds::array_pointer(bool is_of_variable, Id pointer, Id pointer_type, const Place& place,
                                     std::uint64_t array_offset) {
  // If the array is the whole buffer, the table has the address of zeros for an empty one.
  if (place.entry && array_offset == 0) return pointer;
  const bool is_variable = is_of_variable && place.entry;  // Then the address is loaded in the prologue.
  if (is_variable) {
    if (const auto found = array_pointers_.find(*place.entry); found != array_pointers_.end()) return found->second;
  }
  VYRE_ASSIGN(const Id length, length_of(place));
  Code& code = is_variable ? prologue_ : code_;
  const Id zeros = record_.scratch_pointer(pointer_type, false);
  const Id is_there = code.value(spv::OpINotEqual, writer_.bool_type(), {length, writer_.constant(0)});
  const Id chosen = code.value(spv::OpSelect, pointer_type, {is_there, pointer, zeros});
  if (is_variable) array_pointers_.emplace(*place.entry, chosen);
  return chosen;
}

Result<void> ViewBounds::check_element(Walk& walk, Place& place, Id root_type, Id& pointer) {
  Step& step = walk.steps[*walk.runtime];
  VYRE_ASSIGN(Id limit, length_of(place));
  // The number of elements that would fit before the array.
  const std::uint64_t before = walk.array_offset / step.stride;
  if (before == 0) {
    place.valid = place.base_valid;
    step.index = checked_index(step.index, limit, place.valid);
    VYRE_ASSIGN(pointer, array_pointer(walk.starts_at_variable, pointer, root_type, place, walk.array_offset));
    return {};
  }
  const Id shift = writer_.constant(static_cast<std::uint32_t>(before));
  const bool is_known = place.length == 0;
  Id made = 0;
  Id& shifted = is_known ? shifted_lengths_[{*place.entry, before}] : made;
  if (shifted == 0) shifted = (is_known ? prologue_ : code_).value(spv::OpIAdd, types_.uint, {limit, shift});
  Id is_near = 0;
  const Id type = writer_.int_type(32, true);
  const Id index = narrow_index(step.index, is_near);
  const Id from_begin = code_.value(spv::OpIAdd, types_.uint, {index, shift});
  const Id inside = code_.value(spv::OpULessThan, writer_.bool_type(), {from_begin, shifted});
  place.valid = both(both(place.base_valid, is_near), inside);
  // The bytes before the array are inside the view even if the array is empty.
  const Id first = writer_.signed_constant(-static_cast<std::int32_t>(before));
  step.index = code_.value(spv::OpSelect, type, {place.valid, index, first});
  return {};
}

Result<void> ViewBounds::check_steps(Walk& walk, std::uint64_t needed, Place& place, Id root, Id root_type,
                                     Id& pointer) {
  const auto is_open = [](const Step& step) { return step.is_open; };
  if (std::ranges::none_of(walk.steps, is_open)) {
    place.valid = place.base_valid;
    return {};
  }
  if (walk.runtime) {
    const Step& step = walk.steps[*walk.runtime];
    // The view has whole elements of the runtime array, so everything in an element is inside the view. So is
    // everything before the array, if it is as large as a number of elements.
    const bool is_first =
        std::ranges::none_of(walk.steps.begin(), walk.steps.begin() + static_cast<std::ptrdiff_t>(*walk.runtime),
                             [](const Step& each) { return each.is_dynamic; });
    const bool is_only = step.is_open && std::ranges::count_if(walk.steps, is_open) == 1;
    if (is_first && is_only && walk.starts_at_view && walk.array_offset % step.stride == 0) {
      return check_element(walk, place, root_type, pointer);
    }
  }
  VYRE_ASSIGN(place.distance, distance_of(walk, place, root));
  VYRE_ASSIGN(place.valid, is_inside(place, 0, needed));
  const std::uint64_t whole = place.distance->offset / place.distance->unit;
  const bool is_single = std::ranges::count_if(walk.steps, [](const Step& each) { return each.is_dynamic; }) == 1;
  const bool has_front = walk.runtime && is_single && walk.starts_at_view && whole > 0;
  const Id type = writer_.int_type(32, true);
  for (Step& step : walk.steps) {
    if (!step.is_open) continue;
    Id is_near = 0;
    const Id other = writer_.signed_constant(has_front ? -static_cast<std::int32_t>(whole) : 0);
    step.index = code_.value(spv::OpSelect, type, {place.valid, narrow_index(step.index, is_near), other});
  }
  if (!walk.runtime || has_front) return {};
  // If the array has no element, there is no element to access instead of the one outside.
  VYRE_ASSIGN(const Id begin, array_pointer(walk.starts_at_variable, pointer, root_type, place, walk.array_offset));
  if (begin != pointer) pointer = code_.value(spv::OpSelect, root_type, {place.valid, pointer, begin});
  return {};
}

}  // namespace vyre::program::forms
