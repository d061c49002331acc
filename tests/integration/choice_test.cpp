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

TEST(CalibrateCommand, ShowsWhatLaunchingTakes) {
  const CommandResult result = run_vyre({"calibrate"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("measured in "), HasSubstr("plain "), HasSubstr("batched "),
                                HasSubstr("persistent-replay "), HasSubstr("record "), HasSubstr("barrier "),
                                HasSubstr("a table ")));
}

TEST(CalibrateCommand, SpeaksJson) {
  const CommandResult result = run_vyre({"calibrate", "--inline", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json said = json::parse(result.out);
  for (const char* way : {"plain", "batched", "replay", "merged", "persistent", "chain", "table"}) {
    const json& line = said["ways"][way];
    EXPECT_GE(line["fixed_ns"], 0) << way;
    EXPECT_GE(line["slope_ns"], 0) << way;
    EXPECT_GT(line["fixed_ns"].get<double>() + line["slope_ns"].get<double>(), 0) << way;
  }
  EXPECT_GT(said["samples"], 0);
  EXPECT_GT(said["compile_ns"], 0);
  EXPECT_GT(said["forms"]["merged"]["wide"], 0);
}

TEST(CalibrateCommand, RefusesADeviceThatIsNotThere) {
  const CommandResult result = run_vyre({"calibrate", "--device", "frobnicator"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("frobnicator"));
}

class ExplainReport : public testing::Test {
 protected:
  ExplainReport() {
    folder_.write("add.comp", R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Y { float y[]; };
void main() { y[gl_GlobalInvocationID.x] += 1.0; }
)");
  }

  static constexpr const char* kJob = R"(
[programs.add]
glsl = "add.comp"
[buffers.y]
zeros = 64
type = "f32"
[[steps]]
program = "add"
bindings = { Y = "y" }
size = 64
repeat = 20
)";

  JobFolder folder_;
};

TEST_F(ExplainReport, ShowsEveryGroupAndWhatWouldFlipIt) {
  const CommandResult ran = folder_.run(kJob, {"--repeat", "6", "--report", folder_.path("report.json")});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("chosen "));
  const CommandResult result = run_vyre({"explain", "report", folder_.path("report.json")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("20 dispatches"), HasSubstr("forecast"), HasSubstr("batched"),
                                HasSubstr("group 1: 1 dispatch of add"), HasSubstr("flip")));
  const CommandResult as_json = run_vyre({"explain", "report", folder_.path("report.json"), "--group", "1", "--json"});
  EXPECT_EQ(as_json.exit_code, 0) << as_json.err;
  EXPECT_TRUE(json::parse(as_json.out).contains("decisions"));
}

TEST_F(ExplainReport, ReadsTheResultOfAJob) {
  const CommandResult ran = folder_.run(kJob, {"--json"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  folder_.write("result.json", ran.out);
  EXPECT_THAT(run_vyre({"explain", "report", folder_.path("result.json")}).out, HasSubstr("group 1: "));
}

TEST_F(ExplainReport, NamesWhatIsWrong) {
  const auto refused = [&](const std::string& text, const std::vector<std::string>& more = {}) {
    folder_.write("report.json", text);
    std::vector<std::string> arguments{"explain", "report", folder_.path("report.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult result = run_vyre(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    return result.err;
  };
  EXPECT_THAT(refused("{"), HasSubstr("it is not JSON"));
  EXPECT_THAT(refused("{}"), HasSubstr("there is no field 'shapes'"));
  EXPECT_THAT(refused(R"({"shapes": 3})"), HasSubstr("the field 'shapes' is not an array"));
  EXPECT_THAT(refused(R"({"shapes": [{}]})"), AllOf(HasSubstr("in shape 1"), HasSubstr("there is no field")));
  EXPECT_THAT(refused(R"({"shapes": []})", {"--group", "2"}), HasSubstr("--group is 2, the report has 0 groups"));
}

}  // namespace
}  // namespace vyre::tests
