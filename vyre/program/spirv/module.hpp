#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <spirv/unified1/spirv.hpp>

#include <vyre/base/error.hpp>
#include <vyre/program/spirv/grammar.hpp>

namespace vyre::program::spirv {

/// A result id; 0 is none.
using Id = std::uint32_t;

/// The most decorations of a module. Those of a group count for each of its targets, so a short module could have
/// millions.
inline constexpr std::size_t kMaxDecorations = 1U << 20;

/// One instruction of a module: a view that is valid while the module is unchanged.
class Instruction {
 public:
  Instruction(const std::uint32_t* words, const OpcodeInfo* info) noexcept : words_{words}, info_{info} {}

  [[nodiscard]] spv::Op op() const noexcept { return static_cast<spv::Op>(words_[0] & 0xffff); }
  [[nodiscard]] std::string_view name() const noexcept { return info_->name; }
  [[nodiscard]] const OpcodeInfo& info() const noexcept { return *info_; }
  /// All words of the instruction; the first has opcode and length.
  [[nodiscard]] std::span<const std::uint32_t> words() const noexcept { return {words_, words_[0] >> 16}; }
  [[nodiscard]] Id type() const noexcept { return info_->has_type ? words_[1] : 0; }
  [[nodiscard]] Id result() const noexcept { return info_->has_result ? words_[info_->has_type ? 2 : 1] : 0; }
  /// The words after type and result.
  [[nodiscard]] std::span<const std::uint32_t> operands() const noexcept {
    return words().subspan(1U + (info_->has_type ? 1U : 0U) + (info_->has_result ? 1U : 0U));
  }
  /// The word at `index` of the operands, 0 if there is none.
  [[nodiscard]] std::uint32_t operand(std::size_t index) const noexcept {
    const std::span<const std::uint32_t> all = operands();
    return index < all.size() ? all[index] : 0;
  }
  /// The string that begins at `index` of the operands.
  [[nodiscard]] std::string_view string(std::size_t index) const noexcept;

 private:
  const std::uint32_t* words_;
  const OpcodeInfo* info_;
};

/// A basic block: the instructions from its label to its terminator.
struct Block {
  Id label = 0;
  std::uint32_t begin = 0;  ///< Index of the label.
  std::uint32_t end = 0;    ///< One past the terminator.
};

/// A function with a body or without.
struct Function {
  Id id = 0;
  std::uint32_t begin = 0;  ///< Index of OpFunction.
  std::uint32_t end = 0;    ///< One past OpFunctionEnd.
  std::vector<Id> parameters = {};
  std::vector<Block> blocks = {};  ///< In the order of the module; the first is the entry.
};

/// A decoration of an id or of a member of a structure.
struct Decoration {
  static constexpr std::uint32_t kNoMember = 0xffff'ffff;

  Id target = 0;
  std::uint32_t member = kNoMember;
  std::uint32_t kind = 0;  ///< A value of spv::Decoration, or an unknown number.
  std::span<const std::uint32_t> parameters = {};
};

/// A SPIR-V module, read once and indexed: instructions by position, definitions by id, names, decorations, functions.
///
/// Reading keeps every word, so that writing gives the module back byte for byte.
/// Reading ensures that a module is well-formed: opcodes are known, operands follow the grammar, and ids are below the
/// bound and defined once. It need not be valid: all members work for modules that were never validated.
/// Thread safety: const members may be called concurrently.
class Module {
 public:
  Module(Module&&) noexcept = default;
  Module& operator=(Module&&) noexcept = default;

  /// `CompileFailed` for words that are not a SPIR-V module, `Unsupported` for an instruction that the grammar does not
  /// have, `InvalidArgument` beyond the limits of `check_header` or `kMaxDecorations`.
  [[nodiscard]] static Result<Module> read(std::span<const std::uint32_t> words);

  /// The words of the module.
  [[nodiscard]] std::vector<std::uint32_t> write() const;

  /// 0x00010300 is 1.3.
  [[nodiscard]] std::uint32_t version() const noexcept { return header_[1]; }
  /// One more than the largest id.
  [[nodiscard]] std::uint32_t id_bound() const noexcept { return header_[3]; }

  [[nodiscard]] std::size_t size() const noexcept { return instructions_.size(); }
  [[nodiscard]] Instruction operator[](std::size_t index) const noexcept {
    return {words_.data() + instructions_[index].offset, instructions_[index].info};
  }

  /// The instruction that defines an id, if one does.
  [[nodiscard]] std::optional<Instruction> definition(Id id) const noexcept;
  /// The index of the instruction that defines an id; `size()` if none does.
  [[nodiscard]] std::size_t definition_index(Id id) const noexcept;
  /// The opcode that defines an id, OpNop if none does.
  [[nodiscard]] spv::Op definition_op(Id id) const noexcept;
  /// The type of a result, 0 if it has none.
  [[nodiscard]] Id type_of(Id id) const noexcept;

  /// The indices of the instructions that use an id, in ascending order. An instruction that uses it twice is there
  /// twice. Precondition: the id is below the bound.
  [[nodiscard]] std::span<const std::uint32_t> uses(Id id) const noexcept {
    return std::span{uses_}.subspan(first_use_[id], first_use_[id + 1] - first_use_[id]);
  }

  /// The debug name of an id, or of a member; empty if it has none.
  [[nodiscard]] std::string_view name(Id id) const noexcept;
  [[nodiscard]] std::string_view member_name(Id structure, std::uint32_t member) const noexcept;

  /// The decorations of an id and its members, including those from groups.
  [[nodiscard]] std::span<const Decoration> decorations(Id id) const noexcept;
  /// The first parameter of a decoration (0 if it has none), or nothing if the id does not have it.
  [[nodiscard]] std::optional<std::uint32_t> decoration(Id id, spv::Decoration kind,
                                                        std::uint32_t member = Decoration::kNoMember) const noexcept;

  [[nodiscard]] std::span<const Function> functions() const noexcept { return functions_; }
  /// The function of an id, or null.
  [[nodiscard]] const Function* function(Id id) const noexcept;
  /// The index, in its function, of the block that a label begins.
  [[nodiscard]] std::uint32_t block_of_label(Id label) const noexcept { return label_blocks_[label]; }
  /// The number of instructions before the first function.
  [[nodiscard]] std::size_t global_count() const noexcept { return global_count_; }

  /// Whether the literals of an OpSwitch have two words.
  [[nodiscard]] bool has_wide_literals(const Instruction& branch) const noexcept;

 private:
  struct Record {
    std::uint32_t offset = 0;
    const OpcodeInfo* info = nullptr;
  };

  Module() = default;
  [[nodiscard]] Result<void> read_instructions(std::span<const std::uint32_t> words);
  [[nodiscard]] Result<void> index_uses();
  [[nodiscard]] Result<void> index_functions();
  [[nodiscard]] Result<void> index_annotations();

  std::uint32_t header_[5] = {};
  std::vector<std::uint32_t> words_;  // The words of all instructions.
  std::vector<Record> instructions_;
  std::vector<std::uint32_t> definitions_;  // By id: the index of its instruction, plus one.
  std::vector<std::uint32_t>
      first_use_;  // By id: the index of its first use in uses_. One element more, for the end of the last id's uses.
  std::vector<std::uint32_t> uses_;
  std::vector<Decoration> decorations_;  // Sorted by target.
  struct Name {
    Id target = 0;
    std::uint32_t member = Decoration::kNoMember;
    std::string_view text = {};
  };
  std::vector<Name> names_;  // Sorted by target and member; the first if one has several.
  std::vector<Function> functions_;
  std::vector<std::uint32_t> label_blocks_;  // By id.
  std::size_t global_count_ = 0;
};

/// One operand of an instruction: its kind and its words.
struct Operand {
  OperandKind kind = {};
  std::span<const std::uint32_t> words = {};

  [[nodiscard]] bool is_id() const noexcept { return category(kind) == OperandCategory::Id; }
};

namespace detail {

/// Reads the operands of an instruction, one after another, by the grammar.
class OperandReader {
 public:
  OperandReader(const Instruction& instruction, bool wide_literals) noexcept;

  /// Reads the next operand. False at the end, or if the words do not follow the grammar.
  [[nodiscard]] bool next(Operand& operand) noexcept;
  /// Whether all words were read and nothing is missing.
  [[nodiscard]] bool is_complete() const noexcept;

 private:
  /// The rest of a list of operands of the grammar, still to be read.
  struct Frame {
    const OperandSpec* next;
    const OperandSpec* end;
  };

  [[nodiscard]] bool take(OperandKind kind, Operand& operand) noexcept;
  [[nodiscard]] bool push(std::span<const OperandSpec> specs) noexcept;

  static constexpr std::size_t kMaxFrames = 40;  // An instruction, and a frame for each of 32 bits of a mask.
  std::span<const std::uint32_t> rest_;
  Frame frames_[kMaxFrames];
  std::size_t depth_ = 0;
  bool wide_literals_;
  bool failed_ = false;
  OperandKind pair_second_ = {};  // The kind of the second half of a pair, if it is next.
  bool in_pair_ = false;
};

}  // namespace detail

/// Calls `visit(Operand)` for every operand, type and result included.
///
/// Visits the two halves of a pair one after the other, the parameters of an enumerant after the enumerant, and the
/// operands of an OpSpecConstantOp as those of the operation in it.
template <typename Visit>
void for_each_operand(const Module& module, const Instruction& instruction, Visit visit) {
  detail::OperandReader reader{instruction, instruction.op() == spv::OpSwitch && module.has_wide_literals(instruction)};
  for (Operand operand; reader.next(operand);) visit(operand);
}

/// Calls `visit(Id)` for every id that an instruction uses, including its type, without its result.
template <typename Visit>
void for_each_used_id(const Module& module, const Instruction& instruction, Visit visit) {
  for_each_operand(module, instruction, [&](const Operand& operand) {
    if (operand.is_id() && operand.kind != OperandKind::IdResult) visit(Id{operand.words[0]});
  });
}

}  // namespace vyre::program::spirv
