#include "cli/backends.hpp"

#include <cstdlib>
#include <utility>

#include <vyre/all_backends.hpp>

namespace vyre::cli {

const runtime::System& all_devices(std::shared_ptr<store::Store> store) {
  static const runtime::System* const kSystem = new runtime::System{backends::all(), std::move(store)};
  return *kSystem;
}

const backend::Registry& all_backends() { return all_devices().registry(); }

void prefer_inline_drivers() { setenv("LP_NUM_THREADS", "0", 1); }

}  // namespace vyre::cli
