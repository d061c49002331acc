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
  bool warm = false;  ///< Whether to also do now what drivers put off until the first dispatch.
  std::chrono::nanoseconds timeout = kForever;  ///< The longest wait for that, which comes after pending work.
};

struct RecordOptions {
  /// Whether the recording can be replayed with another list: other buffers, parameters and group counts of dispatches
  /// in the pointer, merged, persistent and chain forms, which read them from a table.
  bool updatable = false;
};

struct SubmitOptions {
  std::uint32_t queue = 0;
  std::span<const Ticket> after = {};           ///< Work on other queues that must be done first.
  std::chrono::nanoseconds timeout = kForever;  ///< The longest wait while too much is pending.
};

/// State that a layer above keeps with a device for as long as the device is open.
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
  std::uint64_t bytes = 0;          ///< Of all buffers, including those that wait for release.
  std::uint64_t bytes_waiting = 0;  ///< Of buffers that were freed while work was pending.
  std::size_t waiting = 0;          ///< Objects that were freed while work was pending.
  std::size_t pending = 0;          ///< Submissions that are not known to be done.

  friend bool operator==(const DeviceUsage&, const DeviceUsage&) = default;
};

/// An open device. It refuses, by name and with the limit, everything that can be refused without the driver; it
/// accounts memory and handles; it keeps freed objects until all work submitted before is done.
///
/// Lists submitted to one queue run as if one after another; within a list only barriers order commands. After
/// `DeviceLost` every call fails with it, contents are lost, and the device can be opened anew.
/// Thread safety: all members may be called concurrently. Closing waits until all work is done.
class Device {
 public:
  /// Opens a device that a backend lists. `InvalidArgument`, naming the value and the limit, for options that mean
  /// nothing, and for an `info` that was changed since it was listed; only its `memory_bytes` and `maps_device_memory`
  /// may be those of a device that was opened.
  [[nodiscard]] static Result<std::unique_ptr<Device>> open(Backend& backend, const DeviceInfo& info,
                                                            const DeviceOptions& options = {});
  /// Takes the driver of a device that is open. The options must be valid for `open`.
  Device(std::unique_ptr<DeviceDriver> driver, const DeviceOptions& options);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  [[nodiscard]] const DeviceInfo& info() const noexcept { return info_; }
  [[nodiscard]] DeviceUsage usage() const;
  /// The clock of the device: the machine's, or a virtual one.
  [[nodiscard]] std::uint64_t now_ns() noexcept { return driver_->now_ns(); }

  /// Opens the same device once more, for experiments that must not affect this one, as pipelines that stay in a
  /// driver's caches would. Null if experiments on this one leave nothing behind.
  [[nodiscard]] Result<std::unique_ptr<Device>> open_again() const;

  /// The attachment of the device, made with the first call. All callers ask for the same `T`.
  template <typename T>
  [[nodiscard]] T& attachment() {
    const std::lock_guard lock{attachment_mutex_};
    if (attachment_ == nullptr) attachment_ = std::make_unique<T>();
    return static_cast<T&>(*attachment_);
  }

  /// The contents are undefined. `InvalidArgument` beyond the limit of a buffer, `OutOfMemory` beyond the budget.
  [[nodiscard]] Result<BufferHandle> allocate(const BufferDesc& desc);
  /// Memory comes back when all work submitted before is done. Recordings that name it are refused from now on.
  [[nodiscard]] Result<void> free(BufferHandle buffer);
  /// The bytes of a buffer, shared with the device. `Unsupported` if the buffer cannot be mapped. The caller waits for
  /// the work that uses the bytes before it reads or writes them.
  [[nodiscard]] Result<std::span<std::byte>> map(BufferHandle buffer);
  /// Copies bytes to or from a buffer at once, mapped or not. The caller has waited for the work that uses them.
  [[nodiscard]] Result<void> write(BufferHandle buffer, std::uint64_t offset, std::span<const std::byte> bytes);
  [[nodiscard]] Result<void> read(BufferHandle buffer, std::uint64_t offset, std::span<std::byte> bytes);

  /// `Unsupported`, naming what is missing, for a program that needs more than the device has.
  [[nodiscard]] Result<PipelineHandle> compile(const program::Program& program, const CompileOptions& options = {});
  [[nodiscard]] Result<void> free(PipelineHandle pipeline);

  /// Runs a list. `InvalidArgument`, naming the command, for a list that cannot run; then no command of it runs.
  [[nodiscard]] Result<Ticket> submit(const CommandList& list, const SubmitOptions& options = {});
  /// Translates a list once, to be replayed any number of times.
  [[nodiscard]] Result<RecordingHandle> record(const CommandList& list, const RecordOptions& options = {});
  /// Runs a recording, also while earlier replays of it are pending. `InvalidArgument` if a buffer or pipeline that it
  /// names was freed.
  [[nodiscard]] Result<Ticket> replay(RecordingHandle recording, const SubmitOptions& options = {});
  /// Runs a recording as if it had been made of `list`, now and in later replays. The table changes in the queue, so
  /// that pending replays do not see the change. `list` has the commands of the recorded list; buffers, parameters and
  /// group counts of dispatches in derived forms may differ, where they do not change how many launches there are.
  /// `InvalidArgument`, naming what differs, otherwise. As for `submit`, the caller places the barriers that commands
  /// with other buffers need.
  [[nodiscard]] Result<Ticket> replay(RecordingHandle recording, const CommandList& list,
                                      const SubmitOptions& options = {});
  [[nodiscard]] Result<void> free(RecordingHandle recording);

  /// Whether a dispatch should run in the form of a pipeline rather than as written. In a form that takes turns it must
  /// be short enough for one workgroup, and is refused otherwise. In the merged form it must not be so large that the
  /// map of its workgroups fills the table.
  [[nodiscard]] bool fits_form(PipelineHandle pipeline, const Groups& groups) const noexcept;
  /// Whether the form of a pipeline gives the results of the kernel as written for these views, all of known size. A
  /// robust form does not if a view ends within an element of a runtime array: it treats that element as outside.
  [[nodiscard]] bool fits_views(PipelineHandle pipeline, std::span<const BufferRange> views) const noexcept;
  /// Whether it gives the results of the kernel as written for any views.
  [[nodiscard]] bool fits_all_views(PipelineHandle pipeline) const noexcept;

  /// Whether a ticket is done.
  [[nodiscard]] Result<bool> poll(Ticket ticket);
  /// Waits for a ticket. `TimedOut` cancels nothing.
  [[nodiscard]] Result<void> wait(Ticket ticket, std::chrono::nanoseconds timeout = kForever);
  /// Waits for everything that was submitted.
  [[nodiscard]] Result<void> wait_idle(std::chrono::nanoseconds timeout = kForever);

 private:
  /// A recording that can be replayed with another list, and when its table is read and changed.
  struct Updates {
    std::mutex mutex;
    std::unique_ptr<UpdatableRecording> recording;
    Ticket changed = {};              // The last change of the table.
    std::vector<std::uint64_t> last;  // By queue: the last ticket that reads or changes the table.
    std::vector<Ticket> after;        // Room for the tickets that a launch waits for.
  };
  struct RecordingEntry {
    LoweredList lowered = {};  // Without commands if the recording can be updated.
    ListNames names = {};
    std::uint64_t checked_epoch = 0;        // The `free_epoch_` in which all names were last seen alive.
    std::unique_ptr<Updates> updates = {};  // Null if the recording cannot be updated.
  };
  using Freed = std::variant<BufferEntry, PipelineEntry, RecordingEntry>;
  struct Grave {
    std::vector<std::uint64_t> issued;  // By queue, when it was freed.
    Freed object;
  };

  [[nodiscard]] Result<void> check_open() const;
  [[nodiscard]] Result<void> check_submission(const SubmitOptions& options);
  [[nodiscard]] Result<void> check_ticket(Ticket ticket);
  /// Checks a list, lowers it and records it.
  [[nodiscard]] Result<LoweredList> record(const ListView& view, Reuse reuse);
  [[nodiscard]] Result<Ticket> launch(DriverRecording& commands, LoweredList once, const SubmitOptions& options);
  /// Submits a recording so that it runs after the most recent change of its table. The caller holds the lock of
  /// `updates`.
  [[nodiscard]] Result<Ticket> launch_updatable(Updates& updates, const SubmitOptions& options);
  /// Changes the table of a recording after all replays that read it. The lock of `updates` is held.
  [[nodiscard]] Result<void> launch_upload(Updates& updates, LoweredList upload, const SubmitOptions& options);
  [[nodiscard]] Result<void> make_room(const SubmitOptions& options);
  [[nodiscard]] Result<void> warm(PipelineHandle pipeline, std::chrono::nanoseconds timeout);
  [[nodiscard]] Result<void> check_alive(RecordingEntry& entry);
  /// One of `in` and `out` is empty.
  [[nodiscard]] Result<void> transfer(BufferHandle buffer, std::uint64_t offset, std::span<const std::byte> in,
                                      std::span<std::byte> out);
  [[nodiscard]] Result<void> transfer_staged(BufferHandle buffer, std::uint64_t offset, std::span<const std::byte> in,
                                             std::span<std::byte> out);
  void bury(Freed object);
  /// Destroys what was freed and is no longer used.
  void collect();
  /// Passes a driver's answer on, and notes whether the device is lost.
  template <typename T>
  [[nodiscard]] Result<T> noted(Result<T> result);

  std::unique_ptr<DeviceDriver> driver_;
  DeviceInfo info_;
  DeviceOptions options_;
  BufferTable buffers_;
  PipelineTable pipelines_;
  // Held shared while a list is checked, translated and launched, so that no object it names is freed meanwhile; held
  // alone by `free`.
  std::shared_mutex lifetime_;
  std::atomic<std::uint64_t> free_epoch_ = 1;
  std::unique_ptr<ListLowering> lowering_;  // Outlives recordings and submissions, which hold tables of it.
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
