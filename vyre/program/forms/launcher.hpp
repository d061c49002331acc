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
  std::array<std::uint32_t, 3> workgroup = {1, 1, 1};  ///< The workgroup size of the kernel.
  std::uint32_t fold = 0;   ///< The number of invocations that run a workgroup of the kernel; 0 if not folded.
  std::uint32_t lanes = 0;  ///< The number of invocations that load a record together; 0: each alone.
  bool has_shared = false;  ///< Whether the kernel uses workgroup memory, so that items must not overlap.

  /// Whether the new entry point sets a built-in, which is then a private variable.
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

/// Writes the new entry point, with the id of the kernel's entry point. It finds its record, or each of its records,
/// and calls the kernel, which is now the function `body`.
void write_launcher(const KernelFacts& facts, const RecordAccess& record, const RecordTypes& types,
                    const LaunchShape& shape, Id body, ModuleWriter& writer);

}  // namespace vyre::program::forms
