#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <vyre/program/forms/rewrite_context.hpp>
#include <vyre/program/spirv/cfg.hpp>

namespace vyre::program::forms {

/// The function that is being rewritten: where in the source the rewriter is, and the code that was written so far.
///
/// A block of the source may become several: it is then in pieces, each with a label of its own.
class FunctionWriter {
 public:
  explicit FunctionWriter(const RewriteContext& in)
      : code{in.writer}, prologue{in.writer}, module_{in.facts.module}, writer_{in.writer} {}

  /// Begins another function, with no code.
  void begin(const spirv::Function& which);
  /// Goes on to a block of the source.
  void enter_block(Id its_label);
  /// Adds the function to the module; `head` has its declaration up to the variables.
  void finish(const Words& head);

  /// Goes on with the block at hand behind another label.
  void begin_piece(Id label);
  /// Whether the block at hand begins a loop.
  [[nodiscard]] bool is_loop_header() const;
  /// Notes the place of a word in `code` that names a block from which a value comes.
  void note_phi_label(std::size_t word) { phi_labels_.push_back(word); }
  /// The blocks of the function, as they are in the source.
  [[nodiscard]] const spirv::ControlFlow& flow();

  const spirv::Function* function = nullptr;
  std::size_t at = 0;       ///< The instruction at hand.
  std::uint32_t block = 0;  ///< Its block.
  Id label = 0;             ///< The label of that, or of its last piece.
  Code code;
  Code prologue;  ///< Comes before `code`, in the first block.

 private:
  const spirv::Module& module_;
  ModuleWriter& writer_;
  std::optional<spirv::ControlFlow> flow_;
  std::map<Id, Id> last_labels_;  // By the label of a block that is in pieces: that of the last.
  std::vector<std::size_t> phi_labels_;
};

}  // namespace vyre::program::forms
