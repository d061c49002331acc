#pragma once

namespace vyre::tests {

/// Keeps Vulkan's drivers, and its validation layers where they are used, loaded until the process ends. The loader
/// unloads them with their last instance, and what they leave behind then is no longer reachable, so that the leak
/// checker takes it for ours.
void keep_drivers_loaded(bool with_validation = false);

}  // namespace vyre::tests
