#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace vyre::plan {

/// What an operation does to some bytes of a buffer.
struct Touch {
  std::uint32_t buffer = 0;  ///< A small number that names it.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< One past the last byte; beyond `begin`.
  bool writes = false;    ///< Whether it may write; it may read either way.

  friend bool operator==(const Touch&, const Touch&) = default;
};

/// Sorts operations into waves: those of a wave may run in any order and at once, a barrier stands between two waves,
/// and everything is as if all had run in order.
///
/// An operation goes into the first wave behind those it depends on: behind the last write of every byte it touches,
/// and, where it writes, behind the last read too. Reads of the same bytes are no conflict. A batch of n operations
/// takes O(n log n); memory is kept from one batch to the next, so that a batch like the last does not allocate.
class WaveFinder {
 public:
  WaveFinder();
  WaveFinder(const WaveFinder&) = delete;
  WaveFinder& operator=(const WaveFinder&) = delete;
  ~WaveFinder();

  /// The wave, from 0, of an operation behind all that were added before.
  [[nodiscard]] std::uint32_t add(std::span<const Touch> touches);
  /// Puts an operation into a wave that is given. False if one that was added before, and that it conflicts with, is in
  /// that wave or a later one.
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
