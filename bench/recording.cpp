#include "bench/recording.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include <zlib.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vyre/choice/line.hpp>
#include <vyre/program/forms/form.hpp>

namespace vyre::bench {
namespace {

using choice::Way;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kFirstLine = "vyre-recording 1";
/// A file that takes more than this as text is not read.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

ordered_json to_json(const choice::Line& line) { return {line.fixed_ns, line.slope_ns}; }

choice::Line line_of(const json& value) {
  return {.fixed_ns = value.at(0).get<double>(), .slope_ns = value.at(1).get<double>()};
}

ordered_json to_json(const choice::Calibration& from) {
  ordered_json ways = ordered_json::object();
  for (const Way way : choice::kAllWays) ways[std::string{to_string(way)}] = to_json(from.way(way));
  ordered_json forms = ordered_json::object();
  for (const program::FormKind kind : program::kAllForms) {
    const choice::FormRatios& ratios = from.form(kind);
    if (from.has(kind)) forms[std::string{to_string(kind)}] = {ratios.narrow, ratios.wide, ratios.compile};
  }
  ordered_json value{{"device", from.device},
                     {"signature", from.signature},
                     {"ways", ways},
                     {"record", to_json(from.record)},
                     {"copy", to_json(from.copy)},
                     {"barrier_ns", from.barrier_ns},
                     {"forms", forms},
                     {"compile_ns", from.compile_ns},
                     {"bound", to_json(from.bound)},
                     {"table", to_json(from.table)}};
  if (from.bindless_crossover) value["bindless_crossover"] = *from.bindless_crossover;
  return value;
}

choice::Calibration calibration_of(const json& value) {
  choice::Calibration result{.device = value.at("device").get<std::string>(),
                             .signature = value.at("signature").get<std::string>(),
                             .record = line_of(value.at("record")),
                             .copy = line_of(value.at("copy")),
                             .barrier_ns = value.at("barrier_ns").get<double>(),
                             .has_form = {},
                             .compile_ns = value.at("compile_ns").get<double>(),
                             .bound = line_of(value.at("bound")),
                             .table = line_of(value.at("table"))};
  for (const Way way : choice::kAllWays) result.way(way) = line_of(value.at("ways").at(std::string{to_string(way)}));
  for (const program::FormKind kind : program::kAllForms) {
    const auto found = value.at("forms").find(std::string{to_string(kind)});
    if (found == value.at("forms").end()) continue;
    const auto i = static_cast<std::size_t>(kind);
    result.has_form[i] = true;
    result.forms[i] = {.narrow = found->at(0).get<double>(),
                       .wide = found->at(1).get<double>(),
                       .compile = found->at(2).get<double>()};
  }
  if (value.contains("bindless_crossover")) {
    result.bindless_crossover = value.at("bindless_crossover").get<std::uint32_t>();
  }
  return result;
}

ordered_json to_json(const choice::BatchShape& shape) {
  ordered_json kinds = ordered_json::array();
  for (const choice::GroupKind& kind : shape.kinds) {
    kinds.push_back({{"program", kind.program},
                     {"count", kind.count},
                     {"groups", kind.groups},
                     {"size_class", kind.size_class},
                     {"resources", kind.resources},
                     {"indexes_dynamically", kind.indexes_dynamically}});
  }
  return {{"key", shape.key},
          {"kinds", kinds},
          {"dispatches", shape.dispatches},
          {"barriers", shape.barriers},
          {"stretches", shape.stretches},
          {"inner_barriers", shape.inner_barriers},
          {"copies", shape.copies},
          {"copied_bytes", shape.copied_bytes}};
}

choice::BatchShape shape_of(const json& value) {
  choice::BatchShape shape{.key = value.at("key").get<std::uint64_t>(),
                           .dispatches = value.at("dispatches").get<std::uint32_t>(),
                           .barriers = value.at("barriers").get<std::uint32_t>(),
                           .stretches = value.at("stretches").get<std::uint32_t>(),
                           .inner_barriers = value.at("inner_barriers").get<std::uint32_t>(),
                           .copies = value.at("copies").get<std::uint32_t>(),
                           .copied_bytes = value.at("copied_bytes").get<std::uint64_t>()};
  for (const json& kind : value.at("kinds")) {
    shape.kinds.push_back({.program = kind.at("program").get<std::uint64_t>(),
                           .count = kind.at("count").get<std::uint32_t>(),
                           .groups = kind.at("groups").get<std::uint32_t>(),
                           .size_class = kind.at("size_class").get<std::uint32_t>(),
                           .resources = kind.at("resources").get<std::uint32_t>(),
                           .indexes_dynamically = kind.at("indexes_dynamically").get<bool>()});
  }
  return shape;
}

ordered_json to_json(const RecordedWorkload& workload) {
  ordered_json forms = ordered_json::array();
  for (const choice::ProgramForms& each : workload.forms) {
    forms.push_back({{"possible", each.possible}, {"compiled", each.compiled}});
  }
  ordered_json kernels = ordered_json::array();
  for (const auto& each : workload.kernels_ns) {
    ordered_json& times = kernels.emplace_back(ordered_json::object());
    for (const program::FormKind kind : program::kAllForms) {
      const auto& ns = each[static_cast<std::size_t>(kind)];
      if (ns) times[std::string{to_string(kind)}] = *ns;
    }
  }
  return {{"workload", workload.name},
          {"is_same", workload.is_same},
          {"per_wait", workload.per_wait},
          {"plan_ns", workload.plan_ns},
          {"other_cores", workload.other_cores},
          {"shape", to_json(workload.shape)},
          {"forms", forms},
          {"kernels_ns", kernels}};
}

RecordedWorkload workload_of(const json& value) {
  RecordedWorkload workload{.name = value.at("workload").get<std::string>(),
                            .is_same = value.at("is_same").get<bool>(),
                            .per_wait = value.at("per_wait").get<std::uint32_t>(),
                            .shape = shape_of(value.at("shape")),
                            .plan_ns = value.at("plan_ns").get<double>(),
                            .other_cores = value.at("other_cores").get<double>()};
  for (const json& each : value.at("forms")) {
    choice::ProgramForms& forms = workload.forms.emplace_back();
    each.at("possible").get_to(forms.possible);
    each.at("compiled").get_to(forms.compiled);
  }
  for (const json& each : value.at("kernels_ns")) {
    auto& times = workload.kernels_ns.emplace_back();
    for (const program::FormKind kind : program::kAllForms) {
      const auto found = each.find(std::string{to_string(kind)});
      if (found != each.end()) times[static_cast<std::size_t>(kind)] = found->get<double>();
    }
  }
  return workload;
}

/// Takes the next word of a line; `end` is one character.
std::optional<std::string_view> take_word(std::string_view& line, char end) {
  if (line.empty()) return std::nullopt;
  const std::size_t at = line.find(end);
  const std::string_view word = line.substr(0, at);
  line.remove_prefix(at == std::string_view::npos ? line.size() : at + 1);
  return word;
}

template <typename T>
std::optional<T> take_number(std::string_view& line, char end) {
  const auto word = take_word(line, end);
  T value = {};
  if (!word) return std::nullopt;
  const auto [rest, error] = std::from_chars(word->data(), word->data() + word->size(), value);
  if (error != std::errc{} || rest != word->data() + word->size()) return std::nullopt;
  return value;
}

std::optional<Way> take_way(std::string_view& line) {
  const auto word = take_word(line, ' ');
  const auto found = std::ranges::find_if(choice::kAllWays, [&](Way way) { return word && to_string(way) == *word; });
  return found == choice::kAllWays.end() ? std::nullopt : std::optional{*found};
}

/// `3 chain 125300 53.12:20.01:4.5 …`
std::optional<RecordedBlock> block_of(std::string_view line) {
  constexpr double kNsPerUs = 1e3;
  const auto round = take_number<std::uint32_t>(line, ' ');
  const auto way = round ? take_way(line) : std::nullopt;
  const auto start = way ? take_number<double>(line, ' ') : std::nullopt;
  if (!start) return std::nullopt;
  RecordedBlock block{.round = *round, .way = *way, .start_ns = *start * kNsPerUs};
  while (!line.empty()) {
    const auto wall = take_number<double>(line, ':');
    const auto cpu = take_number<double>(line, ':');
    const auto host = take_number<double>(line, ' ');
    if (!wall || !cpu || !host || *wall <= 0) return std::nullopt;
    block.runs.push_back({.wall_ns = *wall * kNsPerUs, .cpu_ns = *cpu * kNsPerUs, .host_ns = *host * kNsPerUs});
  }
  if (block.runs.empty()) return std::nullopt;
  return block;
}

Result<Recording> parse_lines(std::string_view text, std::size_t& number) {
  const auto corrupt = [](std::string message) { return fail(ErrorCode::Corrupt, std::move(message)); };
  number = 1;
  if (take_word(text, '\n') != kFirstLine) {
    return corrupt(fmt::format("a recording begins with '{}'", kFirstLine));
  }
  number = 2;
  const auto head = take_word(text, '\n');
  if (!head) return corrupt("the recording ends before its device");
  const json device = json::parse(*head);
  Recording recording{.device = device.at("device").get<std::string>(),
                      .configuration = device.at("configuration").get<std::string>(),
                      .date = device.at("date").get<std::string>(),
                      .calibration = calibration_of(device.at("calibration"))};
  while (const auto line = take_word(text, '\n')) {
    ++number;
    if (line->starts_with('{')) {
      recording.workloads.push_back(workload_of(json::parse(*line)));
      continue;
    }
    auto block = block_of(*line);
    if (!block || recording.workloads.empty()) {
      return corrupt("a line is neither a workload nor a block of one");
    }
    recording.workloads.back().blocks.push_back(*std::move(block));
  }
  return recording;
}

struct CloseFile {
  void operator()(gzFile file) const noexcept { gzclose(file); }
};
using File = std::unique_ptr<gzFile_s, CloseFile>;

}  // namespace

bool is_for_tuning(std::string_view name) noexcept {
  // FNV-1a: the same on every machine and in every version.
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325U;
  for (const char each : name) hash = (hash ^ static_cast<unsigned char>(each)) * 0x0100'0000'01b3U;
  // Its high bits depend on every character.
  return (hash * 0x9e37'79b9'7f4a'7c15U) >> 63 == 0;
}

choice::Calibration median_of(const std::vector<choice::Calibration>& calibrations) {
  // By the names that the numbers have in a file.
  json middle = json(to_json(calibrations.front())).flatten();
  std::vector<json> all;
  for (const choice::Calibration& each : calibrations) all.push_back(json(to_json(each)).flatten());
  for (auto& [name, value] : middle.items()) {
    if (!value.is_number_float()) continue;
    std::vector<double> numbers;
    for (const json& each : all) {
      if (each.contains(name)) numbers.push_back(each.at(name).get<double>());
    }
    value = choice::median(numbers);
  }
  return calibration_of(middle.unflatten());
}

std::string to_text(const Recording& recording) {
  std::string text = fmt::format("{}\n{}\n", kFirstLine,
                                 ordered_json{{"device", recording.device},
                                              {"configuration", recording.configuration},
                                              {"date", recording.date},
                                              {"calibration", to_json(recording.calibration)}}
                                     .dump());
  for (const RecordedWorkload& workload : recording.workloads) {
    text += to_json(workload).dump() + '\n';
    for (const RecordedBlock& block : workload.blocks) {
      text += fmt::format("{} {} {:.0f}", block.round, to_string(block.way), block.start_ns / 1e3);
      for (const RecordedRun& run : block.runs) {
        text += fmt::format(" {:.4g}:{:.3g}:{:.3g}", run.wall_ns / 1e3, run.cpu_ns / 1e3, run.host_ns / 1e3);
      }
      text += '\n';
    }
  }
  return text;
}

Result<Recording> parse_recording(std::string_view text) {
  std::size_t line = 0;
  try {
    auto recording = parse_lines(text, line);
    if (!recording) return in_context(std::move(recording).error(), fmt::format("while reading line {}", line));
    return recording;
  } catch (const json::exception& error) {
    return in_context({.code = ErrorCode::Corrupt, .message = error.what()},
                      fmt::format("while reading line {}", line));
  }
}

Result<void> write_recording(const std::string& path, const Recording& recording) {
  const std::string text = to_text(recording);
  const File file{gzopen(path.c_str(), "wb9")};
  const auto failed = [&] {
    return fail(ErrorCode::Unavailable, fmt::format("'{}' cannot be written: {}", path, std::strerror(errno)));
  };
  if (file == nullptr) return failed();
  if (gzfwrite(text.data(), 1, text.size(), file.get()) != text.size()) return failed();
  if (gzflush(file.get(), Z_FINISH) != Z_OK) return failed();
  return {};
}

Result<Recording> read_recording(const std::string& path) {
  const File file{gzopen(path.c_str(), "rb")};
  if (file == nullptr) {
    return fail(ErrorCode::Unavailable, fmt::format("'{}' cannot be read: {}", path, std::strerror(errno)));
  }
  std::string text;
  std::array<char, 1 << 16> some = {};
  int count = 0;
  while ((count = gzread(file.get(), some.data(), some.size())) > 0) {
    text.append(some.data(), static_cast<std::size_t>(count));
    if (text.size() > kMostBytes) {
      return fail(ErrorCode::Corrupt, fmt::format("'{}' holds more than {} bytes of text", path, kMostBytes));
    }
  }
  int error = Z_OK;
  const char* const message = gzerror(file.get(), &error);
  if (count < 0 || error < 0) return fail(ErrorCode::Corrupt, fmt::format("'{}' is cut off: {}", path, message));
  auto recording = parse_recording(text);
  if (!recording) return in_context(std::move(recording).error(), fmt::format("while reading '{}'", path));
  return recording;
}

}  // namespace vyre::bench
