#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <vyre/backend/command_list.hpp>

namespace vyre::bench {

/// A kernel that computes for about a millisecond in one dispatch.
struct HeavyKernel {
  std::string name = {};
  std::string source = {};
  backend::Groups groups = {1, 1, 1};
  std::vector<std::uint64_t> buffer_bytes = {};  ///< By binding.
  std::vector<std::uint32_t> params = {};        ///< Words of the push constants.
};

/// Ten of them, of different kinds.
[[nodiscard]] std::vector<HeavyKernel> heavy_kernels();

}  // namespace vyre::bench
