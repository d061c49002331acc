#pragma once

#include <vyre/backend/registry.hpp>
#include <vyre/runtime/system.hpp>

namespace vyre::cli {

/// The devices of every backend that this program was built with, the preferred first. It lives as long as the process:
/// drivers gain nothing from being unloaded, and some do not clean up when they are.
[[nodiscard]] const runtime::System& all_devices();
[[nodiscard]] const backend::Registry& all_backends();

/// Makes software drivers run work inline where they can. It changes the environment: only before any thread is
/// started and any device is listed.
void prefer_inline_drivers();

}  // namespace vyre::cli
