#pragma once

#include <cstddef>
#include <functional>

#include <vyre/base/error.hpp>

namespace vyre::program {

/// The stack size for which the limits on GLSL were chosen. The system provides memory only for the part in use.
inline constexpr std::size_t kLargeStackBytes = std::size_t{256} << 20;

/// Runs `work` on a thread of its own with a stack of `kLargeStackBytes`, and waits for it.
///
/// `OutOfMemory` if there is no room for such a thread; `work` has not run then. It must not throw.
[[nodiscard]] Result<void> run_on_large_stack(const std::function<void()>& work);

}  // namespace vyre::program
