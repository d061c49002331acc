#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <vyre/base/error.hpp>
#include <vyre/program/forms/kernel_facts.hpp>
#include <vyre/program/forms/module_writer.hpp>
#include <vyre/program/spirv/cfg.hpp>

namespace vyre::program::forms {

inline constexpr spv::StorageClass kPhysical = spv::StorageClassPhysicalStorageBuffer;

/// The members of an entry of a record that are read.
inline constexpr std::uint32_t kAddressMember = 0;
inline constexpr std::uint32_t kBytesMember = 1;
inline constexpr std::uint32_t kLengthMember = 2;

/// Whether an instruction says where something came from, and nothing about what it does.
[[nodiscard]] constexpr bool is_debug(spv::Op op) noexcept {
  switch (op) {
    case spv::OpLine:
    case spv::OpNoLine:
    case spv::OpString:
    case spv::OpSource:
    case spv::OpSourceExtension:
    case spv::OpSourceContinued:
    case spv::OpModuleProcessed:
    case spv::OpNop: return true;
    default: return false;
  }
}

/// What functions find in private variables, because they cannot see what the entry point loaded.
struct PrivateState {
  std::map<std::uint32_t, Id> addresses = {};  ///< By entry of the record: its address, two words.
  std::map<std::uint32_t, Id> bytes = {};      ///< By entry: how large the view is.
  std::map<std::uint32_t, Id> lengths = {};    ///< By entry: elements of its runtime array.
  std::map<std::uint32_t, Id> sizes = {};      ///< By entry: bytes of its view.
  Id record = 0;                               ///< The address of the record; 0 if no function needs it.
  Id zero = 0;                                 ///< A zero that no compiler knows.
  Id scratch = 0;                              ///< The address of zeros, with those to write to behind them.
  /// Push constants by the path to them: type and variable.
  std::map<std::vector<std::uint32_t>, std::pair<Id, Id>> params = {};
};

/// Types that both functions and the new entry point use.
struct RecordTypes {
  Id uint = 0;
  Id uvec2 = 0;
  Id uvec3 = 0;
  Id record = 0;                    ///< The structure of a record.
  Id record_pointer = 0;            ///< To one.
  std::uint32_t params_member = 0;  ///< Which member of a record the push constants are.
  std::uint32_t params_offset = 0;
  std::uint32_t stride = 0;
};

/// Rewrites the functions of a kernel so that they reach buffers through addresses, and everything global they need.
class PointerRewriter {
 public:
  PointerRewriter(const KernelFacts& facts, spirv::Constants& constants, FormKind kind, const FormOptions& options,
                  ModuleWriter& writer);

  /// Makes the types of a record.
  [[nodiscard]] Result<RecordTypes> make_types();
  /// Copies types, constants and variables. `replaced` are built-ins that become private variables of the same id.
  [[nodiscard]] Result<void> write_globals(const std::set<Id>& replaced);
  /// Rewrites all functions; the entry point gets the id `body`.
  [[nodiscard]] Result<void> write_functions(Id body);

  [[nodiscard]] const PrivateState& state() const noexcept { return state_; }
  /// Where an entry's address or length is within a record.
  [[nodiscard]] Id entry_pointer(Code& code, Id record, Id entry, std::uint32_t member) const;

 private:
  /// The way to what a pointer leads to, as the kernel has it: from a variable, or an address that came from elsewhere.
  struct Way {
    Id root = 0;
    std::vector<Id> indices = {};
  };
  /// Bytes from the beginning of a view: `units` times `unit`, and `offset`. `units` may be negative.
  struct Distance {
    Id units = 0;
    std::uint32_t unit = 1;
    std::uint64_t offset = 0;
    Id is_near = 0;  ///< Whether `units` is what was meant and did not overflow; 0 if that is certain.
  };
  /// How a matrix lies in memory, as its structure says.
  struct MatrixLayout {
    std::uint32_t stride = 0;
    bool is_row_major = false;
  };
  /// Where a pointer of a function leads.
  struct Place {
    std::optional<std::uint32_t> entry = {};  ///< Of the record, if it is known which.
    Id bytes = 0;                             ///< How large the view is, if that was loaded for this pointer.
    Id length = 0;                            ///< Of the runtime array, if that was loaded for this pointer.
    Id valid = 0;                             ///< Whether all it leads to is inside the view; 0 if it always is.
    Id base_valid = 0;                        ///< Whether its view is there at all; 0 if it always is.
    bool may_be_null = false;                 ///< Whether a zero address says that it may not.
    bool in_matrix = false;                   ///< Whether its type does not tell how it lies in memory.
    bool is_aligned = false;                  ///< Whether it, or its vector, is known to lie at a multiple of 8.
    Id vector = 0;                            ///< Of a component: the pointer to its vector.
    Id vector_type = 0;                       ///< What that is.
    Id component = 0;                         ///< And its index.
    Way way = {};
    MatrixLayout layout = {};  ///< Of the matrices that it leads to, or is in.
    /// Where a view may end, or begin, within what it leads to: each scalar of that is checked by itself.
    std::optional<Distance> distance = {};
  };
  /// One index of a way, looked at.
  struct Step {
    Id index = 0;
    Id parent = 0;             ///< The type that it goes into.
    std::uint64_t stride = 0;  ///< Bytes from one element to the next; 0 for a member.
    bool is_dynamic = false;   ///< Whether it is more than a part of `Walk::offset`.
    bool may_leave = false;    ///< Whether nothing shows that it stays within its array.
    bool is_open = false;      ///< Whether it must be checked for that.
  };
  /// A way, looked at.
  struct Walk {
    std::vector<Step> steps = {};
    Id type = 0;                              ///< That it leads to.
    std::uint64_t offset = 0;                 ///< Of the members and constant indices.
    MatrixLayout layout = {};                 ///< Of the last matrix, if a structure holds it.
    bool starts_at_view = false;              ///< Whether `offset` counts from there.
    bool starts_at_variable = false;          ///< Whether that is one that the prologue can name.
    std::optional<std::size_t> runtime = {};  ///< The step into the runtime array.
    std::uint64_t array_offset = 0;           ///< Where that begins.
  };

  [[nodiscard]] Result<void> write_function(const spirv::Function& function, Id id);
  [[nodiscard]] Result<void> rewrite(const spirv::Instruction& instruction);
  [[nodiscard]] Result<void> rewrite_plainly(const spirv::Instruction& instruction);
  [[nodiscard]] Result<void> rewrite_chain(const spirv::Instruction& chain);
  [[nodiscard]] Result<void> rewrite_built_in_chain(const spirv::Instruction& chain);
  [[nodiscard]] Result<Id> enter_array(const BufferVariable& buffer, Id index, bool kept, Place& place);
  /// Goes a way and gives the pointer, which is `result` of the type `result_type`. It can be followed whatever the
  /// indices are. `place.valid` says whether `needed` bytes from there are inside the view; 0 for all that it leads to.
  [[nodiscard]] Result<void> follow(const Way& way, Id result, Id result_type, std::uint64_t needed, bool kept,
                                    Place& place);
  /// Looks at a way from what the root points to.
  /// The value of an index that is a constant, of the source or made here.
  [[nodiscard]] std::optional<spirv::ConstantValue> index_value(Id index);
  [[nodiscard]] Result<Walk> look_at(std::span<const Id> indices, Id type, bool is_param, Place& place);
  /// Makes open indices ones that stay inside. `pointer` may become one to zeros.
  [[nodiscard]] Result<void> check_steps(Walk& walk, std::uint64_t needed, Place& place, Id root, Id root_type,
                                         Id& pointer);
  /// The same where all of an element of the runtime array is inside or none of it.
  [[nodiscard]] Result<void> check_element(Walk& walk, Place& place, Id root_type, Id& pointer);
  [[nodiscard]] Result<Distance> distance_of(const Walk& walk, const Place& place, Id root);
  /// Whether `size` bytes, so many behind the place, are inside the view.
  [[nodiscard]] Result<Id> is_inside(const Place& place, std::uint64_t behind, std::uint64_t size);
  /// How many units begin, `rest` bytes behind their own beginning, so many bytes before the view ends.
  [[nodiscard]] Result<Id> limit_of(const Place& place, std::uint64_t rest, std::uint32_t unit, std::uint64_t size);
  [[nodiscard]] Result<Id> bytes_of(const Place& place);
  /// An index as 32 bits; `is_near` says whether that is all of it.
  [[nodiscard]] Id narrow_index(Id index, Id& is_near);
  [[nodiscard]] Id both(Id one, Id other);
  /// Writes an access chain with indices that are safe. Where one may be beyond what its array declares, the array is
  /// looked at as one without an end.
  void write_chain(const Walk& walk, Id pointer, Id pointer_type, Id result, Id result_type);
  void cast_pointer(Id pointer, Id type, Id result, Id result_type);
  /// A structure with nothing but a runtime array.
  [[nodiscard]] Id endless(Id element, std::uint32_t stride);
  [[nodiscard]] bool holds_matrix(Id type) const;
  /// Whether it is what some buffer holds.
  [[nodiscard]] bool is_block(Id type) const;
  [[nodiscard]] MatrixLayout layout_of_member(Id structure, std::uint32_t member) const;
  /// Bytes from the beginning of a value to its end.
  [[nodiscard]] std::uint64_t bytes_in(Id type, const MatrixLayout& layout);

  /// Loads what may lie across an end of its view: what is outside is zero.
  [[nodiscard]] Result<void> load_parts(const Place& place, Id type, Id result,
                                        std::span<const std::uint32_t> operands);
  [[nodiscard]] Result<void> load_vector(const Place& place, Id type, Id result,
                                         std::span<const std::uint32_t> operands);
  /// Stores what may lie across an end of its view: what is outside is not written.
  [[nodiscard]] Result<void> store_parts(const Place& place, Id value, Id type,
                                         std::span<const std::uint32_t> operands);
  /// The types of the parts of a value; none for a scalar. Refuses a value of too many.
  [[nodiscard]] Result<std::vector<Id>> parts_of_value(Id type);
  [[nodiscard]] std::uint64_t scalars_in(Id type);
  /// A pointer to a part of what another place leads to.
  [[nodiscard]] Result<Id> follow_part(const Place& whole, std::uint32_t part, Id type, Place& place);
  /// Whether only the end of a view can cut a vector, and so that its first component is inside.
  [[nodiscard]] bool is_never_split(const Place& place, Id vector);
  /// Whether the vector that a component belongs to is loaded as one value, and not scalar by scalar.
  [[nodiscard]] bool is_accessed_whole(const Place& component, const Step& last);
  [[nodiscard]] Result<void> rewrite_load(const spirv::Instruction& load);
  [[nodiscard]] bool rewrite_param_load(const spirv::Instruction& load);
  [[nodiscard]] Result<void> rewrite_store(const spirv::Instruction& store);
  [[nodiscard]] Result<void> rewrite_copy(const spirv::Instruction& copy);
  [[nodiscard]] Result<void> rewrite_atomic(const spirv::Instruction& atomic);
  /// The operands of an atomic behind its pointer, as the driver takes them.
  [[nodiscard]] Words atomic_operands(const spirv::Instruction& atomic);
  [[nodiscard]] Result<void> rewrite_length(const spirv::Instruction& length);
  [[nodiscard]] Result<void> rewrite_extended(const spirv::Instruction& instruction);
  [[nodiscard]] Result<void> copy_with_pointers(const spirv::Instruction& instruction);

  /// Finds the pointers of a function whose distance from the beginning of their buffer is needed.
  [[nodiscard]] Result<void> find_offsets(const spirv::Function& function);
  /// Writes that distance, in bytes, beside the pointer.
  [[nodiscard]] Result<void> write_offset(const spirv::Instruction& pointer);
  [[nodiscard]] Result<void> write_chain_offset(const spirv::Instruction& chain, Id result);
  [[nodiscard]] Id offset_of(Id pointer);
  [[nodiscard]] Id to_uint(Id index);
  [[nodiscard]] Result<void> rewrite_comparison(const spirv::Instruction& comparison);
  [[nodiscard]] Result<void> rewrite_element_chain(const spirv::Instruction& chain);

  /// Loads through a pointer into a buffer. `result` is the id of what is loaded; what is `kept` is there behind the
  /// loop, too.
  [[nodiscard]] Result<void> load(Id pointer, Id type, Id result, std::span<const std::uint32_t> operands, bool kept);
  /// Loads a component of a vector by loading the vector.
  [[nodiscard]] Result<void> load_component(const Place& place, Id valid, Id type, Id result,
                                            std::span<const std::uint32_t> operands);
  [[nodiscard]] Result<void> store(Id pointer, Id value, Id type, std::span<const std::uint32_t> operands);
  /// The same through a pointer whose place is known.
  [[nodiscard]] Result<void> load_from(const Place& place, Id from, Id type, Id result,
                                       std::span<const std::uint32_t> operands);
  [[nodiscard]] Result<void> store_to(const Place& place, Id to, Id value, Id type,
                                      std::span<const std::uint32_t> operands);
  /// The type of a pointer to a value, of the source or made here.
  [[nodiscard]] Id pointer_type_of(Id pointer, Id type);
  /// Loads what is at a place, which may be followed.
  void load_at(const Place& place, Id from, Id type, Id result, std::span<const std::uint32_t> operands);
  void store_at(const Place& place, Id to, Id value, Id type, std::span<const std::uint32_t> operands);
  /// What a value at a place is loaded and stored as, if not as its type: words of 64 bits. 0 otherwise.
  [[nodiscard]] Id wide_type(const Place& place, Id type, std::span<const std::uint32_t> operands);

  /// A loop, by the blocks it begins with and goes on behind.
  struct LoopBlocks {
    std::uint32_t header = 0;
    std::uint32_t merge = 0;
  };
  /// Whether it leads into what no kernel changes, which drivers load as written for all invocations.
  [[nodiscard]] bool is_read_only(Id pointer) const;
  /// Whether an invocation may come to the block at hand more than once.
  [[nodiscard]] bool may_repeat();
  /// Of the block at hand; nothing outside loops.
  [[nodiscard]] const LoopBlocks* innermost_loop();
  [[nodiscard]] bool is_inside(const LoopBlocks& loop, std::uint32_t block) const;
  /// Whether the driver may forget a value of the source that is loaded here, because what is made of it is used
  /// behind the loop.
  [[nodiscard]] bool outlives_loop(Id value);
  /// `result` becomes `value`, and stays that behind the loop.
  [[nodiscard]] Result<void> keep(Id type, Id value, Id result);
  void keep_parts(Id type, Id value, Id result);
  [[nodiscard]] std::uint64_t parts_of(Id type);

  /// `result` becomes `value`, or zero if it is not valid.
  [[nodiscard]] Result<void> choose(Id valid, Id type, Id value, Id result);
  /// Whether the block at hand begins a loop.
  [[nodiscard]] bool is_loop_header() const;
  /// Goes on with the block at hand behind another label.
  void begin_piece(Id label);

  /// What is known of a pointer into a buffer.
  [[nodiscard]] Place place_of(Id pointer);
  /// The pointer as functions name it now.
  [[nodiscard]] Result<Id> pointer_of(Id id);
  [[nodiscard]] Result<Id> length_of(const Place& place);
  /// Whether a pointer may be followed, as a value; 0 if it always may.
  [[nodiscard]] Id validity_of(Id pointer, const Place& place);
  /// An index that does not lead out, and whether the one that was given does not either.
  [[nodiscard]] Id checked_index(Id index, Id bound, Id& valid);
  /// The buffer of an entry, or zeros if its runtime array is empty.
  [[nodiscard]] Result<Id> array_pointer(bool is_of_variable, Id pointer, Id pointer_type, const Place& place,
                                         std::uint64_t array_offset);
  [[nodiscard]] const BufferVariable& buffer_of_entry(std::uint32_t entry) const;
  [[nodiscard]] bool has_runtime_array(Id type) const;
  /// Of two buffers that one is chosen of, the length and size of the chosen one.
  [[nodiscard]] Result<void> select_view(const spirv::Instruction& select);
  /// A pointer that can be followed whatever happens: `pointer`, or one into the scratch memory.
  [[nodiscard]] Result<Id> guarded(Id pointer, Id pointer_type, Id valid, Id type, bool writes);
  [[nodiscard]] Id check_index(Id index, Id bound, Id valid);
  [[nodiscard]] bool is_proven(Id index, std::uint64_t bound);
  [[nodiscard]] bool is_guarded(Id index, std::uint32_t entry);
  [[nodiscard]] bool escapes(Id pointer) const;
  /// What a private variable holds, which is made if it is 0.
  [[nodiscard]] Id from_private(Id& variable, Id type, Code& code);
  [[nodiscard]] Id record_pointer();
  [[nodiscard]] Id entry_address(std::uint32_t entry, Id pointer_type);
  [[nodiscard]] Id scratch_pointer(Id pointer_type, bool writes);
  [[nodiscard]] std::uint32_t alignment(Id type) const;
  [[nodiscard]] std::uint64_t extent(Id type);
  /// Memory operands of an access to a buffer, with an alignment of so much at least.
  [[nodiscard]] Words memory_operands(std::span<const std::uint32_t> operands, std::uint32_t alignment) const;

  void note_vectors(Id type);
  void write_annotations(const std::set<Id>& replaced);
  [[nodiscard]] bool is_block_array(Id type) const;

  const KernelFacts& facts_;
  const spirv::Module& module_;
  spirv::Constants& constants_;
  FormKind kind_;
  const FormOptions& options_;
  ModuleWriter& writer_;
  RecordTypes types_;
  PrivateState state_;
  std::set<Id> replaced_;
  std::set<Id> whole_types_;    // Types that are loaded or stored whole, and what they consist of.
  std::set<Id> whole_vectors_;  // Of those, vectors.
  std::vector<bool> is_kept_;   // By id: whether it is defined in the new module.
  std::map<std::pair<Id, std::uint32_t>, Id> endless_;
  std::map<Id, std::uint32_t> made_indices_;  // Constants made here, and their values.
  bool has_row_major_ = false;                // Whether some matrix is laid out by rows.
  bool has_pairs_ = false;                    // Whether vectors are loaded and stored as words of 64 bits.

  // Of the function at hand.
  const spirv::Function* function_ = nullptr;
  std::optional<spirv::ControlFlow> flow_;
  std::optional<std::vector<LoopBlocks>> loops_;
  std::size_t at_ = 0;                   // The instruction.
  std::uint32_t block_ = 0;              // Its block.
  Id label_ = 0;                         // Where that, or the last piece of it, begins.
  std::map<Id, Id> last_labels_;         // By the label of a block that is in pieces: that of the last.
  std::vector<std::size_t> phi_labels_;  // Words that name a block from which a value comes.
  std::map<std::uint32_t, Id> array_pointers_;
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, std::uint64_t>, Id> limits_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Id> shifted_lengths_;
  Code code_;
  Code prologue_;
  std::unordered_map<Id, Place> places_;
  std::map<Id, Id> offsets_;  // By pointer: its distance from the beginning of its buffer.
  std::map<std::pair<std::uint32_t, Id>, Id> entry_pointers_;
  std::map<std::uint32_t, Id> entry_lengths_;
  std::map<std::uint32_t, Id> entry_bytes_;
  std::map<std::pair<Id, bool>, Id> scratch_pointers_;
  Id params_pointer_ = 0;
  Id record_pointer_ = 0;
};

}  // namespace vyre::program::forms
