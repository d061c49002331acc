#include <vyre/plan/batch.hpp>

namespace vyre::plan {

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
