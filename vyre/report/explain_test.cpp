#include <vyre/report/explain.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <random>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace vyre::report {
namespace {

using policy::Arm;
using policy::BindlessInputs;
using policy::BindlessSupport;
using policy::CommandReuseInputs;
using policy::PersistentKernelInputs;
using policy::SlotSet;
using policy::TraceJitInputs;

constexpr std::uint32_t kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

// The batch of the reference vectors.
constexpr PersistentKernelInputs kBatch{500, 5'000, 1'000, 50'000};
constexpr CommandReuseInputs kRepeats{500, 5'000, 25'000, 500};

TEST(Explain, TellsWhyAPersistentKernelWins) {
  EXPECT_EQ(to_string(explain(kBatch)), R"(persistent kernel: saves 2,450,000 ns of 2,500,000 ns (98.0%)

  standard launches  500 × 5,000  2,500,000 ns
  persistent kernel  50,000          50,000 ns

  batch size ≥ 2  holds: 500

break-even: persistent kernel wins from a batch size of 11 on

what alone would flip it to standard-launches
  batch size                        500  → 10 or less
  per launch overhead, ns         5,000  → 100 or less
  per item kernel, ns             1,000    no per item kernel would
  persistent setup overhead, ns  50,000  → 2,500,000 or more

note: the time per item is paid either way and does not count
)");
}

TEST(Explain, GivesEveryModeWithWhatItSaves) {
  EXPECT_EQ(to_string(explain_primary_mode(kBatch, kRepeats)),
            R"(persistent kernel: saves 2,450,000 ns, 225,000 ns more than command reuse

  persistent kernel  2,500,000 − 50,000   2,450,000 ns saved
  command reuse      2,500,000 − 275,000  2,225,000 ns saved

break-even: persistent kernel wins from a batch size of 456 on

what alone would flip it
  batch size                        500  → 455 or less: command-reuse
  persistent setup overhead, ns  50,000  → 275,000 or more: command-reuse
  repeat count                      500  → 550 or more: command-reuse
  record overhead, ns            25,000    no record overhead would
  replay overhead, ns               500  → 50 or less: command-reuse
  per launch overhead, ns         5,000  → 100 or less: plain-launches
)");
}

TEST(Explain, ShowsEveryIntersectionOfTheArms) {
  EXPECT_EQ(to_string(explain_arms({.reads = {0, 7}, .writes = {2}}, {.reads = {2, 7}, .writes = {0, 5}})),
            R"(serialize required: a writes, then b reads, {2} (read-after-write)

  a.writes ∩ b.writes is empty  holds: {}
  a.writes ∩ b.reads is empty   fails: {2}
  a.reads ∩ b.writes is empty   fails: {0}

note: both arms read {7}, which is no conflict
)");
}

TEST(Explain, WritesJsonWithTimesAsStrings) {
  const PersistentKernelInputs tie{
      .batch_size = 10, .per_launch_overhead_ns = 5'000, .persistent_setup_overhead_ns = 50'000};
  EXPECT_EQ(
      to_json(explain(tie)),
      R"({"policy":"persistent_kernel","question":"D1: N launches, or one persistent kernel draining a device-side queue?",)"
      R"("decision":{"decision":"standard_launches"},"display":"standard-launches",)"
      R"("summary":"standard launches: a persistent kernel would cost the same, and a tie stays plain",)"
      R"("checks":[{"condition":"batch_size ≥ 2","value":10,"holds":true}],)"
      R"("costs":[{"name":"standard_launches","formula":"10 × 5000","ns":"50000"},)"
      R"({"name":"persistent_kernel","formula":"50000","ns":"50000"}],"savings":[],)"
      R"("break_even":{"input":"batch_size","value":11,"winner":"persistent-kernel"},)"
      R"("flips":[{"input":"batch_size","from":10,"to":11,"decision":"persistent-kernel:5000","and_beyond":true},)"
      R"({"input":"per_launch_overhead_ns","from":"5000","to":"5001","decision":"persistent-kernel:10","and_beyond":true},)"
      R"({"input":"per_item_kernel_ns","from":"0","to":null,"decision":null,"and_beyond":false},)"
      R"({"input":"persistent_setup_overhead_ns","from":"50000","to":"49999","decision":"persistent-kernel:1",)"
      R"("and_beyond":true}],"notes":[]})");
}

TEST(Explain, AnswersABundleInTheOrderOfTheVectors) {
  policy::DispatchFacts facts{};
  facts.persistent = kBatch;
  facts.copy_dst_slot = 7;
  const auto policies = [&facts] {
    std::vector<std::string> names;
    for (const Explanation& decision : explain(facts).decisions) names.push_back(decision.policy);
    return names;
  };
  EXPECT_EQ(policies(), (std::vector<std::string>{"persistent_kernel", "arm_independence", "copy_overlap",
                                                  "command_reuse", "bindless", "trace_jit", "primary_mode"}));
  EXPECT_NE(to_string(explain(facts)).find("\n  persistent_kernel queue_batch saved=2450000ns launch_overhead\n"),
            std::string::npos);
  facts.copy_dst_slot.reset();
  EXPECT_EQ(policies().size(), 6U);
}

/// The inputs of every decision.
struct Case {
  PersistentKernelInputs queue;
  CommandReuseInputs replay;
  TraceJitInputs jit;
  BindlessInputs table;
  std::uint32_t threshold = 0;
};

/// One input as a number, for turning it by hand.
struct Input {
  std::string_view name;
  std::uint64_t max = 0;
  std::function<std::uint64_t(const Case&)> get;
  std::function<void(Case&, std::uint64_t)> set;
};

template <typename Place>
Input input(std::string_view name, Place place) {
  using T = std::remove_cvref_t<decltype(place(std::declval<Case&>()))>;
  constexpr bool kIsKind = std::is_same_v<T, BindlessSupport>;
  return {.name = name,
          .max = kIsKind ? 2 : static_cast<std::uint64_t>(std::numeric_limits<T>::max()),
          .get = [place](const Case& in) { return static_cast<std::uint64_t>(place(in)); },
          .set = [place](Case& in, std::uint64_t value) { place(in) = static_cast<T>(value); }};
}

const Input kBatchSize = input("batch_size", [](auto& in) -> auto& { return in.queue.batch_size; });
const Input kLaunch =
    input("per_launch_overhead_ns", [](auto& in) -> auto& { return in.queue.per_launch_overhead_ns; });
const Input kItem = input("per_item_kernel_ns", [](auto& in) -> auto& { return in.queue.per_item_kernel_ns; });
const Input kSetup =
    input("persistent_setup_overhead_ns", [](auto& in) -> auto& { return in.queue.persistent_setup_overhead_ns; });
const Input kRepeatCount = input("repeat_count", [](auto& in) -> auto& { return in.replay.repeat_count; });
const Input kGraphLaunch =
    input("graph_per_launch_overhead_ns", [](auto& in) -> auto& { return in.replay.per_launch_overhead_ns; });
const Input kRecord = input("record_overhead_ns", [](auto& in) -> auto& { return in.replay.record_overhead_ns; });
const Input kReplay = input("replay_overhead_ns", [](auto& in) -> auto& { return in.replay.replay_overhead_ns; });
const Input kHits = input("shader_hit_count", [](auto& in) -> auto& { return in.jit.shader_hit_count; });
const Input kConfidence =
    input("prediction_confidence_bps", [](auto& in) -> auto& { return in.jit.prediction_confidence_bps; });
const Input kSpecCost =
    input("speculative_spec_cost_ns", [](auto& in) -> auto& { return in.jit.speculative_spec_cost_ns; });
const Input kMissCost = input("miss_cost_ns", [](auto& in) -> auto& { return in.jit.miss_cost_ns; });
const Input kResources = input("resource_count", [](auto& in) -> auto& { return in.table.resource_count; });
const Input kSupport = input("support", [](auto& in) -> auto& { return in.table.support; });
const Input kDynamic = input("dynamic_indexing", [](auto& in) -> auto& { return in.table.dynamic_indexing; });
const Input kThreshold = input("threshold", [](auto& in) -> auto& { return in.threshold; });

/// A decision under test. The first of its inputs has the break-even.
struct Subject {
  std::function<std::string(const Case&)> display;
  std::function<Explanation(const Case&)> explain;
  std::vector<Input> inputs;

  [[nodiscard]] std::string display_at(Case in, const Input& turned, std::uint64_t value) const {
    turned.set(in, value);
    return display(in);
  }
  /// The display without the savings.
  [[nodiscard]] std::string verdict_at(const Case& in, const Input& turned, std::uint64_t value) const {
    const std::string text = display_at(in, turned, value);
    return text.substr(0, text.find(':'));
  }
};

std::uint64_t number_of(const Setting& setting) {
  if (const auto* count = std::get_if<std::uint32_t>(&setting)) return *count;
  if (const auto* ns = std::get_if<std::uint64_t>(&setting)) return *ns;
  if (const auto* support = std::get_if<BindlessSupport>(&setting)) return static_cast<std::uint64_t>(*support);
  return std::get<bool>(setting) ? 1 : 0;
}

/// Each flip flips, one step nearer does not, and where none is reported the end of the range does not.
void expect_exact_flips(const Subject& subject, const Case& in, const Explanation& explanation, const Input& turned) {
  SCOPED_TRACE(turned.name);
  const std::uint64_t now = turned.get(in);
  const auto verdict_at = [&](std::uint64_t value) { return subject.verdict_at(in, turned, value); };
  const std::string verdict = verdict_at(now);
  std::uint64_t lowest = 0;  // Up to the flips, or to the ends of the range, the verdict is the same.
  std::uint64_t highest = turned.max;
  std::size_t mentioned = 0;
  for (const Flip& flip : explanation.flips) {
    if (flip.input != turned.name) continue;
    ++mentioned;
    ASSERT_EQ(number_of(flip.from), now);
    if (!flip.to) continue;
    const std::uint64_t to = number_of(*flip.to);
    ASSERT_NE(verdict_at(to), verdict);
    ASSERT_EQ(flip.decision, subject.display_at(in, turned, to));
    ASSERT_EQ(flip.and_beyond, verdict_at(to < now ? 0 : turned.max) == verdict_at(to));
    (to < now ? lowest : highest) = to < now ? to + 1 : to - 1;
  }
  ASSERT_EQ(mentioned, lowest != 0 && highest != turned.max ? 2U : 1U);
  ASSERT_EQ(verdict_at(lowest), verdict);
  ASSERT_EQ(verdict_at(highest), verdict);
}

void expect_exact_break_even(const Subject& subject, const Case& in, const BreakEven& even) {
  const Input& count = subject.inputs.front();
  ASSERT_EQ(even.input, count.name);
  ASSERT_EQ(subject.verdict_at(in, count, even.value.value_or(kMax32)) == even.winner, even.value.has_value());
  if (even.value.value_or(0) == 0) return;
  ASSERT_NE(subject.verdict_at(in, count, *even.value - 1), even.winner);
}

void expect_readable(const std::string& text) {
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line{part.begin(), part.end()};
    const auto columns = std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
    ASSERT_LE(columns, 100) << line;
    ASSERT_FALSE(line.ends_with(' ')) << text;
  }
}

/// Numbers as they break arithmetic: ends of ranges, thresholds and their neighbours, and every magnitude.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : random_{seed} {}

  std::uint64_t below(std::uint64_t count) { return random_() % count; }
  std::uint64_t u64() {
    static constexpr std::array<std::uint64_t, 8> kEdges{0, 2, 8, 24, 6'000, 10'000, kMax32, kMax64};
    switch (below(4)) {
      case 0: return std::max<std::uint64_t>(kEdges.at(below(kEdges.size())), 1) - 1 + below(3);
      case 1: return below(100);
      default: return random_() >> below(64);
    }
  }
  std::uint32_t u32() { return static_cast<std::uint32_t>(u64()); }
  /// Near `target`, so that ties and the steps beside them come up, or anywhere.
  std::uint64_t near(u128 target) {
    const u128 value = target + below(3) - (target > 0 ? 1 : 0);
    return value <= kMax64 && below(2) == 0 ? static_cast<std::uint64_t>(value) : u64();
  }

 private:
  std::mt19937_64 random_;
};

Case draw(Numbers& numbers) {
  Case in;
  in.queue = {numbers.u32(), numbers.u64(), numbers.u64(), 0};
  in.queue.persistent_setup_overhead_ns = numbers.near(u128{in.queue.batch_size} * in.queue.per_launch_overhead_ns);
  in.replay = {numbers.u32(), numbers.u64(), 0, 0};
  const std::uint64_t launch = in.replay.per_launch_overhead_ns;
  in.replay.replay_overhead_ns = numbers.near(launch);
  const std::uint64_t saved = launch - std::min(launch, in.replay.replay_overhead_ns);
  in.replay.record_overhead_ns = numbers.near(u128{in.replay.repeat_count} * saved);
  in.jit = {numbers.u32(), numbers.u32(), 0, numbers.u64()};
  in.jit.speculative_spec_cost_ns = numbers.near(expected_miss_cost_ns(in.jit));
  in.table = {numbers.u32(), static_cast<BindlessSupport>(numbers.below(3)), numbers.below(2) == 0};
  in.threshold = static_cast<std::uint32_t>(numbers.near(in.table.resource_count));
  return in;
}

/// Some 100,000 cases in all.
void expect_exact(
    const Subject& subject, std::uint64_t seed, const std::function<void(Case&)>& prepare = [](Case&) {}) {
  Numbers numbers{seed};
  for (int i = 0; i < 17'000 && !testing::Test::HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    Case in = draw(numbers);
    prepare(in);
    const Explanation explanation = subject.explain(in);
    for (const Input& turned : subject.inputs) expect_exact_flips(subject, in, explanation, turned);
    expect_exact_break_even(subject, in, *explanation.break_even);
    if (i % 16 == 0) expect_readable(to_string(explanation));
  }
}

TEST(ExplainProperty, PersistentKernelFlipsAreExact) {
  expect_exact({.display = [](const Case& in) { return to_string(decide_persistent_kernel(in.queue)); },
                .explain = [](const Case& in) { return explain(in.queue); },
                .inputs = {kBatchSize, kLaunch, kItem, kSetup}},
               1);
}

TEST(ExplainProperty, CommandReuseFlipsAreExact) {
  Input launch = kGraphLaunch;
  launch.name = "per_launch_overhead_ns";
  expect_exact({.display = [](const Case& in) { return to_string(decide_command_reuse(in.replay)); },
                .explain = [](const Case& in) { return explain(in.replay); },
                .inputs = {kRepeatCount, launch, kRecord, kReplay}},
               2);
}

TEST(ExplainProperty, TraceJitFlipsAreExact) {
  expect_exact({.display = [](const Case& in) { return to_string(decide_trace_jit_speculation(in.jit)); },
                .explain = [](const Case& in) { return explain(in.jit); },
                .inputs = {kConfidence, kHits, kSpecCost, kMissCost}},
               3);
}

TEST(ExplainProperty, BindlessFlipsAreExact) {
  expect_exact(
      {.display = [](const Case& in) { return std::string{to_string(decide_bindless(in.table, in.threshold))}; },
       .explain = [](const Case& in) { return explain(in.table, in.threshold); },
       .inputs = {kResources, kSupport, kDynamic, kThreshold}},
      4);
}

std::string primary_display(const Case& in) {
  return to_string(select_primary_execution_mode(decide_persistent_kernel(in.queue), decide_command_reuse(in.replay)));
}

TEST(ExplainProperty, PrimaryModeFlipsAreExact) {
  expect_exact({.display = primary_display,
                .explain = [](const Case& in) { return explain_primary_mode(in.queue, in.replay); },
                .inputs = {kBatchSize, kSetup, kRepeatCount, kRecord, kReplay, kLaunch, kGraphLaunch}},
               5, [](Case& in) {
                 const bool equal = in.queue.per_launch_overhead_ns == in.replay.per_launch_overhead_ns;
                 in.queue.per_launch_overhead_ns += equal ? 1 : 0;
               });
}

TEST(ExplainProperty, EqualLaunchOverheadsTurnAsOne) {
  Input both = kLaunch;
  both.set = [](Case& in, std::uint64_t value) {
    in.queue.per_launch_overhead_ns = in.replay.per_launch_overhead_ns = value;
  };
  expect_exact({.display = primary_display,
                .explain = [](const Case& in) { return explain_primary_mode(in.queue, in.replay); },
                .inputs = {kBatchSize, kSetup, kRepeatCount, kRecord, kReplay, both}},
               6, [](Case& in) { in.queue.per_launch_overhead_ns = in.replay.per_launch_overhead_ns; });
}

/// D1 by algebra instead of by search: with n·L > S the verdict flips at n ≤ S / L, L ≤ S / n and S ≥ n·L.
TEST(ExplainProperty, PersistentKernelFlipsAgreeWithTheAlgebra) {
  Numbers numbers{7};
  for (int i = 0; i < 10'000; ++i) {
    const PersistentKernelInputs in = draw(numbers).queue;
    const u128 launches = u128{in.batch_size} * in.per_launch_overhead_ns;
    if (in.batch_size < 2 || launches <= in.persistent_setup_overhead_ns) continue;
    const std::vector<Flip> flips = explain(in).flips;
    const std::uint64_t setup = in.persistent_setup_overhead_ns;
    ASSERT_EQ(number_of(*flips[0].to), std::max<std::uint64_t>(setup / in.per_launch_overhead_ns, 1));
    ASSERT_EQ(number_of(*flips[1].to), setup / in.batch_size);
    ASSERT_EQ(flips[2].to, std::nullopt);
    ASSERT_EQ(flips[3].to.has_value(), launches <= kMax64);
    ASSERT_EQ(flips[3].to ? u128{number_of(*flips[3].to)} : launches, launches);
  }
}

TEST(ExplainProperty, ACopyFlipsAtTheNearestSlot) {
  Numbers numbers{8};
  for (int i = 0; i < 10'000; ++i) {
    Arm kernel;
    const auto draw_slot = [&numbers] { return static_cast<std::uint32_t>(numbers.below(12)); };
    for (SlotSet* slots : {&kernel.reads, &kernel.writes}) {
      for (std::uint64_t n = numbers.below(6); n > 0; --n) slots->insert(draw_slot());
    }
    const std::uint32_t slot = draw_slot();
    const auto now = can_overlap_copy_with_kernel(slot, kernel);
    std::optional<Setting> nearest;
    for (std::uint32_t distance = 1; distance < 24 && !nearest; ++distance) {
      if (can_overlap_copy_with_kernel(slot + distance, kernel) != now) nearest = slot + distance;
      if (slot >= distance && can_overlap_copy_with_kernel(slot - distance, kernel) != now) nearest = slot - distance;
    }
    ASSERT_EQ(explain_copy_overlap(slot, kernel).flips.at(0).to, nearest) << to_string(kernel.reads);
  }
}

TEST(ExplainProperty, ManySlotsStayReadable) {
  for (const std::uint32_t step : {1U, 7U, 40'000'000U}) {
    SlotSet slots;
    for (std::uint32_t i = 0; i < 100; ++i) slots.insert(i * step);
    const Arm arm{.reads = slots, .writes = slots};
    expect_readable(to_string(explain_arms(arm, arm)));
    expect_readable(to_string(explain_copy_overlap(kMax32, arm)));
  }
}

}  // namespace
}  // namespace vyre::report
