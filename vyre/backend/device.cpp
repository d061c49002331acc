#include <vyre/backend/device.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <vyre/backend/check.hpp>
#include <vyre/backend/form_limits.hpp>
#include <vyre/backend/make_pipeline.hpp>
#include <vyre/backend/submission_queue.hpp>
#include <vyre/base/check.hpp>

namespace vyre::backend {
namespace {

constexpr std::uint64_t kStagingBytes = std::uint64_t{4} << 20;

std::unexpected<Error> gone(std::string_view what) {
  return fail(ErrorCode::InvalidArgument, fmt::format("the {} does not exist, or was freed", what));
}

template <typename T>
bool says_lost(const Result<T>& result) noexcept {
  return !result && result.error().code == ErrorCode::DeviceLost;
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
    : driver_{std::move(driver)},
      info_{driver_->info()},
      options_{options},
      lowering_{make_list_lowering(*driver_, buffers_)} {
  VYRE_CHECK(std::has_single_bit(info_.limits.storage_alignment), "alignments are powers of two");
  VYRE_CHECK(std::has_single_bit(info_.limits.uniform_alignment), "alignments are powers of two");
  if (options_.memory_budget != 0) info_.limits.memory_bytes = options_.memory_budget;
  for (std::uint32_t i = 0; i < info_.limits.queues; ++i) {
    queues_.push_back(std::make_unique<SubmissionQueue>(*driver_, i, options_.max_pending));
  }
}

Device::~Device() {
  // Objects must not be destroyed while work is pending, so a wait that fails is tried again. A lost device has no
  // pending work.
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
  usage.buffers -= lowering_->buffers();
  for (const auto& queue : queues_) usage.pending += queue->pending();
  const std::lock_guard lock{graves_mutex_};
  usage.waiting = graves_.size();
  return usage;
}

Result<void> Device::check_open() const {
  if (!lost_.load(std::memory_order_relaxed)) return {};
  return fail(ErrorCode::DeviceLost, fmt::format("device '{}' was lost, and its contents with it", info_.name));
}

template <typename T>
Result<T> Device::noted(Result<T> result) {
  if (says_lost(result)) [[unlikely]]
    lost_ = true;
  return result;
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
  auto object = noted(driver_->allocate(desc));
  if (!object) {
    bytes_ -= desc.size;
    return std::unexpected{std::move(object).error()};
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
    // The budget does not count this buffer: reading a result must not fail because the budget is used up.
    const BufferDesc desc{.size = kStagingBytes, .memory = Memory::Readback};
    VYRE_ASSIGN(std::unique_ptr<DriverBuffer> object, noted(driver_->allocate(desc)));
    const auto handle = buffers_.insert({.object = std::move(object), .desc = desc});
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
  VYRE_ASSIGN(PipelineEntry made,
              noted(make_pipeline(*driver_, program,
                                  {.values = options.values, .form = options.form, .robust = options_.robust})));
  const auto handle = pipelines_.insert(std::move(made));
  if (!handle) {
    return fail(ErrorCode::OutOfMemory, fmt::format("there are {} pipelines, that is the limit", pipelines_.size()));
  }
  if (options.warm) {
    if (auto warmed = warm(*handle, options.timeout); !warmed) {
      std::ignore = free(*handle);
      return in_context(std::move(warmed).error(), fmt::format("while compiling program '{}'", program.name()));
    }
  }
  return *handle;
}

bool Device::fits_form(PipelineHandle pipeline, const Groups& groups) const noexcept {
  const PipelineEntry* entry = pipelines_.find(pipeline);
  return entry != nullptr && backend::fits_form(entry->form, groups, info_.forms);
}

bool Device::fits_form(PipelineHandle pipeline, const program::DispatchFacts& dispatch) const noexcept {
  const PipelineEntry* entry = pipelines_.find(pipeline);
  return entry != nullptr && backend::fits_form(entry->form, dispatch, info_.forms);
}

bool Device::depends_on_params(PipelineHandle pipeline) const noexcept {
  const PipelineEntry* entry = pipelines_.find(pipeline);
  return entry != nullptr && backend::depends_on_params(entry->form, info_.forms);
}

bool Device::fits_views(PipelineHandle pipeline, std::span<const BufferRange> views) const noexcept {
  const PipelineEntry* entry = pipelines_.find(pipeline);
  return entry != nullptr && backend::fits_views(entry->form, views);
}

bool Device::fits_all_views(PipelineHandle pipeline) const noexcept {
  const PipelineEntry* entry = pipelines_.find(pipeline);
  return entry != nullptr && backend::fits_all_views(entry->form);
}

Result<void> Device::warm(PipelineHandle pipeline, std::chrono::nanoseconds timeout) {
  // A dispatch of no workgroups does nothing, but makes drivers compile that compile at the first dispatch.
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
  const std::uint64_t issued = queues_[ticket.queue]->issued();
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
  VYRE_ASSIGN(LoweredList lowered, record(view, Reuse::Once));
  DriverRecording& commands = *lowered.commands;
  return launch(commands, std::move(lowered), options);
}

Result<LoweredList> Device::record(const ListView& view, Reuse reuse) {
  VYRE_ASSIGN(const bool has_forms, check_list(view, info_.limits));
  if (has_forms) return noted(lowering_->record(view, reuse));
  VYRE_ASSIGN(RecordingPtr commands, noted(driver_->record(view, reuse)));
  return LoweredList{.commands = std::move(commands)};
}

Result<RecordingHandle> Device::record(const CommandList& list, const RecordOptions& options) {
  VYRE_TRY(check_open());
  // If the host cannot write to the table, the upload of the table is a submission, which needs room in the queue.
  if (options.updatable && !info_.maps_device_memory) VYRE_TRY(make_room({}));
  const std::shared_lock lock{lifetime_};
  RecordingEntry entry{.names = names_of(list), .checked_epoch = free_epoch_};
  const ListView view{.list = list, .buffers = buffers_, .pipelines = pipelines_};
  if (!options.updatable) {
    VYRE_ASSIGN(entry.lowered, record(view, Reuse::Many));
  } else {
    VYRE_ASSIGN(const bool has_forms, check_list(view, info_.limits));
    VYRE_ASSIGN(UpdatableList made, noted(lowering_->record_updatable(view, has_forms)));
    entry.updates = std::make_unique<Updates>();
    entry.updates->recording = std::move(made.recording);
    entry.updates->last.resize(queues_.size());
    if (made.upload.commands != nullptr) {
      VYRE_TRY(launch_upload(*entry.updates, std::move(made.upload), nullptr, {}));
    }
  }
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
  const auto check_all = [](std::string_view what, const auto& handles, const auto& table) -> Result<void> {
    for (const auto handle : handles) {
      if (table.find(handle) != nullptr) continue;
      return fail(ErrorCode::InvalidArgument, fmt::format("the recording names a {} that was freed", what));
    }
    return {};
  };
  if (entry.updates != nullptr) {
    // Updates may have changed the buffers since the recording was made, so the names of the current list are checked.
    const std::lock_guard updating{entry.updates->mutex};
    VYRE_TRY(check_all("buffer", names_of(entry.updates->recording->list()).buffers, buffers_));
  } else {
    VYRE_TRY(check_all("buffer", entry.names.buffers, buffers_));
  }
  VYRE_TRY(check_all("pipeline", entry.names.pipelines, pipelines_));
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
  if (entry->updates == nullptr) return launch(*entry->lowered.commands, {}, options);
  const std::lock_guard updating{entry->updates->mutex};
  return launch_updatable(*entry->updates, options);
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
  VYRE_ASSIGN(ListUpdate update, noted(updates.recording->prepare(view)));
  if (update.upload.commands == nullptr) return launch_updatable(updates, options);
  DriverRecording& commands = update.commands != nullptr ? *update.commands : updates.recording->commands();
  VYRE_ASSIGN(const Ticket ticket, launch_upload(updates, std::move(update.upload), &commands, options));
  RecordingPtr replaced = updates.recording->commit(list, std::move(update));
  if (replaced != nullptr) bury(RecordingEntry{.lowered = {.commands = std::move(replaced)}});
  return ticket;
}

Result<Ticket> Device::launch_updatable(Updates& updates, const SubmitOptions& options) {
  updates.after.assign(options.after.begin(), options.after.end());
  if (updates.changed.value != 0 && updates.changed.queue != options.queue) updates.after.push_back(updates.changed);
  VYRE_ASSIGN(
      const Ticket ticket,
      launch(
          updates.recording->commands(), {},
          {.queue = options.queue, .after = updates.after, .leading = options.leading, .trailing = options.trailing}));
  updates.last[ticket.queue] = ticket.value;
  return ticket;
}

Result<Ticket> Device::launch_upload(Updates& updates, LoweredList upload, DriverRecording* commands,
                                     const SubmitOptions& options) {
  // The upload waits for replays on other queues, which still read the table; those on this queue come first anyway.
  updates.after.assign(options.after.begin(), options.after.end());
  for (std::uint32_t i = 0; i < updates.last.size(); ++i) {
    if (i != options.queue && updates.last[i] != 0) updates.after.push_back({.queue = i, .value = updates.last[i]});
  }
  const SubmitOptions how{
      .queue = options.queue, .after = updates.after, .leading = options.leading, .trailing = options.trailing};
  DriverRecording& own = *upload.commands;
  VYRE_ASSIGN(updates.changed, commands == nullptr ? launch(own, std::move(upload), how)
                                                   : launch(*commands, {}, how, std::move(upload)));
  updates.last[options.queue] = updates.changed.value;
  return updates.changed;
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

Result<Ticket> Device::launch(DriverRecording& commands, LoweredList once, const SubmitOptions& options,
                              LoweredList upload) {
  SubmissionQueue::OnceLists lists{std::move(once), std::move(upload)};
  const auto record_once = [&](const CommandList* list, LoweredList& lowered) -> Result<void> {
    if (list == nullptr) [[likely]]
      return {};
    VYRE_ASSIGN(lowered, record({.list = *list, .buffers = buffers_, .pipelines = pipelines_}, Reuse::Once));
    return {};
  };
  VYRE_TRY(record_once(options.leading, lists[2]));
  VYRE_TRY(record_once(options.trailing, lists[3]));
  std::array<DriverRecording*, kMostTogether> together = {};
  std::size_t count = 0;
  for (DriverRecording* const each :
       {lists[2].commands.get(), lists[1].commands.get(), &commands, lists[3].commands.get()}) {
    if (each != nullptr) together[count++] = each;
  }
  // Does not use `noted`, which would move the result: every launch calls this.
  Result<Ticket> launched =
      queues_[options.queue]->launch(std::span{together}.first(count), std::move(lists), options.after);
  if (says_lost(launched)) [[unlikely]]
    lost_ = true;
  return launched;
}

Result<void> Device::make_room(const SubmitOptions& options) {
  return noted(queues_[options.queue]->make_room(options.timeout));
}

void Device::bury(Freed object) {
  Grave grave{.issued = {}, .object = std::move(object)};
  for (const auto& queue : queues_) grave.issued.push_back(queue->issued());
  const std::lock_guard lock{graves_mutex_};
  graves_.push_back(std::move(grave));
  has_graves_ = true;
}

void Device::collect() {
  for (const auto& queue : queues_) {
    // If the driver fails to say how far the queue is, freed objects are kept.
    if (queue->done() != queue->issued()) std::ignore = noted(queue->advance());
  }
  std::vector<Grave> dead;
  {
    const std::lock_guard lock{graves_mutex_};
    const auto is_used = [&](const Grave& grave) {
      for (std::size_t i = 0; i < queues_.size(); ++i) {
        if (grave.issued[i] > queues_[i]->done()) return true;
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
  SubmissionQueue& queue = *queues_[ticket.queue];
  if (queue.done() >= ticket.value) return true;
  VYRE_TRY(noted(queue.advance()));
  return queue.done() >= ticket.value;
}

Result<void> Device::wait(Ticket ticket, std::chrono::nanoseconds timeout) {
  VYRE_TRY(check_open());
  VYRE_TRY(check_ticket(ticket));
  VYRE_TRY(noted(queues_[ticket.queue]->wait(ticket.value, timeout)));
  if (has_graves_) collect();
  return {};
}

Result<void> Device::wait_idle(std::chrono::nanoseconds timeout) {
  for (std::uint32_t i = 0; i < queues_.size(); ++i) {
    VYRE_TRY(wait({.queue = i, .value = queues_[i]->issued()}, timeout));
  }
  return {};
}

}  // namespace vyre::backend
