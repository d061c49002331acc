#include "cli/backends.hpp"

#include <cstdlib>

#include <backends/vulkan/vulkan_backend.hpp>

namespace vyre::cli {

Result<const backend::Registry*> all_backends() {
  static backend::Registry* const kRegistry = new backend::Registry;
  if (kRegistry->backends().empty()) VYRE_TRY(kRegistry->add(backends::vulkan::make_vulkan_backend()));
  return kRegistry;
}

void prefer_inline_drivers() { setenv("LP_NUM_THREADS", "0", 1); }

}  // namespace vyre::cli
