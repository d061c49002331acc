#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include <vyre/policy/dispatch_policy.hpp>

namespace vyre::plan {

/// A range of a buffer that an operation reads or writes.
struct Touch {
  std::uint32_t buffer = 0;  ///< The number of the buffer, a small one: it is an index of arrays.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< One past the last byte; greater than `begin`.
  bool writes = false;    ///< Whether the operation may write these bytes. It may read them in any case.

  friend bool operator==(const Touch&, const Touch&) = default;
};

/// Whether the later of two operations on the same bytes must wait. The answers are D2's; they are asked for once.
///
/// To D2 each operation is an arm, and the bytes that both touch are a slot. An operation writes the slot or only reads
/// it, so there are four questions. If two operations share several slots, the later one waits if it must wait for any.
struct WaitRule {
  /// First index: whether the earlier operation writes. Second index: whether the later one does.
  std::array<std::array<bool, 2>, 2> must_wait = {};

  [[nodiscard]] static constexpr WaitRule ask(policy::Evaluate evaluate = policy::evaluate) {
    constexpr std::uint32_t kSlot = 0;
    const auto arm = [](bool writes) {
      return writes ? policy::Arm{.writes = {kSlot}} : policy::Arm{.reads = {kSlot}};
    };
    WaitRule rule;
    for (const bool earlier : {false, true}) {
      for (const bool later : {false, true}) {
        const policy::DispatchPolicy answer = evaluate({.arm_a = arm(earlier), .arm_b = arm(later)}, 0);
        rule.must_wait[earlier ? 1 : 0][later ? 1 : 0] =
            std::holds_alternative<policy::SerializeRequired>(answer.arm_independence);
      }
    }
    return rule;
  }
  [[nodiscard]] constexpr bool waits(bool earlier_writes, bool later_writes) const noexcept {
    return must_wait[earlier_writes ? 1 : 0][later_writes ? 1 : 0];
  }

  friend bool operator==(const WaitRule&, const WaitRule&) = default;
};

/// Sorts operations into waves. The operations of a wave may run in any order and at once; there is a barrier between
/// two waves. The results are the same as if all operations ran one after another.
///
/// An operation goes into the first wave after all operations that it must wait for, by D2's answers: after the last
/// write of every byte that it touches and, if it writes, also after the last read. Reads of the same bytes are no
/// conflict. A batch of n operations takes O(n log n). Memory is reused, so that a batch like the one before does not
/// allocate.
class WaveFinder {
 public:
  explicit WaveFinder(const WaitRule& rule = WaitRule::ask());
  WaveFinder(const WaveFinder&) = delete;
  WaveFinder& operator=(const WaveFinder&) = delete;
  ~WaveFinder();

  /// Adds an operation after all others, and gives its wave, from 0.
  [[nodiscard]] std::uint32_t add(std::span<const Touch> touches);
  /// Adds an operation to the given wave. False, and nothing is added, if it must wait for an earlier operation of that
  /// wave or of a later one.
  [[nodiscard]] bool add_to(std::uint32_t wave, std::span<const Touch> touches);
  /// The number of waves so far.
  [[nodiscard]] std::uint32_t wave_count() const noexcept { return wave_count_; }
  /// Begins another batch.
  void clear() noexcept;

 private:
  struct Tracker;

  WaitRule rule_;
  std::uint32_t wave_count_ = 0;
  std::unique_ptr<Tracker> tracker_;
};

}  // namespace vyre::plan
