#pragma once

#include <set>
#include <vector>

#include <vyre/program/forms/rewrite_context.hpp>

namespace vyre::program::forms {

/// Writes everything outside of functions: types, constants, variables, and their names and decorations.
class GlobalWriter {
 public:
  explicit GlobalWriter(const RewriteContext& in)
      : facts_{in.facts},
        module_{in.facts.module},
        kind_{in.kind},
        writer_{in.writer},
        is_kept_(in.facts.module.id_bound(), false) {}

  /// Copies types, constants and variables. `replaced` are built-ins that become private variables of the same id.
  [[nodiscard]] Result<void> write_globals(const std::set<Id>& replaced);
  /// Writes the names and decorations of all ids in the new module. To be called after the functions were written.
  void write_annotations();

  /// Note that an id of the kernel is, or is not, defined in the new module.
  void keep(Id id) { is_kept_[id] = true; }
  void drop(Id id) { is_kept_[id] = false; }
  [[nodiscard]] bool is_replaced(Id id) const { return replaced_.contains(id); }

 private:
  [[nodiscard]] bool is_block_array(Id type) const;

  const KernelFacts& facts_;
  const spirv::Module& module_;
  FormKind kind_;
  ModuleWriter& writer_;
  std::set<Id> replaced_;
  std::vector<bool> is_kept_;  // By id.
};

}  // namespace vyre::program::forms
