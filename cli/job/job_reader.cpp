#include "cli/job/job_reader.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/job/fields.hpp"
#include "cli/job/step_reader.hpp"

namespace vyre::cli::job {
namespace {

constexpr std::string_view kTakesFile = "the name of a file";

Result<std::vector<std::pair<std::string, std::string>>> read_defines(std::string_view file, const Value& value) {
  VYRE_ASSIGN(const Table* table, read_table(file, value, "defines", "a table of macros and their text"));
  std::vector<std::pair<std::string, std::string>> defines;
  for (const Entry& entry : *table) {
    if (const auto* text = std::get_if<std::string>(&entry.value.value)) {
      defines.emplace_back(entry.key, *text);
      continue;
    }
    VYRE_ASSIGN(const Number number, read_number(file, entry.value, entry.key));
    defines.emplace_back(entry.key, to_string(number));
  }
  return defines;
}

Result<ProgramSource> read_program(std::string_view file, const Entry& entry) {
  VYRE_ASSIGN(const Fields fields, Fields::open(file, entry.value, fmt::format("[programs.{}]", shown(entry.key)),
                                                {"glsl", "spirv", "entry_point", "defines", "include", "values"}));
  ProgramSource program;
  VYRE_ASSIGN(program.name, read_key(file, entry));
  VYRE_ASSIGN(const std::string_view kind, fields.only_one_of({"glsl", "spirv"}));
  program.is_glsl = kind == "glsl";
  VYRE_ASSIGN(program.path, read_text(file, *fields.find(kind), kind, kTakesFile));
  if (const Value* entry_point = fields.find("entry_point")) {
    VYRE_ASSIGN(const Name name, read_text(file, *entry_point, "entry_point", "the name of a function"));
    program.entry_point = name.text;
  }
  if (const Value* defines = fields.find("defines")) {
    if (!program.is_glsl) return refuse_value(file, *defines, "defines", "GLSL, this program is SPIR-V");
    VYRE_ASSIGN(program.defines, read_defines(file, *defines));
  }
  if (const Value* include = fields.find("include")) {
    if (!program.is_glsl) return refuse_value(file, *include, "include", "GLSL, this program is SPIR-V");
    VYRE_ASSIGN(const List* folders, read_list(file, *include, "include", "a list of folders"));
    for (const Value& each : *folders) {
      VYRE_ASSIGN(Name folder, read_text(file, each, "include", "the name of a folder"));
      program.include.push_back(std::move(folder));
    }
  }
  if (const Value* values = fields.find("values")) {
    VYRE_ASSIGN(program.values, read_spec_values(file, *values));
  }
  return program;
}

/// Reads the element type of a buffer that is not from a .npy file.
Result<ElementType> read_type(const Fields& fields, bool is_made) {
  std::vector<std::string_view> names;
  for (const ElementType type : kElementTypes) {
    if (!is_made || components_of(type) == 1) names.push_back(to_string(type));
  }
  const std::string takes = fmt::format("one of {}", fmt::join(names, ", "));
  VYRE_ASSIGN(const Value* value, fields.need("type", takes));
  VYRE_ASSIGN(const Name name, read_text(fields.file(), *value, "type", takes));
  const std::optional<ElementType> type = parse_element_type(name.text);
  if (!type || (is_made && components_of(*type) > 1)) return refuse_value(fields.file(), *value, "type", takes);
  return *type;
}

Result<RangeContents> read_range(std::string_view file, const Value& value, Shape& shape) {
  VYRE_ASSIGN(const Fields fields, Fields::open(file, value, "'range'", {"start", "step", "count"}));
  RangeContents range{.at = value.at};
  if (const Value* start = fields.find("start")) {
    VYRE_ASSIGN(range.start, read_number(file, *start, "start"));
  }
  if (const Value* step = fields.find("step")) {
    VYRE_ASSIGN(range.step, read_number(file, *step, "step"));
  }
  VYRE_ASSIGN(const Value* count, fields.need("count", "a number of elements"));
  VYRE_ASSIGN(const std::int64_t elements, read_integer(file, *count, "count", 1));
  shape = {static_cast<std::uint64_t>(elements)};
  return range;
}

Result<RandomContents> read_random(std::string_view file, const Value& value, Shape& shape) {
  VYRE_ASSIGN(const Fields fields, Fields::open(file, value, "'random'", {"seed", "count", "shape", "min", "max"}));
  RandomContents random{.at = value.at};
  VYRE_ASSIGN(const Value* seed, fields.need("seed", "a whole number from 0 on"));
  VYRE_ASSIGN(const std::int64_t number, read_integer(file, *seed, "seed", 0));
  random.seed = static_cast<std::uint64_t>(number);
  VYRE_ASSIGN(const std::string_view extent, fields.only_one_of({"count", "shape"}));
  VYRE_ASSIGN(shape, read_shape(file, *fields.find(extent), extent));
  if (const Value* min = fields.find("min")) {
    VYRE_ASSIGN(random.min, read_number(file, *min, "min"));
  }
  if (const Value* max = fields.find("max")) {
    VYRE_ASSIGN(random.max, read_number(file, *max, "max"));
  }
  return random;
}

Result<BufferSource> read_buffer(std::string_view file, const Entry& entry) {
  const std::string what = fmt::format("[buffers.{}]", shown(entry.key));
  VYRE_ASSIGN(const Fields any,
              Fields::open(file, entry.value, what,
                           {"npy", "raw", "zeros", "full", "range", "random", "type", "shape", "value"}));
  VYRE_ASSIGN(const std::string_view kind, any.only_one_of({"npy", "raw", "zeros", "full", "range", "random"}));
  BufferSource buffer;
  VYRE_ASSIGN(buffer.name, read_key(file, entry));
  const Value& value = *any.find(kind);
  if (kind == "npy") {
    VYRE_TRY(Fields::open(file, entry.value, what + " with 'npy'", {"npy"}));
    VYRE_ASSIGN(Name path, read_text(file, value, kind, kTakesFile));
    buffer.contents = NpyContents{.path = std::move(path)};
    return buffer;
  }
  VYRE_ASSIGN(buffer.type, read_type(any, kind != "raw"));
  if (kind == "raw") {
    VYRE_ASSIGN(const Fields fields, Fields::open(file, entry.value, what + " with 'raw'", {"raw", "type", "shape"}));
    VYRE_ASSIGN(Name path, read_text(file, value, kind, kTakesFile));
    const Value* shape = fields.find("shape");
    if (shape != nullptr) {
      VYRE_ASSIGN(buffer.shape, read_shape(file, *shape, "shape"));
    }
    buffer.contents = RawContents{.path = std::move(path), .has_shape = shape != nullptr};
  } else if (kind == "full") {
    VYRE_ASSIGN(const Fields fields, Fields::open(file, entry.value, what + " with 'full'", {"full", "type", "value"}));
    VYRE_ASSIGN(const Value* fill, fields.need("value", "a number"));
    VYRE_ASSIGN(const Number number, read_number(file, *fill, "value"));
    VYRE_ASSIGN(buffer.shape, read_shape(file, value, kind));
    buffer.contents = FullContents{.value = number, .at = fill->at};
  } else {
    VYRE_TRY(Fields::open(file, entry.value, fmt::format("{} with '{}'", what, kind), {kind, "type"}));
    if (kind == "zeros") {
      VYRE_ASSIGN(buffer.shape, read_shape(file, value, kind));
    } else if (kind == "range") {
      VYRE_ASSIGN(buffer.contents, read_range(file, value, buffer.shape));
    } else {
      VYRE_ASSIGN(buffer.contents, read_random(file, value, buffer.shape));
    }
  }
  return buffer;
}

Result<Output> read_output(std::string_view file, const Value& value) {
  VYRE_ASSIGN(const Fields fields, Fields::open(file, value, "an output", {"buffer", "npy", "raw", "print"}));
  Output output{.at = value.at};
  VYRE_ASSIGN(const Value* buffer, fields.need("buffer", "the name of a buffer"));
  VYRE_ASSIGN(output.buffer, read_text(file, *buffer, "buffer", "the name of a buffer"));
  VYRE_ASSIGN(const std::string_view kind, fields.only_one_of({"npy", "raw", "print"}));
  const Value& how = *fields.find(kind);
  if (kind != "print") {
    output.kind = kind == "npy" ? Output::Kind::Npy : Output::Kind::Raw;
    VYRE_ASSIGN(output.path, read_text(file, how, kind, kTakesFile));
    return output;
  }
  output.kind = Output::Kind::Print;
  if (const auto* all = std::get_if<bool>(&how.value); all != nullptr && *all) return output;
  const auto* count = std::get_if<std::int64_t>(&how.value);
  if (count == nullptr || *count < 1)
    return refuse_value(file, how, "print", "true, or a number of elements from 1 on");
  output.print_count = static_cast<std::uint64_t>(*count);
  return output;
}

Result<Check> read_check(std::string_view file, const Value& value) {
  constexpr std::string_view kTakes = "the name of a .npy file, or { raw = \"file\" }";
  VYRE_ASSIGN(const Fields fields, Fields::open(file, value, "a check", {"buffer", "equal", "close", "rtol", "atol"}));
  Check check{.at = value.at};
  VYRE_ASSIGN(const Value* buffer, fields.need("buffer", "the name of a buffer"));
  VYRE_ASSIGN(check.buffer, read_text(file, *buffer, "buffer", "the name of a buffer"));
  VYRE_ASSIGN(const std::string_view kind, fields.only_one_of({"equal", "close"}));
  check.is_close = kind == "close";
  const Value& expected = *fields.find(kind);
  if (std::holds_alternative<Table>(expected.value)) {
    VYRE_ASSIGN(const Fields raw, Fields::open(file, expected, fmt::format("'{}'", kind), {"raw"}));
    VYRE_ASSIGN(const Value* path, raw.need("raw", kTakesFile));
    VYRE_ASSIGN(check.path, read_text(file, *path, "raw", kTakesFile));
    check.is_raw = true;
  } else {
    VYRE_ASSIGN(check.path, read_text(file, expected, kind, kTakes));
  }
  for (const auto& [key, tolerance] : {std::pair{"rtol", &check.rtol}, {"atol", &check.atol}}) {
    const Value* given = fields.find(key);
    if (given == nullptr) continue;
    if (!check.is_close) return refuse_value(file, *given, key, "'close', this check has 'equal'");
    VYRE_ASSIGN(*tolerance, read_fraction(file, *given, key));
  }
  return check;
}

/// Reads every table of a list of tables.
template <typename T>
Result<std::vector<T>> read_all(const Fields& job, std::string_view key,
                                Result<T> (*read)(std::string_view, const Value&)) {
  std::vector<T> all;
  const Value* value = job.find(key);
  if (value == nullptr) return all;
  VYRE_ASSIGN(const List* list, read_list(job.file(), *value, key, fmt::format("a list of tables, [[{}]]", key)));
  for (const Value& each : *list) {
    VYRE_ASSIGN(T one, read(job.file(), each));
    all.push_back(std::move(one));
  }
  return all;
}

/// Reads every table of a table of tables.
template <typename T>
Result<std::vector<T>> read_named(const Fields& job, std::string_view key,
                                  Result<T> (*read)(std::string_view, const Entry&)) {
  std::vector<T> all;
  const Value* value = job.find(key);
  if (value == nullptr) return all;
  VYRE_ASSIGN(const Table* table, read_table(job.file(), *value, key, fmt::format("tables, [{}.NAME]", key)));
  for (const Entry& entry : *table) {
    VYRE_ASSIGN(T one, read(job.file(), entry));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

Result<Job> read_job(std::string_view text, const std::string& file) {
  VYRE_ASSIGN(const Value root, parse_toml(text, file));
  VYRE_ASSIGN(const Fields fields,
              Fields::open(file, root, "a job", {"name", "programs", "buffers", "steps", "outputs", "checks"}));
  Job job{.file = file, .name = std::filesystem::path{file}.stem().string()};
  if (const Value* name = fields.find("name")) {
    VYRE_ASSIGN(const Name given, read_text(file, *name, "name", "a name"));
    job.name = shown(given.text);
  }
  VYRE_ASSIGN(job.programs, read_named(fields, "programs", read_program));
  VYRE_ASSIGN(job.buffers, read_named(fields, "buffers", read_buffer));
  if (const Value* steps = fields.find("steps")) {
    VYRE_ASSIGN(job.steps, read_steps(file, *steps));
  }
  VYRE_ASSIGN(job.outputs, read_all(fields, "outputs", read_output));
  VYRE_ASSIGN(job.checks, read_all(fields, "checks", read_check));
  if (job.steps.empty()) return fields.refuse("a job has no steps, it takes at least one, [[steps]]");
  return job;
}

}  // namespace vyre::cli::job
