#pragma once

#include <cstddef>
#include <functional>

#include <vyre/base/error.hpp>

namespace vyre::program {

/// What the limits on GLSL are measured against. Only what is used of it takes memory.
inline constexpr std::size_t kLargeStackBytes = std::size_t{256} << 20;

/// Runs `work` on a thread of its own with a stack of `kLargeStackBytes`, and waits for it.
///
/// `OutOfMemory` if there is no room for such a thread; `work` has not run then. It must not throw.
[[nodiscard]] Result<void> run_on_large_stack(const std::function<void()>& work);

}  // namespace vyre::program
