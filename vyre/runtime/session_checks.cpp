#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <vyre/backend/check.hpp>
#include <vyre/base/check.hpp>
#include <vyre/runtime/session_state.hpp>

namespace vyre::runtime {
namespace {

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

/// The form that a mode launches programs in.
program::FormKind form_of(LaunchMode mode) noexcept {
  switch (mode) {
    case LaunchMode::Merged: return program::FormKind::Merged;
    case LaunchMode::Persistent: return program::FormKind::Persistent;
    case LaunchMode::Chain: return program::FormKind::Chain;
    case LaunchMode::Bindless: return program::FormKind::Pointer;
    default: return program::FormKind::Descriptor;
  }
}

bool do_overlap(const backend::BufferRange& a, const backend::BufferRange& b) noexcept {
  return a.buffer == b.buffer && backend::overlap(a.offset, a.size, b.offset, b.size);
}

/// Whether a place for a buffer goes by a name: several variables can share it.
bool has_name(const ArgumentSlot& slot, std::string_view name) noexcept {
  return slot.rule.name == name || std::ranges::find(slot.rule.other_names, name) != slot.rule.other_names.end();
}

}  // namespace

Result<Session::State::BufferSlot*> Session::State::find(const BufferView& view) {
  if (view.is_outside()) [[unlikely]] {
    return invalid(
        fmt::format("a part of {} bytes at {} is taken of a view of {} bytes", view.size, view.offset, view.session));
  }
  if (view.session != id) {
    return invalid(view.session == 0 ? "the view names no buffer" : "the buffer belongs to another session");
  }
  if (view.index >= buffers.size() || buffers[view.index].generation != view.generation) {
    return invalid("the buffer was freed");
  }
  BufferSlot& slot = buffers[view.index];
  if (view.size == 0 || view.offset > slot.size || view.size > slot.size - view.offset) {
    return invalid(fmt::format("the view has {} bytes at {}, the buffer has {}", view.size, view.offset, slot.size));
  }
  return &slot;
}

Result<Session::State::PreparedSlot*> Session::State::find(Prepared name) {
  if (name.session != id) return invalid("the prepared dispatch belongs to another session");
  if (name.index >= prepared.size()) {
    return invalid(fmt::format("prepared dispatch {} is enqueued, the session made {}", name.index, prepared.size()));
  }
  if (!prepared[name.index].is_alive) {
    return invalid("the prepared dispatch names a buffer that was freed");
  }
  return &prepared[name.index];
}

std::optional<std::uint32_t> Session::State::oldest_program() const {
  const auto is_needed = [&](std::uint32_t index) {
    return std::ranges::any_of(prepared, [&](const auto& each) { return each.is_alive && each.program == index; }) ||
           std::ranges::any_of(captures, [&](const CaptureSlot& each) {
             return each.is_alive &&
                    std::ranges::find(each.programs, index, &CapturedProgram::program) != each.programs.end();
           });
  };
  std::optional<std::uint32_t> oldest;
  for (std::uint32_t i = 0; i < programs.size(); ++i) {
    if (!is_needed(i) && (!oldest || programs[i].last_used < programs[*oldest].last_used)) oldest = i;
  }
  return oldest;
}

Result<std::uint32_t> Session::State::find_program(const program::Program& program,
                                                   std::span<const program::spirv::SpecOverride> values) {
  const auto is_it = [&](const CompiledProgram& each) {
    return each.program.module_hash() == program.module_hash() &&
           each.program.interface_hash() == program.interface_hash() && std::ranges::equal(each.values, values);
  };
  if (last_program < programs.size() && is_it(programs[last_program])) return last_program;
  if (const auto found = std::ranges::find_if(programs, is_it); found != programs.end()) {
    last_program = static_cast<std::uint32_t>(found - programs.begin());
    return last_program;
  }
  std::optional<std::uint32_t> place;
  if (programs.size() >= options.max_pipelines && !is_capturing) {
    VYRE_TRY(flush_batch());
    place = oldest_program();
  }
  VYRE_ASSIGN(CompiledProgram made, compile_program(*device, program, values, form_of(options.mode)));
  if (place) {
    // What is known of batches names programs by their place.
    shapes.clear();
    seen = {};
    for (const backend::PipelineHandle old : pipelines_of(programs[*place])) {
      recordings.forget(old);
    }
  } else {
    place = static_cast<std::uint32_t>(programs.size());
    programs.emplace_back(made);
  }
  made.report_index = report.programs.size();
  report.programs.push_back({.program = program.name()});
  for (const backend::PipelineHandle pipeline : pipelines_of(made)) note_pipeline(pipeline, *place);
  programs[*place] = std::move(made);
  last_program = *place;
  return last_program;
}

std::unexpected<Error> Session::State::cannot_bind(const ArgumentSlot& slot, const BufferView& view) {
  auto found = find(view);
  if (!found) return in_context(std::move(found).error(), fmt::format("while binding {}", to_string(slot.rule)));
  auto fits = backend::check_range(slot.rule, view.offset, view.size, (*found)->size, device->info().limits);
  VYRE_CHECK(!fits.has_value(), "a view that cannot be bound breaks a rule");
  return std::unexpected{std::move(fits).error()};
}

Result<void> Session::State::bind(const CompiledProgram& program, std::size_t index, const BufferView& view) {
  const BufferSlot* buffer = find_bindable(program.slots[index], view);
  if (buffer == nullptr) [[unlikely]]
    return cannot_bind(program.slots[index], view);
  ranges.push_back({.buffer = buffer->handle, .offset = view.offset, .size = view.size});
  touched.push_back(view.index);
  return {};
}

Result<void> Session::State::bind_all(const CompiledProgram& program, std::span<const Argument> arguments) {
  ranges.clear();
  touched.clear();
  if (arguments.size() != program.slots.size()) return wrong_buffer_count(program, arguments.size());
  const auto is_named = [](const Argument& each) { return each.is_named || !each.name.empty(); };
  if (std::ranges::none_of(arguments, is_named)) {
    for (std::size_t i = 0; i < arguments.size(); ++i) VYRE_TRY(bind(program, i, arguments[i].view));
    return {};
  }
  for (const Argument& argument : arguments) {
    if (!is_named(argument)) return invalid("some buffers are given by name and some are not");
    const auto is_it = [&](const ArgumentSlot& slot) { return has_name(slot, argument.name); };
    if (std::ranges::none_of(program.slots, is_it)) {
      return invalid(fmt::format("program '{}' has no binding '{}'", program.program.name(), argument.name));
    }
  }
  for (std::size_t i = 0; i < program.slots.size(); ++i) {
    // The nth element of an array of buffers is the nth argument with its name.
    std::size_t before = 0;
    for (std::size_t j = 0; j < i; ++j) before += program.slots[j].rule.name == program.slots[i].rule.name ? 1U : 0U;
    const Argument* found = nullptr;
    for (const Argument& argument : arguments) {
      if (!has_name(program.slots[i], argument.name)) continue;
      if (before-- == 0) {
        found = &argument;
        break;
      }
    }
    if (found == nullptr) return invalid(fmt::format("{} is not given", to_string(program.slots[i].rule)));
    VYRE_TRY(bind(program, i, found->view));
  }
  return {};
}

Result<void> Session::State::check_item(const CompiledProgram& program, const DispatchItem& item, std::byte* params) {
  const std::span<const BufferView> views = item.buffers;
  if (views.size() != program.slots.size()) [[unlikely]]
    return wrong_buffer_count(program, views.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (find_bindable(program.slots[i], views[i]) == nullptr) [[unlikely]]
      return cannot_bind(program.slots[i], views[i]);
  }
  for (const auto& [a, b] : program.apart) {
    const bool is_same = views[a].index == views[b].index;
    if (is_same && backend::overlap(views[a].offset, views[a].size, views[b].offset, views[b].size)) [[unlikely]] {
      overlapping.resize(program.slots.size());
      overlapping[a] = overlapping[b] = true;
    }
  }
  const backend::Groups groups{item.groups.x, item.groups.y, item.groups.z};
  if (!backend::is_launchable(groups, device->info().limits)) [[unlikely]]
    return backend::check_groups(groups, device->info().limits);
  return lay_out(program, item.params, params);
}

Result<void> Session::State::check_overlaps(const CompiledProgram& program,
                                            std::span<const backend::BufferRange> given) {
  for (const auto& [a, b] : program.apart) {
    if (do_overlap(given[a], given[b])) {
      return invalid(fmt::format("{} and {} overlap, and one of them is written", to_string(program.slots[a].rule),
                                 to_string(program.slots[b].rule)));
    }
  }
  return {};
}

Result<std::uint32_t> Session::State::find_in_place(std::uint32_t program) {
  overlapping.assign(ranges.size(), false);
  for (const auto& [a, b] : programs[program].apart) {
    if (do_overlap(ranges[a], ranges[b])) overlapping[a] = overlapping[b] = true;
  }
  VYRE_ASSIGN(const std::uint32_t variant, find_aliased(program, overlapping));
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    VYRE_TRY(check_in_place(programs[variant].slots[i], touched[i], ranges[i].offset, ranges[i].size));
  }
  return variant;
}

Result<std::uint32_t> Session::State::find_aliased(std::uint32_t program, std::vector<bool> overlapping) {
  // A program whose buffers overlap in many ways gets one variant for all of them.
  constexpr std::size_t kMostVariants = 8;
  CompiledProgram& compiled = programs[program];
  if (compiled.aliased.size() >= kMostVariants) {
    for (const auto& [a, b] : compiled.apart) overlapping[a] = overlapping[b] = true;
  }
  std::vector<program::BindingPlace> bindings;
  std::string names;
  for (std::size_t i = 0; i < overlapping.size(); ++i) {
    const program::BindingPlace place{.set = compiled.slots[i].rule.set, .slot = compiled.slots[i].rule.slot};
    if (!overlapping[i] || (!bindings.empty() && bindings.back() == place)) continue;
    bindings.push_back(place);
    backend::RangeRule binding = compiled.slots[i].rule;
    binding.element = 0;
    names += (names.empty() ? "" : ", ") + to_string(binding);
  }
  const auto why = [&names](Error error) {
    return in_context(std::move(error), fmt::format("while declaring {} aliased, whose buffers overlap", names));
  };
  auto found = std::ranges::find(compiled.aliased, bindings, &AliasedProgram::bindings);
  if (found == compiled.aliased.end()) {
    auto made = program::make_aliased(compiled.program, bindings);
    if (!made) return why(std::move(made).error());
    compiled.aliased.push_back({.bindings = std::move(bindings), .program = *std::move(made)});
    found = compiled.aliased.end() - 1;
  }
  // Finding a program may put another in the place of this one.
  const program::Program variant = found->program;
  const std::vector<program::spirv::SpecOverride> values = compiled.values;
  auto index = find_program(variant, values);
  if (!index) return why(std::move(index).error());
  programs[*index].in_place = names;
  report.programs[programs[*index].report_index].in_place = std::move(names);
  return index;
}

Result<void> Session::State::check_in_place(const ArgumentSlot& slot, std::uint32_t buffer, std::uint64_t offset,
                                            std::uint64_t size) const {
  if (slot.allows(offset, size)) return {};
  auto fits = backend::check_range(slot.rule, offset, size, buffers[buffer].size, device->info().limits);
  VYRE_CHECK(!fits.has_value(), "a view that cannot be bound breaks a rule");
  Error why = std::move(fits).error();
  why.context.emplace_back("while binding it as a storage buffer, since buffers overlap");
  return std::unexpected{std::move(why)};
}

Result<std::uint32_t> Session::State::check_items(std::uint32_t program, std::span<const DispatchItem> items) {
  const std::uint32_t push_bytes = programs[program].push_bytes;
  item_params.resize(items.size() * push_bytes);
  overlapping.clear();
  const auto in_item = [&](Error error, std::size_t i) {
    return in_context(std::move(error), fmt::format("in item {} of {}", i, items.size()));
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto checked = check_item(programs[program], items[i], item_params.data() + i * push_bytes);
    if (!checked) [[unlikely]]
      return in_item(std::move(checked).error(), i);
  }
  if (overlapping.empty()) [[likely]]
    return program;
  VYRE_ASSIGN(const std::uint32_t variant, find_aliased(program, overlapping));
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t j = 0; j < items[i].buffers.size(); ++j) {
      const BufferView& view = items[i].buffers[j];
      auto fits = check_in_place(programs[variant].slots[j], view.index, view.offset, view.size);
      if (!fits) return in_item(std::move(fits).error(), i);
    }
  }
  return variant;
}

Result<Session::State::CheckedDispatch> Session::State::check_dispatch(const program::Program& program,
                                                                       std::span<const Argument> arguments,
                                                                       const DispatchOptions& given) {
  VYRE_ASSIGN(std::uint32_t index, find_program(program, given.values));
  const backend::Groups groups{given.groups.x, given.groups.y, given.groups.z};
  VYRE_TRY(backend::check_groups(groups, device->info().limits));
  VYRE_TRY(bind_all(programs[index], arguments));
  VYRE_TRY(lay_out(programs[index], given.params, param_room.data()));
  if (!check_overlaps(programs[index], ranges)) [[unlikely]] {
    VYRE_ASSIGN(index, find_in_place(index));
  }
  const CompiledProgram& compiled = programs[index];
  const auto params = std::span<const std::byte>{param_room}.first(compiled.push_bytes);
  return CheckedDispatch{.program = index,
                         .ranges = ranges,
                         .buffers = touched,
                         .groups = groups,
                         .params = params,
                         .hash = hash_dispatch(compiled.pipeline, ranges, groups, params),
                         .repeat = given.repeat,
                         .label = given.label};
}

}  // namespace vyre::runtime
