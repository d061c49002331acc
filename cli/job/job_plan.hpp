#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <vyre/backend/device_info.hpp>
#include <vyre/program/program.hpp>

#include "cli/job/contents.hpp"
#include "cli/job/job.hpp"
#include "cli/job/mapped_file.hpp"
#include "cli/job/npy.hpp"

namespace vyre::cli::job {

/// An array in a mapped file.
struct FileArray {
  std::shared_ptr<const MappedFile> file = {};
  ElementType type = ElementType::U8;
  Shape shape = {};
  bool big_endian = false;
  std::uint64_t offset = 0;  ///< The offset of the first element in the file.

  [[nodiscard]] std::uint64_t size() const noexcept { return file->bytes().size() - offset; }
};

struct PlannedBuffer {
  std::string name = {};
  Position at = {};
  ElementType type = ElementType::F32;
  Shape shape = {};
  std::uint64_t bytes = 0;
  std::optional<FileArray> file = {};       ///< Where the elements come from: either this
  std::optional<Generator> generator = {};  ///< or this.

  [[nodiscard]] std::uint64_t count() const noexcept { return bytes / bytes_of(type); }
};

struct PlannedCheck {
  std::uint32_t buffer = 0;  ///< The index of the buffer's name.
  FileArray expected = {};
};

/// A checked job: every name is known, programs are compiled, and files exist and have the right size.
struct JobPlan {
  std::shared_ptr<const Job> job = {};
  std::vector<program::Program> programs = {};  ///< As in the job.
  std::vector<PlannedBuffer> buffers = {};      ///< As in the job.
  std::vector<std::uint32_t> outputs = {};      ///< The buffer of each output.
  std::vector<PlannedCheck> checks = {};        ///< As in the job.

  [[nodiscard]] Result<std::uint32_t> find_buffer(const Name& name) const;
  [[nodiscard]] Result<std::uint32_t> find_program(const Name& name) const;
};

/// Resolves a path in a job, relative to the folder of the job's file.
[[nodiscard]] std::filesystem::path job_path(const Job& job, const Name& path);

/// `InvalidArgument`, `CompileFailed` or `Unsupported`, with file and line. GLSL is looked for in `cache`, which may be
/// null.
[[nodiscard]] Result<JobPlan> plan_job(Job job, const std::shared_ptr<program::SpirvCache>& cache = {});

/// Checks, before anything is allocated, that the buffers fit the device. The error names the limit.
[[nodiscard]] Result<void> check_buffers(const JobPlan& plan, const backend::DeviceInfo& device);

}  // namespace vyre::cli::job
