#include "tests/support/drivers.hpp"

#include <tuple>

#include <backends/vulkan/vulkan_backend.hpp>

namespace vyre::tests {

void keep_drivers_loaded(bool with_validation) {
  static backend::Backend* const kKept =
      backends::vulkan::make_vulkan_backend({.validation = with_validation}).release();
  std::ignore = kKept->devices();
}

}  // namespace vyre::tests
