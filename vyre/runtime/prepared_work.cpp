#include <vyre/runtime/prepared_work.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace vyre::runtime {
namespace {

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

}  // namespace

CheckedDispatch PreparedDispatch::checked() const noexcept {
  return {.program = program,
          .ranges = ranges,
          .buffers = buffers,
          .groups = groups,
          .params = params,
          .hash = hash,
          .repeat = repeat,
          .label = label};
}

Prepared PreparedWork::add(const CheckedDispatch& dispatch) {
  prepared_.push_back({.is_alive = true,
                       .program = dispatch.program,
                       .ranges = {dispatch.ranges.begin(), dispatch.ranges.end()},
                       .buffers = {dispatch.buffers.begin(), dispatch.buffers.end()},
                       .groups = dispatch.groups,
                       .params = {dispatch.params.begin(), dispatch.params.end()},
                       .hash = dispatch.hash,
                       .repeat = dispatch.repeat,
                       .label = std::string{dispatch.label}});
  return {.session = session_, .index = static_cast<std::uint32_t>(prepared_.size() - 1)};
}

std::unexpected<Error> PreparedWork::refused(Prepared name) const {
  if (name.session != session_) return invalid("the prepared dispatch belongs to another session");
  if (name.index >= prepared_.size()) {
    return invalid(fmt::format("prepared dispatch {} is enqueued, the session made {}", name.index, prepared_.size()));
  }
  return invalid("the prepared dispatch names a buffer that was freed");
}

std::vector<std::uint32_t> PreparedWork::buffers_of(std::span<const std::uint32_t> prepared) const {
  std::vector<std::uint32_t> all;
  for (const std::uint32_t each : prepared) {
    all.insert(all.end(), prepared_[each].buffers.begin(), prepared_[each].buffers.end());
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

Capture PreparedWork::add(const plan::Batch& batch, const plan::Plan& plan, std::span<const std::string> labels,
                          std::vector<std::uint32_t> buffers) {
  CapturedBatch made{
      .is_alive = true, .batch = batch, .labels = {labels.begin(), labels.end()}, .buffers = std::move(buffers)};
  made.waves.resize(plan.operations.size());
  for (std::uint32_t wave = 0; wave < plan.waves.size(); ++wave) {
    for (const plan::Group& group : plan.groups_of(plan.waves[wave])) {
      for (const std::uint32_t operation : plan.operations_of(group)) made.waves[operation] = wave;
    }
  }
  captures_.push_back(std::move(made));
  return {.session = session_, .index = static_cast<std::uint32_t>(captures_.size() - 1)};
}

Result<const CapturedBatch*> PreparedWork::find(Capture name) const {
  if (name.session != session_) return invalid("the capture belongs to another session");
  if (name.index >= captures_.size()) {
    return invalid(fmt::format("capture {} is replayed, the session made {}", name.index, captures_.size()));
  }
  if (!captures_[name.index].is_alive) return invalid("the capture names a buffer that was freed");
  return &captures_[name.index];
}

Result<const plan::Batch*> PreparedWork::change(const CapturedBatch& captured, const Changes& changes,
                                                BufferTable& buffers, const ProgramTable& programs,
                                                BatchPlanner& planner) {
  changed_ = captured.batch;
  changed_.gathered_at = changes.number;
  for (std::size_t i = 0; i < changes.params.size(); ++i) {
    const auto before = changes.params.first(i);
    if (std::ranges::find(before, changes.params[i].label, &CaptureParams::label) != before.end()) {
      return invalid(fmt::format("label '{}' is given parameters twice", changes.params[i].label));
    }
    VYRE_TRY(change_params(captured, changes.params[i], programs));
  }
  if (!changes.buffers.empty()) VYRE_TRY(change_buffers(captured, changes.buffers, buffers, programs, planner));
  changed_.rehash();
  return &changed_;
}

Result<void> PreparedWork::change_params(const CapturedBatch& captured, const CaptureParams& given,
                                         const ProgramTable& programs) {
  bool is_there = false;
  std::size_t next = 0;
  for (const backend::Command& command : captured.batch.list.commands()) {
    const auto* dispatch = std::get_if<backend::Dispatch>(&command);
    if (dispatch == nullptr) continue;
    if (captured.labels[next++] != given.label) continue;
    is_there = true;
    const CompiledProgram& program = programs[programs.program_of(dispatch->pipeline)];
    VYRE_TRY(lay_out(program, given.params, changed_.list.params(*dispatch).data()));
  }
  if (is_there) return {};
  return invalid(fmt::format("the capture has no dispatch labelled '{}'", given.label));
}

Result<void> PreparedWork::change_buffers(const CapturedBatch& captured, std::span<const CaptureBuffer> others,
                                          BufferTable& buffers, const ProgramTable& programs, BatchPlanner& planner) {
  std::vector<std::pair<backend::BufferHandle, backend::BufferHandle>> names;
  for (const CaptureBuffer& each : others) {
    VYRE_ASSIGN(const BufferSlot* from, buffers.find(each.from));
    VYRE_ASSIGN(const BufferSlot* to, buffers.find(each.to));
    if (!std::ranges::binary_search(captured.buffers, each.from.index)) {
      return invalid("the capture does not use the buffer that another is given for");
    }
    if (each.from.size != from->size || each.to.size != to->size || to->size < from->size) {
      return invalid(fmt::format(
          "a view of {} of {} bytes takes the place of one of {} of {}; whole buffers do, of at least the same size",
          each.to.size, to->size, each.from.size, from->size));
    }
    if (std::ranges::find(names, from->handle, &decltype(names)::value_type::first) != names.end()) {
      return invalid("two buffers are given for one of the capture");
    }
    names.emplace_back(from->handle, to->handle);
  }
  backend::CommandList& list = changed_.list;
  list.rename_buffers([&](backend::BufferHandle buffer) {
    const auto found = std::ranges::find(names, buffer, &decltype(names)::value_type::first);
    return found == names.end() ? buffer : found->second;
  });
  // Checks the new buffers: views of one operation that must be apart do not overlap, and no two operations of a wave
  // conflict.
  for (std::size_t i = 0; i < list.commands().size(); ++i) {
    const backend::Command& command = list.commands()[i];
    Result<void> apart;
    if (const auto* dispatch = std::get_if<backend::Dispatch>(&command)) {
      apart = check_apart(programs[programs.program_of(dispatch->pipeline)], list.ranges(*dispatch));
    } else if (const auto* copy = std::get_if<backend::Copy>(&command)) {
      if (copy->from == copy->to && backend::overlap(copy->from_offset, copy->size, copy->to_offset, copy->size)) {
        apart = invalid("the views that are copied between overlap");
      }
    }
    if (!apart) return in_context(std::move(apart).error(), fmt::format("while giving operation {} other buffers", i));
  }
  if (const auto conflict = planner.find_conflict(list, captured.waves, programs)) {
    return invalid(
        fmt::format("with these buffers operation {} of the capture must wait for one before it, where the "
                    "capture has no barrier",
                    *conflict));
  }
  return {};
}

void PreparedWork::forget_buffer(std::uint32_t buffer) {
  for (PreparedDispatch& each : prepared_) {
    if (std::ranges::find(each.buffers, buffer) != each.buffers.end()) each.is_alive = false;
  }
  for (CapturedBatch& each : captures_) {
    if (std::ranges::binary_search(each.buffers, buffer)) each = {};
  }
}

bool PreparedWork::needs_program(std::uint32_t program) const noexcept {
  const auto is_run_by = [&](const CapturedBatch& each) {
    return each.is_alive && program < each.batch.dispatches.size() && each.batch.dispatches[program] > 0;
  };
  return std::ranges::any_of(prepared_, [&](const auto& each) { return each.is_alive && each.program == program; }) ||
         std::ranges::any_of(captures_, is_run_by);
}

}  // namespace vyre::runtime
