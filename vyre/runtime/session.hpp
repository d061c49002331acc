#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/base/error.hpp>
#include <vyre/program/program.hpp>
#include <vyre/report/run_report.hpp>
#include <vyre/runtime/buffer.hpp>
#include <vyre/runtime/params.hpp>

namespace vyre::runtime {

using report::RunReport;
class Tuner;
struct CallState;

/// How a session launches its batches.
///
/// If a program does not have the form that a launch mode needs, it runs as written, and the report says why. A program
/// with more bindings than the device allows runs in the pointer form in every mode.
enum class LaunchMode : std::uint8_t {
  Auto,     ///< The mode that is estimated to be fastest, chosen for each batch.
  Plain,    ///< A submission for each operation.
  Batched,  ///< One list, recorded anew for each batch.
  Replay,   ///< One list, kept and replayed when the batch comes again.
  /// One launch for all independent dispatches of a program; each workgroup looks up the dispatch that it belongs to.
  Merged,
  /// One launch for the same dispatches as `Merged`: a few workgroups, each of which runs one dispatch after another.
  Persistent,
  /// One launch for consecutive dispatches of a program, even if they wait for each other: one workgroup runs them in
  /// order.
  Chain,
  /// One list that reads buffers and parameters from a table: it is kept, and serves batches with other buffers too.
  Bindless,
};

inline constexpr std::array kAllLaunchModes = {LaunchMode::Auto,   LaunchMode::Plain,   LaunchMode::Batched,
                                               LaunchMode::Replay, LaunchMode::Merged,  LaunchMode::Persistent,
                                               LaunchMode::Chain,  LaunchMode::Bindless};

/// `auto`, `plain`, `batched`, `replay`, `merged`, `persistent`, `chain` or `bindless`.
[[nodiscard]] std::string_view to_string(LaunchMode mode) noexcept;

/// The options of a session, with their limits. `Session::open` refuses other values.
struct SessionOptions {
  LaunchMode mode = LaunchMode::Auto;
  /// The number of operations at which a batch is launched without a call of `flush`, 1 to 16,777,216.
  std::size_t max_batch = 8192;
  std::size_t max_recordings = 64;  ///< Lists kept for replaying. `Replay` and `Bindless` keep at least one.
  std::size_t max_recording_bytes = std::size_t{64} << 20;  ///< The size of all kept lists; one list may exceed it.
  std::size_t max_pipelines = 256;                          ///< 1 or more.
  /// The longest that any wait may take, 1 ns or more.
  std::chrono::nanoseconds watchdog = backend::kForever;
  bool time_device = false;  ///< Whether to report the device's own time. Costs two timestamps per list.
  /// In the mode `Auto`, the share of the time that trials may cost, 0 to 1. A trial costs the time that it takes
  /// longer than the current mode would, and its setup. With 0 there are no trials; with 1 any batch may be one.
  double exploration = 0.03;
  /// In the mode `Auto`, the time that sessions spend on a device before its calibration begins, 0 ns or more. Until it
  /// is calibrated, a fixed rule holds: one list, kept when a batch comes again. Calibration takes 5 % of the time, in
  /// slices of some milliseconds, until it is done. With 0 ns it is done at once, before the first batch of several
  /// operations. To choose the moment, call `tuner().calibrate`.
  std::chrono::nanoseconds calibrate_after = std::chrono::milliseconds{50};
  /// The tuner to use. By default the one that all sessions on the device share.
  std::shared_ptr<Tuner> tuner = nullptr;
};

/// The number of workgroups of a dispatch in each dimension. If one of them is 0, the dispatch is checked like any
/// other and does nothing.
struct GroupCount {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  friend bool operator==(const GroupCount&, const GroupCount&) = default;
};

/// A buffer for a binding: for the next one in the order of set and slot, or for the one with the given name.
///
/// A binding that the specialised program does not need (`program::Binding::is_needed`) may be left out by those who
/// give names. In order, it is given `BufferView{}` or a view of any buffer.
struct Argument {
  Argument(const BufferView& buffer) noexcept : view{buffer} {}  // NOLINT(google-explicit-constructor)
  template <typename T>
  Argument(const Buffer<T>& buffer) noexcept : view{buffer.view()} {}  // NOLINT(google-explicit-constructor)
  Argument(std::string_view binding, const BufferView& buffer) noexcept : is_named{true}, name{binding}, view{buffer} {}

  bool is_named = false;
  std::string_view name = {};
  BufferView view = {};
};

struct DispatchOptions {
  GroupCount groups = {};
  Params params = {};
  std::span<const program::spirv::SpecOverride> values = {};
  std::string_view label = {};  ///< Names a captured dispatch, so that a replay can change its parameters.
  std::uint32_t repeat = 1;     ///< How often it runs, one after another; with 0 it is only checked.
};

/// A dispatch for `Session::dispatch_many`.
struct DispatchItem {
  std::span<const BufferView> buffers = {};  ///< In the order of the bindings.
  GroupCount groups = {};
  Params params = {};
};

/// The handle of a prepared dispatch, which was checked once and is enqueued cheaply. It is refused after the session
/// has ended or one of the dispatch's buffers was freed.
struct Prepared {
  std::uint64_t session = 0;
  std::uint32_t index = 0;

  friend bool operator==(const Prepared&, const Prepared&) = default;
};

/// The handle of a capture. It is refused after the session has ended or one of the capture's buffers was freed.
struct Capture {
  std::uint64_t session = 0;
  std::uint32_t index = 0;

  friend bool operator==(const Capture&, const Capture&) = default;
};

/// For `Session::replay`: other parameters for all captured dispatches with a label. A label may be given only once.
struct CaptureParams {
  std::string_view label = {};
  Params params = {};
};

/// For `Session::replay`: another buffer wherever the captured operations use `from`. Both are whole buffers.
struct CaptureBuffer {
  BufferView from = {};
  BufferView to = {};  ///< At least as large as `from`.
};

/// For `Session::replay`: other host memory, of the same size, for the captured writes to a view or the captured reads
/// from it.
struct CaptureBytes {
  BufferView view = {};                  ///< As the captured calls were given it.
  std::span<const std::byte> from = {};  ///< The source of the writes; empty for the captured one.
  std::span<std::byte> to = {};          ///< The target of the reads; empty for the captured one.
};

/// A point in the work of a session, given by `flush`. A wait for a default ticket returns at once.
struct SessionTicket {
  std::uint64_t session = 0;
  std::uint64_t batch = 0;

  friend bool operator==(const SessionTicket&, const SessionTicket&) = default;
};

/// A stream of work on a device. The results are as if operations ran one after another. Each call checks its
/// arguments, and refuses a mistake by name.
///
/// Operations are gathered in a batch, which is launched by `flush` or `finish`, or when it is full. Only then vyre
/// decides which operations run at once, in what order, and in how many submissions; no result depends on that. Many
/// sessions may share a device.
///
/// Thread safety: one thread at a time. A call that begins while another thread is in a call of the same session gives
/// `InvalidArgument` and does nothing; the other call is not disturbed. Debug builds of vyre detect every such call.
/// Release builds can miss calls that begin within nanoseconds of each other.
///
/// After a session was moved from, only `device` and `tuner` may be called; every other call gives `InvalidArgument`.
///
/// The destructor of a session does not wait: the device finishes pending work, and pending reads are dropped. But the
/// destructor of a device waits for its work, so destroying the last session of a device takes as long as the pending
/// kernels. To avoid that, set a `watchdog` and call `finish` first: it gives `TimedOut` if work is left.
class Session {
 public:
  /// Opens a session, which shares ownership of the device. `InvalidArgument`, naming the option, its value and the
  /// limit, for an option beyond its limits.
  [[nodiscard]] static Result<Session> open(std::shared_ptr<backend::Device> device,
                                            const SessionOptions& options = {});
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;
  ~Session();

  [[nodiscard]] backend::Device& device() const noexcept { return *device_; }
  /// What vyre has measured of the device.
  [[nodiscard]] Tuner& tuner() const noexcept { return *tuner_; }

  /// Makes a buffer filled with zeros. If the host can map the memory, it writes the zeros before this returns. In
  /// memory that was never used before, that takes several times as long as writing again, because the operating system
  /// must provide each page first.
  [[nodiscard]] Result<BufferView> bytes(std::uint64_t size);
  template <typename T>
  [[nodiscard]] Result<Buffer<T>> buffer(std::uint64_t count) {
    // If the size in bytes does not fit into 64 bits, asks for a size that every device refuses.
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    VYRE_ASSIGN(const BufferView view, bytes(count > kMost / sizeof(T) ? kMost : count * sizeof(T)));
    return Buffer<T>{view};
  }
  /// Makes a buffer with the elements of a range, which are copied before this returns.
  template <typename T, typename Range>
    requires std::is_convertible_v<const Range&, std::span<const T>>
  [[nodiscard]] Result<Buffer<T>> buffer(const Range& values) {
    const std::span<const T> all = values;
    VYRE_ASSIGN(const BufferView view, uninitialised(all.size_bytes()));
    VYRE_TRY(write_bytes(view, std::as_bytes(all)));
    return Buffer<T>{view};
  }
  /// Frees a whole buffer, and the prepared dispatches and captures that use it. The memory is released when the work
  /// that uses it is done. `InvalidArgument` for a part of a buffer.
  [[nodiscard]] Result<void> free(const BufferView& buffer);
  /// The bytes of a buffer, shared by host and device. Waits for the work that uses them. `Unsupported` if the host
  /// cannot map the buffer.
  [[nodiscard]] Result<std::span<std::byte>> map(const BufferView& buffer);

  /// Copies bytes of the host to a buffer. The bytes may be changed as soon as this returns.
  [[nodiscard]] Result<void> write_bytes(const BufferView& to, std::span<const std::byte> bytes);
  template <typename T>
  [[nodiscard]] Result<void> write(const Buffer<T>& to, std::type_identity_t<std::span<const T>> values) {
    return write_bytes(to, std::as_bytes(values));
  }
  /// Copies bytes of a buffer to the host. `bytes` must live, and has the result only, when `finish` or a wait for the
  /// ticket of the next `flush` has returned.
  [[nodiscard]] Result<void> read_bytes(const BufferView& from, std::span<std::byte> bytes);
  template <typename T>
  [[nodiscard]] Result<void> read(const Buffer<T>& from, std::type_identity_t<std::span<T>> values) {
    return read_bytes(from, std::as_writable_bytes(values));
  }
  /// Copies on the device, between views of the same size that do not overlap.
  [[nodiscard]] Result<void> copy(const BufferView& from, const BufferView& to);
  /// Fills a view with the four bytes of `pattern`. If the view does not begin and end at multiples of four, the four
  /// bytes must be equal.
  [[nodiscard]] Result<void> fill(const BufferView& view, std::uint32_t pattern);
  template <std::floating_point T>
  Result<void> fill(const BufferView& view, T value) = delete;
  /// Sets every element to a value.
  template <typename T>
    requires(sizeof(T) <= 4 && 4 % sizeof(T) == 0)
  [[nodiscard]] Result<void> fill(const Buffer<T>& buffer, std::type_identity_t<T> value) {
    std::array<T, 4 / sizeof(T)> pattern;
    pattern.fill(value);
    return fill(buffer.view(), std::bit_cast<std::uint32_t>(pattern));
  }

  [[nodiscard]] Result<void> dispatch(const program::Program& program, std::span<const Argument> arguments,
                                      const DispatchOptions& options = {});
  [[nodiscard]] Result<void> dispatch(const program::Program& program, std::initializer_list<Argument> arguments,
                                      const DispatchOptions& options = {}) {
    return dispatch(program, std::span{arguments.begin(), arguments.size()}, options);
  }
  /// Many dispatches of one program, one after another. None is enqueued if one is refused.
  [[nodiscard]] Result<void> dispatch_many(const program::Program& program, std::span<const DispatchItem> items);

  [[nodiscard]] Result<Prepared> prepare(const program::Program& program, std::span<const Argument> arguments,
                                         const DispatchOptions& options = {});
  [[nodiscard]] Result<Prepared> prepare(const program::Program& program, std::initializer_list<Argument> arguments,
                                         const DispatchOptions& options = {}) {
    return prepare(program, std::span{arguments.begin(), arguments.size()}, options);
  }
  [[nodiscard]] Result<void> enqueue(Prepared prepared);
  /// Enqueues prepared dispatches, one after another; none of them if one is refused. Where the previous batch has the
  /// same ones at the same places, this takes a few instructions for each.
  [[nodiscard]] Result<void> enqueue(std::span<const Prepared> prepared);
  /// Enqueues a prepared dispatch with other parameters.
  [[nodiscard]] Result<void> enqueue(Prepared prepared, const Params& params);

  /// Keeps what `body` enqueues instead of running it: dispatches, copies between buffers, fills, and writes and reads
  /// of the host, 16,777,216 at most. Each replay copies from the source of a captured write and to the target of a
  /// captured read, so that their memory must live as long as the capture is replayed.
  [[nodiscard]] Result<Capture> capture(const std::function<Result<void>()>& body);
  /// Launches a capture, with the other parameters in `params`, the other buffers in `buffers` and the other host
  /// memory in `bytes`. The sources of writes are copied before this returns. The targets of reads have their bytes
  /// after a wait for the ticket of the next `flush`, as those of `read`. `InvalidArgument` if, with these buffers, an
  /// operation would have to wait for one that it does not wait for in the capture.
  [[nodiscard]] Result<void> replay(Capture capture, std::span<const CaptureParams> params = {},
                                    std::span<const CaptureBuffer> buffers = {},
                                    std::span<const CaptureBytes> bytes = {});

  /// Launches the operations enqueued so far.
  [[nodiscard]] Result<SessionTicket> flush();
  /// Waits for a ticket. Afterwards all reads that were enqueued before it are complete.
  [[nodiscard]] Result<void> wait(SessionTicket ticket);
  /// Like `wait`, but returns at once: true if the work up to the ticket is done, and bytes that were read before it
  /// have then arrived; false if it is not.
  [[nodiscard]] Result<bool> poll(SessionTicket ticket);
  /// Launches everything, waits for it, and reports what was done. If that fails, also by exceeding the watchdog, the
  /// error says how many submissions completed; pending reads are dropped, and the session is empty.
  [[nodiscard]] Result<RunReport> finish();

 private:
  struct State;

  explicit Session(std::shared_ptr<State> state) noexcept;
  [[nodiscard]] Result<BufferView> uninitialised(std::uint64_t size);
  [[nodiscard]] CallState* call_state() const noexcept;

  std::shared_ptr<backend::Device> device_;
  std::shared_ptr<Tuner> tuner_;
  std::shared_ptr<State> state_;  // Shared only with a running `capture`. Null after the session was moved from.
};

}  // namespace vyre::runtime
