#include <vyre/backend/device.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <vyre/backend/check.hpp>
#include <vyre/backend/form_lowering.hpp>
#include <vyre/base/check.hpp>
#include <vyre/program/forms/ldexp.hpp>
#include <vyre/program/spirv/module.hpp>

namespace vyre::backend {
namespace {

constexpr std::uint64_t kStagingBytes = std::uint64_t{4} << 20;

std::unexpected<Error> gone(std::string_view what) {
  return fail(ErrorCode::InvalidArgument, fmt::format("the {} does not exist, or was freed", what));
}

}  // namespace

Result<std::unique_ptr<Device>> Device::open(Backend& backend, const DeviceInfo& info, const DeviceOptions& options) {
  VYRE_ASSIGN(std::unique_ptr<DeviceDriver> driver, backend.open(info, options));
  VYRE_TRY(check_opened(info, driver->info()));
  VYRE_TRY(check_options(options, driver->info()));
  return std::make_unique<Device>(std::move(driver), options);
}

Result<std::unique_ptr<Device>> Device::open_again() const {
  VYRE_ASSIGN(std::unique_ptr<DeviceDriver> driver, driver_->open_again());
  return driver == nullptr ? nullptr : std::make_unique<Device>(std::move(driver), options_);
}

Device::Device(std::unique_ptr<DeviceDriver> driver, const DeviceOptions& options)
    : driver_{std::move(driver)}, info_{driver_->info()}, options_{options}, tables_{*driver_, buffers_} {
  VYRE_CHECK(std::has_single_bit(info_.limits.storage_alignment), "alignments are powers of two");
  VYRE_CHECK(std::has_single_bit(info_.limits.uniform_alignment), "alignments are powers of two");
  if (options_.memory_budget != 0) info_.limits.memory_bytes = options_.memory_budget;
  for (std::uint32_t i = 0; i < info_.limits.queues; ++i) {
    queues_.push_back(std::make_unique<Queue>());
    queues_.back()->pending.resize(std::clamp(options_.max_pending, 1U, DeviceOptions{}.max_pending));
  }
}

Device::~Device() {
  // Objects must not go while work is pending, so that a wait that fails is tried again. A lost device has none.
  constexpr int kAttempts = 3;
  for (int i = 0; i < kAttempts && !lost_; ++i) {
    if (wait_idle()) return;
  }
}

DeviceUsage Device::usage() const {
  DeviceUsage usage{.buffers = buffers_.size(),
                    .pipelines = pipelines_.size(),
                    .recordings = recordings_.size(),
                    .bytes = bytes_,
                    .bytes_waiting = bytes_waiting_};
  if (staging_made_) --usage.buffers;
  usage.buffers -= tables_.blocks();
  for (const std::unique_ptr<Queue>& queue : queues_) {
    const std::lock_guard lock{queue->mutex};
    usage.pending += queue->count;
  }
  const std::lock_guard lock{graves_mutex_};
  usage.waiting = graves_.size();
  return usage;
}

Result<void> Device::check_open() const {
  if (!lost_.load(std::memory_order_relaxed)) return {};
  return fail(ErrorCode::DeviceLost, fmt::format("device '{}' was lost, and its contents with it", info_.name));
}

std::unexpected<Error> Device::note(Error error) {
  if (error.code == ErrorCode::DeviceLost) lost_ = true;
  return std::unexpected{std::move(error)};
}

Result<BufferHandle> Device::allocate(const BufferDesc& desc) {
  VYRE_TRY(check_open());
  VYRE_TRY(check_buffer(desc, info_.limits));
  const auto reserve = [&] {
    std::uint64_t used = bytes_.load();
    do {
      if (desc.size > info_.limits.memory_bytes || used > info_.limits.memory_bytes - desc.size) return false;
    } while (!bytes_.compare_exchange_weak(used, used + desc.size));
    return true;
  };
  if (!reserve()) {
    collect();
    if (!reserve()) {
      return fail(
          ErrorCode::OutOfMemory,
          fmt::format("a buffer needs {} bytes, {} of the budget of {} are in use ({} of them until pending work "
                      "is done)",
                      desc.size, bytes_.load(), info_.limits.memory_bytes, bytes_waiting_.load()));
    }
  }
  auto object = driver_->allocate(desc);
  if (!object) {
    bytes_ -= desc.size;
    return note(std::move(object).error());
  }
  const auto handle = buffers_.insert({.object = *std::move(object), .desc = desc});
  if (!handle) {
    bytes_ -= desc.size;
    return fail(ErrorCode::OutOfMemory, fmt::format("there are {} buffers, that is the limit", buffers_.size()));
  }
  return *handle;
}

Result<void> Device::free(BufferHandle buffer) {
  {
    const std::unique_lock lock{lifetime_};
    std::optional<BufferEntry> entry = buffers_.remove(buffer);
    if (!entry) return gone("buffer");
    ++free_epoch_;
    bytes_waiting_ += entry->desc.size;
    bury(*std::move(entry));
  }
  collect();
  return {};
}

Result<std::span<std::byte>> Device::map(BufferHandle buffer) {
  VYRE_TRY(check_open());
  const std::shared_lock lock{lifetime_};
  const BufferEntry* entry = buffers_.find(buffer);
  if (entry == nullptr) return gone("buffer");
  if (entry->object->mapped == nullptr) {
    return fail(ErrorCode::Unsupported,
                fmt::format("a buffer in device memory cannot be mapped on device '{}'", info_.name));
  }
  return std::span{entry->object->mapped, entry->desc.size};
}

Result<void> Device::write(BufferHandle buffer, std::uint64_t offset, std::span<const std::byte> bytes) {
  return transfer(buffer, offset, bytes, {});
}

Result<void> Device::read(BufferHandle buffer, std::uint64_t offset, std::span<std::byte> bytes) {
  return transfer(buffer, offset, {}, bytes);
}

Result<void> Device::transfer(BufferHandle buffer, std::uint64_t offset, std::span<const std::byte> in,
                              std::span<std::byte> out) {
  VYRE_TRY(check_open());
  const std::uint64_t size = in.size() + out.size();
  {
    const std::shared_lock lock{lifetime_};
    const BufferEntry* entry = buffers_.find(buffer);
    if (entry == nullptr) return gone("buffer");
    if (offset > entry->desc.size || size > entry->desc.size - offset) {
      return fail(ErrorCode::InvalidArgument, fmt::format("{} bytes at {} are {}, the buffer has {}", size, offset,
                                                          out.empty() ? "written" : "read", entry->desc.size));
    }
    if (size == 0) return {};
    if (std::byte* mapped = entry->object->mapped; mapped != nullptr) {
      if (!in.empty()) std::memcpy(mapped + offset, in.data(), in.size());
      if (!out.empty()) std::memcpy(out.data(), mapped + offset, out.size());
      return {};
    }
  }
  return transfer_staged(buffer, offset, in, out);
}

Result<void> Device::transfer_staged(BufferHandle buffer, std::uint64_t offset, std::span<const std::byte> in,
                                     std::span<std::byte> out) {
  const std::lock_guard lock{staging_mutex_};
  if (!staging_made_) {
    // Not counted: reading a result must not fail because memory is used up.
    const BufferDesc desc{.size = kStagingBytes, .memory = Memory::Readback};
    auto object = driver_->allocate(desc);
    if (!object) return note(std::move(object).error());
    const auto handle = buffers_.insert({.object = *std::move(object), .desc = desc});
    if (!handle) return fail(ErrorCode::OutOfMemory, "there are too many buffers to make one for staging");
    staging_ = *handle;
    staging_made_ = true;
  }
  std::byte* staging = buffers_.at(staging_).object->mapped;
  CommandList list;
  const auto run = [&]() -> Result<void> {
    VYRE_ASSIGN(const Ticket ticket, submit(list));
    return wait(ticket);
  };
  while (!in.empty() || !out.empty()) {
    list.clear();
    const std::size_t part = std::min<std::size_t>(kStagingBytes, in.size() + out.size());
    if (!in.empty()) {
      std::memcpy(staging, in.data(), part);
      list.copy(staging_, 0, buffer, offset, part);
      VYRE_TRY(run());
      in = in.subspan(part);
    } else {
      list.copy(buffer, offset, staging_, 0, part);
      VYRE_TRY(run());
      std::memcpy(out.data(), staging, part);
      out = out.subspan(part);
    }
    offset += part;
  }
  return {};
}

Result<PipelineHandle> Device::compile(const program::Program& program, const CompileOptions& options) {
  VYRE_TRY(check_open());
  const auto named = [&](Error error) {
    return in_context(std::move(error), fmt::format("while compiling program '{}'", program.name()));
  };
  Result<program::SpecKey> key = program.spec_key(options.values);
  if (!key) return named(std::move(key).error());
  program::Interface specialised;
  if (!key->values.empty()) {
    Result<program::Interface> derived = program.specialise(key->values);
    if (!derived) return named(std::move(derived).error());
    specialised = *std::move(derived);
  }
  const program::Interface& interface = key->values.empty() ? program.interface() : specialised;
  if (auto counted = check_buffer_count(interface); !counted) return named(std::move(counted).error());
  if (static_cast<std::size_t>(options.form) >= program::kForms) {
    return named({.code = ErrorCode::InvalidArgument,
                  .message = fmt::format("form {} is asked for, there are 0 (descriptor) to {} (chain)",
                                         static_cast<int>(options.form), program::kForms - 1)});
  }
  const bool is_form = options.form != program::FormKind::Descriptor;
  program::Form form;
  if (is_form) {
    if (!info_.forms.has(options.form)) {
      return named({.code = ErrorCode::Unsupported,
                    .message = fmt::format("the device does not run the {} form", to_string(options.form))});
    }
    Result<program::Form> derived = derive_form(program, options.form, form_options(), key->values);
    if (!derived) return named(std::move(derived).error());
    form = *std::move(derived);
  }
  const program::Interface& run = is_form ? form.interface : interface;
  if (auto checked = check_program(run, info_); !checked) return named(std::move(checked).error());
  std::span<const std::uint32_t> words = is_form ? std::span<const std::uint32_t>{form.words} : program.words();
  std::vector<std::uint32_t> rewritten;
  if (info_.forms.quirks.ldexp_exponents) {
    auto narrow = program::narrow_ldexp(program.module());
    if (narrow && is_form) {
      VYRE_ASSIGN(const program::spirv::Module module, program::spirv::Module::read(form.words));
      narrow = program::narrow_ldexp(module);
    }
    if (narrow) words = rewritten = *std::move(narrow);
  }
  const std::vector<BindingSlot> slots = slots_of(run);
  auto object = driver_->compile({.program = program,
                                  .words = words,
                                  .interface = run,
                                  .values = key->values,
                                  .slots = slots,
                                  .form = is_form ? &form : nullptr});
  if (!object) return note(named(std::move(object).error()).error());
  const auto handle = pipelines_.insert({.object = *std::move(object),
                                         .program = program,
                                         .rules = rules_of(interface),
                                         .push_bytes = interface.push_constants ? interface.push_constants->size : 0,
                                         .form = {.kind = options.form,
                                                  .record = std::move(form.record),
                                                  .folded = form.folded,
                                                  .iterations = form.iterations.value_or(0)}});
  if (!handle) {
    return fail(ErrorCode::OutOfMemory, fmt::format("there are {} pipelines, that is the limit", pipelines_.size()));
  }
  if (options.warm) {
    if (auto warmed = warm(*handle, options.timeout); !warmed) {
      std::ignore = free(*handle);
      return named(std::move(warmed).error());
    }
  }
  return *handle;
}

program::FormOptions Device::form_options() const {
  return {.robust = options_.robust,
          .fold = info_.forms.fold,
          .lanes = info_.forms.lanes,
          .pairs = info_.forms.pairs,
          .max_iterations = info_.forms.max_iterations,
          .quirks = info_.forms.quirks};
}

bool Device::fits_form(PipelineHandle pipeline, const Groups& groups) const noexcept {
  const PipelineEntry* entry = pipelines_.find(pipeline);
  return entry != nullptr && backend::fits_form(entry->form, groups, info_.forms);
}

bool Device::fits_views(PipelineHandle pipeline, std::span<const BufferRange> views) const noexcept {
  const PipelineEntry* entry = pipelines_.find(pipeline);
  return entry != nullptr && backend::fits_views(entry->form, views);
}

bool Device::fits_all_views(PipelineHandle pipeline) const noexcept {
  const PipelineEntry* entry = pipelines_.find(pipeline);
  return entry != nullptr &&
         std::ranges::all_of(entry->form.record.entries, [](const auto& each) { return each.scalar_bytes == 0; });
}

Result<void> Device::make_scratch() {
  if (scratch_ != 0) return {};
  const std::lock_guard lock{scratch_mutex_};
  if (scratch_ != 0) return {};
  // Twice as much as is used, so that a multiple of that size is in it. Not counted, as staging is not.
  constexpr std::uint64_t kBytes = 2 * program::kScratchBytes;
  auto object = driver_->allocate({.size = 2 * kBytes, .memory = Memory::Upload});
  if (!object) return note(std::move(object).error());
  VYRE_CHECK((*object)->address != 0, "a device that has forms has addresses");
  std::memset((*object)->mapped, 0, 2 * kBytes);
  scratch_buffer_ = *std::move(object);
  scratch_ = (scratch_buffer_->address + kBytes - 1) / kBytes * kBytes;
  return {};
}

Result<TableBlock> Device::make_table(const ListView& view, Memory memory) {
  VYRE_TRY(make_scratch());
  const std::uint64_t bytes = table_bytes(view);
  auto taken = tables_.take(bytes, memory);
  if (!taken) return note(std::move(taken).error());
  TableBlock block = *std::move(taken);
  VYRE_TRY(lower(view, info_, place_of(block, block, false, false), block.lowered()));
  return block;
}

Result<void> Device::warm(PipelineHandle pipeline, std::chrono::nanoseconds timeout) {
  // Drivers that compile at the first dispatch do so for one of no groups.
  const PipelineEntry& entry = pipelines_.at(pipeline);
  BufferRange range{.offset = 0, .size = 1};
  for (const RangeRule& rule : entry.rules) range.size = std::max(range.size, rule.min_bytes);
  VYRE_ASSIGN(range.buffer, allocate({.size = range.size}));
  CommandList list;
  list.dispatch(pipeline, std::vector<BufferRange>(entry.rules.size(), range), {0, 0, 0},
                std::vector<std::byte>(entry.push_bytes));
  Result<Ticket> ticket = submit(list, {.timeout = timeout});
  Result<void> done = ticket ? wait(*ticket, timeout) : std::unexpected{ticket.error()};
  VYRE_TRY(free(range.buffer));
  return done;
}

Result<void> Device::free(PipelineHandle pipeline) {
  {
    const std::unique_lock lock{lifetime_};
    std::optional<PipelineEntry> entry = pipelines_.remove(pipeline);
    if (!entry) return gone("pipeline");
    ++free_epoch_;
    bury(*std::move(entry));
  }
  collect();
  return {};
}

Result<void> Device::check_submission(const SubmitOptions& options) {
  VYRE_TRY(check_open());
  if (options.queue >= queues_.size()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("queue {} is asked for, the device has {}", options.queue, queues_.size()));
  }
  for (const Ticket ticket : options.after) VYRE_TRY(check_ticket(ticket));
  return {};
}

Result<void> Device::check_ticket(Ticket ticket) {
  if (ticket.queue >= queues_.size()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the ticket is of queue {}, the device has {}", ticket.queue, queues_.size()));
  }
  const std::uint64_t issued = queues_[ticket.queue]->issued.load();
  if (ticket.value > issued) {
    return fail(ErrorCode::InvalidArgument, fmt::format("ticket {} of queue {} was not issued, the last is {}",
                                                        ticket.value, ticket.queue, issued));
  }
  return {};
}

Result<Ticket> Device::submit(const CommandList& list, const SubmitOptions& options) {
  VYRE_TRY(check_submission(options));
  VYRE_TRY(make_room(options));
  const std::shared_lock lock{lifetime_};
  const ListView view{.list = list, .buffers = buffers_, .pipelines = pipelines_};
  VYRE_ASSIGN(const bool has_forms, check_list(view, info_.limits));
  TableBlock table;
  if (has_forms) {
    VYRE_ASSIGN(table, make_table(view, Memory::Upload));
  }
  const ListView run{.list = table ? table.lowered() : list,
                     .buffers = buffers_,
                     .pipelines = pipelines_,
                     .asked = table ? &list : nullptr};
  auto recording = driver_->record(run, Reuse::Once);
  if (!recording) return note(std::move(recording).error());
  DriverRecording& object = **recording;
  return launch(object, *std::move(recording), std::move(table), options);
}

Result<RecordingHandle> Device::record(const CommandList& list, const RecordOptions& options) {
  VYRE_TRY(check_open());
  RecordingEntry entry{.names = names_of(list)};
  {
    const std::shared_lock lock{lifetime_};
    entry.checked_epoch = free_epoch_;
    const ListView view{.list = list, .buffers = buffers_, .pipelines = pipelines_};
    VYRE_ASSIGN(const bool is_lowered, check_list(view, info_.limits));
    if (is_lowered) {
      VYRE_ASSIGN(entry.table, make_table(view, options.updatable ? Memory::Device : Memory::Upload));
    }
    if (options.updatable) {
      entry.updates = std::make_unique<Updates>();
      entry.updates->list = list;
      if (entry.table) {
        VYRE_ASSIGN(entry.updates->launches, launches_of(view, entry.table));
      }
      entry.updates->last.resize(queues_.size());
    }
  }
  // What was written where the device does not look is brought there; it takes the lock itself.
  if (entry.table && !entry.table.is_direct()) {
    VYRE_TRY(transfer_staged(entry.table.buffer(), 0, entry.table.writable(), {}));
  }
  const std::shared_lock lock{lifetime_};
  // Something may have gone in between.
  VYRE_TRY(check_alive(entry));
  const ListView run{.list = entry.table ? entry.table.lowered() : list,
                     .buffers = buffers_,
                     .pipelines = pipelines_,
                     .asked = entry.table ? &list : nullptr};
  auto object = driver_->record(run, Reuse::Many);
  if (!object) return note(std::move(object).error());
  entry.object = *std::move(object);
  const auto handle = recordings_.insert(std::move(entry));
  if (!handle) {
    return fail(ErrorCode::OutOfMemory, fmt::format("there are {} recordings, that is the limit", recordings_.size()));
  }
  return *handle;
}

Result<void> Device::check_alive(RecordingEntry& entry) {
  const std::uint64_t epoch = free_epoch_;
  std::atomic_ref checked{entry.checked_epoch};
  if (checked.load(std::memory_order_relaxed) == epoch) return {};
  const auto gone_with = [](std::string_view what) {
    return fail(ErrorCode::InvalidArgument, fmt::format("the recording names a {} that was freed", what));
  };
  // Buffers may be others than those it was made with.
  if (entry.updates != nullptr) {
    const std::lock_guard updating{entry.updates->mutex};
    for (const BufferHandle buffer : names_of(entry.updates->list).buffers) {
      if (buffers_.find(buffer) == nullptr) return gone_with("buffer");
    }
  } else {
    for (const BufferHandle buffer : entry.names.buffers) {
      if (buffers_.find(buffer) == nullptr) return gone_with("buffer");
    }
  }
  for (const PipelineHandle pipeline : entry.names.pipelines) {
    if (pipelines_.find(pipeline) == nullptr) return gone_with("pipeline");
  }
  checked.store(epoch, std::memory_order_relaxed);
  return {};
}

Result<Ticket> Device::replay(RecordingHandle recording, const SubmitOptions& options) {
  VYRE_TRY(check_submission(options));
  VYRE_TRY(make_room(options));
  const std::shared_lock lock{lifetime_};
  RecordingEntry* entry = recordings_.find(recording);
  if (entry == nullptr) return gone("recording");
  VYRE_TRY(check_alive(*entry));
  if (entry->updates == nullptr) return launch(*entry->object, nullptr, {}, options);
  const std::lock_guard updating{entry->updates->mutex};
  return launch_updatable(*entry, options);
}

Result<Ticket> Device::launch_updatable(RecordingEntry& entry, const SubmitOptions& options) {
  Updates& updates = *entry.updates;
  updates.after.assign(options.after.begin(), options.after.end());
  if (updates.changed.value != 0 && updates.changed.queue != options.queue) updates.after.push_back(updates.changed);
  VYRE_ASSIGN(const Ticket ticket,
              launch(*entry.object, nullptr, {}, {.queue = options.queue, .after = updates.after}));
  updates.last[ticket.queue] = ticket.value;
  return ticket;
}

Result<CommandList> Device::launches_of(const ListView& view, const TableBlock& table) {
  // What is written is not needed.
  auto taken = tables_.take(table_bytes(view), Memory::Upload);
  if (!taken) return note(std::move(taken).error());
  CommandList launches;
  VYRE_TRY(lower(view, info_, place_of(table, *taken, true, true), launches));
  return launches;
}

TablePlace Device::place_of(const TableBlock& table, const TableBlock& written, bool indirect,
                            bool launches_only) const noexcept {
  return {.address = table.address(),
          .buffer = table.buffer(),
          .memory = written.writable(),
          .scratch = scratch_,
          .indirect = indirect,
          .launches_only = launches_only};
}

Result<void> Device::check_update(const CommandList& recorded, const CommandList& list) const {
  const auto is_fixed = [&](PipelineHandle pipeline) {
    return pipelines_.at(pipeline).form.kind == program::FormKind::Descriptor;
  };
  const auto change = find_change(recorded, list, is_fixed);
  if (!change) return {};
  const std::span<const Command> before = recorded.commands();
  const std::span<const Command> after = list.commands();
  if (before.size() != after.size()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the list has {} commands, the recording has {}", after.size(), before.size()));
  }
  const auto* was = std::get_if<Dispatch>(&before[*change]);
  const auto* is = std::get_if<Dispatch>(&after[*change]);
  std::string_view what = "changes a dispatch in the descriptor form, which a recording keeps as it is";
  if (was == nullptr || is == nullptr) {
    what = "is another one than the recording has";
  } else if (was->pipeline != is->pipeline) {
    what = "runs another pipeline than the recording does";
  }
  return fail(ErrorCode::InvalidArgument, fmt::format("command {} of the list {}", *change, what));
}

Result<Ticket> Device::replay(RecordingHandle recording, const CommandList& list, const SubmitOptions& options) {
  VYRE_TRY(check_submission(options));
  VYRE_TRY(make_room(options));
  const std::shared_lock lock{lifetime_};
  RecordingEntry* entry = recordings_.find(recording);
  if (entry == nullptr) return gone("recording");
  if (entry->updates == nullptr) {
    return fail(ErrorCode::InvalidArgument, "the recording was not made to be replayed with another list");
  }
  const ListView view{.list = list, .buffers = buffers_, .pipelines = pipelines_};
  VYRE_TRY(check_list(view, info_.limits));
  Updates& updates = *entry->updates;
  const std::lock_guard updating{updates.mutex};
  VYRE_TRY(check_update(updates.list, list));
  if (!entry->table) return launch_updatable(*entry, options);
  auto taken = tables_.take(table_bytes(view), Memory::Upload);
  if (!taken) return note(std::move(taken).error());
  TableBlock staging = *std::move(taken);
  // Group counts are in the commands until they change for the first time: drivers take longer to fetch them.
  const bool is_indirect = updates.is_indirect || !have_same_groups(updates.list, list);
  // Written here as it will lie there.
  VYRE_ASSIGN(const std::uint64_t used,
              lower(view, info_, place_of(entry->table, staging, is_indirect, true), staging.lowered()));
  if (is_indirect && staging.lowered() != updates.launches) {
    return fail(ErrorCode::InvalidArgument,
                "the list makes other launches than the recording: as many dispatches of no groups, and as many that "
                "are alike, must follow one another");
  }
  RecordingPtr other;
  if (is_indirect && !updates.is_indirect) {
    staging.lowered().clear();
    VYRE_TRY(lower(view, info_, place_of(entry->table, staging, true, false), staging.lowered()));
    const ListView run{.list = staging.lowered(), .buffers = buffers_, .pipelines = pipelines_, .asked = &list};
    auto recorded = driver_->record(run, Reuse::Many);
    if (!recorded) return note(std::move(recorded).error());
    other = *std::move(recorded);
  }
  staging.lowered().clear();
  staging.lowered().copy(staging.buffer(), 0, entry->table.buffer(), 0, used);
  const ListView copy{.list = staging.lowered(), .buffers = buffers_, .pipelines = pipelines_};
  auto update = driver_->record(copy, Reuse::Once);
  if (!update) return note(std::move(update).error());
  DriverRecording& object = **update;
  // Behind replays on other queues, which still read the table.
  updates.after.assign(options.after.begin(), options.after.end());
  for (std::uint32_t i = 0; i < updates.last.size(); ++i) {
    if (i != options.queue && updates.last[i] != 0) updates.after.push_back({.queue = i, .value = updates.last[i]});
  }
  const SubmitOptions behind{.queue = options.queue, .after = updates.after};
  VYRE_ASSIGN(updates.changed, launch(object, *std::move(update), std::move(staging), behind));
  updates.last[options.queue] = updates.changed.value;
  updates.list = list;
  if (other != nullptr) {
    bury(RecordingEntry{.object = std::exchange(entry->object, std::move(other))});
    updates.is_indirect = true;
  }
  return launch_updatable(*entry, {.queue = options.queue});
}

Result<void> Device::free(RecordingHandle recording) {
  {
    const std::unique_lock lock{lifetime_};
    std::optional<RecordingEntry> entry = recordings_.remove(recording);
    if (!entry) return gone("recording");
    bury(*std::move(entry));
  }
  collect();
  return {};
}

Result<Ticket> Device::launch(DriverRecording& recording, RecordingPtr owned, TableBlock table,
                              const SubmitOptions& options) {
  Queue& queue = *queues_[options.queue];
  const std::lock_guard lock{queue.mutex};
  const Ticket ticket{.queue = options.queue, .value = queue.issued.load(std::memory_order_relaxed) + 1};
  if (auto launched = driver_->launch(recording, ticket, options.after); !launched) {
    return note(std::move(launched).error());
  }
  queue.issued.store(ticket.value);
  if (queue.count == queue.pending.size()) {
    // It may have many, and several threads that made room at once go beyond its bound by as many.
    std::ranges::rotate(queue.pending, queue.pending.begin() + static_cast<std::ptrdiff_t>(queue.first));
    queue.first = 0;
    queue.pending.resize(2 * queue.pending.size());
  }
  queue.pending[(queue.first + queue.count) % queue.pending.size()] = {
      .value = ticket.value, .recording = std::move(owned), .table = std::move(table)};
  ++queue.count;
  return ticket;
}

Result<void> Device::make_room(const SubmitOptions& options) {
  Queue& queue = *queues_[options.queue];
  for (;;) {
    std::uint64_t oldest = 0;
    {
      const std::lock_guard lock{queue.mutex};
      if (queue.count == 0) return {};
      VYRE_TRY(advance(options.queue));
      if (queue.count < options_.max_pending) return {};
      oldest = queue.pending[queue.first].value;
    }
    auto reached = driver_->wait({.queue = options.queue, .value = oldest},
                                 std::max(options.timeout, std::chrono::nanoseconds::zero()));
    if (!reached) return note(std::move(reached).error());
    if (!*reached) {
      return fail(ErrorCode::TimedOut, fmt::format("{} submissions are pending on queue {}, that is the limit",
                                                   options_.max_pending, options.queue));
    }
  }
}

Result<void> Device::advance(std::uint32_t index) {
  auto completed = driver_->completed(index);
  if (!completed) return note(std::move(completed).error());
  retire(*queues_[index], *completed);
  return {};
}

void Device::retire(Queue& queue, std::uint64_t value) {
  if (value > queue.done.load(std::memory_order_relaxed)) queue.done = value;
  while (queue.count > 0 && queue.pending[queue.first].value <= value) {
    queue.pending[queue.first].recording.reset();
    queue.pending[queue.first].table = {};
    queue.first = (queue.first + 1) % queue.pending.size();
    --queue.count;
  }
}

void Device::bury(Freed object) {
  Grave grave{.issued = {}, .object = std::move(object)};
  for (const std::unique_ptr<Queue>& queue : queues_) grave.issued.push_back(queue->issued);
  const std::lock_guard lock{graves_mutex_};
  graves_.push_back(std::move(grave));
  has_graves_ = true;
}

void Device::collect() {
  for (std::uint32_t i = 0; i < queues_.size(); ++i) {
    const std::lock_guard lock{queues_[i]->mutex};
    // A device that fails to answer keeps what it has.
    if (queues_[i]->done != queues_[i]->issued) std::ignore = advance(i);
  }
  std::vector<Grave> dead;
  {
    const std::lock_guard lock{graves_mutex_};
    const auto is_used = [&](const Grave& grave) {
      for (std::size_t i = 0; i < queues_.size(); ++i) {
        if (grave.issued[i] > queues_[i]->done) return true;
      }
      return false;
    };
    const auto first_dead = std::partition(graves_.begin(), graves_.end(), is_used);
    dead.assign(std::make_move_iterator(first_dead), std::make_move_iterator(graves_.end()));
    graves_.erase(first_dead, graves_.end());
    has_graves_ = !graves_.empty();
  }
  for (const Grave& grave : dead) {
    if (const auto* buffer = std::get_if<BufferEntry>(&grave.object)) {
      bytes_ -= buffer->desc.size;
      bytes_waiting_ -= buffer->desc.size;
    }
  }
}

Result<bool> Device::poll(Ticket ticket) {
  VYRE_TRY(check_open());
  VYRE_TRY(check_ticket(ticket));
  Queue& queue = *queues_[ticket.queue];
  if (queue.done >= ticket.value) return true;
  const std::lock_guard lock{queue.mutex};
  VYRE_TRY(advance(ticket.queue));
  return queue.done >= ticket.value;
}

Result<void> Device::wait(Ticket ticket, std::chrono::nanoseconds timeout) {
  VYRE_TRY(check_open());
  VYRE_TRY(check_ticket(ticket));
  Queue& queue = *queues_[ticket.queue];
  if (queue.done < ticket.value) {
    auto reached = driver_->wait(ticket, std::max(timeout, std::chrono::nanoseconds::zero()));
    if (!reached) return note(std::move(reached).error());
    if (!*reached) {
      return fail(ErrorCode::TimedOut, fmt::format("ticket {} of queue {} is not done after {} ns", ticket.value,
                                                   ticket.queue, timeout.count()));
    }
    const std::lock_guard lock{queue.mutex};
    retire(queue, ticket.value);
  }
  if (has_graves_) collect();
  return {};
}

Result<void> Device::wait_idle(std::chrono::nanoseconds timeout) {
  for (std::uint32_t i = 0; i < queues_.size(); ++i) {
    VYRE_TRY(wait({.queue = i, .value = queues_[i]->issued}, timeout));
  }
  return {};
}

}  // namespace vyre::backend
