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

/// The operations of a batch in order, with a hash to tell batches apart quickly.
///
/// The members that add operations keep hash and counts up to date; only `clear` removes operations.
struct Batch {
  /// A name for the contents of a batch within its session: batches of equal names have equal contents.
  struct Name {
    std::uint64_t gathered_at = 0;
    std::size_t operations = 0;

    friend bool operator==(const Name&, const Name&) = default;
  };

  backend::CommandList list = {};
  std::uint64_t hash = 0;
  std::uint64_t gathered_at = 0;               ///< No other batch of the session has this number.
  std::vector<std::uint64_t> dispatches = {};  ///< By the number of a program: its dispatches in the batch.
  std::uint64_t copies = 0;
  std::uint64_t fills = 0;

  [[nodiscard]] Name name() const noexcept {
    return {.gathered_at = gathered_at, .operations = list.commands().size()};
  }
  [[nodiscard]] bool empty() const noexcept { return list.commands().empty(); }
  [[nodiscard]] bool has_dispatches() const noexcept { return list.commands().size() > copies + fills; }

  /// Adds a dispatch whose `hash_dispatch` is `dispatch_hash`.
  void add_dispatch(std::uint32_t program, backend::PipelineHandle pipeline,
                    std::span<const backend::BufferRange> ranges, backend::Groups groups,
                    std::span<const std::byte> params, std::uint64_t dispatch_hash) {
    list.dispatch(pipeline, ranges, groups, params);
    hash = mix(hash, dispatch_hash);
    count(program, 1);
  }
  void add(const backend::Copy& copy);
  void add(const backend::Fill& fill);
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
};

}  // namespace vyre::plan
