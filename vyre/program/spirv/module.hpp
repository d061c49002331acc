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

/// The most decorations that are read, groups dissolved: a short module can have them by the million.
inline constexpr std::size_t kMaxDecorations = 1U << 20;

/// One instruction of a module: a view that is valid while the module is unchanged.
class Instruction {
 public:
  Instruction(const std::uint32_t* words, const OpcodeInfo* info) noexcept : words_{words}, info_{info} {}

  [[nodiscard]] spv::Op op() const noexcept { return static_cast<spv::Op>(words_[0] & 0xffff); }
  [[nodiscard]] std::string_view name() const noexcept { return info_->name; }
  [[nodiscard]] const OpcodeInfo& info() const noexcept { return *info_; }
  /// All words, the first with opcode and length included.
  [[nodiscard]] std::span<const std::uint32_t> words() const noexcept { return {words_, words_[0] >> 16}; }
  [[nodiscard]] Id type() const noexcept { return info_->has_type ? words_[1] : 0; }
  [[nodiscard]] Id result() const noexcept { return info_->has_result ? words_[info_->has_type ? 2 : 1] : 0; }
  /// The words behind type and result.
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
  std::uint32_t kind = 0;  ///< An spv::Decoration, unless the module has one of its own.
  std::span<const std::uint32_t> parameters = {};
};

/// A SPIR-V module, read once and indexed: instructions by position, definitions by id, names, decorations, functions.
///
/// Reading keeps every word, so that writing gives the module back byte for byte.
/// A module that was read is well-formed: known opcodes, operands as the grammar has them, ids below the bound and
/// defined once. That it is valid is for the validator to say; every member stands a module that is not.
/// Thread safety: const members may be called concurrently.
class Module {
 public:
  Module(Module&&) noexcept = default;
  Module& operator=(Module&&) noexcept = default;

  /// `CompileFailed` for words that are no SPIR-V module, `Unsupported` for instructions the grammar does not have,
  /// `InvalidArgument` beyond the limits of `check_header` and `kMaxDecorations`.
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
  /// Its index, or `size()`.
  [[nodiscard]] std::size_t definition_index(Id id) const noexcept;
  /// The opcode that defines an id, OpNop if none does.
  [[nodiscard]] spv::Op definition_op(Id id) const noexcept;
  /// The type of a result, 0 if it has none.
  [[nodiscard]] Id type_of(Id id) const noexcept;

  /// The instructions that use an id below the bound, by index, in order; twice where one uses it twice.
  [[nodiscard]] std::span<const std::uint32_t> uses(Id id) const noexcept {
    return std::span{uses_}.subspan(first_use_[id], first_use_[id + 1] - first_use_[id]);
  }

  /// The debug name of an id, or of a member; empty if it has none.
  [[nodiscard]] std::string_view name(Id id) const noexcept;
  [[nodiscard]] std::string_view member_name(Id structure, std::uint32_t member) const noexcept;

  /// Decorations of an id and its members, those by group included.
  [[nodiscard]] std::span<const Decoration> decorations(Id id) const noexcept;
  /// The first parameter of a decoration (0 if it has none), or nothing if the id does not have it.
  [[nodiscard]] std::optional<std::uint32_t> decoration(Id id, spv::Decoration kind,
                                                        std::uint32_t member = Decoration::kNoMember) const noexcept;

  [[nodiscard]] std::span<const Function> functions() const noexcept { return functions_; }
  /// The function of an id, or null.
  [[nodiscard]] const Function* function(Id id) const noexcept;
  /// Which block of its function an OpLabel begins.
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
  std::vector<std::uint32_t> words_;  // Every instruction's words; records say where each begins.
  std::vector<Record> instructions_;
  std::vector<std::uint32_t> definitions_;  // By id: the index of its instruction, plus one.
  std::vector<std::uint32_t> first_use_;    // By id: where its uses begin in uses_; one more at the end.
  std::vector<std::uint32_t> uses_;
  std::vector<Decoration> decorations_;  // Sorted by target.
  struct Name {
    Id target = 0;
    std::uint32_t member = Decoration::kNoMember;
    std::string_view text = {};
  };
  std::vector<Name> names_;  // Sorted by target and member; of several names for one the first.
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

/// The operands of an instruction as the grammar has them, one after another.
class OperandReader {
 public:
  OperandReader(const Instruction& instruction, bool wide_literals) noexcept;

  /// The next operand. False at the end, or where the words do not follow the grammar.
  [[nodiscard]] bool next(Operand& operand) noexcept;
  /// Whether all words were read and nothing is missing.
  [[nodiscard]] bool is_complete() const noexcept;

 private:
  /// Operands still to come from one list of the grammar.
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
  OperandKind pair_second_ = {};  // The second half of a pair, when it is next.
  bool in_pair_ = false;
};

}  // namespace detail

/// Calls `visit(Operand)` for every operand, type and result included.
///
/// Pairs are visited as their two halves, parameters of enumerants behind their enumerant, and the operands of the
/// operation within an OpSpecConstantOp as that operation's.
template <typename Visit>
void for_each_operand(const Module& module, const Instruction& instruction, Visit visit) {
  detail::OperandReader reader{instruction, instruction.op() == spv::OpSwitch && module.has_wide_literals(instruction)};
  for (Operand operand; reader.next(operand);) visit(operand);
}

/// Calls `visit(Id)` for every id an instruction uses, its type included and its result excepted.
template <typename Visit>
void for_each_used_id(const Module& module, const Instruction& instruction, Visit visit) {
  for_each_operand(module, instruction, [&](const Operand& operand) {
    if (operand.is_id() && operand.kind != OperandKind::IdResult) visit(Id{operand.words[0]});
  });
}

}  // namespace vyre::program::spirv
