// Batches that never have the same size: 500 batches of 1 to 200 small dispatches, by chance, each awaited. `auto`
// learns from the first batch on, on a calibrated device; beside it stands each pinned mode, in a session of its own,
// by turns of some batches.
//
//   bench_sizes [--only inline|threaded] [--rounds N] [--cpu-time] [--json FILE]

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vyre/runtime/tuner.hpp>

#include "bench/clock.hpp"
#include "bench/json_file.hpp"
#include "bench/lavapipe.hpp"
#include "bench/modes.hpp"
#include "bench/other_load.hpp"
#include "bench/paired.hpp"
#include "bench/small_dispatches.hpp"

namespace vyre::bench {
namespace {

using nlohmann::ordered_json;
using runtime::LaunchMode;

constexpr std::size_t kBatches = 500;
constexpr std::size_t kMostDispatches = 200;
constexpr std::size_t kBatchesOfTurn = 25;

/// The time of all batches in each mode, `auto` first. Sessions and what `auto` learns are new.
std::vector<double> run_round(const DevicePtr& device, const choice::Calibration& calibration, const Clock& clock,
                              std::uint64_t seed, std::size_t& trials, std::size_t& shapes) {
  const auto tuner = std::make_shared<runtime::Tuner>();
  must(tuner->set(calibration));
  std::vector<std::unique_ptr<SmallDispatches>> modes;
  modes.push_back(std::make_unique<SmallDispatches>(device, kMostDispatches, runtime::SessionOptions{.tuner = tuner}));
  for (const LaunchMode mode : kPinnedModes) {
    modes.push_back(std::make_unique<SmallDispatches>(device, kMostDispatches, runtime::SessionOptions{.mode = mode}));
  }
  // Not the library's distributions: they differ between libraries.
  std::mt19937_64 random{seed};
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < kBatches; ++i) sizes.push_back(1 + random() % kMostDispatches);
  std::vector<double> total_ns(modes.size());
  for (std::size_t begin = 0; begin < kBatches; begin += kBatchesOfTurn) {
    for (std::size_t turn = 0; turn < modes.size(); ++turn) {
      const std::size_t i = (begin / kBatchesOfTurn + turn) % modes.size();
      const double start = clock.now_ns();
      for (std::size_t j = begin; j < begin + kBatchesOfTurn; ++j) modes[i]->wait(modes[i]->launch(0, sizes[j]));
      total_ns[i] += clock.now_ns() - start;
    }
  }
  for (const std::uint64_t shape : tuner->shapes()) {
    const auto report = tuner->report(shape);
    trials += report ? report->trials : 0;
    ++shapes;
  }
  return total_ns;
}

ordered_json measure(bool is_inline, const Clock& clock, std::size_t rounds) {
  const DevicePtr device = open_lavapipe(is_inline);
  runtime::Tuner tuner;
  must(tuner.calibrate(*device, backend::kForever));
  const choice::Calibration calibration = tuner.calibration().value();
  std::size_t trials = 0;
  std::size_t shapes = 0;
  std::vector<std::vector<double>> all;
  const OtherLoad others;
  for (std::size_t round = 0; round < rounds; ++round) {
    all.push_back(run_round(device, calibration, clock, round + 1, trials, shapes));
  }
  ordered_json result{{"configuration", device->info().configuration},
                      {"other_cores", others.cores()},
                      {"trials", static_cast<double>(trials) / static_cast<double>(rounds)},
                      {"shapes", static_cast<double>(shapes) / static_cast<double>(rounds)},
                      {"modes", ordered_json::array()}};
  fmt::print("  {:<12} {:>10} {:>16}\n", "mode", "ms", "auto / mode");
  for (std::size_t i = 0; i <= kPinnedModes.size(); ++i) {
    std::vector<double> own;
    std::vector<double> ratios;
    for (const std::vector<double>& round : all) {
      own.push_back(round[i]);
      ratios.push_back(round[0] / round[i]);
    }
    const LogMean ratio = log_mean(ratios);
    const std::string_view name = i == 0 ? "auto" : to_string(kPinnedModes[i - 1]);
    fmt::print("  {:<12} {:>10.1f} {:>9.3f} ± {:.3f}\n", name, median(own) / 1e6, ratio.mean, ratio.mean * ratio.error);
    result["modes"].push_back(
        {{"mode", name}, {"total_ns", median(own)}, {"auto_over_mode", ratio.mean}, {"error", ratio.error}});
  }
  fmt::print("  auto knew {:.0f} shapes at the end, after {:.0f} trials; other processes used {:.1f} cores\n",
             static_cast<double>(shapes) / static_cast<double>(rounds),
             static_cast<double>(trials) / static_cast<double>(rounds), others.cores());
  std::fflush(stdout);
  return result;
}

int run(int argc, char** argv) {
  std::string json;
  std::string only;
  std::size_t rounds = 9;
  Clock clock;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--json" && i + 1 < argc) {
      json = argv[++i];
    } else if (argument == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else if (argument == "--cpu-time") {
      clock.is_cpu = true;
    } else if (argument == "--rounds" && i + 1 < argc) {
      rounds = std::max<std::size_t>(1, std::strtoul(argv[++i], nullptr, 10));
    } else {
      fmt::print(stderr, "usage: bench_sizes [--only inline|threaded] [--rounds N] [--cpu-time] [--json FILE]\n");
      return 2;
    }
  }
  keep_memory();
  fmt::print("{} batches of 1 to {} dispatches: time of all of them, median of {} rounds with new sessions;\n",
             kBatches, kMostDispatches, rounds);
  fmt::print("auto / mode: geometric mean over the rounds, and its standard error.\n");
  ordered_json all = ordered_json::array();
  for (const bool is_inline : {false, true}) {
    if (only.empty() || (only == "inline") == is_inline) all.push_back(measure(is_inline, clock, rounds));
  }
  return write_json(json, all) ? 0 : 2;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) { return vyre::bench::run(argc, argv); }
