#include "cli/job/step_reader.hpp"

#include <utility>

#include <fmt/format.h>

#include "cli/job/fields.hpp"

namespace vyre::cli::job {
namespace {

constexpr std::string_view kTakesBuffer = "the name of a buffer";
constexpr std::string_view kTakesView = "the name of a buffer, or { buffer, offset, count, reinterpret }";

Result<View> read_view(std::string_view file, const Value& value, std::string_view key) {
  if (std::holds_alternative<std::string>(value.value)) {
    VYRE_ASSIGN(Name buffer, read_text(file, value, key, kTakesView));
    return View{.buffer = std::move(buffer)};
  }
  if (!std::holds_alternative<Table>(value.value)) return refuse_value(file, value, key, kTakesView);
  VYRE_ASSIGN(const Fields fields,
              Fields::open(file, value, fmt::format("'{}'", shown(key)), {"buffer", "offset", "count", "reinterpret"}));
  View view;
  VYRE_ASSIGN(const Value* buffer, fields.need("buffer", kTakesBuffer));
  VYRE_ASSIGN(view.buffer, read_text(file, *buffer, "buffer", kTakesBuffer));
  if (const Value* offset = fields.find("offset")) {
    VYRE_ASSIGN(view.offset, read_quantity(file, *offset, "offset"));
  }
  if (const Value* count = fields.find("count")) {
    VYRE_ASSIGN(view.count, read_quantity(file, *count, "count"));
  }
  if (const Value* reinterpret = fields.find("reinterpret")) {
    const auto* given = std::get_if<bool>(&reinterpret->value);
    if (given == nullptr) return refuse_value(file, *reinterpret, "reinterpret", "true or false");
    view.reinterpret = *given;
  }
  return view;
}

Result<std::vector<BindingSource>> read_bindings(std::string_view file, const Value& value) {
  VYRE_ASSIGN(const Table* table, read_table(file, value, "bindings", "a table of buffers by the names of bindings"));
  std::vector<BindingSource> bindings;
  for (const Entry& entry : *table) {
    BindingSource binding{.name = {.text = entry.key, .at = entry.at}};
    if (const auto* list = std::get_if<List>(&entry.value.value)) {
      for (const Value& each : *list) {
        VYRE_ASSIGN(View view, read_view(file, each, entry.key));
        binding.views.push_back(std::move(view));
      }
    } else {
      VYRE_ASSIGN(View view, read_view(file, entry.value, entry.key));
      binding.views.push_back(std::move(view));
    }
    bindings.push_back(std::move(binding));
  }
  return bindings;
}

Result<Quantities> read_quantities(std::string_view file, const Value& value, std::string_view key) {
  Quantities quantities{.at = value.at};
  if (const auto* list = std::get_if<List>(&value.value)) {
    quantities.is_list = true;
    for (const Value& each : *list) {
      VYRE_ASSIGN(Quantities inner, read_quantities(file, each, key));
      quantities.list.push_back(std::move(inner));
    }
    return quantities;
  }
  VYRE_ASSIGN(quantities.number, read_quantity(file, value, key));
  return quantities;
}

Result<std::vector<ParamSource>> read_params(std::string_view file, const Value& value) {
  VYRE_ASSIGN(const Table* table, read_table(file, value, "params", "a table of numbers by the names of members"));
  std::vector<ParamSource> params;
  for (const Entry& entry : *table) {
    VYRE_ASSIGN(Quantities given, read_quantities(file, entry.value, entry.key));
    params.push_back({.name = {.text = entry.key, .at = entry.at}, .value = std::move(given)});
  }
  return params;
}

Result<std::vector<Quantity>> read_extent(std::string_view file, const Value& value, std::string_view key) {
  std::vector<Quantity> extent;
  const auto* list = std::get_if<List>(&value.value);
  if (list == nullptr) {
    VYRE_ASSIGN(Quantity only, read_quantity(file, value, key));
    extent.push_back(std::move(only));
    return extent;
  }
  if (list->empty() || list->size() > 3) return refuse_value(file, value, key, "a number, or a list of one to three");
  for (const Value& each : *list) {
    VYRE_ASSIGN(Quantity side, read_quantity(file, each, key));
    extent.push_back(std::move(side));
  }
  return extent;
}

Result<DispatchStep> read_dispatch(const Fields& fields) {
  const std::string_view file = fields.file();
  DispatchStep dispatch;
  VYRE_ASSIGN(dispatch.program, read_text(file, *fields.find("program"), "program", "the name of a program"));
  VYRE_ASSIGN(const std::string_view extent, fields.only_one_of({"size", "groups"}));
  dispatch.is_groups = extent == "groups";
  VYRE_ASSIGN(dispatch.extent, read_extent(file, *fields.find(extent), extent));
  if (const Value* bindings = fields.find("bindings")) {
    VYRE_ASSIGN(dispatch.bindings, read_bindings(file, *bindings));
  }
  if (const Value* params = fields.find("params")) {
    VYRE_ASSIGN(dispatch.params, read_params(file, *params));
  }
  if (const Value* values = fields.find("values")) {
    VYRE_ASSIGN(dispatch.values, read_spec_values(file, *values));
  }
  return dispatch;
}

Result<CopyStep> read_copy(std::string_view file, const Value& value) {
  VYRE_ASSIGN(const Fields fields, Fields::open(file, value, "'copy'", {"from", "to"}));
  CopyStep copy;
  VYRE_ASSIGN(const Value* from, fields.need("from", kTakesView));
  VYRE_ASSIGN(copy.from, read_view(file, *from, "from"));
  VYRE_ASSIGN(const Value* to, fields.need("to", kTakesView));
  VYRE_ASSIGN(copy.to, read_view(file, *to, "to"));
  return copy;
}

Result<FillStep> read_fill(std::string_view file, const Value& value) {
  VYRE_ASSIGN(const Fields fields, Fields::open(file, value, "'fill'", {"buffer", "offset", "count", "value"}));
  FillStep fill;
  VYRE_ASSIGN(const Value* buffer, fields.need("buffer", kTakesBuffer));
  VYRE_ASSIGN(fill.view.buffer, read_text(file, *buffer, "buffer", kTakesBuffer));
  if (const Value* offset = fields.find("offset")) {
    VYRE_ASSIGN(fill.view.offset, read_quantity(file, *offset, "offset"));
  }
  if (const Value* count = fields.find("count")) {
    VYRE_ASSIGN(fill.view.count, read_quantity(file, *count, "count"));
  }
  VYRE_ASSIGN(const Value* number, fields.need("value", "a number"));
  VYRE_ASSIGN(fill.value, read_quantity(file, *number, "value"));
  return fill;
}

Result<Loop> read_loop(std::string_view file, const Value& value) {
  constexpr std::string_view kTakes = "one variable: { i = [1, 2, 4] } or { i = { start, stop, step } }";
  VYRE_ASSIGN(const Table* table, read_table(file, value, "for", kTakes));
  if (table->size() != 1) {
    return refuse_at(file, value.at, fmt::format("'for' has {} variables, it takes {}", table->size(), kTakes));
  }
  const Entry& entry = table->front();
  Loop loop{.variable = {.text = entry.key, .at = entry.at}};
  if (const auto* list = std::get_if<List>(&entry.value.value)) {
    std::vector<Number> numbers;
    for (const Value& each : *list) {
      VYRE_ASSIGN(const Number number, read_number(file, each, entry.key));
      numbers.push_back(number);
    }
    loop.values = std::move(numbers);
    return loop;
  }
  if (!std::holds_alternative<Table>(entry.value.value)) {
    return refuse_value(file, entry.value, entry.key, "a list of numbers, or { start, stop, step }");
  }
  VYRE_ASSIGN(const Fields fields,
              Fields::open(file, entry.value, fmt::format("'{}'", shown(entry.key)), {"start", "stop", "step"}));
  LoopRange range;
  VYRE_ASSIGN(const Value* stop, fields.need("stop", "the number the loop ends before"));
  VYRE_ASSIGN(range.stop, read_integer(file, *stop, "stop"));
  if (const Value* start = fields.find("start")) {
    VYRE_ASSIGN(range.start, read_integer(file, *start, "start"));
  }
  if (const Value* step = fields.find("step")) {
    VYRE_ASSIGN(range.step, read_integer(file, *step, "step"));
    if (range.step == 0) return refuse_value(file, *step, "step", "a number other than 0");
  }
  loop.values = range;
  return loop;
}

Result<BlockStep> read_block(const Fields& fields) {
  BlockStep block;
  if (const Value* loop = fields.find("for")) {
    VYRE_ASSIGN(block.loop, read_loop(fields.file(), *loop));
  }
  const Value& steps = *fields.find("steps");
  VYRE_ASSIGN(block.steps, read_steps(fields.file(), steps));
  if (block.steps.empty()) return refuse_value(fields.file(), steps, "steps", "a list of at least one step");
  return block;
}

Result<std::pair<Name, Name>> read_swap(std::string_view file, const Value& value) {
  constexpr std::string_view kTakes = "a list of two names of buffers";
  VYRE_ASSIGN(const List* list, read_list(file, value, "swap", kTakes));
  if (list->size() != 2) return refuse_value(file, value, "swap", kTakes);
  VYRE_ASSIGN(Name first, read_text(file, list->front(), "swap", kTakesBuffer));
  VYRE_ASSIGN(Name second, read_text(file, list->back(), "swap", kTakesBuffer));
  if (first.text == second.text) {
    return refuse_at(file, second.at,
                     fmt::format("'{}' is swapped with itself, expected is another buffer", shown(second.text)));
  }
  return std::pair{std::move(first), std::move(second)};
}

/// The keys of a step depend on what it does.
Result<Fields> open_step(std::string_view file, const Value& value) {
  VYRE_ASSIGN(const Fields any, Fields::open(file, value, "a step",
                                             {"program", "bindings", "size", "groups", "params", "values", "copy",
                                              "fill", "for", "steps", "repeat", "swap"}));
  VYRE_ASSIGN(const std::string_view kind, any.only_one_of({"program", "copy", "fill", "steps"}));
  if (kind == "program") {
    return Fields::open(file, value, "a step with 'program'",
                        {"program", "bindings", "size", "groups", "params", "values", "repeat", "swap"});
  }
  if (kind == "steps") return Fields::open(file, value, "a step with 'steps'", {"steps", "for", "repeat", "swap"});
  return Fields::open(file, value, fmt::format("a step with '{}'", kind), {kind, "repeat", "swap"});
}

Result<Step> read_step(std::string_view file, const Value& value) {
  VYRE_ASSIGN(const Fields fields, open_step(file, value));
  Step step{.at = value.at};
  if (const Value* repeat = fields.find("repeat")) {
    VYRE_ASSIGN(step.repeat, read_quantity(file, *repeat, "repeat"));
  }
  if (const Value* swap = fields.find("swap")) {
    VYRE_ASSIGN(step.swap, read_swap(file, *swap));
  }
  if (const Value* copy = fields.find("copy")) {
    VYRE_ASSIGN(step.action, read_copy(file, *copy));
  } else if (const Value* fill = fields.find("fill")) {
    VYRE_ASSIGN(step.action, read_fill(file, *fill));
  } else if (fields.find("steps") != nullptr) {
    VYRE_ASSIGN(step.action, read_block(fields));
  } else {
    VYRE_ASSIGN(step.action, read_dispatch(fields));
  }
  return step;
}

}  // namespace

Result<std::vector<Step>> read_steps(std::string_view file, const Value& value) {
  VYRE_ASSIGN(const List* list, read_list(file, value, "steps", "a list of tables, [[steps]]"));
  std::vector<Step> steps;
  for (const Value& each : *list) {
    VYRE_ASSIGN(Step step, read_step(file, each));
    steps.push_back(std::move(step));
  }
  return steps;
}

Result<std::vector<NamedQuantity>> read_spec_values(std::string_view file, const Value& value) {
  VYRE_ASSIGN(const Table* table,
              read_table(file, value, "values", "a table of numbers by the names of specialisation constants"));
  std::vector<NamedQuantity> values;
  for (const Entry& entry : *table) {
    VYRE_ASSIGN(Quantity given, read_quantity(file, entry.value, entry.key));
    values.push_back({.name = {.text = entry.key, .at = entry.at}, .value = std::move(given)});
  }
  return values;
}

}  // namespace vyre::cli::job
