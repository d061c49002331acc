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
  std::uint32_t buffer = 0;  ///< A small number that names the buffer.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< One past the last byte; greater than `begin`.
  bool writes = false;    ///< Whether it may write; it may read either way.

  friend bool operator==(const Touch&, const Touch&) = default;
};

/// D2's answers for two operations on the same bytes, asked once: whether the later one must wait.
///
/// Bytes that are touched alike are one slot of D2's arms, and each operation is an arm, so that these four answers are
/// all that it can give for a slot. Of several slots D2 demands that the later one waits if it does for any.
struct WaitRule {
  std::array<std::array<bool, 2>, 2> must_wait =
      {};  ///< By whether the earlier one writes, and whether the later does.

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

/// Sorts operations into waves. The operations of a wave may run in any order and at once; a barrier stands between two
/// waves. The results are those of running all operations in order.
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
  /// Adds an operation to a given wave. Gives false if it conflicts with an earlier operation in that wave or a later
  /// one.
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
