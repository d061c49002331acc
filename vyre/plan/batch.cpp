#include <vyre/plan/batch.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace vyre::plan {
namespace {

std::uint64_t hash_of(const backend::Copy& copy) noexcept {
  return mix(mix(std::uint64_t{copy.from.index} << 32 | copy.to.index, copy.from_offset),
             mix(copy.to_offset, copy.size));
}

std::uint64_t hash_of(const backend::Fill& fill) noexcept {
  return mix(std::uint64_t{fill.range.buffer.index} << 32 | fill.pattern, mix(fill.range.offset, fill.range.size));
}

std::uint64_t hash_of(const backend::CommandList& list, const backend::Command& command) noexcept {
  if (const auto* dispatch = std::get_if<backend::Dispatch>(&command)) {
    return hash_dispatch(dispatch->pipeline, list.ranges(*dispatch), dispatch->groups, list.params(*dispatch));
  }
  const auto* copy = std::get_if<backend::Copy>(&command);
  return copy != nullptr ? hash_of(*copy) : hash_of(std::get<backend::Fill>(command));
}

}  // namespace

std::uint64_t hash_shape(const backend::CommandList& list) noexcept {
  std::uint64_t hash = list.commands().size();
  for (const backend::Command& command : list.commands()) {
    hash = mix(hash, command.index());
    if (const auto* dispatch = std::get_if<backend::Dispatch>(&command)) {
      hash = mix(hash, std::uint64_t{dispatch->pipeline.index} << 32 | dispatch->pipeline.generation);
    } else if (const auto* copy = std::get_if<backend::Copy>(&command)) {
      hash = mix(hash, hash_of(*copy));
    }
  }
  return hash;
}

std::uint64_t Batch::cost_hash() const noexcept {
  if (beside == 0) [[likely]]
    return hash;
  std::uint64_t mixed = hash;
  for (const backend::CommandList* each : {&leading, &trailing}) {
    mixed = mix(mixed, each->commands().size());
    for (const backend::Command& command : each->commands()) {
      const auto* copy = std::get_if<backend::Copy>(&command);
      const std::uint64_t bytes = copy != nullptr ? copy->size : std::get<backend::Fill>(command).range.size;
      mixed = mix(mixed, std::uint64_t{command.index()} << 32 | static_cast<std::uint64_t>(std::bit_width(bytes)));
    }
  }
  return mixed;
}

backend::CommandList& Batch::place_of_transfer(bool is_leading) noexcept {
  const bool is_beside = !keeps_transfers && has_dispatches();
  if (!is_beside) {
    has_unplaced = !keeps_transfers;
    return list;
  }
  ++beside;
  if (is_leading) return leading;
  has_unplaced = true;
  return trailing;
}

void Batch::place_unplaced() {
  has_unplaced = false;
  if (!has_dispatches()) {
    std::swap(list, leading);
    beside = leading.commands().size();
    hash = 0;
    return;
  }
  // They are followed by a dispatch, and so stand between two.
  for (const backend::Command& command : trailing.commands()) {
    list.append(trailing, command);
    hash = hash_after(hash, hash_of(trailing, command));
  }
  beside -= trailing.commands().size();
  trailing.clear();
}

void Batch::add(const backend::Copy& copy, bool is_leading) {
  backend::CommandList& place = place_of_transfer(is_leading);
  place.copy(copy.from, copy.from_offset, copy.to, copy.to_offset, copy.size);
  if (&place == &list) hash = hash_after(hash, hash_of(copy));
  ++copies;
}

void Batch::add(const backend::Fill& fill) {
  backend::CommandList& place = place_of_transfer(false);
  place.fill(fill.range, fill.pattern);
  if (&place == &list) hash = hash_after(hash, hash_of(fill));
  ++fills;
}

void Batch::append(const Batch& from, const BatchPart& part) {
  for (const backend::Command& command : from.list.commands().subspan(part.begin, part.end - part.begin)) {
    if (const auto* copy = std::get_if<backend::Copy>(&command)) {
      add(*copy);
    } else if (const auto* fill = std::get_if<backend::Fill>(&command)) {
      add(*fill);
    } else {
      place_transfers();
      list.append(from.list, command);
      hash = hash_after(hash, hash_of(from.list, command));
    }
  }
  for (std::uint32_t i = 0; i < part.dispatches.size(); ++i) {
    if (part.dispatches[i] > 0) count(i, part.dispatches[i]);
  }
}

void Batch::rehash() noexcept {
  hash = 0;
  for (const backend::Command& command : list.commands()) hash = hash_after(hash, hash_of(list, command));
}

void Batch::clear() noexcept {
  list.clear();
  leading.clear();
  trailing.clear();
  hash = planned_as = copies = fills = beside = 0;
  has_unplaced = keeps_transfers = false;
  std::ranges::fill(dispatches, 0);
}

}  // namespace vyre::plan
