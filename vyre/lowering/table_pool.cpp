#include <vyre/lowering/table_pool.hpp>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <vyre/lowering/form_lowering.hpp>

namespace vyre::lowering {
namespace {

constexpr std::uint64_t kSmallest = 16 * 1024;

}  // namespace

void TableBlock::release() noexcept { pool_.give(std::unique_ptr<TableBlock>{this}); }

TablePool::TablePool(backend::DeviceDriver& driver, backend::BufferTable& buffers) noexcept
    : driver_{driver}, buffers_{buffers} {}

TablePool::Blocks& TablePool::unused(std::uint64_t size, backend::Memory memory) noexcept {
  return unused_[static_cast<std::size_t>(memory)][static_cast<std::size_t>(std::countr_zero(size))];
}

Result<TablePtr> TablePool::take(std::uint64_t bytes, backend::Memory memory) {
  const std::uint64_t most = std::min(driver_.info().limits.max_buffer_bytes, std::uint64_t{1} << 62);
  const std::uint64_t size = bytes > most ? bytes : std::bit_ceil(std::max(bytes, kSmallest));
  if (size > most) {
    return fail(ErrorCode::OutOfMemory,
                fmt::format("the table of the list needs {} bytes, the device's limit of a buffer is {}", size, most));
  }
  {
    const std::lock_guard lock{mutex_};
    if (Blocks& blocks = unused(size, memory); !blocks.empty()) {
      TablePtr block{blocks.back().release()};
      blocks.pop_back();
      unused_bytes_ -= size;
      block->lowered.clear();
      return block;
    }
  }
  const backend::BufferDesc desc{.size = size, .memory = memory};
  VYRE_ASSIGN(std::unique_ptr<backend::DriverBuffer> object, driver_.allocate(desc));
  if (object->address == 0 || object->address % kTableAlignment != 0) {
    return fail(ErrorCode::Internal, "the driver gives a buffer at an address that is not aligned for a table");
  }
  auto block = std::make_unique<TableBlock>(*this);
  block->address = object->address;
  block->size = size;
  block->memory = memory;
  block->mapped = object->mapped;
  const auto handle = buffers_.insert({.object = std::move(object), .desc = desc});
  if (!handle) return fail(ErrorCode::OutOfMemory, "there are too many buffers to make one for a table");
  block->buffer = *handle;
  const std::lock_guard lock{mutex_};
  ++count_;
  return TablePtr{block.release()};
}

void TablePool::give(std::unique_ptr<TableBlock> block) noexcept {
  const std::lock_guard lock{mutex_};
  if (unused_bytes_ + block->size > kMostUnused) {
    std::ignore = buffers_.remove(block->buffer);
    --count_;
    return;
  }
  unused_bytes_ += block->size;
  unused(block->size, block->memory).push_back(std::move(block));
}

std::size_t TablePool::blocks() const noexcept {
  const std::lock_guard lock{mutex_};
  return count_;
}

}  // namespace vyre::lowering
