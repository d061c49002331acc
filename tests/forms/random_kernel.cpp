#include "tests/forms/random_kernel.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tests/equivalence/random.hpp"

namespace vyre::tests {
namespace {

constexpr Type kFloat = {.base = Base::Float};
constexpr Type kInt = {.base = Base::Int};
constexpr Type kUint = {.base = Base::Uint};
constexpr Type kBool = {.base = Base::Bool};
constexpr std::uint32_t kMaxParamBytes = 128;
constexpr std::uint32_t kMaxStructureBytes = 160;
constexpr std::uint32_t kMaxLocals = 64;
constexpr std::uint32_t kMaxSharedBytes = 4'096;  // Of one variable.
constexpr std::uint32_t kMaxTrips = 6;
constexpr std::uint32_t kMaxLines = 120;  // Of a function with what it calls, as drivers put all into one.
// Times that the body of a loop or function may run per invocation.
constexpr std::uint32_t kMaxRuns = 100;

constexpr Type vector(Base base, std::uint32_t rows) { return {.base = base, .rows = rows}; }

/// Parts that are made one after another: the operands of a sum, or the arguments of a call, may be made in any order.
std::string cat(std::initializer_list<std::string> parts) {
  std::string all;
  for (const std::string& part : parts) all += part;
  return all;
}

enum class Role : std::uint8_t {
  Input,        ///< Read by everybody, written by nobody.
  Uniform,      ///< The same, as a uniform buffer.
  Own,          ///< Elements that belong to one invocation each.
  Output,       ///< The same, never read.
  GroupOutput,  ///< Elements that belong to one group each, never read.
  Atomic,       ///< Touched by everybody, each place with one kind of atomic.
};

struct Block {
  Role role = Role::Input;
  std::uint32_t number = 0;
  std::uint32_t set = 0;
  std::uint32_t slot = 0;
  std::uint32_t buffers = 0;  ///< In an array of them; 0 for none.
  std::uint32_t per_index = 1;
  bool has_instance = true;
  bool is_volatile = false;
  BlockLayout layout = {};
  std::string qualifiers = {};
  std::vector<TypedName> header = {};
  std::optional<Type> element = {};       ///< Of the runtime array.
  std::string data = {};                  ///< The name of the runtime array.
  std::vector<std::string> atomics = {};  ///< Of the members of the header, and then of the array.
  bool is_view = false;                   ///< Of the buffer of another block.
  std::uint32_t readable = 0;             ///< Elements of a view that nobody writes; 0 for all.
};

bool is_owned(const Block& block) { return block.role == Role::Own || block.role == Role::Output; }
bool is_readable(const Block& block) {
  return block.role == Role::Input || block.role == Role::Uniform || block.role == Role::Own;
}

/// Something with a type.
struct Value {
  std::string text = {};
  Type type = {};
};

struct Variable {
  Type type = {};
  std::string name = {};
  bool is_const = false;
  bool is_uniform = false;
};

enum class Passing : std::uint8_t { In, ConstIn, Out, InOut };

struct Parameter {
  Type type = {};
  Passing passing = Passing::In;
};

struct Function {
  std::string name = {};
  std::optional<Type> result = {};
  std::vector<Parameter> parameters = {};
  std::uint32_t runs = 1;   ///< Of its innermost statements, per call.
  std::uint32_t lines = 0;  ///< With those of the functions that it calls.
};

bool has_outputs(const Function& function) {
  return std::ranges::any_of(function.parameters, [](const Parameter& parameter) {
    return parameter.passing == Passing::Out || parameter.passing == Passing::InOut;
  });
}

class Generator {
 public:
  Generator(std::uint64_t seed, const RandomKernelOptions& options) : random_{seed}, options_{options} {}

  RandomKernel make() {
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

 private:
  void note(std::string_view feature) { kernel_.features.emplace(feature); }
  bool percent(std::uint64_t chance) { return random_.percent(chance); }
  std::uint32_t below(std::uint64_t count) { return static_cast<std::uint32_t>(random_.below(count)); }
  std::uint32_t between(std::uint64_t low, std::uint64_t high) {
    return static_cast<std::uint32_t>(random_.between(low, high));
  }
  template <typename T>
  const T& pick(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }
  template <typename T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }
  std::string pick_text(std::initializer_list<std::string_view> choices) {
    return std::string{choices.begin()[below(choices.size())]};
  }
  std::string name_of(const Type& type) const { return to_string(type, structures_); }

  void line(std::string_view text) {
    ++lines_;
    out_ += std::string(2 * depth_, ' ') + std::string{text} + "\n";
  }
  void open(std::string_view text) {
    line(text);
    ++depth_;
  }
  void close(std::string_view text = "}") {
    --depth_;
    line(text);
  }
  std::string fresh(std::string_view prefix) { return fmt::format("{}{}", prefix, names_++); }

  // What a kernel is made of.

  void choose_shape() {
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

  Type random_plain_type() {
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

  Type random_type(std::uint64_t structure_chance, std::uint64_t array_chance) {
    Type type = random_plain_type();
    if (!structures_.empty() && percent(structure_chance)) {
      type = {.base = Base::Structure, .structure = below(structures_.size())};
    }
    if (percent(array_chance)) type.count = between(2, 4);
    return type;
  }

  void make_structures() {
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

  void make_params() {
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

  BlockLayout default_layout() const { return {.packing = kernel_.scalar_layout ? Packing::Scalar : Packing::Std430}; }

  void make_blocks() {
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

  Block make_block(std::uint32_t number, Role role) {
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

  void choose_element(Block& block) {
    if (block.role == Role::Atomic) {
      block.element = percent(70) ? kUint : kInt;
      return;
    }
    block.element = random_type(25, 8);
    // The first one is where all that was found ends up, and a float holds little of it.
    if (block.number == 0 && percent(60)) block.element = pick({kUint, vector(Base::Uint, 4), vector(Base::Int, 3)});
    note("elements of " +
         (block.element->base == Base::Structure ? "structures" : name_of(element_of(*block.element))));
    if (is_array(*block.element)) note("elements of arrays");
    if (block.element->columns > 1) note("elements of matrices");
  }

  void choose_qualifiers(Block& block) {
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

  void add_shapes(const Block& block) {
    BufferShape shape{.header = place(block.header, block.layout, structures_), .per_index = block.per_index};
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

  /// Of the runtime array, whose elements can be arrays.
  std::uint32_t element_stride(const Block& block) const {
    const std::uint32_t one = stride_of(element_of(*block.element), block.layout, structures_);
    return std::max(1U, block.element->count) * one;
  }

  /// A second block on the slot of another: the same words as another type, or those of a header that nobody writes.
  void make_view(const Block& of) {
    if (of.buffers > 0 || of.role == Role::Uniform || !percent(20)) return;
    Block view{
        .role = Role::Input, .number = static_cast<std::uint32_t>(blocks_.size()), .set = of.set, .slot = of.slot};
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

  void make_globals() {
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

  // Text around the code.

  void write_declarations() {
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
    line("float tame(float v) { return float(clamp(int(v * 4.0), -252, 252)) * 0.25; }");
    for (int rows = 2; rows <= 4; ++rows) {
      line(fmt::format("vec{0} tame(vec{0} v) {{ return vec{0}(clamp(ivec{0}(v * 4.0), -252, 252)) * 0.25; }}", rows));
    }
  }

  std::string declaration(const TypedName& member) const {
    const std::string type = name_of(element_of(member.type));
    return is_array(member.type) ? fmt::format("{} {}[{}];", type, member.name, member.type.count)
                                 : fmt::format("{} {};", type, member.name);
  }

  void write_block(const Block& block) {
    std::string layout = block.set > 0 || percent(20) ? fmt::format("set = {}, ", block.set) : "";
    layout += fmt::format("binding = {}", block.slot);
    if (block.layout.packing == Packing::Scalar) layout += ", scalar";
    if (block.layout.packing == Packing::Std140) layout += ", std140";
    if (block.layout.packing == Packing::Std430) layout += ", std430";
    if (block.layout.row_major) layout += ", row_major";
    open(fmt::format("layout({}) {}{} B{} {{", layout, block.qualifiers,
                     block.role == Role::Uniform ? "uniform" : "buffer", block.number));
    for (const TypedName& member : block.header) line(declaration(member));
    if (block.element) {
      const std::string inner = is_array(*block.element) ? fmt::format("[{}]", block.element->count) : "";
      line(fmt::format("{} {}[]{};", name_of(element_of(*block.element)), block.data, inner));
    }
    const std::string count = block.buffers > 0 ? fmt::format("[{}]", block.buffers) : "";
    close(block.has_instance ? fmt::format("}} b{}{};", block.number, count) : "};");
  }

  // Values. Floats are multiples of 1/4 up to 63 wherever they are kept, and sums of few of them in between.

  std::string literal(Base base) {
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

  /// A value of constants alone, for initialisers.
  std::string constant(const Type& type) {
    if (is_scalar(type)) return literal(type.base);
    return construct(type, [&](const Type& part) { return constant(part); });
  }

  /// A constructor, its parts made in order.
  template <typename Make>
  std::string construct(const Type& type, Make&& make) {
    std::string text = name_of(type) + "(";
    const auto add = [&](const Type& part) {
      const std::string value = make(part);
      text += (text.back() == '(' ? "" : ", ") + value;
    };
    if (is_array(type)) {
      for (std::uint32_t i = 0; i < type.count; ++i) add(element_of(type));
    } else if (is_structure(type)) {
      for (const TypedName& member : structures_[type.structure].members) add(member.type);
    } else if (is_matrix(type)) {
      for (std::uint32_t i = 0; i < type.columns; ++i) add(column_of(type));
    } else {
      for (std::uint32_t i = 0; i < type.rows; ++i) add(component_of(type));
    }
    return text + ")";
  }

  /// A value of a type as it may be kept.
  std::string kept(const Type& type, int depth) {
    if (is_array(type) || is_structure(type) || is_matrix(type)) return whole(type, depth);
    const std::string text = value(type, depth);
    return type.base == Base::Float ? "tame(" + text + ")" : text;
  }

  /// An array, structure or matrix: one that is there already, or a new one.
  std::string whole(const Type& type, int depth) {
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

  /// A scalar or vector.
  std::string value(const Type& type, int depth) {
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

  /// A variable, a built-in or a literal.
  std::string leaf(const Type& type, int depth) {
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

  std::string float_value(const Type& type, int depth) {
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

  std::string bit_range() { return cat({fmt::format("{}", below(20)), ", ", fmt::format("{}", between(1, 12))}); }
  std::string literal_above() { return fmt::format("{:.2f}", static_cast<double>(below(40)) / 4); }

  std::string unpacked(const Type& type, int depth) {
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

  std::string int_value(const Type& type, int depth) {
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

  std::string uint_value(const Type& type, int depth) {
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

  /// What signed and unsigned integers have in common.
  std::string bits_value(const Type& type, int depth) {
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

  std::string packed(int depth) {
    note("packing functions");
    if (percent(50)) {
      return cat({pick_text({"packHalf2x16", "packUnorm2x16", "packSnorm2x16"}), "(tame(",
                  value(vector(Base::Float, 2), depth), "))"});
    }
    return cat({pick_text({"packUnorm4x8", "packSnorm4x8"}), "(tame(", value(vector(Base::Float, 4), depth), "))"});
  }

  std::string length_value() {
    std::vector<const Block*> found;
    for (const Block& block : blocks_) {
      if (block.element) found.push_back(&block);
    }
    const Block& block = *pick(found);
    note("length()");
    return cat({"uint(", buffer_of(block), block.data, ".length())"});
  }

  std::string condition(int depth) {
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
        return cat({pick_text({"any(", "all("}), pick_text({"lessThan(", "notEqual(", "greaterThan("}),
                    value(type, next), ", ", value(type, next), "))"});
      }
      case 3: return cat({"(", value(kFloat, next), pick_text({" < ", " >= "}), value(kFloat, next), ")"});
      case 4: return cat({"(", value(kInt, next), pick_text({" < ", " > ", " == "}), value(kInt, next), ")"});
      case 5: return cat({"((", value(kUint, next), " & ", fmt::format("{}u", 1U << below(6)), ") == 0u)"});
      default: break;
    }
    return cat({"(", value(kUint, next), pick_text({" < ", " >= ", " != "}), value(kUint, next), ")"});
  }

  bool can_call(const Function& function) const {
    return runs_ * function.runs <= kMaxRuns && lines_ + function.lines <= kMaxLines;
  }
  void count_call(const Function& function) {
    calls_runs_ = std::max(calls_runs_, runs_ * function.runs);
    lines_ += function.lines;
    if (is_in_function_) note("nested calls");
  }

  /// A call of a function that has a value of the type and gives nothing else; empty if there is none.
  std::string called(const Type& type, int depth) {
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

  /// A scalar, vector or matrix as a scalar or vector of another type. Floats stay small.
  std::string convert(const Value& from, const Type& to) {
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

  /// A number below `count`: a constant, or known when it runs.
  std::string index_below(std::uint32_t count, int depth) {
    return percent(45) ? fmt::format("{}", below(count)) : dynamic_index(count, depth);
  }
  std::string dynamic_index(std::uint32_t count, int depth) {
    return cat({place_value(depth), fmt::format(" % {}u", count)});
  }
  /// Anything to be brought within bounds.
  std::string place_value(int depth) {
    if (depth <= 0) return pick_text({"self", "found", "gl_LocalInvocationIndex", "gl_WorkGroupID.x", "locals"});
    return value(kUint, std::min(depth - 1, 1));
  }

  /// A number below `count` that is the same for all invocations of a group.
  std::string uniform_index(std::uint32_t count) {
    if (percent(35)) {
      note("array of buffers by a constant");
      return fmt::format("{}", below(count));
    }
    note("array of buffers by a uniform value");
    std::vector<std::string> found = {"gl_NumWorkGroups.x", "gl_WorkGroupID.x"};
    for (const TypedName& member : params_) {
      // What is likely to be hit by a wrong form.
      if (member.type == kUint) found.insert(found.end(), 3, "push." + member.name);
    }
    for (const Variable& variable : variables_) {
      if (variable.is_uniform && variable.type == kUint) found.insert(found.end(), 3, variable.name);
    }
    return cat({pick(found), fmt::format(" % {}u", count)});
  }

  /// What comes before the name of a member of a block.
  std::string buffer_of(const Block& block) {
    if (!block.has_instance) return {};
    if (block.buffers == 0) return fmt::format("b{}.", block.number);
    return cat({fmt::format("b{}[", block.number), uniform_index(block.buffers), "]."});
  }

  /// One of the elements of the runtime array that may be read, or that belong to the invocation.
  std::string element_text(const Block& block, const std::string& buffer, int depth) {
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
    return cat({array, "[", place_value(depth), " % uint(", array, ".length())]"});
  }

  /// Behind the end, by little or by much, but not so much that an offset in bytes would need more than 32 bits.
  std::string outside(const std::string& array) {
    return cat({"uint(", array, ".length()) + ", pick_text({"0u", "1u", "5u", "1000u", "0x100000u", "self"})});
  }

  /// Goes into arrays and structures, and sometimes into matrices and vectors.
  Value descend(Value from, int depth) {
    if (is_array(from.type)) {
      return descend({cat({from.text, "[", index_below(from.type.count, depth), "]"}), element_of(from.type)}, depth);
    }
    if (is_structure(from.type)) {
      const TypedName& member = pick(structures_[from.type.structure].members);
      return descend({from.text + "." + member.name, member.type}, depth);
    }
    if (is_matrix(from.type) && percent(70)) {
      const bool is_constant = percent(40);
      note(is_constant ? "column of a matrix" : "dynamic column of a matrix");
      const std::string index =
          is_constant ? fmt::format("{}", below(from.type.columns)) : dynamic_index(from.type.columns, depth);
      return descend({cat({from.text, "[", index, "]"}), column_of(from.type)}, depth);
    }
    if (is_vector(from.type) && percent(50)) {
      if (percent(50)) {
        note("component of a vector");
        return {cat({from.text, ".", std::string{"xyzw"[below(from.type.rows)]}}), component_of(from.type)};
      }
      note("dynamic component of a vector");
      return {cat({from.text, "[", dynamic_index(from.type.rows, depth), "]"}), component_of(from.type)};
    }
    return from;
  }

  /// Something of a buffer that may be read here.
  Value read(int depth) {
    std::vector<const Block*> found;
    for (const Block& block : blocks_) {
      if (is_readable(block) && (block.role != Role::Own || is_live_ || !block.header.empty())) found.push_back(&block);
    }
    if (found.empty()) return {literal(Base::Uint), kUint};
    return read_block(*pick(found), depth);
  }

  Value read_block(const Block& block, int depth) {
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

  // Statements.

  /// Declares a variable and brings it into scope.
  void declare(const Type& type, int depth) {
    const std::string text = kept(type, depth);
    const std::string name = fresh("v");
    const bool is_const = percent(15);
    const bool is_precise = !is_const && type.base == Base::Float && percent(15);
    line(fmt::format("{}{}{} {} = {};", is_const ? "const " : "", is_precise ? "precise " : "", name_of(type), name,
                     text));
    variables_.push_back({.type = type, .name = name, .is_const = is_const});
  }

  /// A variable that can be changed; none if there is none.
  std::optional<Variable> pick_variable() {
    std::vector<Variable> found;
    for (const Variable& variable : variables_) {
      if (!variable.is_const) found.push_back(variable);
    }
    if (found.empty()) return {};
    return pick(found);
  }

  void assign(const Value& target, int depth) {
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

  void assign_variable() {
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

  /// Runs what it is given where the invocation has elements of its own.
  template <typename Emit>
  void where_live(Emit&& emit) {
    if (is_live_) return emit();
    open("if (live) {");
    const std::size_t scope = variables_.size();
    is_live_ = true;
    emit();
    is_live_ = false;
    variables_.resize(scope);
    close();
  }

  std::optional<Block> pick_block(Role a, Role b) {
    std::vector<const Block*> found;
    for (const Block& block : blocks_) {
      if (block.role == a || block.role == b) found.push_back(&block);
    }
    if (found.empty()) return {};
    return *pick(found);
  }

  /// Writes an element that belongs to the invocation: all of it or a part.
  void write_own(const Block& block) {
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

  void write_any() {
    const auto block = pick_block(Role::Own, Role::Output);
    if (!block) return;
    where_live([&] { write_own(*block); });
  }

  /// Writes an element and reads parts of it at once.
  void write_then_read() {
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

  static Value to_value(const Variable& variable) { return {variable.name, variable.type}; }

  /// Takes the bits of a value into what was found.
  void take(const Value& found) {
    Value part = found;
    if (is_matrix(part.type)) {
      part = {part.text + fmt::format("[{}]", below(part.type.columns)), column_of(part.type)};
    }
    if (part.type.base == Base::Float) {
      part = {"floatBitsToUint(" + part.text + ")", vector(Base::Uint, part.type.rows)};
    }
    line(cat({"take(", convert(part, kUint), ");"}));
  }

  void copy_structure() {
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

  void add_atomic() {
    const auto block = pick_block(Role::Atomic, Role::Atomic);
    if (!block) return add_own_atomic();
    write_atomic(*block);
  }

  void write_atomic(const Block& block) {
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
      target = cat({array, "[", value(kUint, 1), " % uint(", array, ".length())]"});
    }
    note(op);
    line(cat({op, "(", target, ", ", value(type, 2), ");"}));
  }

  /// Nobody else has the element, so that what the atomic gives can be used.
  void add_own_atomic() {
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

  void call_function() {
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

  void call_function(const Function& function) {
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

  /// A new variable, or an element of one's own, for a parameter that gives something.
  std::string output_argument(const Parameter& parameter, std::vector<Variable>& made) {
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

  void extended_arithmetic() {
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

  void statements(std::uint32_t count, int depth) {
    const std::size_t scope = variables_.size();
    for (std::uint32_t i = 0; i < count; ++i) statement(depth);
    // What nobody takes would not be seen.
    if (variables_.size() > scope && percent(60)) take(descend(to_value(variables_.back()), 1));
    variables_.resize(scope);
  }

  void statement(int depth) {
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

  /// Leaves a loop or a function, sometimes.
  void leave() {
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

  void branch(int depth) {
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

  void choose_case(int depth) {
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

  void loop(int depth) {
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

  // Functions.

  void make_function() {
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

  /// Often the type of some elements, which can be passed then.
  Type random_parameter_type() {
    const auto block = pick_block(Role::Own, Role::Own);
    return block && percent(35) ? *block->element : random_type(15, 10);
  }

  std::string group_index() const {
    return "(gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x";
  }

  void find_self() {
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
        line(fmt::format("room = min(room, uint({}{}.length()) / {}u);", buffer, block.data, block.per_index));
      }
    }
    line("live = self < room;");
  }

  void make_main() {
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

  std::string sync() const { return has_sync_ ? "meet();" : "barrier();"; }

  /// Memory that a group shares, between barriers that all its invocations come to.
  void meet() {
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

  std::string uniform_condition() {
    for (const TypedName& member : params_) {
      if (member.type == kUint) return fmt::format("(push.{} & 1u) == 0u", member.name);
      if (member.type == kFloat) return fmt::format("push.{} > 0.0", member.name);
    }
    return "gl_NumWorkGroups.x > 2u";
  }

  std::string declare_shared(const Type& type) {
    const std::string name = fresh("sh");
    const bool is_sized = percent(50);
    const std::string inner = is_array(type) ? fmt::format("[{}]", type.count) : "";
    globals_ +=
        fmt::format("shared {} {}[{}]{};\n", name_of(element_of(type)), name, is_sized ? "kLocals" : "64", inner);
    return name;
  }

  void exchange() {
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

  void reduce() {
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

  void gather() {
    note("atomics on shared memory");
    const std::string name = fresh("sh");
    globals_ += fmt::format("shared uint {};\n", name);
    line(fmt::format("if (gl_LocalInvocationIndex == 0u) {} = {}u;", name, below(100)));
    line(sync());
    line(cat({pick_text({"atomicAdd", "atomicMax", "atomicXor"}), "(", name, ", ", value(kUint, 3), ");"}));
    line(sync());
    take({name, kUint});
  }

  /// Every buffer and the parameters, so that each has a part in the result and stays in the interface.
  void use_everything() {
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
      const std::string array = buffer_of(block) + block.data;
      const std::string group = fresh("v");
      line(fmt::format("const uint {} = {};", group, group_index()));
      open(fmt::format("if (gl_LocalInvocationIndex == 0u && {} < uint({}.length())) {{", group, array));
      Value target = {fmt::format("{}[{}]", array, group), *block.element};
      if (is_array(target.type) || percent(50)) target = descend(target, 1);
      line(cat({target.text, " = ", kept(target.type, 2), ";"}));
      close();
    }
  }

  /// The last write to a buffer, of what was found.
  void finish(const Block& block) {
    const std::string element = element_text(block, buffer_of(block), 1);
    Value target = descend({element, *block.element}, 1);
    if (is_matrix(target.type)) target = {target.text + "[0]", column_of(target.type)};
    const std::string text = convert({"found", kUint}, target.type);
    line(fmt::format("{} = {};", target.text, text));
  }

  static constexpr int kDepth = 3;  // Of statements in each other.

  Random random_;
  RandomKernelOptions options_;
  RandomKernel kernel_;
  bool is_specialised_ = false;
  bool has_spec_ = false;
  bool has_shared_ = false;
  bool has_sync_ = false;
  std::vector<Structure> structures_;
  std::vector<TypedName> params_;
  std::vector<Block> blocks_;
  std::vector<Function> functions_;
  std::vector<Variable> globals_variables_;
  std::string globals_;

  // Of the function at hand.
  std::string out_;
  std::size_t depth_ = 0;
  std::uint32_t names_ = 0;
  std::vector<Variable> variables_;  // In scope.
  std::optional<Type> result_;
  bool is_in_function_ = false;
  bool is_in_loop_ = false;
  bool is_live_ = false;  // Whether the invocation is known to have elements.
  std::uint32_t runs_ = 1;
  std::uint32_t calls_runs_ = 1;
  std::uint32_t lines_ = 0;
};

}  // namespace

RandomKernel random_kernel(std::uint64_t seed, const RandomKernelOptions& options) {
  return Generator{seed, options}.make();
}

}  // namespace vyre::tests
