#include "cli/job/job_plan.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vyre/base/checked.hpp>

namespace vyre::cli::job {
namespace {

namespace fs = std::filesystem;

/// The index of the thing with a name. `InvalidArgument` if there is none.
template <typename T, typename NameOf>
Result<std::uint32_t> find_name(std::string_view file, const std::vector<T>& things, const Name& name,
                                std::string_view what, const NameOf& name_of) {
  const auto found = std::ranges::find(things, name.text, name_of);
  if (found != things.end()) return static_cast<std::uint32_t>(found - things.begin());
  std::vector<std::string> names;
  for (const T& each : things) names.push_back(shown(name_of(each)));
  return refuse_at(file, name.at,
                   fmt::format("there is no {} '{}', there are {}", what, shown(name.text),
                               names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

Result<program::Program> load_program(const Job& job, const ProgramSource& source,
                                      const std::shared_ptr<program::SpirvCache>& cache) {
  const fs::path path = job_path(job, source.path);
  const std::string ending = path.extension();
  const bool is_named_so = source.is_glsl ? ending == ".comp" || ending == ".glsl" : ending == ".spv";
  if (!is_named_so) {
    return refuse_at(job.file, source.path.at,
                     fmt::format("'{}' ends in '{}', {}", shown(source.path.text), shown(ending),
                                 source.is_glsl ? "GLSL ends in .comp or .glsl" : "SPIR-V ends in .spv"));
  }
  program::ProgramOptions options{
      .name = source.name.text, .entry_point = source.entry_point, .defines = source.defines, .cache = cache};
  for (const Name& folder : source.include) options.include_folders.push_back(job_path(job, folder));
  Result<program::Program> program = program::Program::from_file(path, options);
  if (!program) return std::unexpected{error_at(job.file, source.path.at, std::move(program).error())};
  return program;
}

Result<FileArray> open_npy(const fs::path& path) {
  VYRE_ASSIGN(MappedFile file, MappedFile::open(path));
  Result<NpyArray> array = read_npy(file.bytes());
  if (!array) {
    Error error = std::move(array).error();
    error.message = fmt::format("'{}': {}", path.string(), error.message);
    return std::unexpected{std::move(error)};
  }
  if (array->bytes == 0) {
    return fail(ErrorCode::InvalidArgument, fmt::format("'{}' is {}, without elements; it takes at least one",
                                                        path.string(), describe(array->type, array->shape)));
  }
  return FileArray{.file = std::make_shared<const MappedFile>(std::move(file)),
                   .type = array->type,
                   .shape = std::move(array->shape),
                   .big_endian = array->big_endian,
                   .offset = array->offset};
}

/// Opens a file of elements without a header. Without a shape, the array has one dimension and is as long as the file.
Result<FileArray> open_raw(const fs::path& path, ElementType type, const std::optional<Shape>& wanted) {
  VYRE_ASSIGN(MappedFile file, MappedFile::open(path));
  const std::uint64_t size = file.bytes().size();
  if (wanted) {
    VYRE_ASSIGN(const std::uint64_t needed, array_bytes(type, *wanted));
    if (needed != size) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("'{}' has {} bytes, {} takes {}", path.string(), size, describe(type, *wanted), needed));
    }
  } else if (size == 0 || size % bytes_of(type) != 0) {
    return fail(ErrorCode::InvalidArgument, fmt::format("'{}' has {} bytes, elements of {} take a multiple of {}",
                                                        path.string(), size, to_string(type), bytes_of(type)));
  }
  return FileArray{.file = std::make_shared<const MappedFile>(std::move(file)),
                   .type = type,
                   .shape = wanted ? *wanted : Shape{size / bytes_of(type)}};
}

template <typename T>
Result<T> placed(Result<T> result, const Job& job, Position at) {
  if (!result) return std::unexpected{error_at(job.file, at, std::move(result).error())};
  return result;
}

Result<PlannedBuffer> plan_buffer(const Job& job, const BufferSource& source) {
  PlannedBuffer buffer{.name = source.name.text, .at = source.name.at, .type = source.type, .shape = source.shape};
  if (const auto* npy = std::get_if<NpyContents>(&source.contents)) {
    VYRE_ASSIGN(buffer.file, placed(open_npy(job_path(job, npy->path)), job, npy->path.at));
  } else if (const auto* raw = std::get_if<RawContents>(&source.contents)) {
    const auto shape = raw->has_shape ? std::optional{source.shape} : std::nullopt;
    VYRE_ASSIGN(buffer.file, placed(open_raw(job_path(job, raw->path), source.type, shape), job, raw->path.at));
  }
  if (buffer.file) {
    buffer.type = buffer.file->type;
    buffer.shape = buffer.file->shape;
  }
  VYRE_ASSIGN(buffer.bytes, placed(array_bytes(buffer.type, buffer.shape), job, source.name.at));
  if (!buffer.file) {
    VYRE_ASSIGN(buffer.generator, Generator::make(job.file, source));
  }
  return buffer;
}

Result<PlannedCheck> plan_check(const JobPlan& plan, const Check& check) {
  const Job& job = *plan.job;
  PlannedCheck planned;
  VYRE_ASSIGN(planned.buffer, plan.find_buffer(check.buffer));
  const PlannedBuffer& buffer = plan.buffers[planned.buffer];
  const fs::path path = job_path(job, check.path);
  VYRE_ASSIGN(planned.expected,
              placed(check.is_raw ? open_raw(path, buffer.type, buffer.shape) : open_npy(path), job, check.path.at));
  const FileArray& expected = planned.expected;
  if (expected.shape != buffer.shape || components_of(expected.type) != components_of(buffer.type)) {
    return refuse_at(
        job.file, check.path.at,
        fmt::format("'{}' is {}, buffer '{}' is {}", shown(check.path.text), describe(expected.type, expected.shape),
                    buffer.name, describe(buffer.type, buffer.shape)));
  }
  return planned;
}

/// Refuses two outputs that would be written to one file.
Result<void> check_outputs(const Job& job) {
  std::error_code error;
  const fs::path self = fs::weakly_canonical(job.file, error);
  std::set<fs::path> paths;
  for (const Output& output : job.outputs) {
    if (output.kind == Output::Kind::Print) continue;
    const fs::path path = fs::weakly_canonical(job_path(job, output.path), error);
    if (error) continue;
    if (path == self) return refuse_at(job.file, output.path.at, "the output would take the place of the job itself");
    if (!paths.insert(path).second) {
      return refuse_at(
          job.file, output.path.at,
          fmt::format("'{}' is written by another output, each takes a file of its own", shown(output.path.text)));
    }
  }
  return {};
}

}  // namespace

Result<std::uint32_t> JobPlan::find_buffer(const Name& name) const {
  return find_name(job->file, buffers, name, "buffer", [](const PlannedBuffer& each) { return each.name; });
}

Result<std::uint32_t> JobPlan::find_program(const Name& name) const {
  return find_name(job->file, programs, name, "program", [](const program::Program& each) { return each.name(); });
}

fs::path job_path(const Job& job, const Name& path) { return fs::path{job.file}.parent_path() / path.text; }

Result<JobPlan> plan_job(Job source, const std::shared_ptr<program::SpirvCache>& cache) {
  JobPlan plan{.job = std::make_shared<const Job>(std::move(source))};
  const Job& job = *plan.job;
  for (const BufferSource& each : job.buffers) {
    VYRE_ASSIGN(PlannedBuffer buffer, plan_buffer(job, each));
    plan.buffers.push_back(std::move(buffer));
  }
  for (const Output& each : job.outputs) {
    VYRE_ASSIGN(const std::uint32_t buffer, plan.find_buffer(each.buffer));
    plan.outputs.push_back(buffer);
  }
  VYRE_TRY(check_outputs(job));
  for (const Check& each : job.checks) {
    VYRE_ASSIGN(PlannedCheck check, plan_check(plan, each));
    plan.checks.push_back(std::move(check));
  }
  for (const ProgramSource& each : job.programs) {
    VYRE_ASSIGN(program::Program program, load_program(job, each, cache));
    plan.programs.push_back(std::move(program));
  }
  return plan;
}

Result<void> check_buffers(const JobPlan& plan, const backend::DeviceInfo& device) {
  const std::string& file = plan.job->file;
  std::uint64_t total = 0;
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (buffer.bytes > device.limits.max_buffer_bytes) {
      return refuse_at(file, buffer.at,
                       fmt::format("buffer '{}' has {} bytes, the most for one buffer on '{}' is {}", buffer.name,
                                   buffer.bytes, device.name, device.limits.max_buffer_bytes));
    }
    // Does not overflow, because both numbers are below 2^63.
    total += buffer.bytes;
    if (total > device.limits.memory_bytes) {
      return refuse_at(file, buffer.at,
                       fmt::format("the buffers up to '{}' have {} bytes together, the memory of '{}' has {}",
                                   buffer.name, total, device.name, device.limits.memory_bytes));
    }
  }
  return {};
}

}  // namespace vyre::cli::job
