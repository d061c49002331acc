#include <vyre/runtime/session_state.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace vyre::runtime {
namespace {

std::uint64_t next_session_id() noexcept {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

std::string label(const ArgumentSlot& slot) {
  return slot.name.empty() ? fmt::format("binding {}", slot.slot)
                           : fmt::format("binding {} '{}'", slot.slot, slot.name);
}

bool overlap(std::uint64_t a, std::uint64_t a_size, std::uint64_t b, std::uint64_t b_size) noexcept {
  return a < b + b_size && b < a + a_size;
}

template <typename T>
void keep_each_once(std::vector<T>& values) {
  std::ranges::sort(values);
  const auto rest = std::ranges::unique(values);
  values.erase(rest.begin(), rest.end());
}

}  // namespace

Session::State::State(std::shared_ptr<backend::Device> opened, const SessionOptions& wanted)
    : id{next_session_id()}, device{std::move(opened)}, options{wanted}, planned(1) {
  options.max_batch = std::max<std::size_t>(options.max_batch, 1);
  options.max_pipelines = std::max<std::size_t>(options.max_pipelines, 1);
  report.device = device->info().name;
}

Session::State::~State() {
  // What is pending goes on by itself: the device keeps what it uses until it is done with it. Only reads must not
  // come any more, since their spans may go now.
  while (!kept.empty()) drop(kept.back());
  for (const CaptureSlot& each : captures) {
    if (each.is_alive) std::ignore = device->free(each.recording);
  }
  for (const CompiledProgram& each : programs) std::ignore = device->free(each.pipeline);
  for (const BufferSlot& each : buffers) {
    if (each.generation % 2 == 1) std::ignore = device->free(each.handle);
  }
  uploads.free(*device);
  readbacks.free(*device);
}

// ---- checks

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

Result<std::uint32_t> Session::State::find_program(const program::Program& program,
                                                   std::span<const program::spirv::SpecOverride> values) {
  const auto is_it = [&](const CompiledProgram& each) {
    return each.program.module_hash() == program.module_hash() &&
           each.program.interface_hash() == program.interface_hash() && std::ranges::equal(each.values, values);
  };
  if (last_program < programs.size() && is_it(programs[last_program])) return last_program;
  const auto found = std::ranges::find_if(programs, is_it);
  if (found != programs.end()) {
    last_program = static_cast<std::uint32_t>(found - programs.begin());
    return last_program;
  }
  if (programs.size() >= options.max_pipelines && !is_capturing) {
    VYRE_TRY(flush_batch());
    const auto is_needed = [&](std::uint32_t index) {
      return std::ranges::any_of(prepared, [&](const auto& e) { return e.is_alive && e.program == index; }) ||
             std::ranges::any_of(captures, [&](const CaptureSlot& each) {
               return each.is_alive &&
                      std::ranges::any_of(each.programs, [&](const auto& p) { return p.first == index; });
             });
    };
    std::optional<std::uint32_t> oldest;
    for (std::uint32_t i = 0; i < programs.size(); ++i) {
      if (!is_needed(i) && (!oldest || programs[i].last_used < programs[*oldest].last_used)) oldest = i;
    }
    if (oldest) {
      const backend::PipelineHandle pipeline = programs[*oldest].pipeline;
      drop_kept([&](const KeptBatch& each) { return std::ranges::binary_search(each.pipelines, pipeline); });
      VYRE_ASSIGN(CompiledProgram compiled, compile_program(*device, program, values));
      std::ignore = device->free(pipeline);
      programs[*oldest] = std::move(compiled);
      last_program = *oldest;
    }
  }
  if (last_program >= programs.size() || !is_it(programs[last_program])) {
    VYRE_ASSIGN(CompiledProgram compiled, compile_program(*device, program, values));
    last_program = static_cast<std::uint32_t>(programs.size());
    programs.push_back(std::move(compiled));
    writes_of.emplace_back();
  }
  CompiledProgram& made = programs[last_program];
  made.report_index = report.programs.size();
  report.programs.push_back({.program = program.name()});
  if (made.pipeline.index >= program_of.size()) program_of.resize(made.pipeline.index + 1);
  program_of[made.pipeline.index] = last_program;
  std::vector<bool>& writes = writes_of[last_program];
  writes.clear();
  for (const ArgumentSlot& slot : made.slots) {
    writes.push_back((slot.access & program::Access::Write) != program::Access::None);
  }
  return last_program;
}

Result<void> Session::State::bind(const CompiledProgram& program, std::size_t index, const BufferView& view) {
  const ArgumentSlot& slot = program.slots[index];
  auto found = find(view);
  if (!found) return in_context(std::move(found).error(), fmt::format("while binding {}", label(slot)));
  const backend::Limits& limits = device->info().limits;
  const bool is_storage = slot.kind == program::BindingKind::StorageBuffer;
  const std::uint32_t alignment = is_storage ? limits.storage_alignment : limits.uniform_alignment;
  if (view.offset % alignment != 0) {
    return invalid(
        fmt::format("{} begins at byte {}, the device needs a multiple of {}", label(slot), view.offset, alignment));
  }
  if (view.size < slot.min_bytes) {
    return invalid(fmt::format("{} needs at least {} bytes, the view has {}", label(slot), slot.min_bytes, view.size));
  }
  const std::uint64_t limit = is_storage ? limits.max_storage_range : limits.max_uniform_range;
  if (view.size > limit) {
    return invalid(fmt::format("{} has {} bytes, the device's limit is {}", label(slot), view.size, limit));
  }
  ranges.push_back({.buffer = (*found)->handle, .offset = view.offset, .size = view.size});
  touched.push_back(view.index);
  return {};
}

Result<void> Session::State::bind_all(const CompiledProgram& program, std::span<const Argument> arguments) {
  ranges.clear();
  touched.clear();
  if (arguments.size() != program.slots.size()) {
    return invalid(fmt::format("program '{}' has {} buffers, {} are given", program.program.name(),
                               program.slots.size(), arguments.size()));
  }
  const bool by_name = std::ranges::any_of(arguments, [](const Argument& each) { return !each.name.empty(); });
  if (!by_name) {
    for (std::size_t i = 0; i < arguments.size(); ++i) VYRE_TRY(bind(program, i, arguments[i].view));
    return check_overlaps(program, ranges);
  }
  for (const Argument& argument : arguments) {
    if (argument.name.empty()) return invalid("some buffers are given by name and some are not");
    if (std::ranges::find(program.slots, argument.name, &ArgumentSlot::name) == program.slots.end()) {
      return invalid(fmt::format("program '{}' has no binding '{}'", program.program.name(), argument.name));
    }
  }
  for (std::size_t i = 0; i < program.slots.size(); ++i) {
    // The nth element of an array of buffers is the nth argument with its name.
    std::size_t before = 0;
    for (std::size_t j = 0; j < i; ++j) before += program.slots[j].name == program.slots[i].name ? 1U : 0U;
    const Argument* found = nullptr;
    for (const Argument& argument : arguments) {
      if (argument.name != program.slots[i].name) continue;
      if (before-- == 0) {
        found = &argument;
        break;
      }
    }
    if (found == nullptr) return invalid(fmt::format("{} is not given", label(program.slots[i])));
    VYRE_TRY(bind(program, i, found->view));
  }
  return check_overlaps(program, ranges);
}

Result<void> Session::State::check_overlaps(const CompiledProgram& program,
                                            std::span<const backend::BufferRange> given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const ArgumentSlot& a = program.slots[i];
      const ArgumentSlot& b = program.slots[j];
      const bool is_written = ((a.access | b.access) & program::Access::Write) != program::Access::None;
      if (!is_written || (a.aliased && b.aliased) || given[i].buffer != given[j].buffer) continue;
      if (overlap(given[i].offset, given[i].size, given[j].offset, given[j].size)) {
        return invalid(fmt::format("{} and {} overlap, and one of them is written", label(b), label(a)));
      }
    }
  }
  return {};
}

Result<void> Session::State::check_groups(GroupCount groups) const {
  const backend::Groups& limits = device->info().limits.max_groups;
  const backend::Groups given{groups.x, groups.y, groups.z};
  for (std::size_t i = 0; i < 3; ++i) {
    if (given[i] > limits[i]) {
      return invalid(
          fmt::format("the dispatch has {} groups in {}, the device's limit is {}", given[i], "xyz"[i], limits[i]));
    }
  }
  return {};
}

// ---- gathering

Result<BufferView> Session::State::allocate(std::uint64_t size) {
  VYRE_TRY(check_usable());
  Result<backend::BufferHandle> handle = device->allocate({.size = size});
  if (!handle && handle.error().code == ErrorCode::OutOfMemory && !pending.empty()) {
    // Memory that was freed comes back when the work before is done.
    VYRE_TRY(wait_for(pending.back().batch));
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

Result<void> Session::State::add_dispatch(std::uint32_t program, std::span<const backend::BufferRange> given,
                                          std::span<const std::uint32_t> used, backend::Groups groups,
                                          std::span<const std::byte> params, std::uint64_t hash, std::uint32_t repeat) {
  CompiledProgram& compiled = programs[program];
  if (!reads.empty()) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (writes_of[program][i]) VYRE_TRY(before_write(used[i], given[i].offset, given[i].size));
    }
  }
  for (std::uint32_t i = 0; i < repeat; ++i) {
    for (std::size_t j = 0; j < used.size(); ++j) note_use(used[j], given[j].offset, given[j].size);
    gathered.list.dispatch(compiled.pipeline, given, groups, params);
    gathered.hash = mix(gathered.hash, hash);
    ++compiled.in_batch;
    VYRE_TRY(end_operation());
  }
  return {};
}

Result<void> Session::State::add_copy(const backend::Copy& copy) {
  gathered.list.copy(copy.from, copy.from_offset, copy.to, copy.to_offset, copy.size);
  gathered.hash = mix(mix(mix(gathered.hash, std::uint64_t{copy.from.index} << 32 | copy.to.index), copy.from_offset),
                      mix(copy.to_offset, copy.size));
  ++copies_in_batch;
  return end_operation();
}

Result<void> Session::State::add_fill(BufferSlot& slot, const BufferView& view, std::uint32_t pattern) {
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
    if (is_direct && read.buffer == buffer && overlap(read.offset, read.to.size(), offset, size)) {
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
    Result<Staging::Piece> taken = readbacks.take(*device, part, batch, done);
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
    gathered.hash = mix(mix(gathered.hash, rest.offset), mix(part, piece.offset));
    ++copies_in_batch;
    rest.to = rest.to.subspan(part);
    rest.offset += part;
  }
  return {};
}

// ---- launching

void Session::State::begin_batch() noexcept {
  gathered.clear();
  copies_in_batch = 0;
  fills_in_batch = 0;
  for (CompiledProgram& program : programs) program.in_batch = 0;
  ++batch;
}

std::unexpected<Error> Session::State::broken(Error error) {
  if (!failure) failure = error;
  // What these wait for will not come.
  std::erase_if(reads, [&](const PendingRead& read) { return read.batch >= batch || read.from == nullptr; });
  begin_batch();
  return std::unexpected{std::move(error)};
}

Result<void> Session::State::flush_batch() {
  if (gathered.list.commands().empty()) return {};
  const std::uint64_t begin = device->now_ns();
  if (!begin_ns) begin_ns = begin;
  if (auto launched = launch_batch(); !launched) return broken(std::move(launched).error());
  ++report.batches;
  report.copies += copies_in_batch;
  report.fills += fills_in_batch;
  begin_batch();
  report.host_ns += device->now_ns() - begin;
  // So that what is pending stays short; the device itself makes us wait when there is too much.
  return pending.size() > 1 ? refresh() : Result<void>{};
}

PlannedBatch Session::State::plan_batch(std::size_t max_arms) {
  const auto writes = [&](backend::PipelineHandle pipeline) -> const std::vector<bool>& {
    return writes_of[program_of[pipeline.index]];
  };
  const std::size_t count = max_arms > 1 ? splitter.split(gathered.list, max_arms, arms, writes) : 1;
  if (planned.size() < count) planned.resize(count);
  PlannedBatch all{.arms = static_cast<std::uint32_t>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    const PlannedBatch arm = planner.plan(count == 1 ? gathered.list : arms[i], planned[i], writes);
    all.waves = std::max(all.waves, arm.waves);
    all.largest_wave += arm.largest_wave;
    all.barriers += arm.barriers;
  }
  all.barriers_avoided = static_cast<std::uint32_t>(gathered.list.commands().size()) - 1 - all.barriers;
  if (all.largest_wave > 1) {
    const policy::AuditEvent event{.substrate = policy::Substrate::ArmIndependence,
                                   .action = policy::Action::RunConcurrently,
                                   .detail = policy::Detail::DisjointSlots};
    log.record({&event, 1});
  }
  return all;
}

template <typename Launch>
Result<void> Session::State::launch_arms(std::size_t count, Launch launch) {
  PendingBatch launched{.batch = batch};
  Result<void> result;
  for (std::uint32_t i = 0; i < count && result; ++i) {
    std::array<backend::Ticket, kMaxArms> after;
    std::size_t waits = 0;
    for (const backend::Ticket& ticket : last_tickets) {
      if (ticket.value != 0 && ticket.queue != i) after[waits++] = ticket;
    }
    const Result<backend::Ticket> ticket = launch(
        i, backend::SubmitOptions{.queue = i, .after = std::span{after}.first(waits), .timeout = options.watchdog});
    if (ticket) {
      launched.tickets[i] = *ticket;
      ++launched.submissions;
      ++report.submissions;
    } else {
      result = std::unexpected{ticket.error()};
    }
  }
  for (const backend::Ticket& ticket : launched.tickets) {
    if (ticket.value != 0) last_tickets[ticket.queue] = ticket;
  }
  // Plain launches are several of one batch.
  const bool is_new = pending.empty() || pending.back().batch != batch;
  if (launched.submissions > 0 && is_new) {
    pending.push_back(launched);
  } else if (launched.submissions > 0) {
    pending.back().tickets = launched.tickets;
    pending.back().submissions += launched.submissions;
  }
  return result;
}

Result<void> Session::State::launch_batch() {
  if (options.mode == LaunchMode::Plain) return launch_plain();
  const auto replay = [&](const KeptBatch& found, std::string_view reason) -> Result<void> {
    VYRE_TRY(launch_arms(found.plan.arms, [&](std::size_t arm, const backend::SubmitOptions& how) {
      return device->replay(found.recordings[arm], how);
    }));
    report.replays += found.plan.arms;
    note_launch(found.plan, &report::ProgramReport::replayed, reason);
    return {};
  };
  if (options.mode != LaunchMode::Batched) {
    if (const KeptBatch* found = find_kept()) return replay(*found, "the batch came before and was kept");
  }
  const PlannedBatch plan = plan_batch(std::min<std::size_t>(device->info().limits.queues, kMaxArms));
  // A batch that comes for the second time may well come for a third.
  std::uint64_t& last_seen = seen[gathered.hash % seen.size()];
  const bool keep = options.mode == LaunchMode::Replay ||
                    (options.mode == LaunchMode::Auto && last_seen == gathered.hash && options.max_recordings > 0);
  last_seen = gathered.hash;
  if (keep) {
    VYRE_ASSIGN(const KeptBatch* made, keep_batch(plan));
    return replay(*made, "the batch comes again and is kept");
  }
  VYRE_TRY(launch_arms(plan.arms, [&](std::size_t arm, const backend::SubmitOptions& how) {
    return device->submit(planned[arm], how);
  }));
  note_launch(plan, &report::ProgramReport::batched, "the batch is new");
  return {};
}

Result<void> Session::State::launch_plain() {
  const auto commands = gathered.list.commands();
  for (const backend::Command& command : commands) {
    single.clear();
    single.append(gathered.list, command);
    VYRE_TRY(
        launch_arms(1, [&](std::size_t, const backend::SubmitOptions& how) { return device->submit(single, how); }));
  }
  note_launch({.waves = static_cast<std::uint32_t>(commands.size()), .largest_wave = 1}, &report::ProgramReport::plain,
              "the mode is plain");
  return {};
}

void Session::State::note_launch(const PlannedBatch& plan, std::uint64_t report::ProgramReport::* how,
                                 std::string_view reason) {
  report.waves += plan.waves;
  report.barriers += plan.barriers;
  report.barriers_avoided += plan.barriers_avoided;
  for (CompiledProgram& program : programs) {
    if (program.in_batch == 0) continue;
    report::ProgramReport& each = report.programs[program.report_index];
    each.dispatches += program.in_batch;
    each.*how += program.in_batch;
    if (each.reason != reason) each.reason = reason;
    report.dispatches += program.in_batch;
    program.last_used = batch;
  }
}

Session::State::KeptBatch* Session::State::find_kept() {
  for (KeptBatch& each : kept) {
    if (each.hash == gathered.hash && each.list == gathered.list) {
      each.last_used = ++uses;
      return &each;
    }
  }
  return nullptr;
}

void Session::State::drop(KeptBatch& dropped) {
  kept_bytes -= dropped.list.bytes();
  for (std::size_t i = 0; i < dropped.plan.arms; ++i) std::ignore = device->free(dropped.recordings[i]);
  std::swap(dropped, kept.back());
  kept.pop_back();
}

template <typename Names>
void Session::State::drop_kept(Names names) {
  for (std::size_t i = kept.size(); i > 0; --i) {
    if (names(kept[i - 1])) drop(kept[i - 1]);
  }
}

void Session::State::drop_kept_naming(backend::BufferHandle buffer) {
  drop_kept([&](const KeptBatch& each) { return std::ranges::binary_search(each.buffers, buffer); });
}

Result<Session::State::KeptBatch*> Session::State::keep_batch(const PlannedBatch& plan) {
  const std::size_t bytes = gathered.list.bytes();
  while (!kept.empty() && (kept.size() >= std::max<std::size_t>(options.max_recordings, 1) ||
                           kept_bytes + bytes > options.max_recording_bytes)) {
    drop(*std::ranges::min_element(kept, {}, &KeptBatch::last_used));
  }
  KeptBatch made{.hash = gathered.hash, .list = gathered.list, .plan = plan, .last_used = ++uses};
  for (std::size_t i = 0; i < plan.arms; ++i) {
    auto recording = device->record(planned[i]);
    if (!recording) {
      while (i > 0) std::ignore = device->free(made.recordings[--i]);
      return std::unexpected{std::move(recording).error()};
    }
    made.recordings[i] = *recording;
  }
  for (const backend::Command& command : made.list.commands()) {
    if (const auto* dispatch = std::get_if<backend::Dispatch>(&command)) {
      made.pipelines.push_back(dispatch->pipeline);
      for (const backend::BufferRange& range : made.list.ranges(*dispatch)) made.buffers.push_back(range.buffer);
    } else if (const auto* copy = std::get_if<backend::Copy>(&command)) {
      made.buffers.insert(made.buffers.end(), {copy->from, copy->to});
    } else if (const auto* fill = std::get_if<backend::Fill>(&command)) {
      made.buffers.push_back(fill->range.buffer);
    }
  }
  keep_each_once(made.buffers);
  keep_each_once(made.pipelines);
  kept_bytes += bytes;
  kept.push_back(std::move(made));
  ++report.recordings;
  const policy::AuditEvent event{.substrate = policy::Substrate::CommandReuse,
                                 .action = policy::Action::RecordAndReplay,
                                 .detail = policy::Detail::RepeatShape};
  log.record({&event, 1});
  return &kept.back();
}

// ---- capturing

Result<Capture> Session::State::end_capture() {
  CaptureSlot slot{.is_alive = true, .plan = plan_batch(1), .copies = copies_in_batch, .fills = fills_in_batch};
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
      if (!is_there) return invalid(fmt::format("the capture has no dispatch labelled '{}'", each.label));
    }
  }
  if (!begin_ns) begin_ns = device->now_ns();
  const std::uint64_t begin = device->now_ns();
  Result<void> launched = launch_arms(1, [&](std::size_t, const backend::SubmitOptions& how) {
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

// ---- completing

void Session::State::complete(std::uint64_t upto) {
  done = std::max(done, upto);
  while (!pending.empty() && pending.front().batch <= upto) {
    completed_submissions += pending.front().submissions;
    pending.pop_front();
  }
  if (reads.empty()) return;
  // Direct reads come at the end, when nothing can change the bytes any more; staged ones as soon as they are there.
  std::erase_if(reads, [&](const PendingRead& read) {
    if (read.from == nullptr || read.batch > upto) return false;
    std::memcpy(read.to.data(), read.from, read.to.size());
    return true;
  });
}

Result<void> Session::State::refresh() {
  std::uint64_t reached = 0;
  for (const PendingBatch& each : pending) {
    bool is_done = true;
    for (const backend::Ticket& ticket : each.tickets) {
      if (ticket.value == 0 || !is_done) continue;
      VYRE_ASSIGN(is_done, device->poll(ticket));
    }
    if (!is_done) break;
    reached = each.batch;
  }
  if (reached != 0) complete(reached);
  return {};
}

Result<void> Session::State::wait_for(std::uint64_t wanted) {
  // Every launch is behind all those before it, so that the last is enough.
  const auto behind = std::ranges::upper_bound(pending, wanted, {}, &PendingBatch::batch);
  if (behind == pending.begin()) return {};
  const PendingBatch last = *std::prev(behind);
  const std::uint64_t begin = device->now_ns();
  Result<void> waited;
  for (const backend::Ticket& ticket : last.tickets) {
    if (ticket.value != 0 && waited) waited = device->wait(ticket, options.watchdog);
  }
  report.wait_ns += device->now_ns() - begin;
  VYRE_TRY(std::move(waited));
  complete(last.batch);
  return {};
}

Result<bool> Session::State::is_unused(const BufferSlot& slot, std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t launched = slot.last_batch == batch ? slot.batch_before : slot.last_batch;
  if (launched > done) VYRE_TRY(refresh());
  // What is pending may use all of it; what is gathered uses what was noted.
  if (launched > done) return false;
  if (slot.last_batch != batch) return true;
  if (slot.used.size() == kMaxUsed) return false;
  return std::ranges::none_of(
      slot.used, [&](const auto& range) { return overlap(range.first, range.second - range.first, offset, size); });
}

Result<void> Session::State::wait_until_idle(BufferSlot& slot) {
  if (slot.last_batch == batch) VYRE_TRY(flush_batch());
  return slot.last_batch > done ? wait_for(slot.last_batch) : Result<void>{};
}

Result<void> Session::State::empty(Staging& staging) {
  VYRE_TRY(flush_batch());
  if (!pending.empty()) VYRE_TRY(wait_for(pending.back().batch));
  staging.free(*device);
  return {};
}

void Session::State::read_directly() {
  for (const PendingRead& read : reads) {
    if (read.from == nullptr) std::memcpy(read.to.data(), buffers[read.buffer].mapped + read.offset, read.to.size());
  }
  reads.clear();
}

RunReport Session::State::end_run() {
  report::AuditSnapshot snapshot = log.snapshot();
  report.elapsed_ns = begin_ns ? device->now_ns() - *begin_ns : 0;
  report.decisions = std::move(snapshot.events);
  report.decisions_dropped = snapshot.dropped;
  log.clear();
  RunReport ended = report;
  report = {.device = device->info().name};
  for (CompiledProgram& each : programs) {
    each.report_index = report.programs.size();
    report.programs.push_back({.program = each.program.name()});
  }
  std::erase_if(ended.programs, [](const report::ProgramReport& each) { return each.dispatches == 0; });
  begin_ns.reset();
  completed_submissions = 0;
  return ended;
}

}  // namespace vyre::runtime
