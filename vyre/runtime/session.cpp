#include <vyre/runtime/session.hpp>

#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <vyre/runtime/session_options.hpp>
#include <vyre/runtime/session_state.hpp>

// Every call checks that the session may be called, checks its own arguments, and leaves the rest to the stages.

namespace vyre::runtime {
namespace {

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
    : device_{state->device}, tuner_{state->chooser.tuner()}, state_{std::move(state)} {}

Session::Session(Session&& other) noexcept
    : device_{other.device_}, tuner_{other.tuner_}, state_{std::move(other.state_)} {}

Session& Session::operator=(Session&& other) noexcept {
  state_ = std::move(other.state_);
  device_ = other.device_;
  tuner_ = other.tuner_;
  return *this;
}

Session::~Session() = default;

CallState* Session::call_state() const noexcept { return state_ == nullptr ? nullptr : &state_->call; }

Result<Session> Session::open(std::shared_ptr<backend::Device> device, const SessionOptions& options) {
  if (device == nullptr) return invalid("a session needs a device");
  VYRE_TRY(check(options));
  return Session{std::make_shared<State>(std::move(device), options)};
}

Result<BufferView> Session::uninitialised(std::uint64_t size) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  VYRE_TRY(state_->settle());
  return state_->allocate(size);
}

Result<BufferView> Session::bytes(std::uint64_t size) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  VYRE_TRY(state_->settle());
  VYRE_ASSIGN(const BufferView view, state_->allocate(size));
  if (std::byte* mapped = state_->buffers[view.index].mapped; mapped != nullptr) {
    std::memset(mapped, 0, size);
  } else {
    VYRE_TRY(state_->add_fill(view, 0));
  }
  return view;
}

Result<void> Session::free(const BufferView& buffer) {
  const Call call{call_state()};
  VYRE_TRY(call.begun());
  VYRE_TRY(state_->settle());
  return state_->free(buffer);
}

Result<std::span<std::byte>> Session::map(const BufferView& buffer) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  VYRE_TRY(state_->settle());
  VYRE_ASSIGN(const BufferSlot* slot, state_->buffers.find(buffer));
  if (slot->mapped == nullptr) {
    return fail(ErrorCode::Unsupported, fmt::format("buffers cannot be mapped on device '{}'", device_->info().name));
  }
  if (state_->builder.is_capturing()) return invalid("a buffer is mapped while a capture is being made");
  VYRE_TRY(state_->before_write(buffer.index, buffer.offset, buffer.size));
  VYRE_TRY(state_->wait_until_idle(buffer));
  return std::span{slot->mapped + buffer.offset, buffer.size};
}

Result<void> Session::write_bytes(const BufferView& to, std::span<const std::byte> bytes) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  VYRE_TRY(state_->settle());
  VYRE_TRY(state_->buffers.find(to));
  if (bytes.size() != to.size) {
    return invalid(fmt::format("{} bytes are written to a view of {}", bytes.size(), to.size));
  }
  if (state_->builder.is_capturing()) return state_->capture({.view = to, .is_write = true, .from = bytes});
  return state_->write(to, bytes);
}

Result<void> Session::read_bytes(const BufferView& from, std::span<std::byte> bytes) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  VYRE_TRY(state_->settle());
  VYRE_TRY(state_->buffers.find(from));
  if (bytes.size() != from.size) {
    return invalid(fmt::format("{} bytes are read from a view of {}", bytes.size(), from.size));
  }
  if (state_->builder.is_capturing()) return state_->capture({.view = from, .to = bytes});
  return state_->read(from, bytes);
}

Result<void> Session::copy(const BufferView& from, const BufferView& to) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  State& state = *state_;
  VYRE_TRY(state.settle());
  VYRE_ASSIGN(const BufferSlot* source, state.buffers.find(from));
  VYRE_ASSIGN(const BufferSlot* target, state.buffers.find(to));
  if (from.size != to.size) {
    return invalid(fmt::format("a view of {} bytes is copied to one of {}", from.size, to.size));
  }
  if (source == target && backend::overlap(from.offset, from.size, to.offset, to.size)) {
    return invalid(
        fmt::format("{} bytes at {} overlap those at {} they are copied to", from.size, from.offset, to.offset));
  }
  if (!state.builder.is_capturing()) VYRE_TRY(state.before_write(to.index, to.offset, to.size));
  state.buffers.note_use(from.index, from.offset, from.size, state.builder.number());
  state.buffers.note_use(to.index, to.offset, to.size, state.builder.number());
  return state.add(backend::Copy{.from = source->handle,
                                 .to = target->handle,
                                 .from_offset = from.offset,
                                 .to_offset = to.offset,
                                 .size = from.size});
}

Result<void> Session::fill(const BufferView& view, std::uint32_t pattern) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  VYRE_TRY(state_->settle());
  VYRE_TRY(state_->buffers.find(view));
  if (!backend::can_fill(view.offset, view.size, pattern)) {
    return invalid(fmt::format("{} bytes at {} are filled with {:#010x}; different bytes need multiples of 4",
                               view.size, view.offset, pattern));
  }
  return state_->add_fill(view, pattern);
}

Result<void> Session::dispatch(const program::Program& program, std::span<const Argument> arguments,
                               const DispatchOptions& options) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  VYRE_TRY(state_->settle());
  const Result<CheckedDispatch> checked = state_->check_dispatch(program, arguments, options);
  Result<void> done = checked ? state_->add(*checked) : std::unexpected{checked.error()};
  if (!done) [[unlikely]]
    return in_context(std::move(done).error(), in_dispatch(program));
  return {};
}

Result<void> Session::dispatch_many(const program::Program& program, std::span<const DispatchItem> items) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  VYRE_TRY(state_->settle());
  Result<void> done = state_->add_many(program, items);
  if (!done) [[unlikely]]
    return in_context(std::move(done).error(), in_dispatch(program));
  return {};
}

Result<Prepared> Session::prepare(const program::Program& program, std::span<const Argument> arguments,
                                  const DispatchOptions& options) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  VYRE_TRY(state_->settle());
  Result<CheckedDispatch> checked = state_->check_dispatch(program, arguments, options);
  if (!checked) {
    return in_context(std::move(checked).error(), fmt::format("while preparing program '{}'", program.name()));
  }
  return state_->prepared.add(*checked);
}

Result<void> Session::enqueue(Prepared prepared) {
  const Call call{call_state()};
  if (!call.is_usable()) [[unlikely]]
    return call.usable();
  if (state_->enqueue_again(prepared)) [[likely]]
    return {};
  return state_->enqueue(prepared);
}

Result<void> Session::enqueue(std::span<const Prepared> prepared) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  if (state_->enqueue_again(prepared)) [[likely]]
    return {};
  return state_->enqueue(prepared);
}

Result<void> Session::enqueue(Prepared prepared, const Params& params) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  State& state = *state_;
  VYRE_TRY(state.settle());
  VYRE_ASSIGN(const PreparedDispatch* found, state.prepared.find(prepared));
  CheckedDispatch dispatch = found->checked();
  const CompiledProgram& program = state.programs[dispatch.program];
  const auto laid = state.check.lay_out_params(program, params);
  if (!laid) return in_context(laid.error(), in_dispatch(program.program));
  dispatch.params = *laid;
  dispatch.hash = plan::hash_dispatch(program.pipeline, dispatch.ranges, dispatch.groups, dispatch.params);
  return state.add(dispatch);
}

Result<Capture> Session::capture(const std::function<Result<void>()>& body) {
  // Keeps the state alive, because the body might destroy the session.
  const std::shared_ptr<State> kept = state_;
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  State& state = *kept;
  if (state.builder.is_capturing()) return invalid("a capture is begun while another is being made");
  if (!body) return invalid("a capture needs a body");
  VYRE_TRY(state.flush_batch());
  state.builder.begin_capture();
  // Ends the capture even if the body throws.
  struct Ending {
    State& state;
    ~Ending() {
      state.builder.end_capture();
      state.builder.next();
    }
  };
  const Ending ending{state};
  Result<void> done = body();
  if (!done) return in_context(std::move(done).error(), "while capturing");
  return state.end_capture();
}

Result<void> Session::replay(Capture capture, std::span<const CaptureParams> params,
                             std::span<const CaptureBuffer> buffers, std::span<const CaptureBytes> bytes) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  VYRE_TRY(state_->settle());
  if (state_->builder.is_capturing()) return invalid("a capture is replayed while another is being made");
  VYRE_ASSIGN(CapturedBatch * captured, state_->prepared.captures().find(capture));
  return state_->replay(*captured, {.params = params, .buffers = buffers, .bytes = bytes});
}

Result<SessionTicket> Session::flush() {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  State& state = *state_;
  if (state.builder.is_capturing()) return invalid("the session is flushed while a capture is being made");
  VYRE_TRY(state.settle());
  if (state.transfers.has_reads()) VYRE_TRY(state.transfers.stage_for_flush(state.work()));
  VYRE_TRY(state.flush_batch());
  const std::uint64_t last = state.builder.number() - 1;
  state.transfers.promise(last);
  return SessionTicket{.session = state.buffers.session(), .batch = last};
}

Result<void> Session::wait(SessionTicket ticket) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  VYRE_TRY(state_->settle());
  if (ticket == SessionTicket{}) return {};
  VYRE_TRY(state_->check_ticket(ticket));
  return state_->wait_for_ticket(ticket.batch);
}

Result<bool> Session::poll(SessionTicket ticket) {
  const Call call{call_state()};
  VYRE_TRY(call.usable());
  VYRE_TRY(state_->settle());
  if (ticket == SessionTicket{}) return true;
  VYRE_TRY(state_->check_ticket(ticket));
  return state_->poll(ticket.batch);
}

Result<RunReport> Session::finish() {
  const Call call{call_state()};
  VYRE_TRY(call.begun());
  if (state_->builder.is_capturing()) return invalid("the session is finished while a capture is being made");
  return state_->finish();
}

}  // namespace vyre::runtime
