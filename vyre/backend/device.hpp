#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <vyre/backend/driver.hpp>
#include <vyre/backend/list_lowering.hpp>

namespace vyre::backend {

class SubmissionQueue;

inline constexpr std::chrono::nanoseconds kForever = std::chrono::nanoseconds::max();

struct CompileOptions {
  std::span<const program::spirv::SpecOverride> values = {};
  program::FormKind form = program::FormKind::Descriptor;
  bool warm = false;  ///< Whether to launch the pipeline once, for drivers that compile at the first launch.
  std::chrono::nanoseconds timeout = kForever;  ///< The longest wait for that launch, which runs after pending work.
};

struct RecordOptions {
  /// Whether the recording can be replayed with another list. Buffers, parameters and workgroup counts may then differ
  /// for dispatches in the pointer, merged, persistent and chain forms, which read them from a table.
  bool updatable = false;
};

struct SubmitOptions {
  std::uint32_t queue = 0;
  std::span<const Ticket> after = {};           ///< Work of other queues that must be done before the list runs.
  std::chrono::nanoseconds timeout = kForever;  ///< The longest wait while `max_pending` submissions are pending.
  /// Lists that run once in the same submission, before and after its own list; null for none.
  const CommandList* leading = nullptr;
  const CommandList* trailing = nullptr;
};

/// State that a user of a device attaches to it, to be destroyed with the device.
struct Attachment {
  Attachment() = default;
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
  virtual ~Attachment() = default;
};

/// The objects and bytes that a device holds now.
struct DeviceUsage {
  std::size_t buffers = 0;
  std::size_t pipelines = 0;
  std::size_t recordings = 0;
  std::uint64_t bytes = 0;          ///< The size of all buffers, including freed ones that pending work may use.
  std::uint64_t bytes_waiting = 0;  ///< The size of freed buffers that pending work may use.
  std::size_t waiting = 0;          ///< The number of freed objects that pending work may use.
  std::size_t pending = 0;          ///< Submissions that are not known to be done.

  friend bool operator==(const DeviceUsage&, const DeviceUsage&) = default;
};

/// An open device. It checks every call, and refuses what can be refused without the driver, by name and with the
/// limit. It owns the handles and counts memory. It keeps freed objects until all work submitted before is done.
///
/// Lists submitted to one queue run as if one after another; within a list only barriers order commands. After
/// `DeviceLost` every call fails with that code and the contents of buffers are lost; the device can be opened again.
/// Thread safety: all members may be called concurrently. The destructor waits until all work is done.
class Device {
 public:
  /// Opens a device that the backend listed. `InvalidArgument`, naming the value and the limit, for an option beyond
  /// its limits, and for an `info` that was changed since it was listed. The `info()` of an open device is accepted,
  /// although its `memory_bytes` and `maps_device_memory` depend on the options.
  [[nodiscard]] static Result<std::unique_ptr<Device>> open(Backend& backend, const DeviceInfo& info,
                                                            const DeviceOptions& options = {});
  /// Makes a device from the driver of an open one. Precondition: the options are ones that `open` accepts.
  Device(std::unique_ptr<DeviceDriver> driver, const DeviceOptions& options);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  [[nodiscard]] const DeviceInfo& info() const noexcept { return info_; }
  [[nodiscard]] DeviceUsage usage() const;
  /// The time of the device's clock, real or virtual, in nanoseconds.
  [[nodiscard]] std::uint64_t now_ns() noexcept { return driver_->now_ns(); }

  /// Opens the same device a second time, for experiments that would slow this one down: their pipelines would stay in
  /// the driver's caches, for example. Null if experiments on this device leave nothing behind.
  [[nodiscard]] Result<std::unique_ptr<Device>> open_again() const;

  /// The attachment of the device, which the first call makes. Precondition: all calls ask for the same `T`.
  template <typename T>
  [[nodiscard]] T& attachment() {
    const std::lock_guard lock{attachment_mutex_};
    if (attachment_ == nullptr) attachment_ = std::make_unique<T>();
    return static_cast<T&>(*attachment_);
  }

  /// The contents are undefined. `InvalidArgument` beyond the limit of a buffer, `OutOfMemory` beyond the budget.
  [[nodiscard]] Result<BufferHandle> allocate(const BufferDesc& desc);
  /// The memory is released when all work submitted before is done. From now on, recordings that use the buffer are
  /// refused.
  [[nodiscard]] Result<void> free(BufferHandle buffer);
  /// The bytes of a buffer, shared with the device. `Unsupported` if the buffer cannot be mapped. Before the caller
  /// reads or writes bytes, it must wait for the work that uses them.
  [[nodiscard]] Result<std::span<std::byte>> map(BufferHandle buffer);
  /// Copies bytes to or from a buffer, mapped or not; they are copied when the call returns. The caller must have
  /// waited for the work that uses them.
  [[nodiscard]] Result<void> write(BufferHandle buffer, std::uint64_t offset, std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> read(BufferHandle buffer, std::uint64_t offset, std::span<std::byte> bytes);

  /// `Unsupported`, naming what is missing, for a program that needs more than the device has.
  [[nodiscard]] Result<PipelineHandle> compile(const program::Program& program, const CompileOptions& options = {});
  [[nodiscard]] Result<void> free(PipelineHandle pipeline);

  /// Launches a list. `InvalidArgument`, naming the command, if one of its commands cannot run; then none of them runs.
  [[nodiscard]] Result<Ticket> submit(const CommandList& list, const SubmitOptions& options = {});
  /// Translates a list once, to be replayed any number of times.
  [[nodiscard]] Result<RecordingHandle> record(const CommandList& list, const RecordOptions& options = {});
  /// Launches a recording, also while earlier replays of it are pending. `InvalidArgument` if a buffer or pipeline that
  /// it uses was freed.
  [[nodiscard]] Result<Ticket> replay(RecordingHandle recording, const SubmitOptions& options = {});
  /// Changes an updatable recording as if it had been made from `list`, and launches it. The table is changed in the
  /// queue, so that pending replays do not see the change. `list` must have the same commands as the recorded list;
  /// buffers, parameters and workgroup counts of dispatches in derived forms may differ, as long as the number of
  /// launches stays the same. Otherwise `InvalidArgument`, naming the difference. As for `submit`, the caller has
  /// placed the barriers that the commands need with their new buffers.
  [[nodiscard]] Result<Ticket> replay(RecordingHandle recording, const CommandList& list,
                                      const SubmitOptions& options = {});
  [[nodiscard]] Result<void> free(RecordingHandle recording);

  /// Whether a dispatch of this size can and should run in the form of the pipeline. In the persistent and the chain
  /// form a single workgroup runs the whole dispatch, and a list is refused if that would take it too long. In the
  /// merged form a large dispatch would fill the table with the map of its workgroups.
  [[nodiscard]] bool fits_form(PipelineHandle pipeline, const program::DispatchFacts& dispatch) const noexcept;
  /// The same for the parameters with which a dispatch of this size takes the least time.
  [[nodiscard]] bool fits_form(PipelineHandle pipeline, const Groups& groups) const noexcept;
  /// Whether the parameters of a dispatch decide whether it fits, because the kernel's loops depend on them.
  [[nodiscard]] bool depends_on_params(PipelineHandle pipeline) const noexcept;
  /// Whether the form of a pipeline gives the same results as the kernel as written for these views. A robust form does
  /// not if a view ends within an element of a runtime array: it treats that element as outside. Precondition: no size
  /// of a view is `kWholeBuffer`.
  [[nodiscard]] bool fits_views(PipelineHandle pipeline, std::span<const BufferRange> views) const noexcept;
  /// Whether the form gives the same results as the kernel as written, whatever the views.
  [[nodiscard]] bool fits_all_views(PipelineHandle pipeline) const noexcept;

  /// Whether a ticket is done.
  [[nodiscard]] Result<bool> poll(Ticket ticket);
  /// Waits for a ticket. `TimedOut` after `timeout`; the work goes on.
  [[nodiscard]] Result<void> wait(Ticket ticket, std::chrono::nanoseconds timeout = kForever);
  /// Waits for everything that was submitted.
  [[nodiscard]] Result<void> wait_idle(std::chrono::nanoseconds timeout = kForever);

 private:
  /// A recording that can be replayed with another list, and when its table is read and changed.
  struct Updates {
    std::mutex mutex;
    std::unique_ptr<UpdatableRecording> recording;
    Ticket changed = {};              // The last change of the table.
    std::vector<std::uint64_t> last;  // By queue: the last ticket whose work reads or changes the table.
    std::vector<Ticket> after;        // The tickets that a launch waits for. A member to keep its memory.
  };
  struct RecordingEntry {
    LoweredList lowered = {};  // Without commands if the recording can be updated.
    ListNames names = {};
    std::uint64_t checked_epoch = 0;        // The value of `free_epoch_` when all names were last found to exist.
    std::unique_ptr<Updates> updates = {};  // Null if the recording cannot be updated.
  };
  using Freed = std::variant<BufferEntry, PipelineEntry, RecordingEntry>;
  struct Grave {
    std::vector<std::uint64_t> issued;  // By queue: the last ticket that was given when the object was freed.
    Freed object;
  };

  [[nodiscard]] Result<void> check_open() const;
  [[nodiscard]] Result<void> check_submission(const SubmitOptions& options);
  [[nodiscard]] Result<void> check_ticket(Ticket ticket);
  /// Checks a list, lowers it and records it.
  [[nodiscard]] Result<LoweredList> record(const ListView& view, Reuse reuse);
  /// Launches commands, after an upload unless that is empty, with the lists of `options` before and after both.
  /// `once` is kept until all are done.
  [[nodiscard]] Result<Ticket> launch(DriverRecording& commands, LoweredList once, const SubmitOptions& options,
                                      LoweredList upload = {});
  /// Submits a recording so that it runs after the most recent change of its table. The caller holds the lock of
  /// `updates`.
  [[nodiscard]] Result<Ticket> launch_updatable(Updates& updates, const SubmitOptions& options);
  /// Launches the copy that changes the table of a recording, and `commands`, unless null, in the same submission. The
  /// copy runs after all replays that were launched before, which still read the old table. The caller holds the lock
  /// of `updates`.
  [[nodiscard]] Result<Ticket> launch_upload(Updates& updates, LoweredList upload, DriverRecording* commands,
                                             const SubmitOptions& options);
  [[nodiscard]] Result<void> make_room(const SubmitOptions& options);
  [[nodiscard]] Result<void> warm(PipelineHandle pipeline, std::chrono::nanoseconds timeout);
  [[nodiscard]] Result<void> check_alive(RecordingEntry& entry);
  /// Copies `in` to the buffer, or from the buffer to `out`: one of the two spans is empty.
  [[nodiscard]] Result<void> transfer(BufferHandle buffer, std::uint64_t offset, std::span<const std::byte> in,
                                      std::span<std::byte> out);
  [[nodiscard]] Result<void> transfer_staged(BufferHandle buffer, std::uint64_t offset, std::span<const std::byte> in,
                                             std::span<std::byte> out);
  void bury(Freed object);
  /// Destroys the freed objects that pending work no longer uses.
  void collect();
  /// Returns the result of a driver's call, after noting whether it says that the device is lost.
  template <typename T>
  [[nodiscard]] Result<T> noted(Result<T> result);

  std::unique_ptr<DeviceDriver> driver_;
  DeviceInfo info_;
  DeviceOptions options_;
  BufferTable buffers_;
  PipelineTable pipelines_;
  // A shared lock is held while a list is checked, translated and launched, so that none of its objects is freed
  // meanwhile. `free` holds it exclusively.
  std::shared_mutex lifetime_;
  std::atomic<std::uint64_t> free_epoch_ = 1;
  std::unique_ptr<ListLowering> lowering_;  // Must outlive recordings and submissions, which hold tables of it.
  HandleTable<RecordingEntry, RecordingTag> recordings_;
  std::vector<std::unique_ptr<SubmissionQueue>> queues_;
  mutable std::mutex graves_mutex_;
  std::vector<Grave> graves_;
  std::atomic<bool> has_graves_ = false;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::uint64_t> bytes_waiting_ = 0;
  std::atomic<bool> lost_ = false;
  std::mutex staging_mutex_;
  BufferHandle staging_ = {};
  std::atomic<bool> staging_made_ = false;
  std::mutex attachment_mutex_;
  std::unique_ptr<Attachment> attachment_;
};

}  // namespace vyre::backend
