#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <vyre/backend/command_list.hpp>
#include <vyre/backend/device_info.hpp>
#include <vyre/backend/handle.hpp>
#include <vyre/base/error.hpp>
#include <vyre/program/program.hpp>

/// The contract that a backend implements. To use a device, read `device.hpp` instead.
///
/// Backends translate; they do not decide. `Device` has checked everything that it gives to a driver: the objects
/// exist, ranges lie within their buffers and the device's limits, submissions are numbered, and an object is destroyed
/// only when no pending submission can use it. Drivers report only the errors that nobody else can know.
namespace vyre::backend {

class DriverObject;

/// Is told when an object is destroyed. Decorators use it.
class ObjectObserver {
 public:
  virtual ~ObjectObserver() = default;
  virtual void on_destroy(const DriverObject& object) noexcept = 0;
};

/// An object that a driver makes and a device owns.
class DriverObject {
 public:
  DriverObject() = default;
  DriverObject(const DriverObject&) = delete;
  DriverObject& operator=(const DriverObject&) = delete;
  virtual ~DriverObject() {
    if (observer != nullptr) observer->on_destroy(*this);
  }

  ObjectObserver* observer = nullptr;
};

class DriverBuffer : public DriverObject {
 public:
  std::byte* mapped = nullptr;  ///< Coherent memory that host and device share, or null.
  std::uint64_t address = 0;    ///< The address for kernels; 0 on a device without forms that need one.
};

class DriverPipeline : public DriverObject {};

/// A list that the driver has translated, ready to be launched.
class DriverRecording : public DriverObject {
 public:
  /// Gives the recording back to its driver, which may use it again. Called once, when none of its launches is pending.
  virtual void release() noexcept { delete this; }
};

struct ReleaseRecording {
  void operator()(DriverRecording* recording) const noexcept { recording->release(); }
};
using RecordingPtr = std::unique_ptr<DriverRecording, ReleaseRecording>;

/// The kind of memory that a buffer is in.
enum class Memory : std::uint8_t {
  Device,    ///< Fastest for kernels; mapped only where the device can.
  Upload,    ///< Always mapped; the host writes, the device reads.
  Readback,  ///< Always mapped; the device writes, the host reads.
};

struct BufferDesc {
  std::uint64_t size = 0;
  Memory memory = Memory::Device;

  friend bool operator==(const BufferDesc&, const BufferDesc&) = default;
};

/// A binding of a program: one buffer, or an array of them. In Vulkan, a binding of a descriptor set layout.
struct BindingSlot {
  std::uint32_t set = 0;
  std::uint32_t slot = 0;
  program::BindingKind kind = program::BindingKind::StorageBuffer;
  std::uint32_t count = 1;  ///< The number of buffers.

  friend auto operator<=>(const BindingSlot&, const BindingSlot&) = default;
};

struct PipelineDesc {
  const program::Program& program;       ///< The program as written.
  std::span<const std::uint32_t> words;  ///< The words of the module to run, in the wanted form.
  const program::Interface& interface;   ///< The interface of that module with the specialisation.
  std::span<const program::spirv::SpecOverride>
      values;                           ///< The specialisation constants that differ from their defaults, by id.
  std::span<const BindingSlot> slots;   ///< The bindings, sorted by set and slot.
  const program::Form* form = nullptr;  ///< Null for the descriptor form.
};

struct BufferEntry {
  std::unique_ptr<DriverBuffer> object;
  BufferDesc desc;
};

/// What a pipeline demands of a range of a dispatch.
struct RangeRule {
  std::uint32_t set = 0;
  std::uint32_t slot = 0;
  std::uint32_t element = 0;
  program::BindingKind kind = program::BindingKind::StorageBuffer;
  std::uint64_t min_bytes = 1;
  bool is_needed = true;  ///< Whether the kernel touches it, or asks for its length; otherwise it may be `kNoRange`.
  std::string name = {};
  std::vector<std::string> other_names = {};  ///< The names of further variables that share the slot.

  friend bool operator==(const RangeRule&, const RangeRule&) = default;
};

/// How the dispatches of a pipeline in a derived form are written into the table.
struct FormRules {
  program::FormKind kind = program::FormKind::Descriptor;
  program::RecordLayout record = {};
  std::uint32_t folded = 1;
  program::Bound iterations = {};  ///< The most iterations that one invocation makes, if the device limits them.
};

struct PipelineEntry {
  std::unique_ptr<DriverPipeline> object;
  program::Program program;
  std::vector<RangeRule> rules;
  std::uint32_t push_bytes = 0;  ///< The bytes of parameters of a dispatch.
  FormRules form = {};
};

using BufferTable = HandleTable<BufferEntry, BufferTag>;
using PipelineTable = HandleTable<PipelineEntry, PipelineTag>;

/// A list that `Device` has checked, with the tables to find its objects. Dispatches in derived forms have no ranges,
/// and their parameters are a `program::Root`.
struct ListView {
  const CommandList& list;
  const BufferTable& buffers;
  const PipelineTable& pipelines;
  const CommandList* asked = nullptr;  ///< The list with ranges from which `list` was lowered, if it was; else null.

  template <typename Native>
  [[nodiscard]] Native& buffer(BufferHandle handle) const noexcept {
    return static_cast<Native&>(*buffers.at(handle).object);
  }
  template <typename Native>
  [[nodiscard]] Native& pipeline(PipelineHandle handle) const noexcept {
    return static_cast<Native&>(*pipelines.at(handle).object);
  }
  /// The size of a range in bytes, also of one with `kWholeBuffer`.
  [[nodiscard]] std::uint64_t size(const BufferRange& range) const noexcept {
    return range.size == kWholeBuffer ? buffers.at(range.buffer).desc.size - range.offset : range.size;
  }
};

/// One launch runs at most this number of recordings: a list, the upload of its table, and transfers before and after.
inline constexpr std::size_t kMostTogether = 4;

/// How often a recording is launched: once, after which it is released, or any number of times. Of the latter several
/// launches may be pending at once.
enum class Reuse : std::uint8_t { Once, Many };

/// A point in the work of a queue: its submissions are numbered from 1.
struct Ticket {
  std::uint32_t queue = 0;
  std::uint64_t value = 0;  ///< The number of the submission. Ticket 0 is done from the start.

  friend bool operator==(const Ticket&, const Ticket&) = default;
};

/// The driver of one device: the contract that a backend fulfils.
///
/// Once a member has given `DeviceLost`, nothing runs on the device any more.
/// Thread safety: all members may be called concurrently, except that launches into one queue come one after another,
/// in the order of their tickets.
class DeviceDriver {
 public:
  virtual ~DeviceDriver() = default;

  [[nodiscard]] virtual const DeviceInfo& info() const noexcept = 0;

  /// The contents are undefined. `OutOfMemory` if the driver has none.
  [[nodiscard]] virtual Result<std::unique_ptr<DriverBuffer>> allocate(const BufferDesc& desc) = 0;

  /// `CompileFailed` if the driver refuses the module, `Unsupported` if it cannot run it.
  [[nodiscard]] virtual Result<std::unique_ptr<DriverPipeline>> compile(const PipelineDesc& desc) = 0;

  /// Translates a list.
  [[nodiscard]] virtual Result<RecordingPtr> record(const ListView& view, Reuse reuse) = 0;

  /// Runs recordings, 1 to `kMostTogether`, one after another: after everything launched into the queue before, and
  /// after the tickets `after` of other queues. When they are done the queue has reached `ticket`, and their results
  /// are visible to the host and to later launches. After a failure nothing was launched and the ticket is used for
  /// the next one.
  [[nodiscard]] virtual Result<void> launch(std::span<DriverRecording* const> recordings, Ticket ticket,
                                            std::span<const Ticket> after) = 0;

  /// The last ticket that a queue has reached. Never falls. `DeviceLost` if the device is.
  [[nodiscard]] virtual Result<std::uint64_t> completed(std::uint32_t queue) = 0;

  /// Waits for a launched ticket. False after `timeout`.
  [[nodiscard]] virtual Result<bool> wait(Ticket ticket, std::chrono::nanoseconds timeout) = 0;

  /// The time of the device's clock, real or virtual, in nanoseconds.
  [[nodiscard]] virtual std::uint64_t now_ns() noexcept = 0;

  /// Opens the same device a second time, for experiments that must not affect this one. Null if experiments on this
  /// one leave nothing behind.
  [[nodiscard]] virtual Result<std::unique_ptr<DeviceDriver>> open_again() { return nullptr; }
};

/// How a device is opened.
struct DeviceOptions {
  static constexpr std::uint32_t kMostPending = 65'536;  ///< Bounds the memory of pending lists.

  bool robust = true;  ///< Whether accesses outside of a range are harmless: reads give some value, writes are dropped.
  /// The most bytes of all buffers together, up to the device's memory; 0 for all of the device's memory.
  std::uint64_t memory_budget = 0;
  std::uint32_t max_pending = 64;  ///< Submissions per queue before `submit` waits, 1 to `kMostPending`.
  bool map_device_memory = true;   ///< Whether to map buffers in device memory, if the device can.
};

/// An API through which devices are used, such as Vulkan.
///
/// Thread safety: all members may be called concurrently. Devices may outlive it.
class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// Lists the devices present now, the best first. `Unavailable` if the driver itself is missing.
  [[nodiscard]] virtual Result<std::vector<DeviceInfo>> devices() = 0;
  /// Opens one of the listed devices.
  [[nodiscard]] virtual Result<std::unique_ptr<DeviceDriver>> open(const DeviceInfo& info,
                                                                   const DeviceOptions& options) = 0;
};

}  // namespace vyre::backend
