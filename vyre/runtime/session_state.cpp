#include <vyre/runtime/session_state.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <vyre/backend/check.hpp>

namespace vyre::runtime {
namespace {

/// The slot that stands for the bytes of a host write, when D3 is asked about it.
constexpr std::uint32_t kWritten = 0;

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

std::uint64_t next_session_id() noexcept {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

/// The form in which a session with this launch mode gathers dispatches.
program::FormKind form_of(LaunchMode mode) noexcept {
  switch (mode) {
    case LaunchMode::Merged: return program::FormKind::Merged;
    case LaunchMode::Persistent: return program::FormKind::Persistent;
    case LaunchMode::Chain: return program::FormKind::Chain;
    case LaunchMode::Bindless: return program::FormKind::Pointer;
    default: return program::FormKind::Descriptor;
  }
}

}  // namespace

Session::State::State(std::shared_ptr<backend::Device> opened, const SessionOptions& options)
    : device{std::move(opened)},
      buffers{next_session_id()},
      programs{options.max_pipelines, form_of(options.mode)},
      check{device->info().limits},
      builder{options.max_batch},
      prepared{buffers.session()},
      transfers{*device},
      chooser{*device, options},
      launcher{*device, options, chooser.wait_rule()},
      recorder{device->info().name} {}

Session::State::~State() {
  // The device keeps the buffers that pending work uses. Pending reads are dropped, because their memory may end now.
  launcher.recordings().clear();
  for (const backend::BufferHandle each : buffers.handles()) std::ignore = device->free(each);
}

Result<BufferView> Session::State::allocate(std::uint64_t size) {
  if (builder.is_capturing()) return invalid("a buffer is made while a capture is being made");
  Result<backend::BufferHandle> handle = device->allocate({.size = size});
  if (!handle && handle.error().code == ErrorCode::OutOfMemory && !launcher.in_flight().empty()) {
    // Buffers that were freed give their memory back once the pending work is done.
    VYRE_TRY(wait_for(launcher.in_flight().last()));
    handle = device->allocate({.size = size});
  }
  if (!handle) return std::unexpected{std::move(handle).error()};
  const auto mapped = device->map(*handle);
  return buffers.insert(*handle, size, mapped ? mapped->data() : nullptr);
}

Result<void> Session::State::free(const BufferView& view) {
  VYRE_ASSIGN(const BufferSlot* slot, buffers.find(view));
  if (builder.is_capturing()) return invalid("a buffer is freed while a capture is being made");
  if (view.size != slot->size) {
    return invalid(fmt::format("a part of {} bytes at {} of a buffer of {} is freed, only whole buffers are", view.size,
                               view.offset, slot->size));
  }
  // Reads of the buffer that were promised but not launched become copies first.
  VYRE_TRY(before_write(view.index, 0, slot->size));
  if (slot->last_batch == builder.number()) VYRE_TRY(flush_batch());
  const backend::BufferHandle handle = slot->handle;
  launcher.recordings().forget(handle);
  prepared.forget_buffer(view.index);
  builder.forget_previous();
  buffers.remove(view.index);
  return device->free(handle);
}

Result<std::uint32_t> Session::State::compile(const program::Program& program,
                                              std::span<const program::spirv::SpecOverride> values) {
  std::optional<std::uint32_t> place;
  if (programs.is_full() && !builder.is_capturing()) {
    VYRE_TRY(flush_batch());
    place = programs.oldest([&](std::uint32_t number) { return prepared.needs_program(number); });
  }
  VYRE_ASSIGN(CompiledProgram made, compile_program(*device, program, values, programs.form()));
  if (place) {
    chooser.forget_programs();
    for (const backend::PipelineHandle old : pipelines_of(programs[*place])) launcher.recordings().forget(old);
  }
  return programs.insert(std::move(made), place);
}

Result<std::uint32_t> Session::State::find_variant(std::uint32_t number) {
  // A program whose buffers overlap in many different combinations gets one variant that serves all of them.
  constexpr std::size_t kMostVariants = 8;
  CompiledProgram& compiled = programs[number];
  std::vector<bool> overlapping = check.overlapping();
  if (compiled.aliased.size() >= kMostVariants) {
    for (const auto& [a, b] : compiled.bindings.apart) overlapping[a] = overlapping[b] = true;
  }
  std::vector<program::BindingPlace> bindings;
  std::string names;
  for (std::size_t i = 0; i < overlapping.size(); ++i) {
    const program::BindingPlace place{.set = compiled.bindings.slots[i].rule.set,
                                      .slot = compiled.bindings.slots[i].rule.slot};
    if (!overlapping[i] || (!bindings.empty() && bindings.back() == place)) continue;
    bindings.push_back(place);
    backend::RangeRule binding = compiled.bindings.slots[i].rule;
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
  // Copies, because finding the variant may replace `compiled` in a full table.
  const program::Program variant = found->program;
  const std::vector<program::spirv::SpecOverride> values = compiled.values;
  auto index = find_program(variant, values);
  if (!index) return why(std::move(index).error());
  programs[*index].in_place = std::move(names);
  return index;
}

Result<CheckedDispatch> Session::State::check_dispatch(const program::Program& program,
                                                       std::span<const Argument> arguments,
                                                       const DispatchOptions& options) {
  VYRE_ASSIGN(const std::uint32_t number, find_program(program, options.values));
  Result<CheckedDispatch> checked = check.check(programs[number], number, buffers, arguments, options);
  if (!checked || check.overlapping().empty()) [[likely]]
    return checked;
  VYRE_ASSIGN(const std::uint32_t variant, find_variant(number));
  return check.check_variant(programs[variant], variant, buffers, *checked);
}

Result<void> Session::State::add(const CheckedDispatch& dispatch, std::uint32_t from) {
  VYRE_TRY(builder.check_room(dispatch.repeat));
  const CompiledProgram& program = programs[dispatch.program];
  const backend::PipelineHandle pipeline = program.pipeline;
  // A captured dispatch does not run now, and so writes nothing yet.
  if (transfers.has_reads() && !builder.is_capturing()) {
    for (std::size_t i = 0; i < dispatch.ranges.size(); ++i) {
      const backend::BufferRange& range = dispatch.ranges[i];
      if (program.bindings.writes[i]) VYRE_TRY(before_write(dispatch.buffers[i], range.offset, range.size));
    }
  }
  for (std::uint32_t i = 0; i < dispatch.repeat; ++i) {
    for (std::size_t j = 0; j < dispatch.buffers.size(); ++j) {
      buffers.note_use(dispatch.buffers[j], dispatch.ranges[j].offset, dispatch.ranges[j].size, builder.number());
    }
    builder.add(dispatch, pipeline, from);
    VYRE_TRY(after_operation());
  }
  return {};
}

Result<void> Session::State::add_many(const program::Program& program, std::span<const DispatchItem> items) {
  VYRE_ASSIGN(std::uint32_t number, find_program(program, {}));
  if (!transfers.has_reads() && builder.is_previous(programs[number], buffers, items)) {
    for (const std::uint32_t buffer : builder.buffers_again()) buffers.note_use_again(buffer, builder.number());
    builder.take_previous();
    return after_operation();
  }
  // All items are checked before one is enqueued.
  VYRE_TRY(check.check_items(programs[number], buffers, items));
  if (!check.overlapping().empty()) [[unlikely]] {
    VYRE_ASSIGN(number, find_variant(number));
    VYRE_TRY(check.check_items_variant(programs[number], buffers, items));
  }
  VYRE_TRY(builder.check_room(items.size()));
  const CompiledProgram& compiled = programs[number];
  // Reads of bytes that one of the items writes are staged before all items.
  for (std::size_t i = 0; i < items.size() && transfers.has_reads() && !builder.is_capturing(); ++i) {
    for (std::size_t j = 0; j < compiled.bindings.slots.size(); ++j) {
      const BufferView& view = items[i].buffers[j];
      if (compiled.bindings.writes[j]) VYRE_TRY(before_write(view.index, view.offset, view.size));
    }
  }
  std::span<const std::byte> params = check.item_params();
  while (!items.empty()) {
    const std::size_t count = std::min(items.size(), builder.room());
    for (const DispatchItem& item : items.first(count)) {
      for (std::size_t j = 0; j < item.buffers.size(); ++j) {
        const BufferView& view = item.buffers[j];
        if (!compiled.bindings.are_all_needed && !compiled.bindings.slots[j].rule.is_needed) continue;
        buffers.note_use(view.index, view.offset, view.size, builder.number());
      }
    }
    builder.add(compiled, number, buffers, items.first(count), params);
    items = items.subspan(count);
    params = params.subspan(count * compiled.push_bytes);
    VYRE_TRY(after_operation());
  }
  return {};
}

Result<void> Session::State::enqueue(Prepared name) {
  VYRE_ASSIGN(const PreparedDispatch* dispatch, prepared.find(name));
  const bool may_repeat = builder.has_repeated() || !transfers.has_reads();
  if (may_repeat && builder.repeat(name.index)) [[likely]] {
    return builder.is_full_of_repeated() ? flush_batch() : Result<void>{};
  }
  VYRE_TRY(settle());
  return add(dispatch->checked(), dispatch->repeat == 1 ? name.index : BatchBuilder::kNotPrepared);
}

Result<void> Session::State::enqueue(std::span<const Prepared> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (prepared.has(names[i])) [[likely]]
      continue;
    return in_context(prepared.find(names[i]).error(), fmt::format("in prepared dispatch {} of {}", i, names.size()));
  }
  for (const Prepared& each : names) VYRE_TRY(enqueue(each));
  return {};
}

Result<void> Session::State::settle_repeated() {
  if (builder.has_repeated_all()) {
    if (builder.buffers_again().empty()) builder.keep_buffers(prepared.buffers_of(builder.prepared_again()));
    for (const std::uint32_t buffer : builder.buffers_again()) buffers.note_use_again(buffer, builder.number());
    builder.take_previous();
    return {};
  }
  for (const std::uint32_t each : builder.take_repeated()) VYRE_TRY(add(prepared.at(each).checked(), each));
  return {};
}

Result<void> Session::State::add(const backend::Copy& copy, bool is_leading) {
  VYRE_TRY(builder.check_room(1));
  builder.add(copy, is_leading);
  return after_operation();
}

Result<void> Session::State::add_fill(const BufferView& view, std::uint32_t pattern) {
  VYRE_TRY(builder.check_room(1));
  if (!builder.is_capturing()) VYRE_TRY(before_write(view.index, view.offset, view.size));
  buffers.note_use(view.index, view.offset, view.size, builder.number());
  const backend::BufferRange range{.buffer = buffers[view.index].handle, .offset = view.offset, .size = view.size};
  builder.add(backend::Fill{.range = range, .pattern = pattern});
  return after_operation();
}

Result<void> Session::State::write(const BufferView& to, std::span<const std::byte> bytes) {
  VYRE_TRY(before_write(to.index, to.offset, to.size));
  recorder.add_write(bytes.size());
  if (std::byte* mapped = buffers[to.index].mapped; mapped != nullptr) {
    VYRE_ASSIGN(const bool is_direct, may_write_now(to));
    if (is_direct) {
      std::memcpy(mapped + to.offset, bytes.data(), bytes.size());
      if (!launcher.in_flight().empty()) recorder.add_overlapped(bytes.size());
      return {};
    }
  }
  const backend::BufferHandle handle = buffers[to.index].handle;
  for (std::uint64_t offset = to.offset; !bytes.empty();) {
    const std::uint64_t part = std::min<std::uint64_t>(bytes.size(), Staging::kMaxPiece);
    VYRE_TRY(trim_staging());
    VYRE_ASSIGN(const Staging::Piece piece, transfers.upload(work(), bytes.first(part)));
    const bool is_leading = is_unused(to.bytes(offset - to.offset, part));
    buffers.note_use(to.index, offset, part, builder.number());
    VYRE_TRY(add(
        backend::Copy{
            .from = piece.buffer, .to = handle, .from_offset = piece.offset, .to_offset = offset, .size = part},
        is_leading));
    bytes = bytes.subspan(part);
    offset += part;
  }
  return {};
}

Result<void> Session::State::read(const BufferView& from, std::span<std::byte> bytes) {
  recorder.add_read(bytes.size());
  if (buffers[from.index].mapped != nullptr) return transfers.read(work(), from, bytes);
  for (std::uint64_t begin = 0; !bytes.empty();) {
    VYRE_TRY(trim_staging());
    const std::uint64_t part = std::min<std::uint64_t>(bytes.size(), Staging::kMaxPiece);
    VYRE_TRY(transfers.read_staged(work(), from.bytes(begin, part), bytes.first(part)));
    VYRE_TRY(after_operation());
    bytes = bytes.subspan(part);
    begin += part;
  }
  return {};
}

Result<void> Session::State::flush_batch() {
  VYRE_TRY(settle());
  builder.copy_held();
  return builder.empty() ? Result<void>{} : launch({.batch = builder.batch()});
}

Result<void> Session::State::launch(const Launch& launch) {
  VYRE_TRY(calibrate_if_due(launch.batch));
  const std::uint64_t begin = device->now_ns();
  recorder.begin(begin);
  stopwatch.launch(begin);
  if (auto launched = decide_and_launch(launch); !launched) return broken(std::move(launched).error());
  builder.next();
  const std::uint64_t taken = device->now_ns() - begin;
  recorder.add_host_ns(taken);
  stopwatch.work(taken);
  // Completed batches leave the list of pending ones here. `Device` bounds how many are pending.
  return launcher.in_flight().size() > 1 ? refresh(true) : Result<void>{};
}

Result<void> Session::State::calibrate_if_due(const plan::Batch& batch) {
  const std::uint64_t budget = chooser.calibration_budget_ns(batch);
  if (budget == 0) [[likely]]
    return {};
  // Calibration waits for pending work, whose time can then not be measured.
  if (!launcher.in_flight().empty()) stopwatch.spoil();
  const std::uint64_t begin = device->now_ns();
  const auto measured = chooser.calibrate(launcher.watchdog(), budget);
  const std::uint64_t taken = device->now_ns() - begin;
  recorder.add_calibration(taken);
  stopwatch.skip(taken);
  if (measured) return {};
  if (measured.error().code == ErrorCode::DeviceLost) return broken(measured.error());
  recorder.note_not_calibrated(measured.error().message);
  return {};
}

Result<void> Session::State::decide_and_launch(const Launch& launch) {
  InFlight& in_flight = launcher.in_flight();
  const std::uint64_t number = builder.number();
  const bool is_first_launch = programs.has_first_launch(launch.batch);
  // Each try that fails takes a form from a program, so that the tries end.
  for (std::size_t tries = programs.size() * program::kForms + 1;; --tries) {
    const Decision decision = chooser.decide({.batch = launch.batch,
                                              .planner = launcher.planner(),
                                              .programs = programs,
                                              .recordings = launcher.recordings(),
                                              .max_arms = launcher.max_arms(),
                                              .may_try = stopwatch.is_new(),
                                              .is_idle = in_flight.empty(),
                                              .is_captured = launch.is_captured,
                                              .is_changed = launch.is_changed});
    stopwatch.exclude(decision.asked_ns);
    const bool was_pending = !in_flight.empty();
    const Result<Launched> launched = launcher.launch({.batch = launch.batch,
                                                       .number = number,
                                                       .is_captured = launch.is_captured && !launch.is_changed,
                                                       .is_first_launch = is_first_launch},
                                                      decision, programs);
    if (launched) {
      // Compiling waits for pending work, whose time can then not be measured.
      if (launched->has_compiled && was_pending) stopwatch.spoil();
      // A list that is timed takes longer than its batch does.
      if (decision.timed) stopwatch.spoil();
      if (decision.used) stopwatch.exclude(launched->setup_ns);
      if (launched->setup_ns > 0) chooser.note_setup(decision, launched->setup_ns);
      if (launched->planning_ns) {
        chooser.note_planning(*launched->planning_ns, launch.batch.operations());
      }
      recorder.add(launch.batch, decision, *launched, programs, launch.is_captured);
      programs.note_launch(launch.batch, number);
      chooser.note_launch(decision, launch.batch);
      return {};
    }
    const bool is_pending = in_flight.last() == number;
    if (is_pending || tries == 0 || !chooser.can_do_without(decision, launched.error(), programs)) {
      return std::unexpected{launched.error()};
    }
  }
}

Result<void> Session::State::capture(const CapturedTransfer& transfer) {
  VYRE_TRY(builder.check_room(1));
  buffers.note_use(transfer.view.index, transfer.view.offset, transfer.view.size, builder.number());
  builder.add(transfer);
  return {};
}

Result<Capture> Session::State::end_capture() {
  const BatchPlan& planned = launcher.planner().plan(builder.batch(), 1, programs);
  return prepared.captures().add(builder, *planned.plan, buffers, programs);
}

Result<void> Session::State::replay(CapturedBatch& captured, const CaptureChanges& changes) {
  VYRE_TRY(Captures::check_bytes(captured, changes.bytes));
  VYRE_TRY(flush_batch());
  const plan::Batch* batch = &captured.batch;
  if (changes.has_other_batch()) {
    VYRE_ASSIGN(batch, Captures::change(captured, changes, builder.number(), buffers, programs, launcher.planner()));
  }
  if (auto added = add_captured(captured, *batch, changes); !added) {
    // Some of the transfers were made, so that the capture can be neither left out nor replayed later.
    return call.failure ? std::move(added) : broken(std::move(added).error());
  }
  if (transfers.has_reads()) VYRE_TRY(transfers.stage_for_flush(work()));
  if (!builder.holds(*batch)) return flush_batch();
  return launch({.batch = *batch, .is_captured = true, .is_changed = changes.has_other_batch()});
}

Result<void> Session::State::add_captured(const CapturedBatch& captured, const plan::Batch& batch,
                                          const CaptureChanges& changes) {
  auto next = captured.transfers.begin();
  const auto transfer_before = [&](std::size_t operation) -> Result<void> {
    for (; next != captured.transfers.end() && next->before <= operation; ++next) {
      const BufferView view = changes.view_for(next->view);
      VYRE_TRY(next->is_write ? write(view, changes.source_of(*next)) : read(view, changes.target_of(*next)));
    }
    return {};
  };
  for (const CapturedPart& part : captured.parts) {
    VYRE_TRY(transfer_before(part.operations.begin));
    if (transfers.has_reads()) {
      for (const CapturedPart::Range& each : part.writes) {
        VYRE_TRY(before_write(changes.buffer_for(each.buffer), each.offset, each.size));
      }
    }
    for (const std::uint32_t each : part.buffers) {
      const std::uint32_t buffer = changes.buffer_for(each);
      buffers.note_use(buffer, 0, buffers[buffer].size, builder.number());
    }
    builder.add(batch, part.operations);
    VYRE_TRY(after_operation());
  }
  return transfer_before(batch.list.commands().size());
}

std::unexpected<Error> Session::State::broken(Error error) {
  if (!call.failure) call.failure = error;
  // The time of a launch that failed says nothing about the device.
  stopwatch.reset();
  stopwatch.spoil();
  transfers.drop_failed(builder.number());
  builder.next();
  return std::unexpected{std::move(error)};
}

Result<void> Session::State::refresh(bool is_just_launched) {
  VYRE_ASSIGN(const std::uint64_t reached, launcher.in_flight().poll());
  // If all batches are complete and the last was launched just now, that is when they completed.
  const bool is_all = reached != 0 && reached == launcher.in_flight().last();
  if (reached != 0) complete(reached, is_all && is_just_launched ? Completion::JustNow : Completion::Earlier);
  return {};
}

Result<void> Session::State::wait_for(std::uint64_t batch) {
  const std::uint64_t begin = device->now_ns();
  const Result<std::uint64_t> reached = launcher.in_flight().wait(batch, launcher.watchdog());
  if (reached && *reached == 0) {
    // Waiting for a batch that is complete already also ends a measurement.
    if (launcher.in_flight().empty()) stop_lap(true);
    return {};
  }
  const std::uint64_t taken = device->now_ns() - begin;
  recorder.add_wait_ns(taken);
  stopwatch.work(taken);
  if (!reached) return std::unexpected{reached.error()};
  complete(*reached, Completion::Awaited);
  return {};
}

Result<void> Session::State::wait_for_ticket(std::uint64_t batch) {
  const std::uint64_t awaited = transfers.awaited_for(batch);
  if (awaited == builder.number() && !builder.is_capturing()) VYRE_TRY(flush_batch());
  transfers.note_wait(buffers, batch);
  VYRE_TRY(wait_for(awaited));
  transfers.deliver_direct(buffers, batch);
  return {};
}

Result<bool> Session::State::poll(std::uint64_t batch) {
  const std::uint64_t awaited = transfers.awaited_for(batch);
  if (awaited == builder.number() && !builder.is_capturing()) VYRE_TRY(flush_batch());
  const std::uint64_t now = device->now_ns();
  VYRE_ASSIGN(const std::uint64_t reached, launcher.in_flight().poll());
  const bool is_awaited = reached >= awaited && stopwatch.has_just_seen_pending(now);
  if (reached != 0) complete(reached, is_awaited ? Completion::Awaited : Completion::Earlier);
  if (launcher.in_flight().is_pending(awaited)) {
    stopwatch.see_pending(now);
    return false;
  }
  transfers.note_wait(buffers, batch);
  transfers.deliver_direct(buffers, batch);
  return true;
}

Result<void> Session::State::check_ticket(SessionTicket ticket) const {
  if (ticket.session == buffers.session() && ticket.batch < builder.number()) return {};
  return invalid("the ticket was not given by this session");
}

void Session::State::complete(std::uint64_t upto, Completion when) {
  launcher.in_flight().complete(upto, [&](const PendingBatch& each) {
    for (const std::uint32_t place : each.timed) recorder.add_device_time(launcher.timer().completed(place));
    stopwatch.complete(each.used, each.is_first_launch);
    GroupTimer& groups = launcher.group_timer();
    if (each.batch == groups.batch()) chooser.observe_groups(groups.completed());
  });
  // Over many batches, the unknown moment of the last completion is a small error.
  if (when != Completion::Earlier || stopwatch.is_long()) {
    stop_lap(when == Completion::Awaited);
  } else if (launcher.in_flight().empty()) {
    stopwatch.reset();  // The moment of the last completion is not known.
  }
  transfers.deliver_staged(upto);
}

void Session::State::stop_lap(bool is_waited) {
  const Stopwatch::Lap lap = stopwatch.stop(device->now_ns(), is_waited, !launcher.in_flight().empty());
  chooser.note_lap(lap.ns);
  if (lap.timed) chooser.observe(*lap.timed);
}

Result<bool> Session::State::may_write_now(const BufferView& to) {
  // If nothing is gathered or pending, there is nothing to overlap with.
  if (builder.empty() && launcher.in_flight().empty()) return true;
  VYRE_ASSIGN(const policy::Arm kernels, users_of(to));
  return chooser.may_overlap(kWritten, kernels);
}

Result<policy::Arm> Session::State::users_of(const BufferView& view) {
  const policy::Arm unused;
  const policy::Arm used{.reads = {kWritten}, .writes = {kWritten}};
  const BufferSlot& slot = buffers[view.index];
  const InFlight& in_flight = launcher.in_flight();
  const std::uint64_t launched = slot.last_batch == builder.number() ? slot.batch_before : slot.last_batch;
  if (launched > in_flight.done()) VYRE_TRY(refresh());
  // A pending batch counts as using the whole buffer; the ranges that the batch at hand uses are known.
  if (launched > in_flight.done()) return used;
  return is_unused(view) ? unused : used;
}

bool Session::State::is_unused(const BufferView& view) const noexcept {
  const BufferSlot& slot = buffers[view.index];
  if (slot.last_batch != builder.number()) return true;
  if (slot.used.size() == BufferTable::kMaxUsed) return false;
  return std::ranges::none_of(slot.used, [&](const auto& range) {
    return backend::overlap(range.first, range.second - range.first, view.offset, view.size);
  });
}

Result<void> Session::State::wait_until_idle(const BufferView& view) {
  const BufferSlot& slot = buffers[view.index];
  if (slot.last_batch == builder.number()) VYRE_TRY(flush_batch());
  return slot.last_batch > launcher.in_flight().done() ? wait_for(slot.last_batch) : Result<void>{};
}

Result<void> Session::State::trim_staging() {
  if (!transfers.must_trim()) return {};
  VYRE_TRY(flush_batch());
  if (!launcher.in_flight().empty()) VYRE_TRY(wait_for(launcher.in_flight().last()));
  transfers.trim();
  return {};
}

Result<RunReport> Session::State::finish() {
  InFlight& in_flight = launcher.in_flight();
  Result<void> done = call.failure ? std::unexpected{*std::exchange(call.failure, std::nullopt)} : flush_batch();
  transfers.note_wait(buffers, builder.number());
  if (done || done.error().code != ErrorCode::DeviceLost) {
    Result<void> waited = wait_for(builder.number());
    if (done) done = std::move(waited);
  }
  const InFlight::Counts counts = in_flight.counts();
  if (done) transfers.deliver_direct(buffers, builder.number());
  RunReport report = recorder.finish(device->now_ns(), counts, chooser, programs);
  // Work that is still pending belongs to this run, and not to the next.
  in_flight.restart_counts();
  if (done) return report;
  call.failure.reset();
  transfers.drop();
  Error error = std::move(done).error();
  error.context.push_back(fmt::format("{} of {} submissions completed", counts.completed, counts.submitted));
  return std::unexpected{std::move(error)};
}

}  // namespace vyre::runtime
