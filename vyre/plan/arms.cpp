#include <vyre/plan/arms.hpp>

#include <algorithm>
#include <numeric>

namespace vyre::plan {

void ArmSplitter::begin() noexcept {
  ++epoch_;
  count_ = 0;
  touched_.clear();
}

void ArmSplitter::add(std::span<const Touch> touches) {
  for (const Touch& touch : touches) {
    if (touch.buffer >= uses_.size()) uses_.resize(std::size_t{touch.buffer} + 1);
    Use& use = uses_[touch.buffer];
    if (use.epoch != epoch_) use = {.epoch = epoch_, .first = count_};
    use.is_written |= touch.writes;
    touched_.push_back({.operation = count_, .buffer = touch.buffer});
  }
  ++count_;
}

std::uint32_t ArmSplitter::root(std::uint32_t operation) noexcept {
  while (parents_[operation] != operation) {
    parents_[operation] = parents_[parents_[operation]];
    operation = parents_[operation];
  }
  return operation;
}

std::span<const std::uint32_t> ArmSplitter::split(std::size_t max_arms) {
  parents_.resize(count_);
  std::iota(parents_.begin(), parents_.end(), 0U);
  for (const Touched& each : touched_) {
    const Use& use = uses_[each.buffer];
    const bool is_joined = use.is_written
                               ? rule_.waits(true, true) || rule_.waits(true, false) || rule_.waits(false, true)
                               : rule_.waits(false, false);
    if (is_joined) parents_[root(each.operation)] = root(use.first);
  }
  weights_.assign(count_, 0);
  std::size_t parts = 0;
  for (std::uint32_t i = 0; i < count_; ++i) parts += ++weights_[root(i)] == 1 ? 1U : 0U;
  arms_.assign(count_, 0);
  const std::size_t count = std::min(parts, max_arms);
  if (count < 2) return arms_;
  // Gives the parts to arms, in the order of the parts' first operations: each goes to the arm with the fewest
  // operations so far.
  loads_.assign(count, 0);
  places_.assign(count_, 0);
  for (std::uint32_t i = 0; i < count_; ++i) {
    const std::uint32_t part = root(i);
    if (places_[part] == 0) {
      const auto least = std::ranges::min_element(loads_);
      *least += weights_[part];
      places_[part] = static_cast<std::uint32_t>(least - loads_.begin()) + 1;
    }
    arms_[i] = places_[part] - 1;
  }
  return arms_;
}

}  // namespace vyre::plan
