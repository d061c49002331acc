#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <vyre/runtime/batch_builder.hpp>
#include <vyre/runtime/staging.hpp>

namespace vyre::runtime {

/// Moves bytes between the host and buffers. Keeps the reads that are promised to the user and not delivered yet, and
/// staging memory.
///
/// If the host can map a buffer, reads of it are *direct*: the host copies the bytes when they are due. If an operation
/// is about to write to them before that, the read becomes *staged*: the device copies the bytes to staging memory, in
/// the current batch, before that operation. If the host cannot map the buffer, every read is staged. Thread safety:
/// one thread at a time; the device outlives this.
class HostTransfers {
 public:
  explicit HostTransfers(backend::Device& device) noexcept : device_{&device} {}
  HostTransfers(const HostTransfers&) = delete;
  HostTransfers& operator=(const HostTransfers&) = delete;
  ~HostTransfers();

  /// What `HostTransfers` works with: the builder, to which it adds copies, the buffers, and which batches have
  /// completed.
  struct Work {
    BatchBuilder& builder;
    BufferTable& buffers;
    std::uint64_t done = 0;  ///< The number of the last batch that is known to have completed.
  };

  /// Promises a direct read. It will deliver the bytes as they are after all operations enqueued so far.
  [[nodiscard]] Result<void> read(Work work, const BufferView& from, std::span<std::byte> to);
  /// Promises a staged read of up to `Staging::kMaxPiece` bytes: adds a copy of them to the current batch.
  [[nodiscard]] Result<void> read_staged(Work work, const BufferView& from, std::span<std::byte> to);
  /// Call this before an operation writes to a range. Promised direct reads of that range become staged.
  [[nodiscard]] Result<void> before_write(Work work, std::uint32_t buffer, std::uint64_t offset, std::uint64_t size);
  /// Call these two around a flush, whose ticket is `last`: the reads so far will be delivered by a wait for that
  /// ticket.
  ///
  /// A program *reads ahead* if it enqueues the next write to a buffer before it waits for the last read. A direct read
  /// would then be staged in the next batch, and a wait for its ticket would have to wait for that batch too. So for
  /// such buffers `stage_for_flush` stages new reads in the batch that is flushed.
  [[nodiscard]] Result<void> stage_for_flush(Work work);
  void promise(std::uint64_t last) noexcept;

  /// The last batch that a wait for a ticket must await: the ticket's own batch, or the later batch in which one of its
  /// reads was staged.
  [[nodiscard]] std::uint64_t awaited_for(std::uint64_t ticket) const noexcept;
  /// Call this before a wait for a ticket. If no later batch uses the buffer of a read, the program does not read
  /// ahead, and further reads of that buffer are direct again.
  void note_wait(BufferTable& buffers, std::uint64_t ticket) const noexcept;
  /// Delivers the staged reads of all batches up to `completed`, which has completed.
  void deliver_staged(std::uint64_t completed);
  /// Delivers the direct reads that are promised for a ticket or earlier. Precondition: everything up to the ticket has
  /// completed.
  void deliver_direct(const BufferTable& buffers, std::uint64_t ticket);
  /// Drops all reads.
  void drop() noexcept { reads_.clear(); }
  /// Drops all direct reads, and the staged reads of the batch `failed` and of later batches, because `failed` could
  /// not be launched.
  void drop_failed(std::uint64_t failed) noexcept;

  /// Whether there are promised reads that are not delivered yet.
  [[nodiscard]] bool has_reads() const noexcept { return !reads_.empty(); }

  /// Copies bytes that the host writes, `Staging::kMaxPiece` at most, into staging memory.
  [[nodiscard]] Result<Staging::Piece> upload(Work work, std::span<const std::byte> bytes);
  /// Whether there is so much staging memory that the session should wait for the device and then call `trim`, which
  /// frees it.
  [[nodiscard]] bool must_trim() const noexcept;
  void trim() noexcept;

 private:
  struct PendingRead {
    std::span<std::byte> to = {};
    std::uint32_t buffer = 0;
    std::uint64_t offset = 0;         // Of a direct read: the offset in the buffer.
    const std::byte* from = nullptr;  // Of a staged read: its bytes in staging memory.
    std::uint64_t batch = 0;          // The bytes are there once this batch has completed.
    std::uint64_t ticket = 0;         // A wait for the ticket of this batch delivers them.

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
