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

/// Forms of a kernel: other modules with the same meaning, derived from the one that was written.
///
/// All forms but the first reach buffers through addresses in a record, of which there is one per dispatch:
///
///     uvec4 groups        the dispatch's own group count; the last is unused
///     uvec4 entries[]     of each buffer: address (low, high), bytes, elements of its runtime array
///     params              what the push constants were
///
/// What a launch is given besides, in push constants, is a `Root`.
namespace vyre::program {

enum class FormKind : std::uint8_t {
  Descriptor,  ///< As written.
  Pointer,     ///< One dispatch, its buffers and parameters in a record.
  Merged,      ///< Many dispatches as one, each workgroup finding its own by its position.
  Persistent,  ///< Many dispatches as one, a few workgroups taking one after another.
  Chain,       ///< Many dispatches as one, in order: one workgroup takes them, and each sees what those before wrote.
};

inline constexpr std::size_t kForms = 5;
inline constexpr std::array<FormKind, kForms> kAllForms = {FormKind::Descriptor, FormKind::Pointer, FormKind::Merged,
                                                           FormKind::Persistent, FormKind::Chain};

/// Whether many dispatches are one launch.
[[nodiscard]] constexpr bool is_one_launch(FormKind kind) noexcept {
  return kind != FormKind::Descriptor && kind != FormKind::Pointer;
}
/// Whether a workgroup of it runs one dispatch after another.
[[nodiscard]] constexpr bool takes_turns(FormKind kind) noexcept {
  return kind == FormKind::Persistent || kind == FormKind::Chain;
}

/// `descriptor`, `pointer`, `merged`, `persistent` or `chain`.
[[nodiscard]] std::string_view to_string(FormKind kind) noexcept;
/// Reads what `to_string` writes. Nothing otherwise.
[[nodiscard]] std::optional<FormKind> parse_form(std::string_view text) noexcept;

/// What a driver gets wrong, and the rewriter must go round.
struct Quirks {
  /// A component that is loaded through an address after its whole vector was stored or loaded there is component 0.
  bool component_loads = false;
  /// Atomics on whole numbers take what was computed as a float for one.
  bool float_operands = false;
  /// What is loaded through an address in a loop is zero behind it for invocations that left it before others.
  bool values_of_loops = false;
  /// `Ldexp` takes exponents of 32 bits alone. Every form is rewritten, the one as written, too.
  bool ldexp_exponents = false;

  friend bool operator==(const Quirks&, const Quirks&) = default;
};

struct FormOptions {
  bool robust = true;  ///< A read outside a view gives zeros, a write outside does nothing.
  /// Wider workgroups of one-launch forms run as so many invocations in a loop, where that is legal and provably below
  /// `max_iterations`; 0 for never.
  std::uint32_t fold = 0;
  /// Invocations of a subgroup, if all are there from the beginning and can exchange 64 bits: they load a record
  /// together, each a part. 0 for every invocation by itself.
  std::uint32_t lanes = 0;
  /// Vectors of two and of four words of 32 bits are loaded and stored as words of 64, where they lie at multiples of
  /// that; views do.
  bool pairs = false;
  /// Iterations of all loops together after which the device ends an invocation; 0 for none.
  std::uint64_t max_iterations = 0;
  Quirks quirks = {};

  friend bool operator==(const FormOptions&, const FormOptions&) = default;
};

/// What every launch of a form other than the descriptor form is given, as push constants.
struct Root {
  std::uint64_t records = 0;  ///< Where the records are, one behind another.
  std::uint64_t scratch = 0;  ///< `kScratchBytes` of zeros, then as many to write to. A multiple of twice that.
  std::uint64_t map = 0;      ///< Of merged items that are not alike: `MapEntry` of each workgroup; otherwise 0.
  std::uint32_t first = 0;    ///< The first record.
  std::uint32_t count = 0;    ///< Records.
  std::uint32_t row = 0;      ///< Records of a workgroup that takes turns. Merged with a map: workgroups of a row.
  std::uint32_t total = 0;    ///< Merged with a map: its entries.
  std::uint32_t zero = 0;     ///< Always; but compilers do not know that.
  std::uint32_t unused = 0;

  friend bool operator==(const Root&, const Root&) = default;
};
static_assert(sizeof(Root) == 48);

/// What a workgroup of a merged launch is: a record, and its place in that dispatch.
struct MapEntry {
  std::uint32_t record = 0;  ///< Counted from `Root::first`.
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;

  friend bool operator==(const MapEntry&, const MapEntry&) = default;
};

/// The largest value that a robust form reads or writes at once.
inline constexpr std::uint32_t kScratchBytes = 16 * 1024;

/// The most bytes behind a view that a robust form reads, where a vector lies across its end. It looks at none of them,
/// but they must be there behind every buffer.
inline constexpr std::uint32_t kReadBehind = 32;

/// One buffer of a record.
struct RecordEntry {
  std::uint32_t range = 0;         ///< Which range of a dispatch it is: by set, slot and element.
  std::uint32_t array_offset = 0;  ///< Where its runtime array begins.
  std::uint32_t array_stride = 0;  ///< 0 if it has none.
  /// The smallest scalar of its elements; 0 if each is one scalar and nothing else.
  std::uint32_t scalar_bytes = 0;

  /// Whether a view of so many bytes ends within an element of the runtime array and has some of its scalars. A robust
  /// form takes all of such an element for outside, while the kernel as written reaches those scalars.
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
  std::uint32_t stride = 0;  ///< From one record to the next, a multiple of 32.

  friend bool operator==(const RecordLayout&, const RecordLayout&) = default;
};

/// A kernel in another form.
struct Form {
  FormKind kind = FormKind::Pointer;
  std::vector<std::uint32_t> words = {};
  Interface interface = {};  ///< Of the new module: no bindings, and a `Root` as push constants.
  RecordLayout record = {};
  std::uint32_t folded = 1;  ///< Invocations of the kernel that one of the form runs, one after another.
  /// The most iterations of its own loops that one invocation of the kernel makes; nothing if that is not provable.
  std::optional<std::uint64_t> iterations = {};
};

/// Derives a form of a program with the given specialisation, which the new module still needs.
///
/// `Unsupported`, naming the construct, for a kernel that does not have the form. The result is valid SPIR-V for the
/// target. `kind` is not `Descriptor`. Thread safety: may be called concurrently.
[[nodiscard]] Result<Form> derive_form(const Program& program, FormKind kind, const FormOptions& options = {},
                                       std::span<const spirv::SpecOverride> values = {});

}  // namespace vyre::program
