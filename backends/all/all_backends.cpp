#include <vyre/all_backends.hpp>

#include <backends/vulkan/vulkan_backend.hpp>

namespace vyre::backends {

backend::Registry all() {
  backend::Registry registry;
  // `add` refuses only a name that is taken, so `value` cannot throw.
  registry.add(vulkan::make_vulkan_backend()).value();
  return registry;
}

}  // namespace vyre::backends
