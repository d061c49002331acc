#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <vyre/runtime/batch_builder.hpp>
#include <vyre/runtime/staging.hpp>

namespace vyre::runtime {

/// Moves bytes between the host and buffers: reads that are promised and not delivered yet, and staging memory.
///
/// Where the host sees a buffer's memory, a read is *direct*: nothing is copied until the bytes are delivered, unless
/// an operation writes to them first; then the read becomes a copy in the batch at hand, before that operation.
/// Elsewhere every read is *staged*: a copy into memory that host and device share. Thread safety: one thread at a
/// time; the device outlives this.
class HostTransfers {
 public:
  explicit HostTransfers(backend::Device& device) noexcept : device_{&device} {}
  HostTransfers(const HostTransfers&) = delete;
  HostTransfers& operator=(const HostTransfers&) = delete;
  ~HostTransfers();

  /// The stages that `HostTransfers` works with: the builder takes copies, and `done` says which batches are complete.
  struct Work {
    BatchBuilder& builder;
    BufferTable& buffers;
    std::uint64_t done = 0;  ///< The number of the last batch that is known to have completed.
  };

  /// Promises a read of memory that the host sees. Its bytes are as they are after the operations so far.
  [[nodiscard]] Result<void> read(Work work, const BufferView& from, std::span<std::byte> to);
  /// Adds a copy of up to `Staging::kMaxPiece` bytes to the batch at hand, and promises what it copies.
  [[nodiscard]] Result<void> read_staged(Work work, const BufferView& from, std::span<std::byte> to);
  /// Called before an operation writes to a range: a promised read of it is delivered or staged first.
  [[nodiscard]] Result<void> before_write(Work work, std::uint32_t buffer, std::uint64_t offset, std::uint64_t size);
  /// Called at a flush, after which the last launched batch is `last`: reads are promised with its ticket. While a
  /// program reads ahead, that is, the batch after a read writes to its buffer before the read is delivered, reads of
  /// that buffer are staged, so that a wait for the ticket needs no later batch.
  [[nodiscard]] Result<void> stage_for_flush(Work work);
  void promise(std::uint64_t last) noexcept;

  /// The last batch that a wait for a ticket must await, which is the ticket's own unless a read was staged later.
  [[nodiscard]] std::uint64_t awaited_for(std::uint64_t ticket) const noexcept;
  /// Called before a wait for a ticket. If no later batch uses the buffer of a read yet, the program does not write
  /// ahead of its reads, and reads of that buffer are direct again.
  void note_wait(BufferTable& buffers, std::uint64_t ticket) const noexcept;
  /// Delivers staged reads whose batch, up to `completed`, has completed.
  void deliver_staged(std::uint64_t completed);
  /// Delivers direct reads that are promised for a ticket. Everything up to the ticket has completed.
  void deliver_direct(const BufferTable& buffers, std::uint64_t ticket);
  /// Drops all reads.
  void drop() noexcept { reads_.clear(); }
  /// Drops all direct reads, and the staged reads of the batch `failed`, which was not launched, and of later ones.
  void drop_failed(std::uint64_t failed) noexcept;

  /// Whether reads are promised and not delivered.
  [[nodiscard]] bool has_reads() const noexcept { return !reads_.empty(); }

  /// Room for bytes that the host writes; `Staging::kMaxPiece` at most.
  [[nodiscard]] Result<Staging::Piece> upload(Work work, std::span<const std::byte> bytes);
  /// Whether so much staging memory is in use that the device should be awaited, after which `trim` gives it back.
  [[nodiscard]] bool must_trim() const noexcept;
  void trim() noexcept;

 private:
  struct PendingRead {
    std::span<std::byte> to = {};
    std::uint32_t buffer = 0;
    std::uint64_t offset = 0;         // Of a direct read: where it begins in the buffer.
    const std::byte* from = nullptr;  // Of a staged read: its bytes in staging memory.
    std::uint64_t batch = 0;          // The bytes are there once this batch has completed.
    std::uint64_t ticket = 0;         // They are promised for the ticket of this batch.

    [[nodiscard]] bool is_direct() const noexcept { return from == nullptr; }
  };

  [[nodiscard]] Result<void> stage(Work work, std::size_t index);
  [[nodiscard]] Result<void> stage_all(Work work);

  backend::Device* device_;
  std::vector<PendingRead> reads_;
  Staging uploads_{backend::Memory::Upload};
  Staging readbacks_{backend::Memory::Readback};
};

}  // namespace vyre::runtime
