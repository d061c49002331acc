#include "tests/forms/bounds_modules.hpp"
namespace vyre::tests {
const std::vector<BoundsModule>& bounds_modules() {
  static const std::vector<BoundsModule> kModules;
  return kModules;
}
}  // namespace vyre::tests
