#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace vyre::backend {

/// The name of an object that a device owns. It stays valid to hold after the object is gone: a place is used again
/// with another generation, so that an old handle is refused and never taken for the new object.
template <typename Tag>
struct Handle {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  ///< 0 names nothing.

  friend constexpr auto operator<=>(const Handle&, const Handle&) = default;
};

using BufferHandle = Handle<struct BufferTag>;
using PipelineHandle = Handle<struct PipelineTag>;
using RecordingHandle = Handle<struct RecordingTag>;

/// Objects by handle.
///
/// Thread safety: `insert` and `remove` may be called concurrently with everything. What `find` returns stays where it
/// is until it is removed; whoever removes must know that nobody else uses it.
template <typename T, typename Tag>
class HandleTable {
 public:
  static constexpr std::size_t kChunkSlots = 1024;
  static constexpr std::size_t kMaxChunks = 1024;
  static constexpr std::size_t kMaxObjects = kChunkSlots * kMaxChunks;

  HandleTable() = default;
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;
  ~HandleTable() {
    for (std::atomic<Slot*>& chunk : chunks_) delete[] chunk.load(std::memory_order_relaxed);
  }

  /// Nothing if there are `kMaxObjects` already.
  [[nodiscard]] std::optional<Handle<Tag>> insert(T value) {
    const std::lock_guard lock{mutex_};
    if (free_.empty() && !add_chunk()) return std::nullopt;
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Slot& slot = *slot_at(index);
    slot.value.emplace(std::move(value));
    const std::uint32_t generation = slot.generation.load(std::memory_order_relaxed) + 1;
    slot.generation.store(generation, std::memory_order_release);
    ++count_;
    return Handle<Tag>{.index = index, .generation = generation};
  }

  /// The object, or null if the handle's generation has passed.
  [[nodiscard]] T* find(Handle<Tag> handle) const noexcept {
    if (handle.generation % 2 == 0 || handle.index >= kMaxObjects) return nullptr;
    Slot* slot = slot_at(handle.index);
    if (slot == nullptr || slot->generation.load(std::memory_order_acquire) != handle.generation) return nullptr;
    return &*slot->value;
  }

  /// The object of a handle that is known to be live.
  [[nodiscard]] T& at(Handle<Tag> handle) const noexcept { return *slot_at(handle.index)->value; }

  /// Takes the object out, or nothing if the handle's generation has passed.
  [[nodiscard]] std::optional<T> remove(Handle<Tag> handle) {
    const std::lock_guard lock{mutex_};
    T* value = find(handle);
    if (value == nullptr) return std::nullopt;
    Slot& slot = *slot_at(handle.index);
    std::optional<T> taken{std::move(*value)};
    slot.value.reset();
    slot.generation.store(handle.generation + 1, std::memory_order_release);
    // A place whose generations are used up stays empty.
    if (handle.generation != kLastGeneration) free_.push_back(handle.index);
    --count_;
    return taken;
  }

  [[nodiscard]] std::size_t size() const noexcept {
    const std::lock_guard lock{mutex_};
    return count_;
  }

 private:
  static constexpr std::uint32_t kLastGeneration = 0xffff'ffff;

  struct Slot {
    std::atomic<std::uint32_t> generation = 0;  // Odd while there is a value.
    std::optional<T> value = {};
  };

  [[nodiscard]] Slot* slot_at(std::uint32_t index) const noexcept {
    Slot* chunk = chunks_[index / kChunkSlots].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : chunk + index % kChunkSlots;
  }

  [[nodiscard]] bool add_chunk() {
    if (chunk_count_ == kMaxChunks) return false;
    chunks_[chunk_count_].store(new Slot[kChunkSlots], std::memory_order_release);
    free_.reserve((chunk_count_ + 1) * kChunkSlots);
    for (std::size_t i = kChunkSlots; i > 0; --i) {
      free_.push_back(static_cast<std::uint32_t>(chunk_count_ * kChunkSlots + i - 1));
    }
    ++chunk_count_;
    return true;
  }

  mutable std::mutex mutex_;
  std::array<std::atomic<Slot*>, kMaxChunks> chunks_ = {};
  std::size_t chunk_count_ = 0;
  std::vector<std::uint32_t> free_;
  std::size_t count_ = 0;
};

}  // namespace vyre::backend

template <typename Tag>
struct std::hash<vyre::backend::Handle<Tag>> {
  [[nodiscard]] std::size_t operator()(const vyre::backend::Handle<Tag>& handle) const noexcept {
    return std::hash<std::uint64_t>{}(std::uint64_t{handle.generation} << 32 | handle.index);
  }
};
