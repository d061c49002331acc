// How close a rule of choosing comes to one that knows everything, on simulated programs: `bench_choice`.
//
// `--seeds FROM COUNT` takes other programs: all constants of the choice were set by seeds 1 to 400,
// docs/performance.md gives the figures of seeds 1000 to 1399.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include <vyre/choice/mode_choice.hpp>

#include "bench/choice_simulator.hpp"

namespace vyre::bench {
namespace {

/// The rule of the runtime, for batches of 100 alike dispatches.
class ChosenModes {
 public:
  ChosenModes() {
    calibration_.bound.slope_ns = 2;
    calibration_.table.slope_ns = 1;
  }
  [[nodiscard]] choice::Choice choose(const choice::Forecast& forecast, const choice::Moment& moment) {
    return choice_.choose(shape_, calibration_, forecast, moment);
  }
  void observe(choice::Way way, double ns) { choice_.observe(way, ns, 1); }
  void note_setup(double ns) { choice_.note_setup(ns); }

 private:
  choice::BatchShape shape_{
      .key = 1, .kinds = {{.program = 1, .count = 100, .groups = 1, .resources = 3}}, .dispatches = 100};
  choice::Calibration calibration_;
  choice::ModeChoice choice_;
};

/// Always one list, recorded anew.
class NoChoice {
 public:
  [[nodiscard]] static choice::Choice choose(const choice::Forecast& /*forecast*/, const choice::Moment& /*moment*/) {
    return {};
  }
  static void observe(choice::Way /*way*/, double /*ns*/) {}
  static void note_setup(double /*ns*/) {}
};

/// The mode with the least forecast, for ever.
class ForecastAlone {
 public:
  [[nodiscard]] choice::Choice choose(const choice::Forecast& forecast, choice::Moment moment) {
    moment.exploration = 0;
    return choice_.choose(forecast, moment);
  }
  static void observe(choice::Way /*way*/, double /*ns*/) {}
  void note_setup(double ns) { choice_.note_setup(ns); }

 private:
  ChosenModes choice_;
};

struct Summary {
  double mean = 0;         ///< Total time over the oracle's, geometric mean.
  double error = 0;        ///< Standard error of its logarithm.
  double trials = 0;       ///< Share of the time that trials cost, on average,
  double most_trials = 0;  ///< and at the most, beside the costliest trial of a program.
};

template <typename Rule>
Summary summarise(const Scenario& scenario, std::uint64_t first, std::uint64_t count) {
  double sum = 0;
  double squares = 0;
  Summary result;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const SimulatedRun run = simulate<Rule>(scenario, seed);
    const double log = std::log(run.total_ns / run.oracle_ns);
    sum += log;
    squares += log * log;
    result.trials += run.trial_ns / run.total_ns / static_cast<double>(count);
    result.most_trials = std::max(result.most_trials, (run.trial_ns - run.longest_trial_ns) / run.total_ns);
  }
  const auto n = static_cast<double>(count);
  result.mean = std::exp(sum / n);
  result.error = std::sqrt(std::max(squares / n - sum / n * (sum / n), 0.0) / n);
  return result;
}

int run(int argc, char** argv) {
  std::uint64_t first = 1000;
  std::uint64_t count = 400;
  if (argc == 4 && std::string_view{argv[1]} == "--seeds") {
    first = std::strtoull(argv[2], nullptr, 10);
    count = std::strtoull(argv[3], nullptr, 10);
  } else if (argc != 1) {
    fmt::print(stderr, "usage: bench_choice [--seeds FROM COUNT]\n");
    return 2;
  }
  if (count == 0) {
    fmt::print(stderr, "error: --seeds has a count of 0, it takes 1 or more\n");
    return 2;
  }
  fmt::print("total time over that of an oracle, {} programs per line, seeds {} to {}\n", count, first,
             first + count - 1);
  fmt::print("{:<12} {:>16} {:>10} {:>14} {:>10} {:>20}\n", "disturbance", "chosen", "anew", "forecast only", "trials",
             "most, without one");
  for (const Scenario& scenario : kScenarios) {
    const Summary chosen = summarise<ChosenModes>(scenario, first, count);
    const Summary anew = summarise<NoChoice>(scenario, first, count);
    const Summary forecast = summarise<ForecastAlone>(scenario, first, count);
    fmt::print("{:<12} {:>8.3f} ± {:.3f} {:>10.3f} {:>14.3f} {:>8.1f} % {:>18.1f} %\n", scenario.name, chosen.mean,
               chosen.error, anew.mean, forecast.mean, 100 * chosen.trials, 100 * chosen.most_trials);
  }
  return 0;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) { return vyre::bench::run(argc, argv); }
