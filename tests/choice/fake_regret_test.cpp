#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <backends/fake/fake_backend.hpp>
#include <vyre/backend/device.hpp>
#include <vyre/choice/line.hpp>

#include "bench/fake_profiles.hpp"
#include "bench/regret_grid.hpp"

// On a clock without noise, what is chosen takes as long as the best mode does, for devices of very different kinds.

namespace vyre::tests {
namespace {

using bench::Workload;
using bench::WorkloadRunner;
using runtime::LaunchMode;

constexpr std::array kPinned = {LaunchMode::Plain,      LaunchMode::Batched, LaunchMode::Replay,  LaunchMode::Merged,
                                LaunchMode::Persistent, LaunchMode::Chain,   LaunchMode::Bindless};
// Sanitizers make it slow, and find as much in the smaller ones.
#if defined(__has_feature)
constexpr std::uint32_t kMostDispatches =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ? 30 : 2000;
#else
constexpr std::uint32_t kMostDispatches = 2000;
#endif
constexpr int kWarmRuns = 60;
constexpr int kRuns = 9;

std::shared_ptr<backend::Device> open(const std::shared_ptr<backends::fake::Costs>& costs,
                                      const std::vector<bench::Kernel>& kernels) {
  backends::fake::FakeOptions options{.changing_costs = costs};
  for (const bench::Kernel& each : kernels) options.kernels[each.name] = [](const auto&) {};
  const auto backend = backends::fake::make_fake_backend(std::move(options));
  return backend::Device::open(*backend, backend->devices().value().front()).value();
}

/// The median of some runs: a trial now and then is no relapse.
double run(WorkloadRunner& runner, const Workload& workload, int warm_runs) {
  for (int i = 0; i < warm_runs; ++i) runner.run(workload);
  std::vector<double> ns;
  for (int i = 0; i < kRuns; ++i) ns.push_back(runner.run(workload));
  return choice::median(std::move(ns));
}

class FakeRegret : public testing::TestWithParam<bench::FakeProfile> {};

TEST_P(FakeRegret, WhatIsChosenTakesAsLongAsTheBestMode) {
  const std::vector<bench::Kernel> kernels = bench::make_kernels();
  const std::shared_ptr<backend::Device> device =
      open(std::make_shared<backends::fake::Costs>(GetParam().costs), kernels);
  std::vector<std::unique_ptr<WorkloadRunner>> pinned;
  for (const LaunchMode mode : kPinned) {
    pinned.push_back(std::make_unique<WorkloadRunner>(device, runtime::SessionOptions{.mode = mode}, kernels));
  }
  WorkloadRunner chosen{device, {.calibrate_after = {}}, kernels};
  // Learns in few runs what many would teach.
  WorkloadRunner curious{device, {.exploration = 0.5, .calibrate_after = {}}, kernels};
  double logs = 0;
  double worst = 0;
  int count = 0;
  for (const Workload& workload : bench::make_grid(kernels, 1000)) {
    if (workload.dispatches * workload.times > kMostDispatches) continue;
    double best = std::numeric_limits<double>::infinity();
    std::string best_mode;
    for (std::size_t i = 0; i < kPinned.size(); ++i) {
      const double ns = run(*pinned[i], workload, 3);
      if (ns < best) {
        best = ns;
        best_mode = to_string(kPinned[i]);
      }
    }
    run(curious, workload, kWarmRuns);
    const double ns = run(chosen, workload, kWarmRuns);
    const double regret = ns / best;
    logs += std::log(regret);
    worst = std::max(worst, regret);
    ++count;
    report::RunReport report;
    chosen.run(workload, &report);
    EXPECT_LE(regret, 1.10) << to_string(workload) << ": " << ns << " against " << best << " of " << best_mode << "\n"
                            << (report.shapes.empty() ? "" : to_text(*report.shapes[0]));
  }
  const double mean = std::exp(logs / count);
  EXPECT_LE(mean, 1.01);
  RecordProperty("geometric_mean", std::to_string(mean));
  RecordProperty("worst", std::to_string(worst));
  RecordProperty("workloads", count);
}

/// The least that a mode takes for a workload, after some runs of it.
double best_of(const std::shared_ptr<backend::Device>& device, const std::vector<bench::Kernel>& kernels,
               const Workload& workload) {
  double best = std::numeric_limits<double>::infinity();
  for (const LaunchMode mode : kPinned) {
    WorkloadRunner runner{device, {.mode = mode}, kernels};
    best = std::min(best, run(runner, workload, 3));
  }
  return best;
}

/// How many batches it takes to be near the best again after the costs have changed.
int batches_to_recover(const backends::fake::Costs& before, const backends::fake::Costs& after, Workload workload) {
  const std::vector<bench::Kernel> kernels = bench::make_kernels();
  const auto costs = std::make_shared<backends::fake::Costs>(before);
  const std::shared_ptr<backend::Device> device = open(costs, kernels);
  WorkloadRunner chosen{device, {.calibrate_after = {}}, kernels};
  run(chosen, workload, 400);
  EXPECT_LE(run(chosen, workload, 0), 1.05 * best_of(device, kernels, workload));
  *costs = after;
  const double best = best_of(device, kernels, workload);
  // A trial now and then is no relapse.
  constexpr int kGoodRuns = 4;
  int good = 0;
  int batches = 0;
  while (good < kGoodRuns && batches < 100) {
    ++batches;
    good = chosen.run(workload) <= 1.10 * best ? good + 1 : 0;
  }
  return batches - kGoodRuns;
}

TEST(ChangingCosts, AreNoticedWithinTwentyBatches) {
  const Workload workload{.dispatches = 100};
  const backends::fake::Costs usual = bench::fake_profiles()[0].costs;
  // One launch of many is best, until its items take long.
  backends::fake::Costs slow_items = usual;
  slow_items.item_ns = 20'000;
  EXPECT_LE(batches_to_recover(usual, slow_items, workload), 20);
  // And the other way round: a list that was kept is best, until its dispatches take long.
  backends::fake::Costs slow_dispatches = slow_items;
  slow_dispatches.dispatch_ns = 100'000;
  EXPECT_LE(batches_to_recover(slow_items, slow_dispatches, workload), 20);
}

TEST(Exploration, TakesNoMoreThanItsShare) {
  const std::vector<bench::Kernel> kernels = bench::make_kernels();
  const std::shared_ptr<backend::Device> device =
      open(std::make_shared<backends::fake::Costs>(bench::fake_profiles()[0].costs), kernels);
  for (const Workload& workload : {Workload{.dispatches = 100}, Workload{.dispatches = 10, .is_same = false},
                                   Workload{.pattern = bench::Pattern::Chained, .dispatches = 50}}) {
    WorkloadRunner chosen{device, {.calibrate_after = {}}, kernels};
    report::RunReport report;
    for (int i = 0; i < 2000; ++i) chosen.run(workload, &report);
    ASSERT_EQ(report.shapes.size(), 1U);
    EXPECT_GT(report.shapes[0]->trials, 0U) << to_text(*report.shapes[0]);
    EXPECT_LE(report.shapes[0]->trial_cost_ns, 0.03 * report.shapes[0]->total_ns) << to_text(*report.shapes[0]);
  }
  WorkloadRunner incurious{device, {.exploration = 0, .calibrate_after = {}}, kernels};
  report::RunReport report;
  for (int i = 0; i < 200; ++i) incurious.run({.dispatches = 30}, &report);
  EXPECT_EQ(report.shapes[0]->trials, 0U);
}

TEST(Predictions, AreExactWhereThereIsNoNoise) {
  const std::vector<bench::Kernel> kernels = bench::make_kernels();
  for (const bench::FakeProfile& profile : bench::fake_profiles()) {
    SCOPED_TRACE(profile.name);
    const std::shared_ptr<backend::Device> device =
        open(std::make_shared<backends::fake::Costs>(profile.costs), kernels);
    WorkloadRunner chosen{device, {.calibrate_after = {}}, kernels};
    report::RunReport report;
    for (int i = 0; i < 4000; ++i) chosen.run({.dispatches = 40}, &report);
    ASSERT_EQ(report.shapes.size(), 1U);
    ASSERT_TRUE(report.shapes[0]->measured_saving_ns) << to_text(*report.shapes[0]);
    EXPECT_NEAR(report.shapes[0]->forecast_saving_ns, *report.shapes[0]->measured_saving_ns,
                0.05 * *report.shapes[0]->measured_saving_ns)
        << to_text(*report.shapes[0]);
    EXPECT_GT(report.errors.count, 0U);
    EXPECT_LE(report.errors.median, 0.05);
  }
}

TEST(Waits, ForAnotherNumberOfBatchesAreLearnedFrom) {
  const std::vector<bench::Kernel> kernels = bench::make_kernels();
  const std::shared_ptr<backend::Device> device =
      open(std::make_shared<backends::fake::Costs>(bench::fake_profiles()[0].costs), kernels);
  WorkloadRunner chosen{device, {.calibrate_after = {}}, kernels};
  report::RunReport report;
  for (const std::uint32_t times : {10U, 1U, 10U}) {
    const Workload workload{.pattern = bench::Pattern::Chained, .dispatches = 40, .is_same = false, .times = times};
    double taken = 0;
    for (int i = 0; i < 400; ++i) taken = chosen.run(workload, &report) / times;
    ASSERT_EQ(report.shapes.size(), 1U);
    const report::ShapeReport& shape = *report.shapes[0];
    const auto used = std::ranges::find(shape.ways, shape.chosen, &report::WayReport::way);
    ASSERT_NE(used, shape.ways.end());
    EXPECT_NEAR(used->estimate_ns, taken, 0.05 * taken) << times << " times\n" << to_text(shape);
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, FakeRegret, testing::ValuesIn(bench::fake_profiles()), [](const auto& each) {
  std::string name = each.param.name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

}  // namespace
}  // namespace vyre::tests
