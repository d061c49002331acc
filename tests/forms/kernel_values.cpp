#include "tests/forms/kernel_generator.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace vyre::tests::generation {

std::string KernelGenerator::literal(Base base) {
  switch (base) {
    case Base::Float: {
      const double value = (static_cast<double>(below(253)) - 126) / 4;
      return value < 0 ? fmt::format("({:.2f})", value) : fmt::format("{:.2f}", value);
    }
    case Base::Int: {
      const int value = percent(70) ? static_cast<int>(below(33)) - 16 : static_cast<int>(random_.word() >> 1);
      return value < 0 ? fmt::format("({})", value) : fmt::format("{}", value);
    }
    case Base::Uint: return percent(70) ? fmt::format("{}u", below(40)) : fmt::format("{:#x}u", random_.word());
    case Base::Bool:
    case Base::Structure: break;
  }
  return percent(50) ? "true" : "false";
}

std::string KernelGenerator::constant(const Type& type) {
  if (is_scalar(type)) return literal(type.base);
  return construct(type, [&](const Type& part) { return constant(part); });
}

std::string KernelGenerator::kept(const Type& type, int depth) {
  if (is_array(type) || is_structure(type) || is_matrix(type)) return whole(type, depth);
  const std::string text = value(type, depth);
  return type.base == Base::Float ? "tame(" + text + ")" : text;
}

std::string KernelGenerator::whole(const Type& type, int depth) {
  struct Found {
    const Block* block = nullptr;
    std::string name = {};  // Empty for the runtime array of the block.
  };
  std::vector<Found> found;
  for (const Variable& variable : variables_) {
    if (variable.type == type) found.push_back({.name = variable.name});
  }
  for (const TypedName& member : params_) {
    if (member.type == type) found.push_back({.name = "push." + member.name});
  }
  for (const Block& block : blocks_) {
    if (depth <= 0 || block.is_view || !is_readable(block)) continue;
    for (const TypedName& member : block.header) {
      if (member.type == type) found.push_back({.block = &block, .name = member.name});
    }
    if (block.element == type && (block.role != Role::Own || is_live_)) found.push_back({.block = &block});
  }
  if (!found.empty() && percent(70)) {
    const Found& from = pick(found);
    if (from.block == nullptr) return from.name;
    if (is_structure(type)) note("whole structures read");
    const std::string buffer = buffer_of(*from.block);
    return from.name.empty() ? element_text(*from.block, buffer, depth) : buffer + from.name;
  }
  return construct(type, [&](const Type& part) { return kept(part, std::min(depth - 1, 1)); });
}

std::string KernelGenerator::value(const Type& type, int depth) {
  if (type.base == Base::Bool) return condition(depth);
  if (depth <= 0 || percent(12)) return leaf(type, depth);
  if (percent(18)) return convert(read(depth - 1), type);
  if (percent(10)) {
    const std::string text = called(type, depth);
    if (!text.empty()) return text;
  }
  if (percent(6)) {
    const std::string chosen = condition(depth - 1);
    return cat({"(", chosen, " ? ", value(type, depth - 1), " : ", value(type, depth - 1), ")"});
  }
  if (type.rows > 1 && percent(12)) {
    return construct(type, [&](const Type& part) { return value(part, depth - 1); });
  }
  switch (type.base) {
    case Base::Float: return float_value(type, depth);
    case Base::Int: return int_value(type, depth);
    case Base::Uint:
    case Base::Bool:
    case Base::Structure: break;
  }
  return uint_value(type, depth);
}

std::string KernelGenerator::leaf(const Type& type, int depth) {
  if (percent(15)) {
    return type.rows == 1 ? literal(type.base) : cat({name_of(type), "(", literal(type.base), ")"});
  }
  if (percent(25)) {
    if (percent(40)) return convert({pick_text({"gl_LocalInvocationIndex", "self", "locals", "found"}), kUint}, type);
    return convert({pick_text({"gl_GlobalInvocationID", "gl_WorkGroupID", "gl_NumWorkGroups", "gl_LocalInvocationID",
                               is_specialised_ ? "extents" : "gl_WorkGroupSize"}),
                    vector(Base::Uint, 3)},
                   type);
  }
  std::vector<Value> found;
  for (const Variable& variable : variables_) found.push_back({variable.name, variable.type});
  for (const TypedName& member : params_) found.push_back({"push." + member.name, member.type});
  if (found.empty()) return convert({"self", kUint}, type);
  return convert(descend(pick(found), depth), type);
}

std::string KernelGenerator::float_value(const Type& type, int depth) {
  const int next = depth - 1;
  const auto operand = [&] { return value(type, next); };
  switch (below(16)) {
    case 0:
    case 1: return cat({"(", operand(), " + ", operand(), ")"});
    case 2:
    case 3: return cat({"(", operand(), " - ", operand(), ")"});
    case 4:
    case 5: return cat({"tame(", operand(), " * ", operand(), ")"});
    case 6: return cat({pick_text({"min", "max"}), "(", operand(), ", ", operand(), ")"});
    case 7: return cat({"tame(mix(", operand(), ", ", operand(), ", ", pick_text({"0.25", "0.5", "0.75"}), "))"});
    case 8:
      return cat(
          {pick_text({"floor", "ceil", "trunc", "abs", "sign", "fract", "roundEven", "-"}), "(", operand(), ")"});
    case 9: return cat({"clamp(", operand(), ", -8.0, ", literal_above(), ")"});
    case 10: return cat({"tame(fma(", operand(), ", ", operand(), ", ", operand(), "))"});
    case 11: return cat({"step(", operand(), ", ", operand(), ")"});
    case 12: {
      const std::uint32_t rows = between(2, 4);
      const std::string product = cat(
          {"tame(dot(", value(vector(Base::Float, rows), next), ", ", value(vector(Base::Float, rows), next), "))"});
      return convert({product, kFloat}, type);
    }
    case 13: return unpacked(type, next);
    case 14:
      if (type.rows > 1) {
        const Type matrix = {.base = Base::Float, .rows = type.rows, .columns = between(2, 4)};
        note("matrix times vector");
        return cat({"tame(", whole(matrix, next), " * ", value(vector(Base::Float, matrix.columns), next), ")"});
      }
      return cat({"uintBitsToFloat(floatBitsToUint(tame(", operand(), ")))"});
    default: break;
  }
  if (type.rows > 1) {
    const std::string compared = cat({"lessThan(", operand(), ", ", operand(), ")"});
    return cat({"mix(", operand(), ", ", operand(), ", ", compared, ")"});
  }
  return cat({"float(", value(kInt, next), " & 63)"});
}

std::string KernelGenerator::unpacked(const Type& type, int depth) {
  note("packing functions");
  const std::uint32_t roll = below(5);
  const std::string bits = value(kUint, depth);
  // Without the bits of infinite halves.
  if (roll == 0)
    return convert({cat({"tame(unpackHalf2x16(", bits, " & 0x3fff3fffu))"}), vector(Base::Float, 2)}, type);
  if (roll == 1) return convert({cat({"tame(unpackUnorm2x16(", bits, "))"}), vector(Base::Float, 2)}, type);
  if (roll == 2) return convert({cat({"tame(unpackSnorm2x16(", bits, "))"}), vector(Base::Float, 2)}, type);
  if (roll == 3) return convert({cat({"tame(unpackUnorm4x8(", bits, "))"}), vector(Base::Float, 4)}, type);
  return convert({cat({"tame(unpackSnorm4x8(", bits, "))"}), vector(Base::Float, 4)}, type);
}

std::string KernelGenerator::int_value(const Type& type, int depth) {
  const int next = depth - 1;
  const auto operand = [&] { return value(type, next); };
  switch (below(13)) {
    case 0: return cat({"(", operand(), " / ((", operand(), " & 7) + 1))"});
    case 1: return cat({"abs(", operand(), " >> 1)"});
    case 2: return cat({"bitfieldExtract(", operand(), ", ", bit_range(), ")"});
    case 3: return cat({pick_text({"findLSB", "findMSB", "bitCount"}), "(", operand(), ")"});
    case 4: return cat({"(", operand(), pick_text({" << ", " >> "}), "(", operand(), " & 31))"});
    case 5: return cat({"-(", operand(), ")"});
    case 6: return convert({value(vector(Base::Uint, type.rows), next), vector(Base::Uint, type.rows)}, type);
    case 7: return cat({"floatBitsToInt(tame(", value(vector(Base::Float, type.rows), next), "))"});
    case 8: return cat({"((", operand(), " & 0x7fffffff) % ((", operand(), " & 15) + 1))"});
    default: break;
  }
  return bits_value(type, next);
}

std::string KernelGenerator::uint_value(const Type& type, int depth) {
  const int next = depth - 1;
  const auto operand = [&] { return value(type, next); };
  switch (below(15)) {
    case 0: return cat({"(", operand(), pick_text({" / ", " % "}), "((", operand(), " & 15u) + 1u))"});
    case 1: return cat({"(", operand(), pick_text({" << ", " >> "}), "(", operand(), " & 31u))"});
    case 2: return cat({"bitfieldExtract(", operand(), ", ", bit_range(), ")"});
    case 3: return cat({"bitfieldReverse(", operand(), ")"});
    case 4: return cat({"bitfieldInsert(", operand(), ", ", operand(), ", ", bit_range(), ")"});
    case 5: return cat({name_of(type), "(", pick_text({"findLSB", "findMSB", "bitCount"}), "(", operand(), "))"});
    case 6: return cat({"floatBitsToUint(tame(", value(vector(Base::Float, type.rows), next), "))"});
    case 7: return convert({packed(next), kUint}, type);
    case 8: return convert({cat({"uint(", condition(next), ")"}), kUint}, type);
    case 9: return convert({length_value(), kUint}, type);
    case 10: return convert({value(vector(Base::Int, type.rows), next), vector(Base::Int, type.rows)}, type);
    default: break;
  }
  return bits_value(type, next);
}

std::string KernelGenerator::bits_value(const Type& type, int depth) {
  note("bit tricks");
  const auto operand = [&] { return value(type, depth); };
  switch (below(9)) {
    case 0:
    case 1: return cat({"(", operand(), " + ", operand(), ")"});
    case 2: return cat({"(", operand(), " - ", operand(), ")"});
    case 3: return cat({"(", operand(), " * ", operand(), ")"});
    case 4: return cat({"~(", operand(), ")"});
    case 5: return cat({pick_text({"min", "max"}), "(", operand(), ", ", operand(), ")"});
    case 6:
      if (type.rows > 1) {
        const std::string compared = cat({"greaterThanEqual(", operand(), ", ", operand(), ")"});
        return cat({"mix(", operand(), ", ", operand(), ", ", compared, ")"});
      }
      break;
    default: break;
  }
  return cat({"(", operand(), pick_text({" & ", " | ", " ^ "}), operand(), ")"});
}

std::string KernelGenerator::packed(int depth) {
  note("packing functions");
  if (percent(50)) {
    return cat({pick_text({"packHalf2x16", "packUnorm2x16", "packSnorm2x16"}), "(tame(",
                value(vector(Base::Float, 2), depth), "))"});
  }
  return cat({pick_text({"packUnorm4x8", "packSnorm4x8"}), "(tame(", value(vector(Base::Float, 4), depth), "))"});
}

std::string KernelGenerator::length_value() {
  std::vector<const Block*> found;
  for (const Block& block : blocks_) {
    if (block.element) found.push_back(&block);
  }
  const Block& block = *pick(found);
  note("length()");
  return length_of(block, buffer_of(block));
}

std::string KernelGenerator::condition(int depth) {
  note("bool logic");
  if (depth <= 0) {
    std::vector<std::string> found = {"live"};
    for (const Variable& variable : variables_) {
      if (variable.type == kBool) found.push_back(variable.name);
    }
    if (percent(40)) return pick(found);
    return cat({"((", leaf(kUint, 0), " & ", fmt::format("{}u", 1U << below(4)), ") != 0u)"});
  }
  const int next = depth - 1;
  switch (below(8)) {
    case 0: return cat({"(", condition(next), pick_text({" && ", " || ", " ^^ "}), condition(next), ")"});
    case 1: return cat({"!", condition(next)});
    case 2: {
      const Base base = pick({Base::Float, Base::Int, Base::Uint});
      const Type type = vector(base, between(2, 4));
      return cat({pick_text({"any(", "all("}), pick_text({"lessThan(", "notEqual(", "greaterThan("}), value(type, next),
                  ", ", value(type, next), "))"});
    }
    case 3: return cat({"(", value(kFloat, next), pick_text({" < ", " >= "}), value(kFloat, next), ")"});
    case 4: return cat({"(", value(kInt, next), pick_text({" < ", " > ", " == "}), value(kInt, next), ")"});
    case 5: return cat({"((", value(kUint, next), " & ", fmt::format("{}u", 1U << below(6)), ") == 0u)"});
    default: break;
  }
  return cat({"(", value(kUint, next), pick_text({" < ", " >= ", " != "}), value(kUint, next), ")"});
}

void KernelGenerator::count_call(const Function& function) {
  calls_runs_ = std::max(calls_runs_, runs_ * function.runs);
  lines_ += function.lines;
  if (is_in_function_) note("nested calls");
}

std::string KernelGenerator::called(const Type& type, int depth) {
  std::vector<const Function*> found;
  for (const Function& function : functions_) {
    if (function.result == type && !has_outputs(function) && can_call(function)) found.push_back(&function);
  }
  if (found.empty()) return {};
  const Function& function = *pick(found);
  count_call(function);
  std::string text = function.name + "(";
  for (const Parameter& parameter : function.parameters) {
    const std::string argument = kept(parameter.type, std::min(depth - 1, 1));
    text += (text.back() == '(' ? "" : ", ") + argument;
  }
  return text + ")";
}

std::string KernelGenerator::convert(const Value& from, const Type& to) {
  if (is_matrix(from.type)) {
    return convert({cat({from.text, fmt::format("[{}]", below(from.type.columns))}), column_of(from.type)}, to);
  }
  std::string text = from.text;
  std::uint32_t rows = from.type.rows;
  constexpr std::string_view kComponents = "xyzw";
  if (rows > 1 && rows != to.rows) {
    std::string swizzle;
    for (std::uint32_t i = 0; i < to.rows; ++i) swizzle += kComponents[below(rows)];
    text += "." + swizzle;
    rows = to.rows;
  }
  const std::string target = name_of(vector(to.base, rows));
  if (from.type.base == Base::Bool) {
    text = to.base == Base::Bool ? text : cat({target, "(", text, ")"});
  } else if (from.type.base != to.base) {
    if (to.base == Base::Float) {
      text = cat({target, "((", text, from.type.base == Base::Uint ? ") & 63u)" : ") & 63)"});
    } else if (to.base == Base::Uint && from.type.base == Base::Float) {
      text = cat({target, "(", name_of(vector(Base::Int, rows)), "(", text, "))"});
    } else {
      text = cat({target, "(", text, ")"});
    }
  }
  return rows == to.rows ? text : cat({name_of(to), "(", text, ")"});
}

std::string KernelGenerator::place_value(int depth) {
  if (depth <= 0) return pick_text({"self", "found", "gl_LocalInvocationIndex", "gl_WorkGroupID.x", "locals"});
  return value(kUint, std::min(depth - 1, 1));
}

std::string KernelGenerator::uniform_index(std::uint32_t count) {
  std::vector<std::string> found = {"gl_NumWorkGroups.x", "gl_WorkGroupID.x"};
  for (const TypedName& member : params_) {
    // What is likely to be hit by a wrong form.
    if (member.type == kUint) found.insert(found.end(), 3, "push." + member.name);
  }
  // No counters of loops: where invocations have left, llvmpipe takes the index of one that has.
  return cat({pick(found), fmt::format(" % {}u", count)});
}

std::string KernelGenerator::buffer_of(const Block& block) {
  if (!block.has_instance) return {};
  if (block.buffers == 0) return fmt::format("b{}.", block.number);
  const bool is_constant = percent(35);
  note(is_constant ? "array of buffers by a constant" : "array of buffers by a uniform value");
  const std::string index = is_constant ? fmt::format("{}", below(block.buffers)) : uniform_index(block.buffers);
  return cat({fmt::format("b{}[", block.number), index, "]."});
}

std::string KernelGenerator::length_of(const Block& block, const std::string& buffer) {
  if (block.declared == 0) return fmt::format("uint({}{}.length())", buffer, block.data);
  const std::string whole = fmt::format("n{}", block.number);
  const std::size_t bracket = buffer.find('[');
  return fmt::format("uint({}{}.length())", whole + (bracket == buffer.npos ? "." : buffer.substr(bracket)),
                     block.data);
}

std::string KernelGenerator::element_text(const Block& block, const std::string& buffer, int depth) {
  const std::string array = buffer + block.data;
  if (is_owned(block)) {
    if (block.per_index == 1) return array + "[self]";
    note("several elements per invocation");
    return cat({array, fmt::format("[self * {}u + ", block.per_index), index_below(block.per_index, depth), "]"});
  }
  if (options_.out_of_bounds && !block.is_view && percent(15)) {
    note("read out of bounds");
    return cat({array, "[", outside(array), "]"});
  }
  if (block.readable > 0) return cat({array, "[", index_below(block.readable, depth), "]"});
  return cat({array, "[", place_value(depth), " % ", length_of(block, buffer), "]"});
}

Value KernelGenerator::descend(Value from, int depth) {
  // Vulkan asks for indices into push constants that are the same for all, and Mesa takes what was read there for the
  // same.
  const bool is_param = from.text.starts_with("push.");
  const auto index_at_run = [&](std::uint32_t count) {
    return is_param ? uniform_index(count) : dynamic_index(count, depth);
  };
  if (is_array(from.type)) {
    const std::string index = percent(45) ? fmt::format("{}", below(from.type.count)) : index_at_run(from.type.count);
    return descend({cat({from.text, "[", index, "]"}), element_of(from.type)}, depth);
  }
  if (is_structure(from.type)) {
    const TypedName& member = pick(structures_[from.type.structure].members);
    return descend({from.text + "." + member.name, member.type}, depth);
  }
  if (is_matrix(from.type) && percent(70)) {
    const bool is_constant = percent(40);
    note(is_constant ? "column of a matrix" : "dynamic column of a matrix");
    const std::string index =
        is_constant ? fmt::format("{}", below(from.type.columns)) : index_at_run(from.type.columns);
    return descend({cat({from.text, "[", index, "]"}), column_of(from.type)}, depth);
  }
  if (is_vector(from.type) && percent(50)) {
    if (percent(50)) {
      note("component of a vector");
      return {cat({from.text, ".", std::string{"xyzw"[below(from.type.rows)]}}), component_of(from.type)};
    }
    note("dynamic component of a vector");
    return {cat({from.text, "[", index_at_run(from.type.rows), "]"}), component_of(from.type)};
  }
  return from;
}

Value KernelGenerator::read(int depth) {
  std::vector<const Block*> found;
  for (const Block& block : blocks_) {
    if (is_readable(block) && (block.role != Role::Own || is_live_ || !block.header.empty())) found.push_back(&block);
  }
  if (found.empty()) return {literal(Base::Uint), kUint};
  return read_block(*pick(found), depth);
}

Value KernelGenerator::read_block(const Block& block, int depth) {
  const std::string buffer = buffer_of(block);
  const bool can_read_data = block.element && (block.role != Role::Own || is_live_);
  if (!block.header.empty() && (!can_read_data || percent(35))) {
    const TypedName& member = pick(block.header);
    return descend({buffer + member.name, member.type}, depth);
  }
  const Value element = {element_text(block, buffer, depth), *block.element};
  // The floats of a view can be anything, so they stay bits.
  if (block.is_view && element.type.base == Base::Float) return {"floatBitsToUint(" + element.text + ")", kUint};
  return descend(element, depth);
}

}  // namespace vyre::tests::generation
