#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <vyre/backend/command_list.hpp>

namespace vyre::plan {

[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
  return (std::rotl(hash, 23) ^ value) * 0x9e37'79b9'7f4a'7c15U;
}

/// The hash of a sequence that was hashed so far and is followed by `next`, the hash of an operation.
///
/// If operation i of n changes, the hash changes by the difference of its hashes times `hash_power(n - 1 - i)`.
inline constexpr std::uint64_t kHashStep = 0x9e37'79b9'7f4a'7c15U;
[[nodiscard]] constexpr std::uint64_t hash_after(std::uint64_t hash, std::uint64_t next) noexcept {
  return hash * kHashStep + next;
}
[[nodiscard]] constexpr std::uint64_t hash_power(std::size_t operations) noexcept {
  std::uint64_t power = 1;
  for (std::uint64_t square = kHashStep; operations > 0; operations >>= 1, square *= square) {
    if (operations % 2 == 1) power *= square;
  }
  return power;
}

/// The hash of a dispatch: its pipeline, buffers, workgroups and parameters.
[[nodiscard]] inline std::uint64_t hash_dispatch(backend::PipelineHandle pipeline,
                                                 std::span<const backend::BufferRange> ranges, backend::Groups groups,
                                                 std::span<const std::byte> params) noexcept {
  std::uint64_t hash = mix(std::uint64_t{pipeline.generation} << 32 | pipeline.index, ranges.size());
  for (const backend::BufferRange& range : ranges) {
    const std::uint64_t buffer = std::uint64_t{range.buffer.generation} << 32 | range.buffer.index;
    hash = mix(mix(hash, buffer ^ std::rotl(range.offset, 40)), range.size);
  }
  hash = mix(hash, groups[0] ^ std::uint64_t{groups[1]} << 24 ^ std::uint64_t{groups[2]} << 48);
  std::uint64_t word = 0;
  for (; params.size() >= sizeof(word); params = params.subspan(sizeof(word))) {
    std::memcpy(&word, params.data(), sizeof(word));
    hash = mix(hash, word);
  }
  if (params.empty()) return hash;
  word = 0;
  std::memcpy(&word, params.data(), params.size());
  return mix(hash, word);
}

/// The hash of a lowered list without the buffers, parameters and workgroup counts of its dispatches.
[[nodiscard]] std::uint64_t hash_shape(const backend::CommandList& list) noexcept;

/// Neighbouring operations of a batch: those of its list from `begin` on, and before `end`.
struct BatchPart {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<std::uint64_t> dispatches = {};  ///< By the number of a program: its dispatches in the part.
};

/// The operations of a batch in order, with a hash to tell batches apart quickly.
///
/// Copies and fills before the first dispatch and after the last one, the leading and trailing transfers, stand beside
/// the other operations: how a batch is planned, recorded and found again does not depend on them. The members that add
/// operations keep hash and counts up to date; only `clear` removes operations.
struct Batch {
  /// A name for the contents of a batch within its session: batches of equal names have equal contents.
  struct Name {
    std::uint64_t gathered_at = 0;
    std::size_t operations = 0;

    friend bool operator==(const Name&, const Name&) = default;
  };

  /// All operations but the leading and trailing transfers; in a batch without dispatches, all operations.
  backend::CommandList list = {};
  backend::CommandList leading = {};           ///< Empty in a batch without dispatches.
  backend::CommandList trailing = {};          ///< Empty in a batch without dispatches.
  std::uint64_t hash = 0;                      ///< Of `list`.
  std::uint64_t gathered_at = 0;               ///< No other batch of the session has this number.
  std::uint64_t planned_as = 0;                ///< The `gathered_at` of a batch with the same plan; 0 for its own.
  std::vector<std::uint64_t> dispatches = {};  ///< By the number of a program: its dispatches in the batch.
  std::uint64_t copies = 0;
  std::uint64_t fills = 0;
  std::size_t beside = 0;        ///< The number of leading and trailing transfers.
  bool has_unplaced = false;     ///< Whether transfers came since the last dispatch.
  bool keeps_transfers = false;  ///< Whether all transfers stay in `list`.

  [[nodiscard]] Name name() const noexcept { return {.gathered_at = gathered_at, .operations = operations()}; }
  [[nodiscard]] std::size_t operations() const noexcept { return list.commands().size() + beside; }
  /// A name for the plan of a batch within its session.
  [[nodiscard]] Name plan_name() const noexcept {
    return {.gathered_at = planned_as == 0 ? gathered_at : planned_as, .operations = list.commands().size()};
  }
  [[nodiscard]] bool empty() const noexcept { return list.commands().empty(); }
  [[nodiscard]] bool has_dispatches() const noexcept { return operations() > copies + fills; }
  /// The hash of what the cost of the batch depends on: of `list`, and of the kinds and sizes of the other transfers,
  /// by powers of two.
  [[nodiscard]] std::uint64_t cost_hash() const noexcept;

  /// Called before dispatches are added to `list` directly: transfers before them are leading, or in between.
  void place_transfers() {
    if (has_unplaced) [[unlikely]]
      place_unplaced();
  }
  /// Adds a dispatch whose `hash_dispatch` is `dispatch_hash`.
  void add_dispatch(std::uint32_t program, backend::PipelineHandle pipeline,
                    std::span<const backend::BufferRange> ranges, backend::Groups groups,
                    std::span<const std::byte> params, std::uint64_t dispatch_hash) {
    place_transfers();
    list.dispatch(pipeline, ranges, groups, params);
    hash = hash_after(hash, dispatch_hash);
    count(program, 1);
  }
  /// `is_leading`: no operation of the batch uses the bytes that the copy writes, so that it may come first.
  void add(const backend::Copy& copy, bool is_leading = false);
  void add(const backend::Fill& fill);
  /// Adds a part of another batch.
  void append(const Batch& from, const BatchPart& part);
  /// Counts dispatches that were added to `list` and `hash` directly.
  void count(std::uint32_t program, std::uint64_t more) {
    if (program >= dispatches.size()) [[unlikely]]
      dispatches.resize(std::size_t{program} + 1);
    dispatches[program] += more;
  }
  /// Computes the hash anew, after parameters or buffers of `list` were changed.
  void rehash() noexcept;
  /// Calls `visit(program, dispatches)` for every program that has dispatches here.
  template <typename Visit>
  void for_each_program(Visit visit) const {
    for (std::uint32_t i = 0; i < dispatches.size(); ++i) {
      if (dispatches[i] > 0) visit(i, dispatches[i]);
    }
  }
  void clear() noexcept;

 private:
  [[nodiscard]] backend::CommandList& place_of_transfer(bool is_leading) noexcept;
  void place_unplaced();
};

}  // namespace vyre::plan
