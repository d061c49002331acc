#include "tests/support/spirv.hpp"

#include <gtest/gtest.h>
#include <spirv-tools/libspirv.hpp>

namespace vyre::tests {
namespace {

/// SPIRV-Tools, for Vulkan 1.1 unless told otherwise, whose messages fail the test.
class Tools : public spvtools::SpirvTools {
 public:
  explicit Tools(spv_target_env environment = SPV_ENV_VULKAN_1_1) : SpirvTools{environment} {
    SetMessageConsumer([](spv_message_level_t /*level*/, const char* /*source*/, const spv_position_t& position,
                          const char* message) { ADD_FAILURE() << "line " << position.line << ": " << message; });
  }
};

spv_target_env to_environment(std::uint32_t version) {
  switch (version) {
    case 0x10000: return SPV_ENV_UNIVERSAL_1_0;
    case 0x10400: return SPV_ENV_UNIVERSAL_1_4;
    case 0x10500: return SPV_ENV_UNIVERSAL_1_5;
    case 0x10600: return SPV_ENV_UNIVERSAL_1_6;
    default: return SPV_ENV_UNIVERSAL_1_3;
  }
}

}  // namespace

std::vector<std::uint32_t> assemble(const std::string& text, std::uint32_t version) {
  std::vector<std::uint32_t> words;
  EXPECT_TRUE(Tools{to_environment(version)}.Assemble(text, &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS))
      << text;
  return words;
}

bool is_valid(const std::vector<std::uint32_t>& words) { return Tools{}.Validate(words); }

}  // namespace vyre::tests
