#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"

namespace vyre::tests {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const std::string kKernels = VYRE_SOURCE_DIR "/tests/kernels/";

TEST(ReflectCommand, LaysAKernelOutForAPerson) {
  const CommandResult result = run_vyre({"reflect", kKernels + "saxpy.comp"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("entry point 'main'"), HasSubstr("set 0 slot 0  X  read storage_buffer"),
                                HasSubstr("set 0 slot 1  Y  read_write storage_buffer"), HasSubstr("push constants")));
}

TEST(ReflectCommand, SpeaksJson) {
  const CommandResult result = run_vyre({"reflect", kKernels + "saxpy.comp", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json reflected = json::parse(result.out);
  EXPECT_EQ(reflected["entry_point"], "main");
  EXPECT_EQ(reflected["workgroup_size"], (json{64, 1, 1}));
  ASSERT_EQ(reflected["bindings"].size(), 2U);
  const json& x = reflected["bindings"][0];
  EXPECT_EQ(x["set"], 0);
  EXPECT_EQ(x["slot"], 0);
  EXPECT_EQ(x["name"], "X");
  EXPECT_EQ(x["access"], "read");
  EXPECT_EQ(x["stride"], 4);
  EXPECT_EQ(x["size"], 0);
  EXPECT_GT(reflected["push_constants"]["size"], 0);
  EXPECT_TRUE(reflected["spec_constants"].is_array());
  EXPECT_THAT(reflected["capabilities"].get<std::vector<std::string>>(), testing::Contains("Shader"));
  EXPECT_TRUE(reflected["unsupported"].empty());
}

TEST(ReflectCommand, TakesDefinesFoldersTargetsAndEntryPoints) {
  const std::string folder = testing::TempDir();
  const std::string path = folder + "vyre_reflect.comp";
  const auto write = [](const std::string& file, const std::string& text) {
    std::FILE* out = std::fopen(file.c_str(), "w");
    std::fputs(text.c_str(), out);
    std::fclose(out);
  };
  write(path,
        "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"vyre_part.glsl\"\n"
        "layout(local_size_x = SIZE) in;\nvoid main() { data[0] = SLOTS; }\n");
  write(folder + "vyre_part.glsl", "layout(std430, binding = 0) buffer Data { uint data[]; };\n");
  const CommandResult result = run_vyre({"reflect", path, "-D", "SIZE=32", "-D", "SLOTS", "-I", folder, "--target",
                                         "vulkan1.1", "--entry-point", "main", "--unoptimised", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json reflected = json::parse(result.out);
  EXPECT_EQ(reflected["workgroup_size"][0], 32);
  EXPECT_EQ(reflected["bindings"][0]["access"], "write");
  EXPECT_EQ(reflected["spirv_version"], "1.3");

  const CommandResult broken = run_vyre({"reflect", path});
  EXPECT_EQ(broken.exit_code, 5);
  EXPECT_THAT(broken.err, AllOf(HasSubstr("error[compile-failed]: "), HasSubstr("vyre_reflect.comp:4"),
                                HasSubstr("while reflecting")));
  EXPECT_EQ(run_vyre({"reflect", path, "--target", "vulkan9"}).exit_code, 2);
  EXPECT_EQ(run_vyre({"reflect", "/no/such.comp"}).exit_code, 2);
  EXPECT_EQ(run_vyre({"reflect", kKernels + "kernel_case.hpp"}).exit_code, 2);
}

TEST(ReflectCommand, ListsWhatCannotRun) {
  const std::string path = testing::TempDir() + "vyre_image.comp";
  std::FILE* out = std::fopen(path.c_str(), "w");
  std::fputs(
      "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0, r32f) uniform image2D picture;\n"
      "void main() { imageStore(picture, ivec2(0), vec4(1)); }\n",
      out);
  std::fclose(out);
  const CommandResult result = run_vyre({"reflect", path, "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["unsupported"],
            (json::array({{{"what", "OpTypeImage 'picture'"}, {"why", "images and samplers are not supported"}}})));
}

}  // namespace
}  // namespace vyre::tests
