#include <vyre/report/explain.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace vyre::report {
namespace {

/// The value nearest to `now`, between it and `end`, for which `differs` holds. Nothing if there is none.
///
/// Precondition: `differs` is false for `now`, and if it holds for a value, it holds for all values from there to
/// `end`.
template <typename Differs>
std::optional<std::uint64_t> nearest(std::uint64_t now, std::uint64_t end, const Differs& differs) {
  if (now == end || !differs(end)) return std::nullopt;
  auto [same, other] = std::pair{now, end};
  while (std::max(same, other) - std::min(same, other) > 1) {
    const std::uint64_t middle = std::midpoint(same, other);
    (differs(middle) ? other : same) = middle;
  }
  return other;
}

template <typename T>
constexpr T kLast = std::numeric_limits<T>::max();
template <>
constexpr policy::BindlessSupport kLast<policy::BindlessSupport> = policy::BindlessSupport::Unsupported;

/// Which verdict a decision is, whatever it saves.
template <typename Decision>
std::size_t kind_of(const Decision& decision) {
  if constexpr (requires { decision.index(); })
    return decision.index();
  else if constexpr (requires { decision.mode; })
    return static_cast<std::size_t>(decision.mode);
  else
    return static_cast<std::size_t>(decision);
}

/// The index of the better verdict, which is the second one of D1, D4, D9 and I2. Among launch modes it is the queue.
constexpr std::size_t kBetter = 1;

/// An input that can be varied. The decision reads it from `place`.
template <typename T>
struct Dial {
  std::string_view input;
  T& place;
};

/// Appends the flips of an input: the nearest values, in both directions, that change the verdict. Restores the input.
///
/// For a single input, each verdict is given by linear inequalities, so the values with that verdict are an interval.
/// Bisection therefore finds its ends exactly, and no policy needs a formula of its own here.
template <typename T, typename Decide>
void append_flips(std::vector<Flip>& flips, const Decide& decide, Dial<T> dial) {
  const T from = dial.place;
  const std::size_t kind = kind_of(decide());
  const auto kind_at = [&](std::uint64_t value) {
    dial.place = static_cast<T>(value);
    return kind_of(decide());
  };
  const std::size_t before = flips.size();
  for (const auto end : {std::uint64_t{0}, static_cast<std::uint64_t>(kLast<T>)}) {
    const auto to = nearest(static_cast<std::uint64_t>(from), end, [&](auto value) { return kind_at(value) != kind; });
    if (!to) continue;
    const std::size_t kind_at_end = kind_at(end);
    const bool and_beyond = kind_at(*to) == kind_at_end;
    flips.push_back({std::string{dial.input}, from, dial.place, std::string{to_string(decide())}, and_beyond});
  }
  dial.place = from;
  if (flips.size() == before) flips.push_back({std::string{dial.input}, from, std::nullopt, "", false});
}

/// The smallest count with which the better way wins. Restores the input.
template <typename Decide>
BreakEven break_even_of(const Decide& decide, Dial<std::uint32_t> dial, std::string_view winner) {
  const std::uint32_t now = dial.place;
  const auto wins = [&](std::uint64_t value) {
    dial.place = static_cast<std::uint32_t>(value);
    return kind_of(decide()) == kBetter;
  };
  const std::optional<std::uint64_t> first = wins(0) ? 0 : nearest(0, kLast<std::uint32_t>, wins);
  dial.place = now;
  BreakEven even{std::string{dial.input}, std::nullopt, std::string{winner}};
  if (first) even.value = static_cast<std::uint32_t>(*first);
  return even;
}

std::string grouped(u128 value) { return with_separators(to_decimal(value)); }

struct Title {
  std::string_view policy;
  std::string_view question;
  std::string_view detail =
      "savings_ns";        ///< The name of the number after the colon in a display such as `speculate:80000`.
  bool displayed = false;  ///< Whether the test vectors list the display among the fields.
};

Explanation titled(const Title& title, std::string_view display) {
  Explanation result;
  result.policy = title.policy;
  result.question = title.question;
  result.display = display;
  std::string snake = result.display;
  std::ranges::replace(snake, '-', '_');
  const std::size_t colon = snake.find(':');
  result.decision.push_back({"decision", snake.substr(0, colon)});
  if (colon != std::string::npos) result.decision.push_back({std::string{title.detail}, snake.substr(colon + 1)});
  if (title.displayed) result.decision.push_back({"display", result.display});
  return result;
}

/// An explanation with what every decision over quantities has: the break-even of `count`, and the flips of all inputs.
template <typename Decide, typename... Ts>
Explanation weighed(const Title& title, std::string_view better, const Decide& decide, Dial<std::uint32_t> count,
                    Dial<Ts>... others) {
  Explanation result = titled(title, to_string(decide()));
  result.break_even = break_even_of(decide, count, better);
  append_flips(result.flips, decide, count);
  (append_flips(result.flips, decide, others), ...);
  if (std::ranges::none_of(result.flips, &std::optional<Setting>::has_value, &Flip::to)) {
    result.notes.emplace_back("no single input would flip it, only several together");
  }
  return result;
}

Check at_least(std::string_view input, std::uint32_t value, std::uint32_t least) {
  return {.condition = fmt::format("{} ≥ {}", input, least), .value = value, .holds = value >= least};
}

const Check* first_failed(std::span<const Check> checks) {
  const auto failed = std::ranges::find(checks, false, &Check::holds);
  return failed == checks.end() ? nullptr : &*failed;
}

/// Says which check failed: `a persistent kernel needs batch size ≥ 2, it is 1`.
std::string unmet(std::string_view who, const Check& check) {
  return fmt::format("{} needs {}, it is {}", who, to_words(with_separators(check.condition)), to_text(check.value));
}

/// The comparison of two ways to launch: the better one is chosen if all checks hold and it costs less.
struct Contest {
  Figure plain;
  Figure better;
  std::string_view how;  ///< The better way in words: `a persistent kernel`.
  std::vector<Check> checks;
};

Figure paid_once(std::string_view name, std::uint64_t ns) {
  return {.name = std::string{name}, .formula = fmt::format("{}", ns), .ns = ns};
}

Figure paid_each(std::string_view name, std::uint32_t count, std::uint64_t ns) {
  return {.name = std::string{name}, .formula = fmt::format("{} × {}", count, ns), .ns = u128{count} * ns};
}

Contest contest_of(const policy::PersistentKernelInputs& in) {
  return {.plain = paid_each("standard_launches", in.batch_size, in.per_launch_overhead_ns),
          .better = paid_once("persistent_kernel", in.persistent_setup_overhead_ns),
          .how = "a persistent kernel",
          .checks = {at_least("batch_size", in.batch_size, policy::kMinPersistentBatch)}};
}

Contest contest_of(const policy::CommandReuseInputs& in) {
  Figure replays = paid_each("record_and_replay", in.repeat_count, in.replay_overhead_ns);
  replays.formula = fmt::format("{} + {}", in.record_overhead_ns, replays.formula);
  replays.ns += in.record_overhead_ns;
  return {.plain = paid_each("plain_launches", in.repeat_count, in.per_launch_overhead_ns),
          .better = std::move(replays),
          .how = "recording and replaying",
          .checks = {at_least("repeat_count", in.repeat_count, policy::kMinReuseRepeats)}};
}

Contest contest_of(const policy::TraceJitInputs& in) {
  const std::uint32_t bps = in.prediction_confidence_bps;
  return {.plain = {"hold_steady", fmt::format("⌊{} × {} / {}⌋", in.miss_cost_ns, bps, policy::kFullConfidenceBps),
                    policy::expected_miss_cost_ns(in)},
          .better = paid_once("speculate", in.speculative_spec_cost_ns),
          .how = "compiling now",
          .checks = {at_least("prediction_confidence_bps", bps, policy::kMinSpeculationConfidenceBps),
                     at_least("shader_hit_count", in.shader_hit_count, policy::kMinSpeculationHits)}};
}

bool is_won(const Contest& contest) {
  return first_failed(contest.checks) == nullptr && contest.better.ns < contest.plain.ns;
}

std::string summary_of(const Contest& contest) {
  const auto& [plain, better, how, checks] = contest;
  if (is_won(contest)) {
    const u128 saved = plain.ns - better.ns;
    const auto permille = static_cast<std::uint64_t>(saved * 1000 / plain.ns);
    return fmt::format("{}: saves {} ns of {} ns ({}.{}%)", to_words(better.name), grouped(saved), grouped(plain.ns),
                       permille / 10, permille % 10);
  }
  const std::string chosen = to_words(plain.name);
  if (const Check* failed = first_failed(checks)) return fmt::format("{}: {}", chosen, unmet(how, *failed));
  if (better.ns == plain.ns) return fmt::format("{}: {} would cost the same, and a tie stays plain", chosen, how);
  return fmt::format("{}: {} would cost {} ns more", chosen, how, grouped(better.ns - plain.ns));
}

/// Adds the outcome in words, the costs and the checks of a contest to an explanation.
Explanation settled(Explanation result, Contest contest) {
  result.summary = summary_of(contest);
  result.costs = {std::move(contest.plain), std::move(contest.better)};
  result.checks = std::move(contest.checks);
  return result;
}

/// The saving of a launch mode; 0 if it does not pay.
Figure saving_of(std::string mode, const Contest& contest) {
  if (!is_won(contest)) return {std::move(mode), "does not pay", 0};
  const auto& [plain, better, how, checks] = contest;
  return {std::move(mode), fmt::format("{} − {}", to_decimal(plain.ns), to_decimal(better.ns)), plain.ns - better.ns};
}

/// The flip of a copy's slot: the nearest slot with which the verdict would be another one; the lower of two equally
/// near.
///
/// The nearest such slot is one that the kernel touches, or a neighbour of one, so only those are tried.
Flip slot_flip(std::uint32_t slot, const policy::Arm& kernel) {
  const auto verdict = [&kernel](std::uint32_t at) { return policy::can_overlap_copy_with_kernel(at, kernel); };
  const auto rank = [slot](std::uint32_t at) { return std::pair{std::max(slot, at) - std::min(slot, at), at}; };
  Flip flip{"copy_dst_slot", slot, std::nullopt, "", false};
  std::uint32_t best = 0;
  for (const policy::SlotSet* slots : {&kernel.reads, &kernel.writes}) {
    for (const std::uint32_t touched : *slots) {
      for (const std::uint32_t at : {touched - 1, touched, touched + 1}) {  // A number that wraps is a valid slot too.
        if (verdict(at) == verdict(slot) || (flip.to && rank(best) <= rank(at))) continue;
        flip.to = best = at;
        flip.decision = to_string(verdict(at));
      }
    }
  }
  return flip;
}

std::string summary_of(const policy::ArmIndependence& decision, std::span<const Check> checks) {
  const auto* serialize = std::get_if<policy::SerializeRequired>(&decision);
  if (serialize == nullptr) return "independent: neither arm touches a slot that the other one writes";
  constexpr std::array<std::string_view, 3> kClashes{"both arms write", "a writes, then b reads,",
                                                     "a reads, then b writes,"};
  const auto reason = static_cast<std::size_t>(serialize->reason);
  return fmt::format("serialize required: {} {} ({})", kClashes.at(reason), to_text(checks[reason].value),
                     to_string(serialize->reason));
}

Check disjoint(std::string_view names, const policy::SlotSet& a, const policy::SlotSet& b) {
  const policy::SlotSet common = a.intersection(b);
  return {.condition = fmt::format("{} is empty", names), .value = common, .holds = common.empty()};
}

std::string summary_of(policy::ExecutionMode mode, const Figure& queue, const Figure& replay) {
  if (mode == policy::ExecutionMode::PlainLaunches) return "plain launches: neither of the other modes pays";
  const auto [loser, winner] = std::minmax(queue, replay, [](const auto& a, const auto& b) { return a.ns < b.ns; });
  const std::string text = fmt::format("{}: saves {} ns", to_words(winner.name), grouped(winner.ns));
  if (loser.ns == 0) return fmt::format("{}; {} does not pay", text, to_words(loser.name));
  if (loser.ns == winner.ns) return text + ", as much as a persistent kernel, and holds no queue";
  return fmt::format("{}, {} ns more than {}", text, grouped(winner.ns - loser.ns), to_words(loser.name));
}

}  // namespace

Explanation explain(const policy::PersistentKernelInputs& inputs) {
  constexpr Title kTitle{"persistent_kernel", "D1: N launches, or one persistent kernel draining a device-side queue?"};
  policy::PersistentKernelInputs in = inputs;
  const auto decide = [&in] { return policy::decide_persistent_kernel(in); };
  Explanation result = weighed(kTitle, "persistent-kernel", decide, Dial{"batch_size", in.batch_size},
                               Dial{"per_launch_overhead_ns", in.per_launch_overhead_ns},
                               Dial{"per_item_kernel_ns", in.per_item_kernel_ns},
                               Dial{"persistent_setup_overhead_ns", in.persistent_setup_overhead_ns});
  if (in.per_item_kernel_ns != 0) result.notes.emplace_back("the time per item is paid either way and does not count");
  if (in.per_launch_overhead_ns == 0) result.notes.emplace_back("launches cost nothing here: there is nothing to save");
  return settled(std::move(result), contest_of(in));
}

Explanation explain(const policy::CommandReuseInputs& inputs) {
  constexpr Title kTitle{"command_reuse", "D4: launch plainly, or record once and replay?", "savings_ns", true};
  policy::CommandReuseInputs in = inputs;
  const auto decide = [&in] { return policy::decide_command_reuse(in); };
  Explanation result =
      weighed(kTitle, "record-and-replay", decide, Dial{"repeat_count", in.repeat_count},
              Dial{"per_launch_overhead_ns", in.per_launch_overhead_ns},
              Dial{"record_overhead_ns", in.record_overhead_ns}, Dial{"replay_overhead_ns", in.replay_overhead_ns});
  if (in.replay_overhead_ns >= in.per_launch_overhead_ns) {
    result.notes.emplace_back("a replay costs no less than a launch: no number of repeats pays for the recording");
  }
  return settled(std::move(result), contest_of(in));
}

Explanation explain(const policy::TraceJitInputs& inputs) {
  constexpr Title kTitle{"trace_jit", "I2: compile the predicted next specialisation now?", "expected_savings_ns",
                         true};
  policy::TraceJitInputs in = inputs;
  const auto decide = [&in] { return policy::decide_trace_jit_speculation(in); };
  Explanation result =
      weighed(kTitle, "speculate", decide, Dial{"prediction_confidence_bps", in.prediction_confidence_bps},
              Dial{"shader_hit_count", in.shader_hit_count},
              Dial{"speculative_spec_cost_ns", in.speculative_spec_cost_ns}, Dial{"miss_cost_ns", in.miss_cost_ns});
  if (in.prediction_confidence_bps > policy::kFullConfidenceBps) {
    result.notes.emplace_back("the confidence is above certainty, 10,000 bps, and is used as it is");
  }
  if (result.break_even->value.value_or(0) > policy::kFullConfidenceBps) {
    result.notes.emplace_back("the break-even is above certainty, 10,000 bps: no real prediction reaches it");
  }
  return settled(std::move(result), contest_of(in));
}

Explanation explain(const policy::BindlessInputs& inputs, std::uint32_t threshold) {
  constexpr Title kTitle{"bindless", "D9: one binding per resource, or one table of addresses?"};
  policy::BindlessInputs in = inputs;
  const auto decide = [&] { return policy::decide_bindless(in, threshold); };
  Explanation result =
      weighed(kTitle, "bindless", decide, Dial{"resource_count", in.resource_count}, Dial{"support", in.support},
              Dial{"dynamic_indexing", in.dynamic_indexing}, Dial{"threshold", threshold});
  const bool indexable = policy::decide_bindless(in, 0) == policy::BindlessDecision::Bindless;
  result.checks = {at_least("resource_count", in.resource_count, threshold),
                   {in.dynamic_indexing ? "support full" : "support full or static", in.support, indexable}};
  const Check* failed = first_failed(result.checks);
  result.summary = failed != nullptr ? fmt::format("traditional bindings: {}", unmet("a table", *failed))
                                     : fmt::format("bindless: {} resources reach the threshold of {}",
                                                   grouped(in.resource_count), grouped(threshold));
  if (in.dynamic_indexing) result.notes.emplace_back("the kernel computes its indices, which static support cannot do");
  return result;
}

Explanation explain_arms(const policy::Arm& a, const policy::Arm& b) {
  constexpr Title kTitle{"arm_independence", "D2: may two arms run at once?", "reason"};
  const policy::ArmIndependence decision = policy::can_dispatch_concurrently(a, b);
  Explanation result = titled(kTitle, to_string(decision));
  result.checks = {disjoint("a.writes ∩ b.writes", a.writes, b.writes),
                   disjoint("a.writes ∩ b.reads", a.writes, b.reads),
                   disjoint("a.reads ∩ b.writes", a.reads, b.writes)};
  result.summary = summary_of(decision, result.checks);
  if (const policy::SlotSet shared = a.reads.intersection(b.reads); !shared.empty()) {
    result.notes.push_back(fmt::format("both arms read {}, which is no conflict", to_text(shared)));
  }
  return result;
}

Explanation explain_copy_overlap(std::uint32_t copy_dst_slot, const policy::Arm& kernel) {
  constexpr Title kTitle{"copy_overlap", "D3: may a host-to-device copy overlap a kernel?"};
  const bool reads = kernel.reads.contains(copy_dst_slot);
  const bool writes = kernel.writes.contains(copy_dst_slot);
  Explanation result = titled(kTitle, to_string(policy::can_overlap_copy_with_kernel(copy_dst_slot, kernel)));
  const std::string_view touches =
      reads ? (writes ? "reads and writes" : "reads") : (writes ? "writes" : "does not touch");
  result.summary =
      fmt::format("{}: the kernel {} slot {}, which the copy fills", result.display, touches, copy_dst_slot);
  result.checks = {{"copy_dst_slot not in kernel.reads", kernel.reads, !reads},
                   {"copy_dst_slot not in kernel.writes", kernel.writes, !writes}};
  result.flips = {slot_flip(copy_dst_slot, kernel)};
  return result;
}

Explanation explain_primary_mode(const policy::PersistentKernelInputs& persistent,
                                 const policy::CommandReuseInputs& graph) {
  constexpr Title kTitle{"primary_mode", "Which launch mode: plain, a persistent kernel, or command reuse?"};
  policy::PersistentKernelInputs queue = persistent;
  policy::CommandReuseInputs replay = graph;
  const bool one_launch = queue.per_launch_overhead_ns == replay.per_launch_overhead_ns;
  const auto decide = [&] {
    if (one_launch) replay.per_launch_overhead_ns = queue.per_launch_overhead_ns;
    return policy::select_primary_execution_mode(policy::decide_persistent_kernel(queue),
                                                 policy::decide_command_reuse(replay));
  };
  const auto weigh = [&](auto... launches) {
    return weighed(kTitle, "persistent-kernel", decide, Dial{"batch_size", queue.batch_size},
                   Dial{"persistent_setup_overhead_ns", queue.persistent_setup_overhead_ns},
                   Dial{"repeat_count", replay.repeat_count}, Dial{"record_overhead_ns", replay.record_overhead_ns},
                   Dial{"replay_overhead_ns", replay.replay_overhead_ns}, launches...);
  };
  const Dial launch{"per_launch_overhead_ns", queue.per_launch_overhead_ns};
  const Dial graph_launch{"graph_per_launch_overhead_ns", replay.per_launch_overhead_ns};
  Explanation result = one_launch ? weigh(launch) : weigh(launch, graph_launch);
  result.savings = {saving_of("persistent_kernel", contest_of(persistent)),
                    saving_of("command_reuse", contest_of(graph))};
  result.summary = summary_of(decide().mode, result.savings[0], result.savings[1]);
  return result;
}

BundleExplanation explain(const policy::DispatchFacts& facts, std::uint32_t bindless_threshold) {
  BundleExplanation bundle;
  bundle.decisions = {explain(facts.persistent), explain_arms(facts.arm_a, facts.arm_b)};
  if (facts.copy_dst_slot) bundle.decisions.push_back(explain_copy_overlap(*facts.copy_dst_slot, facts.arm_a));
  bundle.decisions.insert(bundle.decisions.end(),
                          {explain(facts.graph), explain(facts.bindless, bindless_threshold), explain(facts.trace_jit),
                           explain_primary_mode(facts.persistent, facts.graph)});
  (void)policy::evaluate_dispatch_policy(
      facts, [&](auto events) { bundle.audit_events.assign(events.begin(), events.end()); }, bindless_threshold);
  return bundle;
}

}  // namespace vyre::report
