#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <vyre/program/interface.hpp>

namespace vyre::tests {

/// What a module does to each (set, slot), by another way than the library's: the optimiser of SPIRV-Tools inlines
/// every call first, then each access is followed back to the variables it can come from.
[[nodiscard]] std::map<std::pair<std::uint32_t, std::uint32_t>, program::Access> inlined_access(
    const std::vector<std::uint32_t>& words);

}  // namespace vyre::tests
