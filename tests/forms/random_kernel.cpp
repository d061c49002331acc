#include "tests/forms/random_kernel.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tests/forms/kernel_generator.hpp"

namespace vyre::tests::generation {

RandomKernel KernelGenerator::make() {
  choose_shape();
  make_structures();
  make_params();
  make_blocks();
  make_globals();
  const std::uint64_t functions = random_.percent(75) ? random_.between(1, 4) : 0;
  for (std::uint64_t i = 0; i < functions; ++i) make_function();
  const std::string bodies = std::exchange(out_, {});
  make_main();
  const std::string main = std::exchange(out_, {});
  write_declarations();
  kernel_.source = out_ + globals_ + bodies + main;
  for (const std::string_view name :
       {"gl_GlobalInvocationID", "gl_WorkGroupID", "gl_NumWorkGroups", "gl_LocalInvocationID",
        "gl_LocalInvocationIndex", "gl_WorkGroupSize", "switch", "for (", "while (", "do {", "break;", "continue;"}) {
    if (kernel_.source.find(name) != std::string::npos) note(name);
  }
  kernel_.work = random_work(kernel_.shape, random_.next());
  return std::move(kernel_);
}

void KernelGenerator::line(std::string_view text) {
  ++lines_;
  out_ += std::string(2 * depth_, ' ') + std::string{text} + "\n";
}

void KernelGenerator::open(std::string_view text) {
  line(text);
  ++depth_;
}

void KernelGenerator::close(std::string_view text) {
  --depth_;
  line(text);
}

void KernelGenerator::make_function() {
  Function function{.name = fmt::format("f{}", functions_.size())};
  if (percent(75)) function.result = percent(70) ? random_plain_type() : random_type(50, 10);
  std::string parameters;
  variables_ = globals_variables_;
  std::vector<std::string> outputs;
  const std::uint32_t count = between(0, 3);
  for (std::uint32_t i = 0; i < count; ++i) {
    Parameter parameter{.type = random_parameter_type(),
                        .passing = pick({Passing::In, Passing::In, Passing::ConstIn, Passing::Out, Passing::InOut})};
    const std::string name = fmt::format("a{}", i);
    const std::string_view passing = parameter.passing == Passing::ConstIn ? "const in "
                                     : parameter.passing == Passing::Out   ? "out "
                                     : parameter.passing == Passing::InOut ? "inout "
                                                                           : "";
    parameters += fmt::format("{}{}{} {}", i == 0 ? "" : ", ", passing, name_of(parameter.type), name);
    // Nothing is in an out parameter until it is written, so that comes first.
    if (parameter.passing == Passing::Out) outputs.push_back(cat({name, " = ", constant(parameter.type), ";"}));
    variables_.push_back({.type = parameter.type, .name = name, .is_const = parameter.passing == Passing::ConstIn});
    function.parameters.push_back(parameter);
  }
  open(fmt::format("{} {}({}) {{", function.result ? name_of(*function.result) : "void", function.name, parameters));
  for (const std::string& output : outputs) line(output);
  is_in_function_ = true;
  result_ = function.result;
  runs_ = 1;
  calls_runs_ = 1;
  lines_ = 0;
  const std::size_t scope = variables_.size();
  const std::uint32_t length = between(1, 4);
  for (std::uint32_t i = 0; i < length; ++i) statement(2);
  if (percent(60) && !variables_.empty()) take(descend(to_value(pick(variables_)), 1));
  if (function.result) line(cat({"return ", kept(*function.result, 2), ";"}));
  variables_.resize(scope);
  close();
  is_in_function_ = false;
  result_.reset();
  function.runs = calls_runs_;
  function.lines = lines_;
  functions_.push_back(std::move(function));
  note("functions");
}

Type KernelGenerator::random_parameter_type() {
  const auto block = pick_block(Role::Own, Role::Own);
  return block && percent(35) ? *block->element : random_type(15, 10);
}

void KernelGenerator::find_self() {
  switch (kernel_.shape.is_flat ? 3 : below(3)) {
    case 0:
      line("const uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;");
      line(
          "self = (gl_GlobalInvocationID.z * size.y + gl_GlobalInvocationID.y) * size.x + "
          "gl_GlobalInvocationID.x;");
      break;
    case 1: line(fmt::format("self = ({}) * kLocals + gl_LocalInvocationIndex;", group_index())); break;
    case 2:
      line(
          fmt::format("self = ({}) * kLocals + (gl_LocalInvocationID.z * gl_WorkGroupSize.y + "
                      "gl_LocalInvocationID.y) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;",
                      group_index()));
      break;
    default: line("self = gl_GlobalInvocationID.x;"); break;
  }
  if (kernel_.shape.has_count) {
    note("bounded by a parameter");
    line("live = self < push.count;");
    return;
  }
  note("bounded by lengths");
  line("uint room = 0xffffffffu;");
  for (const Block& block : blocks_) {
    if (!is_owned(block)) continue;
    for (std::uint32_t i = 0; i < std::max(1U, block.buffers); ++i) {
      const std::string buffer = !block.has_instance ? std::string{}
                                 : block.buffers > 0 ? fmt::format("b{}[{}].", block.number, i)
                                                     : fmt::format("b{}.", block.number);
      line(fmt::format("room = min(room, {} / {}u);", length_of(block, buffer), block.per_index));
    }
  }
  line("live = self < room;");
}

void KernelGenerator::make_main() {
  variables_ = globals_variables_;
  lines_ = 0;
  open("void main() {");
  find_self();
  if (!has_shared_ && percent(50)) {
    note("return of those without elements");
    line("if (!live) return;");
    is_live_ = true;
  }
  const std::uint32_t before = between(1, 4);
  for (std::uint32_t i = 0; i < before; ++i) statement(kDepth);
  if (has_shared_) {
    for (std::uint32_t left = between(1, 3); left > 0; --left) meet();
  }
  const std::uint32_t after = between(1, 4);
  for (std::uint32_t i = 0; i < after; ++i) statement(kDepth);
  use_everything();
  close();
}

void KernelGenerator::meet() {
  note("shared memory");
  if (percent(25)) {
    note("barriers where all agree");
    const std::string agreed = params_.empty() ? "gl_WorkGroupID.x % 2u == 0u" : uniform_condition();
    open(fmt::format("if ({}) {{", agreed));
    const std::size_t scope = variables_.size();
    exchange();
    variables_.resize(scope);
    close();
    return;
  }
  switch (below(5)) {
    case 0: return reduce();
    case 1: return gather();
    case 2: {
      note("barriers in a loop");
      const std::string counter = fresh("k");
      open(fmt::format("for (uint {0} = 0u; {0} < {1}u; ++{0}) {{", counter, between(2, 4)));
      const std::size_t scope = variables_.size();
      variables_.push_back({.type = kUint, .name = counter, .is_const = true, .is_uniform = true});
      exchange();
      line(cat({"take(", value(kUint, 2), ");"}));
      variables_.resize(scope);
      close();
      return;
    }
    default: break;
  }
  exchange();
}

std::string KernelGenerator::uniform_condition() {
  for (const TypedName& member : params_) {
    if (member.type == kUint) return fmt::format("(push.{} & 1u) == 0u", member.name);
    if (member.type == kFloat) return fmt::format("push.{} > 0.0", member.name);
  }
  return "gl_NumWorkGroups.x > 2u";
}

std::string KernelGenerator::declare_shared(const Type& type) {
  const std::string name = fresh("sh");
  const bool is_sized = percent(50);
  const std::string inner = is_array(type) ? fmt::format("[{}]", type.count) : "";
  globals_ += fmt::format("shared {} {}[{}]{};\n", name_of(element_of(type)), name, is_sized ? "kLocals" : "64", inner);
  return name;
}

void KernelGenerator::exchange() {
  Type type = random_type(20, 10);
  if (place(type, {}, structures_).size > kMaxSharedBytes / kMaxLocals) type = vector(Base::Float, 4);
  const std::string name = declare_shared(type);
  line(cat({name, "[gl_LocalInvocationIndex] = ", kept(type, 3), ";"}));
  line(sync());
  const std::string from =
      pick_text({"kLocals - 1u - gl_LocalInvocationIndex", "(gl_LocalInvocationIndex + 1u) % kLocals",
                 "(gl_LocalInvocationIndex ^ 1u) % kLocals", "0u"});
  const std::string made = fresh("v");
  line(fmt::format("{} {} = {}[{}];", name_of(type), made, name, from));
  // The next round writes it again.
  line(sync());
  variables_.push_back({.type = type, .name = made});
  take(descend({made, type}, 1));
}

void KernelGenerator::reduce() {
  note("reduction");
  const Type type = percent(50) ? kUint : kInt;
  const std::string name = declare_shared(type);
  line(cat({name, "[gl_LocalInvocationIndex] = ", kept(type, 3), ";"}));
  line(sync());
  const std::string step = fresh("k");
  open(fmt::format("for (uint {0} = kLocals / 2u; {0} > 0u; {0} /= 2u) {{", step));
  line(
      fmt::format("if (gl_LocalInvocationIndex < {0}) {1}[gl_LocalInvocationIndex] += "
                  "{1}[gl_LocalInvocationIndex + {0}];",
                  step, name));
  line(sync());
  close();
  take({name + "[0]", type});
}

void KernelGenerator::gather() {
  note("atomics on shared memory");
  const std::string name = fresh("sh");
  globals_ += fmt::format("shared uint {};\n", name);
  line(fmt::format("if (gl_LocalInvocationIndex == 0u) {} = {}u;", name, below(100)));
  line(sync());
  line(cat({pick_text({"atomicAdd", "atomicMax", "atomicXor"}), "(", name, ", ", value(kUint, 3), ");"}));
  line(sync());
  take({name, kUint});
}

void KernelGenerator::use_everything() {
  const std::vector<Variable> seen = variables_;
  for (const Variable& variable : seen) {
    if (percent(70)) take(descend(to_value(variable), 1));
  }
  if (!params_.empty()) {
    const TypedName& member = pick(params_);
    take(descend({"push." + member.name, member.type}, 1));
  }
  const bool was_live = is_live_;
  is_live_ = false;
  for (const Block& block : blocks_) {
    if (block.role == Role::Input || block.role == Role::Uniform) {
      const std::uint32_t times = between(1, 2);
      for (std::uint32_t i = 0; i < times; ++i) take(read_block(block, 2));
    }
    if (block.role == Role::Atomic) write_atomic(block);
  }
  is_live_ = was_live;
  where_live([&] {
    for (const Block& block : blocks_) {
      if (is_owned(block)) finish(block);
    }
  });
  for (const Block& block : blocks_) {
    if (block.role != Role::GroupOutput) continue;
    note("written per group");
    const std::string buffer = buffer_of(block);
    const std::string array = buffer + block.data;
    const std::string group = fresh("v");
    line(fmt::format("const uint {} = {};", group, group_index()));
    open(fmt::format("if (gl_LocalInvocationIndex == 0u && {} < {}) {{", group, length_of(block, buffer)));
    Value target = {fmt::format("{}[{}]", array, group), *block.element};
    if (is_array(target.type) || percent(50)) target = descend(target, 1);
    line(cat({target.text, " = ", kept(target.type, 2), ";"}));
    close();
  }
}

void KernelGenerator::finish(const Block& block) {
  const std::string element = element_text(block, buffer_of(block), 1);
  Value target = descend({element, *block.element}, 1);
  if (is_matrix(target.type)) target = {target.text + "[0]", column_of(target.type)};
  const std::string text = convert({"found", kUint}, target.type);
  line(fmt::format("{} = {};", target.text, text));
}

}  // namespace vyre::tests::generation

namespace vyre::tests {

RandomKernel random_kernel(std::uint64_t seed, const RandomKernelOptions& options) {
  return generation::KernelGenerator{seed, options}.make();
}

}  // namespace vyre::tests
