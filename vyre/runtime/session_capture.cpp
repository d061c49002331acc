#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <vyre/runtime/session_state.hpp>

namespace vyre::runtime {

Result<Capture> Session::State::end_capture() {
  CaptureSlot slot{.is_alive = true, .copies = copies_in_batch, .fills = fills_in_batch};
  const Planned planned = plan_batch(1);
  lower_batch(planned, slot.places);
  slot.plan = planned.counts;
  slot.planned = lowered[0];
  slot.batch = gathered.list;
  slot.waves.resize(planned.plan->operations.size());
  // Labels were noted in the order of the batch; the lowered list has another one.
  std::size_t next = 0;
  std::vector<std::string> labels(gathered.list.commands().size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (std::holds_alternative<backend::Dispatch>(gathered.list.commands()[i])) labels[i] = captured_labels[next++];
  }
  for (std::uint32_t wave = 0; wave < planned.plan->waves.size(); ++wave) {
    for (const plan::Group& group : planned.plan->groups_of(planned.plan->waves[wave])) {
      for (const std::uint32_t index : planned.plan->operations_of(group)) {
        slot.waves[index] = wave;
        if (group.kind != plan::OperationKind::Dispatch) continue;
        slot.labels.emplace_back(labels[index], program_of[group.program]);
      }
    }
  }
  for (std::uint32_t i = 0; i < programs.size(); ++i) {
    const CompiledProgram& each = programs[i];
    if (each.in_batch > 0) {
      slot.programs.push_back({.program = i, .dispatches = each.in_batch, .too_long = each.too_long, .cut = each.cut});
    }
  }
  for (std::uint32_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].last_batch == batch) slot.buffers.push_back(i);
  }
  VYRE_ASSIGN(slot.recording, device->record(slot.planned, {.updatable = options.mode == LaunchMode::Bindless}));
  ++report.recordings;
  captures.push_back(std::move(slot));
  return Capture{.session = id, .index = static_cast<std::uint32_t>(captures.size() - 1)};
}

Result<void> Session::State::change_params(const CaptureSlot& capture, const CaptureParams& given) {
  bool is_there = false;
  std::size_t next = 0;
  for (const backend::Command& command : capture.planned.commands()) {
    const auto* dispatch = std::get_if<backend::Dispatch>(&command);
    if (dispatch == nullptr) continue;
    const auto& [name, program] = capture.labels[next++];
    if (name != given.label) continue;
    is_there = true;
    VYRE_TRY(lay_out(programs[program], given.params, lowered[0].params(*dispatch).data()));
  }
  if (is_there) return {};
  return fail(ErrorCode::InvalidArgument, fmt::format("the capture has no dispatch labelled '{}'", given.label));
}

Result<void> Session::State::change_buffers(const CaptureSlot& capture, std::span<const CaptureBuffer> others) {
  std::vector<std::pair<backend::BufferHandle, backend::BufferHandle>> names;
  for (const CaptureBuffer& each : others) {
    VYRE_ASSIGN(const BufferSlot* from, find(each.from));
    VYRE_ASSIGN(const BufferSlot* to, find(each.to));
    if (!std::ranges::binary_search(capture.buffers, each.from.index)) {
      return fail(ErrorCode::InvalidArgument, "the capture does not use the buffer that another is given for");
    }
    if (each.from.size != from->size || each.to.size != to->size || to->size < from->size) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("a view of {} of {} bytes takes the place of one of {} of {}; whole buffers do, of at "
                              "least the same size",
                              each.to.size, to->size, each.from.size, from->size));
    }
    if (std::ranges::find(names, from->handle, &decltype(names)::value_type::first) != names.end()) {
      return fail(ErrorCode::InvalidArgument, "two buffers are given for one of the capture");
    }
    names.emplace_back(from->handle, to->handle);
  }
  const auto rename = [&](backend::BufferHandle buffer) {
    const auto found = std::ranges::find(names, buffer, &decltype(names)::value_type::first);
    return found == names.end() ? buffer : found->second;
  };
  lowered[0].rename_buffers(rename);
  single = capture.batch;
  single.rename_buffers(rename);
  // No operation may have itself in the way, none that is beside it another.
  for (std::size_t i = 0; i < single.commands().size(); ++i) {
    const backend::Command& command = single.commands()[i];
    Result<void> apart;
    if (const auto* dispatch = std::get_if<backend::Dispatch>(&command)) {
      apart = check_overlaps(programs[program_of[dispatch->pipeline.index]], single.ranges(*dispatch));
    } else if (const auto* copy = std::get_if<backend::Copy>(&command)) {
      if (copy->from == copy->to && backend::overlap(copy->from_offset, copy->size, copy->to_offset, copy->size)) {
        apart = fail(ErrorCode::InvalidArgument, "the views that are copied between overlap");
      }
    }
    if (!apart) return in_context(std::move(apart).error(), fmt::format("while giving operation {} other buffers", i));
  }
  if (const auto conflict = planner.find_conflict(single, capture.waves, writes_of())) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("with these buffers operation {} of the capture must wait for one before it, where the "
                            "capture has no barrier",
                            *conflict));
  }
  return {};
}

Result<void> Session::State::replay_capture(CaptureSlot& capture, std::span<const CaptureParams> params,
                                            std::span<const CaptureBuffer> others) {
  const auto is_touched = [&](std::uint32_t buffer) {
    return std::ranges::binary_search(capture.buffers, buffer) ||
           std::ranges::any_of(others, [&](const CaptureBuffer& each) { return each.to.index == buffer; });
  };
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (reads[i].from == nullptr && is_touched(reads[i].buffer)) VYRE_TRY(stage_read(i));
  }
  // Before the changed list is made: launching a batch plans it in the same place.
  VYRE_TRY(flush_batch());
  const bool is_changed = !params.empty() || !others.empty();
  // A table that was changed stays so, and is changed back for the next that is as captured.
  const bool in_table =
      options.mode == LaunchMode::Bindless && (is_changed || capture.is_changed) &&
      std::ranges::all_of(capture.programs,
                          [&](const CapturedProgram& each) {
                            return programs[each.program].form != program::FormKind::Descriptor && each.cut == 0;
                          }) &&
      capture.copies == 0 && capture.fills == 0;
  if (is_changed || in_table) {
    lowered[0] = capture.planned;
    for (std::size_t i = 0; i < params.size(); ++i) {
      if (std::ranges::find(params.first(i), params[i].label, &CaptureParams::label) != params.first(i).end()) {
        return fail(ErrorCode::InvalidArgument, fmt::format("label '{}' is given parameters twice", params[i].label));
      }
      VYRE_TRY(change_params(capture, params[i]));
    }
    if (!others.empty()) VYRE_TRY(change_buffers(capture, others));
  }
  if (!begin_ns) begin_ns = device->now_ns();
  const std::uint64_t begin = device->now_ns();
  Result<void> launched = launch_arms(1, capture.places, [&](std::size_t, const backend::SubmitOptions& how) {
    if (in_table) return device->replay(capture.recording, lowered[0], how);
    return is_changed ? device->submit(lowered[0], how) : device->replay(capture.recording, how);
  });
  report.host_ns += device->now_ns() - begin;
  if (!launched) return broken(std::move(launched).error());
  if (in_table) capture.is_changed = is_changed;
  const bool is_replayed = in_table || !is_changed;
  ++report.batches;
  report.replays += is_replayed ? 1U : 0U;
  report.copies += capture.copies;
  report.fills += capture.fills;
  for (const std::uint32_t buffer : capture.buffers) note_use(buffer, 0, buffers[buffer].size);
  for (const CaptureBuffer& each : others) note_use(each.to.index, 0, each.to.size);
  for (const CapturedProgram& each : capture.programs) {
    programs[each.program].in_batch = each.dispatches;
    programs[each.program].too_long = each.too_long;
    programs[each.program].cut = each.cut;
  }
  note_launch(capture.plan, is_replayed ? &report::ProgramReport::replayed : &report::ProgramReport::batched,
              is_changed ? "it was captured and is given other parameters or buffers" : "it was captured");
  begin_batch();
  return {};
}

}  // namespace vyre::runtime
