#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What a program is to its caller: values, derived from the module alone.
namespace vyre::program {

/// What a kernel does to a buffer. Unknown is `ReadWrite`, never less.
enum class Access : std::uint8_t { None = 0, Read = 1, Write = 2, ReadWrite = 3 };

[[nodiscard]] constexpr Access operator|(Access a, Access b) noexcept {
  return static_cast<Access>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
[[nodiscard]] constexpr Access operator&(Access a, Access b) noexcept {
  return static_cast<Access>(static_cast<std::uint8_t>(a) & static_cast<std::uint8_t>(b));
}

/// `none`, `read`, `write` or `read_write`.
[[nodiscard]] std::string_view to_string(Access access) noexcept;

/// A member of a block or of a structure within one, where it lies.
struct Member {
  std::string name = {};
  std::string type = {};            ///< As GLSL would say it: `float`, `uvec3`, `mat4x3`, `Particle[16]`, `uint[]`.
  std::uint32_t offset = 0;         ///< Within the structure that holds it.
  std::uint64_t size = 0;           ///< 0 for a runtime array.
  std::uint32_t array_stride = 0;   ///< 0 if it is no array.
  std::uint32_t matrix_stride = 0;  ///< 0 if it is no matrix, nor an array of them.
  bool row_major = false;
  std::vector<Member> members = {};  ///< Of a structure, or of the structures in an array.

  friend bool operator==(const Member&, const Member&) = default;
};

enum class BindingKind : std::uint8_t { StorageBuffer, UniformBuffer };

/// `storage_buffer` or `uniform_buffer`.
[[nodiscard]] std::string_view to_string(BindingKind kind) noexcept;

/// One of several variables that share a set and slot: the same bytes, declared as a block of its own.
struct BindingVariable {
  std::string name = {};         ///< Of the variable, or of its block where that has none.
  Access access = Access::None;  ///< What the code does through this variable.
  std::uint64_t size = 0;        ///< Bytes up to the end of the last member, or up to its runtime array.
  std::uint32_t stride = 0;      ///< Of the last member if that is an array, 0 otherwise.
  bool runtime_sized = false;    ///< Whether the last member is a runtime array.
  std::vector<Member> members = {};

  friend bool operator==(const BindingVariable&, const BindingVariable&) = default;
};

/// The rules that the blocks of a module keep, from those of every device to the loosest.
enum class BlockLayout : std::uint8_t {
  Standard,         ///< Those of every device.
  UniformStandard,  ///< Uniform blocks are laid out as storage blocks are: Vulkan's `uniformBufferStandardLayout`.
  Scalar,           ///< Members lie at any multiple of their scalar's size: Vulkan's `scalarBlockLayout`.
};

/// `standard`, `uniform-standard` or `scalar`.
[[nodiscard]] std::string_view to_string(BlockLayout layout) noexcept;

/// A buffer that the entry point uses, through one variable or several that share its set and slot.
///
/// Several variables are one binding: bound once, accessed as any of them is, at least as large as each of them. Its
/// name is that of the first variable. Its stride, its members and whether it is runtime-sized are those of the widest:
/// a variable with a runtime array counts as wider than one without, then the one whose size and stride add up to more.
struct Binding {
  std::uint32_t set = 0;
  std::uint32_t slot = 0;
  std::string name = {};  ///< Of the variable, or of its block where that has none.
  BindingKind kind = BindingKind::StorageBuffer;
  Access access = Access::None;            ///< What the code does, whatever a decoration allows.
  std::uint64_t size = 0;                  ///< Bytes up to the end of the last member, or up to its runtime array.
  std::uint32_t stride = 0;                ///< Of the last member if that is an array, 0 otherwise.
  bool runtime_sized = false;              ///< Whether the last member is a runtime array.
  std::optional<std::uint32_t> count = 1;  ///< Buffers in an array of them; nothing if it is unbounded.
  bool coherent = false;     ///< Declared so; accesses that are coherent by themselves are in `uses_coherent`.
  bool is_volatile = false;  ///< Declared so.
  bool aliased = false;      ///< Whether it may overlap another binding that is written.
  /// Whether code that this specialisation leaves in touches it or asks for its length. A dispatch may leave out a
  /// binding that is not needed.
  bool is_needed = true;
  std::vector<Member> members = {};
  std::vector<BindingVariable> variables = {};  ///< Those that share the slot, as declared; empty if there is one.

  friend bool operator==(const Binding&, const Binding&) = default;
};

struct PushConstants {
  std::string name = {};
  std::uint32_t size = 0;  ///< Up to the end of the last member.
  std::vector<Member> members = {};

  friend bool operator==(const PushConstants&, const PushConstants&) = default;
};

enum class ScalarKind : std::uint8_t { Bool, Int, Uint, Float };

struct ScalarType {
  ScalarKind kind = ScalarKind::Uint;
  std::uint32_t bits = 32;

  friend bool operator==(const ScalarType&, const ScalarType&) = default;
};

/// `bool`, `int`, `uint8_t`, `float16_t`, `double`, as GLSL would say it.
[[nodiscard]] std::string to_string(const ScalarType& type);

/// `vec3`, `uvec2`, `f16vec4` and so on.
[[nodiscard]] std::string vector_name(const ScalarType& component, std::uint32_t count);
/// `mat3` for three columns of three, `dmat4x2` for four columns of two, and so on.
[[nodiscard]] std::string matrix_name(const ScalarType& component, std::uint32_t columns, std::uint32_t rows);

struct SpecConstant {
  std::uint32_t id = 0;
  std::string name = {};
  ScalarType type = {};
  std::uint64_t default_bits = 0;  ///< Narrow types use the low bits.

  friend bool operator==(const SpecConstant&, const SpecConstant&) = default;
};

struct WorkgroupSize {
  std::array<std::uint32_t, 3> size = {1, 1, 1};              ///< With the default specialisation.
  std::array<std::optional<std::uint32_t>, 3> spec_ids = {};  ///< Of the dimensions that can be specialised.

  friend bool operator==(const WorkgroupSize&, const WorkgroupSize&) = default;
};

/// An operation of a bound.
enum class BoundOp : std::uint8_t {
  // Values of some width.
  Constant,     ///< `value`.
  Any,          ///< Any value.
  Parameter,    ///< The parameter that begins at byte `value`.
  Groups,       ///< The number of workgroups in dimension `value`.
  Below,        ///< 0 to `value` - 1.
  BelowGroups,  ///< 0 to the number of workgroups in dimension `a`, times `value`, less 1.
  Add,
  Subtract,
  Multiply,
  DivideUnsigned,
  DivideSigned,
  RestUnsigned,
  RestSigned,
  ShiftLeft,
  ShiftRight,
  ShiftRightSigned,
  And,
  Or,
  Xor,
  Not,
  Negate,
  MinUnsigned,
  MaxUnsigned,
  MinSigned,
  MaxSigned,
  Widen,        ///< To a width from another, with zeros, or cut.
  WidenSigned,  ///< To a width from another, with the sign, or cut.
  Either,       ///< `a` or `b`.
  // Counts, which are never too small.
  StepsBelow,    ///< The steps of `b` from `a` on, while it is below `c`; `value`: see `BoundNode`.
  StepsAbove,    ///< The same while it is above `c`.
  StepsUnequal,  ///< The same while it is not `c`.
  Sum,
  Product,
  Least,
};

/// A node of a bound: an operation on nodes before it.
struct BoundNode {
  /// The bits of `value` of steps.
  static constexpr std::uint64_t kSigned = 1;
  static constexpr std::uint64_t kOrEqual = 2;

  BoundOp op = BoundOp::Constant;
  std::uint8_t width = 64;  ///< In bits, 1 to 64.
  std::uint16_t a = 0;
  std::uint16_t b = 0;
  std::uint16_t c = 0;
  std::uint64_t value = 0;

  friend bool operator==(const BoundNode&, const BoundNode&) = default;
};

/// An upper bound of a count, as an expression of the parameters and workgroup counts of a dispatch (`bound.hpp`). Its
/// last node is the count; without nodes that is 0.
struct Bound {
  std::vector<BoundNode> nodes = {};

  friend bool operator==(const Bound&, const Bound&) = default;
};

/// What a bound may depend on: the bytes of the parameters of a dispatch, and its workgroups in x, y and z.
struct DispatchFacts {
  std::span<const std::byte> params = {};
  std::array<std::uint32_t, 3> groups = {1, 1, 1};
};

/// A loop that the entry point can reach.
struct Loop {
  std::string function = {};
  std::optional<std::uint64_t> max_trips = {};  ///< Times its body can run per entry, if that is a number.
  /// The same if it depends on the dispatch. If neither has a value, no bound is proven.
  std::optional<Bound> bound = {};

  friend bool operator==(const Loop&, const Loop&) = default;
};

/// Something in the module that vyre cannot run, and why.
struct Obstacle {
  std::string what = {};  ///< The instruction, type or capability.
  std::string why = {};

  friend bool operator==(const Obstacle&, const Obstacle&) = default;
};

/// What one invocation keeps to itself, and its workgroup, while it runs. Sizes are packed, in bytes.
struct Kept {
  /// Private variables, and function variables once for each call that leads to them.
  std::uint64_t variable_bytes = 0;
  std::string largest_variable = {};  ///< Private or of a function, by name or id; empty if there is none.
  std::uint64_t largest_variable_bytes = 0;
  std::uint64_t value_bytes = 0;    ///< The largest array, structure or matrix that is handled as one value.
  std::string largest_value = {};   ///< `loaded from 'a'` and the like.
  std::string largest_shared = {};  ///< The largest workgroup variable.
  std::uint64_t largest_shared_bytes = 0;

  friend bool operator==(const Kept&, const Kept&) = default;
};

/// Everything derived from a module for one entry point. Lists are sorted, so that equal programs compare equal.
///
/// Sizes, lengths, the workgroup, the bounds of loops and what is done to buffers hold for one specialisation: that of
/// the defaults unless others were given. A binding that only code behind branches it decides against touches has the
/// access `None` and is not needed.
struct Interface {
  std::string entry_point = {};
  std::uint32_t spirv_version = 0;  ///< 0x00010300 is 1.3.
  WorkgroupSize workgroup = {};
  std::vector<Binding> bindings = {};  ///< By set and slot, each once.
  std::optional<PushConstants> push_constants = {};
  std::vector<SpecConstant> spec_constants = {};  ///< By id.
  std::vector<std::string> built_ins = {};        ///< `GlobalInvocationId` and the like.
  std::vector<std::string> capabilities = {};
  std::vector<std::string> extensions = {};
  BlockLayout block_layout = BlockLayout::Standard;  ///< What a device needs. The validator finds it, not reflection.
  /// Of the entry point, but for the size of the workgroup: `SubgroupUniformControlFlowKHR`, and with the width they
  /// are for `DenormPreserve 16` and the like.
  std::vector<std::string> execution_modes = {};
  std::uint64_t shared_bytes = 0;  ///< Of workgroup variables, tightly packed, with the default specialisation.
  Kept kept = {};
  bool uses_barriers = false;  ///< Control barriers.
  bool uses_atomics = false;
  bool uses_volatile = false;  ///< Any volatile access.
  bool uses_coherent = false;  ///< Any coherent access.
  bool uses_subgroups = false;
  std::vector<Loop> loops = {};
  std::vector<Obstacle> unsupported = {};

  friend bool operator==(const Interface&, const Interface&) = default;
};

}  // namespace vyre::program
