#include <vyre/plan/batch.hpp>

#include <algorithm>

namespace vyre::plan {
namespace {

std::uint64_t hash_of(const backend::Copy& copy) noexcept {
  return mix(mix(std::uint64_t{copy.from.index} << 32 | copy.to.index, copy.from_offset),
             mix(copy.to_offset, copy.size));
}

std::uint64_t hash_of(const backend::Fill& fill) noexcept {
  return mix(std::uint64_t{fill.range.buffer.index} << 32 | fill.pattern, mix(fill.range.offset, fill.range.size));
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

void Batch::add(const backend::Copy& copy) {
  list.copy(copy.from, copy.from_offset, copy.to, copy.to_offset, copy.size);
  hash = mix(hash, hash_of(copy));
  ++copies;
}

void Batch::add(const backend::Fill& fill) {
  list.fill(fill.range, fill.pattern);
  hash = mix(hash, hash_of(fill));
  ++fills;
}

void Batch::rehash() noexcept {
  hash = 0;
  for (const backend::Command& command : list.commands()) {
    if (const auto* dispatch = std::get_if<backend::Dispatch>(&command)) {
      hash = mix(hash, hash_dispatch(dispatch->pipeline, list.ranges(*dispatch), dispatch->groups,
                                     std::as_const(list).params(*dispatch)));
    } else if (const auto* copy = std::get_if<backend::Copy>(&command)) {
      hash = mix(hash, hash_of(*copy));
    } else if (const auto* fill = std::get_if<backend::Fill>(&command)) {
      hash = mix(hash, hash_of(*fill));
    }
  }
}

void Batch::clear() noexcept {
  list.clear();
  hash = copies = fills = 0;
  std::ranges::fill(dispatches, 0);
}

}  // namespace vyre::plan
