#pragma once

#include <array>
#include <cstdint>

#include <vyre/program/forms/kernel_facts.hpp>
#include <vyre/program/forms/module_writer.hpp>
#include <vyre/program/forms/record_access.hpp>

namespace vyre::program::forms {

/// How the new entry point runs the kernel.
struct LaunchShape {
  FormKind kind = FormKind::Pointer;
  std::array<std::uint32_t, 3> workgroup = {1, 1, 1};  ///< As the kernel sees it.
  std::uint32_t fold = 0;                              ///< Invocations that stand for a whole workgroup; 0 for none.
  std::uint32_t lanes = 0;                             ///< Invocations that load a record together; 0 for none.
  bool has_shared = false;                             ///< Whether items must not overlap within a workgroup.

  /// Whether the new entry point says what a built-in is, in a private variable.
  [[nodiscard]] bool sets(spv::BuiltIn which) const noexcept {
    switch (which) {
      case spv::BuiltInLocalInvocationId:
      case spv::BuiltInLocalInvocationIndex: return fold != 0;
      case spv::BuiltInWorkgroupId:
      case spv::BuiltInNumWorkgroups:
      case spv::BuiltInGlobalInvocationId: return kind != FormKind::Pointer;
      default: return false;
    }
  }
  [[nodiscard]] std::uint32_t invocations() const noexcept { return workgroup[0] * workgroup[1] * workgroup[2]; }
};

/// Writes the new entry point, with the id of the old one: it finds its record, or one after another, and calls the
/// kernel, which has the id `body`.
void write_launcher(const KernelFacts& facts, const RecordAccess& record, const RecordTypes& types,
                    const LaunchShape& shape, Id body, ModuleWriter& writer);

}  // namespace vyre::program::forms
