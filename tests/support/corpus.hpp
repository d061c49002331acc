#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <vyre/program/target.hpp>

namespace vyre::tests {

/// One way to compile a kernel.
struct Variant {
  program::TargetEnvironment target = program::TargetEnvironment::Vulkan13;
  bool optimise = false;

  /// `Vulkan11_O0` and the like.
  [[nodiscard]] std::string name() const;
};

/// Vulkan 1.1, 1.2 and 1.3, each unoptimised and optimised.
[[nodiscard]] std::vector<Variant> all_variants();

/// The oldest and the newest, which differ most; all of them where the environment has VYRE_ALL_VARIANTS.
[[nodiscard]] std::vector<Variant> chosen_variants();

/// Compiles `tests/kernels/<name>.comp` with glslc. Fails the test, and gives nothing, if it cannot.
[[nodiscard]] std::vector<std::uint32_t> compile_kernel(const std::string& name, const Variant& variant);

}  // namespace vyre::tests
