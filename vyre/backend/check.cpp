#include <vyre/backend/check.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

namespace vyre::backend {
namespace {

using program::BindingKind;

constexpr std::array<std::string_view, 3> kDimensions = {"x", "y", "z"};

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

Result<void> at_most(std::string_view what, std::uint64_t value, std::uint64_t limit) {
  if (value <= limit) return {};
  return fail(ErrorCode::Unsupported, fmt::format("{} is {}, the device's limit is {}", what, value, limit));
}

Result<void> has_all(std::string_view what, const std::vector<std::string>& needed,
                     const std::vector<std::string>& there) {
  for (const std::string& name : needed) {
    if (std::ranges::binary_search(there, name)) continue;
    return fail(ErrorCode::Unsupported, fmt::format("the device does not have the {} {}", what, name));
  }
  return {};
}

/// Checks commands one after another. Makes messages only for commands that it refuses.
class ListChecker {
 public:
  ListChecker(const ListView& view, const Limits& limits) noexcept : view_{view}, limits_{limits} {}

  /// Whether a dispatch can run. Makes the same checks as the first `operator()` below, but no message.
  [[nodiscard]] bool can_run(const Dispatch& dispatch) noexcept {
    const PipelineEntry* pipeline = view_.pipelines.find(dispatch.pipeline);
    if (pipeline == nullptr || dispatch.range_count != pipeline->rules.size() ||
        dispatch.param_bytes != pipeline->push_bytes || !is_launchable(dispatch.groups, limits_)) {
      return false;
    }
    const RangeRule* rule = pipeline->rules.data();
    for (const BufferRange& range : view_.list.ranges(dispatch)) {
      const BufferEntry* buffer = view_.buffers.find(range.buffer);
      const RangeRule& its_rule = *rule++;
      if (buffer == nullptr) [[unlikely]] {
        if (!may_leave_out(range, its_rule)) return false;
        continue;
      }
      if (!is_bindable(its_rule, range.offset, size_of(range, *buffer), buffer->desc.size, limits_)) return false;
    }
    has_forms_ = has_forms_ || pipeline->form.kind != program::FormKind::Descriptor;
    return true;
  }

  [[nodiscard]] bool has_forms() const noexcept { return has_forms_; }

  Result<void> operator()(const Dispatch& dispatch) {
    const PipelineEntry* pipeline = view_.pipelines.find(dispatch.pipeline);
    if (pipeline == nullptr) return invalid("the pipeline does not exist, or was freed");
    if (dispatch.range_count != pipeline->rules.size()) {
      return invalid(fmt::format("program '{}' has {} buffers, the dispatch binds {}", pipeline->program.name(),
                                 pipeline->rules.size(), dispatch.range_count));
    }
    if (dispatch.param_bytes != pipeline->push_bytes) {
      return invalid(fmt::format("program '{}' has {} bytes of push constants, the dispatch gives {}",
                                 pipeline->program.name(), pipeline->push_bytes, dispatch.param_bytes));
    }
    VYRE_TRY(check_groups(dispatch.groups, limits_));
    const std::span<const BufferRange> ranges = view_.list.ranges(dispatch);
    for (std::size_t i = 0; i < ranges.size(); ++i) VYRE_TRY(check_binding(ranges[i], pipeline->rules[i]));
    return {};
  }

  Result<void> operator()(const IndirectDispatch& /*dispatch*/) const {
    return fail(ErrorCode::Unsupported, "a list that is submitted cannot have indirect dispatches");
  }

  Result<void> operator()(const Copy& copy) const {
    VYRE_TRY(check_bytes("the source", copy.from, copy.from_offset, copy.size));
    VYRE_TRY(check_bytes("the destination", copy.to, copy.to_offset, copy.size));
    if (copy.from == copy.to && overlap(copy.from_offset, copy.size, copy.to_offset, copy.size)) {
      return invalid(fmt::format("{} bytes at {} overlap the {} bytes at {} they are copied to", copy.size,
                                 copy.from_offset, copy.size, copy.to_offset));
    }
    return {};
  }

  Result<void> operator()(const Fill& fill) const {
    const BufferEntry* buffer = view_.buffers.find(fill.range.buffer);
    if (buffer == nullptr) return invalid("the buffer does not exist, or was freed");
    if (fill.range.size == kWholeBuffer && fill.range.offset >= buffer->desc.size) {
      return invalid(
          fmt::format("the range begins at {}, the buffer has {} bytes", fill.range.offset, buffer->desc.size));
    }
    const std::uint64_t size = view_.size(fill.range);
    VYRE_TRY(check_bytes("the range", fill.range.buffer, fill.range.offset, size));
    if (!can_fill(fill.range.offset, size, fill.pattern)) {
      return invalid(
          fmt::format("{} bytes at {} are filled with {:#010x}; a pattern of different bytes needs multiples of 4",
                      size, fill.range.offset, fill.pattern));
    }
    return {};
  }

  Result<void> operator()(const Barrier& /*barrier*/) const { return {}; }

  Result<void> operator()(const Timestamp& timestamp) {
    if (limits_.max_timestamps == 0) return fail(ErrorCode::Unsupported, "the device has no timestamps");
    if (++timestamps_ > limits_.max_timestamps) {
      return invalid(fmt::format("the list has {} timestamps or more, the device's limit is {}", timestamps_,
                                 limits_.max_timestamps));
    }
    if (timestamp.offset % 8 != 0) {
      return invalid(fmt::format("the timestamp is written at {}, it needs a multiple of 8", timestamp.offset));
    }
    return check_bytes("the timestamp", timestamp.buffer, timestamp.offset, 8);
  }

 private:
  static bool may_leave_out(const BufferRange& range, const RangeRule& rule) noexcept {
    return !rule.is_needed && range == kNoRange;
  }

  Result<void> check_binding(const BufferRange& range, const RangeRule& rule) const {
    if (may_leave_out(range, rule)) return {};
    const BufferEntry* buffer = view_.buffers.find(range.buffer);
    if (buffer == nullptr) {
      return invalid(fmt::format("the buffer of {} does not exist, or was freed", to_string(rule)));
    }
    return check_range(rule, range.offset, size_of(range, *buffer), buffer->desc.size, limits_);
  }

  static std::uint64_t size_of(const BufferRange& range, const BufferEntry& buffer) noexcept {
    if (range.size != kWholeBuffer) return range.size;
    return range.offset < buffer.desc.size ? buffer.desc.size - range.offset : 0;
  }

  Result<void> check_bytes(std::string_view what, BufferHandle handle, std::uint64_t offset, std::uint64_t size) const {
    const BufferEntry* buffer = view_.buffers.find(handle);
    if (buffer == nullptr) return invalid(fmt::format("the buffer of {} does not exist, or was freed", what));
    const std::uint64_t bytes = buffer->desc.size;
    if (size == 0 || offset > bytes || size > bytes - offset) {
      return invalid(fmt::format("{} has {} bytes at {}, the buffer has {}", what, size, offset, bytes));
    }
    return {};
  }

  const ListView& view_;
  const Limits& limits_;
  std::uint32_t timestamps_ = 0;
  bool has_forms_ = false;
};

std::string describe(const ListView& view, const Command& command, std::size_t index) {
  // In the order of the alternatives of `Command`.
  constexpr std::array<std::string_view, std::variant_size_v<Command>> kNames = {
      "a dispatch", "a copy", "a fill", "a barrier", "a timestamp", "an indirect dispatch"};
  const auto* dispatch = std::get_if<Dispatch>(&command);
  const PipelineEntry* pipeline = dispatch == nullptr ? nullptr : view.pipelines.find(dispatch->pipeline);
  return fmt::format("while checking command {}, {}{}", index, kNames[command.index()],
                     pipeline == nullptr ? "" : fmt::format(" of '{}'", pipeline->program.name()));
}

}  // namespace

Result<void> check_options(const DeviceOptions& options, const DeviceInfo& info) {
  if (options.max_pending < 1 || options.max_pending > DeviceOptions::kMostPending) {
    return invalid(fmt::format("the device option max_pending is {}, it takes 1 to {}", options.max_pending,
                               DeviceOptions::kMostPending));
  }
  if (options.memory_budget > info.limits.memory_bytes) {
    return invalid(fmt::format("the device option memory_budget is {} bytes, device '{}' has {}", options.memory_budget,
                               info.name, info.limits.memory_bytes));
  }
  return {};
}

Result<void> check_opened(DeviceInfo asked, const DeviceInfo& opened) {
  // These two depend on the options with which a device is opened, so they need not agree.
  asked.limits.memory_bytes = opened.limits.memory_bytes;
  asked.maps_device_memory = opened.maps_device_memory;
  if (asked == opened) return {};
  const auto refuse = [&](std::string_view member, std::string_view given, std::string_view is) {
    return invalid(fmt::format("device '{}' of backend '{}' is asked for with the {} '{}', it is '{}'", opened.name,
                               opened.backend, member, given, is));
  };
  if (asked.backend != opened.backend) return refuse("backend", asked.backend, opened.backend);
  if (asked.name != opened.name) return refuse("name", asked.name, opened.name);
  if (asked.type != opened.type) return refuse("type", to_string(asked.type), to_string(opened.type));
  if (asked.driver != opened.driver) return refuse("driver", asked.driver, opened.driver);
  if (asked.api != opened.api) return refuse("API", asked.api, opened.api);
  if (asked.configuration != opened.configuration) {
    return refuse("configuration", asked.configuration, opened.configuration);
  }
  if (asked.signature != opened.signature) return refuse("signature", asked.signature, opened.signature);
  return invalid(fmt::format("device '{}' of backend '{}' is asked for with other {} than it has", opened.name,
                             opened.backend,
                             asked.limits != opened.limits ? "limits"
                             : asked.forms != opened.forms ? "forms"
                                                           : "capabilities"));
}

Result<void> check_buffer(const BufferDesc& desc, const Limits& limits) {
  if (desc.size == 0) return invalid("a buffer of 0 bytes is asked for, it needs at least 1");
  if (desc.memory > Memory::Readback) {
    return invalid(fmt::format("a buffer in memory {} is asked for, it takes 0 (device) to {} (readback)",
                               static_cast<int>(desc.memory), static_cast<int>(Memory::Readback)));
  }
  if (desc.size > limits.max_buffer_bytes) {
    return invalid(
        fmt::format("a buffer of {} bytes is asked for, the device's limit is {}", desc.size, limits.max_buffer_bytes));
  }
  return {};
}

Result<void> check_buffers(const program::Interface& interface) {
  std::uint64_t count = 0;
  for (const program::Binding& binding : interface.bindings) {
    if (!binding.count) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("binding {} '{}' is an array of buffers without a length", binding.slot, binding.name));
    }
    count += *binding.count;
  }
  if (count <= kMaxBuffers) return {};
  return fail(ErrorCode::Unsupported, fmt::format("the number of buffers is {}, the limit is {}", count, kMaxBuffers));
}

Result<void> check_kept(const program::Interface& interface, const Limits& limits) {
  const program::Kept& kept = interface.kept;
  if (interface.shared_bytes > limits.max_shared_bytes && !kept.largest_shared.empty()) {
    return fail(
        ErrorCode::Unsupported,
        fmt::format("the workgroup's shared memory in bytes is {}, of which {} is {}, the device's limit is {}",
                    interface.shared_bytes, kept.largest_shared, kept.largest_shared_bytes, limits.max_shared_bytes));
  }
  if (kept.variable_bytes > limits.max_variable_bytes) {
    return fail(ErrorCode::Unsupported,
                fmt::format("the variables of an invocation have {} bytes, each call inlined, of which {} has {}; the "
                            "device's limit is {}",
                            kept.variable_bytes, kept.largest_variable, kept.largest_variable_bytes,
                            limits.max_variable_bytes));
  }
  if (kept.value_bytes > limits.max_value_bytes) {
    return fail(ErrorCode::Unsupported, fmt::format("the value {} has {} bytes, the device's limit is {}",
                                                    kept.largest_value, kept.value_bytes, limits.max_value_bytes));
  }
  return {};
}

Result<void> check_program(const program::Interface& interface, const DeviceInfo& info) {
  const Limits& limits = info.limits;
  if (interface.spirv_version > limits.max_spirv_version) {
    return fail(ErrorCode::Unsupported,
                fmt::format("the module has SPIR-V {}.{}, the device takes {}.{} or older",
                            interface.spirv_version >> 16, interface.spirv_version >> 8 & 0xff,
                            limits.max_spirv_version >> 16, limits.max_spirv_version >> 8 & 0xff));
  }
  VYRE_TRY(has_all("capability", interface.capabilities, info.spirv_capabilities));
  VYRE_TRY(has_all("execution mode", interface.execution_modes, info.spirv_execution_modes));
  VYRE_TRY(has_all("extension", interface.extensions, info.spirv_extensions));
  if (interface.block_layout > info.block_layout) {
    return fail(ErrorCode::Unsupported, fmt::format("the kernel needs the block layout {}, the device has {} at most",
                                                    to_string(interface.block_layout), to_string(info.block_layout)));
  }
  std::uint64_t invocations = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint32_t size = interface.workgroup.size[i];
    VYRE_TRY(at_most(fmt::format("the workgroup's size in {}", kDimensions[i]), size, limits.max_workgroup[i]));
    invocations *= size;
  }
  VYRE_TRY(at_most("the number of invocations of a workgroup", invocations, limits.max_workgroup_invocations));
  VYRE_TRY(check_kept(interface, limits));
  VYRE_TRY(at_most("the workgroup's shared memory in bytes", interface.shared_bytes, limits.max_shared_bytes));
  VYRE_TRY(at_most("the size of the push constants in bytes",
                   interface.push_constants ? interface.push_constants->size : 0, limits.max_push_bytes));
  for (const program::Binding& binding : interface.bindings) {
    VYRE_TRY(at_most("the number of a set", binding.set, limits.max_sets - 1));
  }
  std::uint64_t storage = 0;
  std::uint64_t uniform = 0;
  for (const BindingSlot& slot : slots_of(interface)) {
    (slot.kind == BindingKind::StorageBuffer ? storage : uniform) += slot.count;
  }
  VYRE_TRY(at_most("the number of storage buffers", storage, limits.max_storage_buffers));
  VYRE_TRY(at_most("the number of uniform buffers", uniform, limits.max_uniform_buffers));
  VYRE_TRY(at_most("the number of buffers", storage + uniform, limits.max_buffers));
  return {};
}

std::vector<BindingSlot> slots_of(const program::Interface& interface) {
  std::vector<BindingSlot> slots;
  for (const program::Binding& binding : interface.bindings) {
    slots.push_back(
        {.set = binding.set, .slot = binding.slot, .kind = binding.kind, .count = binding.count.value_or(1)});
  }
  return slots;
}

std::vector<RangeRule> rules_of(const program::Interface& interface) {
  std::vector<RangeRule> rules;
  for (const program::Binding& binding : interface.bindings) {
    RangeRule rule{.set = binding.set,
                   .slot = binding.slot,
                   .kind = binding.kind,
                   .min_bytes = std::max<std::uint64_t>(binding.size, 1),
                   .is_needed = binding.is_needed,
                   .name = binding.name};
    for (const program::BindingVariable& variable : binding.variables) {
      if (variable.name != binding.name) rule.other_names.push_back(variable.name);
    }
    for (; rule.element < binding.count.value_or(1); ++rule.element) rules.push_back(rule);
  }
  return rules;
}

std::string to_string(const RangeRule& rule) {
  std::string text =
      rule.set == 0 ? fmt::format("binding {}", rule.slot) : fmt::format("binding {} of set {}", rule.slot, rule.set);
  if (!rule.name.empty()) text += fmt::format(" '{}'", rule.name);
  if (rule.element != 0) text += fmt::format(" element {}", rule.element);
  return text;
}

Result<void> check_range(const RangeRule& rule, std::uint64_t offset, std::uint64_t size, std::uint64_t buffer_bytes,
                         const Limits& limits) {
  if (is_bindable(rule, offset, size, buffer_bytes, limits)) return {};
  const bool is_storage = rule.kind == BindingKind::StorageBuffer;
  const std::uint32_t alignment = is_storage ? limits.storage_alignment : limits.uniform_alignment;
  if (offset % alignment != 0) {
    return invalid(
        fmt::format("{} begins at byte {}, the device needs a multiple of {}", to_string(rule), offset, alignment));
  }
  if (size == 0 || offset > buffer_bytes || size > buffer_bytes - offset) {
    return invalid(
        fmt::format("{} has {} bytes at {}, the buffer has {}", to_string(rule), size, offset, buffer_bytes));
  }
  if (size < rule.min_bytes) {
    return invalid(fmt::format("{} needs at least {} bytes, the view has {}", to_string(rule), rule.min_bytes, size));
  }
  const std::uint64_t limit = is_storage ? limits.max_storage_range : limits.max_uniform_range;
  return invalid(fmt::format("{} has {} bytes, the device's limit is {}", to_string(rule), size, limit));
}

Result<void> check_groups(const Groups& groups, const Limits& limits) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (groups[i] > limits.max_groups[i]) {
      return invalid(fmt::format("the dispatch has {} groups in {}, the device's limit is {}", groups[i],
                                 kDimensions[i], limits.max_groups[i]));
    }
  }
  return {};
}

Result<bool> check_list(const ListView& view, const Limits& limits) {
  ListChecker checker{view, limits};
  const std::span<const Command> commands = view.list.commands();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const auto* dispatch = std::get_if<Dispatch>(&commands[i]);
    if (dispatch != nullptr && checker.can_run(*dispatch)) [[likely]] {
      continue;
    }
    if (auto checked = std::visit(checker, commands[i]); !checked) [[unlikely]] {
      return in_context(std::move(checked).error(), describe(view, commands[i], i));
    }
  }
  return checker.has_forms();
}

}  // namespace vyre::backend
