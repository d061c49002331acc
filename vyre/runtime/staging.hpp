#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <vyre/backend/device.hpp>

namespace vyre::runtime {

/// Memory that host and device share, for what cannot be copied directly. Not thread-safe.
class Staging {
 public:
  /// The most that one piece can have.
  static constexpr std::uint64_t kMaxPiece = std::uint64_t{16} << 20;

  struct Piece {
    backend::BufferHandle buffer = {};
    std::uint64_t offset = 0;
    std::byte* bytes = nullptr;
  };

  explicit Staging(backend::Memory memory) noexcept : memory_{memory} {}

  /// Room for up to `kMaxPiece` bytes, used by batch number `batch`; everything up to `done` is free again.
  [[nodiscard]] Result<Piece> take(backend::Device& device, std::uint64_t size, std::uint64_t batch,
                                   std::uint64_t done);
  /// Bytes of all blocks.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Ends all blocks.
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
