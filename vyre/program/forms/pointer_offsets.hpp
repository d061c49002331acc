#pragma once

#include <map>

#include <vyre/program/forms/record_access.hpp>

namespace vyre::program::forms {

/// Rewrites instructions that compare, subtract or advance pointers. Uses each pointer's offset in bytes from the
/// beginning of its buffer, because its address may have been replaced by one that stays inside the view.
class PointerOffsets {
 public:
  PointerOffsets(const RewriteContext& in, const TypeLayout& sizes, const RecordTypes& types,
                 FunctionWriter& body) noexcept
      : facts_{in.facts},
        module_{in.facts.module},
        constants_{in.constants},
        writer_{in.writer},
        sizes_{sizes},
        types_{types},
        body_{body},
        code_{body.code} {}

  /// Finds the pointers of a function whose offset is needed.
  [[nodiscard]] Result<void> find_offsets(const spirv::Function& function);
  /// Whether the offset of a pointer is needed, and the id of that offset.
  [[nodiscard]] bool contains(Id pointer) const { return offsets_.contains(pointer); }
  [[nodiscard]] Id at(Id pointer) const { return offsets_.at(pointer); }
  /// Writes the code that computes the offset of a pointer.
  [[nodiscard]] Result<void> write_offset(const spirv::Instruction& pointer);
  [[nodiscard]] Result<void> rewrite_comparison(const spirv::Instruction& comparison);

 private:
  [[nodiscard]] Result<void> write_chain_offset(const spirv::Instruction& chain, Id result);
  [[nodiscard]] Id offset_of(Id pointer);
  [[nodiscard]] Id to_uint(Id index);

  const KernelFacts& facts_;
  const spirv::Module& module_;
  spirv::Constants& constants_;
  ModuleWriter& writer_;
  const TypeLayout& sizes_;
  const RecordTypes& types_;
  FunctionWriter& body_;
  Code& code_;
  std::map<Id, Id> offsets_;  // By pointer of the current function: the id of its offset.
};

}  // namespace vyre::program::forms
