#include <vyre/report/device_report.hpp>

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace vyre::report {
namespace {

using backend::DeviceInfo;
using backend::Limits;
using nlohmann::ordered_json;

std::string bytes(std::uint64_t count) {
  constexpr std::array<std::string_view, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  if (count < 1024) return fmt::format("{} bytes", count);
  double value = static_cast<double>(count) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

std::string forms_text(const backend::FormSupport& forms) {
  std::vector<std::string> parts;
  for (const program::FormKind kind : program::kAllForms) {
    if (forms.has(kind)) parts.emplace_back(to_string(kind));
  }
  std::string text = fmt::format("{}; bindless {}", fmt::join(parts, ", "), to_string(forms.bindless));
  if (forms.persistent_form) {
    text += fmt::format("; persistent launches of {} workgroup{}", forms.workgroups, forms.workgroups == 1 ? "" : "s");
  }
  if (forms.fold != 0) text += fmt::format("; workgroups folded to {}", forms.fold);
  if (forms.max_iterations != 0) text += fmt::format("; up to {} iterations an invocation", forms.max_iterations);
  return text;
}

ordered_json to_value(const backend::FormSupport& forms) {
  return {{"pointer", forms.pointer_form},
          {"merged", forms.merged_form},
          {"persistent", forms.persistent_form},
          {"chain", forms.chain_form},
          {"bindless", to_string(forms.bindless)},
          {"max_iterations", forms.max_iterations},
          {"fold", forms.fold},
          {"workgroups", forms.workgroups}};
}

std::string describe(const DeviceInfo& info) {
  const Limits& limits = info.limits;
  const std::vector<std::pair<std::string_view, std::string>> lines = {
      {"type", fmt::format("{}{}{}", to_string(info.type), info.configuration.empty() ? "" : ", ", info.configuration)},
      {"driver", info.driver},
      {"interface", fmt::format("{}, SPIR-V up to {}.{}", info.api, limits.max_spirv_version >> 16,
                                limits.max_spirv_version >> 8 & 0xff)},
      {"memory", fmt::format("{}, one buffer up to {}, {}", bytes(limits.memory_bytes), bytes(limits.max_buffer_bytes),
                             info.maps_device_memory ? "mapped by the host" : "reached by copies")},
      {"one binding", fmt::format("storage up to {} from multiples of {}, uniform up to {} from multiples of {}",
                                  bytes(limits.max_storage_range), limits.storage_alignment,
                                  bytes(limits.max_uniform_range), limits.uniform_alignment)},
      {"one program", fmt::format("{} storage and {} uniform buffers, {} in all, in {} sets; {} of parameters",
                                  limits.max_storage_buffers, limits.max_uniform_buffers, limits.max_buffers,
                                  limits.max_sets, bytes(limits.max_push_bytes))},
      {"workgroup",
       fmt::format("up to {}, {} invocations, {} shared, subgroups of {}", fmt::join(limits.max_workgroup, " × "),
                   limits.max_workgroup_invocations, bytes(limits.max_shared_bytes), limits.subgroup_size)},
      {"invocation",
       fmt::format("variables of {}, values of {}", bytes(limits.max_variable_bytes), bytes(limits.max_value_bytes))},
      {"one dispatch", fmt::format("up to {} groups", fmt::join(limits.max_groups, " × "))},
      {"queues",
       fmt::format("{}, {}", limits.queues,
                   limits.max_timestamps == 0 ? "without timestamps"
                                              : fmt::format("timestamps of {} ns", info.timestamp_period_ns))},
      {"forms", forms_text(info.forms)},
      {"capabilities", fmt::format("{}", fmt::join(info.spirv_capabilities, ", "))},
      {"block layout", std::string{to_string(info.block_layout)}},
      {"modes", fmt::format("{}", fmt::join(info.spirv_execution_modes, ", "))},
      {"extensions", fmt::format("{}", fmt::join(info.spirv_extensions, ", "))},
  };
  std::string text = fmt::format("  {}\n", info.name);
  for (const auto& [name, value] : lines) text += fmt::format("    {:<13} {}\n", name, value);
  return text;
}

ordered_json to_value(const DeviceInfo& info) {
  const Limits& limits = info.limits;
  return {{"name", info.name},
          {"type", to_string(info.type)},
          {"driver", info.driver},
          {"api", info.api},
          {"configuration", info.configuration},
          {"signature", info.signature},
          {"maps_device_memory", info.maps_device_memory},
          {"timestamp_period_ns", info.timestamp_period_ns},
          {"limits",
           {{"memory_bytes", limits.memory_bytes},
            {"max_buffer_bytes", limits.max_buffer_bytes},
            {"max_storage_range", limits.max_storage_range},
            {"max_uniform_range", limits.max_uniform_range},
            {"storage_alignment", limits.storage_alignment},
            {"uniform_alignment", limits.uniform_alignment},
            {"max_sets", limits.max_sets},
            {"max_storage_buffers", limits.max_storage_buffers},
            {"max_uniform_buffers", limits.max_uniform_buffers},
            {"max_buffers", limits.max_buffers},
            {"max_push_bytes", limits.max_push_bytes},
            {"max_groups", limits.max_groups},
            {"max_workgroup", limits.max_workgroup},
            {"max_workgroup_invocations", limits.max_workgroup_invocations},
            {"max_shared_bytes", limits.max_shared_bytes},
            {"max_variable_bytes", limits.max_variable_bytes},
            {"max_value_bytes", limits.max_value_bytes},
            {"subgroup_size", limits.subgroup_size},
            {"max_spirv_version",
             fmt::format("{}.{}", limits.max_spirv_version >> 16, limits.max_spirv_version >> 8 & 0xff)},
            {"max_timestamps", limits.max_timestamps},
            {"queues", limits.queues}}},
          {"forms", to_value(info.forms)},
          {"spirv_capabilities", info.spirv_capabilities},
          {"spirv_execution_modes", info.spirv_execution_modes},
          {"spirv_extensions", info.spirv_extensions},
          {"block_layout", to_string(info.block_layout)}};
}

}  // namespace

std::string to_text(std::span<const BackendDevices> backends) {
  std::string text;
  for (const BackendDevices& each : backends) {
    if (each.error) {
      text += fmt::format("{}: not there: {}\n", each.backend, each.error->message);
      continue;
    }
    text += fmt::format("{}: {} device{}\n", each.backend, each.devices.size(), each.devices.size() == 1 ? "" : "s");
    for (const DeviceInfo& info : each.devices) text += describe(info);
  }
  return text;
}

std::string to_json(std::span<const BackendDevices> backends) {
  ordered_json all = ordered_json::array();
  for (const BackendDevices& each : backends) {
    ordered_json value{{"name", each.backend}, {"found", !each.error}};
    if (each.error) value["error"] = {{"code", to_string(each.error->code)}, {"message", each.error->message}};
    value["devices"] = ordered_json::array();
    for (const DeviceInfo& info : each.devices) value["devices"].push_back(to_value(info));
    all.push_back(std::move(value));
  }
  return ordered_json{{"backends", std::move(all)}}.dump(2);
}

}  // namespace vyre::report
