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
  std::byte* mapped = nullptr;     ///< Null if the buffer is not mapped.
  std::uint64_t last_batch = 0;    ///< The number of the last batch that uses the buffer.
  std::uint64_t batch_before = 0;  ///< The number of the batch before `last_batch` that uses the buffer.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> used =
      {};  ///< The ranges that `last_batch` uses: begin and end.
  /// Whether the program reads ahead: a batch wrote to the buffer while a read of an earlier flush was not delivered
  /// yet.
  bool is_read_ahead = false;
};

/// The buffers of a session, found by the views that name them. The table frees no buffers.
///
/// Thread safety: one thread at a time.
class BufferTable {
 public:
  /// The most ranges of a buffer that are noted for one batch. If a batch uses more, the whole buffer counts as used.
  static constexpr std::size_t kMaxUsed = 256;

  /// The index of a slot that is no buffer and that no view names: that of a binding which a dispatch leaves out. Uses
  /// of it may be noted like those of any other.
  static constexpr std::uint32_t kNoBuffer = 0;

  explicit BufferTable(std::uint64_t session) : session_{session}, slots_(kNoBuffer + 1) {}

  /// The number of the session, which its views have.
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
  /// Whether the buffer of a view exists. Does not check that the view lies within it.
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
  /// Notes that a batch uses the same ranges as the previous batch.
  void note_use_again(std::uint32_t buffer, std::uint64_t batch) noexcept {
    slots_[buffer].batch_before = batch - 1;
    slots_[buffer].last_batch = batch;
  }
  /// The indices of all buffers that a batch uses, in ascending order.
  [[nodiscard]] std::vector<std::uint32_t> used_by(std::uint64_t batch) const;
  /// The handles of all buffers that exist.
  [[nodiscard]] std::vector<backend::BufferHandle> handles() const;

 private:
  std::uint64_t session_;
  std::vector<BufferSlot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace vyre::runtime
