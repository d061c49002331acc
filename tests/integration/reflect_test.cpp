#include <filesystem>
#include <fstream>
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

TEST(ReflectCommand, ShowsVariablesOfOneSlotAsOneBinding) {
  const CommandResult result = run_vyre({"reflect", kKernels + "slot_views.comp", "--unoptimised"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("set 0 slot 3  Bits  read_write storage_buffer, any number of bytes from 16 on, 3 variables\n"
                      "  as Bits  read, any number of elements of 4 bytes\n"
                      "    @0  uint[]  bits  stride 4\n"
                      "  as Floats  read, any number of elements of 4 bytes\n"),
            HasSubstr("  as Headed  read_write, 16 bytes, then any number of elements of 8 bytes\n")));
  const json bindings = json::parse(run_vyre({"reflect", kKernels + "slot_views.comp", "--json"}).out)["bindings"];
  ASSERT_EQ(bindings.size(), 2U);
  EXPECT_TRUE(bindings[0]["variables"].empty());
  EXPECT_EQ(bindings[1]["access"], "read_write");
  EXPECT_EQ(bindings[1]["variables"].size(), 3U);
  EXPECT_EQ(bindings[1]["variables"][2]["access"], "read_write");
}

TEST(ReflectCommand, SaysWhichBlockLayoutAKernelNeeds) {
  const auto layout = [](const std::string& kernel) {
    return json::parse(run_vyre({"reflect", kKernels + kernel, "--json"}).out)["block_layout"].get<std::string>();
  };
  EXPECT_EQ(layout("saxpy.comp"), "standard");
  EXPECT_EQ(layout("uniform_std430.comp"), "uniform-standard");
  EXPECT_EQ(layout("scalar_layout.comp"), "scalar");
  EXPECT_THAT(run_vyre({"reflect", kKernels + "scalar_layout.comp"}).out, HasSubstr("block layout  scalar\n"));
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

/// A file with the text of a kernel.
std::string write_kernel(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  std::ofstream{path} << "#version 450\n" << text;
  return path;
}

TEST(ReflectCommand, ListsTheFormsOfAKernel) {
  const CommandResult shown = run_vyre({"reflect", kKernels + "saxpy.comp"});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("other forms, with the options that are the default; a device may refuse"),
                               HasSubstr("  pointer     yes\n"), HasSubstr("  merged      yes\n"),
                               HasSubstr("  persistent  yes\n")));
  const CommandResult listed = run_vyre({"reflect", kKernels + "saxpy.comp", "--json"});
  json expected = json::array();
  for (const char* form : {"pointer", "merged", "persistent", "chain"}) {
    expected.push_back({{"form", form}, {"has", true}, {"why", nullptr}});
  }
  EXPECT_EQ(json::parse(listed.out)["forms"], expected);
}

TEST(ReflectCommand, SaysWhyAKernelHasNoForm) {
  const std::string path = VYRE_SOURCE_DIR "/tests/forms/modules/spin_atomic.comp";
  const CommandResult listed = run_vyre({"reflect", path, "--json"});
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  const json forms = json::parse(listed.out)["forms"];
  ASSERT_EQ(forms.size(), 4U);
  EXPECT_EQ(forms[0], (json{{"form", "pointer"}, {"has", true}, {"why", nullptr}}));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(forms[i]["has"], false) << i;
  const std::string why = forms[2]["why"];
  EXPECT_FALSE(why.empty());
  EXPECT_THAT(run_vyre({"reflect", path}).out, HasSubstr("  persistent  no: " + why + "\n"));

  const std::string output = testing::TempDir() + "vyre_refused.spv";
  std::filesystem::remove(output);
  const CommandResult refused = run_vyre({"reflect", path, "--form", "persistent", "-o", output});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("error[unsupported]: " + why),
                                 HasSubstr("while deriving the persistent form of program 'spin_atomic.comp'"),
                                 HasSubstr("while reflecting")));
  EXPECT_FALSE(std::filesystem::exists(output));
}

TEST(ReflectCommand, GivesAKernelThatCannotRunNoForm) {
  const std::string path = write_kernel("vyre_no_form.comp",
                                        "layout(local_size_x = 1) in;\n"
                                        "layout(binding = 0, r32f) uniform image2D picture;\n"
                                        "void main() { imageStore(picture, ivec2(0), vec4(1)); }\n");
  const CommandResult listed = run_vyre({"reflect", path, "--json"});
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  for (const json& form : json::parse(listed.out)["forms"]) {
    EXPECT_EQ(form["has"], false);
    EXPECT_EQ(form["why"], "OpTypeImage 'picture': images and samplers are not supported");
  }
  EXPECT_EQ(run_vyre({"reflect", path, "--form", "pointer", "-o", "-"}).exit_code, 3);
}

TEST(ReflectCommand, WritesAForm) {
  const std::string output = testing::TempDir() + "vyre_form.spv";
  const auto write = [&](std::vector<std::string> arguments) {
    std::filesystem::remove(output);
    arguments.insert(arguments.begin(), "reflect");
    arguments.insert(arguments.end(), {"-o", output});
    const CommandResult result = run_vyre(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "");
    const CommandResult valid = run_command({"spirv-val", "--target-env", "vulkan1.3", output});
    EXPECT_EQ(valid.exit_code, 0) << valid.out << valid.err;
    return read_file(output);
  };
  const std::string kernel = kKernels + "mat4_transform.comp";
  for (const std::string form : {"pointer", "merged", "persistent", "chain"}) {
    SCOPED_TRACE(form);
    const std::string robust = write({kernel, "--form", form});
    EXPECT_LT(write({kernel, "--form", form, "--unchecked"}).size(), robust.size());
    // The module has no bindings any more, and a root in their place.
    const json reflected = json::parse(run_vyre({"reflect", output, "--json"}).out);
    EXPECT_TRUE(reflected["bindings"].empty());
    EXPECT_EQ(reflected["push_constants"]["size"], 48);
    const CommandResult piped = run_vyre({"reflect", kernel, "--form", form, "-o", "-"});
    EXPECT_EQ(piped.exit_code, 0) << piped.err;
    EXPECT_EQ(piped.out, robust);
  }
  const std::string path = write_kernel("vyre_wide.comp",
                                        "layout(local_size_x = 64) in;\n"
                                        "layout(binding = 0) buffer Data { uint data[]; };\n"
                                        "void main() { data[gl_GlobalInvocationID.x] += 1; }\n");
  write({path, "--form", "merged", "--fold", "8"});
  EXPECT_EQ(json::parse(run_vyre({"reflect", output, "--json"}).out)["workgroup_size"], (json{8, 1, 1}));
  write({path, "--form", "merged", "--entry-point", "main", "--target", "vulkan1.2"});
  EXPECT_EQ(json::parse(run_vyre({"reflect", output, "--json"}).out)["workgroup_size"], (json{64, 1, 1}));
}

TEST(ReflectCommand, RefusesFormsThatAreNotOnes) {
  const std::string kernel = kKernels + "saxpy.comp";
  const auto refused = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"reflect", kernel});
    const CommandResult result = run_vyre(arguments);
    EXPECT_EQ(result.exit_code, 2) << testing::PrintToString(arguments);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(refused({"--form", "square", "-o", "-"}),
              HasSubstr("--form is 'square', it takes pointer, merged, persistent or chain"));
  EXPECT_THAT(refused({"--form", "descriptor", "-o", "-"}), HasSubstr("--form is 'descriptor'"));
  EXPECT_THAT(refused({"--form", "pointer", "--fold", "8", "-o", "-"}),
              HasSubstr("--fold is for merged, persistent and chain"));
  EXPECT_THAT(refused({"--form", "pointer"}), HasSubstr("--output"));
  EXPECT_THAT(refused({"--form", "pointer", "--json", "-o", "-"}), HasSubstr("--json"));
  EXPECT_THAT(refused({"-o", "-"}), HasSubstr("--form"));
  EXPECT_THAT(refused({"--unchecked"}), HasSubstr("--form"));
  EXPECT_THAT(refused({"--fold", "8"}), HasSubstr("--form"));
  EXPECT_THAT(refused({"--form", "pointer", "-o", testing::TempDir()}), HasSubstr("is a folder"));
}

}  // namespace
}  // namespace vyre::tests
