#include <vyre/plan/batch.hpp>

#include <algorithm>
#include <cstring>

namespace vyre::plan {

PlannedBatch BatchPlanner::arrange(const backend::CommandList& batch, backend::CommandList& planned) {
  if (!std::ranges::is_sorted(places_)) std::ranges::sort(places_);
  PlannedBatch result{.waves = finder_.wave_count()};
  std::uint32_t wave = 0;
  std::uint32_t in_wave = 0;
  for (const Place& place : places_) {
    if (place.wave != wave) {
      planned.barrier();
      ++result.barriers;
      wave = place.wave;
      in_wave = 0;
    }
    result.largest_wave = std::max(result.largest_wave, ++in_wave);
    planned.append(batch, batch.commands()[place.index]);
  }
  if (!places_.empty()) result.barriers_avoided = static_cast<std::uint32_t>(places_.size()) - 1 - result.barriers;
  return result;
}

std::uint64_t hash_shape(const backend::CommandList& list) noexcept {
  std::uint64_t hash = list.commands().size();
  for (const backend::Command& command : list.commands()) {
    hash = mix(hash, command.index());
    if (const auto* dispatch = std::get_if<backend::Dispatch>(&command)) {
      hash = mix(hash, std::uint64_t{dispatch->pipeline.index} << 32 | dispatch->pipeline.generation);
    } else if (const auto* copy = std::get_if<backend::Copy>(&command)) {
      hash = mix(mix(hash, std::uint64_t{copy->from.index} << 32 | copy->to.index), copy->size);
      hash = mix(mix(hash, copy->from_offset), copy->to_offset);
    }
  }
  return hash;
}

}  // namespace vyre::plan
