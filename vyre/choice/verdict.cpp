#include <vyre/choice/verdict.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace vyre::choice {
namespace {

using policy::ExecutionMode;

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t index(Way way) noexcept { return static_cast<std::size_t>(way); }

std::uint64_t whole(double ns) noexcept {
  constexpr double kMost = 1e18;  // The greatest power of ten that 64 bits hold.
  return static_cast<std::uint64_t>(std::clamp(ns, 0.0, kMost));
}

std::uint32_t count(double value) noexcept { return static_cast<std::uint32_t>(std::clamp(value, 0.0, 4e9)); }

/// The mode of one launch for many that costs least.
Way best_queue(const Prices& prices) noexcept {
  Way best = Way::Merged;
  for (const Way way : kAllWays) {
    if (is_one_launch(way) && prices.amortised_ns(way) < prices.amortised_ns(best)) best = way;
  }
  return best;
}

/// D4 between a list that is not kept for this batch alone and one that is, for a share of a batch: over all batches of
/// the shape, among which a list is recorded for each that differs.
policy::CommandReuseInputs reuse_of(const Prices& prices, Way anew, Way kept, double share) noexcept {
  const double times = is_replay(kept) ? prices.exact_repeats : prices.repeats;
  const double once = prices.setup_ns[index(kept)] / std::max(times, 1.0);
  return {.repeat_count = count(prices.repeats),
          .per_launch_overhead_ns = whole(share * prices.amortised_ns(anew)),
          .record_overhead_ns = whole(share * prices.repeats * once),
          .replay_overhead_ns = whole(share * prices.ns[index(kept)])};
}

/// From how many buffers on a table costs less than a list made anew, if a dispatch binds `resources` now.
std::uint32_t threshold_of(const Prices& prices, const Calibration& calibration, std::uint32_t resources,
                           double dispatches) noexcept {
  const double table = prices.amortised_ns(Way::Table);
  const double list = prices.amortised_ns(Way::Batched);
  if (table == kNever) return std::numeric_limits<std::uint32_t>::max();
  if (table < list) return resources;
  // Each further buffer costs a list more than it costs a table.
  const double slope = (calibration.bound.slope_ns - calibration.table.slope_ns) * dispatches;
  if (slope <= 0) return std::numeric_limits<std::uint32_t>::max();
  return std::max(resources + 1, count(resources + std::ceil((table - list) / slope)));
}

}  // namespace

double Prices::amortised_ns(Way way) const noexcept {
  const double times = is_replay(way) ? exact_repeats : repeats;
  return ns[index(way)] + setup_ns[index(way)] / std::max(times, 1.0);
}

Way Verdict::decide(const BatchShape& shape, const Calibration& calibration, const Prices& prices,
                    policy::Evaluate evaluate) {
  const Way queue = best_queue(prices);
  const bool has_queue = prices.ns[index(queue)] < kNever;
  const bool has_table = prices.ns[index(Way::Table)] < kNever;
  // The launches that one launch for many, and a kept list, are compared with.
  const Way plain = prices.amortised_ns(Way::Table) < prices.amortised_ns(Way::Batched) ? Way::Table : Way::Batched;
  const double dispatches = std::max(shape.dispatches, 1U);
  bool any_queue = false;
  bool any_queue_reuse = false;
  bool any_reuse = false;
  bool any_table = false;
  groups_.resize(shape.kinds.size());
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const GroupKind& kind = shape.kinds[i];
    GroupVerdict& group = groups_[i];
    const double of_kind = 1.0 * kind.count * kind.groups;
    const double share = of_kind / dispatches;
    const double times = std::max(prices.repeats, 1.0);
    group = {};
    // Over all times that the batch is expected, so that what is paid once weighs as it should.
    group.facts.persistent = {.batch_size = count(of_kind),
                              .per_launch_overhead_ns = whole(times * share * prices.amortised_ns(plain) / of_kind),
                              .persistent_setup_overhead_ns = has_queue
                                                                  ? whole(times * share * prices.amortised_ns(queue))
                                                                  : std::numeric_limits<std::uint64_t>::max()};
    group.facts.graph = reuse_of(prices, plain, Way::Replay, share);
    group.facts.bindless = {.resource_count = kind.resources,
                            .support = has_table ? policy::BindlessSupport::Full : policy::BindlessSupport::Unsupported,
                            .dynamic_indexing = kind.indexes_dynamically};
    group.bindless_threshold = threshold_of(prices, calibration, kind.resources, dispatches);
    group.answer = evaluate(group.facts, group.bindless_threshold);
    any_reuse |= group.answer.primary_mode.mode == ExecutionMode::CommandReuse;
    any_table |= group.answer.bindless == policy::BindlessDecision::Bindless;
    if (group.answer.primary_mode.mode != ExecutionMode::PersistentKernel) continue;
    any_queue = true;
    group.queue_list = reuse_of(prices, made_anew(queue), kept_of(queue), share);
    group.queue_reuse = evaluate({.graph = group.queue_list}, group.bindless_threshold).command_reuse;
    any_queue_reuse |= std::holds_alternative<policy::RecordAndReplay>(group.queue_reuse);
  }
  const bool may_keep = prices.ns[index(Way::Replay)] < kNever;
  if (any_queue && has_queue) {
    const bool may_keep_queue = prices.ns[index(kept_of(queue))] < kNever;
    return any_queue_reuse && may_keep_queue ? kept_of(queue) : made_anew(queue);
  }
  if (any_reuse && may_keep) return Way::Replay;
  return any_table && has_table ? Way::Table : Way::Batched;
}

void Verdict::events(Way way, const std::vector<bool>& uses_form, std::vector<policy::AuditEvent>& out) const {
  using policy::Action;
  using policy::Detail;
  using policy::Substrate;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const GroupVerdict& group = groups_[i];
    const bool is_queue = is_one_launch(way) && i < uses_form.size() && uses_form[i];
    if (is_queue) {
      const auto* saves = std::get_if<policy::PersistentKernel>(&group.answer.persistent);
      out.push_back({.substrate = Substrate::PersistentKernel,
                     .action = Action::QueueBatch,
                     .detail = Detail::LaunchOverhead,
                     .saved_ns = saves != nullptr ? saves->savings_ns : 0});
    }
    if (is_replay(way)) {
      const policy::CommandReuseDecision& reuse = is_queue ? group.queue_reuse : group.answer.command_reuse;
      const auto* saves = std::get_if<policy::RecordAndReplay>(&reuse);
      out.push_back({.substrate = Substrate::CommandReuse,
                     .action = Action::RecordAndReplay,
                     .detail = Detail::RepeatShape,
                     .saved_ns = saves != nullptr ? saves->savings_ns : 0});
    }
    if (way == Way::Table) {
      out.push_back({.substrate = Substrate::Bindless,
                     .action = Action::DescriptorArray,
                     .detail = Detail::ResourceCountThreshold});
    }
  }
}

}  // namespace vyre::choice
