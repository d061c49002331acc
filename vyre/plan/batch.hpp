#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include <vyre/backend/command_list.hpp>
#include <vyre/plan/hazards.hpp>

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

/// Calls `visit(buffer, offset, size, writes)` for every range that a command touches; gives a number that alike
/// commands share. `writes_of(pipeline)[i]` says whether a dispatch may write its ith range.
template <typename WritesOf, typename Visit>
std::uint32_t for_each_touch(const backend::CommandList& list, const backend::Command& command, WritesOf writes_of,
                             Visit visit) {
  if (const auto* dispatch = std::get_if<backend::Dispatch>(&command)) {
    const auto& writes = writes_of(dispatch->pipeline);
    const std::span<const backend::BufferRange> ranges = list.ranges(*dispatch);
    // Those of no groups too: they touch nothing, but the validation layers count them.
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      visit(ranges[i].buffer, ranges[i].offset, ranges[i].size, bool{writes[i]});
    }
    return 2 + dispatch->pipeline.index;
  }
  if (const auto* copy = std::get_if<backend::Copy>(&command)) {
    visit(copy->from, copy->from_offset, copy->size, false);
    visit(copy->to, copy->to_offset, copy->size, true);
    return 0;
  }
  if (const auto* fill = std::get_if<backend::Fill>(&command)) {
    visit(fill->range.buffer, fill->range.offset, fill->range.size, true);
  }
  return 1;
}

/// What came of planning a batch.
struct PlannedBatch {
  std::uint32_t arms = 1;  ///< Parts on queues of their own.
  std::uint32_t waves = 0;
  std::uint32_t largest_wave = 0;  ///< Operations.
  std::uint32_t barriers = 0;
  std::uint32_t barriers_avoided = 0;
};

/// Makes the list that is launched: operations wave by wave, alike ones together, a barrier between two waves.
class BatchPlanner {
 public:
  /// Where an operation goes: wave, kind and program, place in the batch.
  struct Place {
    std::uint32_t wave = 0;
    std::uint32_t kind = 0;
    std::uint32_t index = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
  };

  /// Plans `batch`, whose ranges all have a size, to the end of `planned`.
  template <typename WritesOf>
  PlannedBatch plan(const backend::CommandList& batch, backend::CommandList& planned, WritesOf writes_of);

  /// Operations of the last batch by their place in it, in the order of its planned list.
  [[nodiscard]] auto order() const { return std::views::transform(places_, &Place::index); }
  /// The same with their waves.
  [[nodiscard]] std::span<const Place> places() const noexcept { return places_; }

  /// Whether operations may run in waves that are given, by their place in the batch, as if in order. Gives the first
  /// that may not.
  template <typename WritesOf>
  [[nodiscard]] std::optional<std::uint32_t> find_conflict(const backend::CommandList& batch,
                                                           std::span<const std::uint32_t> waves, WritesOf writes_of);

 private:
  PlannedBatch arrange(const backend::CommandList& batch, backend::CommandList& planned);

  WaveFinder finder_;
  std::vector<Place> places_;
  std::vector<Touch> touches_;
};

template <typename WritesOf>
std::optional<std::uint32_t> BatchPlanner::find_conflict(const backend::CommandList& batch,
                                                         std::span<const std::uint32_t> waves, WritesOf writes_of) {
  finder_.clear();
  for (std::uint32_t i = 0; i < waves.size(); ++i) {
    touches_.clear();
    for_each_touch(
        batch, batch.commands()[i], writes_of,
        [&](backend::BufferHandle buffer, std::uint64_t offset, std::uint64_t size, bool writes) {
          touches_.push_back({.buffer = buffer.index, .begin = offset, .end = offset + size, .writes = writes});
        });
    if (!finder_.add_to(waves[i], touches_)) return i;
  }
  return std::nullopt;
}

template <typename WritesOf>
PlannedBatch BatchPlanner::plan(const backend::CommandList& batch, backend::CommandList& planned, WritesOf writes_of) {
  finder_.clear();
  places_.clear();
  std::uint32_t index = 0;
  for (const backend::Command& command : batch.commands()) {
    touches_.clear();
    const std::uint32_t kind = for_each_touch(
        batch, command, writes_of,
        [&](backend::BufferHandle buffer, std::uint64_t offset, std::uint64_t size, bool writes) {
          touches_.push_back({.buffer = buffer.index, .begin = offset, .end = offset + size, .writes = writes});
        });
    places_.push_back({.wave = finder_.add(touches_), .kind = kind, .index = index++});
  }
  return arrange(batch, planned);
}

}  // namespace vyre::plan
