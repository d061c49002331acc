#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/job_folder.hpp"
#include "tests/support/run_command.hpp"

namespace vyre::tests {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

TEST(DevicesCommand, ListsWhatIsThereForAPerson) {
  const CommandResult result = run_vyre({"devices"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("vulkan: "), HasSubstr("type  "), HasSubstr("one binding"),
                    HasSubstr("forms         descriptor"), HasSubstr("; bindless "), HasSubstr("capabilities")));
}

TEST(DevicesCommand, SpeaksJsonAndTellsInlineFromThreaded) {
  const auto software = [](const std::vector<std::string>& arguments) {
    const CommandResult result = run_vyre(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const json listed = json::parse(result.out);
    EXPECT_EQ(listed["backends"][0]["name"], "vulkan");
    EXPECT_EQ(listed["backends"][0]["found"], true);
    for (const json& device : listed["backends"][0]["devices"]) {
      EXPECT_GT(device["limits"]["max_storage_range"], 0);
      EXPECT_GT(device["limits"]["queues"], 0);
      const json& forms = device["forms"];
      for (const char* form : {"pointer", "merged", "persistent", "chain"})
        EXPECT_TRUE(forms[form].is_boolean()) << form;
      EXPECT_THAT(forms["bindless"].get<std::string>(), testing::AnyOf("full", "static", "unsupported"));
      EXPECT_TRUE(forms["max_iterations"].is_number_unsigned());
      EXPECT_TRUE(forms["fold"].is_number_unsigned());
      EXPECT_GT(forms["workgroups"], 0);
      if (device["type"] == "cpu") return device;
    }
    return json{};
  };
  const json threaded = software({"devices", "--json"});
  const json inline_run = software({"devices", "--json", "--inline"});
  EXPECT_EQ(threaded["configuration"], "threaded");
  EXPECT_EQ(inline_run["configuration"], "inline");
  EXPECT_NE(threaded["signature"], inline_run["signature"]);
}

TEST(DevicesCommand, SurveysADevice) {
  const JobFolder folder;
  const CommandResult result = run_vyre({"devices", "--inline", "--report", folder.path("mine")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("checks right, 0 wrong, 0 refused"));
  const json survey = json::parse(folder.read("mine.json"));
  EXPECT_EQ(survey["device"]["configuration"], "inline");
  EXPECT_EQ(survey["checks"]["right"], survey["checks"]["results"].size());
  EXPECT_EQ(survey["checks"]["results"].size(), 6 * 8);
  EXPECT_EQ(survey["timings"].size(), 2 * 4 * 8);
  for (const json& timing : survey["timings"]) {
    EXPECT_GT(timing["median_ns"], 0);
    EXPECT_GE(timing["rounds"], 5);
  }
  EXPECT_THAT(folder.read("mine.md"),
              AllOf(HasSubstr("## Checks"), HasSubstr("| steps | right |"), HasSubstr("| 1000 |"), HasSubstr("way ")));
}

TEST(DevicesCommand, NamesWhatASurveyCannotDo) {
  const CommandResult lost = run_vyre({"devices", "--report", "mine", "--device", "no such device"});
  EXPECT_EQ(lost.exit_code, 4);
  EXPECT_THAT(lost.err, HasSubstr("no such device"));
  const CommandResult folder = run_vyre({"devices", "--report", "/proc/nowhere/mine"});
  EXPECT_EQ(folder.exit_code, 2);
  EXPECT_THAT(folder.err, HasSubstr("/proc/nowhere"));
  const CommandResult alone = run_vyre({"devices", "--device", "llvmpipe"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--report"));
}

TEST(DevicesCommand, SaysWhyThereIsNone) {
  const std::string vyre = VYRE_BIN_DIR "/vyre";
  const CommandResult result =
      run_command({"env", "VK_ICD_FILENAMES=/nowhere.json", "VK_DRIVER_FILES=/nowhere.json", vyre, "devices"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.out, HasSubstr("vulkan: not there: "));
}

}  // namespace
}  // namespace vyre::tests
