#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <vector>

namespace vyre::bench {

/// Two ways to do the same thing, measured in turns so that what disturbs one disturbs the other.
struct Comparison {
  double base_ns = 0;      ///< Median of the base, per call.
  double other_ns = 0;     ///< Median of the other, per call.
  double base_cpu_ns = 0;  ///< Median of the calling thread's own time, per call.
  double other_cpu_ns = 0;
  double ratio = 0;  ///< Median of other / base over the rounds.
  double low = 0;    ///< Where that median lies with 95 % confidence, by order statistics.
  double high = 0;
  double error = 0;  ///< The standard error of that median, from the same.
};

inline double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

/// The median of some values, and how sure it is.
struct Middle {
  double value = 0;
  double low = 0;  ///< Where the median lies with 95 % confidence, by order statistics.
  double high = 0;
  double error = 0;  ///< The standard error, from the same.
};

inline Middle middle_of(std::vector<double> values) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  const auto rank = static_cast<std::size_t>(std::max(0.0, std::floor(n / 2 - 0.98 * std::sqrt(n))));
  Middle middle{.value = values[values.size() / 2], .low = values[rank], .high = values[values.size() - 1 - rank]};
  middle.error = (middle.high - middle.low) / (2 * 1.96);
  return middle;
}

/// The geometric mean of ratios, and its standard error as a share of it.
struct LogMean {
  double mean = 1;
  double error = 0;
};

inline LogMean log_mean(const std::vector<double>& ratios) {
  const auto n = static_cast<double>(ratios.size());
  double sum = 0;
  double squares = 0;
  for (const double ratio : ratios) {
    sum += std::log(ratio);
    squares += std::log(ratio) * std::log(ratio);
  }
  if (ratios.size() < 2) return {.mean = std::exp(sum / std::max(n, 1.0))};
  const double variance = std::max(squares - sum * sum / n, 0.0) / (n - 1);
  return {.mean = std::exp(sum / n), .error = std::sqrt(variance / n)};
}

struct Sample {
  double wall_ns = 0;
  double cpu_ns = 0;
};

/// Calls `run` `calls` times and gives the time of one call.
template <typename Run>
Sample time_calls(Run& run, std::size_t calls) {
  const auto cpu_now = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
  };
  const double cpu = cpu_now();
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < calls; ++i) run();
  const std::chrono::duration<double, std::nano> wall = std::chrono::steady_clock::now() - begin;
  const auto n = static_cast<double>(calls);
  return {.wall_ns = wall.count() / n, .cpu_ns = (cpu_now() - cpu) / n};
}

/// Long enough to be timed.
inline constexpr double kTurnNs = 300'000;

/// Measures both in `rounds` turns of about `turn_ns`, after one turn that does not count. With turns of one call, 0
/// ns, whatever changes from one millisecond to the next is the same for both.
template <typename Base, typename Other>
Comparison compare(Base base, Other other, std::size_t rounds, double turn_ns = kTurnNs) {
  const Sample first = time_calls(base, 1);
  time_calls(other, 1);
  const double warm = std::max(time_calls(base, 1).wall_ns, 1.0);
  const auto calls = static_cast<std::size_t>(std::max(1.0, turn_ns / std::min(first.wall_ns, warm)));
  std::vector<double> ratios;
  std::vector<double> base_ns;
  std::vector<double> other_ns;
  std::vector<double> base_cpu;
  std::vector<double> other_cpu;
  for (std::size_t round = 0; round < rounds; ++round) {
    Sample a;
    Sample b;
    if (round % 2 == 0) {
      a = time_calls(base, calls);
      b = time_calls(other, calls);
    } else {
      b = time_calls(other, calls);
      a = time_calls(base, calls);
    }
    ratios.push_back(b.wall_ns / a.wall_ns);
    base_ns.push_back(a.wall_ns);
    other_ns.push_back(b.wall_ns);
    base_cpu.push_back(a.cpu_ns);
    other_cpu.push_back(b.cpu_ns);
  }
  const Middle ratio = middle_of(ratios);
  return {.base_ns = median(base_ns),
          .other_ns = median(other_ns),
          .base_cpu_ns = median(base_cpu),
          .other_cpu_ns = median(other_cpu),
          .ratio = ratio.value,
          .low = ratio.low,
          .high = ratio.high,
          .error = ratio.error};
}

/// One of several ways to do the same thing.
struct Turns {
  double ns = 0;      ///< Median, per call.
  double low_ns = 0;  ///< What a tenth of the rounds stayed below, per call.
  double cpu_ns = 0;  ///< Median of the time of all threads of the process, per call.
  double ratio = 0;   ///< Median over the rounds of its time / that of the first.
};

/// Measures all in `rounds` turns that begin with another each, every turn long enough to be timed, after one that does
/// not count.
template <typename Run>
std::vector<Turns> compare_all(std::vector<Run>& runs, std::size_t rounds) {
  const auto cpu_now = [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
  };
  struct Samples {
    std::size_t calls = 0;
    std::vector<double> ns = {};
    std::vector<double> cpu_ns = {};
  };
  std::vector<Samples> all;
  for (Run& run : runs) {
    time_calls(run, 1);
    const double once = std::max(time_calls(run, 1).wall_ns, 1.0);
    all.push_back({.calls = static_cast<std::size_t>(std::max(1.0, kTurnNs / once))});
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < runs.size(); ++turn) {
      const std::size_t i = (round + turn) % runs.size();
      const double cpu = cpu_now();
      all[i].ns.push_back(time_calls(runs[i], all[i].calls).wall_ns);
      all[i].cpu_ns.push_back((cpu_now() - cpu) / static_cast<double>(all[i].calls));
    }
  }
  std::vector<Turns> result;
  for (const Samples& own : all) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < rounds; ++round) ratios.push_back(own.ns[round] / all[0].ns[round]);
    std::vector<double> sorted = own.ns;
    std::ranges::sort(sorted);
    result.push_back({.ns = median(own.ns),
                      .low_ns = sorted[sorted.size() / 10],
                      .cpu_ns = median(own.cpu_ns),
                      .ratio = median(ratios)});
  }
  return result;
}

}  // namespace vyre::bench
