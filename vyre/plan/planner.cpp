#include <vyre/plan/planner.hpp>

#include <algorithm>

namespace vyre::plan {

void Planner::begin(std::size_t max_arms) noexcept {
  max_arms_ = max_arms;
  finder_.clear();
  splitter_.begin();
  places_.clear();
}

void Planner::add(OperationKind kind, std::uint32_t program, std::span<const Touch> touches) {
  if (max_arms_ > 1) splitter_.add(touches);
  places_.push_back({.wave = finder_.add(touches),
                     .group = std::uint64_t{static_cast<std::uint8_t>(kind)} << 32 | program,
                     .index = static_cast<std::uint32_t>(places_.size())});
}

const Plan& Planner::finish() {
  if (max_arms_ > 1) {
    const std::span<const std::uint32_t> arms = splitter_.split(max_arms_);
    for (Place& place : places_) place.wave |= std::uint64_t{arms[place.index]} << 32;
  }
  if (!std::ranges::is_sorted(places_)) std::ranges::sort(places_);
  plan_.clear();
  const Place* last = nullptr;
  for (const Place& place : places_) {
    const bool is_new_arm = last == nullptr || last->wave >> 32 != place.wave >> 32;
    const bool is_new_wave = last == nullptr || last->wave != place.wave;
    const bool is_new_group = is_new_wave || last->group != place.group;
    if (is_new_arm) plan_.arms.push_back({.first = static_cast<std::uint32_t>(plan_.waves.size())});
    if (is_new_wave) {
      plan_.waves.push_back({.first = static_cast<std::uint32_t>(plan_.groups.size())});
      ++plan_.arms.back().count;
    }
    if (is_new_group) {
      plan_.groups.push_back({.kind = static_cast<OperationKind>(place.group >> 32),
                              .program = static_cast<std::uint32_t>(place.group),
                              .first = static_cast<std::uint32_t>(plan_.operations.size())});
      ++plan_.waves.back().count;
    }
    plan_.operations.push_back(place.index);
    ++plan_.groups.back().count;
    last = &place;
  }
  return plan_;
}

Plan make_plan(std::span<const Operation> operations, std::size_t max_arms) {
  Planner planner;
  planner.begin(max_arms);
  for (const Operation& each : operations) planner.add(each.kind, each.program, each.touches);
  return planner.finish();
}

}  // namespace vyre::plan
