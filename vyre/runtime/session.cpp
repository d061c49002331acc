#include <vyre/runtime/session.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <vyre/backend/check.hpp>
#include <vyre/runtime/session_call.hpp>
#include <vyre/runtime/session_options.hpp>
#include <vyre/runtime/session_state.hpp>

namespace vyre::runtime {
namespace {

/// More staging than this waits for the device instead.
constexpr std::uint64_t kMaxStaging = std::uint64_t{64} << 20;

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

std::string in_dispatch(const program::Program& program) {
  return fmt::format("while dispatching program '{}'", program.name());
}

}  // namespace

std::string_view to_string(LaunchMode mode) noexcept {
  switch (mode) {
    case LaunchMode::Auto: return "auto";
    case LaunchMode::Plain: return "plain";
    case LaunchMode::Batched: return "batched";
    case LaunchMode::Replay: return "replay";
    case LaunchMode::Merged: return "merged";
    case LaunchMode::Persistent: return "persistent";
    case LaunchMode::Chain: return "chain";
    case LaunchMode::Bindless: return "bindless";
  }
  return "auto";
}

Session::Session(std::shared_ptr<State> state) noexcept
    : device_{state->device}, tuner_{state->tuner}, state_{std::move(state)} {}

Session::Session(Session&& other) noexcept
    : device_{other.device_}, tuner_{other.tuner_}, state_{std::move(other.state_)} {}

Session& Session::operator=(Session&& other) noexcept {
  state_ = std::move(other.state_);
  device_ = other.device_;
  tuner_ = other.tuner_;
  return *this;
}

Session::~Session() = default;

Result<Session> Session::open(std::shared_ptr<backend::Device> device, const SessionOptions& options) {
  if (device == nullptr) return invalid("a session needs a device");
  VYRE_TRY(check(options));
  return Session{std::make_shared<State>(std::move(device), options)};
}

Result<BufferView> Session::uninitialised(std::uint64_t size) {
  const Call call{*this};
  VYRE_TRY(call.usable());
  return call.state().allocate(size);
}

Result<BufferView> Session::bytes(std::uint64_t size) {
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  VYRE_ASSIGN(const BufferView view, state.allocate(size));
  State::BufferSlot& slot = state.buffers[view.index];
  if (slot.mapped != nullptr) {
    std::memset(slot.mapped, 0, size);
  } else {
    VYRE_TRY(state.add_fill(slot, view, 0));
  }
  return view;
}

Result<void> Session::free(const BufferView& buffer) {
  const Call call{*this};
  VYRE_TRY(call.begun());
  State& state = call.state();
  VYRE_ASSIGN(State::BufferSlot * slot, state.find(buffer));
  if (state.is_capturing) return invalid("a buffer is freed while a capture is being made");
  if (buffer.size != slot->size) {
    return invalid(fmt::format("a part of {} bytes at {} of a buffer of {} is freed, only whole buffers are",
                               buffer.size, buffer.offset, slot->size));
  }
  // What was read from it, and not yet launched, must still see it.
  VYRE_TRY(state.before_write(buffer.index, 0, slot->size));
  if (slot->last_batch == state.batch) VYRE_TRY(state.flush_batch());
  const backend::BufferHandle handle = slot->handle;
  state.recordings.forget(handle);
  for (State::PreparedSlot& each : state.prepared) {
    if (std::ranges::find(each.buffers, buffer.index) != each.buffers.end()) each.is_alive = false;
  }
  for (State::CaptureSlot& each : state.captures) {
    if (!each.is_alive || std::ranges::find(each.buffers, buffer.index) == each.buffers.end()) continue;
    std::ignore = state.device->free(each.recording);
    each = {};
  }
  ++slot->generation;
  state.free_buffers.push_back(buffer.index);
  return state.device->free(handle);
}

Result<std::span<std::byte>> Session::map(const BufferView& buffer) {
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  VYRE_ASSIGN(State::BufferSlot * slot, state.find(buffer));
  if (slot->mapped == nullptr) {
    return fail(ErrorCode::Unsupported,
                fmt::format("buffers cannot be mapped on device '{}'", state.device->info().name));
  }
  if (state.is_capturing) return invalid("a buffer is mapped while a capture is being made");
  VYRE_TRY(state.before_write(buffer.index, buffer.offset, buffer.size));
  VYRE_TRY(state.wait_until_idle(*slot));
  return std::span{slot->mapped + buffer.offset, buffer.size};
}

Result<void> Session::write_bytes(const BufferView& to, std::span<const std::byte> bytes) {
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  VYRE_ASSIGN(State::BufferSlot * slot, state.find(to));
  if (bytes.size() != to.size) {
    return invalid(fmt::format("{} bytes are written to a view of {}", bytes.size(), to.size));
  }
  if (state.is_capturing) return invalid("a buffer is written by the host while a capture is being made");
  VYRE_TRY(state.before_write(to.index, to.offset, to.size));
  state.report.bytes_written += bytes.size();
  if (slot->mapped != nullptr) {
    VYRE_ASSIGN(const bool is_unused, state.is_unused(*slot, to.offset, to.size));
    if (is_unused) {
      std::memcpy(slot->mapped + to.offset, bytes.data(), bytes.size());
      if (!state.in_flight.empty()) {
        state.report.bytes_overlapped += bytes.size();
        const policy::AuditEvent event{.substrate = policy::Substrate::CopyOverlap,
                                       .action = policy::Action::OverlapCopy,
                                       .detail = policy::Detail::UntouchedSlot};
        state.log.record({&event, 1});
      }
      return {};
    }
  }
  const backend::BufferHandle handle = slot->handle;
  for (std::uint64_t offset = to.offset; !bytes.empty();) {
    const std::uint64_t part = std::min<std::uint64_t>(bytes.size(), Staging::kMaxPiece);
    if (state.uploads.size() > kMaxStaging) VYRE_TRY(state.empty(state.uploads));
    VYRE_ASSIGN(const Staging::Piece piece,
                state.uploads.take(*state.device, part, state.batch, state.in_flight.done()));
    std::memcpy(piece.bytes, bytes.data(), part);
    state.note_use(to.index, offset, part);
    VYRE_TRY(state.add_copy(
        {.from = piece.buffer, .to = handle, .from_offset = piece.offset, .to_offset = offset, .size = part}));
    bytes = bytes.subspan(part);
    offset += part;
  }
  return {};
}

Result<void> Session::read_bytes(const BufferView& from, std::span<std::byte> bytes) {
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  VYRE_ASSIGN(const State::BufferSlot* slot, state.find(from));
  if (bytes.size() != from.size) {
    return invalid(fmt::format("{} bytes are read from a view of {}", bytes.size(), from.size));
  }
  if (state.is_capturing) return invalid("a buffer is read by the host while a capture is being made");
  state.report.bytes_read += bytes.size();
  // Where the host sees the memory, it reads it at the end; unless something writes there before.
  if (slot->mapped != nullptr) {
    const auto is_same_memory = [&](const State::PendingRead& read) {
      return std::less{}(read.to.data(), bytes.data() + bytes.size()) &&
             std::less{}(bytes.data(), read.to.data() + read.to.size());
    };
    const bool is_read_again = std::ranges::any_of(state.reads, is_same_memory);
    state.reads.push_back({.to = bytes, .buffer = from.index, .offset = from.offset, .batch = state.batch});
    // What is read into the same memory comes there in order, as copies do.
    return is_read_again ? state.stage_reads() : Result<void>{};
  }
  for (std::uint64_t offset = from.offset; !bytes.empty();) {
    if (state.readbacks.size() > kMaxStaging) VYRE_TRY(state.empty(state.readbacks));
    const std::uint64_t part = std::min<std::uint64_t>(bytes.size(), Staging::kMaxPiece);
    state.reads.push_back({.to = bytes.first(part), .buffer = from.index, .offset = offset, .batch = state.batch});
    if (auto staged = state.stage_read(state.reads.size() - 1); !staged) {
      state.reads.pop_back();
      return staged;
    }
    VYRE_TRY(state.end_operation());
    bytes = bytes.subspan(part);
    offset += part;
  }
  return {};
}

Result<void> Session::copy(const BufferView& from, const BufferView& to) {
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  VYRE_ASSIGN(const State::BufferSlot* source, state.find(from));
  VYRE_ASSIGN(const State::BufferSlot* target, state.find(to));
  if (from.size != to.size) {
    return invalid(fmt::format("a view of {} bytes is copied to one of {}", from.size, to.size));
  }
  if (source == target && backend::overlap(from.offset, from.size, to.offset, to.size)) {
    return invalid(
        fmt::format("{} bytes at {} overlap those at {} they are copied to", from.size, from.offset, to.offset));
  }
  VYRE_TRY(state.before_write(to.index, to.offset, to.size));
  state.note_use(from.index, from.offset, from.size);
  state.note_use(to.index, to.offset, to.size);
  return state.add_copy({.from = source->handle,
                         .to = target->handle,
                         .from_offset = from.offset,
                         .to_offset = to.offset,
                         .size = from.size});
}

Result<void> Session::fill(const BufferView& view, std::uint32_t pattern) {
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  VYRE_ASSIGN(State::BufferSlot * slot, state.find(view));
  if (!backend::can_fill(view.offset, view.size, pattern)) {
    return invalid(fmt::format("{} bytes at {} are filled with {:#010x}; different bytes need multiples of 4",
                               view.size, view.offset, pattern));
  }
  return state.add_fill(*slot, view, pattern);
}

Result<void> Session::dispatch(const program::Program& program, std::span<const Argument> arguments,
                               const DispatchOptions& options) {
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  const Result<State::CheckedDispatch> checked = state.check_dispatch(program, arguments, options);
  Result<void> done = checked ? state.add_dispatch(*checked) : std::unexpected{checked.error()};
  if (!done) [[unlikely]]
    return in_context(std::move(done).error(), in_dispatch(program));
  return {};
}

Result<void> Session::dispatch_many(const program::Program& program, std::span<const DispatchItem> items) {
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  const auto run = [&]() -> Result<void> {
    VYRE_ASSIGN(const std::uint32_t index, state.find_program(program, {}));
    if (state.is_previous(index, items)) return state.add_previous(index, items.size());
    // All are checked before one is enqueued.
    VYRE_ASSIGN(const std::uint32_t checked, state.check_items(index, items));
    return state.add_many(checked, items);
  };
  Result<void> done = run();
  if (!done) return in_context(std::move(done).error(), in_dispatch(program));
  return {};
}

Result<Prepared> Session::prepare(const program::Program& program, std::span<const Argument> arguments,
                                  const DispatchOptions& options) {
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  Result<State::CheckedDispatch> checked = state.check_dispatch(program, arguments, options);
  if (!checked) {
    return in_context(std::move(checked).error(), fmt::format("while preparing program '{}'", program.name()));
  }
  state.prepared.push_back({.is_alive = true,
                            .program = checked->program,
                            .ranges = state.ranges,
                            .buffers = state.touched,
                            .groups = checked->groups,
                            .params = {checked->params.begin(), checked->params.end()},
                            .hash = checked->hash,
                            .repeat = checked->repeat,
                            .label = std::string{checked->label}});
  return Prepared{.session = state.id, .index = static_cast<std::uint32_t>(state.prepared.size() - 1)};
}

Result<void> Session::enqueue(Prepared prepared) {
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  VYRE_ASSIGN(const State::PreparedSlot* slot, state.find(prepared));
  return state.add_dispatch(slot->checked());
}

Result<void> Session::enqueue(Prepared prepared, const Params& params) {
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  VYRE_ASSIGN(const State::PreparedSlot* slot, state.find(prepared));
  const CompiledProgram& compiled = state.programs[slot->program];
  if (auto laid = lay_out(compiled, params, state.param_room.data()); !laid) {
    return in_context(std::move(laid).error(), in_dispatch(compiled.program));
  }
  State::CheckedDispatch dispatch = slot->checked();
  dispatch.params = std::span{state.param_room}.first(compiled.push_bytes);
  dispatch.hash = hash_dispatch(compiled.pipeline, dispatch.ranges, dispatch.groups, dispatch.params);
  return state.add_dispatch(dispatch);
}

Result<Capture> Session::capture(const std::function<Result<void>()>& body) {
  // The body may end the session, or move it elsewhere where it ends.
  const std::shared_ptr<State> kept = state_;
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  if (state.is_capturing) return invalid("a capture is begun while another is being made");
  if (!body) return invalid("a capture needs a body");
  // Reads that were put off must not become a part of what is captured.
  VYRE_TRY(state.stage_reads());
  VYRE_TRY(state.flush_batch());
  state.is_capturing = true;
  state.captured_labels.clear();
  // Ends the capture however the body ends, by an exception too.
  struct Ending {
    State& state;
    ~Ending() {
      state.is_capturing = false;
      state.begin_batch();
    }
  };
  const Ending ending{state};
  Result<void> done = body();
  if (!done) return in_context(std::move(done).error(), "while capturing");
  return state.end_capture();
}

Result<void> Session::replay(Capture capture, std::span<const CaptureParams> params,
                             std::span<const CaptureBuffer> buffers) {
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  if (state.is_capturing) return invalid("a capture is replayed while another is being made");
  if (capture.session != state.id) return invalid("the capture belongs to another session");
  if (capture.index >= state.captures.size()) {
    return invalid(fmt::format("capture {} is replayed, the session made {}", capture.index, state.captures.size()));
  }
  if (!state.captures[capture.index].is_alive) {
    return invalid("the capture names a buffer that was freed");
  }
  return state.replay_capture(state.captures[capture.index], params, buffers);
}

Result<SessionTicket> Session::flush() {
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  if (state.is_capturing) return invalid("the session is flushed while a capture is being made");
  // Reads must be done with this ticket, whatever comes behind it.
  VYRE_TRY(state.stage_reads());
  VYRE_TRY(state.flush_batch());
  return SessionTicket{.session = state.id, .batch = state.batch - 1};
}

Result<void> Session::wait(SessionTicket ticket) {
  const Call call{*this};
  VYRE_TRY(call.usable());
  State& state = call.state();
  if (ticket == SessionTicket{}) return {};
  if (ticket.session != state.id || ticket.batch >= state.batch) {
    return invalid("the ticket was not given by this session");
  }
  return state.wait_for(ticket.batch);
}

Result<RunReport> Session::finish() {
  const Call call{*this};
  VYRE_TRY(call.begun());
  State& state = call.state();
  if (state.is_capturing) return invalid("the session is finished while a capture is being made");
  Result<void> done =
      state.failure ? std::unexpected{*std::exchange(state.failure, std::nullopt)} : state.flush_batch();
  if (done || done.error().code != ErrorCode::DeviceLost) {
    Result<void> waited = state.wait_for(state.batch);
    if (done) done = std::move(waited);
  }
  if (!done) {
    state.failure.reset();
    Error error = std::move(done).error();
    error.context.push_back(fmt::format("{} of {} submissions completed", state.in_flight.counts().completed,
                                        state.in_flight.counts().submitted));
    state.reads.clear();
    state.end_run();
    return std::unexpected{std::move(error)};
  }
  state.read_directly();
  return state.end_run();
}

}  // namespace vyre::runtime
