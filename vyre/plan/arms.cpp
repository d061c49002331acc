#include <vyre/plan/arms.hpp>

#include <algorithm>

namespace vyre::plan {

std::uint32_t ArmSplitter::root(std::uint32_t operation) noexcept {
  while (parents_[operation] != operation) {
    parents_[operation] = parents_[parents_[operation]];
    operation = parents_[operation];
  }
  return operation;
}

ArmSplitter::Use& ArmSplitter::use(backend::BufferHandle buffer, std::uint32_t operation) {
  if (buffer.index >= uses_.size()) uses_.resize(std::size_t{buffer.index} + 1);
  Use& found = uses_[buffer.index];
  if (found.epoch != epoch_) found = {.epoch = epoch_, .first = operation};
  return found;
}

std::size_t ArmSplitter::arrange(const backend::CommandList& batch, std::size_t max_arms,
                                 std::vector<backend::CommandList>& arms) {
  const auto commands = batch.commands();
  weights_.assign(commands.size(), 0);
  std::size_t parts = 0;
  for (std::uint32_t i = 0; i < commands.size(); ++i) parts += ++weights_[root(i)] == 1 ? 1U : 0U;
  const std::size_t count = std::min(parts, max_arms);
  if (count < 2) return 1;
  if (arms.size() < count) arms.resize(count);
  for (backend::CommandList& arm : arms) arm.clear();
  // Parts in the order of their first operation, each to the arm that has least so far.
  std::vector<std::uint64_t> loads(count);
  places_.assign(commands.size(), 0);
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    const std::uint32_t part = root(i);
    if (places_[part] == 0) {
      const auto least = std::ranges::min_element(loads);
      *least += weights_[part];
      places_[part] = static_cast<std::uint32_t>(least - loads.begin()) + 1;
    }
    arms[places_[part] - 1].append(batch, commands[i]);
  }
  return count;
}

}  // namespace vyre::plan
