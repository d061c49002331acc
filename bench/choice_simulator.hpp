#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include <vyre/choice/forecast.hpp>
#include <vyre/choice/mode_choice.hpp>
#include <vyre/choice/way.hpp>

/// Batches of one shape on a device that exists only as a few random numbers, so that two rules of choosing are
/// compared on the same batches, and every time is the same on every machine.
namespace vyre::bench {

/// The disturbances of the times of batches.
struct Scenario {
  std::string_view name = {};
  double noise = 0.03;          ///< Standard deviation of the logarithm of a time.
  double spikes = 0;            ///< Share of the batches that take two to five times as long.
  double drift = 0;             ///< Standard deviation of the logarithm of the device's speed over 100 batches.
  bool has_two_speeds = false;  ///< The device is 1.8 times slower for 20 to 500 batches, then fast for as many.
  bool has_change = false;      ///< Once, one form becomes 1.3 to 3 times slower, or faster.
};

inline constexpr std::array kScenarios = {
    Scenario{.name = "quiet", .noise = 0.03},
    Scenario{.name = "noise 10 %", .noise = 0.10, .spikes = 0.01},
    Scenario{.name = "noise 25 %", .noise = 0.25, .spikes = 0.03},
    Scenario{.name = "drift", .noise = 0.05, .spikes = 0.01, .drift = 0.3},
    Scenario{.name = "two speeds", .noise = 0.05, .spikes = 0.01, .has_two_speeds = true},
    Scenario{.name = "change", .noise = 0.05, .spikes = 0.01, .has_change = true},
    Scenario{.name = "all", .noise = 0.15, .spikes = 0.02, .drift = 0.3, .has_two_speeds = true, .has_change = true},
};

/// The batches of one program, and what each takes in every way.
class SimulatedShape {
 public:
  SimulatedShape(const Scenario& scenario, std::uint64_t seed) : random_{seed}, scenario_{scenario} {
    using choice::Way;
    batches_ = static_cast<std::uint32_t>(std::exp(uniform(std::log(10.0), std::log(5000.0))));
    repeats_ = uniform(0, 1) < 0.7;
    const double unit = std::exp(uniform(std::log(2e4), std::log(2e6)));
    const double kernels = normal(0.3);
    const double record = uniform(0.5, 3) * unit;
    const double compile = uniform(3, 60) * unit;
    const std::array<double, 3> forms = {normal(0.5) - 0.3, normal(0.5) - 0.2, normal(0.7)};
    const std::array<double, 3> mistakes = {normal(0.3), normal(0.3), normal(0.4)};
    const double kept = uniform(0, 0.8);
    const auto set = [&](Way way, double log_time, double mistake, double setup, bool is_possible) {
      const auto i = static_cast<std::size_t>(way);
      true_ns_[i] = unit * std::exp(log_time);
      const double predicted = true_ns_[i] * std::exp(kernels + mistake + normal(0.08));
      forecast_.ways[i] = {.is_possible = is_possible, .ns = predicted, .setup_ns = setup};
    };
    set(Way::Batched, 0, 0, 0, true);
    set(Way::Plain, uniform(0.2, 2.5), normal(0.2), 0, true);
    set(Way::Replay, -kept, 0, record, true);
    set(Way::Table, -kept + normal(0.3), normal(0.2), record, uniform(0, 1) < 0.8);
    const std::array ways = {Way::Merged, Way::Persistent, Way::Chain};
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const bool has = uniform(0, 1) < 0.7;
      set(ways[i], forms[i], mistakes[i], compile, has);
      set(choice::kept_of(ways[i]), forms[i] - kept * uniform(0.3, 1), mistakes[i], compile + record, has);
    }
    changes_at_ = static_cast<std::uint32_t>(uniform(0.2, 0.8) * batches_);
    // A form that is used changes, not one that nobody would notice.
    changed_ = choice::form_of(best(0));
    change_ = std::exp(uniform(std::log(1.3), std::log(3.0)));
    if (uniform(0, 1) < 0.3) change_ = 1 / change_;
  }

  [[nodiscard]] const choice::Forecast& forecast() const noexcept { return forecast_; }
  [[nodiscard]] std::uint32_t batches() const noexcept { return batches_; }
  [[nodiscard]] bool repeats() const noexcept { return repeats_; }
  [[nodiscard]] double setup_ns(choice::Way way) const noexcept { return forecast_.of(way).setup_ns; }

  /// The time of the `n`th batch in a way, undisturbed, at a device of speed 1.
  [[nodiscard]] double true_ns(choice::Way way, std::uint32_t n) const noexcept {
    const bool is_changed = scenario_.has_change && n >= changes_at_ && choice::form_of(way) == changed_;
    return true_ns_[static_cast<std::size_t>(way)] * (is_changed ? change_ : 1);
  }
  /// The way that takes least from the `n`th batch on until times change or the program ends, setup included.
  [[nodiscard]] choice::Way best(std::uint32_t n) const noexcept {
    const std::uint32_t end = scenario_.has_change && n < changes_at_ ? changes_at_ : batches_;
    return *std::ranges::min_element(choice::kAllWays, {}, [&](choice::Way way) {
      return may_use(way) ? (end - n) * true_ns(way, n) + setup_ns(way) : 1e300;
    });
  }
  [[nodiscard]] bool is_turn(std::uint32_t n) const noexcept { return n == 0 || n == changes_at_; }
  [[nodiscard]] bool may_use(choice::Way way) const noexcept {
    return forecast_.of(way).is_possible && (repeats_ || !choice::is_replay(way));
  }
  /// The factor by which the next batch is slower, in any launch mode; called once for each batch.
  [[nodiscard]] double disturbance() {
    if (scenario_.drift > 0) {
      log_speed_ = std::clamp(log_speed_ + normal(scenario_.drift / 10), -0.7, 0.7);
    }
    if (scenario_.has_two_speeds && left_ == 0) {
      is_slow_ = !is_slow_;
      left_ = static_cast<std::uint32_t>(std::exp(uniform(std::log(20.0), std::log(500.0))));
    }
    left_ -= left_ > 0 ? 1U : 0U;
    const double spike = uniform(0, 1) < scenario_.spikes ? uniform(2, 5) : 1;
    // Disturbances mostly add time.
    const double noise = std::exp(std::abs(normal(scenario_.noise)) * (uniform(0, 1) < 0.7 ? 1 : -0.5));
    return std::exp(log_speed_) * (is_slow_ ? 1.8 : 1) * spike * noise;
  }
  /// The factor by which the first batch after a switch to another launch mode is slower.
  [[nodiscard]] double switching() { return 1 + uniform(0, 0.5); }

 private:
  [[nodiscard]] double uniform(double from, double to) {
    // Not the library's distributions: they differ between libraries.
    return from + (to - from) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  [[nodiscard]] double normal(double deviation) {
    const double radius = std::sqrt(-2 * std::log(1 - uniform(0, 1)));
    return deviation * radius * std::cos(2 * 3.14159265358979323846 * uniform(0, 1));
  }

  std::mt19937_64 random_;
  Scenario scenario_;
  choice::Forecast forecast_ = {};
  std::array<double, choice::kWays> true_ns_ = {};
  std::uint32_t batches_ = 0;
  bool repeats_ = true;
  std::uint32_t changes_at_ = 0;
  program::FormKind changed_ = program::FormKind::Descriptor;
  double change_ = 1;
  double log_speed_ = 0;
  bool is_slow_ = true;
  std::uint32_t left_ = 0;
};

/// The outcome of a rule on one program.
struct SimulatedRun {
  double total_ns = 0;   ///< Of all batches, with what was set up.
  double oracle_ns = 0;  ///< The same for one that knows all times beforehand.
  double trial_ns = 0;   ///< What trials took longer than the way used beside them would have, setups included.
  double longest_trial_ns = 0;
  std::uint32_t trials = 0;
};

/// Runs one program by a rule.
template <typename Rule>
[[nodiscard]] SimulatedRun simulate(const Scenario& scenario, std::uint64_t seed) {
  SimulatedShape shape{scenario, seed};
  Rule rule;
  SimulatedRun run;
  std::array<bool, choice::kWays> is_set_up = {};
  std::array<bool, program::kForms> is_compiled = {true, true};
  std::array<bool, choice::kWays> oracle_set_up = {};
  choice::Way last = choice::Way::Batched;
  choice::Way used = choice::Way::Batched;
  choice::Way best = choice::Way::Batched;
  bool was_trial = false;
  double this_trial_ns = 0;
  const double record = shape.setup_ns(choice::Way::Replay);
  for (std::uint32_t n = 0; n < shape.batches(); ++n) {
    choice::Forecast forecast = shape.forecast();
    for (const choice::Way way : choice::kAllWays) {
      // A form that is compiled need not be compiled again for its other way.
      const bool is_known = is_compiled[static_cast<std::size_t>(choice::form_of(way))];
      auto& cost = forecast.ways[static_cast<std::size_t>(way)];
      if (is_known && choice::is_one_launch(way)) cost.setup_ns = choice::is_replay(way) ? record : 0;
    }
    const choice::Moment moment{.seen = {.of_shape = n, .of_batch = shape.repeats() ? n : 0},
                                .is_set_up = is_set_up,
                                .may_keep = true,
                                .may_try = true,
                                .per_wait = 1,
                                .exploration = 0.03};
    const choice::Choice chosen = rule.choose(forecast, moment);
    const auto i = static_cast<std::size_t>(chosen.way);
    double setup = is_set_up[i] ? 0 : forecast.ways[i].setup_ns;
    is_set_up[i] = true;
    is_compiled[static_cast<std::size_t>(choice::form_of(chosen.way))] = true;
    if (setup > 0) rule.note_setup(setup);
    const double disturbance = shape.disturbance();
    const double first = chosen.way != last ? shape.switching() : 1;
    const double ns = shape.true_ns(chosen.way, n) * disturbance * first;
    rule.observe(chosen.way, ns);
    run.total_ns += ns + setup;
    if (chosen.is_trial) {
      const double more = ns + setup - shape.true_ns(used, n) * disturbance;
      if (!was_trial) ++run.trials;
      this_trial_ns = was_trial ? this_trial_ns + more : more;
      run.longest_trial_ns = std::max(run.longest_trial_ns, this_trial_ns);
      run.trial_ns += more;
    } else {
      used = chosen.way;
    }
    was_trial = chosen.is_trial;
    last = chosen.way;
    if (shape.is_turn(n)) best = shape.best(n);
    const auto b = static_cast<std::size_t>(best);
    run.oracle_ns += shape.true_ns(best, n) * disturbance + (oracle_set_up[b] ? 0 : shape.setup_ns(best));
    oracle_set_up[b] = true;
  }
  return run;
}

}  // namespace vyre::bench
