#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <vyre/backend/device.hpp>

namespace vyre::runtime {

/// Staging memory: blocks that host and device share. The host copies bytes into a block and the device copies them on,
/// or the other way round.
///
/// Thread safety: one thread at a time.
class Staging {
 public:
  /// The largest piece, in bytes.
  static constexpr std::uint64_t kMaxPiece = std::uint64_t{16} << 20;

  struct Piece {
    backend::BufferHandle buffer = {};
    std::uint64_t offset = 0;
    std::byte* bytes = nullptr;
  };

  explicit Staging(backend::Memory memory) noexcept : memory_{memory} {}

  /// A piece of up to `kMaxPiece` bytes, to be used by `batch`. Batches up to `done` have completed, so that their
  /// pieces may be given again.
  [[nodiscard]] Result<Piece> take(backend::Device& device, std::uint64_t size, std::uint64_t batch,
                                   std::uint64_t done);
  /// The size of all blocks in bytes.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Frees all blocks.
  void free(backend::Device& device) noexcept;

 private:
  struct Block {
    backend::BufferHandle buffer = {};
    std::span<std::byte> mapped = {};
    std::uint64_t used = 0;
    std::uint64_t last_batch = 0;
  };

  backend::Memory memory_;
  std::vector<Block> blocks_;
  std::uint64_t size_ = 0;
};

}  // namespace vyre::runtime
