#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <vyre/backend/command_list.hpp>

namespace vyre::plan {

/// Operations in the order they were asked for, and a hash of them that tells batches apart quickly.
struct Batch {
  /// What it holds, told by when it was gathered: nothing is taken out of it before it is cleared.
  struct Name {
    std::uint64_t gathered_at = 0;
    std::size_t operations = 0;

    friend bool operator==(const Name&, const Name&) = default;
  };

  backend::CommandList list = {};
  std::uint64_t hash = 0;
  std::uint64_t gathered_at = 0;

  [[nodiscard]] Name name() const noexcept {
    return {.gathered_at = gathered_at, .operations = list.commands().size()};
  }
  void clear() noexcept {
    list.clear();
    hash = 0;
  }
};

[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
  return (std::rotl(hash, 23) ^ value) * 0x9e37'79b9'7f4a'7c15U;
}

/// A hash of what a planned list does, whatever the buffers, parameters and group counts of its dispatches are.
[[nodiscard]] std::uint64_t hash_shape(const backend::CommandList& list) noexcept;

/// A hash of what a dispatch is given.
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

}  // namespace vyre::plan
