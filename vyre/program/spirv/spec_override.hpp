#pragma once

#include <cstdint>

namespace vyre::program::spirv {

/// A value for a specialisation constant, by its SpecId. Narrow types use the low bits.
struct SpecOverride {
  std::uint32_t spec_id = 0;
  std::uint64_t bits = 0;

  friend bool operator==(const SpecOverride&, const SpecOverride&) = default;
};

}  // namespace vyre::program::spirv
