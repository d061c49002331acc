#pragma once

#include <set>

#include <vyre/program/forms/buffer_accesses.hpp>
#include <vyre/program/forms/global_writer.hpp>

namespace vyre::program::forms {

/// Rewrites the functions of a kernel, and the types and variables that they need, so that they access buffers through
/// addresses.
///
/// Goes through the instructions and hands each to the part that rewrites it.
class PointerRewriter {
 public:
  explicit PointerRewriter(const RewriteContext& in);
  PointerRewriter(const PointerRewriter&) = delete;
  PointerRewriter& operator=(const PointerRewriter&) = delete;

  /// Makes the types of a record.
  [[nodiscard]] Result<RecordTypes> make_types() { return record_.make_types(); }
  /// Copies types, constants and variables. `replaced` are built-ins that become private variables of the same id.
  [[nodiscard]] Result<void> write_globals(const std::set<Id>& replaced) { return globals_.write_globals(replaced); }
  /// Rewrites all functions; the entry point gets the id `body`.
  [[nodiscard]] Result<void> write_functions(Id body);

  /// The private variables through which the functions get what is in their record.
  [[nodiscard]] const RecordAccess& record() const noexcept { return record_; }

 private:
  [[nodiscard]] Result<void> write_function(const spirv::Function& function, Id id);
  [[nodiscard]] Result<void> rewrite(const spirv::Instruction& instruction);
  [[nodiscard]] Result<void> rewrite_plainly(const spirv::Instruction& instruction);
  [[nodiscard]] Result<void> copy_with_pointers(const spirv::Instruction& instruction);
  [[nodiscard]] Result<void> rewrite_built_in_chain(const spirv::Instruction& chain);
  [[nodiscard]] Result<void> rewrite_length(const spirv::Instruction& length);
  [[nodiscard]] Result<void> rewrite_extended(const spirv::Instruction& instruction);

  const KernelFacts& facts_;
  const spirv::Module& module_;
  const FormOptions& options_;
  ModuleWriter& writer_;
  TypeLayout sizes_;
  FunctionWriter body_;
  Code& code_;
  RecordAccess record_;
  GlobalWriter globals_;
  LoopValues loops_;
  PointerOffsets offsets_;
  ViewBounds bounds_;
  BufferPlaces places_;
  BufferAccesses accesses_;
};

}  // namespace vyre::program::forms
