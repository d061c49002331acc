#include "tests/forms/kernel_generator.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace vyre::tests::generation {

void KernelGenerator::choose_shape() {
  KernelShape& shape = kernel_.shape;
  using Size = std::array<std::uint32_t, 3>;
  shape.workgroup = pick<Size>({{1, 1, 1},
                                {8, 1, 1},
                                {24, 1, 1},
                                {64, 1, 1},
                                {32, 1, 1},
                                {5, 1, 1},
                                {16, 1, 1},
                                {8, 8, 1},
                                {4, 2, 1},
                                {3, 5, 1},
                                {8, 3, 1},
                                {1, 7, 1},
                                {2, 2, 2},
                                {4, 4, 4},
                                {3, 2, 4},
                                {1, 1, 6},
                                {2, 4, 1},
                                {2, 8, 4}});
  const auto& [x, y, z] = shape.workgroup;
  note(z > 1 ? "workgroup 3D" : y > 1 ? "workgroup 2D" : "workgroup 1D");
  note(fmt::format("workgroup of {}", x * y * z));
  is_specialised_ = percent(25);
  if (is_specialised_) note("workgroup specialised");
  shape.is_flat = y * z == 1 && percent(30);
  if (shape.is_flat) note("one dimension");
  shape.is_exact = options_.out_of_bounds;
  kernel_.scalar_layout = percent(20);
  if (kernel_.scalar_layout) note("layout scalar");
  has_shared_ = percent(50);
}

Type KernelGenerator::random_plain_type() {
  const std::uint32_t roll = below(100);
  if (roll < 14) return kFloat;
  if (roll < 26) return kInt;
  if (roll < 42) return kUint;
  if (roll < 84) {
    const Base base = pick({Base::Float, Base::Float, Base::Int, Base::Uint});
    return vector(base, between(2, 4));
  }
  const std::uint32_t columns = between(2, 4);
  return {.base = Base::Float, .rows = percent(40) ? columns : between(2, 4), .columns = columns};
}

Type KernelGenerator::random_type(std::uint64_t structure_chance, std::uint64_t array_chance) {
  Type type = random_plain_type();
  if (!structures_.empty() && percent(structure_chance)) {
    type = {.base = Base::Structure, .structure = below(structures_.size())};
  }
  if (percent(array_chance)) type.count = between(2, 4);
  return type;
}

void KernelGenerator::make_structures() {
  const std::uint32_t count = percent(70) ? between(1, 3) : 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    Structure made{.name = fmt::format("S{}", i)};
    const std::uint32_t members = between(1, 4);
    for (std::uint32_t k = 0; k < members; ++k) {
      std::vector<TypedName> longer = made.members;
      longer.push_back({.type = random_type(15, 20), .name = fmt::format("m{}", k)});
      if (place(longer, {.packing = Packing::Std140}, structures_).size > kMaxStructureBytes) continue;
      const Type& type = longer.back().type;
      if (is_array(type)) note("array in a structure");
      if (type.base == Base::Structure) note("structure in a structure");
      made.members = std::move(longer);
    }
    if (made.members.empty()) made.members.push_back({.type = kUint, .name = "m0"});
    structures_.push_back(std::move(made));
  }
}

void KernelGenerator::make_params() {
  KernelShape& shape = kernel_.shape;
  if (percent(18)) {
    note("no push constants");
    return;
  }
  note("push constants");
  const BlockLayout layout = default_layout();
  shape.has_count = percent(40);
  if (shape.has_count) params_.push_back({.type = kUint, .name = "count"});
  const std::uint32_t members = between(1, 5);
  for (std::uint32_t i = 0; i < members; ++i) {
    std::vector<TypedName> longer = params_;
    longer.push_back({.type = random_type(10, 25), .name = fmt::format("p{}", i)});
    if (place(longer, layout, structures_).size <= kMaxParamBytes) params_ = std::move(longer);
  }
  if (params_.empty()) params_.push_back({.type = kUint, .name = "p0"});
  for (const TypedName& member : params_) {
    if (is_array(member.type)) note("array in push constants");
  }
  shape.params = place(params_, layout, structures_);
}

void KernelGenerator::make_blocks() {
  const std::uint32_t count = between(1, 6);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t roll = below(100);
    // One at least takes what the kernel finds.
    Role role = i == 0 || roll < 22 ? pick({Role::Own, Role::Own, Role::Output}) : Role::Input;
    if (i > 0 && roll >= 55) role = roll < 75 ? Role::Uniform : roll < 88 ? Role::Atomic : Role::GroupOutput;
    blocks_.push_back(make_block(i, role));
  }
  std::uint32_t set = 0;
  std::uint32_t slot = 0;
  const bool has_sets = percent(25);
  for (Block& block : blocks_) {
    if (has_sets && percent(50) && set < 3) {
      ++set;
      slot = 0;
      note("several sets");
    }
    if (percent(20)) slot += between(1, 3);
    block.set = set;
    block.slot = slot++;
    add_shapes(block);
  }
  const std::size_t views = blocks_.size();
  for (std::size_t i = 0; i < views; ++i) make_view(Block{blocks_[i]});
}

Block KernelGenerator::make_block(std::uint32_t number, Role role) {
  Block block{.role = role, .number = number, .layout = default_layout(), .data = fmt::format("d{}", number)};
  const bool is_fixed = role == Role::Uniform || (role == Role::Input && percent(10));
  if (role == Role::Uniform) block.layout.packing = Packing::Std140;
  if (role == Role::Input && percent(10)) {
    block.layout.packing = Packing::Std140;
    note("storage buffer in std140");
  }
  block.layout.row_major = percent(10);
  if (!is_fixed) choose_element(block);
  const std::uint32_t members = is_fixed ? between(1, 4) : percent(45) ? between(1, 3) : 0;
  for (std::uint32_t i = 0; i < members; ++i) {
    Type type = random_type(20, role == Role::Uniform ? 45 : 25);
    if (role == Role::Atomic) type = percent(50) ? kUint : kInt;
    block.header.push_back({.type = type, .name = fmt::format("h{}_{}", number, i)});
  }
  if (members > 0 && block.element) note("members before a runtime array");
  if (role == Role::Atomic) {
    for (std::uint32_t i = 0; i <= members; ++i) {
      block.atomics.push_back(
          pick_text({"atomicAdd", "atomicAdd", "atomicMax", "atomicMin", "atomicOr", "atomicAnd", "atomicXor"}));
    }
  }
  if (role == Role::Uniform) note("uniform buffer");
  if (role != Role::GroupOutput && role != Role::Atomic && percent(20)) {
    block.buffers = between(2, 3);
    note("array of buffers");
    if (is_owned(block)) note("array of buffers that are written");
    if (role == Role::Uniform) note("array of uniform buffers");
  }
  block.has_instance = block.buffers > 0 || percent(50);
  if (is_owned(block) && percent(35)) block.per_index = between(2, 3);
  choose_qualifiers(block);
  return block;
}

void KernelGenerator::choose_element(Block& block) {
  if (block.role == Role::Atomic) {
    block.element = percent(70) ? kUint : kInt;
    return;
  }
  block.element = random_type(25, 8);
  // The first one is where all that was found ends up, and a float holds little of it.
  if (block.number == 0 && percent(60)) block.element = pick({kUint, vector(Base::Uint, 4), vector(Base::Int, 3)});
  if (options_.past_declared && percent(80)) {
    block.declared = between(1, 2);
    note("index past a declared length");
  }
  note("elements of " + (block.element->base == Base::Structure ? "structures" : name_of(element_of(*block.element))));
  if (is_array(*block.element)) note("elements of arrays");
  if (block.element->columns > 1) note("elements of matrices");
}

void KernelGenerator::choose_qualifiers(Block& block) {
  const auto add = [&](std::string_view qualifier) {
    block.qualifiers += std::string{qualifier} + " ";
    note(qualifier);
  };
  if (block.role == Role::Uniform) return;
  if (block.role == Role::Input && percent(75)) add("readonly");
  if (block.role == Role::Output || block.role == Role::GroupOutput) add("writeonly");
  if (percent(15)) add("coherent");
  if (percent(20)) add("restrict");
  if (percent(10)) {
    add("volatile");
    block.is_volatile = true;
  }
}

void KernelGenerator::add_shapes(const Block& block) {
  BufferShape shape{
      .header = place(block.header, block.layout, structures_), .per_index = block.per_index, .least = block.declared};
  if (block.element) {
    // An array of one element is placed as one of any length is.
    std::vector<TypedName> members = block.header;
    Type one = *block.element;
    if (is_array(one)) one.count = 0;
    members.push_back({.type = one, .name = {}});
    members.back().type.count = 1;
    shape.stride = element_stride(block);
    const Placed whole = place(members, block.layout, structures_);
    shape.data_offset = whole.size - stride_of(one, block.layout, structures_);
    shape.element = place(*block.element, block.layout, structures_).scalars;
    shape.rule = block.role == Role::GroupOutput ? LengthRule::PerGroup
                 : is_owned(block)               ? LengthRule::PerInvocation
                                                 : LengthRule::Any;
  }
  const std::uint32_t buffers = std::max(1U, block.buffers);
  for (std::uint32_t i = 0; i < buffers; ++i) kernel_.shape.buffers.push_back(shape);
}

std::uint32_t KernelGenerator::element_stride(const Block& block) const {
  const std::uint32_t one = stride_of(element_of(*block.element), block.layout, structures_);
  return std::max(1U, block.element->count) * one;
}

void KernelGenerator::make_view(const Block& of) {
  if (of.buffers > 0 || of.role == Role::Uniform || !percent(20)) return;
  Block view{.role = Role::Input, .number = static_cast<std::uint32_t>(blocks_.size()), .set = of.set, .slot = of.slot};
  view.is_view = true;
  view.qualifiers = "readonly ";
  view.layout = default_layout();
  view.data = fmt::format("d{}", view.number);
  view.has_instance = percent(50);
  if (of.role == Role::Input && of.element) {
    view.element = pick({kUint, kInt, kFloat, vector(Base::Uint, 2), vector(Base::Uint, 4)});
    // Whatever the length, one of these fits.
    if (element_stride(of) < 16) view.element = pick({kUint, kInt, kFloat});
  } else if (of.role == Role::Own) {
    view.readable = place(of.header, of.layout, structures_).size / 4;
    if (view.readable == 0) return;
    view.element = pick({kUint, kFloat});
    note("two blocks on a slot, one written");
  } else {
    return;
  }
  note("two blocks on a slot");
  blocks_.push_back(std::move(view));
}

void KernelGenerator::make_globals() {
  const std::uint32_t count = between(0, 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Type type = random_type(20, 30);
    const std::string name = fmt::format("g{}", i);
    const bool is_const = percent(30);
    const std::string value = constant(type);
    globals_ += fmt::format("{}{} {} = {};\n", is_const ? "const " : "", name_of(type), name, value);
    globals_variables_.push_back({.type = type, .name = name, .is_const = is_const});
    note(is_const ? "constants" : "private globals with initialisers");
    if (is_array(type) && is_const) note("constant arrays");
  }
  if (percent(30)) {
    const std::uint32_t id = between(10, 20);
    // Other kinds of expressions see a copy, as glslang gets some of those wrong that only have constants in them.
    globals_ += fmt::format("layout(constant_id = {}) const uint kSpec = {}u;\nuint spec = kSpec;\n", id,
                            between(1, kMaxTrips));
    globals_variables_.push_back({.type = kUint, .name = "spec", .is_const = true, .is_uniform = true});
    has_spec_ = true;
    note("specialisation constants");
  }
  variables_ = globals_variables_;
  if (has_shared_) {
    has_sync_ = percent(30);
    if (has_sync_) {
      globals_ += "void meet() {\n  memoryBarrierShared();\n  barrier();\n}\n";
      note("barrier in a function");
    }
  }
}

void KernelGenerator::write_declarations() {
  line("#version 450");
  if (kernel_.scalar_layout) line("#extension GL_EXT_scalar_block_layout : require");
  const auto& [x, y, z] = kernel_.shape.workgroup;
  std::string sizes = fmt::format("local_size_x = {}", x);
  if (y * z > 1 || percent(30)) sizes += fmt::format(", local_size_y = {}", y);
  if (z > 1 || percent(30)) sizes += fmt::format(", local_size_z = {}", z);
  if (is_specialised_) {
    sizes += ", local_size_x_id = 1";
    if (y > 1) sizes += ", local_size_y_id = 2";
  }
  line(fmt::format("layout({}) in;", sizes));
  for (const Structure& structure : structures_) {
    open(fmt::format("struct {} {{", structure.name));
    for (const TypedName& member : structure.members) line(declaration(member));
    close("};");
  }
  if (!params_.empty()) {
    open(fmt::format("layout(push_constant{}) uniform Push {{", kernel_.scalar_layout ? ", scalar" : ""));
    for (const TypedName& member : params_) line(declaration(member));
    close("} push;");
  }
  // Buffers are bound by set and slot, not by the order in which they are declared.
  if (percent(30)) std::ranges::reverse(blocks_);
  for (const Block& block : blocks_) write_block(block);
  line("const uint kLocals = gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z;");
  line("uint locals = kLocals;");
  if (is_specialised_) line("uvec3 extents = gl_WorkGroupSize;");
  line(fmt::format("uint found = {}u;", random_.word()));
  line("uint self = 0u;");
  line("bool live = false;");
  line("void take(uint value) { found = (found ^ value) * 0x9e3779b1u + (found >> 15u); }");
  // Makes a float one that may be kept. By way of integers, which have no negative zero.
  line("float tame(float v) { return float(clamp(int(v * 4.0), -252, 252)) * 0.25; }");
  for (int rows = 2; rows <= 4; ++rows) {
    line(fmt::format("vec{0} tame(vec{0} v) {{ return vec{0}(clamp(ivec{0}(v * 4.0), -252, 252)) * 0.25; }}", rows));
  }
}

std::string KernelGenerator::declaration(const TypedName& member) const {
  const std::string type = name_of(element_of(member.type));
  return is_array(member.type) ? fmt::format("{} {}[{}];", type, member.name, member.type.count)
                               : fmt::format("{} {};", type, member.name);
}

void KernelGenerator::write_block(const Block& block) {
  if (block.declared == 0) return write_block(block, block.qualifiers, 'b', "");
  write_block(block, block.qualifiers, 'b', fmt::format("{}", block.declared));
  Block whole = block;
  whole.has_instance = true;
  write_block(whole, "readonly ", 'n', "");
}

void KernelGenerator::write_block(const Block& block, std::string_view qualifiers, char letter,
                                  const std::string& length) {
  std::string layout = block.set > 0 || percent(20) ? fmt::format("set = {}, ", block.set) : "";
  layout += fmt::format("binding = {}", block.slot);
  if (block.layout.packing == Packing::Scalar) layout += ", scalar";
  if (block.layout.packing == Packing::Std140) layout += ", std140";
  if (block.layout.packing == Packing::Std430) layout += ", std430";
  if (block.layout.row_major) layout += ", row_major";
  open(fmt::format("layout({}) {}{} {}{} {{", layout, qualifiers, block.role == Role::Uniform ? "uniform" : "buffer",
                   letter == 'b' ? 'B' : 'N', block.number));
  for (const TypedName& member : block.header) line(declaration(member));
  if (block.element) {
    const std::string inner = is_array(*block.element) ? fmt::format("[{}]", block.element->count) : "";
    line(fmt::format("{} {}[{}]{};", name_of(element_of(*block.element)), block.data, length, inner));
  }
  const std::string count = block.buffers > 0 ? fmt::format("[{}]", block.buffers) : "";
  close(block.has_instance ? fmt::format("}} {}{}{};", letter, block.number, count) : "};");
}

}  // namespace vyre::tests::generation
