#include <vyre/runtime/dispatch_check.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <vyre/backend/check.hpp>
#include <vyre/base/check.hpp>
#include <vyre/plan/batch.hpp>

namespace vyre::runtime {
namespace {

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

bool do_overlap(const backend::BufferRange& a, const backend::BufferRange& b) noexcept {
  return a.buffer == b.buffer && backend::overlap(a.offset, a.size, b.offset, b.size);
}

/// Whether `name` is a name of a slot. A slot that several variables share has the names of all of them.
bool has_name(const plan::PlannedBinding& slot, std::string_view name) noexcept {
  return slot.rule.name == name || std::ranges::find(slot.rule.other_names, name) != slot.rule.other_names.end();
}

bool is_named(const Argument& argument) noexcept { return argument.is_named || !argument.name.empty(); }

Error in_item(Error error, std::size_t i, std::size_t count) {
  error.context.push_back(fmt::format("in item {} of {}", i, count));
  return error;
}

}  // namespace

std::unexpected<Error> DispatchCheck::cannot_bind(BufferTable& buffers, const plan::PlannedBinding& slot,
                                                  const BufferView& view) const {
  auto found = buffers.find(view);
  if (!found) return in_context(std::move(found).error(), fmt::format("while binding {}", to_string(slot.rule)));
  auto fits = backend::check_range(slot.rule, view.offset, view.size, (*found)->size, limits_);
  VYRE_CHECK(!fits.has_value(), "a view that cannot be bound breaks a rule");
  return std::unexpected{std::move(fits).error()};
}

Result<void> DispatchCheck::check_left_out(BufferTable& buffers, const plan::PlannedBinding& slot,
                                           const BufferView& view) const {
  if (slot.rule.is_needed) return cannot_bind(buffers, slot, view);
  if (view == BufferView{}) return {};
  auto found = buffers.find(view);
  if (!found) return in_context(std::move(found).error(), fmt::format("while binding {}", to_string(slot.rule)));
  return {};
}

Result<void> DispatchCheck::leave_out(BufferTable& buffers, const plan::PlannedBinding& slot, const BufferView& view) {
  VYRE_TRY(check_left_out(buffers, slot, view));
  ranges_.push_back(backend::kNoRange);
  touched_.push_back(BufferTable::kNoBuffer);
  return {};
}

Result<void> DispatchCheck::bind(const CompiledProgram& program, BufferTable& buffers,
                                 std::span<const Argument> arguments) {
  ranges_.clear();
  touched_.clear();
  if (!arguments.empty() && is_named(arguments[0])) [[unlikely]]
    return bind_by_name(program, buffers, arguments);
  if (arguments.size() != program.bindings.slots.size()) [[unlikely]]
    return wrong_buffer_count(program, arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_named(arguments[i])) [[unlikely]]
      return bind_by_name(program, buffers, arguments);
    if (!bind(buffers, program.bindings.slots[i], arguments[i].view)) [[unlikely]]
      VYRE_TRY(leave_out(buffers, program.bindings.slots[i], arguments[i].view));
  }
  return {};
}

Result<void> DispatchCheck::bind_by_name(const CompiledProgram& program, BufferTable& buffers,
                                         std::span<const Argument> arguments) {
  ranges_.clear();
  touched_.clear();
  for (const Argument& argument : arguments) {
    if (!is_named(argument)) return invalid("some buffers are given by name and some are not");
    const auto has_its_name = [&](const plan::PlannedBinding& slot) { return has_name(slot, argument.name); };
    if (std::ranges::none_of(program.bindings.slots, has_its_name)) {
      return invalid(fmt::format("program '{}' has no binding '{}'", program.program.name(), argument.name));
    }
  }
  std::size_t taken = 0;
  for (std::size_t i = 0; i < program.bindings.slots.size(); ++i) {
    const plan::PlannedBinding& slot = program.bindings.slots[i];
    // For an array of buffers, the nth argument with its name is its element n.
    std::size_t before = 0;
    for (std::size_t j = 0; j < i; ++j) before += program.bindings.slots[j].rule.name == slot.rule.name ? 1U : 0U;
    const Argument* found = nullptr;
    for (const Argument& argument : arguments) {
      if (!has_name(slot, argument.name)) continue;
      if (before-- == 0) {
        found = &argument;
        break;
      }
    }
    if (found == nullptr && slot.rule.is_needed) return invalid(fmt::format("{} is not given", to_string(slot.rule)));
    const BufferView view = found == nullptr ? BufferView{} : found->view;
    if (!bind(buffers, slot, view)) VYRE_TRY(leave_out(buffers, slot, view));
    taken += found == nullptr ? 0U : 1U;
  }
  if (taken != arguments.size()) return wrong_buffer_count(program, arguments.size());
  return {};
}

Result<std::span<const std::byte>> DispatchCheck::lay_out_params(const CompiledProgram& program, const Params& params) {
  VYRE_TRY(lay_out(program, params, params_.data()));
  return std::span<const std::byte>{params_}.first(program.push_bytes);
}

void DispatchCheck::find_overlaps(const CompiledProgram& program) {
  overlapping_.clear();
  for (const auto& [a, b] : program.bindings.apart) {
    if (!do_overlap(ranges_[a], ranges_[b])) [[likely]]
      continue;
    overlapping_.resize(program.bindings.slots.size());
    overlapping_[a] = overlapping_[b] = true;
  }
}

Result<CheckedDispatch> DispatchCheck::check(const CompiledProgram& program, std::uint32_t number, BufferTable& buffers,
                                             std::span<const Argument> arguments, const DispatchOptions& options) {
  const backend::Groups groups{options.groups.x, options.groups.y, options.groups.z};
  if (!backend::is_launchable(groups, limits_)) [[unlikely]]
    VYRE_TRY(backend::check_groups(groups, limits_));
  VYRE_TRY(bind(program, buffers, arguments));
  VYRE_TRY(lay_out(program, options.params, params_.data()));
  find_overlaps(program);
  const auto params = std::span<const std::byte>{params_}.first(program.push_bytes);
  return CheckedDispatch{.program = number,
                         .ranges = ranges_,
                         .buffers = touched_,
                         .groups = groups,
                         .params = params,
                         .hash = plan::hash_dispatch(program.pipeline, ranges_, groups, params),
                         .repeat = options.repeat,
                         .label = options.label};
}

Result<CheckedDispatch> DispatchCheck::check_variant(const CompiledProgram& variant, std::uint32_t number,
                                                     const BufferTable& buffers, CheckedDispatch dispatch) const {
  for (std::size_t i = 0; i < dispatch.ranges.size(); ++i) {
    const backend::BufferRange& range = dispatch.ranges[i];
    if (backend::is_left_out(range)) continue;
    VYRE_TRY(check_in_place(variant.bindings.slots[i], buffers[dispatch.buffers[i]], range.offset, range.size));
  }
  dispatch.program = number;
  dispatch.hash = plan::hash_dispatch(variant.pipeline, dispatch.ranges, dispatch.groups, dispatch.params);
  return dispatch;
}

Result<void> DispatchCheck::check_in_place(const plan::PlannedBinding& slot, const BufferSlot& buffer,
                                           std::uint64_t offset, std::uint64_t size) const {
  if (slot.allows(offset, size)) return {};
  auto fits = backend::check_range(slot.rule, offset, size, buffer.size, limits_);
  VYRE_CHECK(!fits.has_value(), "a view that cannot be bound breaks a rule");
  Error why = std::move(fits).error();
  why.context.emplace_back("while binding it as a storage buffer, since buffers overlap");
  return std::unexpected{std::move(why)};
}

Result<void> DispatchCheck::check_item(const CompiledProgram& program, BufferTable& buffers, const DispatchItem& item,
                                       std::byte* params) {
  const std::span<const BufferView> views = item.buffers;
  if (views.size() != program.bindings.slots.size()) [[unlikely]]
    return wrong_buffer_count(program, views.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (buffers.find_bindable(program.bindings.slots[i], views[i]) == nullptr) [[unlikely]]
      VYRE_TRY(check_left_out(buffers, program.bindings.slots[i], views[i]));
  }
  for (const auto& [a, b] : program.bindings.apart) {
    const bool is_same = views[a].index == views[b].index;
    if (is_same && backend::overlap(views[a].offset, views[a].size, views[b].offset, views[b].size)) [[unlikely]] {
      overlapping_.resize(program.bindings.slots.size());
      overlapping_[a] = overlapping_[b] = true;
    }
  }
  const backend::Groups groups{item.groups.x, item.groups.y, item.groups.z};
  if (!backend::is_launchable(groups, limits_)) [[unlikely]]
    return backend::check_groups(groups, limits_);
  return lay_out(program, item.params, params);
}

Result<void> DispatchCheck::check_items(const CompiledProgram& program, BufferTable& buffers,
                                        std::span<const DispatchItem> items) {
  item_params_.resize(items.size() * program.push_bytes);
  overlapping_.clear();
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto checked = check_item(program, buffers, items[i], item_params_.data() + i * program.push_bytes);
    if (!checked) [[unlikely]]
      return std::unexpected{in_item(std::move(checked).error(), i, items.size())};
  }
  return {};
}

Result<void> DispatchCheck::check_items_variant(const CompiledProgram& variant, const BufferTable& buffers,
                                                std::span<const DispatchItem> items) const {
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t j = 0; j < items[i].buffers.size(); ++j) {
      const BufferView& view = items[i].buffers[j];
      if (!variant.bindings.slots[j].rule.is_needed) continue;
      auto fits = check_in_place(variant.bindings.slots[j], buffers[view.index], view.offset, view.size);
      if (!fits) return std::unexpected{in_item(std::move(fits).error(), i, items.size())};
    }
  }
  return {};
}

Result<void> check_apart(const CompiledProgram& program, std::span<const backend::BufferRange> ranges) {
  for (const auto& [a, b] : program.bindings.apart) {
    if (do_overlap(ranges[a], ranges[b])) {
      return invalid(fmt::format("{} and {} overlap, and one of them is written",
                                 to_string(program.bindings.slots[a].rule), to_string(program.bindings.slots[b].rule)));
    }
  }
  return {};
}

}  // namespace vyre::runtime
