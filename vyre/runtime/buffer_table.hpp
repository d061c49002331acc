#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <vyre/backend/device.hpp>
#include <vyre/runtime/buffer.hpp>
#include <vyre/runtime/compiled_program.hpp>

namespace vyre::runtime {

/// A buffer of a session, and which batches use it.
struct BufferSlot {
  backend::BufferHandle handle = {};
  std::uint32_t generation = 0;  ///< Odd while the buffer exists.
  std::uint64_t size = 0;
  std::byte* mapped = nullptr;     ///< Null where the host does not see the memory.
  std::uint64_t last_batch = 0;    ///< The number of the last batch that uses the buffer.
  std::uint64_t batch_before = 0;  ///< The number of the batch that used it before that one.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> used = {};  ///< Ranges of the last batch: begin and end.
  /// Whether a batch wrote to the buffer before a read that was flushed earlier was delivered.
  bool is_read_ahead = false;
};

/// The buffers of a session by the views that name them. Buffers are owned by the device; this frees none.
///
/// Thread safety: one thread at a time.
class BufferTable {
 public:
  /// Ranges of a buffer that are remembered for one batch. Beyond this number all of the buffer counts as used.
  static constexpr std::size_t kMaxUsed = 256;

  explicit BufferTable(std::uint64_t session) noexcept : session_{session} {}

  /// The session that views name.
  [[nodiscard]] std::uint64_t session() const noexcept { return session_; }

  /// The buffer of a view. `InvalidArgument` for a view of another session, of a freed buffer, or outside its buffer.
  [[nodiscard]] Result<BufferSlot*> find(const BufferView& view);
  /// The buffer of a view that can be bound at `slot`; null if it cannot.
  [[nodiscard]] const BufferSlot* find_bindable(const plan::PlannedBinding& slot,
                                                const BufferView& view) const noexcept {
    if (view.session != session_ || view.index >= slots_.size()) return nullptr;
    const BufferSlot& buffer = slots_[view.index];
    const bool is_bindable = buffer.generation == view.generation && slot.allows(view.offset, view.size) &&
                             view.offset <= buffer.size && view.size <= buffer.size - view.offset;
    return is_bindable ? &buffer : nullptr;
  }
  /// Whether a view names a buffer that exists. The view may lie outside of it.
  [[nodiscard]] bool has(const BufferView& view) const noexcept {
    return view.session == session_ && view.index < slots_.size() && slots_[view.index].generation == view.generation;
  }
  [[nodiscard]] BufferSlot& operator[](std::uint32_t index) noexcept { return slots_[index]; }
  [[nodiscard]] const BufferSlot& operator[](std::uint32_t index) const noexcept { return slots_[index]; }

  /// Adds a buffer and gives the view of all of it.
  [[nodiscard]] BufferView insert(backend::BufferHandle handle, std::uint64_t size, std::byte* mapped);
  /// Removes a buffer; its views become invalid.
  void remove(std::uint32_t index);

  /// Notes that the batch of this number uses a range of a buffer.
  void note_use(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size, std::uint64_t batch) {
    BufferSlot& slot = slots_[buffer];
    if (slot.last_batch != batch) {
      slot.batch_before = slot.last_batch;
      slot.last_batch = batch;
      slot.used.clear();
    }
    const std::pair range{offset, offset + size};
    if (slot.used.size() < kMaxUsed && (slot.used.empty() || slot.used.back() != range)) slot.used.push_back(range);
  }
  /// Notes that the batch of this number uses the ranges that the batch before it used.
  void note_use_again(std::uint32_t buffer, std::uint64_t batch) noexcept {
    slots_[buffer].batch_before = batch - 1;
    slots_[buffer].last_batch = batch;
  }
  /// The indices of all buffers that a batch uses, in order.
  [[nodiscard]] std::vector<std::uint32_t> used_by(std::uint64_t batch) const;
  /// The handles of all buffers that exist.
  [[nodiscard]] std::vector<backend::BufferHandle> handles() const;

 private:
  std::uint64_t session_;
  std::vector<BufferSlot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace vyre::runtime
