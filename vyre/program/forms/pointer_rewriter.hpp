#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
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
  std::map<std::uint32_t, Id> lengths = {};    ///< By entry: elements of its runtime array.
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
  /// Where a pointer of a function leads.
  struct Place {
    std::optional<std::uint32_t> entry = {};  ///< Of the record, if it is known which.
    Id length = 0;                            ///< Of the runtime array, if that was loaded for this pointer.
    Id valid = 0;                             ///< Whether it may be followed; 0 if it always may.
    bool may_be_null = false;                 ///< Whether a zero address says that it may not.
    bool in_matrix = false;                   ///< Whether its type does not tell how it lies in memory.
    bool is_aligned = false;                  ///< Whether it, or its vector, is known to lie at a multiple of 8.
    Id vector = 0;                            ///< Of a component: the pointer to its vector.
    Id vector_type = 0;                       ///< What that is.
    Id component = 0;                         ///< And its index.
  };

  [[nodiscard]] Result<void> write_function(const spirv::Function& function, Id id);
  [[nodiscard]] Result<void> rewrite(const spirv::Instruction& instruction);
  [[nodiscard]] Result<void> rewrite_chain(const spirv::Instruction& chain);
  [[nodiscard]] Result<void> rewrite_built_in_chain(const spirv::Instruction& chain);
  [[nodiscard]] Result<Id> enter_array(const BufferVariable& buffer, const spirv::Instruction& chain, Place& place);
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

  /// Loads through a pointer into a buffer. `result` is the id of what is loaded; what is `kept` is there behind the
  /// loop, too.
  [[nodiscard]] Result<void> load(Id pointer, Id type, Id result, std::span<const std::uint32_t> operands, bool kept);
  /// Loads a component of a vector by loading the vector.
  [[nodiscard]] Result<void> load_component(const Place& place, Id valid, Id type, Id result,
                                            std::span<const std::uint32_t> operands);
  [[nodiscard]] Result<void> store(Id pointer, Id value, Id type, std::span<const std::uint32_t> operands);
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
  [[nodiscard]] Result<Id> array_pointer(const BufferVariable* buffer, Id pointer, Id pointer_type, const Place& place);
  [[nodiscard]] const BufferVariable& buffer_of_entry(std::uint32_t entry) const;
  [[nodiscard]] bool has_runtime_array(Id type) const;
  /// Of two buffers that one is chosen of, the length of the chosen one.
  [[nodiscard]] Result<void> select_length(const spirv::Instruction& select);
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
  /// Memory operands with an alignment, of so much at least.
  [[nodiscard]] static Words aligned(std::span<const std::uint32_t> operands, std::uint32_t alignment);

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
  bool has_pairs_ = false;      // Whether vectors are loaded and stored as words of 64 bits.

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
  Code code_;
  Code prologue_;
  std::unordered_map<Id, Place> places_;
  std::map<std::pair<std::uint32_t, Id>, Id> entry_pointers_;
  std::map<std::uint32_t, Id> entry_lengths_;
  std::map<std::pair<Id, bool>, Id> scratch_pointers_;
  Id params_pointer_ = 0;
  Id record_pointer_ = 0;
};

}  // namespace vyre::program::forms
