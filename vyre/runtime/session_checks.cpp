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

std::unexpected<Error> overlapping(const CompiledProgram& program, std::size_t a, std::size_t b) {
  return invalid(fmt::format("{} and {} overlap, and one of them is written", to_string(program.slots[a].rule),
                             to_string(program.slots[b].rule)));
}

std::string_view name_of(const ArgumentSlot& slot) noexcept { return slot.rule.name; }

}  // namespace

Result<void> Session::State::check_usable() const {
  if (!failure) [[likely]]
    return {};
  return std::unexpected{*failure};
}

Result<Session::State::BufferSlot*> Session::State::find(const BufferView& view) {
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
  if (name.index >= prepared.size() || !prepared[name.index].is_alive) {
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
  const bool by_name = std::ranges::any_of(arguments, [](const Argument& each) { return !each.name.empty(); });
  if (!by_name) {
    for (std::size_t i = 0; i < arguments.size(); ++i) VYRE_TRY(bind(program, i, arguments[i].view));
    return check_overlaps(program, ranges);
  }
  for (const Argument& argument : arguments) {
    if (argument.name.empty()) return invalid("some buffers are given by name and some are not");
    if (std::ranges::find(program.slots, argument.name, name_of) == program.slots.end()) {
      return invalid(fmt::format("program '{}' has no binding '{}'", program.program.name(), argument.name));
    }
  }
  for (std::size_t i = 0; i < program.slots.size(); ++i) {
    // The nth element of an array of buffers is the nth argument with its name.
    std::size_t before = 0;
    for (std::size_t j = 0; j < i; ++j) before += program.slots[j].rule.name == program.slots[i].rule.name ? 1U : 0U;
    const Argument* found = nullptr;
    for (const Argument& argument : arguments) {
      if (argument.name != program.slots[i].rule.name) continue;
      if (before-- == 0) {
        found = &argument;
        break;
      }
    }
    if (found == nullptr) return invalid(fmt::format("{} is not given", to_string(program.slots[i].rule)));
    VYRE_TRY(bind(program, i, found->view));
  }
  return check_overlaps(program, ranges);
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
    if (is_same && backend::overlap(views[a].offset, views[a].size, views[b].offset, views[b].size)) [[unlikely]]
      return overlapping(program, a, b);
  }
  const backend::Groups groups{item.groups.x, item.groups.y, item.groups.z};
  if (!backend::is_launchable(groups, device->info().limits)) [[unlikely]]
    return backend::check_groups(groups, device->info().limits);
  return lay_out(program, item.params, params);
}

Result<void> Session::State::check_overlaps(const CompiledProgram& program,
                                            std::span<const backend::BufferRange> given) {
  for (const auto& [a, b] : program.apart) {
    if (given[a].buffer != given[b].buffer) continue;
    if (backend::overlap(given[a].offset, given[a].size, given[b].offset, given[b].size)) {
      return overlapping(program, a, b);
    }
  }
  return {};
}

Result<Session::State::CheckedDispatch> Session::State::check_dispatch(const program::Program& program,
                                                                       std::span<const Argument> arguments,
                                                                       const DispatchOptions& given) {
  VYRE_ASSIGN(const std::uint32_t index, find_program(program, given.values));
  const CompiledProgram& compiled = programs[index];
  const backend::Groups groups{given.groups.x, given.groups.y, given.groups.z};
  VYRE_TRY(backend::check_groups(groups, device->info().limits));
  VYRE_TRY(bind_all(compiled, arguments));
  VYRE_TRY(lay_out(compiled, given.params, param_room.data()));
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
