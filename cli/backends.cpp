#include "cli/backends.hpp"

#include <cstdlib>

#include <vyre/all_backends.hpp>

namespace vyre::cli {

const backend::Registry& all_backends() {
  static const backend::Registry* const kRegistry = new backend::Registry{backends::all()};
  return *kRegistry;
}

void prefer_inline_drivers() { setenv("LP_NUM_THREADS", "0", 1); }

}  // namespace vyre::cli
