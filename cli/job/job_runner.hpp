#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <vyre/runtime/session.hpp>

#include "cli/job/job_walker.hpp"
#include "cli/job/progress.hpp"

namespace vyre::cli::job {

/// The time and report of one run of all steps.
struct JobRun {
  std::uint64_t ns = 0;  ///< The time from the first step until all steps are done.
  report::RunReport report = {};
};

/// Is given the bytes of a buffer, in order.
using ByteSink = std::function<Result<void>(std::span<const std::byte>)>;

/// Runs a job on a device in one launch mode, any number of times.
class JobRunner {
 public:
  /// Makes the buffers. The plan and the progress must outlive this.
  [[nodiscard]] static Result<JobRunner> open(const JobPlan& plan, std::shared_ptr<backend::Device> device,
                                              const runtime::SessionOptions& options, std::uint64_t operations,
                                              Progress& progress);

  /// Fills the buffers, runs all steps and waits for them. `label` is shown with the progress.
  [[nodiscard]] Result<JobRun> run(const std::string& label);
  /// Reads the buffer that has this name after the last run, in pieces of limited size.
  [[nodiscard]] Result<void> read(std::uint32_t name, const ByteSink& sink);

 private:
  JobRunner(const JobPlan& plan, runtime::Session session, std::uint64_t operations, Progress& progress);
  [[nodiscard]] Result<void> fill_buffers(const std::string& label);
  [[nodiscard]] Result<void> fill_from_file(const runtime::BufferView& view, const FileArray& file);
  [[nodiscard]] Result<void> fill_from_generator(const runtime::BufferView& view, const PlannedBuffer& buffer);
  [[nodiscard]] Result<void> enqueue(const Operation& operation);
  [[nodiscard]] Result<void> enqueue_dispatch(const Operation& operation);
  [[nodiscard]] Result<void> enqueue_fill(const Operation& operation);
  [[nodiscard]] runtime::BufferView view_of(const ByteRange& range) const noexcept;

  const JobPlan* plan_;
  Progress* progress_;
  std::unique_ptr<JobWalker> walker_;
  std::uint64_t operations_;
  std::vector<runtime::BufferView> buffers_;
  std::vector<std::byte> room_;
  std::vector<runtime::Argument> arguments_;
  runtime::Session session_;
};

}  // namespace vyre::cli::job
