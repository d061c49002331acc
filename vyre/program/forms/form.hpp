#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/program/program.hpp>

/// Forms of a kernel: modules that compute the same and are launched differently, derived from the kernel as written.
///
/// All forms but the descriptor form read the addresses of buffers from a record. Each dispatch has one:
///
///     uvec4 groups        the dispatch's own group count; the last is unused
///     uvec4 entries[]     of each buffer: address (low, high), bytes, elements of its runtime array
///     params              what the push constants were
///
/// The push constants of such a form are a `Root`, which says where the records are.
namespace vyre::program {

enum class FormKind : std::uint8_t {
  Descriptor,  ///< As written.
  Pointer,     ///< One dispatch, its buffers and parameters in a record.
  Merged,      ///< Many dispatches in one launch; each workgroup finds its record by its position.
  Persistent,  ///< Many dispatches in one launch; a few workgroups each run one after another.
  Chain,       ///< Many dispatches in one launch, in order: one workgroup runs all, each sees the writes before.
};

inline constexpr std::size_t kForms = 5;
inline constexpr std::array<FormKind, kForms> kAllForms = {FormKind::Descriptor, FormKind::Pointer, FormKind::Merged,
                                                           FormKind::Persistent, FormKind::Chain};

/// Whether a launch in this form can run many dispatches.
[[nodiscard]] constexpr bool is_one_launch(FormKind kind) noexcept {
  return kind != FormKind::Descriptor && kind != FormKind::Pointer;
}
/// Whether a workgroup of this form runs one dispatch after another.
[[nodiscard]] constexpr bool takes_turns(FormKind kind) noexcept {
  return kind == FormKind::Persistent || kind == FormKind::Chain;
}

/// `descriptor`, `pointer`, `merged`, `persistent` or `chain`.
[[nodiscard]] std::string_view to_string(FormKind kind) noexcept;
/// Reads what `to_string` writes. Nothing otherwise.
[[nodiscard]] std::optional<FormKind> parse_form(std::string_view text) noexcept;

/// Mistakes of a driver that the rewriter must avoid.
struct Quirks {
  /// A component that is loaded through an address after its whole vector was stored or loaded there is component 0.
  bool component_loads = false;
  /// An integer atomic whose operand was computed as a float is compiled as an atomic on floats.
  bool float_operands = false;
  /// A value that is loaded through an address in a loop is zero after the loop, for invocations that left it before
  /// others.
  bool values_of_loops = false;
  /// `Ldexp` works with exponents of 32 bits only. Every form is rewritten, also the descriptor form.
  bool ldexp_exponents = false;

  friend bool operator==(const Quirks&, const Quirks&) = default;
};

struct FormOptions {
  bool robust = true;  ///< A read outside a view gives zeros, a write outside does nothing.
  /// One-launch forms run larger workgroups as this number of invocations, each in a loop, if the kernel allows that
  /// and it provably stays below `max_iterations`. 0 for never.
  std::uint32_t fold = 0;
  /// The size of a subgroup, if subgroups are full and can exchange 64-bit values: its invocations load a record
  /// together, each a part of it. 0 if each invocation loads the whole record.
  std::uint32_t lanes = 0;
  /// Whether vectors of two and four 32-bit words are loaded and stored as 64-bit words where they are aligned to 8
  /// bytes. Views must begin at multiples of 8.
  bool pairs = false;
  /// The number of iterations of all loops after which the device ends an invocation; 0 if it never does.
  std::uint64_t max_iterations = 0;
  Quirks quirks = {};

  friend bool operator==(const FormOptions&, const FormOptions&) = default;
};

/// The push constants of a launch in a derived form.
struct Root {
  std::uint64_t records = 0;  ///< The address of the records, which follow each other.
  std::uint64_t scratch = 0;  ///< The address of `kScratchBytes` zeros and as many bytes to write to; aligned to both.
  std::uint64_t map = 0;      ///< Merged items of different sizes: the address of a `MapEntry` per workgroup. Else 0.
  std::uint32_t first = 0;    ///< The index of the first record to run.
  std::uint32_t count = 0;    ///< The number of records to run.
  std::uint32_t row = 0;      ///< Persistent, chain: records per workgroup. Merged with a map: workgroups per row.
  std::uint32_t total = 0;    ///< Merged with a map: the number of its entries.
  std::uint32_t zero = 0;     ///< Always 0. Forms use it where a compiler must not know the value.
  std::uint32_t unused = 0;

  friend bool operator==(const Root&, const Root&) = default;
};
static_assert(sizeof(Root) == 48);

/// What a workgroup of a merged launch runs: a record, and its position in that dispatch.
struct MapEntry {
  std::uint32_t record = 0;  ///< Counted from `Root::first`.
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;

  friend bool operator==(const MapEntry&, const MapEntry&) = default;
};

/// The largest value that a robust form reads or writes at once.
inline constexpr std::uint32_t kScratchBytes = 16 * 1024;

/// The most bytes after the end of a view that a robust form reads, if the end cuts a vector. It discards them, but
/// every buffer must have that many bytes after its end.
inline constexpr std::uint32_t kReadBehind = 32;

/// A buffer in a record.
struct RecordEntry {
  std::uint32_t range = 0;         ///< The index of its range in a dispatch: sorted by set, slot and element.
  std::uint32_t array_offset = 0;  ///< The offset of its runtime array.
  std::uint32_t array_stride = 0;  ///< 0 if it has none.
  /// The size of the smallest scalar in an element of the runtime array; 0 if each element is a single scalar.
  std::uint32_t scalar_bytes = 0;

  /// Whether a view of this size ends within an element of the runtime array, with some of its scalars inside. A robust
  /// form treats the whole element as outside, but the kernel as written can reach those scalars.
  [[nodiscard]] constexpr bool is_cut(std::uint64_t bytes) const noexcept {
    return scalar_bytes != 0 && bytes > array_offset && (bytes - array_offset) % array_stride >= scalar_bytes;
  }

  friend bool operator==(const RecordEntry&, const RecordEntry&) = default;
};

struct RecordLayout {
  static constexpr std::uint32_t kEntriesOffset = 16;
  static constexpr std::uint32_t kEntryBytes = 16;

  std::vector<RecordEntry> entries = {};
  std::uint32_t params_offset = 0;
  std::uint32_t params_bytes = 0;
  std::uint32_t stride = 0;  ///< The distance from one record to the next, a multiple of 32.

  friend bool operator==(const RecordLayout&, const RecordLayout&) = default;
};

/// A kernel in another form.
struct Form {
  FormKind kind = FormKind::Pointer;
  std::vector<std::uint32_t> words = {};
  Interface interface = {};  ///< The interface of the form: no bindings, and a `Root` as push constants.
  RecordLayout record = {};
  std::uint32_t folded = 1;  ///< How many invocations of the kernel one of the form runs.
  /// The most loop iterations that one invocation of the kernel makes, given the parameters and workgroup counts of a
  /// dispatch; nothing if no such bound can be proven.
  std::optional<Bound> iterations = {};
};

/// Derives a form of a program with the given specialisation. To compile the result, give the same specialisation
/// again.
///
/// `Unsupported`, naming the construct, if the kernel does not have the form. The result is valid SPIR-V for the
/// target. Precondition: `kind` is not `Descriptor`. Thread safety: may be called concurrently.
[[nodiscard]] Result<Form> derive_form(const Program& program, FormKind kind, const FormOptions& options = {},
                                       std::span<const spirv::SpecOverride> values = {});

}  // namespace vyre::program
