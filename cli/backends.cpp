#include "cli/backends.hpp"

#include <cstdlib>

#include <vyre/all_backends.hpp>

namespace vyre::cli {

const runtime::System& all_devices() {
  static const runtime::System* const kSystem = new runtime::System{backends::all()};
  return *kSystem;
}

const backend::Registry& all_backends() { return all_devices().registry(); }

void prefer_inline_drivers() { setenv("LP_NUM_THREADS", "0", 1); }

}  // namespace vyre::cli
