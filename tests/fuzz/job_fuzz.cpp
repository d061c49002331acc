#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <vyre/base/check.hpp>
#include <vyre/program/program.hpp>

#include "cli/job/dry_run.hpp"
#include "cli/job/job_plan.hpp"
#include "cli/job/job_reader.hpp"
#include "cli/job/job_walker.hpp"

// Any text at all: a job comes out, or a refusal that names its place. A job is walked with buffers that are made and
// one program in the place of all, so that no file is touched.

namespace {

using namespace vyre::cli::job;

constexpr const char* kProgram = R"(#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL = 64;
layout(constant_id = 1) const bool FLAG = false;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; } parts[2];
layout(push_constant) uniform Params { float scale; uint count; ivec2 at; int table[3]; };
void main() { if (FLAG) parts[0].y[count] = scale * x[at.x + table[0]]; }
)";

const vyre::program::Program& program() {
  static const vyre::program::Program kOnly = vyre::program::Program::from_glsl(kProgram, {.name = "p"}).value();
  return kOnly;
}

void expect_placed(const vyre::Error& error) {
  VYRE_CHECK(error.message.starts_with("job.toml"), "every refusal names the file");
  VYRE_CHECK(error.code != vyre::ErrorCode::Internal, "a bad job is no internal error");
}

vyre::Result<JobPlan> plan(Job job) {
  for (BufferSource& buffer : job.buffers) {
    const bool is_file =
        std::holds_alternative<NpyContents>(buffer.contents) || std::holds_alternative<RawContents>(buffer.contents);
    if (is_file) buffer = {.name = buffer.name, .shape = {4, 4}};
  }
  job.checks.clear();
  std::vector<ProgramSource> programs = std::move(job.programs);
  job.programs.clear();
  VYRE_ASSIGN(JobPlan planned, plan_job(job));
  if (!programs.empty()) {
    programs.resize(1);
    programs.front().name.text = "p";
    job.programs = std::move(programs);
    planned.programs = {program()};
  }
  planned.job = std::make_shared<const Job>(std::move(job));
  return planned;
}

void walk(const JobPlan& planned) {
  JobWalker walker{planned};
  for (const auto repeats : {JobWalker::Repeats::Fold, JobWalker::Repeats::Unfold}) {
    int left = 1'000;
    const auto walked = walker.walk(repeats, [&](const Operation& operation) -> vyre::Result<void> {
      for (const ByteRange& range : operation.ranges) {
        const std::uint64_t bytes = planned.buffers[range.buffer].bytes;
        VYRE_CHECK(range.size > 0 && range.size <= bytes && range.offset <= bytes - range.size, "views lie within");
      }
      if (--left == 0) return vyre::fail(vyre::ErrorCode::TimedOut, "job.toml is long enough");
      return {};
    });
    if (!walked) {
      expect_placed(walked.error());
      return;
    }
  }
  const auto planned_batch = plan_first_batch(walker, planned, 1'000);
  VYRE_CHECK(planned_batch.has_value(), "what can be walked can be planned");
  static_cast<void>(to_text(*planned_batch, planned.job->name));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  auto job = read_job(text, "job.toml");
  if (!job) {
    expect_placed(job.error());
    return 0;
  }
  const auto planned = plan(*std::move(job));
  if (!planned) {
    expect_placed(planned.error());
    return 0;
  }
  for (const PlannedBuffer& buffer : planned->buffers) {
    std::vector<std::byte> some(bytes_of(buffer.type) * 2);
    buffer.generator->fill(0, some);
    buffer.generator->fill(buffer.count() - 1, std::span{some}.first(bytes_of(buffer.type)));
  }
  walk(*planned);
  return 0;
}
