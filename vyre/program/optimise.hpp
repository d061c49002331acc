#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <vyre/program/target.hpp>

namespace vyre::program {

/// A smaller and faster module with the same interface: bindings and specialisation constants stay, used or not.
///
/// These are the performance passes of SPIRV-Tools without the unrolling of loops, whose result has no bound; the hint
/// to unroll stays for the driver. `words` must be valid. They come back as they are if inlining would make them so
/// large that the passes take more than a few seconds, and if a pass fails. Thread safety: may be called concurrently.
[[nodiscard]] std::vector<std::uint32_t> optimise(std::span<const std::uint32_t> words, TargetEnvironment target);

}  // namespace vyre::program
