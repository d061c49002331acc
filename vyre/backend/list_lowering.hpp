#pragma once

#include <cstddef>
#include <memory>

#include <vyre/backend/driver.hpp>

/// The interface through which a `Device` uses `vyre/lowering`, without including anything of that folder.
///
/// Dispatches of derived forms reach their buffers and parameters through a table in memory. Lowering writes the table
/// and the list that the driver runs in the place of the one that was asked for.
namespace vyre::backend {

/// The table of a lowered list.
class ListTable {
 public:
  ListTable() = default;
  ListTable(const ListTable&) = delete;
  ListTable& operator=(const ListTable&) = delete;
  virtual ~ListTable() = default;
  /// Gives the memory back for other tables. Called once, when no submission that reads it is pending.
  virtual void release() noexcept = 0;
};

struct ReleaseTable {
  void operator()(ListTable* table) const noexcept { table->release(); }
};

/// A list as the driver runs it, with what must live as long.
struct LoweredList {
  std::unique_ptr<ListTable, ReleaseTable> table = {};  ///< Null for a list without derived forms.
  RecordingPtr commands = {};
};

/// The update of a recording to another list.
struct ListUpdate {
  /// Writes the new table in the queue, before the next replay and after all replays that were launched before. Has no
  /// commands for a recording without a table.
  LoweredList upload = {};
  RecordingPtr commands = {};  ///< Take the place of the commands of the recording, unless null.
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

  /// The list that it runs.
  [[nodiscard]] virtual const CommandList& list() const noexcept = 0;
  /// The commands that a replay launches.
  [[nodiscard]] virtual DriverRecording& commands() const noexcept = 0;
  /// Prepares the update to a checked list, and changes nothing yet. `InvalidArgument`, naming what differs, for a list
  /// that differs in more than its tables hold.
  [[nodiscard]] virtual Result<ListUpdate> prepare(const ListView& view) = 0;
  /// Runs `list` from now on: the upload of its update was launched. Gives the commands that were replaced, if any,
  /// which pending replays may still run.
  [[nodiscard]] virtual RecordingPtr commit(const CommandList& list, ListUpdate update) = 0;
};

/// A new updatable recording, and the upload that must run before its first replay.
struct UpdatableList {
  std::unique_ptr<UpdatableRecording> recording = {};
  LoweredList upload = {};  ///< Writes the table. Has no commands if the host wrote it.
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

  /// Records a checked list of which some dispatches are in derived forms. `InvalidArgument` for one that is too long
  /// for its form, `OutOfMemory` if there is none for the table.
  [[nodiscard]] virtual Result<LoweredList> record(const ListView& view, Reuse reuse) = 0;
  /// Records any checked list so that it can be replayed with another one.
  [[nodiscard]] virtual Result<UpdatableList> record_updatable(const ListView& view, bool has_forms) = 0;
  /// How many buffers of the device are memory of tables.
  [[nodiscard]] virtual std::size_t buffers() const noexcept = 0;
};

/// The lowering of a device, which `vyre/lowering` defines. Tables become handles in `buffers`. Both must outlive it.
[[nodiscard]] std::unique_ptr<ListLowering> make_list_lowering(DeviceDriver& driver, BufferTable& buffers);

}  // namespace vyre::backend
