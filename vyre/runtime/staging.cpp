#include <vyre/runtime/staging.hpp>

#include <algorithm>
#include <tuple>

namespace vyre::runtime {
namespace {

constexpr std::uint64_t kBlockBytes = std::uint64_t{256} << 10;
/// Up to this number of blocks, each block serves one batch at a time. A batch that comes again then gets the same
/// pieces as before, so that its recording, which names them, can be replayed.
constexpr std::size_t kMaxOwnBlocks = 64;
constexpr std::uint64_t kAlignment = 16;

}  // namespace

Result<Staging::Piece> Staging::take(backend::Device& device, std::uint64_t size, std::uint64_t batch,
                                     std::uint64_t done) {
  const auto piece_of = [&](Block& block) {
    const Piece piece{.buffer = block.buffer, .offset = block.used, .bytes = block.mapped.data() + block.used};
    block.used = (block.used + size + kAlignment - 1) / kAlignment * kAlignment;
    block.last_batch = batch;
    return piece;
  };
  for (Block& block : blocks_) {
    if (block.last_batch <= done) block.used = 0;
    const bool is_of_another = block.used > 0 && block.last_batch != batch;
    if (is_of_another && blocks_.size() < kMaxOwnBlocks) continue;
    if (block.used + size <= block.mapped.size()) return piece_of(block);
  }
  Block made;
  VYRE_ASSIGN(made.buffer, device.allocate({.size = std::max(size, kBlockBytes), .memory = memory_}));
  auto mapped = device.map(made.buffer);
  if (!mapped) {
    std::ignore = device.free(made.buffer);
    return std::unexpected{std::move(mapped).error()};
  }
  made.mapped = *mapped;
  size_ += made.mapped.size();
  blocks_.push_back(made);
  return piece_of(blocks_.back());
}

void Staging::free(backend::Device& device) noexcept {
  for (const Block& block : blocks_) std::ignore = device.free(block.buffer);
  blocks_.clear();
  size_ = 0;
}

}  // namespace vyre::runtime
