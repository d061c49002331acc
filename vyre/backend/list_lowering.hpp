#pragma once

#include <cstddef>
#include <memory>

#include <vyre/backend/driver.hpp>

/// The interface through which `Device` uses `vyre/lowering`, without including anything of that folder.
///
/// Dispatches in derived forms read their buffers and parameters from a table in memory. Lowering writes the table, and
/// the list that the driver runs instead of the list that was submitted.
namespace vyre::backend {

/// The table of a lowered list.
class ListTable {
 public:
  ListTable() = default;
  ListTable(const ListTable&) = delete;
  ListTable& operator=(const ListTable&) = delete;
  virtual ~ListTable() = default;
  /// Gives the memory back, to be used for other tables. Called once, when no submission that reads it is pending.
  virtual void release() noexcept = 0;
};

struct ReleaseTable {
  void operator()(ListTable* table) const noexcept { table->release(); }
};

/// A list that the driver has translated, with the table that its commands read.
struct LoweredList {
  std::unique_ptr<ListTable, ReleaseTable> table = {};  ///< Null for a list without derived forms.
  RecordingPtr commands = {};
};

/// The update of a recording to another list, prepared and not yet launched.
struct ListUpdate {
  /// The commands that write the new table. They must run after all replays that were launched before, and before the
  /// next one. None for a recording without a table.
  LoweredList upload = {};
  RecordingPtr commands = {};  ///< Replace the commands of the recording, unless null.
};

/// A recording that can be replayed with another list.
///
/// Thread safety: one thread at a time.
class UpdatableRecording {
 public:
  UpdatableRecording() = default;
  UpdatableRecording(const UpdatableRecording&) = delete;
  UpdatableRecording& operator=(const UpdatableRecording&) = delete;
  virtual ~UpdatableRecording() = default;

  /// The list that the next replay runs.
  [[nodiscard]] virtual const CommandList& list() const noexcept = 0;
  /// The commands that a replay launches.
  [[nodiscard]] virtual DriverRecording& commands() const noexcept = 0;
  /// Prepares the update to a checked list, and changes nothing yet. `InvalidArgument`, naming the difference, if the
  /// list differs from the recorded one in something that is not in the table.
  [[nodiscard]] virtual Result<ListUpdate> prepare(const ListView& view) = 0;
  /// Completes an update to `list`, after its upload was launched. Gives the commands that were replaced, if any;
  /// pending replays may still run them.
  [[nodiscard]] virtual RecordingPtr commit(const CommandList& list, ListUpdate update) = 0;
};

/// A new updatable recording, and the upload of its table, which must run before the first replay.
struct UpdatableList {
  std::unique_ptr<UpdatableRecording> recording = {};
  LoweredList upload = {};  ///< The commands that write the table. None if the host has written it.
};

/// Records lists with dispatches of any form.
///
/// Thread safety: all members may be called concurrently.
class ListLowering {
 public:
  ListLowering() = default;
  ListLowering(const ListLowering&) = delete;
  ListLowering& operator=(const ListLowering&) = delete;
  virtual ~ListLowering() = default;

  /// Records a checked list with dispatches in derived forms. `InvalidArgument` if a dispatch takes too long for one
  /// workgroup of its form, `OutOfMemory` if there is no memory for the table.
  [[nodiscard]] virtual Result<LoweredList> record(const ListView& view, Reuse reuse) = 0;
  /// Records a checked list so that it can be replayed with another one. `has_forms`: whether some of its dispatches
  /// are in derived forms.
  [[nodiscard]] virtual Result<UpdatableList> record_updatable(const ListView& view, bool has_forms) = 0;
  /// The number of the device's buffers that hold tables, which the user did not allocate.
  [[nodiscard]] virtual std::size_t buffers() const noexcept = 0;
};

/// Makes the lowering of a device; `vyre/lowering` defines this function. Tables get handles in `buffers`. Driver and
/// buffers must outlive the result.
[[nodiscard]] std::unique_ptr<ListLowering> make_list_lowering(DeviceDriver& driver, BufferTable& buffers);

}  // namespace vyre::backend
