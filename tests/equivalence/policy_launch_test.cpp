#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <vyre/policy/dispatch_policy.hpp>
#include <vyre/runtime/session.hpp>
#include <vyre/runtime/tuner.hpp>

#include "tests/equivalence/devices.hpp"
#include "tests/equivalence/kernels.hpp"

// The policies' verdicts are what is launched, on the fake device's clock: elsewhere a choice depends on disturbances.

namespace vyre::tests {
namespace {

using runtime::Buffer;
using runtime::LaunchMode;
using runtime::params;
using runtime::Session;

using Word = std::uint32_t;

const program::Program& named(std::string_view kernel) { return program_of(kernel_index(kernel)); }

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error{to_string(result.error())};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// Launches batches of independent dispatches, waits for each batch `lag` batches later, and gives the report.
report::RunReport run_frames(Session& session, Word batches, std::size_t lag) {
  const auto x = must(session.buffer<Word>(64));
  std::vector<Buffer<Word>> outputs;
  for (int i = 0; i < 50; ++i) outputs.push_back(must(session.buffer<Word>(64)));
  std::deque<runtime::SessionTicket> pending;
  for (Word i = 0; i < batches; ++i) {
    for (const Buffer<Word>& each : outputs) {
      must(session.dispatch(named("mix"), {x, each}, {.params = params(3U)}));
    }
    pending.push_back(must(session.flush()));
    if (pending.size() <= lag) continue;
    must(session.wait(pending.front()));
    pending.pop_front();
  }
  return must(session.finish());
}

/// The least time that a pinned mode takes for the same.
std::uint64_t best_pinned_ns(Word batches, std::size_t lag) {
  std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
  for (const LaunchMode mode : runtime::kAllLaunchModes) {
    if (mode == LaunchMode::Auto) continue;
    Session session = must(Session::open(open_device("fake"), {.mode = mode}));
    must(session.finish());
    run_frames(session, batches, lag);
    best = std::min(best, run_frames(session, batches, lag).elapsed_ns);
  }
  return best;
}

// A program that keeps two frames in flight is never idle. It learns all the same.
TEST(LearningSessions, TwoFramesInFlightRunTrialsAndFindTheBestMode) {
  Session session = must(Session::open(open_device("fake"), {.calibrate_after = {}}));
  const auto report = run_frames(session, 600, 1);
  ASSERT_EQ(report.shapes.size(), 1);
  EXPECT_GT(report.shapes[0]->trials, 0) << to_text(*report.shapes[0]);
  EXPECT_TRUE(report.shapes[0]->measured_saving_ns) << to_text(*report.shapes[0]);
  const auto later = run_frames(session, 100, 1);
  EXPECT_LE(static_cast<double>(later.elapsed_ns), 1.1 * static_cast<double>(best_pinned_ns(100, 1)))
      << to_text(*later.shapes[0]);
}

struct LoopCosts {
  std::uint64_t auto_ns = 0;
  std::uint64_t best_pinned_ns = 0;
  std::string report = {};
};

/// Writes, makes a hundred dispatches with other parameters in each frame, reads, and waits for the frame that is `lag`
/// frames back: in every mode, once everything is learned. The host does not see the device's memory.
LoopCosts run_loop(std::size_t lag) {
  const auto run = [&](Session& session, Word frames) {
    const auto x = must(session.buffer<Word>(64));
    const auto sum = must(session.buffer<Word>(64));
    std::vector<Buffer<Word>> outputs;
    for (int i = 0; i < 99; ++i) outputs.push_back(must(session.buffer<Word>(64)));
    must(session.finish());
    std::deque<std::pair<runtime::SessionTicket, std::vector<Word>>> pending;
    for (Word i = 0; i < frames; ++i) {
      must(session.write(x, std::vector<Word>(64, i)));
      for (const Buffer<Word>& each : outputs) {
        must(session.dispatch(named("mix"), {x, each}, {.params = params(i)}));
      }
      must(session.dispatch(named("mix"), {outputs.back(), sum}, {.params = params(i)}));
      std::vector<Word>& host = pending.emplace_back(runtime::SessionTicket{}, std::vector<Word>(64)).second;
      must(session.read(sum, host));
      pending.back().first = must(session.flush());
      if (pending.size() <= lag) continue;
      must(session.wait(pending.front().first));
      pending.pop_front();
    }
    return must(session.finish());
  };
  const auto open = [] { return open_fake({.options = {.map_device_memory = false}}); };
  LoopCosts costs{.best_pinned_ns = std::numeric_limits<std::uint64_t>::max()};
  for (const LaunchMode mode : runtime::kAllLaunchModes) {
    Session session = must(Session::open(open(), {.mode = mode, .calibrate_after = {}}));
    run(session, mode == LaunchMode::Auto ? 600 : 20);
    const auto report = run(session, 100);
    if (mode == LaunchMode::Auto) {
      costs.auto_ns = report.elapsed_ns;
      costs.report = to_text(report);
    } else {
      costs.best_pinned_ns = std::min(costs.best_pinned_ns, report.elapsed_ns);
    }
  }
  return costs;
}

// The commonest loop gets the best mode, although its transfers use other staging memory in every frame.
TEST(LearningSessions, ALoopOfAWriteDispatchesAndAReadFindsTheBestMode) {
  for (const std::size_t lag : {0U, 1U, 2U}) {
    const LoopCosts costs = run_loop(lag);
    EXPECT_LE(static_cast<double>(costs.auto_ns), 1.05 * static_cast<double>(costs.best_pinned_ns))
        << lag << " frames pending\n"
        << costs.report;
  }
}

policy::DispatchFacts without(policy::DispatchFacts facts, policy::Substrate substrate) {
  if (substrate == policy::Substrate::PersistentKernel) facts.persistent = {};
  if (substrate == policy::Substrate::CommandReuse) facts.graph = {};
  if (substrate == policy::Substrate::Bindless) facts.bindless = {};
  return facts;
}

template <policy::Substrate Left>
policy::DispatchPolicy all_but(const policy::DispatchFacts& facts, std::uint32_t threshold) {
  return policy::evaluate(without(facts, Left), threshold);
}

std::set<policy::Substrate> decisions_of(policy::Evaluate policy) {
  const auto tuner = std::make_shared<runtime::Tuner>();
  tuner->set_policy(policy);
  Session session = must(Session::open(open_device("fake"), {.exploration = 0, .calibrate_after = {}, .tuner = tuner}));
  std::set<policy::Substrate> decisions;
  for (const policy::AuditEvent& each : run_frames(session, 40, 0).decisions) decisions.insert(each.substrate);
  return decisions;
}

// The verdict is what is launched: a policy that never answers one of the decisions changes the launch.
TEST(Policies, DecideWhatIsLaunched) {
  using policy::Substrate;
  const auto all = decisions_of(policy::evaluate);
  EXPECT_TRUE(all.contains(Substrate::PersistentKernel));
  EXPECT_TRUE(all.contains(Substrate::CommandReuse));
  const auto no_queue = decisions_of(all_but<Substrate::PersistentKernel>);
  EXPECT_FALSE(no_queue.contains(Substrate::PersistentKernel));
  const auto no_reuse = decisions_of(all_but<Substrate::CommandReuse>);
  EXPECT_FALSE(no_reuse.contains(Substrate::CommandReuse));
  EXPECT_TRUE(no_reuse.contains(Substrate::PersistentKernel));
}

// D2: a policy that makes every operation wait gives every dispatch a wave of its own.
TEST(Policies, DecideWhatMayRunAtOnce) {
  const auto waves_with = [](policy::Evaluate policy) {
    const auto tuner = std::make_shared<runtime::Tuner>();
    tuner->set_policy(policy);
    Session session = must(Session::open(open_device("fake"), {.mode = LaunchMode::Batched, .tuner = tuner}));
    return run_frames(session, 1, 0).waves;
  };
  EXPECT_EQ(waves_with(policy::evaluate), 1);
  EXPECT_EQ(waves_with([](const policy::DispatchFacts&, std::uint32_t) {
              return policy::DispatchPolicy{.arm_independence = policy::SerializeRequired{}};
            }),
            50);
}

// D3: a host write to bytes that no pending dispatch uses overlaps them, unless the policy says otherwise.
TEST(Policies, DecideWhetherAHostWriteOverlaps) {
  const auto overlapped_with = [](policy::Evaluate policy) {
    const auto tuner = std::make_shared<runtime::Tuner>();
    tuner->set_policy(policy);
    Session session = must(Session::open(open_device("fake"), {.mode = LaunchMode::Batched, .tuner = tuner}));
    const auto x = must(session.buffer<Word>(64));
    const auto y = must(session.buffer<Word>(64));
    const auto other = must(session.buffer<Word>(64));
    must(session.dispatch(named("mix"), {x, y}, {.params = params(3U)}));
    must(session.flush());
    const std::vector<Word> values(64, 7);
    must(session.write(other, values));
    std::vector<Word> actual(64);
    must(session.read(other, actual));
    const auto report = must(session.finish());
    EXPECT_EQ(actual, values);
    return report.bytes_overlapped;
  };
  EXPECT_EQ(overlapped_with(policy::evaluate), 256);
  EXPECT_EQ(overlapped_with([](const policy::DispatchFacts& facts, std::uint32_t threshold) {
              policy::DispatchPolicy answer = policy::evaluate(facts, threshold);
              if (answer.copy_overlap) answer.copy_overlap = policy::CopyOverlap::Serialize;
              return answer;
            }),
            0);
}

}  // namespace
}  // namespace vyre::tests
