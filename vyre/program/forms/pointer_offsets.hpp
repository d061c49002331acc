#pragma once

#include <map>

#include <vyre/program/forms/record_access.hpp>

namespace vyre::program::forms {

/// Pointers that are compared, subtracted or stepped along: as bytes from the beginning of their buffer, which is what
/// they are in the kernel as written. The addresses themselves may have been replaced where they lead out of a view.
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

  /// Finds the pointers of a function whose distance from the beginning of their buffer is needed.
  [[nodiscard]] Result<void> find_offsets(const spirv::Function& function);
  /// Whether the distance of a pointer is needed, and the id it has.
  [[nodiscard]] bool contains(Id pointer) const { return offsets_.contains(pointer); }
  [[nodiscard]] Id at(Id pointer) const { return offsets_.at(pointer); }
  /// Writes that distance, in bytes, beside the pointer.
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
  std::map<Id, Id> offsets_;  // By pointer of the function at hand.
};

}  // namespace vyre::program::forms
