#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

/// The corpus: compute kernels with the work to give them, what must come out, and what must be derived from them.
///
/// A case is a value. It names a GLSL file beside this one and says nothing of any device, so that reflection tests
/// read `expected` and device tests read the rest.
namespace vyre::kernels {

enum class Kind : std::uint8_t { StorageBuffer, UniformBuffer };
enum class Access : std::uint8_t { None, Read, Write, ReadWrite };
enum class ScalarType : std::uint8_t { U8, I8, U16, I16, U32, I32, U64, I64, F16, F32, F64 };

/// How the contents of a buffer after a dispatch are compared with the oracle's.
struct Comparison {
  enum class Rule : std::uint8_t {
    Exact,      ///< Bit for bit.
    Within,     ///< Element by element within the bounds that the oracle gives (`precision.hpp`). `F32` only.
    Unordered,  ///< As a multiset of elements: the order depends on atomics.
  };
  Rule rule = Rule::Exact;
};

/// What an element may be.
struct Bounds {
  double least = 0;
  double greatest = 0;
};

/// One buffer bound to a kernel: its place and its bytes.
struct Buffer {
  std::uint32_t set = 0;
  std::uint32_t slot = 0;
  std::uint32_t element = 0;  ///< Index within an array of buffers, 0 elsewhere.
  ScalarType type = ScalarType::F32;
  Comparison comparison = {};
  std::vector<std::byte> bytes = {};
  std::vector<Bounds> bounds = {};  ///< Of each element, by the oracle, where they are compared within bounds.

  /// The bytes as elements. `T` must divide the length.
  template <typename T>
  [[nodiscard]] std::span<T> as() {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <typename T>
  [[nodiscard]] std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// A specialisation constant set for the dispatch; 64-bit types use all of `bits`, smaller ones the low part.
struct SpecValue {
  std::uint32_t id = 0;
  std::uint64_t bits = 0;
};

struct ExpectedBinding {
  std::uint32_t set = 0;
  std::uint32_t slot = 0;
  std::string name = {};  ///< Of the variable if it has an instance name, of the block otherwise.
  Kind kind = Kind::StorageBuffer;
  Access access = Access::None;  ///< What the code does to it, whatever the declaration allows.
  std::uint32_t stride = 0;      ///< Array stride of the last member if that is an array, 0 otherwise.
  std::uint64_t size = 0;  ///< Bytes up to the end of the last member; up to the runtime array where there is one.
  bool runtime_sized = false;
  std::uint32_t count = 1;                      ///< Length of an array of buffers.
  std::vector<ExpectedBinding> variables = {};  ///< Those that share the slot, as declared; empty if there is one.
};

struct ExpectedMember {
  std::string name = {};
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

struct ExpectedSpecConstant {
  std::uint32_t id = 0;
  std::string name = {};
  ScalarType type = ScalarType::U32;  ///< A bool is U32 with default 0 or 1.
  bool is_bool = false;
  std::uint64_t default_bits = 0;
};

/// What reflection must derive, written by hand from the source.
struct Expected {
  std::array<std::uint32_t, 3> workgroup_size = {1, 1, 1};        ///< With the default specialisation.
  std::array<std::int64_t, 3> workgroup_spec_ids = {-1, -1, -1};  ///< `local_size_x_id` and so on, −1 where literal.
  /// Sorted by (set, slot), each once; only bindings the code uses.
  std::vector<ExpectedBinding> bindings = {};
  std::uint32_t push_constant_size = 0;  ///< End of the last member.
  std::vector<ExpectedMember> push_constants = {};
  std::vector<ExpectedSpecConstant> spec_constants = {};  ///< Sorted by id, each id once; those the code declares.
  std::uint64_t shared_bytes = 0;                         ///< Sum of the sizes of shared variables, tightly packed.
  bool barriers = false;                                  ///< Any control barrier.
  bool atomics = false;
  /// Loops of the unoptimised module by whether their number of iterations is a number that can be proven: step and
  /// limit are constants or specialisation constants with their defaults, and so is the start, or it does not matter (a
  /// `break` out of such a loop keeps it bounded; a step may add, subtract, multiply, divide or shift). Loops that only
  /// parameters bound count as unbounded.
  std::uint32_t bounded_loops = 0;
  std::uint32_t unbounded_loops = 0;
};

struct KernelCase {
  std::string name = {};  ///< `tests/kernels/<name>.comp`
  std::array<std::uint32_t, 3> groups = {1, 1, 1};
  std::vector<Buffer> buffers = {};  ///< Before the dispatch, sorted by (set, slot, element).
  std::vector<std::byte> push_constants = {};
  std::vector<SpecValue> spec_values = {};
  std::function<void(std::vector<Buffer>&)> oracle = {};  ///< Turns the buffers before into the buffers after.
  Expected expected = {};
};

/// Every case of the corpus, in a fixed order, with unique names. Deterministic: data comes from fixed seeds.
[[nodiscard]] std::vector<KernelCase> all_kernels();

/// The bytes of a range of trivially copyable values.
template <typename T>
  requires std::is_trivially_copyable_v<T>
[[nodiscard]] std::vector<std::byte> to_bytes(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// The bytes of values laid one after another without padding, as push-constant blocks of scalars are.
template <typename... T>
  requires(std::is_trivially_copyable_v<T> && ...)
[[nodiscard]] std::vector<std::byte> pack(const T&... values) {
  std::vector<std::byte> bytes((sizeof(T) + ... + 0));
  std::byte* at = bytes.data();
  ((std::memcpy(at, &values, sizeof(T)), at += sizeof(T)), ...);
  return bytes;
}

}  // namespace vyre::kernels
