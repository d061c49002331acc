#pragma once

#include <vyre/backend/registry.hpp>

namespace vyre::backends {

/// Every backend that drives real devices, the preferred first.
[[nodiscard]] backend::Registry all();

}  // namespace vyre::backends
