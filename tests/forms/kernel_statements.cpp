#include "tests/forms/kernel_generator.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace vyre::tests::generation {

void KernelGenerator::declare(const Type& type, int depth) {
  const std::string text = kept(type, depth);
  const std::string name = fresh("v");
  const bool is_const = percent(15);
  const bool is_precise = !is_const && type.base == Base::Float && percent(15);
  line(fmt::format("{}{}{} {} = {};", is_const ? "const " : "", is_precise ? "precise " : "", name_of(type), name,
                   text));
  variables_.push_back({.type = type, .name = name, .is_const = is_const});
}

std::optional<Variable> KernelGenerator::pick_variable() {
  std::vector<Variable> found;
  for (const Variable& variable : variables_) {
    if (!variable.is_const) found.push_back(variable);
  }
  if (found.empty()) return {};
  return pick(found);
}

void KernelGenerator::assign(const Value& target, int depth) {
  if ((is_scalar(target.type) || is_vector(target.type)) && target.type.base != Base::Bool && percent(30)) {
    if (target.type.base == Base::Float) {
      const std::string text = value(target.type, depth - 1);
      line(fmt::format("{} = tame({} * {});", target.text, target.text, text));
    } else {
      const std::string op = pick_text({"+=", "-=", "*=", "^=", "|=", "&="});
      line(fmt::format("{} {} {};", target.text, op, value(target.type, depth)));
    }
    return;
  }
  line(cat({target.text, " = ", kept(target.type, depth), ";"}));
}

void KernelGenerator::assign_variable() {
  const auto variable = pick_variable();
  if (!variable) return declare(random_type(10, 10), 2);
  Value target = {variable->name, variable->type};
  if (percent(60) || is_array(target.type)) target = descend(target, 2);
  if (is_vector(target.type) && target.type.rows >= 3 && percent(20)) {
    const std::string swizzle = pick_text({"zx", "xy", "yx", "zy"});
    line(cat({target.text, ".", swizzle, " = ", kept(vector(target.type.base, 2), 2), ";"}));
    return;
  }
  assign(target, 3);
}

std::optional<Block> KernelGenerator::pick_block(Role a, Role b) {
  std::vector<const Block*> found;
  for (const Block& block : blocks_) {
    if (block.role == a || block.role == b) found.push_back(&block);
  }
  if (found.empty()) return {};
  return *pick(found);
}

void KernelGenerator::write_own(const Block& block) {
  const std::string buffer = buffer_of(block);
  Value target = {element_text(block, buffer, 2), *block.element};
  if (options_.out_of_bounds && percent(12)) {
    note("write out of bounds");
    // What comes behind the end nobody has, so that all may write there.
    target.text = cat({buffer, block.data, "[", outside(buffer + block.data), "]"});
  }
  const bool is_whole = !is_array(target.type) && percent(45);
  if (!is_whole) target = descend(target, 2);
  if (is_structure(target.type)) note("whole structures written");
  if (is_matrix(target.type)) note("whole matrices written");
  if (block.role == Role::Output) {
    line(cat({target.text, " = ", kept(target.type, 3), ";"}));
    return;
  }
  assign(target, 3);
}

void KernelGenerator::write_any() {
  const auto block = pick_block(Role::Own, Role::Output);
  if (!block) return;
  where_live([&] { write_own(*block); });
}

void KernelGenerator::write_then_read() {
  const auto block = pick_block(Role::Own, Role::Own);
  if (!block) return;
  note("written and read at once");
  where_live([&] {
    const Value element = {element_text(*block, buffer_of(*block), 1), *block->element};
    if (is_array(element.type)) {
      const Value part = {element.text + "[1]", element_of(element.type)};
      line(cat({part.text, " = ", kept(part.type, 2), ";"}));
    } else {
      line(cat({element.text, " = ", kept(element.type, 2), ";"}));
    }
    for (std::uint32_t left = between(1, 3); left > 0; --left) take(descend(element, 1));
    if (percent(50)) {
      const Value part = descend(element, 1);
      assign(part, 2);
      take(descend(element, 1));
    }
  });
}

void KernelGenerator::take(const Value& found) {
  Value part = found;
  if (is_matrix(part.type)) {
    part = {part.text + fmt::format("[{}]", below(part.type.columns)), column_of(part.type)};
  }
  if (part.type.base == Base::Float) {
    part = {"floatBitsToUint(" + part.text + ")", vector(Base::Uint, part.type.rows)};
  }
  line(cat({"take(", convert(part, kUint), ");"}));
}

void KernelGenerator::copy_structure() {
  std::vector<Block> to;
  for (const Block& block : blocks_) {
    if (!block.element || !is_structure(*block.element)) continue;
    if (is_owned(block)) to.push_back(block);
  }
  if (to.empty()) return declare(random_type(60, 0), 2);
  note("structures copied");
  where_live([&] {
    const Block& target = pick(to);
    const Type type = *target.element;
    const std::string name = fresh("v");
    line(cat({name_of(type), " ", name, " = ", whole(type, 2), ";"}));
    if (percent(60)) assign(descend({name, type}, 1), 2);
    line(cat({element_text(target, buffer_of(target), 1), " = ", name, ";"}));
    variables_.push_back({.type = type, .name = name});
  });
}

void KernelGenerator::add_atomic() {
  const auto block = pick_block(Role::Atomic, Role::Atomic);
  if (!block) return add_own_atomic();
  write_atomic(*block);
}

void KernelGenerator::write_atomic(const Block& block) {
  const std::string buffer = buffer_of(block);
  std::string target;
  Type type = *block.element;
  std::string op = block.atomics.back();
  if (!block.header.empty() && percent(50)) {
    const std::uint32_t which = below(block.header.size());
    target = buffer + block.header[which].name;
    type = block.header[which].type;
    op = block.atomics[which];
  } else {
    const std::string array = buffer + block.data;
    target = cat({array, "[", value(kUint, 1), " % ", length_of(block, buffer), "]"});
  }
  note(op);
  line(cat({op, "(", target, ", ", value(type, 2), ");"}));
}

void KernelGenerator::add_own_atomic() {
  std::vector<Block> found;
  for (const Block& block : blocks_) {
    if (block.role == Role::Own && block.element && !is_array(*block.element) &&
        (block.element->base == Base::Int || block.element->base == Base::Uint)) {
      found.push_back(block);
    }
  }
  if (found.empty()) return;
  note("atomics on elements of one's own");
  where_live([&] {
    const Block& block = pick(found);
    Value target = {element_text(block, buffer_of(block), 1), *block.element};
    if (is_vector(target.type)) {
      target = {cat({target.text, ".", std::string{"xyzw"[below(target.type.rows)]}}), component_of(target.type)};
    }
    if (percent(25)) {
      const std::string compared = literal(target.type.base);
      take({cat({"atomicCompSwap(", target.text, ", ", compared, ", ", value(target.type, 2), ")"}), target.type});
    } else {
      const std::string op = pick_text({"atomicAdd", "atomicMax", "atomicMin", "atomicXor", "atomicExchange"});
      take({cat({op, "(", target.text, ", ", value(target.type, 2), ")"}), target.type});
    }
  });
}

void KernelGenerator::call_function() {
  std::vector<const Function*> found;
  for (const Function& function : functions_) {
    if (can_call(function)) found.push_back(&function);
  }
  if (found.empty()) return declare(random_type(20, 10), 2);
  const Function& function = *pick(found);
  count_call(function);
  if (percent(40)) {
    where_live([&] { call_function(function); });
  } else {
    call_function(function);
  }
}

void KernelGenerator::call_function(const Function& function) {
  std::string arguments;
  std::vector<Variable> made;
  for (const Parameter& parameter : function.parameters) {
    std::string argument;
    if (parameter.passing == Passing::In || parameter.passing == Passing::ConstIn) {
      argument = kept(parameter.type, 2);
    } else {
      note(parameter.passing == Passing::Out ? "out parameters" : "inout parameters");
      argument = output_argument(parameter, made);
    }
    arguments += (arguments.empty() ? "" : ", ") + argument;
  }
  const std::string call = fmt::format("{}({})", function.name, arguments);
  if (function.result && percent(70)) {
    const std::string name = fresh("v");
    line(fmt::format("{} {} = {};", name_of(*function.result), name, call));
    made.push_back({.type = *function.result, .name = name});
  } else {
    line(call + ";");
  }
  variables_.insert(variables_.end(), made.begin(), made.end());
}

std::string KernelGenerator::output_argument(const Parameter& parameter, std::vector<Variable>& made) {
  if (is_live_ && parameter.passing == Passing::InOut) {
    for (const Block& block : blocks_) {
      if (block.role != Role::Own || block.is_volatile || block.element != parameter.type || !percent(60)) continue;
      note("buffer passed as inout");
      return element_text(block, buffer_of(block), 1);
    }
  }
  const std::string name = fresh("v");
  if (parameter.passing == Passing::InOut || percent(50)) {
    line(cat({name_of(parameter.type), " ", name, " = ", kept(parameter.type, 2), ";"}));
  } else {
    line(fmt::format("{} {};", name_of(parameter.type), name));
  }
  made.push_back({.type = parameter.type, .name = name});
  return name;
}

void KernelGenerator::extended_arithmetic() {
  note("carries");
  const std::string low = fresh("v");
  const std::string high = fresh("v");
  const std::uint32_t roll = below(3);
  if (roll == 0) {
    line(fmt::format("uint {};", high));
    line(cat({"uint ", low, " = uaddCarry(", value(kUint, 2), ", ", value(kUint, 2), ", ", high, ");"}));
  } else if (roll == 1) {
    line(fmt::format("uint {};", high));
    line(cat({"uint ", low, " = usubBorrow(", value(kUint, 2), ", ", value(kUint, 2), ", ", high, ");"}));
  } else {
    line(fmt::format("uint {}, {};", low, high));
    line(cat({"umulExtended(", value(kUint, 2), ", ", value(kUint, 2), ", ", high, ", ", low, ");"}));
  }
  variables_.push_back({.type = kUint, .name = low});
  variables_.push_back({.type = kUint, .name = high});
}

void KernelGenerator::statements(std::uint32_t count, int depth) {
  const std::size_t scope = variables_.size();
  for (std::uint32_t i = 0; i < count; ++i) statement(depth);
  // What nobody takes would not be seen.
  if (variables_.size() > scope && percent(60)) take(descend(to_value(variables_.back()), 1));
  variables_.resize(scope);
}

void KernelGenerator::statement(int depth) {
  const std::uint32_t roll = below(100);
  if (roll < 16) return declare(percent(8) ? kBool : random_type(12, 12), 3);
  if (roll < 30) return assign_variable();
  if (roll < 40) return write_any();
  if (roll < 45) return write_then_read();
  if (roll < 49) return copy_structure();
  if (roll < 54) return take(read(2));
  if (roll < 58) return line(cat({"take(", value(kUint, 3), ");"}));
  if (roll < 64) return add_atomic();
  if (roll < 67) return add_own_atomic();
  if (roll < 75) return call_function();
  if (roll < 77) return extended_arithmetic();
  if (roll < 80) return leave();
  if (depth <= 0) return assign_variable();
  if (roll < 88) return branch(depth);
  if (roll < 92) return choose_case(depth);
  loop(depth);
}

void KernelGenerator::leave() {
  if (is_in_loop_ && percent(70)) {
    line(cat({"if (", condition(2), ") ", pick_text({"break;", "continue;"})}));
  } else if (is_in_function_) {
    note("early return");
    const std::string when = condition(2);
    line(result_ ? cat({"if (", when, ") return ", kept(*result_, 2), ";"}) : cat({"if (", when, ") return;"}));
  } else if (!has_shared_ && percent(60)) {
    note("return within main");
    // Were this true of all, known beforehand, nothing behind it would be left.
    line(cat({fmt::format("if ((self & 7u) == {}u && ", below(8)), condition(2), ") return;"}));
  } else {
    take(read(2));
  }
}

void KernelGenerator::branch(int depth) {
  if (depth < kDepth) note("nested branches");
  open(cat({"if (", condition(2), ") {"}));
  statements(between(1, 3), depth - 1);
  if (percent(50)) {
    --depth_;
    if (percent(30)) {
      open(cat({"} else if (", condition(2), ") {"}));
      statements(between(1, 2), depth - 1);
      --depth_;
    }
    open("} else {");
    statements(between(1, 3), depth - 1);
  }
  close();
}

void KernelGenerator::choose_case(int depth) {
  const std::uint32_t cases = between(2, 4);
  const bool is_signed = percent(30);
  open(is_signed ? cat({"switch (", value(kInt, 2), fmt::format(" & {}) {{", cases)})
                 : cat({"switch (", value(kUint, 2), fmt::format(" % {}u) {{", cases + 1)}));
  // In a switch a break would leave that one, and a continue before any declared variable is no better to read.
  const bool was_in_loop = std::exchange(is_in_loop_, false);
  for (std::uint32_t i = 0; i < cases; ++i) {
    open(fmt::format("case {}{}: {{", i, is_signed ? "" : "u"));
    statements(between(1, 2), depth - 1);
    close();
    if (percent(70)) {
      line("break;");
    } else {
      note("falling through cases");
    }
  }
  if (percent(60)) {
    open("default: {");
    statements(1, depth - 1);
    close();
  } else {
    line("default: break;");
  }
  is_in_loop_ = was_in_loop;
  close();
}

void KernelGenerator::loop(int depth) {
  const std::uint32_t trips = between(1, kMaxTrips);
  if (runs_ * kMaxTrips > kMaxRuns) return branch(depth);
  const std::string counter = fresh("k");
  const bool was_in_loop = std::exchange(is_in_loop_, true);
  const std::uint32_t outer = std::exchange(runs_, runs_ * trips);
  calls_runs_ = std::max(calls_runs_, runs_);
  const std::size_t scope = variables_.size();
  std::string end = "}";
  Variable variable = {.type = kUint, .name = counter, .is_const = true, .is_uniform = true};
  switch (below(7)) {
    case 0:
      if (has_spec_) {
        note("loop bounded by a specialisation constant");
        runs_ = outer * kMaxTrips;
        open(fmt::format("for (uint {0} = 0u; {0} < kSpec; ++{0}) {{", counter));
        break;
      }
      [[fallthrough]];
    case 1: open(fmt::format("for (uint {0} = 0u; {0} < {1}u; ++{0}) {{", counter, trips)); break;
    case 2:
      variable.type = kInt;
      open(fmt::format("for (int {0} = {1}; {0} > 0; {0} -= 2) {{", counter, 2 * trips));
      break;
    case 3: {
      note("loop bounded by data");
      const std::string bound = cat({value(kUint, 2), fmt::format(" % {}u", trips + 1)});
      line(fmt::format("const uint {}_end = {};", counter, bound));
      open(fmt::format("for (uint {0} = 0u; {0} < {0}_end; ++{0}) {{", counter));
      break;
    }
    case 4:
      line(fmt::format("uint {} = 0u;", counter));
      open(cat({fmt::format("while ({}++ < {}u && ", counter, trips), condition(2), ") {"}));
      note("loop ended by data");
      break;
    case 5:
      line(fmt::format("uint {} = 0u;", counter));
      open("do {");
      end = cat({fmt::format("}} while (++{} < {}u && ", counter, trips), condition(1), ");"});
      note("loop ended by data");
      break;
    default:
      line(fmt::format("uint {} = {}u;", counter, trips));
      open("for (;;) {");
      line(fmt::format("if ({0}-- == 0u) break;", counter));
      break;
  }
  variables_.push_back(variable);
  if (outer > 1) note("nested loops");
  if (percent(30)) leave();
  statements(between(1, 3), depth - 1);
  close(end);
  variables_.resize(scope);
  runs_ = outer;
  is_in_loop_ = was_in_loop;
}

}  // namespace vyre::tests::generation
