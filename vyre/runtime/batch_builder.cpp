#include <vyre/runtime/batch_builder.hpp>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace vyre::runtime {
namespace {

/// Leaves out the ranges that a program does not need.
void leave_out(const plan::BindingPlan& bindings, std::span<backend::BufferRange> ranges) noexcept {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!bindings.slots[i].rule.is_needed) ranges[i] = backend::kNoRange;
  }
}

/// Whether two blocks of parameters are the same. They are short, and a call of `memcmp` takes longer than they do.
bool are_same_params(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  if (a.size() != b.size()) return false;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::size_t i = 0;
  for (; i + sizeof(first) <= a.size(); i += sizeof(first)) {
    std::memcpy(&first, a.data() + i, sizeof(first));
    std::memcpy(&second, b.data() + i, sizeof(second));
    if (first != second) return false;
  }
  return i == a.size() || std::memcmp(a.data() + i, b.data() + i, a.size() - i) == 0;
}

}  // namespace

BatchBuilder::BatchBuilder(std::size_t max_operations) : max_operations_{max_operations} {
  gathered_->batch.gathered_at = number_;
}

std::size_t BatchBuilder::room() const noexcept {
  if (is_capturing_) return kMaxOperations;
  const std::size_t taken = gathered_->batch.operations();
  return max_operations_ > taken ? max_operations_ - taken : 1;
}

Result<void> BatchBuilder::too_many(std::uint64_t more) const {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the capture has {} operations and is given {} more, the limit is {}",
                          gathered_->batch.operations(), more, kMaxOperations));
}

void BatchBuilder::add(const CheckedDispatch& dispatch, backend::PipelineHandle pipeline, std::uint32_t prepared) {
  if (prepared == kNotPrepared) {
    note_other();
  } else if (!has_others_) {
    gathered_->prepared.push_back(prepared);
  }
  may_repeat_ = false;
  gathered_->batch.add_dispatch(dispatch.program, pipeline, dispatch.ranges, dispatch.groups, dispatch.params,
                                dispatch.hash);
  if (is_capturing_) labels_.emplace_back(dispatch.label);
}

void BatchBuilder::add(const CompiledProgram& program, std::uint32_t number, const BufferTable& buffers,
                       std::span<const DispatchItem> items, std::span<const std::byte> params) {
  note_other();
  may_repeat_ = false;
  plan::Batch& batch = gathered_->batch;
  batch.place_transfers();
  batch.list.dispatch_many(
      items.size(), program.bindings.slots.size(), program.push_bytes,
      [&](std::size_t i, backend::Dispatch& dispatch, std::span<backend::BufferRange> views,
          std::span<std::byte> bytes) {
        const DispatchItem& item = items[i];
        for (std::size_t j = 0; j < views.size(); ++j) {
          const BufferView& view = item.buffers[j];
          views[j] = {.buffer = buffers[view.index].handle, .offset = view.offset, .size = view.size};
        }
        if (!program.bindings.are_all_needed) leave_out(program.bindings, views);
        dispatch.groups = {item.groups.x, item.groups.y, item.groups.z};
        dispatch.pipeline = program.pipeline;
        if (!bytes.empty()) std::memcpy(bytes.data(), params.data() + i * bytes.size(), bytes.size());
        batch.hash = plan::hash_after(batch.hash, plan::hash_dispatch(program.pipeline, views, dispatch.groups, bytes));
      });
  batch.count(number, items.size());
  if (is_capturing_) labels_.resize(labels_.size() + items.size());
}

void BatchBuilder::add(const backend::Copy& copy, bool is_leading) {
  copy_held();
  note_other();
  may_repeat_ = false;
  gathered_->batch.add(copy, is_leading);
}

void BatchBuilder::add(const backend::Fill& fill) {
  note_other();
  may_repeat_ = false;
  gathered_->batch.add(fill);
}

void BatchBuilder::add(const plan::Batch& captured, const plan::BatchPart& part) {
  may_repeat_ = false;
  const bool is_first = held_ == nullptr && gathered_->batch.empty() && part.begin == 0;
  const bool is_next = held_ == &captured && held_parts_.back()->end == part.begin;
  if (is_first || is_next) {
    held_ = &captured;
    held_parts_.push_back(&part);
    return;
  }
  copy_held();
  note_other();
  gathered_->batch.append(captured, part);
}

void BatchBuilder::copy_parts() {
  note_other();
  for (const plan::BatchPart* part : held_parts_) gathered_->batch.append(*held_, *part);
  held_ = nullptr;
  held_parts_.clear();
}

void BatchBuilder::next() noexcept {
  held_ = nullptr;
  held_parts_.clear();
  std::swap(gathered_, previous_);
  gathered_->batch.clear();
  gathered_->prepared.clear();
  gathered_->buffers.clear();
  gathered_->batch.gathered_at = ++number_;
  repeated_ = 0;
  may_repeat_ = true;
  has_others_ = false;
}

bool BatchBuilder::is_previous(const CompiledProgram& program, const BufferTable& buffers,
                               std::span<const DispatchItem> items) {
  const backend::CommandList& previous = previous_->batch.list;
  const std::span<const backend::Command> commands = previous.commands();
  const bool may_be =
      commands.size() == items.size() && previous_->batch.beside == 0 && gathered_->batch.empty() && !is_capturing_;
  // The previous batch may be a capture, which may be longer than a batch.
  if (!may_be || items.size() > max_operations_) return false;
  const auto has_same_params = [&](const backend::Dispatch& before, const Params& given) {
    if (given.is_block()) {
      // A block needs no layout: it fits if it has as many bytes as the program's block.
      return given.byte_count() == program.push_bytes && are_same_params(given.bytes(), previous.params(before));
    }
    if (!given.fits() || !lay_out(program, given, param_room_.data())) return false;
    const std::span<const std::byte> bytes = std::span{param_room_}.first(program.push_bytes);
    return are_same_params(bytes, previous.params(before));
  };
  previous_->buffers.clear();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const DispatchItem& item = items[i];
    const auto* before = std::get_if<backend::Dispatch>(&commands[i]);
    if (before == nullptr || before->pipeline != program.pipeline || before->range_count != item.buffers.size()) {
      return false;
    }
    const auto& [x, y, z] = before->groups;
    if (x != item.groups.x || y != item.groups.y || z != item.groups.z) return false;
    const std::span<const backend::BufferRange> views = previous.ranges(*before);
    for (std::size_t j = 0; j < views.size(); ++j) {
      const BufferView& view = item.buffers[j];
      if (backend::is_left_out(views[j]) && view == BufferView{}) continue;
      if (!buffers.has(view)) return false;
      const backend::BufferRange range{.buffer = buffers[view.index].handle, .offset = view.offset, .size = view.size};
      if (range != views[j]) return false;
      if (i == 0 || view.index != items[i - 1].buffers[j].index) previous_->buffers.push_back(view.index);
    }
    if (!has_same_params(*before, item.params)) return false;
  }
  return true;
}

bool BatchBuilder::repeat(std::span<const Prepared> all, std::uint64_t session) noexcept {
  const std::span<const std::uint32_t> before = std::span{previous_->prepared}.subspan(repeated_);
  if (!may_repeat_ || all.size() > before.size() || repeated_ + all.size() >= max_operations_) return false;
  // Without a way out in the middle, compilers compare several at once.
  std::uint64_t differences = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    differences |= (all[i].session ^ session) | (all[i].index ^ before[i]);
  }
  if (differences != 0) return false;
  repeated_ += all.size();
  return true;
}

std::vector<std::uint32_t> BatchBuilder::take_repeated() {
  std::vector<std::uint32_t> taken{previous_->prepared.begin(),
                                   previous_->prepared.begin() + static_cast<std::ptrdiff_t>(repeated_)};
  repeated_ = 0;
  may_repeat_ = false;
  return taken;
}

void BatchBuilder::take_previous() noexcept {
  std::swap(gathered_, previous_);
  repeated_ = 0;
  may_repeat_ = false;
  has_others_ = gathered_->prepared.empty();
}

void BatchBuilder::forget_previous() noexcept {
  previous_->batch.clear();
  previous_->prepared.clear();
  previous_->buffers.clear();
}

void BatchBuilder::begin_capture() noexcept {
  is_capturing_ = true;
  may_repeat_ = false;
  // A capture is replayed with other buffers, which all of its operations are checked for.
  gathered_->batch.keeps_transfers = true;
  labels_.clear();
  transfers_.clear();
}

void BatchBuilder::end_capture() noexcept {
  is_capturing_ = false;
  labels_.clear();
  transfers_.clear();
}

}  // namespace vyre::runtime
