#include <vyre/backend/list_lowering.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <vyre/backend/form_limits.hpp>
#include <vyre/base/check.hpp>
#include <vyre/lowering/form_lowering.hpp>
#include <vyre/lowering/table_pool.hpp>

namespace vyre::lowering {
namespace {

using backend::CommandList;
using backend::DeviceDriver;
using backend::ListUpdate;
using backend::ListView;
using backend::LoweredList;
using backend::Memory;
using backend::RecordingPtr;
using backend::Reuse;

/// Memory to which robust forms redirect accesses outside of a view. Half of it holds zeros, which such reads load;
/// half receives such writes.
class Scratch {
 public:
  explicit Scratch(DeviceDriver& driver) noexcept : driver_{driver} {}

  /// The address of the memory, which the first call allocates.
  [[nodiscard]] Result<std::uint64_t> address() {
    if (const std::uint64_t known = address_.load(); known != 0) return known;
    const std::lock_guard lock{mutex_};
    if (const std::uint64_t known = address_.load(); known != 0) return known;
    // Allocates twice the size, because the address must be a multiple of the size. The budget does not count it.
    constexpr std::uint64_t kBytes = 2 * program::kScratchBytes;
    VYRE_ASSIGN(buffer_, driver_.allocate({.size = 2 * kBytes, .memory = Memory::Upload}));
    VYRE_CHECK(buffer_->address != 0, "a device that has forms has addresses");
    std::memset(buffer_->mapped, 0, 2 * kBytes);
    address_ = (buffer_->address + kBytes - 1) / kBytes * kBytes;
    return address_.load();
  }

 private:
  DeviceDriver& driver_;
  std::mutex mutex_;
  std::unique_ptr<backend::DriverBuffer> buffer_;
  std::atomic<std::uint64_t> address_ = 0;
};

/// What all recordings of a device share: the memory of tables, and scratch memory.
struct TableMemory {
  DeviceDriver& driver;
  TablePool pool;
  Scratch scratch;
};

/// The lowered list of a block, as the driver translates it. `asked` is the list that was lowered.
ListView in_place_of(const ListView& asked, const TableBlock& block) noexcept {
  return {.list = block.lowered, .buffers = asked.buffers, .pipelines = asked.pipelines, .asked = &asked.list};
}

/// `InvalidArgument`, naming the command and the difference, if a list differs from `recorded` in something that is not
/// in the table.
Result<void> check_update(const CommandList& recorded, const ListView& view) {
  const auto is_fixed = [&](backend::PipelineHandle pipeline) {
    return view.pipelines.at(pipeline).form.kind == program::FormKind::Descriptor;
  };
  const auto change = find_change(recorded, view.list, is_fixed);
  if (!change) return {};
  const std::span<const backend::Command> before = recorded.commands();
  const std::span<const backend::Command> after = view.list.commands();
  if (before.size() != after.size()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the list has {} commands, the recording has {}", after.size(), before.size()));
  }
  const auto* was = std::get_if<backend::Dispatch>(&before[*change]);
  const auto* is = std::get_if<backend::Dispatch>(&after[*change]);
  std::string_view what = "changes a dispatch in the descriptor form, which a recording keeps as it is";
  if (was == nullptr || is == nullptr) {
    what = "is another one than the recording has";
  } else if (was->pipeline != is->pipeline) {
    what = "runs another pipeline than the recording does";
  }
  return fail(ErrorCode::InvalidArgument, fmt::format("command {} of the list {}", *change, what));
}

class TableRecording final : public backend::UpdatableRecording {
 public:
  TableRecording(TableMemory& memory, const CommandList& list) : memory_{memory}, list_{list} {}

  /// Records the list. Gives the upload of the table, which has no commands if the host can write to the table.
  [[nodiscard]] Result<LoweredList> record(const ListView& view, bool has_forms) {
    if (!has_forms) {
      VYRE_ASSIGN(commands_, memory_.driver.record(view, Reuse::Many));
      return LoweredList{};
    }
    const std::uint64_t bytes = table_bytes(view);
    VYRE_ASSIGN(table_, memory_.pool.take(bytes, Memory::Device));
    VYRE_ASSIGN(TablePtr written, memory_.pool.take(bytes, Memory::Upload));
    // Only to note the launches: the bytes are written again below.
    VYRE_TRY(write(view, *written, {.indirect = true, .launches_only = true}));
    launches_ = written->lowered;
    written->lowered.clear();
    TableBlock& block = table_->mapped != nullptr ? *table_ : *written;
    VYRE_ASSIGN(const std::uint64_t used, write(view, block, {}));
    VYRE_ASSIGN(commands_, memory_.driver.record(in_place_of(view, block), Reuse::Many));
    if (&block == table_.get()) return LoweredList{};
    return upload(view, std::move(written), used);
  }

  [[nodiscard]] const CommandList& list() const noexcept override { return list_; }
  [[nodiscard]] backend::DriverRecording& commands() const noexcept override { return *commands_; }

  [[nodiscard]] Result<ListUpdate> prepare(const ListView& view) override {
    VYRE_TRY(check_update(list_, view));
    if (table_ == nullptr) return ListUpdate{};
    VYRE_ASSIGN(TablePtr written, memory_.pool.take(table_bytes(view), Memory::Upload));
    // Workgroup counts are in the commands until one changes for the first time, because drivers take longer to read
    // them from a table.
    const bool is_indirect = is_indirect_ || !have_same_groups(list_, view.list);
    if (!is_indirect && depends_on_params(view)) {
      // Dispatches of the same sizes may take more turns than those that were recorded.
      VYRE_TRY(write(view, *written, {.indirect = true, .launches_only = true}));
      if (written->lowered != launches_) return other_launches();
      written->lowered.clear();
    }
    VYRE_ASSIGN(const std::uint64_t used, write(view, *written, {.indirect = is_indirect, .launches_only = true}));
    if (is_indirect && written->lowered != launches_) return other_launches();
    ListUpdate update;
    if (is_indirect && !is_indirect_) {
      written->lowered.clear();
      VYRE_TRY(write(view, *written, {.indirect = true}));
      VYRE_ASSIGN(update.commands, memory_.driver.record(in_place_of(view, *written), Reuse::Many));
    }
    VYRE_ASSIGN(update.upload, upload(view, std::move(written), used));
    return update;
  }

  [[nodiscard]] RecordingPtr commit(const CommandList& list, ListUpdate update) override {
    list_ = list;
    if (update.commands == nullptr) return nullptr;
    is_indirect_ = true;
    return std::exchange(commands_, std::move(update.commands));
  }

 private:
  struct Write {
    bool indirect = false;
    bool launches_only = false;
  };

  [[nodiscard]] bool depends_on_params(const ListView& view) const noexcept {
    return std::ranges::any_of(view.list.commands(), [&](const backend::Command& command) {
      const auto* dispatch = std::get_if<backend::Dispatch>(&command);
      return dispatch != nullptr &&
             backend::depends_on_params(view.pipelines.at(dispatch->pipeline).form, memory_.driver.info().forms);
    });
  }

  [[nodiscard]] static std::unexpected<Error> other_launches() {
    return fail(ErrorCode::InvalidArgument,
                "the list makes other launches than the recording: a dispatch has no workgroups where the recorded one "
                "has some, or neighbouring dispatches have equal sizes where the recorded ones differ, or the reverse, "
                "or parameters take the loops of a kernel beyond what one workgroup may run");
  }

  /// Writes the table into a block, with the addresses that it will have in `table_`, and appends the commands that
  /// read it to the block's list.
  [[nodiscard]] Result<std::uint64_t> write(const ListView& view, TableBlock& block, Write how) const {
    VYRE_ASSIGN(const std::uint64_t scratch, memory_.scratch.address());
    return lower(view, memory_.driver.info(),
                 {.address = table_->address,
                  .buffer = table_->buffer,
                  .memory = {block.mapped, block.size},
                  .scratch = scratch,
                  .indirect = how.indirect,
                  .launches_only = how.launches_only},
                 block.lowered);
  }

  /// Records the copy of a written table over `table_`.
  [[nodiscard]] Result<LoweredList> upload(const ListView& view, TablePtr written, std::uint64_t used) const {
    written->lowered.clear();
    written->lowered.copy(written->buffer, 0, table_->buffer, 0, used);
    const ListView copy{.list = written->lowered, .buffers = view.buffers, .pipelines = view.pipelines};
    VYRE_ASSIGN(RecordingPtr commands, memory_.driver.record(copy, Reuse::Once));
    return LoweredList{.table = std::move(written), .commands = std::move(commands)};
  }

  TableMemory& memory_;
  CommandList list_;
  TablePtr table_;  // Null if no dispatch is in a derived form.
  /// The launches of several dispatches when workgroup counts are in the table. An update must keep them.
  CommandList launches_;
  bool is_indirect_ = false;  // Whether workgroup counts are in the table now.
  RecordingPtr commands_;
};

class Lowering final : public backend::ListLowering {
 public:
  Lowering(DeviceDriver& driver, backend::BufferTable& buffers) noexcept
      : memory_{.driver = driver, .pool = {driver, buffers}, .scratch = Scratch{driver}} {}

  [[nodiscard]] Result<LoweredList> record(const ListView& view, Reuse reuse) override {
    VYRE_ASSIGN(const std::uint64_t scratch, memory_.scratch.address());
    VYRE_ASSIGN(TablePtr table, memory_.pool.take(table_bytes(view), Memory::Upload));
    const TablePlace place{
        .address = table->address, .buffer = table->buffer, .memory = {table->mapped, table->size}, .scratch = scratch};
    VYRE_TRY(lower(view, memory_.driver.info(), place, table->lowered));
    VYRE_ASSIGN(RecordingPtr commands, memory_.driver.record(in_place_of(view, *table), reuse));
    return LoweredList{.table = std::move(table), .commands = std::move(commands)};
  }

  [[nodiscard]] Result<backend::UpdatableList> record_updatable(const ListView& view, bool has_forms) override {
    auto recording = std::make_unique<TableRecording>(memory_, view.list);
    VYRE_ASSIGN(LoweredList upload, recording->record(view, has_forms));
    return backend::UpdatableList{.recording = std::move(recording), .upload = std::move(upload)};
  }

  [[nodiscard]] std::size_t buffers() const noexcept override { return memory_.pool.blocks(); }

 private:
  TableMemory memory_;
};

}  // namespace
}  // namespace vyre::lowering

std::unique_ptr<vyre::backend::ListLowering> vyre::backend::make_list_lowering(DeviceDriver& driver,
                                                                               BufferTable& buffers) {
  return std::make_unique<lowering::Lowering>(driver, buffers);
}
