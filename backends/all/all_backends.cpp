#include <vyre/all_backends.hpp>

#include <backends/vulkan/vulkan_backend.hpp>

namespace vyre::backends {

backend::Registry all() {
  backend::Registry registry;
  // Names differ, so that none is refused.
  registry.add(vulkan::make_vulkan_backend()).value();
  return registry;
}

}  // namespace vyre::backends
