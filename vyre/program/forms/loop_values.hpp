#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <vyre/program/forms/record_access.hpp>

namespace vyre::program::forms {

/// Keeps values that are loaded in a loop and used after it, for drivers that forget them.
class LoopValues {
 public:
  LoopValues(const RewriteContext& in, RecordAccess& record, FunctionWriter& body) noexcept
      : facts_{in.facts},
        module_{in.facts.module},
        constants_{in.constants},
        options_{in.options},
        writer_{in.writer},
        record_{record},
        types_{record.types()},
        body_{body},
        code_{body.code} {}

  void begin_function() { found_.reset(); }

  /// Whether a pointer is into memory that kernels cannot write. As written, drivers load such values correctly for all
  /// invocations.
  [[nodiscard]] bool is_read_only(Id pointer) const;
  /// Whether an invocation may run the current block more than once.
  [[nodiscard]] bool may_repeat();
  /// Whether the driver may forget a value that is loaded here: it, or something computed from it, is used after the
  /// loop.
  [[nodiscard]] bool outlives_loop(Id value);
  /// Writes `result`, which equals `value` also after the loop.
  [[nodiscard]] Result<void> keep(Id type, Id value, Id result);

 private:
  /// A loop: its header, and the block after it.
  struct LoopBlocks {
    std::uint32_t header = 0;
    std::uint32_t merge = 0;
  };

  /// The innermost loop around the current block; null if there is none.
  [[nodiscard]] const LoopBlocks* innermost_loop();
  [[nodiscard]] bool is_inside(const LoopBlocks& loop, std::uint32_t block) const;
  void keep_parts(Id type, Id value, Id result);
  [[nodiscard]] std::uint64_t parts_of(Id type);

  const KernelFacts& facts_;
  const spirv::Module& module_;
  spirv::Constants& constants_;
  const FormOptions& options_;
  ModuleWriter& writer_;
  RecordAccess& record_;
  const RecordTypes& types_;
  FunctionWriter& body_;
  Code& code_;
  std::optional<std::vector<LoopBlocks>> found_;  // The loops of the current function, once they were looked for.
};

}  // namespace vyre::program::forms
