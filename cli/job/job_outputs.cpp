#include "cli/job/job_outputs.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace vyre::cli::job {
namespace {

/// The most elements that can be printed. More should be written to a file.
constexpr std::uint64_t kMaxPrinted = 1'000'000;

Result<OutputResult> write_output(const JobPlan& plan, JobRunner& runner, std::size_t index,
                                  std::optional<OutputFile>& file) {
  const Output& output = plan.job->outputs[index];
  const PlannedBuffer& buffer = plan.buffers[plan.outputs[index]];
  OutputResult result{.buffer = buffer.name, .type = buffer.type, .shape = buffer.shape, .path = output.path.text};
  if (file) {
    if (output.kind == Output::Kind::Npy) {
      VYRE_TRY(file->write(npy_header(buffer.type, buffer.shape)));
    }
    VYRE_TRY(runner.read(plan.outputs[index], [&](std::span<const std::byte> bytes) { return file->write(bytes); }));
    VYRE_TRY(file->sync());
    return result;
  }
  const std::uint64_t count = std::min(output.print_count.value_or(buffer.count()), buffer.count());
  const std::size_t size = bytes_of(buffer.type);
  result.is_cut = count < buffer.count();
  VYRE_TRY(runner.read(plan.outputs[index], [&](std::span<const std::byte> bytes) -> Result<void> {
    for (; !bytes.empty() && result.printed.size() < count; bytes = bytes.subspan(size)) {
      result.printed.push_back(element_text(bytes, buffer.type));
    }
    return {};
  }));
  return result;
}

Result<std::optional<OutputFile>> open_output(const JobPlan& plan, std::size_t index) {
  const Output& output = plan.job->outputs[index];
  const PlannedBuffer& buffer = plan.buffers[plan.outputs[index]];
  if (output.kind == Output::Kind::Print) {
    const std::uint64_t count = std::min(output.print_count.value_or(buffer.count()), buffer.count());
    if (count <= kMaxPrinted) return std::nullopt;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} elements of '{}' are to be printed, the most is {}", count, buffer.name, kMaxPrinted));
  }
  const std::size_t header = output.kind == Output::Kind::Npy ? npy_header(buffer.type, buffer.shape).size() : 0;
  VYRE_ASSIGN(OutputFile file, OutputFile::create(job_path(*plan.job, output.path), buffer.bytes + header));
  return std::optional<OutputFile>{std::move(file)};
}

}  // namespace

Result<JobOutputs> JobOutputs::open(const JobPlan& plan) {
  JobOutputs outputs;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    Result<std::optional<OutputFile>> file = open_output(plan, i);
    if (!file) return std::unexpected{error_at(plan.job->file, plan.job->outputs[i].at, std::move(file).error())};
    outputs.files_.push_back(*std::move(file));
  }
  return outputs;
}

Result<std::vector<OutputResult>> JobOutputs::write(const JobPlan& plan, JobRunner& runner) {
  std::vector<OutputResult> results;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    Result<OutputResult> result = write_output(plan, runner, i, files_[i]);
    if (!result) return std::unexpected{error_at(plan.job->file, plan.job->outputs[i].at, std::move(result).error())};
    results.push_back(*std::move(result));
  }
  return results;
}

Result<void> JobOutputs::commit() {
  for (std::optional<OutputFile>& file : files_) {
    if (file) VYRE_TRY(file->commit());
  }
  return {};
}

Result<std::vector<CheckResult>> run_checks(const JobPlan& plan, JobRunner& runner) {
  std::vector<CheckResult> results;
  for (std::size_t i = 0; i < plan.checks.size(); ++i) {
    const Check& check = plan.job->checks[i];
    const PlannedCheck& planned = plan.checks[i];
    const PlannedBuffer& buffer = plan.buffers[planned.buffer];
    const FileArray& file = planned.expected;
    Comparison comparison{buffer.type, file.type, {.is_close = check.is_close, .rtol = check.rtol, .atol = check.atol}};
    std::uint64_t offset = file.offset;
    std::vector<std::byte> room;
    VYRE_TRY(runner.read(planned.buffer, [&](std::span<const std::byte> found) -> Result<void> {
      const std::uint64_t size = found.size() / bytes_of(buffer.type) * bytes_of(file.type);
      std::span<const std::byte> expected = file.file->bytes().subspan(offset, size);
      if (file.big_endian) {
        room.assign(expected.begin(), expected.end());
        swap_bytes(room, file.type);
        expected = room;
      }
      comparison.add(found, expected);
      file.file->forget(offset, size);
      offset += size;
      return {};
    }));
    results.push_back({.buffer = buffer.name,
                       .path = check.path.text,
                       .is_close = check.is_close,
                       .comparison = std::move(comparison),
                       .shape = buffer.shape});
  }
  return results;
}

}  // namespace vyre::cli::job
