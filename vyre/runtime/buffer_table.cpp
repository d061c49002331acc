#include <vyre/runtime/buffer_table.hpp>

#include <string>

#include <fmt/format.h>

namespace vyre::runtime {
namespace {

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::InvalidArgument, std::move(message)); }

}  // namespace

Result<BufferSlot*> BufferTable::find(const BufferView& view) {
  if (view.is_outside()) [[unlikely]] {
    return invalid(
        fmt::format("a part of {} bytes at {} is taken of a view of {} bytes", view.size, view.offset, view.session));
  }
  if (view.session != session_) {
    return invalid(view.session == 0 ? "the view names no buffer" : "the buffer belongs to another session");
  }
  if (!has(view)) return invalid("the buffer was freed");
  BufferSlot& slot = slots_[view.index];
  if (view.size == 0 || view.offset > slot.size || view.size > slot.size - view.offset) {
    return invalid(fmt::format("the view has {} bytes at {}, the buffer has {}", view.size, view.offset, slot.size));
  }
  return &slot;
}

BufferView BufferTable::insert(backend::BufferHandle handle, std::uint64_t size, std::byte* mapped) {
  std::uint32_t index = 0;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  BufferSlot& slot = slots_[index];
  slot = {.handle = handle, .generation = slot.generation + 1, .size = size, .mapped = mapped};
  return {.session = session_, .index = index, .generation = slot.generation, .offset = 0, .size = size};
}

void BufferTable::remove(std::uint32_t index) {
  ++slots_[index].generation;
  free_.push_back(index);
}

std::vector<std::uint32_t> BufferTable::used_by(std::uint64_t batch) const {
  std::vector<std::uint32_t> used;
  for (std::uint32_t i = kNoBuffer + 1; i < slots_.size(); ++i) {
    if (slots_[i].last_batch == batch) used.push_back(i);
  }
  return used;
}

std::vector<backend::BufferHandle> BufferTable::handles() const {
  std::vector<backend::BufferHandle> all;
  for (const BufferSlot& each : slots_) {
    if (each.generation % 2 == 1) all.push_back(each.handle);
  }
  return all;
}

}  // namespace vyre::runtime
