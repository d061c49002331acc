#pragma once

namespace vyre::tests {

/// Keeps Vulkan's drivers loaded until the process ends. The loader unloads them with their last instance, and what
/// they leave behind then is no longer reachable, so that the leak checker takes it for ours.
void keep_drivers_loaded();

}  // namespace vyre::tests
