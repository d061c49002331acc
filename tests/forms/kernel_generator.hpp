#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/equivalence/random.hpp"
#include "tests/forms/kernel_types.hpp"
#include "tests/forms/random_kernel.hpp"

/// How a random kernel is made. For `random_kernel` alone.
namespace vyre::tests::generation {

inline constexpr Type kFloat = {.base = Base::Float};
inline constexpr Type kInt = {.base = Base::Int};
inline constexpr Type kUint = {.base = Base::Uint};
inline constexpr Type kBool = {.base = Base::Bool};
inline constexpr std::uint32_t kMaxParamBytes = 128;
inline constexpr std::uint32_t kMaxStructureBytes = 160;
inline constexpr std::uint32_t kMaxLocals = 64;
inline constexpr std::uint32_t kMaxSharedBytes = 4'096;  // Of one variable.
inline constexpr std::uint32_t kMaxTrips = 6;
inline constexpr std::uint32_t kMaxLines = 120;  // Of a function with what it calls, as drivers put all into one.
// Times that the body of a loop or function may run per invocation.
inline constexpr std::uint32_t kMaxRuns = 100;

constexpr Type vector(Base base, std::uint32_t rows) { return {.base = base, .rows = rows}; }

/// Parts that are made one after another: the operands of a sum, or the arguments of a call, may be made in any order.
inline std::string cat(std::initializer_list<std::string> parts) {
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
  std::optional<Type> element = {};  ///< Of the runtime array.
  std::string data = {};             ///< The name of the runtime array.
  /// Elements that it is declared to have, where that is less than there are; 0 for a runtime array. Another block on
  /// the same slot says how many there are.
  std::uint32_t declared = 0;
  std::vector<std::string> atomics = {};  ///< Of the members of the header, and then of the array.
  bool is_view = false;                   ///< Of the buffer of another block.
  std::uint32_t readable = 0;             ///< Elements of a view that nobody writes; 0 for all.
};

inline bool is_owned(const Block& block) { return block.role == Role::Own || block.role == Role::Output; }
inline bool is_readable(const Block& block) {
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

inline bool has_outputs(const Function& function) {
  return std::ranges::any_of(function.parameters, [](const Parameter& parameter) {
    return parameter.passing == Passing::Out || parameter.passing == Passing::InOut;
  });
}

/// Makes one kernel. Text is made in the order in which it is read, since every part takes from the same random
/// numbers.
class KernelGenerator {
 public:
  KernelGenerator(std::uint64_t seed, const RandomKernelOptions& options) : random_{seed}, options_{options} {}

  RandomKernel make();

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

  void line(std::string_view text);
  void open(std::string_view text);
  void close(std::string_view text = "}");
  std::string fresh(std::string_view prefix) { return fmt::format("{}{}", prefix, names_++); }

  // What a kernel is made of.

  void choose_shape();
  Type random_plain_type();
  Type random_type(std::uint64_t structure_chance, std::uint64_t array_chance);
  void make_structures();
  void make_params();

  BlockLayout default_layout() const { return {.packing = kernel_.scalar_layout ? Packing::Scalar : Packing::Std430}; }

  void make_blocks();
  Block make_block(std::uint32_t number, Role role);
  void choose_element(Block& block);
  void choose_qualifiers(Block& block);
  void add_shapes(const Block& block);

  /// Of the runtime array, whose elements can be arrays.
  std::uint32_t element_stride(const Block& block) const;

  /// A second block on the slot of another: the same words as another type, or those of a header that nobody writes.
  void make_view(const Block& of);
  void make_globals();

  // Text around the code.

  void write_declarations();
  std::string declaration(const TypedName& member) const;
  void write_block(const Block& block);
  void write_block(const Block& block, std::string_view qualifiers, char letter, const std::string& length);

  // Values. Floats are multiples of 1/4 up to 63 wherever they are kept, and sums of few of them in between.

  std::string literal(Base base);

  /// A value of constants alone, for initialisers.
  std::string constant(const Type& type);

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
  std::string kept(const Type& type, int depth);

  /// An array, structure or matrix: one that is there already, or a new one.
  std::string whole(const Type& type, int depth);

  /// A scalar or vector.
  std::string value(const Type& type, int depth);

  /// A variable, a built-in or a literal.
  std::string leaf(const Type& type, int depth);
  std::string float_value(const Type& type, int depth);

  std::string bit_range() { return cat({fmt::format("{}", below(20)), ", ", fmt::format("{}", between(1, 12))}); }
  std::string literal_above() { return fmt::format("{:.2f}", static_cast<double>(below(40)) / 4); }

  std::string unpacked(const Type& type, int depth);
  std::string int_value(const Type& type, int depth);
  std::string uint_value(const Type& type, int depth);

  /// What signed and unsigned integers have in common.
  std::string bits_value(const Type& type, int depth);
  std::string packed(int depth);
  std::string length_value();
  std::string condition(int depth);

  bool can_call(const Function& function) const {
    return runs_ * function.runs <= kMaxRuns && lines_ + function.lines <= kMaxLines;
  }
  void count_call(const Function& function);

  /// A call of a function that has a value of the type and gives nothing else; empty if there is none.
  std::string called(const Type& type, int depth);

  /// A scalar, vector or matrix as a scalar or vector of another type. Floats stay small.
  std::string convert(const Value& from, const Type& to);

  /// A number below `count`: a constant, or known when it runs.
  std::string index_below(std::uint32_t count, int depth) {
    return percent(45) ? fmt::format("{}", below(count)) : dynamic_index(count, depth);
  }
  std::string dynamic_index(std::uint32_t count, int depth) {
    return cat({place_value(depth), fmt::format(" % {}u", count)});
  }
  /// Anything to be brought within bounds.
  std::string place_value(int depth);

  /// A number below `count`, known when it runs, that is the same for all invocations of a group.
  std::string uniform_index(std::uint32_t count);

  /// What comes before the name of a member of a block.
  std::string buffer_of(const Block& block);

  /// How many elements the runtime array of a buffer has.
  static std::string length_of(const Block& block, const std::string& buffer);

  /// One of the elements of the runtime array that may be read, or that belong to the invocation.
  std::string element_text(const Block& block, const std::string& buffer, int depth);

  /// Behind the end, by little or by much, but not so much that an offset in bytes would need more than 32 bits.
  std::string outside(const std::string& array) {
    return cat({"uint(", array, ".length()) + ", pick_text({"0u", "1u", "5u", "1000u", "0x100000u", "self"})});
  }

  /// Goes into arrays and structures, and sometimes into matrices and vectors.
  Value descend(Value from, int depth);

  /// Something of a buffer that may be read here.
  Value read(int depth);
  Value read_block(const Block& block, int depth);

  // Statements.

  /// Declares a variable and brings it into scope.
  void declare(const Type& type, int depth);

  /// A variable that can be changed; none if there is none.
  std::optional<Variable> pick_variable();
  void assign(const Value& target, int depth);
  void assign_variable();

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

  std::optional<Block> pick_block(Role a, Role b);

  /// Writes an element that belongs to the invocation: all of it or a part.
  void write_own(const Block& block);
  void write_any();

  /// Writes an element and reads parts of it at once.
  void write_then_read();

  static Value to_value(const Variable& variable) { return {variable.name, variable.type}; }

  /// Takes the bits of a value into what was found.
  void take(const Value& found);
  void copy_structure();
  void add_atomic();
  void write_atomic(const Block& block);

  /// Nobody else has the element, so that what the atomic gives can be used.
  void add_own_atomic();
  void call_function();
  void call_function(const Function& function);

  /// A new variable, or an element of one's own, for a parameter that gives something.
  std::string output_argument(const Parameter& parameter, std::vector<Variable>& made);
  void extended_arithmetic();
  void statements(std::uint32_t count, int depth);
  void statement(int depth);

  /// Leaves a loop or a function, sometimes.
  void leave();
  void branch(int depth);
  void choose_case(int depth);
  void loop(int depth);

  // Functions.

  void make_function();

  /// Often the type of some elements, which can be passed then.
  Type random_parameter_type();

  std::string group_index() const {
    return "(gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x";
  }

  void find_self();
  void make_main();

  std::string sync() const { return has_sync_ ? "meet();" : "barrier();"; }

  /// Memory that a group shares, between barriers that all its invocations come to.
  void meet();
  std::string uniform_condition();
  std::string declare_shared(const Type& type);
  void exchange();
  void reduce();
  void gather();

  /// Every buffer and the parameters, so that each has a part in the result and stays in the interface.
  void use_everything();

  /// The last write to a buffer, of what was found.
  void finish(const Block& block);

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

}  // namespace vyre::tests::generation
