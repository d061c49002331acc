#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <vyre/runtime/session_state.hpp>

namespace vyre::runtime {

Result<Capture> Session::State::end_capture() {
  CaptureSlot slot{.is_alive = true, .copies = copies_in_batch, .fills = fills_in_batch};
  slot.plan = plan_batch(1, slot.places);
  slot.planned = planned[0];
  // Labels were noted in the order of the batch; the planned list has another one.
  std::size_t next = 0;
  std::vector<std::string> labels(gathered.list.commands().size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (std::holds_alternative<backend::Dispatch>(gathered.list.commands()[i])) labels[i] = captured_labels[next++];
  }
  for (const std::uint32_t index : planner.order()) {
    const auto* dispatch = std::get_if<backend::Dispatch>(&gathered.list.commands()[index]);
    if (dispatch != nullptr) slot.labels.emplace_back(labels[index], program_of[dispatch->pipeline.index]);
  }
  for (std::uint32_t i = 0; i < programs.size(); ++i) {
    if (programs[i].in_batch > 0) slot.programs.emplace_back(i, programs[i].in_batch);
  }
  for (std::uint32_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].last_batch == batch) slot.buffers.push_back(i);
  }
  VYRE_ASSIGN(slot.recording, device->record(slot.planned));
  ++report.recordings;
  captures.push_back(std::move(slot));
  return Capture{.session = id, .index = static_cast<std::uint32_t>(captures.size() - 1)};
}

Result<void> Session::State::replay_capture(CaptureSlot& capture, std::span<const CaptureParams> params) {
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (reads[i].from == nullptr && std::ranges::binary_search(capture.buffers, reads[i].buffer)) {
      VYRE_TRY(stage_read(i));
    }
  }
  // Before the changed list is made: launching a batch plans it in the same place.
  VYRE_TRY(flush_batch());
  if (!params.empty()) {
    planned[0] = capture.planned;
    for (const CaptureParams& each : params) {
      bool is_there = false;
      std::size_t next = 0;
      for (const backend::Command& command : capture.planned.commands()) {
        const auto* dispatch = std::get_if<backend::Dispatch>(&command);
        if (dispatch == nullptr) continue;
        const auto& [name, program] = capture.labels[next++];
        if (name != each.label) continue;
        is_there = true;
        VYRE_ASSIGN(const std::span<const std::byte> bytes, lay_out(programs[program], each.params, param_room));
        std::ranges::copy(bytes, planned[0].params(*dispatch).begin());
      }
      if (!is_there) {
        return fail(ErrorCode::InvalidArgument, fmt::format("the capture has no dispatch labelled '{}'", each.label));
      }
    }
  }
  if (!begin_ns) begin_ns = device->now_ns();
  const std::uint64_t begin = device->now_ns();
  Result<void> launched = launch_arms(1, capture.places, [&](std::size_t, const backend::SubmitOptions& how) {
    return params.empty() ? device->replay(capture.recording, how) : device->submit(planned[0], how);
  });
  report.host_ns += device->now_ns() - begin;
  if (!launched) return broken(std::move(launched).error());
  ++report.batches;
  report.replays += params.empty() ? 1U : 0U;
  report.copies += capture.copies;
  report.fills += capture.fills;
  for (const std::uint32_t buffer : capture.buffers) note_use(buffer, 0, buffers[buffer].size);
  for (const auto& [program, count] : capture.programs) programs[program].in_batch = count;
  note_launch(capture.plan, params.empty() ? &report::ProgramReport::replayed : &report::ProgramReport::batched,
              params.empty() ? "it was captured" : "it was captured and has other parameters");
  begin_batch();
  return {};
}

}  // namespace vyre::runtime
