#include "tests/support/spirv.hpp"

#include <gtest/gtest.h>
#include <spirv-tools/libspirv.hpp>

namespace vyre::tests {
namespace {

/// SPIRV-Tools for Vulkan 1.1, whose messages fail the test.
class Tools : public spvtools::SpirvTools {
 public:
  Tools() : SpirvTools{SPV_ENV_VULKAN_1_1} {
    SetMessageConsumer([](spv_message_level_t /*level*/, const char* /*source*/, const spv_position_t& position,
                          const char* message) { ADD_FAILURE() << "line " << position.line << ": " << message; });
  }
};

}  // namespace

std::vector<std::uint32_t> assemble(const std::string& text) {
  std::vector<std::uint32_t> words;
  EXPECT_TRUE(Tools{}.Assemble(text, &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS)) << text;
  return words;
}

bool is_valid(const std::vector<std::uint32_t>& words) { return Tools{}.Validate(words); }

}  // namespace vyre::tests
