#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <vyre/base/error.hpp>

namespace vyre::program {

/// The version of Vulkan that a module is made for and checked against. Each allows newer SPIR-V than the last:
/// 1.3, 1.5, 1.6.
enum class TargetEnvironment : std::uint8_t { Vulkan11, Vulkan12, Vulkan13 };

[[nodiscard]] constexpr std::string_view to_string(TargetEnvironment target) noexcept {
  switch (target) {
    case TargetEnvironment::Vulkan11: return "vulkan1.1";
    case TargetEnvironment::Vulkan12: return "vulkan1.2";
    case TargetEnvironment::Vulkan13: return "vulkan1.3";
  }
  return "vulkan1.3";
}

/// `InvalidArgument` for a number that is no value of the enumeration.
[[nodiscard]] inline Result<void> check_target(TargetEnvironment target) {
  if (target <= TargetEnvironment::Vulkan13) return {};
  return fail(ErrorCode::InvalidArgument, "the target is " + std::to_string(static_cast<int>(target)) +
                                              ", it takes 0 (vulkan1.1) to 2 (vulkan1.3)");
}

/// Reads what `to_string` writes. Nothing otherwise.
[[nodiscard]] constexpr std::optional<TargetEnvironment> parse_target(std::string_view text) noexcept {
  for (const TargetEnvironment target :
       {TargetEnvironment::Vulkan11, TargetEnvironment::Vulkan12, TargetEnvironment::Vulkan13}) {
    if (text == to_string(target)) return target;
  }
  return std::nullopt;
}

static_assert(parse_target("vulkan1.1") == TargetEnvironment::Vulkan11);
static_assert(parse_target("vulkan1.2") == TargetEnvironment::Vulkan12);
static_assert(parse_target("vulkan1.3") == TargetEnvironment::Vulkan13);
static_assert(!parse_target("vulkan1.0"));
static_assert(!parse_target(""));

}  // namespace vyre::program
