#include <vyre/program/optimise.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spirv-tools/libspirv.hpp>

#include <vyre/program/glsl/compile.hpp>
#include <vyre/program/validate.hpp>

namespace vyre::program {
namespace {

using testing::HasSubstr;
using testing::Lt;
using testing::Not;

using Words = std::vector<std::uint32_t>;

Words compiled(std::string_view body, std::string_view globals = "") {
  const std::string source = fmt::format(
      "#version 450\n#extension GL_EXT_control_flow_attributes : enable\nlayout(local_size_x = 1) in;\n"
      "layout(std430, binding = 0) buffer Data {{ float data[]; }};\n{}\nvoid main() {{ {} }}\n",
      globals, body);
  return compile_glsl(source, {.optimise = false}).value();
}

std::string assembly(const Words& words) {
  std::string text;
  const spvtools::SpirvTools tools{SPV_ENV_VULKAN_1_3};
  EXPECT_TRUE(tools.Disassemble(words, &text, SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES));
  return text;
}

TEST(Optimise, MakesAModuleSmallerAndKeepsItValid) {
  const Words words = compiled("float x = 2.0; float y = x * 3.0; if (y > 7.0) return; data[0] = y;");
  const Words better = optimise(words, TargetEnvironment::Vulkan13);
  EXPECT_THAT(better.size(), Lt(words.size()));
  EXPECT_TRUE(validate(better));
}

TEST(Optimise, KeepsTheInterface) {
  const Words better = optimise(compiled("data[0] = 1.0;",
                                         "layout(std430, set = 1, binding = 7) buffer Unused { uint unused[]; };\n"
                                         "layout(constant_id = 5) const int kUnused = 3;"),
                                TargetEnvironment::Vulkan13);
  EXPECT_THAT(assembly(better), HasSubstr("Binding 7"));
  EXPECT_THAT(assembly(better), HasSubstr("SpecId 5"));
  EXPECT_THAT(assembly(better), HasSubstr("OpName %Data \"Data\""));
}

TEST(Optimise, LeavesTheUnrollingOfLoopsToTheDriver) {
  const Words better =
      optimise(compiled("float s = 0; [[unroll]] for (int i = 0; i < 1000000; ++i) s += data[i]; data[0] = s;"),
               TargetEnvironment::Vulkan13);
  EXPECT_THAT(assembly(better), HasSubstr("OpLoopMerge"));
  EXPECT_THAT(assembly(better), HasSubstr("Unroll"));
  EXPECT_THAT(better.size(), Lt(1'000U));
}

TEST(Optimise, InlinesFunctions) {
  const Words better = optimise(compiled("data[0] = f(data[1]);", "float f(float x) { return x * 2.0 + data[3]; }"),
                                TargetEnvironment::Vulkan13);
  EXPECT_THAT(assembly(better), Not(HasSubstr("OpFunctionCall")));
}

TEST(Optimise, LeavesAModuleThatWouldExplode) {
  std::string functions = "float f0(float x) { return x * 2.0; }\n";
  for (int i = 1; i < 30; ++i) {
    functions.append(fmt::format("float f{}(float x) {{ return f{}(x) + f{}(x + 1.0); }}\n", i, i - 1, i - 1));
  }
  const Words words = compiled("data[0] = f29(1.0);", functions);
  EXPECT_EQ(optimise(words, TargetEnvironment::Vulkan13), words);
}

TEST(Optimise, LeavesWhatIsNoModule) {
  EXPECT_EQ(optimise({}, TargetEnvironment::Vulkan13), Words{});
  const Words none = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(optimise(none, TargetEnvironment::Vulkan13), none);
}

}  // namespace
}  // namespace vyre::program
