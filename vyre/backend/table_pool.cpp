#include <vyre/backend/table_pool.hpp>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace vyre::backend {
namespace {

constexpr std::uint64_t kSmallest = 16 * 1024;
/// Where tables begin.
constexpr std::uint64_t kAlignment = 32;

}  // namespace

struct TableBlock::Block {
  BufferHandle buffer = {};
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  Memory memory = Memory::Upload;
  std::byte* mapped = nullptr;
  std::vector<std::byte> copy = {};  // Where the host cannot write to it.
  CommandList lowered = {};
};

TableBlock::TableBlock(TablePool& pool, std::unique_ptr<Block> block) noexcept
    : pool_{&pool}, block_{std::move(block)} {}
TableBlock::TableBlock() noexcept = default;
TableBlock::TableBlock(TableBlock&& other) noexcept = default;
TableBlock& TableBlock::operator=(TableBlock&& other) noexcept {
  if (this != &other) {
    if (block_ != nullptr) pool_->give(std::move(block_));
    pool_ = other.pool_;
    block_ = std::move(other.block_);
  }
  return *this;
}
TableBlock::~TableBlock() {
  if (block_ != nullptr) pool_->give(std::move(block_));
}

BufferHandle TableBlock::buffer() const noexcept { return block_->buffer; }
std::uint64_t TableBlock::address() const noexcept { return block_->address; }
std::span<std::byte> TableBlock::writable() const noexcept {
  return is_direct() ? std::span{block_->mapped, block_->size} : std::span{block_->copy};
}
bool TableBlock::is_direct() const noexcept { return block_->mapped != nullptr; }
CommandList& TableBlock::lowered() const noexcept { return block_->lowered; }

TablePool::TablePool(DeviceDriver& driver, BufferTable& buffers) noexcept : driver_{driver}, buffers_{buffers} {}
TablePool::~TablePool() = default;

Result<TableBlock> TablePool::take(std::uint64_t bytes, Memory memory) {
  const std::uint64_t most = std::min(driver_.info().limits.max_buffer_bytes, std::uint64_t{1} << 62);
  const std::uint64_t size = bytes > most ? bytes : std::bit_ceil(std::max(bytes, kSmallest));
  if (size > most) {
    return fail(ErrorCode::OutOfMemory,
                fmt::format("the table of the list needs {} bytes, the device's limit of a buffer is {}", size, most));
  }
  const auto place = static_cast<std::size_t>(std::countr_zero(size));
  {
    const std::lock_guard lock{mutex_};
    auto& unused = unused_[static_cast<std::size_t>(memory)][place];
    if (!unused.empty()) {
      std::unique_ptr<TableBlock::Block> block = std::move(unused.back());
      unused.pop_back();
      unused_bytes_ -= size;
      block->lowered.clear();
      return TableBlock{*this, std::move(block)};
    }
  }
  auto block = std::make_unique<TableBlock::Block>();
  const BufferDesc desc{.size = size, .memory = memory};
  VYRE_ASSIGN(std::unique_ptr<DriverBuffer> object, driver_.allocate(desc));
  if (object->address == 0 || object->address % kAlignment != 0) {
    return fail(ErrorCode::Internal, "the driver gives memory at an address that no table can begin at");
  }
  block->address = object->address;
  block->mapped = object->mapped;
  block->size = size;
  block->memory = memory;
  if (block->mapped == nullptr) block->copy.resize(size);
  const auto handle = buffers_.insert({.object = std::move(object), .desc = desc});
  if (!handle) return fail(ErrorCode::OutOfMemory, "there are too many buffers to make one for a table");
  block->buffer = *handle;
  const std::lock_guard lock{mutex_};
  ++count_;
  return TableBlock{*this, std::move(block)};
}

void TablePool::give(std::unique_ptr<TableBlock::Block> block) noexcept {
  const std::lock_guard lock{mutex_};
  if (unused_bytes_ + block->size > kMostUnused) {
    std::ignore = buffers_.remove(block->buffer);
    --count_;
    return;
  }
  unused_bytes_ += block->size;
  unused_[static_cast<std::size_t>(block->memory)][static_cast<std::size_t>(std::countr_zero(block->size))].push_back(
      std::move(block));
}

std::size_t TablePool::blocks() const noexcept {
  const std::lock_guard lock{mutex_};
  return count_;
}

}  // namespace vyre::backend
