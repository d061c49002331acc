#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace vyre::plan {

/// A range of a buffer that an operation reads or writes.
struct Touch {
  std::uint32_t buffer = 0;  ///< A small number that names the buffer.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< One past the last byte; greater than `begin`.
  bool writes = false;    ///< Whether it may write; it may read either way.

  friend bool operator==(const Touch&, const Touch&) = default;
};

/// Sorts operations into waves. The operations of a wave may run in any order and at once; a barrier stands between two
/// waves. The results are those of running all operations in order.
///
/// An operation goes into the first wave after all waves that it depends on: after the last write of every byte that it
/// touches and, if it writes, also after the last read. Reads of the same bytes are no conflict. A batch of n
/// operations takes O(n log n). Memory is reused, so that a batch like the one before does not allocate.
class WaveFinder {
 public:
  WaveFinder();
  WaveFinder(const WaveFinder&) = delete;
  WaveFinder& operator=(const WaveFinder&) = delete;
  ~WaveFinder();

  /// Adds an operation after all others, and gives its wave, from 0.
  [[nodiscard]] std::uint32_t add(std::span<const Touch> touches);
  /// Adds an operation to a given wave. Gives false if it conflicts with an earlier operation in that wave or a later
  /// one.
  [[nodiscard]] bool add_to(std::uint32_t wave, std::span<const Touch> touches);
  /// The number of waves so far.
  [[nodiscard]] std::uint32_t wave_count() const noexcept { return wave_count_; }
  /// Begins another batch.
  void clear() noexcept;

 private:
  struct Tracker;

  std::uint32_t wave_count_ = 0;
  std::unique_ptr<Tracker> tracker_;
};

}  // namespace vyre::plan
