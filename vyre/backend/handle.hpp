#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace vyre::backend {

/// The name of an object that a device owns. A handle may outlive its object: the next object with that index has
/// another generation, so the old handle is refused and never taken for the new object.
template <typename Tag>
struct Handle {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  ///< 0 names nothing.

  friend constexpr auto operator<=>(const Handle&, const Handle&) = default;
};

using BufferHandle = Handle<struct BufferTag>;
using PipelineHandle = Handle<struct PipelineTag>;
using RecordingHandle = Handle<struct RecordingTag>;

/// The objects of a device, found by their handles.
///
/// An object keeps its address until it is removed. Thread safety: all members may be called concurrently; the caller
/// of `remove` makes sure that no other thread uses the object.
template <typename T, typename Tag>
class HandleTable {
 public:
  /// Slots are allocated in chunks, each twice as large as the one before, because most devices have few objects.
  static constexpr std::size_t kFirstChunk = 64;
  static constexpr std::size_t kMaxChunks = 14;
  static constexpr std::size_t kMaxObjects = kFirstChunk * ((std::size_t{1} << kMaxChunks) - 1);

  HandleTable() = default;
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;
  ~HandleTable() {
    for (std::atomic<Slot*>& chunk : chunks_) delete[] chunk.load(std::memory_order_relaxed);
  }

  /// Adds an object. Nothing if there are `kMaxObjects` already.
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

  /// The object; null if it was removed.
  [[nodiscard]] T* find(Handle<Tag> handle) const noexcept {
    if (handle.generation % 2 == 0 || handle.index >= kMaxObjects) return nullptr;
    Slot* slot = slot_at(handle.index);
    if (slot == nullptr || slot->generation.load(std::memory_order_acquire) != handle.generation) return nullptr;
    return &*slot->value;
  }

  /// The object of a handle. Precondition: it exists.
  [[nodiscard]] T& at(Handle<Tag> handle) const noexcept { return *slot_at(handle.index)->value; }

  /// Removes an object and gives it to the caller. Nothing if it was removed before.
  [[nodiscard]] std::optional<T> remove(Handle<Tag> handle) {
    const std::lock_guard lock{mutex_};
    T* value = find(handle);
    if (value == nullptr) return std::nullopt;
    Slot& slot = *slot_at(handle.index);
    std::optional<T> taken{std::move(*value)};
    slot.value.reset();
    slot.generation.store(handle.generation + 1, std::memory_order_release);
    // A slot is not used again once its generations are used up.
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
    std::atomic<std::uint32_t> generation = 0;  // Odd while the slot has a value.
    std::optional<T> value = {};
  };

  [[nodiscard]] static constexpr std::size_t slots_in(std::size_t chunk) noexcept { return kFirstChunk << chunk; }
  /// The index of the first slot of a chunk.
  [[nodiscard]] static constexpr std::size_t begin_of(std::size_t chunk) noexcept {
    return slots_in(chunk) - kFirstChunk;
  }
  [[nodiscard]] Slot* slot_at(std::uint32_t index) const noexcept {
    const auto chunk = static_cast<std::size_t>(std::bit_width(index / kFirstChunk + 1) - 1);
    Slot* slots = chunks_[chunk].load(std::memory_order_acquire);
    return slots == nullptr ? nullptr : slots + (index - begin_of(chunk));
  }

  [[nodiscard]] bool add_chunk() {
    if (chunk_count_ == kMaxChunks) return false;
    const std::size_t slots = slots_in(chunk_count_);
    const std::size_t begin = begin_of(chunk_count_);
    chunks_[chunk_count_].store(new Slot[slots], std::memory_order_release);
    free_.reserve(begin + slots);
    for (std::size_t i = slots; i > 0; --i) free_.push_back(static_cast<std::uint32_t>(begin + i - 1));
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
