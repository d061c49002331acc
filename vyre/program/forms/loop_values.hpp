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

  /// Whether it leads into what no kernel changes, which drivers load as written for all invocations.
  [[nodiscard]] bool is_read_only(Id pointer) const;
  /// Whether an invocation may come to the block at hand more than once.
  [[nodiscard]] bool may_repeat();
  /// Whether the driver may forget a value of the source that is loaded here, because what is made of it is used
  /// behind the loop.
  [[nodiscard]] bool outlives_loop(Id value);
  /// `result` becomes `value`, and stays that behind the loop.
  [[nodiscard]] Result<void> keep(Id type, Id value, Id result);

 private:
  /// A loop, by the blocks it begins with and goes on after.
  struct LoopBlocks {
    std::uint32_t header = 0;
    std::uint32_t merge = 0;
  };

  /// Of the block at hand; nothing outside loops.
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
  std::optional<std::vector<LoopBlocks>> found_;  // Of the function at hand.
};

}  // namespace vyre::program::forms
