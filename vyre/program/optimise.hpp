#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <vyre/program/target.hpp>

namespace vyre::program {

/// A smaller and faster module with the same interface: unused bindings and specialisation constants are kept.
///
/// Runs the performance passes of SPIRV-Tools, but does not unroll loops, because the result could be of any size; the
/// driver still sees the hint to unroll. Precondition: `words` are valid. Gives them back unchanged if a pass fails, or
/// if inlining would make them so large that the passes take more than a few seconds. Thread safety: may be called
/// concurrently.
[[nodiscard]] std::vector<std::uint32_t> optimise(std::span<const std::uint32_t> words, TargetEnvironment target);

}  // namespace vyre::program
