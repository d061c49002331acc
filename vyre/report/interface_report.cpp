#include <vyre/report/interface_report.hpp>

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <vyre/program/bound.hpp>

namespace vyre::report {
namespace {

using nlohmann::ordered_json;
using program::Binding;
using program::BindingVariable;
using program::Interface;
using program::Loop;
using program::Member;
using program::SpecConstant;

/// A table of text, whose columns are padded to the same width.
class Table {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  [[nodiscard]] std::string to_text(std::string_view indent) const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()), 0);
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) {
      std::string line{indent};
      for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string quantity(std::uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// The size of a block as text. The block is a binding with one variable, or a variable of a binding with several.
template <typename Block>
std::string extent(const Block& block) {
  if (!block.runtime_sized) return quantity(block.size, "byte");
  const std::string elements = fmt::format("any number of elements of {}", quantity(block.stride, "byte"));
  return block.size == 0 ? elements : fmt::format("{}, then {}", quantity(block.size, "byte"), elements);
}

/// The size of a binding with several variables as text.
std::string joined_extent(const Binding& binding) {
  const std::string bytes =
      binding.runtime_sized ? fmt::format("any number of bytes from {} on", std::max<std::uint64_t>(binding.size, 1))
                            : quantity(binding.size, "byte");
  return fmt::format("{}, {} variables", bytes, binding.variables.size());
}

std::string qualifiers(const Binding& binding) {
  std::vector<std::string_view> words;
  if (binding.coherent) words.emplace_back("coherent");
  if (binding.is_volatile) words.emplace_back("volatile");
  if (binding.aliased) words.emplace_back("aliased");
  if (!binding.is_needed) words.emplace_back("not needed");
  return fmt::format("{}", fmt::join(words, " "));
}

void add_members(Table& table, const std::vector<Member>& members, std::size_t depth) {
  for (const Member& member : members) {
    std::string strides;
    if (member.array_stride != 0) strides += fmt::format("stride {}", member.array_stride);
    if (member.matrix_stride != 0) {
      strides += fmt::format("{}{} {}", strides.empty() ? "" : ", ", member.row_major ? "rows every" : "columns every",
                             member.matrix_stride);
    }
    table.add({fmt::format("{}@{}", std::string(2 * depth, ' '), member.offset), member.type, member.name, strides});
    add_members(table, member.members, depth + 1);
  }
}

std::string members_text(const std::vector<Member>& members, std::string_view indent) {
  Table table;
  add_members(table, members, 0);
  return table.to_text(indent);
}

std::string default_value(const SpecConstant& constant) {
  const auto bits = constant.default_bits;
  switch (constant.type.kind) {
    case program::ScalarKind::Bool: return bits != 0 ? "true" : "false";
    case program::ScalarKind::Int: {
      const std::uint32_t shift = 64 - std::min(constant.type.bits, 64U);
      return fmt::format("{}", static_cast<std::int64_t>(bits << shift) >> shift);
    }
    case program::ScalarKind::Uint: return fmt::format("{}", bits);
    case program::ScalarKind::Float:
      if (constant.type.bits == 32) return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      if (constant.type.bits == 64) return fmt::format("{}", std::bit_cast<double>(bits));
      return fmt::format("{:#x}", bits);
  }
  return "";
}

std::string workgroup_text(const program::WorkgroupSize& workgroup) {
  std::vector<std::string> dimensions;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto id = workgroup.spec_ids[i];
    dimensions.push_back(id ? fmt::format("{} (constant {})", workgroup.size[i], *id)
                            : fmt::format("{}", workgroup.size[i]));
  }
  return fmt::format("{}", fmt::join(dimensions, " x "));
}

/// How often a loop runs at most; nothing if that is not known.
std::optional<std::string> trips_text(const Loop& loop, const Interface& interface) {
  if (loop.max_trips) return fmt::format("{}", *loop.max_trips);
  if (!loop.bound) return std::nullopt;
  return to_text(*loop.bound, interface.push_constants ? &*interface.push_constants : nullptr);
}

std::string loops_text(const Interface& interface) {
  std::vector<std::string> bounds;
  for (const Loop& loop : interface.loops) {
    const std::optional<std::string> most = trips_text(loop, interface);
    const std::string trips = most ? fmt::format("at most {}", *most) : "no bound proven";
    bounds.push_back(loop.function.empty() ? trips : fmt::format("{} in {}", trips, loop.function));
  }
  return fmt::format("{}", fmt::join(bounds, "; "));
}

std::string kept_text(const program::Kept& kept) {
  std::vector<std::string> parts;
  if (kept.variable_bytes != 0) {
    parts.push_back(fmt::format("variables of {}, the largest {} with {}", quantity(kept.variable_bytes, "byte"),
                                kept.largest_variable, kept.largest_variable_bytes));
  }
  if (kept.value_bytes != 0) {
    parts.push_back(fmt::format("a value of {}, {}", quantity(kept.value_bytes, "byte"), kept.largest_value));
  }
  if (kept.largest_shared_bytes != 0) {
    parts.push_back(fmt::format("shared {} of {}", kept.largest_shared, quantity(kept.largest_shared_bytes, "byte")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string uses_text(const Interface& interface) {
  std::vector<std::string> words;
  if (interface.shared_bytes != 0)
    words.push_back(fmt::format("{} of shared memory", quantity(interface.shared_bytes, "byte")));
  if (interface.uses_barriers) words.emplace_back("barriers");
  if (interface.uses_atomics) words.emplace_back("atomics");
  if (interface.uses_subgroups) words.emplace_back("subgroups");
  if (interface.uses_coherent) words.emplace_back("coherent accesses");
  if (interface.uses_volatile) words.emplace_back("volatile accesses");
  return fmt::format("{}", fmt::join(words, ", "));
}

ordered_json to_json_value(const std::vector<Member>& members) {
  ordered_json list = ordered_json::array();
  for (const Member& member : members) {
    ordered_json value{{"name", member.name}, {"type", member.type}, {"offset", member.offset}, {"size", member.size}};
    if (member.array_stride != 0) value["array_stride"] = member.array_stride;
    if (member.matrix_stride != 0) {
      value["matrix_stride"] = member.matrix_stride;
      value["row_major"] = member.row_major;
    }
    if (!member.members.empty()) value["members"] = to_json_value(member.members);
    list.push_back(std::move(value));
  }
  return list;
}

template <typename T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json to_json_value(const BindingVariable& variable) {
  return {
      {"name", variable.name}, {"access", to_string(variable.access)},    {"stride", variable.stride},
      {"size", variable.size}, {"runtime_sized", variable.runtime_sized}, {"members", to_json_value(variable.members)}};
}

ordered_json to_json_value(const Binding& binding) {
  ordered_json variables = ordered_json::array();
  for (const BindingVariable& variable : binding.variables) variables.push_back(to_json_value(variable));
  return {{"set", binding.set},
          {"slot", binding.slot},
          {"name", binding.name},
          {"kind", to_string(binding.kind)},
          {"access", to_string(binding.access)},
          {"stride", binding.stride},
          {"size", binding.size},
          {"runtime_sized", binding.runtime_sized},
          {"count", or_null(binding.count)},
          {"coherent", binding.coherent},
          {"volatile", binding.is_volatile},
          {"aliased", binding.aliased},
          {"needed", binding.is_needed},
          {"members", to_json_value(binding.members)},
          {"variables", std::move(variables)}};
}

ordered_json to_json_value(const SpecConstant& constant) {
  return {{"id", constant.id},
          {"name", constant.name},
          {"type", to_string(constant.type)},
          {"default", default_value(constant)},
          {"default_bits", fmt::format("{}", constant.default_bits)}};
}

}  // namespace

std::string to_text(const Interface& interface, std::span<const FormReport> forms) {
  const std::uint32_t version = interface.spirv_version;
  std::string text = fmt::format("entry point '{}', SPIR-V {}.{}, workgroup {}\n", interface.entry_point,
                                 version >> 16 & 0xff, version >> 8 & 0xff, workgroup_text(interface.workgroup));
  if (interface.bindings.empty()) text += "\nno bindings\n";
  for (const Binding& binding : interface.bindings) {
    const std::string array = binding.count == 1 ? "" : fmt::format("[{}]", binding.count.value_or(0));
    text += fmt::format("\nset {} slot {}  {}{}  {} {}, {}  {}\n", binding.set, binding.slot, binding.name, array,
                        to_string(binding.access), to_string(binding.kind),
                        binding.variables.empty() ? extent(binding) : joined_extent(binding), qualifiers(binding));
    text.erase(text.find_last_not_of(" \n") + 1);
    text += "\n";
    if (binding.variables.empty()) text += members_text(binding.members, "  ");
    for (const BindingVariable& variable : binding.variables) {
      text += fmt::format("  as {}  {}, {}\n", variable.name, to_string(variable.access), extent(variable));
      text += members_text(variable.members, "    ");
    }
  }
  if (interface.push_constants) {
    text += fmt::format("\npush constants  {}\n", quantity(interface.push_constants->size, "byte"));
    text += members_text(interface.push_constants->members, "  ");
  }
  if (!interface.spec_constants.empty()) {
    text += "\nspecialisation constants\n";
    Table constants;
    for (const SpecConstant& constant : interface.spec_constants) {
      constants.add({fmt::format("{}", constant.id), to_string(constant.type), constant.name,
                     fmt::format("default {}", default_value(constant))});
    }
    text += constants.to_text("  ");
  }
  Table rest;
  if (const std::string uses = uses_text(interface); !uses.empty()) rest.add({"uses", uses});
  if (!interface.built_ins.empty()) rest.add({"built-ins", fmt::format("{}", fmt::join(interface.built_ins, ", "))});
  if (!interface.loops.empty()) rest.add({"loops", loops_text(interface)});
  if (const std::string kept = kept_text(interface.kept); !kept.empty()) rest.add({"keeps", kept});
  if (!interface.execution_modes.empty()) {
    rest.add({"modes", fmt::format("{}", fmt::join(interface.execution_modes, ", "))});
  }
  rest.add({"capabilities", fmt::format("{}", fmt::join(interface.capabilities, ", "))});
  if (!interface.extensions.empty()) rest.add({"extensions", fmt::format("{}", fmt::join(interface.extensions, ", "))});
  if (interface.block_layout != program::BlockLayout::Standard) {
    rest.add({"block layout", std::string{to_string(interface.block_layout)}});
  }
  text += "\n" + rest.to_text("");
  if (!forms.empty()) {
    text += "\nother forms, with the options that are the default; a device may refuse more\n";
    Table kinds;
    for (const FormReport& form : forms) {
      kinds.add({std::string{to_string(form.kind)}, form.refusal.empty() ? "yes" : "no: " + form.refusal});
    }
    text += kinds.to_text("  ");
  }
  for (const program::Obstacle& obstacle : interface.unsupported) {
    text += fmt::format("\nunsupported: {}: {}\n", obstacle.what, obstacle.why);
  }
  return text;
}

std::string to_json(const Interface& interface, std::span<const FormReport> forms) {
  ordered_json json{{"entry_point", interface.entry_point},
                    {"spirv_version",
                     fmt::format("{}.{}", interface.spirv_version >> 16 & 0xff, interface.spirv_version >> 8 & 0xff)},
                    {"workgroup_size", interface.workgroup.size}};
  json["workgroup_spec_ids"] = ordered_json::array();
  for (const auto& id : interface.workgroup.spec_ids) json["workgroup_spec_ids"].push_back(or_null(id));
  json["bindings"] = ordered_json::array();
  for (const Binding& binding : interface.bindings) json["bindings"].push_back(to_json_value(binding));
  json["push_constants"] = nullptr;
  if (interface.push_constants) {
    json["push_constants"] = {{"name", interface.push_constants->name},
                              {"size", interface.push_constants->size},
                              {"members", to_json_value(interface.push_constants->members)}};
  }
  json["spec_constants"] = ordered_json::array();
  for (const SpecConstant& constant : interface.spec_constants)
    json["spec_constants"].push_back(to_json_value(constant));
  json["built_ins"] = interface.built_ins;
  json["capabilities"] = interface.capabilities;
  json["extensions"] = interface.extensions;
  json["block_layout"] = to_string(interface.block_layout);
  json["execution_modes"] = interface.execution_modes;
  json["shared_bytes"] = interface.shared_bytes;
  const program::Kept& kept = interface.kept;
  json["kept"] = {{"variable_bytes", kept.variable_bytes},
                  {"largest_variable", {{"name", kept.largest_variable}, {"bytes", kept.largest_variable_bytes}}},
                  {"largest_value", {{"what", kept.largest_value}, {"bytes", kept.value_bytes}}},
                  {"largest_shared", {{"name", kept.largest_shared}, {"bytes", kept.largest_shared_bytes}}}};
  json["uses"] = {{"barriers", interface.uses_barriers},
                  {"atomics", interface.uses_atomics},
                  {"subgroups", interface.uses_subgroups},
                  {"volatile", interface.uses_volatile},
                  {"coherent", interface.uses_coherent}};
  json["loops"] = ordered_json::array();
  for (const Loop& loop : interface.loops) {
    json["loops"].push_back({{"function", loop.function},
                             {"max_trips", or_null(loop.max_trips)},
                             {"bound", or_null(trips_text(loop, interface))}});
  }
  if (!forms.empty()) json["forms"] = ordered_json::array();
  for (const FormReport& form : forms) {
    const std::optional<std::string> why = form.refusal.empty() ? std::nullopt : std::optional{form.refusal};
    json["forms"].push_back({{"form", to_string(form.kind)}, {"has", !why}, {"why", or_null(why)}});
  }
  json["unsupported"] = ordered_json::array();
  for (const program::Obstacle& obstacle : interface.unsupported) {
    json["unsupported"].push_back({{"what", obstacle.what}, {"why", obstacle.why}});
  }
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace vyre::report
