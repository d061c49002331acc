#include "cli/job/job_runner.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace vyre::cli::job {
namespace {

/// The number of bytes that are moved at a time: a multiple of every element's size.
constexpr std::uint64_t kPiece = std::uint64_t{8} << 20;

/// The four bytes that a fill must repeat to set every element; nothing if the element is longer and its parts differ.
std::optional<std::uint32_t> to_pattern(std::span<const std::byte> element) noexcept {
  std::array<std::byte, 4> first{};
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = element[i % element.size()];
  for (std::size_t i = 0; i < element.size(); ++i) {
    if (element[i] != first[i % first.size()]) return std::nullopt;
  }
  return std::bit_cast<std::uint32_t>(first);
}

}  // namespace

JobRunner::JobRunner(const JobPlan& plan, runtime::Session session, std::uint64_t operations, Progress& progress)
    : plan_{&plan},
      progress_{&progress},
      walker_{std::make_unique<JobWalker>(plan)},
      operations_{operations},
      session_{std::move(session)} {}

Result<JobRunner> JobRunner::open(const JobPlan& plan, std::shared_ptr<backend::Device> device,
                                  const runtime::SessionOptions& options, std::uint64_t operations,
                                  Progress& progress) {
  VYRE_ASSIGN(runtime::Session session, runtime::Session::open(std::move(device), options));
  JobRunner runner{plan, std::move(session), operations, progress};
  for (const PlannedBuffer& buffer : plan.buffers) {
    Result<runtime::BufferView> view = runner.session_.bytes(buffer.bytes);
    if (!view) {
      Error error = error_at(plan.job->file, buffer.at, std::move(view).error());
      return in_context(std::move(error), fmt::format("while making buffer '{}'", buffer.name));
    }
    runner.buffers_.push_back(*view);
  }
  return runner;
}

Result<JobRun> JobRunner::run(const std::string& label) {
  VYRE_TRY(fill_buffers(label));
  // Ends a report here, so that the uploads are not part of the run's report.
  VYRE_TRY(session_.finish());
  progress_->begin(fmt::format("{}: launching", label), operations_);
  const auto begin = std::chrono::steady_clock::now();
  VYRE_TRY(walker_->walk(JobWalker::Repeats::Unfold, [this](const Operation& operation) -> Result<void> {
    Result<void> done = enqueue(operation);
    if (!done) return std::unexpected{error_at(plan_->job->file, operation.step->at, std::move(done).error())};
    progress_->advance(operation.repeat);
    return {};
  }));
  progress_->begin(fmt::format("{}: waiting for the device", label));
  Result<report::RunReport> report = session_.finish();
  if (!report) return in_context(std::move(report).error(), fmt::format("while running '{}'", plan_->job->file));
  const auto elapsed = std::chrono::steady_clock::now() - begin;
  // Calibrating the device is not part of the run either.
  const auto taken = static_cast<std::uint64_t>(std::chrono::nanoseconds{elapsed}.count());
  return JobRun{.ns = taken - std::min(taken, report->calibration_ns), .report = *std::move(report)};
}

Result<void> JobRunner::read(std::uint32_t name, const ByteSink& sink) {
  const runtime::BufferView& whole = buffers_[walker_->buffer_of(name)];
  for (std::uint64_t offset = 0; offset < whole.size;) {
    const std::uint64_t part = std::min(kPiece, whole.size - offset);
    const runtime::BufferView view = whole.bytes(offset, part);
    if (const auto mapped = session_.map(view)) {
      VYRE_TRY(sink(*mapped));
    } else {
      room_.resize(part);
      VYRE_TRY(session_.read_bytes(view, room_));
      VYRE_TRY(session_.finish());
      VYRE_TRY(sink(room_));
    }
    offset += part;
  }
  return {};
}

Result<void> JobRunner::fill_buffers(const std::string& label) {
  std::uint64_t total = 0;
  for (const PlannedBuffer& buffer : plan_->buffers) total += buffer.bytes;
  progress_->begin(fmt::format("{}: filling buffers, bytes", label), total);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const PlannedBuffer& buffer = plan_->buffers[i];
    VYRE_TRY(buffer.file ? fill_from_file(buffers_[i], *buffer.file) : fill_from_generator(buffers_[i], buffer));
  }
  return {};
}

Result<void> JobRunner::fill_from_file(const runtime::BufferView& view, const FileArray& file) {
  const std::span<const std::byte> elements = file.file->bytes().subspan(file.offset);
  for (std::uint64_t offset = 0; offset < view.size;) {
    const std::uint64_t part = std::min(kPiece, view.size - offset);
    std::span<const std::byte> bytes = elements.subspan(offset, part);
    if (file.big_endian) {
      room_.assign(bytes.begin(), bytes.end());
      swap_bytes(room_, file.type);
      bytes = room_;
    }
    VYRE_TRY(session_.write_bytes(view.bytes(offset, part), bytes));
    file.file->forget(file.offset + offset, part);
    progress_->advance(part);
    offset += part;
  }
  return {};
}

Result<void> JobRunner::fill_from_generator(const runtime::BufferView& view, const PlannedBuffer& buffer) {
  for (std::uint64_t offset = 0; offset < view.size;) {
    const std::uint64_t part = std::min(kPiece, view.size - offset);
    room_.resize(part);
    buffer.generator->fill(offset / bytes_of(buffer.type), room_);
    VYRE_TRY(session_.write_bytes(view.bytes(offset, part), room_));
    progress_->advance(part);
    offset += part;
  }
  return {};
}

runtime::BufferView JobRunner::view_of(const ByteRange& range) const noexcept {
  return range.is_left_out() ? runtime::BufferView{} : buffers_[range.buffer].bytes(range.offset, range.size);
}

Result<void> JobRunner::enqueue(const Operation& operation) {
  switch (operation.kind) {
    case plan::OperationKind::Dispatch: return enqueue_dispatch(operation);
    case plan::OperationKind::Copy:
      for (std::uint64_t i = 0; i < operation.repeat; ++i) {
        VYRE_TRY(session_.copy(view_of(operation.ranges[0]), view_of(operation.ranges[1])));
      }
      return {};
    case plan::OperationKind::Fill:
      for (std::uint64_t i = 0; i < operation.repeat; ++i) VYRE_TRY(enqueue_fill(operation));
      return {};
  }
  return {};
}

Result<void> JobRunner::enqueue_dispatch(const Operation& operation) {
  arguments_.clear();
  for (const ByteRange& range : operation.ranges) arguments_.emplace_back(view_of(range));
  runtime::DispatchOptions options{.groups = {operation.groups[0], operation.groups[1], operation.groups[2]},
                                   .values = operation.form->values};
  if (!operation.params.empty()) options.params = runtime::Params::from_bytes(operation.params);
  for (std::uint64_t left = operation.repeat; left > 0;) {
    options.repeat = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, 1U << 20));
    VYRE_TRY(session_.dispatch(plan_->programs[operation.program], arguments_, options));
    left -= options.repeat;
  }
  return {};
}

Result<void> JobRunner::enqueue_fill(const Operation& operation) {
  const runtime::BufferView view = view_of(operation.ranges[0]);
  const std::optional<std::uint32_t> pattern = to_pattern(operation.element);
  if (pattern && backend::can_fill(view.offset, view.size, *pattern)) return session_.fill(view, *pattern);
  // A fill on the device repeats four bytes. Where that does not give the elements, the host writes them instead.
  const std::uint64_t most = std::min(kPiece, view.size);
  room_.resize(most);
  for (std::size_t i = 0; i < room_.size(); ++i) room_[i] = operation.element[i % operation.element.size()];
  for (std::uint64_t offset = 0; offset < view.size;) {
    const std::uint64_t part = std::min(most, view.size - offset);
    VYRE_TRY(session_.write_bytes(view.bytes(offset, part), std::span{room_}.first(part)));
    offset += part;
  }
  return {};
}

}  // namespace vyre::cli::job
