#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vyre::tests {

/// Assembles SPIR-V text of a version (0x10300 is 1.3) with the assembler of SPIRV-Tools, ids kept as they are written.
/// Fails the test if it is refused.
[[nodiscard]] std::vector<std::uint32_t> assemble(const std::string& text, std::uint32_t version = 0x10300);

/// Whether SPIRV-Tools finds a module valid for Vulkan 1.1. Says why not.
[[nodiscard]] bool is_valid(const std::vector<std::uint32_t>& words);

}  // namespace vyre::tests
