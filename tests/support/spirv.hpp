#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vyre::tests {

/// Assembles SPIR-V 1.3 text with the assembler of SPIRV-Tools, ids kept as they are written. Fails the test if it is
/// refused.
[[nodiscard]] std::vector<std::uint32_t> assemble(const std::string& text);

/// Whether SPIRV-Tools finds a module valid for Vulkan 1.1. Says why not.
[[nodiscard]] bool is_valid(const std::vector<std::uint32_t>& words);

}  // namespace vyre::tests
