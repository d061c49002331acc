#pragma once

#include <vyre/program/forms/kernel_facts.hpp>
#include <vyre/program/forms/module_writer.hpp>

namespace vyre::program::forms {

inline constexpr spv::StorageClass kPhysical = spv::StorageClassPhysicalStorageBuffer;

/// What all parts of the rewriter share.
struct RewriteContext {
  const KernelFacts& facts;
  spirv::Constants& constants;
  FormKind kind = FormKind::Pointer;
  const FormOptions& options;
  ModuleWriter& writer;
};

/// Whether an instruction is debug information, such as a line number.
[[nodiscard]] constexpr bool is_debug(spv::Op op) noexcept {
  switch (op) {
    case spv::OpLine:
    case spv::OpNoLine:
    case spv::OpString:
    case spv::OpSource:
    case spv::OpSourceExtension:
    case spv::OpSourceContinued:
    case spv::OpModuleProcessed:
    case spv::OpNop: return true;
    default: return false;
  }
}

}  // namespace vyre::program::forms
