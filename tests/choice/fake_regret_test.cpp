#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <backends/fake/fake_backend.hpp>
#include <vyre/backend/device.hpp>

#include "bench/fake_profiles.hpp"
#include "bench/regret_grid.hpp"

// On a clock without noise, what is chosen takes as long as the best mode does, for devices of very different kinds.

namespace vyre::tests {
namespace {

using bench::Workload;
using bench::WorkloadRunner;
using runtime::LaunchMode;

constexpr std::array kPinned = {LaunchMode::Plain,  LaunchMode::Batched,    LaunchMode::Replay,
                                LaunchMode::Merged, LaunchMode::Persistent, LaunchMode::Bindless};
constexpr int kWarmRuns = 40;
constexpr int kRuns = 4;

std::shared_ptr<backend::Device> open(const std::shared_ptr<backends::fake::Costs>& costs,
                                      const std::vector<bench::Kernel>& kernels) {
  backends::fake::FakeOptions options{.changing_costs = costs};
  for (const bench::Kernel& each : kernels) options.kernels[each.name] = [](const auto&) {};
  const auto backend = backends::fake::make_fake_backend(std::move(options));
  return backend::Device::open(*backend, backend->devices().value().front()).value();
}

double run(WorkloadRunner& runner, const Workload& workload, int warm_runs) {
  for (int i = 0; i < warm_runs; ++i) runner.run(workload);
  double ns = 0;
  for (int i = 0; i < kRuns; ++i) ns += runner.run(workload);
  return ns / kRuns;
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
  WorkloadRunner chosen{device, {}, kernels};
  // Learns in few runs what many would teach.
  WorkloadRunner curious{device, {.exploration = 0.5}, kernels};
  double logs = 0;
  double worst = 0;
  int count = 0;
  for (const Workload& workload : bench::make_grid(kernels, 1000)) {
    if (workload.dispatches * workload.times > 2000) continue;  // Runs in a second what it says takes long.
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
                            << (report.shapes.empty() ? "" : to_text(report.shapes[0]));
  }
  const double mean = std::exp(logs / count);
  EXPECT_LE(mean, 1.01);
  RecordProperty("geometric_mean", std::to_string(mean));
  RecordProperty("worst", std::to_string(worst));
  RecordProperty("workloads", count);
}

INSTANTIATE_TEST_SUITE_P(Profiles, FakeRegret, testing::ValuesIn(bench::fake_profiles()), [](const auto& each) {
  std::string name = each.param.name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

}  // namespace
}  // namespace vyre::tests
