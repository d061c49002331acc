#include "cli/plan_json.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace vyre::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using plan::Operation;
using plan::OperationKind;

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

/// A JSON value and the path to it, for messages such as `operations[3].kind is missing`.
class Value {
 public:
  Value(const json& value, std::string path) : value_{value}, path_{std::move(path)} {}

  /// The path is empty for the document itself.
  [[nodiscard]] Result<void> check_keys(std::span<const std::string_view> known) const {
    if (!value_.is_object()) return refuse("an object");
    for (const auto& [key, member] : value_.items()) {
      if (std::ranges::find(known, key) == known.end()) {
        return invalid(fmt::format("{} is not known, the keys are {}", name(key), fmt::join(known, ", ")));
      }
    }
    return {};
  }

  [[nodiscard]] bool has(const std::string& key) const { return value_.contains(key); }

  [[nodiscard]] Result<Value> at(const std::string& key) const {
    const auto member = value_.find(key);
    if (member == value_.end()) return invalid(name(key) + " is missing");
    return Value{*member, name(key)};
  }

  [[nodiscard]] Result<std::vector<Value>> elements() const {
    if (!value_.is_array()) return refuse("an array");
    std::vector<Value> elements;
    elements.reserve(value_.size());
    for (const json& element : value_) elements.emplace_back(element, fmt::format("{}[{}]", path_, elements.size()));
    return elements;
  }

  [[nodiscard]] Result<std::string> string() const {
    if (!value_.is_string()) return refuse("a string");
    return value_.get<std::string>();
  }

  [[nodiscard]] Result<std::uint64_t> u64(std::uint64_t min, std::uint64_t max) const {
    const std::uint64_t number = value_.is_number_unsigned() ? value_.get<std::uint64_t>() : 0;
    if (!value_.is_number_unsigned() || number < min || number > max) {
      return refuse(fmt::format("a whole number from {} to {}", min, max));
    }
    return number;
  }

  [[nodiscard]] std::unexpected<Error> refuse(std::string_view takes) const {
    const std::string got = value_.is_structured() ? fmt::format("an {}", value_.type_name()) : value_.dump();
    return invalid(fmt::format("{} is {:.40}, it takes {}", path_.empty() ? "the document" : path_, got, takes));
  }

 private:
  [[nodiscard]] std::string name(const std::string& key) const {
    return path_.empty() ? key : fmt::format("{}.{}", path_, key);
  }

  const json& value_;
  std::string path_;
};

/// Gives each name a number: from 0, in the order in which they first occur.
class Numbers {
 public:
  [[nodiscard]] std::uint32_t of(const std::string& name) {
    return numbers_.try_emplace(name, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  /// The names by their number.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names(numbers_.size());
    for (const auto& [name, number] : numbers_) names[number] = name;
    return names;
  }

 private:
  std::map<std::string, std::uint32_t> numbers_;
};

Result<OperationKind> read_kind(const Value& operation) {
  VYRE_ASSIGN(const Value value, operation.at("kind"));
  VYRE_ASSIGN(const std::string name, value.string());
  for (const auto kind : {OperationKind::Dispatch, OperationKind::Copy, OperationKind::Fill}) {
    if (name == to_string(kind)) return kind;
  }
  return value.refuse("dispatch, copy or fill");
}

Result<plan::Touch> read_touch(const Value& range, Numbers& buffers, bool writes) {
  static constexpr std::array<std::string_view, 3> kKeys{"buffer", "offset", "size"};
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  VYRE_TRY(range.check_keys(kKeys));
  VYRE_ASSIGN(const Value buffer, range.at("buffer"));
  VYRE_ASSIGN(const std::string name, buffer.string());
  VYRE_ASSIGN(const Value offset, range.at("offset"));
  VYRE_ASSIGN(const std::uint64_t begin, offset.u64(0, kMax - 1));
  VYRE_ASSIGN(const Value size, range.at("size"));
  VYRE_ASSIGN(const std::uint64_t bytes, size.u64(1, kMax - begin));
  return plan::Touch{.buffer = buffers.of(name), .begin = begin, .end = begin + bytes, .writes = writes};
}

Result<void> read_touches(const Value& operation, const std::string& key, Numbers& buffers,
                          std::vector<plan::Touch>& touches) {
  if (!operation.has(key)) return {};
  VYRE_ASSIGN(const Value list, operation.at(key));
  VYRE_ASSIGN(const std::vector<Value> ranges, list.elements());
  for (const Value& range : ranges) {
    VYRE_ASSIGN(const plan::Touch touch, read_touch(range, buffers, key == "writes"));
    touches.push_back(touch);
  }
  return {};
}

Result<Operation> read_operation(const Value& value, Numbers& programs, Numbers& buffers) {
  static constexpr std::array<std::string_view, 4> kKeys{"kind", "program", "reads", "writes"};
  VYRE_TRY(value.check_keys(kKeys));
  Operation operation;
  VYRE_ASSIGN(operation.kind, read_kind(value));
  if (operation.kind == OperationKind::Dispatch) {
    VYRE_ASSIGN(const Value program, value.at("program"));
    VYRE_ASSIGN(const std::string name, program.string());
    operation.program = programs.of(name);
  } else if (value.has("program")) {
    VYRE_ASSIGN(const Value program, value.at("program"));
    return program.refuse(fmt::format("nothing, as a {} has no program", to_string(operation.kind)));
  }
  VYRE_TRY(read_touches(value, "reads", buffers, operation.touches));
  VYRE_TRY(read_touches(value, "writes", buffers, operation.touches));
  return operation;
}

Result<json> parse(std::string_view text) {
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    return invalid(fmt::format("this is no JSON: {}", error.what()));
  }
}

}  // namespace

Result<NamedOperations> parse_operations(std::string_view text) {
  static constexpr std::array<std::string_view, 1> kKeys{"operations"};
  VYRE_ASSIGN(const json document, parse(text));
  const Value root{document, ""};
  VYRE_TRY(root.check_keys(kKeys));
  VYRE_ASSIGN(const Value list, root.at("operations"));
  VYRE_ASSIGN(const std::vector<Value> values, list.elements());
  Numbers programs;
  Numbers buffers;
  std::vector<Operation> operations;
  operations.reserve(values.size());
  for (const Value& value : values) {
    VYRE_ASSIGN(Operation operation, read_operation(value, programs, buffers));
    operations.push_back(std::move(operation));
  }
  return NamedOperations{.operations = std::move(operations), .programs = programs.names()};
}

std::string to_json(const plan::Plan& plan, const std::vector<std::string>& programs) {
  ordered_json waves = ordered_json::array();
  for (const plan::Wave& wave : plan.waves) {
    ordered_json groups = ordered_json::array();
    for (const plan::Group& group : plan.groups_of(wave)) {
      ordered_json value{{"kind", to_string(group.kind)}};
      if (group.kind == OperationKind::Dispatch) value["program"] = programs.at(group.program);
      value["operations"] = plan.operations_of(group);
      groups.push_back(std::move(value));
    }
    waves.push_back({{"groups", std::move(groups)}});
  }
  const plan::PlanCounts counts = plan.counts();
  return ordered_json{{"operations", plan.operations.size()},
                      {"barriers", counts.barriers},
                      {"barriers_avoided", counts.barriers_avoided},
                      {"waves", std::move(waves)}}
      .dump();
}

}  // namespace vyre::cli
