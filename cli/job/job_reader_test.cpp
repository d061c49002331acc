#include "cli/job/job_reader.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vyre::cli::job {
namespace {

using testing::HasSubstr;

constexpr const char* kWhole = R"(name = "all"
[programs.step]
glsl = "step.comp"
entry_point = "main"
defines = { N = 64, TEXT = "x" }
include = ["common"]
values = { LOCAL = 64, "1" = true }
[programs.other]
spirv = "other.spv"
[buffers.u]
npy = "u.npy"
[buffers.raw]
raw = "bytes.bin"
type = "c64"
shape = [2, 3]
[buffers.v]
zeros = 12
type = "f32"
[buffers.ones]
full = [4, 4]
value = 1.5
type = "f16"
[buffers.index]
range = { start = 3, step = -1, count = 4 }
type = "i32"
[buffers.noise]
random = { seed = 7, shape = [2, 2], min = -1.0, max = 1.0 }
type = "f64"
[[steps]]
program = "step"
bindings = { u = "u", v = { buffer = "v", offset = 1, count = "$n" }, all = ["u", "v"] }
size = [256, 256]
params = { n = 256, k = 0.1, v = [1, 2], a = [[1, 2], [3, 4]], big = "18446744073709551615" }
values = { LOCAL = 32 }
repeat = 500
swap = ["u", "v"]
[[steps]]
for = { i = { start = 10, stop = 0, step = -2 } }
steps = [ { fill = { buffer = "v", value = "$i" } }, { for = { j = [1, 2.5] }, steps = [ { copy = { from = "u", to = "v" } } ] } ]
[[outputs]]
buffer = "u"
npy = "out.npy"
[[outputs]]
buffer = "u"
print = 10
[[checks]]
buffer = "u"
close = "expected.npy"
rtol = 1e-3
atol = 0
[[checks]]
buffer = "u"
equal = { raw = "expected.bin" }
)";

TEST(JobReader, ReadsEveryKey) {
  const auto read = read_job(kWhole, "folder/job.toml");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  const Job& job = *read;
  EXPECT_EQ(job.name, "all");
  ASSERT_EQ(job.programs.size(), 2U);
  EXPECT_TRUE(job.programs[0].is_glsl);
  EXPECT_EQ(job.programs[0].defines[0].second, "64");
  EXPECT_EQ(job.programs[0].include[0].text, "common");
  EXPECT_EQ(job.programs[0].values.size(), 2U);
  EXPECT_EQ(job.programs[1].path.text, "other.spv");
  ASSERT_EQ(job.buffers.size(), 6U);
  EXPECT_EQ(job.buffers[0].name.text, "u");
  EXPECT_EQ(job.buffers[1].type, ElementType::C64);
  EXPECT_EQ(job.buffers[1].shape, (Shape{2, 3}));
  EXPECT_EQ(job.buffers[2].shape, (Shape{12}));
  EXPECT_EQ(std::get<FullContents>(job.buffers[3].contents).value, Number{1.5});
  EXPECT_EQ(std::get<RangeContents>(job.buffers[4].contents).step, Number{std::int64_t{-1}});
  EXPECT_EQ(std::get<RandomContents>(job.buffers[5].contents).seed, 7U);

  ASSERT_EQ(job.steps.size(), 2U);
  EXPECT_EQ(job.steps[0].at, (Position{29, 1}));
  const auto& dispatch = std::get<DispatchStep>(job.steps[0].action);
  EXPECT_EQ(dispatch.program.text, "step");
  EXPECT_EQ(dispatch.program.at, (Position{30, 11}));
  EXPECT_FALSE(dispatch.is_groups);
  EXPECT_EQ(dispatch.extent.size(), 2U);
  ASSERT_EQ(dispatch.bindings.size(), 3U);
  EXPECT_EQ(std::get<std::string>(dispatch.bindings[1].views[0].count->value), "n");
  EXPECT_EQ(dispatch.bindings[2].views.size(), 2U);
  ASSERT_EQ(dispatch.params.size(), 5U);
  EXPECT_EQ(dispatch.params[3].value.list[1].list.size(), 2U);
  EXPECT_EQ(std::get<Number>(dispatch.params[4].value.number.value), Number{~std::uint64_t{0}});
  EXPECT_EQ(job.steps[0].swap->second.text, "v");
  const auto& block = std::get<BlockStep>(job.steps[1].action);
  EXPECT_EQ(std::get<LoopRange>(block.loop->values).step, -2);
  ASSERT_EQ(block.steps.size(), 2U);
  const auto& inner = std::get<BlockStep>(block.steps[1].action);
  EXPECT_EQ(std::get<std::vector<Number>>(inner.loop->values)[1], Number{2.5});

  ASSERT_EQ(job.outputs.size(), 2U);
  EXPECT_EQ(job.outputs[1].print_count, 10U);
  ASSERT_EQ(job.checks.size(), 2U);
  EXPECT_EQ(job.checks[0].rtol, 1e-3);
  EXPECT_TRUE(job.checks[1].is_raw);
}

TEST(JobReader, NamesAreThoseOfTheFileUnlessGiven) {
  EXPECT_EQ(read_job("steps = [{ fill = { buffer = 'u', value = 0 } }]", "a/heat.toml")->name, "heat");
}

TEST(JobReader, HostileTextIsRefusedQuickly) {
  const auto refusal = [](const std::string& text) {
    const auto job = read_job(text, "job.toml");
    return job ? std::string{"taken"} : job.error().message;
  };
  std::string dots = "a";
  for (int i = 0; i < 100'000; ++i) dots += ".a";
  EXPECT_THAT(refusal("[" + dots + "]"), HasSubstr("job.toml:1:35: the key has more than 16 dots, that is the limit"));
  EXPECT_THAT(refusal(dots + " = 1"), HasSubstr("more than 16 dots"));
  EXPECT_THAT(refusal(std::string{"a = "}.append(100'000, '[')), HasSubstr("this is no TOML"));
  EXPECT_THAT(refusal(std::string{"a = "}.append(100'000, '{')), HasSubstr("this is no TOML"));
  EXPECT_THAT(refusal(std::string(2 << 20, '\n')), HasSubstr("more than 1048576 bytes"));
  EXPECT_THAT(refusal(std::string(10'000, '\0')), HasSubstr("job.toml:1:1: this is no TOML"));
  EXPECT_THAT(refusal("name = \"................................\" # ................................\nx = 1"),
              HasSubstr("job.toml:2:1: there is no key 'x'"));
  EXPECT_THAT(refusal("\xc3\xa4 = 3"), HasSubstr("job.toml:1:1: this is no TOML"));
  EXPECT_THAT(refusal("\"\xc3\xa4\" = 3"), HasSubstr("there is no key '\xc3\xa4'"));
  // As deep as it goes: every bracket nests, and every dot in it.
  std::string deep = "1";
  for (int i = 0; i < 250; ++i) deep = "{ a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = " + deep + " }";
  EXPECT_THAT(refusal("x = " + deep), HasSubstr("job.toml:1:1: there is no key 'x'"));
  EXPECT_THAT(refusal("steps = " + deep), HasSubstr("job.toml:1:9: 'steps' is a table"));
  EXPECT_THAT(refusal("[buffers.\"a\\n\"]\nzeros = 1\ntype = 'u8'"),
              HasSubstr("job.toml:1:10: the name 'a?' is empty or has"));
  std::string steps = "steps = [{ fill = { buffer = 'u', value = 0 } }]";
  for (int i = 0; i < 60; ++i) steps = "steps = [{ " + steps + " }]";
  EXPECT_EQ(refusal(steps), "taken");
}

}  // namespace
}  // namespace vyre::cli::job
