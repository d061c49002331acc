#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <vyre/program/forms/rewrite_context.hpp>
#include <vyre/program/spirv/cfg.hpp>

namespace vyre::program::forms {

/// The function that is being rewritten: the position in the kernel's function, and the code written so far.
///
/// A block of the kernel may be split into *pieces*, each of which is a block with its own label.
class FunctionWriter {
 public:
  explicit FunctionWriter(const RewriteContext& in)
      : code{in.writer}, prologue{in.writer}, module_{in.facts.module}, writer_{in.writer} {}

  /// Begins a function, without any code.
  void begin(const spirv::Function& which);
  /// Moves on to a block of the kernel.
  void enter_block(Id its_label);
  /// Adds the function to the module; `head` has its declaration up to the variables.
  void finish(const Words& head);

  /// Continues the current block in a new piece with this label.
  void begin_piece(Id label);
  /// Whether the current block is the header of a loop.
  [[nodiscard]] bool is_loop_header() const;
  /// Notes the index of a word in `code` that is a predecessor label of a phi, to be corrected if that block is split.
  void note_phi_label(std::size_t word) { phi_labels_.push_back(word); }
  /// The control flow of the kernel's function.
  [[nodiscard]] const spirv::ControlFlow& flow();

  const spirv::Function* function = nullptr;
  std::size_t at = 0;       ///< The index of the current instruction.
  std::uint32_t block = 0;  ///< The block of that instruction.
  Id label = 0;             ///< The label of that block, or of its last piece.
  Code code;
  Code prologue;  ///< Code to be placed before `code`, in the first block.

 private:
  const spirv::Module& module_;
  ModuleWriter& writer_;
  std::optional<spirv::ControlFlow> flow_;
  std::map<Id, Id>
      last_labels_;  // For each block that was split: the label of its last piece, by the label of the block.
  std::vector<std::size_t> phi_labels_;
};

}  // namespace vyre::program::forms
