#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <vyre/runtime/session_options.hpp>
#include <vyre/runtime/session_state.hpp>

namespace vyre::runtime {

Result<BufferView> Session::State::allocate(std::uint64_t size) {
  if (is_capturing) return fail(ErrorCode::InvalidArgument, "a buffer is made while a capture is being made");
  Result<backend::BufferHandle> handle = device->allocate({.size = size});
  if (!handle && handle.error().code == ErrorCode::OutOfMemory && !in_flight.empty()) {
    // Memory that was freed comes back when the work before is done.
    VYRE_TRY(wait_for(in_flight.last()));
    handle = device->allocate({.size = size});
  }
  if (!handle) return std::unexpected{std::move(handle).error()};
  std::uint32_t index = 0;
  if (free_buffers.empty()) {
    index = static_cast<std::uint32_t>(buffers.size());
    buffers.emplace_back();
  } else {
    index = free_buffers.back();
    free_buffers.pop_back();
  }
  BufferSlot& slot = buffers[index];
  const auto mapped = device->map(*handle);
  slot = {.handle = *handle,
          .generation = slot.generation + 1,
          .size = size,
          .mapped = mapped ? mapped->data() : nullptr,
          .last_batch = 0,
          .batch_before = 0,
          .used = {}};
  return BufferView{.session = id, .index = index, .generation = slot.generation, .offset = 0, .size = size};
}

Result<void> Session::State::check_capture(std::uint64_t more) const {
  const std::size_t captured = gathered.list.commands().size();
  if (!is_capturing || more <= kMaxOperations - captured) [[likely]]
    return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the capture has {} operations and is given {} more, the limit is {}", captured, more,
                          kMaxOperations));
}

Result<void> Session::State::add_dispatch(const CheckedDispatch& dispatch) {
  VYRE_TRY(check_capture(dispatch.repeat));
  CompiledProgram& compiled = programs[dispatch.program];
  if (!reads.empty()) {
    for (std::size_t i = 0; i < dispatch.ranges.size(); ++i) {
      const backend::BufferRange& range = dispatch.ranges[i];
      if (compiled.writes[i]) VYRE_TRY(before_write(dispatch.buffers[i], range.offset, range.size));
    }
  }
  backend::PipelineHandle pipeline = compiled.pipeline;
  bool is_too_long = false;
  if (compiled.other_pipeline.generation != 0 && !device->fits_form(pipeline, dispatch.groups)) {
    pipeline = compiled.other_pipeline;
    is_too_long = true;
  }
  bool is_cut = false;
  if (!compiled.fits_all_views && !device->fits_views(compiled.pipeline, dispatch.ranges)) {
    VYRE_ASSIGN(pipeline, find_written(compiled));
    note_pipeline(pipeline, dispatch.program);
    is_cut = pipeline != compiled.pipeline;
    is_too_long = false;
  }
  for (std::uint32_t i = 0; i < dispatch.repeat; ++i) {
    for (std::size_t j = 0; j < dispatch.buffers.size(); ++j) {
      note_use(dispatch.buffers[j], dispatch.ranges[j].offset, dispatch.ranges[j].size);
    }
    gathered.list.dispatch(pipeline, dispatch.ranges, dispatch.groups, dispatch.params);
    gathered.hash = mix(gathered.hash, dispatch.hash);
    ++compiled.in_batch;
    compiled.too_long += is_too_long ? 1U : 0U;
    compiled.cut += is_cut ? 1U : 0U;
    if (is_capturing) captured_labels.emplace_back(dispatch.label);
    VYRE_TRY(end_operation());
  }
  return {};
}

bool Session::State::is_previous(std::uint32_t program, std::span<const DispatchItem> items) {
  const CompiledProgram& compiled = programs[program];
  const std::span<const backend::Command> commands = previous.list.commands();
  // What was read may have to be staged before these write, and captures have labels.
  const bool may_be = commands.size() == items.size() && gathered.list.commands().empty() && reads.empty();
  // A capture may be longer than a batch.
  if (!may_be || items.size() > options.max_batch || is_capturing || compiled.other_pipeline.generation != 0)
    return false;
  const auto has_same_params = [&](const backend::Dispatch& before, const Params& given) {
    if (!given.fits()) return false;
    if (!given.is_block() && !lay_out(compiled, given, param_room.data())) return false;
    const std::span<const std::byte> bytes =
        given.is_block() ? given.bytes() : std::span<const std::byte>{param_room}.first(compiled.push_bytes);
    return backend::are_same_bytes(bytes, std::as_const(previous.list).params(before));
  };
  touched.clear();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const DispatchItem& item = items[i];
    const auto* before = std::get_if<backend::Dispatch>(&commands[i]);
    if (before == nullptr || before->pipeline != compiled.pipeline || before->range_count != item.buffers.size()) {
      return false;
    }
    const auto& [x, y, z] = before->groups;
    if (x != item.groups.x || y != item.groups.y || z != item.groups.z) return false;
    const std::span<const backend::BufferRange> views = std::as_const(previous.list).ranges(*before);
    for (std::size_t j = 0; j < views.size(); ++j) {
      const BufferView& view = item.buffers[j];
      if (view.session != id || view.index >= buffers.size()) return false;
      const BufferSlot& slot = buffers[view.index];
      const backend::BufferRange range{.buffer = slot.handle, .offset = view.offset, .size = view.size};
      if (slot.generation != view.generation || range != views[j]) return false;
      if (i == 0 || view.index != items[i - 1].buffers[j].index) touched.push_back(view.index);
    }
    if (!has_same_params(*before, item.params)) return false;
  }
  return true;
}

Result<void> Session::State::add_previous(std::uint32_t program, std::size_t count) {
  std::swap(gathered, previous);
  for (const std::uint32_t index : touched) {
    // The ranges of it that are used stay as they are.
    BufferSlot& slot = buffers[index];
    slot.batch_before = batch - 1;
    slot.last_batch = batch;
  }
  programs[program].in_batch += count;
  return end_operation();
}

Result<void> Session::State::add_many(std::uint32_t program, std::span<const DispatchItem> items) {
  VYRE_TRY(check_capture(items.size()));
  CompiledProgram& compiled = programs[program];
  const std::size_t slots = compiled.slots.size();
  // What was read, and is written by one of them, is read before all of them.
  for (std::size_t i = 0; i < items.size() && !reads.empty(); ++i) {
    for (std::size_t j = 0; j < slots; ++j) {
      const BufferView& view = items[i].buffers[j];
      if (compiled.writes[j]) VYRE_TRY(before_write(view.index, view.offset, view.size));
    }
  }
  const bool may_be_too_long = compiled.other_pipeline.generation != 0;
  const bool may_be_cut = !compiled.fits_all_views;
  const auto is_cut = [&](const DispatchItem& item) {
    ranges.clear();
    for (const BufferView& view : item.buffers) ranges.push_back({.offset = view.offset, .size = view.size});
    return !device->fits_views(compiled.pipeline, ranges);
  };
  if (may_be_cut && std::ranges::any_of(items, is_cut)) {
    VYRE_ASSIGN(const backend::PipelineHandle written, find_written(compiled));
    note_pipeline(written, program);
  }
  const std::byte* params = item_params.data();
  while (!items.empty()) {
    // As many as there is room for in the batch. Copies of what was read may have filled it.
    const std::size_t taken = gathered.list.commands().size();
    const std::size_t room = options.max_batch > taken ? options.max_batch - taken : 1;
    const std::size_t count = is_capturing ? items.size() : std::min(items.size(), room);
    gathered.list.dispatch_many(
        count, slots, compiled.push_bytes,
        [&](std::size_t i, backend::Dispatch& dispatch, std::span<backend::BufferRange> views,
            std::span<std::byte> bytes) {
          const DispatchItem& item = items[i];
          for (std::size_t j = 0; j < slots; ++j) {
            const BufferView& view = item.buffers[j];
            views[j] = {.buffer = buffers[view.index].handle, .offset = view.offset, .size = view.size};
            note_use(view.index, view.offset, view.size);
          }
          dispatch.groups = {item.groups.x, item.groups.y, item.groups.z};
          dispatch.pipeline = compiled.pipeline;
          if (may_be_too_long && !device->fits_form(compiled.pipeline, dispatch.groups)) {
            dispatch.pipeline = compiled.other_pipeline;
            ++compiled.too_long;
          }
          if (may_be_cut && !device->fits_views(compiled.pipeline, views)) {
            compiled.too_long -= dispatch.pipeline != compiled.pipeline ? 1U : 0U;
            dispatch.pipeline = compiled.written_pipeline;
            compiled.cut += dispatch.pipeline != compiled.pipeline ? 1U : 0U;
          }
          if (!bytes.empty()) std::memcpy(bytes.data(), params, bytes.size());
          params += bytes.size();
          gathered.hash = mix(gathered.hash, hash_dispatch(compiled.pipeline, views, dispatch.groups, bytes));
        });
    compiled.in_batch += count;
    if (is_capturing) captured_labels.resize(captured_labels.size() + count);
    items = items.subspan(count);
    VYRE_TRY(end_operation());
  }
  return {};
}

Result<void> Session::State::add_copy(const backend::Copy& copy) {
  VYRE_TRY(check_capture(1));
  gathered.list.copy(copy.from, copy.from_offset, copy.to, copy.to_offset, copy.size);
  gathered.hash = mix(mix(mix(gathered.hash, std::uint64_t{copy.from.index} << 32 | copy.to.index), copy.from_offset),
                      mix(copy.to_offset, copy.size));
  ++copies_in_batch;
  return end_operation();
}

Result<void> Session::State::add_fill(BufferSlot& slot, const BufferView& view, std::uint32_t pattern) {
  VYRE_TRY(check_capture(1));
  VYRE_TRY(before_write(view.index, view.offset, view.size));
  note_use(view.index, view.offset, view.size);
  gathered.list.fill({.buffer = slot.handle, .offset = view.offset, .size = view.size}, pattern);
  gathered.hash =
      mix(mix(gathered.hash, std::uint64_t{slot.handle.index} << 32 | pattern), mix(view.offset, view.size));
  ++fills_in_batch;
  return end_operation();
}

Result<void> Session::State::end_operation() {
  if (gathered.list.commands().size() < options.max_batch || is_capturing) [[likely]]
    return {};
  return flush_batch();
}

Result<void> Session::State::before_write(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size) {
  // Staging one may add others behind it, which are staged already.
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const PendingRead& read = reads[i];
    const bool is_direct = read.from == nullptr;
    if (is_direct && read.buffer == buffer && backend::overlap(read.offset, read.to.size(), offset, size)) {
      VYRE_TRY(stage_read(i));
    }
  }
  return {};
}

Result<void> Session::State::stage_read(std::size_t index) {
  const PendingRead whole = reads[index];
  const std::size_t count = reads.size();
  PendingRead rest = whole;
  bool is_first = true;
  while (!rest.to.empty()) {
    const std::uint64_t part = std::min<std::uint64_t>(rest.to.size(), Staging::kMaxPiece);
    Result<Staging::Piece> taken = readbacks.take(*device, part, batch, in_flight.done());
    if (!taken) {
      reads.resize(count);
      reads[index] = whole;
      return std::unexpected{std::move(taken).error()};
    }
    const Staging::Piece piece = *taken;
    const PendingRead staged{.to = rest.to.first(part), .from = piece.bytes, .batch = batch};
    if (is_first) {
      reads[index] = staged;
    } else {
      reads.push_back(staged);
    }
    is_first = false;
    note_use(rest.buffer, rest.offset, part);
    gathered.list.copy(buffers[rest.buffer].handle, rest.offset, piece.buffer, piece.offset, part);
    gathered.hash =
        mix(mix(gathered.hash, rest.offset), mix(part, std::uint64_t{piece.buffer.index} << 32 ^ piece.offset));
    ++copies_in_batch;
    rest.to = rest.to.subspan(part);
    rest.offset += part;
  }
  return {};
}

Result<void> Session::State::stage_reads() {
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (reads[i].from == nullptr) VYRE_TRY(stage_read(i));
  }
  return {};
}

}  // namespace vyre::runtime
