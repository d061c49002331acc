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
/// A program that lacks the form a launch mode needs runs as written; the report says why. A program that needs more
/// bindings than the device has runs in the pointer form in every mode.
enum class LaunchMode : std::uint8_t {
  Auto,     ///< The mode that is estimated to be fastest, chosen for each batch.
  Plain,    ///< A submission for each operation.
  Batched,  ///< One list, recorded anew for each batch.
  Replay,   ///< One list, kept, and replayed when the batch comes again.
  /// One launch for all independent dispatches of a program; each workgroup looks up the dispatch that it belongs to.
  Merged,
  /// One launch for the same dispatches, by a few workgroups that run one dispatch after another.
  Persistent,
  /// One launch for dispatches of a program that follow one another, even if they wait for each other: one workgroup
  /// runs them in order.
  Chain,
  /// One list that reads buffers and parameters from a table: it is kept, and serves batches with other buffers too.
  Bindless,
};

inline constexpr std::array kAllLaunchModes = {LaunchMode::Auto,   LaunchMode::Plain,   LaunchMode::Batched,
                                               LaunchMode::Replay, LaunchMode::Merged,  LaunchMode::Persistent,
                                               LaunchMode::Chain,  LaunchMode::Bindless};

/// `auto`, `plain`, `batched`, `replay`, `merged`, `persistent`, `chain` or `bindless`.
[[nodiscard]] std::string_view to_string(LaunchMode mode) noexcept;

/// `Session::open` refuses a value beyond the limits that stand here.
struct SessionOptions {
  LaunchMode mode = LaunchMode::Auto;
  /// Operations before a batch is submitted without being asked, 1 to 16,777,216.
  std::size_t max_batch = 8192;
  std::size_t max_recordings = 64;  ///< Lists kept for replaying. `Replay` and `Bindless` keep at least one.
  std::size_t max_recording_bytes = std::size_t{64} << 20;  ///< Of kept lists. A larger list is kept alone.
  std::size_t max_pipelines = 256;                          ///< 1 or more.
  /// The longest that any wait may take, 1 ns or more.
  std::chrono::nanoseconds watchdog = backend::kForever;
  bool time_device = false;  ///< Whether the report has the device's own time, which costs two timestamps a list.
  /// In the mode `Auto`, the share of the time that trials may cost, 0 to 1: what they take longer than the current
  /// mode would, and setup. 0 for no trials; with 1 every batch is launched in some possible mode.
  double exploration = 0.03;
  /// In the mode `Auto`, how long sessions on a device work by a rule (one list, kept when a batch comes back) before
  /// its calibration begins. That takes 5 % of the time from then on, in slices of some milliseconds, until it is done;
  /// with 0 ns it is done at once before the first batch of several operations. `tuner().calibrate` does it at a time
  /// of one's own. 0 ns or more.
  std::chrono::nanoseconds calibrate_after = std::chrono::milliseconds{50};
  /// Calibration and estimates of the device. By default the tuner that all sessions of the device share.
  std::shared_ptr<Tuner> tuner = nullptr;
};

/// The number of workgroups of a dispatch. A dispatch with 0 in some dimension is checked like any other, and does
/// nothing.
struct GroupCount {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  friend bool operator==(const GroupCount&, const GroupCount&) = default;
};

/// A buffer for a binding: of the next slot in order, or of the one with a name.
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
  std::string_view label = {};  ///< By which a captured dispatch gets other parameters.
  std::uint32_t repeat = 1;     ///< How many times, one after another; 0 checks the dispatch and enqueues nothing.
};

/// One of many alike dispatches.
struct DispatchItem {
  std::span<const BufferView> buffers = {};  ///< In the order of the bindings.
  GroupCount groups = {};
  Params params = {};
};

/// The name of a dispatch that was checked once and is enqueued cheaply. It is refused once the session, or one of the
/// buffers of the dispatch, has ended.
struct Prepared {
  std::uint64_t session = 0;
  std::uint32_t index = 0;

  friend bool operator==(const Prepared&, const Prepared&) = default;
};

/// The name of operations that were captured together. It is refused once the session, or one of their buffers, has
/// ended.
struct Capture {
  std::uint64_t session = 0;
  std::uint32_t index = 0;

  friend bool operator==(const Capture&, const Capture&) = default;
};

/// Other parameters for the captured dispatches with a label. Each label is given once.
struct CaptureParams {
  std::string_view label = {};
  Params params = {};
};

/// Another buffer for all of the captured operations that use one. Both are whole buffers.
struct CaptureBuffer {
  BufferView from = {};
  BufferView to = {};  ///< At least as large.
};

/// A point in the work of a session, from `flush`. A default ticket is done from the start.
struct SessionTicket {
  std::uint64_t session = 0;
  std::uint64_t batch = 0;

  friend bool operator==(const SessionTicket&, const SessionTicket&) = default;
};

/// A stream of work on a device. Operations happen as if one after another. A call refuses a mistake at once, and names
/// it.
///
/// Operations gather in a batch that is planned and launched by `flush`, `finish`, or when it is full. Which of them
/// run at once, in what order, and in how many submissions is decided then; no result depends on it. Many sessions may
/// share a device.
///
/// Thread safety: one thread at a time. A call that begins while another thread is in a call of the same session gives
/// `InvalidArgument` and does nothing; the other call goes on undisturbed. Debug builds of vyre notice every such call,
/// others all but those that begin within nanoseconds of each other.
///
/// A session that was moved elsewhere keeps its device and tuner; every other call gives `InvalidArgument`.
///
/// A session ends without waiting: the device finishes what is pending, and what was not read before is not read any
/// more. A device cannot close before its work is done, so that the end of the last session of a device takes as long
/// as the kernels that are pending. To know beforehand, call `finish` with a `watchdog`: it gives `TimedOut` while work
/// is left.
class Session {
 public:
  /// A session keeps its device open. `InvalidArgument`, naming the option, its value and the limit, for options that
  /// mean nothing.
  [[nodiscard]] static Result<Session> open(std::shared_ptr<backend::Device> device,
                                            const SessionOptions& options = {});
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;
  ~Session();

  [[nodiscard]] backend::Device& device() const noexcept { return *device_; }
  /// Calibration and samples of the device.
  [[nodiscard]] Tuner& tuner() const noexcept { return *tuner_; }

  /// Zeros. They are written at once where the host sees the memory, which takes as long as the machine takes to
  /// provide it: for memory that was never touched that is several times as long as writing it again.
  [[nodiscard]] Result<BufferView> bytes(std::uint64_t size);
  template <typename T>
  [[nodiscard]] Result<Buffer<T>> buffer(std::uint64_t count) {
    // A size that does not fit into 64 bits is too large for every device.
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    VYRE_ASSIGN(const BufferView view, bytes(count > kMost / sizeof(T) ? kMost : count * sizeof(T)));
    return Buffer<T>{view};
  }
  /// With the elements of a range, which are copied at once.
  template <typename T, typename Range>
    requires std::is_convertible_v<const Range&, std::span<const T>>
  [[nodiscard]] Result<Buffer<T>> buffer(const Range& values) {
    const std::span<const T> all = values;
    VYRE_ASSIGN(const BufferView view, uninitialised(all.size_bytes()));
    VYRE_TRY(write_bytes(view, std::as_bytes(all)));
    return Buffer<T>{view};
  }
  /// Ends a whole buffer, and what was prepared or captured with it, once the work that uses it is done.
  /// `InvalidArgument` for a part of a buffer.
  [[nodiscard]] Result<void> free(const BufferView& buffer);
  /// The bytes that host and device share, once the work that uses them is done. `Unsupported` where there are none.
  [[nodiscard]] Result<std::span<std::byte>> map(const BufferView& buffer);

  /// Copies from the host. The source may go as soon as this returns.
  [[nodiscard]] Result<void> write_bytes(const BufferView& to, std::span<const std::byte> bytes);
  template <typename T>
  [[nodiscard]] Result<void> write(const Buffer<T>& to, std::type_identity_t<std::span<const T>> values) {
    return write_bytes(to, std::as_bytes(values));
  }
  /// Copies to the host. The bytes are there once `finish`, or a wait for the ticket of the next `flush`, has returned;
  /// until then the span must live.
  [[nodiscard]] Result<void> read_bytes(const BufferView& from, std::span<std::byte> bytes);
  template <typename T>
  [[nodiscard]] Result<void> read(const Buffer<T>& from, std::type_identity_t<std::span<T>> values) {
    return read_bytes(from, std::as_writable_bytes(values));
  }
  /// Copies between views of the same size. They may not overlap.
  [[nodiscard]] Result<void> copy(const BufferView& from, const BufferView& to);
  /// Repeats four bytes; all must be the same where the view does not begin and end at multiples of four.
  [[nodiscard]] Result<void> fill(const BufferView& view, std::uint32_t pattern);
  template <std::floating_point T>
  Result<void> fill(const BufferView& view, T value) = delete;
  /// Sets every element.
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
  /// Enqueues it with other parameters.
  [[nodiscard]] Result<void> enqueue(Prepared prepared, const Params& params);

  /// Keeps what `body` enqueues instead of running it: dispatches, copies between buffers and fills; 16,777,216 of them
  /// at most.
  [[nodiscard]] Result<Capture> capture(const std::function<Result<void>()>& body);
  /// Runs a capture, with other parameters for the labels in `params` and other buffers for those in `buffers`.
  /// `InvalidArgument` if operations on other buffers would have to wait for one another where the captured ones do
  /// not.
  [[nodiscard]] Result<void> replay(Capture capture, std::span<const CaptureParams> params = {},
                                    std::span<const CaptureBuffer> buffers = {});

  /// Launches the operations enqueued so far.
  [[nodiscard]] Result<SessionTicket> flush();
  /// Waits for a ticket; bytes that were read before it have then arrived.
  [[nodiscard]] Result<void> wait(SessionTicket ticket);
  /// Launches everything, waits for it, and reports what was done. After a failure (also a wait beyond the watchdog)
  /// the error says how many submissions completed, pending reads are dropped, and the session is empty.
  [[nodiscard]] Result<RunReport> finish();

 private:
  struct State;

  explicit Session(std::shared_ptr<State> state) noexcept;
  [[nodiscard]] Result<BufferView> uninitialised(std::uint64_t size);
  [[nodiscard]] CallState* call_state() const noexcept;

  std::shared_ptr<backend::Device> device_;
  std::shared_ptr<Tuner> tuner_;
  std::shared_ptr<State>
      state_;  // Only of this session, and of a capture while its body runs. Null once the session was moved elsewhere.
};

}  // namespace vyre::runtime
