#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/decide.hpp"
#include "tests/support/run_command.hpp"

namespace vyre::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

const std::string kVectors = VYRE_SOURCE_DIR "/tests/vectors/";
const std::string kGood =
    R"({"policy":"bindless","in":{"resource_count":40,"support":"full","dynamic_indexing":true}})";
const std::string kGoodAnswer = R"({"policy":"bindless","out":{"decision":"bindless"}})";

TEST(Decide, AnswersEveryVectorExactly) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator{kVectors}) {
    if (entry.path().extension() != ".jsonl") continue;
    SCOPED_TRACE(entry.path());
    ++files;
    const CommandResult result = run_vyre({"decide", entry.path()});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    const std::vector<std::string> questions = lines_of(read_file(entry.path()));
    const std::vector<std::string> answers = lines_of(result.out);
    ASSERT_EQ(answers.size(), questions.size());
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const json question = json::parse(questions[i]);
      EXPECT_EQ(json::parse(answers[i]), (json{{"policy", question["policy"]}, {"out", question["out"]}}));
    }
  }
  EXPECT_EQ(files, 9);
}

TEST(Decide, ReadsStandardInputWithOrWithoutADash) {
  EXPECT_EQ(run_vyre({"decide"}, kGood + "\n").out, kGoodAnswer + "\n");
  EXPECT_EQ(run_vyre({"decide", "-"}, kGood).out, kGoodAnswer + "\n");
  EXPECT_EQ(run_vyre({"decide"}, "").out, "");
  EXPECT_EQ(run_vyre({"decide"}, "").exit_code, 0);
  EXPECT_EQ(run_vyre({"decide"}, kGood + "\r\n").out, kGoodAnswer + "\n");
}

TEST(Decide, ABadLineStopsNothingAndCounts) {
  const CommandResult result = run_vyre({"decide"}, kGood + "\nnonsense\n\n" + kGood + "\n");
  EXPECT_EQ(result.exit_code, 2);
  const std::vector<std::string> answers = lines_of(result.out);
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[0], kGoodAnswer);
  EXPECT_EQ(json::parse(answers[1])["error"]["line"], 2);
  EXPECT_EQ(json::parse(answers[1])["error"]["code"], "invalid-argument");
  EXPECT_EQ(json::parse(answers[2])["error"]["line"], 3);
  EXPECT_EQ(answers[3], kGoodAnswer);
}

struct Mistake {
  std::string line;
  std::string message;
};

TEST(Decide, EveryMistakeIsNamed) {
  const std::string reuse = R"({"policy":"command_reuse","in":{"repeat_count":)";
  const std::vector<Mistake> mistakes{
      {"[1]", "the line is an array, it takes an object"},
      {"{}", "policy is missing"},
      {R"({"policy":7,"in":{}})", "policy is a number, it takes a string"},
      {R"({"policy":"fusion","in":{}})", "policy is \"fusion\", it takes one of persistent_kernel, command_reuse"},
      {R"({"policy":"bindless"})", "in is missing"},
      {R"({"policy":"bindless","in":[]})", "in is an array, it takes an object"},
      {R"({"policy":"bindless","in":{"resource_count":1,"support":"some","dynamic_indexing":true}})",
       "in.support is \"some\", it takes full, static or unsupported"},
      {R"({"policy":"bindless","in":{"resource_count":1,"support":"full","dynamic_indexing":1}})",
       "in.dynamic_indexing is a number, it takes true or false"},
      {reuse + R"(-1}})", "in.repeat_count is a negative number, it takes a whole number from 0 to 4294967295"},
      {reuse + R"(4294967296}})", "in.repeat_count is 4294967296, it takes a whole number from 0 to 4294967295"},
      {reuse + R"(1.5}})", "in.repeat_count is a number with a fraction or out of range"},
      {reuse + R"(null}})", "in.repeat_count is null"},
      {reuse + R"(1,"per_launch_overhead_ns":5}})",
       "in.per_launch_overhead_ns is a number, it takes a decimal from 0 to 18446744073709551615 in quotes"},
      {reuse + R"(1,"per_launch_overhead_ns":"18446744073709551616"}})",
       "in.per_launch_overhead_ns is \"18446744073709551616\", it takes a decimal from 0 to 18446744073709551615"},
      {reuse + R"(1,"per_launch_overhead_ns":"1\u0000\n"}})", "in.per_launch_overhead_ns is \"1"},
      {R"({"policy":"copy_overlap","in":{"copy_dst_slot":1,"kernel":{"reads":[0,"a"],"writes":[]}}})",
       "in.kernel.reads is a string, it takes a whole number from 0 to 4294967295"},
      {R"({"policy":"graph_capture","in":{"bindings":[{"role":"sampler"}]}})",
       "in.bindings.role is \"sampler\", it takes input, output, input_output, uniform or shared"},
      {R"({"policy":"graph_capture","in":{"bindings":[3]}})", "in.bindings has a number, it takes objects"},
      {kGood + " " + kGood, "this is no JSON"},
      {"\xff", "this is no JSON"},
      {std::string(5'000, '['), "this is no JSON"},
  };
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.line.substr(0, 100));
    const CommandResult result = run_vyre({"decide"}, mistake.line + "\n");
    EXPECT_EQ(result.exit_code, 2);
    const json answer = json::parse(result.out);
    EXPECT_THAT(answer["error"]["message"].get<std::string>(), HasSubstr(mistake.message));
    EXPECT_EQ(answer["error"]["line"], 1);
  }
}

TEST(Decide, FilesThatCannotBeReadOrWrittenAreNamed) {
  const CommandResult missing = run_vyre({"decide", "/no/such/file"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(missing.err, "error[invalid-argument]: cannot open '/no/such/file': No such file or directory\n");
  const CommandResult folder = run_vyre({"decide", "/"});
  EXPECT_EQ(folder.exit_code, 2);
  EXPECT_EQ(folder.err, "error[invalid-argument]: cannot read '/': Is a directory\n");
  const CommandResult full = run_vyre({"decide"}, kGood, "/dev/full");
  EXPECT_EQ(full.exit_code, 4);
  EXPECT_EQ(full.err, "error[unavailable]: cannot write to standard output: No space left on device\n");
}

// The same reader below the command line: any cut of the input into reads gives the same answers.

std::string decide_in_pieces(const std::string& input, std::size_t piece) {
  std::string output;
  std::size_t at = 0;
  const auto summary = cli::decide(
      [&](std::span<char> room) -> Result<std::size_t> {
        const std::size_t count = std::min({piece, room.size(), input.size() - at});
        input.copy(room.data(), count, at);
        at += count;
        return count;
      },
      [&](std::string_view text) -> Result<void> {
        output.append(text);
        return {};
      });
  EXPECT_TRUE(summary.has_value());
  return output;
}

TEST(Decide, ReadsInAnyPieces) {
  const std::string input = read_file(kVectors + "dispatch_bundle.jsonl").substr(0, 20'000);
  const std::string whole = decide_in_pieces(input, input.size());
  for (const std::size_t piece : {1U, 2U, 63U, 64U, 65U, 4'096U}) EXPECT_EQ(decide_in_pieces(input, piece), whole);
}

TEST(Decide, RefusesALineBeyondTheLimitAndGoesOn) {
  const std::string longest = kGood + std::string(cli::kMaxDecideLine - kGood.size(), ' ');
  for (const std::size_t piece : {std::size_t{100'000}, std::size_t{1} << 30}) {
    const std::vector<std::string> answers = lines_of(
        decide_in_pieces(longest + "\n" + longest + " \n" + std::string(50'000'000, '{') + "\n" + kGood, piece));
    ASSERT_EQ(answers.size(), 4U);
    EXPECT_EQ(answers[0], kGoodAnswer);
    for (const int line : {2, 3}) {
      const json error = json::parse(answers[static_cast<std::size_t>(line) - 1])["error"];
      EXPECT_EQ(error["message"], "the line has more than 16777216 bytes, that is the limit");
      EXPECT_EQ(error["line"], line);
    }
    EXPECT_EQ(answers[3], kGoodAnswer);
  }
}

TEST(Decide, AnswersBeforeItAsksForMore) {
  std::string output;
  int reads = 0;
  const auto summary = cli::decide(
      [&](std::span<char> room) -> Result<std::size_t> {
        EXPECT_EQ(lines_of(output).size(), static_cast<std::size_t>(reads));
        if (reads++ == 3) return 0;
        const std::string line = kGood + "\n";
        return line.copy(room.data(), line.size());
      },
      [&](std::string_view text) -> Result<void> {
        output.append(text);
        return {};
      });
  EXPECT_EQ(summary.value().lines, 3U);
}

TEST(Decide, AFailingSourceOrSinkIsAnError) {
  const auto good = [sent = false](std::span<char> room) mutable -> Result<std::size_t> {
    if (sent) return 0;
    sent = true;
    return kGood.copy(room.data(), kGood.size());
  };
  const auto broken_source = [](std::span<char>) -> Result<std::size_t> {
    return fail(ErrorCode::Unavailable, "gone");
  };
  const auto broken_sink = [](std::string_view) -> Result<void> { return fail(ErrorCode::Unavailable, "full"); };
  EXPECT_EQ(cli::decide(broken_source, broken_sink).error().message, "gone");
  EXPECT_EQ(cli::decide(good, broken_sink).error().message, "full");
}

}  // namespace
}  // namespace vyre::tests
