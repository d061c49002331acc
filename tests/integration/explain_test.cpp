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

const std::vector<std::string> kPersistent{"explain",
                                           "persistent-kernel",
                                           "--batch-size",
                                           "500",
                                           "--per-launch-overhead-ns",
                                           "5000",
                                           "--persistent-setup-overhead-ns",
                                           "50000"};

std::vector<std::string> with(std::vector<std::string> arguments, std::initializer_list<std::string> more) {
  arguments.insert(arguments.end(), more);
  return arguments;
}

TEST(ExplainCommand, ShowsTheCostsTheBreakEvenPointAndWhatWouldFlipIt) {
  const CommandResult result = run_vyre(kPersistent);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, AllOf(HasSubstr("persistent kernel: saves 2,450,000 ns"), HasSubstr("2,500,000"),
                                HasSubstr("50,000"), HasSubstr("11")));
}

TEST(ExplainCommand, SpeaksJson) {
  const json explained = json::parse(run_vyre(with(kPersistent, {"--json"})).out);
  EXPECT_EQ(explained["policy"], "persistent_kernel");
  EXPECT_EQ(explained["decision"], (json{{"decision", "persistent_kernel"}, {"savings_ns", "2450000"}}));
  EXPECT_EQ(explained["display"], "persistent-kernel:2450000");
  EXPECT_EQ(explained["break_even"]["value"], 11);
}

TEST(ExplainCommand, HasEveryPolicy) {
  const std::vector<std::vector<std::string>> commands{
      {"command-reuse", "--repeat-count", "3", "--per-launch-overhead-ns", "6400", "--record-overhead-ns", "15000",
       "--replay-overhead-ns", "580"},
      {"trace-jit", "--shader-hit-count", "100", "--prediction-confidence-bps", "9000", "--speculative-spec-cost-ns",
       "10000", "--miss-cost-ns", "100000"},
      {"arm-independence", "--a-reads", "0,1", "--a-writes", "2", "--b-reads", "2,3", "--b-writes", "4"},
      {"copy-overlap", "--copy-dst-slot", "7", "--reads", "0,1", "--writes", "2"},
      {"bindless", "--resource-count", "40", "--support", "static", "--dynamic-indexing"},
      {"primary-mode", "--batch-size", "500", "--repeat-count", "500", "--per-launch-overhead-ns", "5000",
       "--persistent-setup-overhead-ns", "50000", "--record-overhead-ns", "25000", "--replay-overhead-ns", "500"},
  };
  struct Answer {
    std::string text;
    std::string display;
  };
  const std::vector<Answer> answers{{"record and replay: saves 2,460 ns", "record-and-replay:2460"},
                                    {"speculate: saves 80,000 ns", "speculate:80000"},
                                    {"{2}", "serialize-required:read-after-write"},
                                    {"overlap: the kernel does not touch slot 7", "overlap"},
                                    {"traditional bindings", "traditional-bindings"},
                                    {"persistent kernel: saves 2,450,000 ns", "persistent-kernel:2450000"}};
  for (std::size_t i = 0; i < commands.size(); ++i) {
    SCOPED_TRACE(commands[i][0]);
    std::vector<std::string> arguments{"explain"};
    arguments.insert(arguments.end(), commands[i].begin(), commands[i].end());
    const CommandResult text = run_vyre(arguments);
    EXPECT_EQ(text.exit_code, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr(answers[i].text));
    EXPECT_EQ(json::parse(run_vyre(with(arguments, {"--json"})).out)["display"], answers[i].display);
    EXPECT_THAT(run_vyre({"explain", commands[i][0], "--help"}).out, HasSubstr("Example"));
  }
}

TEST(ExplainCommand, ReadsABundleBareOrAsAQuestion) {
  const std::string line = read_file(VYRE_SOURCE_DIR "/tests/vectors/dispatch_bundle.jsonl");
  const std::string question = line.substr(0, line.find('\n'));
  const std::string bare = json::parse(question)["in"].dump();
  const CommandResult from_question = run_vyre({"explain", "bundle", "-"}, question);
  EXPECT_EQ(from_question.exit_code, 0) << from_question.err;
  EXPECT_EQ(run_vyre({"explain", "bundle", "-"}, bare).out, from_question.out);
  EXPECT_THAT(from_question.out, HasSubstr("command_reuse record_and_replay saved=2225000ns repeat_shape"));
}

constexpr const char* kOperations = R"({"operations": [
  {"kind": "fill", "writes": [{"buffer": "x", "offset": 0, "size": 256}]},
  {"kind": "dispatch", "program": "saxpy", "reads": [{"buffer": "x", "offset": 0, "size": 128}],
   "writes": [{"buffer": "y", "offset": 0, "size": 128}]},
  {"kind": "dispatch", "program": "saxpy", "reads": [{"buffer": "x", "offset": 128, "size": 128}],
   "writes": [{"buffer": "y", "offset": 128, "size": 128}]},
  {"kind": "copy", "reads": [{"buffer": "y", "offset": 0, "size": 256}],
   "writes": [{"buffer": "z", "offset": 0, "size": 256}]}]})";

TEST(ExplainCommand, PlansABatch) {
  const CommandResult text = run_vyre({"explain", "plan", "-"}, kOperations);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_EQ(text.out,
            "4 operations in 3 waves: 2 barriers placed, 1 avoided\n"
            "wave 0\n"
            "  1 × fill: 0\n"
            "wave 1\n"
            "  2 × dispatch saxpy: 1-2\n"
            "wave 2\n"
            "  1 × copy: 3\n");
  const json plan = json::parse(run_vyre({"explain", "plan", "-", "--json"}, kOperations).out);
  EXPECT_EQ(plan["barriers"], 2);
  EXPECT_EQ(plan["barriers_avoided"], 1);
  EXPECT_EQ(plan["waves"][1]["groups"],
            json::parse(R"([{"kind": "dispatch", "program": "saxpy", "operations": [1, 2]}])"));
  EXPECT_THAT(run_vyre({"explain", "plan", "--help"}).out, HasSubstr("Example:\n  vyre explain plan - <<'END'"));
}

TEST(ExplainCommand, NamesTheOperationAndTheKeyThatCannotBePlanned) {
  const auto refusal = [](const std::string& second_operation) {
    const std::string text = R"({"operations": [{"kind": "fill"}, )" + second_operation + "]}";
    const CommandResult result = run_vyre({"explain", "plan", "-"}, text);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("while reading the operations in '-'"));
    return result.err;
  };
  EXPECT_THAT(refusal("{}"), HasSubstr("operations[1].kind is missing"));
  EXPECT_THAT(refusal("7"), HasSubstr("operations[1] is 7, it takes an object"));
  EXPECT_THAT(refusal(R"({"kind": "jump"})"),
              HasSubstr("operations[1].kind is \"jump\", it takes dispatch, copy or fill"));
  EXPECT_THAT(refusal(R"({"kind": "dispatch"})"), HasSubstr("operations[1].program is missing"));
  EXPECT_THAT(refusal(R"({"kind": "copy", "program": "x"})"), HasSubstr("operations[1].program is \"x\""));
  EXPECT_THAT(refusal(R"({"kind": "copy", "write": []})"), HasSubstr("operations[1].write is not known"));
  EXPECT_THAT(refusal(R"({"kind": "copy", "reads": {}})"), HasSubstr("operations[1].reads is an object"));
  EXPECT_THAT(refusal(R"({"kind": "fill", "writes": [{"buffer": "x", "offset": 0, "size": 0}]})"),
              HasSubstr("operations[1].writes[0].size is 0, it takes a whole number from 1 to 18446744073709551615"));
  EXPECT_THAT(refusal(R"({"kind": "fill", "writes": [{"buffer": "x", "offset": 18446744073709551614, "size": 2}]})"),
              HasSubstr("operations[1].writes[0].size is 2, it takes a whole number from 1 to 1"));
  EXPECT_THAT(refusal(R"({"kind": "fill", "writes": [{"buffer": 1, "offset": 0, "size": 4}]})"),
              HasSubstr("operations[1].writes[0].buffer is 1, it takes a string"));
  EXPECT_THAT(refusal("{"), HasSubstr("this is no JSON"));
}

TEST(ExplainCommand, RefusesWhatCannotBe) {
  const CommandResult negative = run_vyre({"explain", "persistent-kernel", "--batch-size", "-3",
                                           "--per-launch-overhead-ns", "1", "--persistent-setup-overhead-ns", "1"});
  EXPECT_EQ(negative.exit_code, 2);
  EXPECT_THAT(negative.err, HasSubstr("error[invalid-argument]: --batch-size is '-3', it takes 0 to 4294967295"));
  const CommandResult missing = run_vyre({"explain", "persistent-kernel", "--batch-size", "3"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("--per-launch-overhead-ns"));
  EXPECT_EQ(run_vyre({"explain", "bundle", "/no/such/file"}).exit_code, 2);
  EXPECT_EQ(run_vyre({"explain", "bundle", "-"}, "{}").exit_code, 2);
}

TEST(CommandLine, NamesAnUnknownCommand) {
  EXPECT_THAT(run_vyre({"frobnicate"}).err,
              HasSubstr("there is no command 'frobnicate', there are cache, calibrate, decide, devices, explain"));
  EXPECT_THAT(run_vyre({"explain", "fusion"}).err,
              HasSubstr("there is no command 'fusion', there are persistent-kernel"));
  EXPECT_THAT(run_vyre({"decide", "--colour"}).err, HasSubstr("try 'vyre decide --help'"));
}

TEST(CommandLine, KnowsItself) {
  EXPECT_THAT(run_vyre({"--version"}).out, HasSubstr("vyre 0.1.0"));
  const CommandResult help = run_vyre({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("decide"), HasSubstr("explain"), HasSubstr("Examples:")));
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{}, {"frobnicate"}, {"decide", "--colour"}, {"explain"}}) {
    const CommandResult result = run_vyre(wrong);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("error[invalid-argument]: "));
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace vyre::tests
