// The decode step of examples/decode beside the same in Vulkan written by hand, which is recorded anew for each token
// or kept: tokens by turns in one process, the ratios of each round and their median with its standard error. Kernels
// do their work, or nothing, which leaves the launching.
//
// Learning is over before: a session that chooses makes 200 tokens first, on a device that was calibrated.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <examples/decode/decoder.hpp>
#include <examples/decode/model.hpp>
#include <examples/decode/network.hpp>
#include <vyre/report/choice_report.hpp>
#include <vyre/runtime/tuner.hpp>

#include "bench/counting_driver.hpp"
#include "bench/lavapipe.hpp"
#include "bench/must.hpp"
#include "bench/paired.hpp"
#include "bench/raw_decoder.hpp"

namespace vyre::bench {
namespace {

using decode::Calls;
using decode::Format;
using decode::Growth;
using nlohmann::ordered_json;
using runtime::LaunchMode;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kLearnTokens = 200;
constexpr std::uint32_t kCheckedToken = 20;  // Of which logits are compared: every contestant comes to it.

constexpr const char* kUsage =
    "usage: bench_decode [--only inline|threaded] [--filter TEXT] [--seconds OF_EACH] [--explain] [--json FILE]\n"
    "       bench_decode --marks    tokens after 1, 2 and 4 s of processes of their own\n"
    "       bench_decode --stutter  tokens of 10,000 that take 5 ms more than the median\n"
    "       bench_decode --instructions  of the calling thread for a token of which nothing changes, counted by "
    "callgrind\n"
    "  all of them take --only and --filter, a part of a name such as 'launching f16 params dispatch'\n";

struct Case {
  bool only_launch = false;
  Format format = Format::F16;
  Growth growth = Growth::Params;
  Calls calls = Calls::Dispatch;
};

std::string_view calls_name(Calls calls) {
  constexpr std::array kNames = {"dispatch", "enqueue", "replay"};
  return kNames[static_cast<std::size_t>(calls)];
}

std::string to_string(const Case& each) {
  constexpr std::array kFormats = {"f32", "f16", "q8"};
  constexpr std::array kGrowths = {"params", "state", "groups"};
  return fmt::format("{} {} {} {}", each.only_launch ? "launching" : "full",
                     kFormats[static_cast<std::size_t>(each.format)], kGrowths[static_cast<std::size_t>(each.growth)],
                     calls_name(each.calls));
}

std::vector<Case> make_cases() {
  std::vector<Case> cases;
  for (const bool only_launch : {false, true}) {
    for (const Format format : {Format::F16, Format::Q8}) {
      if (only_launch && format != Format::F16) continue;  // The kernels that do nothing are the same.
      for (const Growth growth : {Growth::Params, Growth::State, Growth::Groups}) {
        for (const Calls calls : {Calls::Dispatch, Calls::Enqueue, Calls::Replay}) {
          cases.push_back({.only_launch = only_launch, .format = format, .growth = growth, .calls = calls});
        }
      }
    }
  }
  return cases;
}

struct Settings {
  std::string only = {};
  std::string filter = {};
  std::string json = {};
  double seconds = 8;  ///< For the rounds of a case.
  bool explain = false;
  bool marks = false;
  bool stutter = false;
  bool instructions = false;
};

/// Network and kernels of a case.
struct Work {
  explicit Work(const Case& each)
      : network{decode::make_network(decode::make_model({}, each.format, 1), each.growth, each.only_launch)},
        kernels{decode::load_kernels(VYRE_SOURCE_DIR "/examples/decode", each.format, each.growth, each.only_launch)} {}

  decode::Network network;
  std::vector<decode::Compiled> kernels;
};

/// The same tokens for all.
decode::State state_of(std::uint32_t i, const decode::Sizes& sizes) {
  return {.token = i * 2'654'435'761U % sizes.vocabulary, .position = i % sizes.context};
}

/// One way to make tokens.
class Contestant {
 public:
  using Next = std::function<std::span<const float>(decode::State)>;

  /// Logits are copied for a contestant that does not do so itself.
  Contestant(std::string name, const decode::Sizes& sizes, bool copies, Next next)
      : name_{std::move(name)}, sizes_{sizes}, copies_{copies}, next_{std::move(next)}, copy_(sizes.vocabulary) {}

  void token() {
    const std::span<const float> logits = next_(state_of(tokens_, sizes_));
    if (copies_) std::memcpy(copy_.data(), logits.data(), logits.size_bytes());
    if (tokens_ == kCheckedToken) checked_.assign(logits.begin(), logits.end());
    ++tokens_;
  }
  /// The mean time of some tokens, after a quarter as many that do not count: other contestants ran meanwhile, and left
  /// nothing of this one in the processor's caches.
  double turn(std::uint32_t tokens) {
    for (std::uint32_t i = 0; i < std::max(tokens / 4, 1U); ++i) token();
    const auto begin = Clock::now();
    for (std::uint32_t i = 0; i < tokens; ++i) token();
    const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
    return time.count() / tokens;
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  /// The logits of token `kCheckedToken`.
  [[nodiscard]] const std::vector<float>& checked() const { return checked_; }
  [[nodiscard]] std::uint32_t tokens() const { return tokens_; }

 private:
  std::string name_;
  decode::Sizes sizes_;
  bool copies_;
  Next next_;
  std::vector<float> copy_;
  std::vector<float> checked_;
  std::uint32_t tokens_ = 0;
};

/// A session with a decoder.
struct InSession {
  InSession(const std::shared_ptr<backend::Device>& device, const runtime::SessionOptions& options, const Work& work,
            const decode::DecoderOptions& decoder_options)
      : session{must(runtime::Session::open(device, options))},
        decoder{session, work.network, work.kernels, decoder_options} {}

  runtime::Session session;
  decode::Decoder decoder;
};

/// The device, counting what it launches.
struct Counted {
  std::shared_ptr<LaunchCounts> counts = std::make_shared<LaunchCounts>();
  std::shared_ptr<backend::Device> device = {};
};

Counted open_counted(bool is_inline) {
  Counted counted;
  counted.device = open_lavapipe(is_inline, {}, [&](std::unique_ptr<backend::DeviceDriver> driver) {
    return std::make_unique<CountingDriver>(std::move(driver), counted.counts);
  });
  return counted;
}

void must_be_close(const std::vector<float>& found, const std::vector<float>& right, const std::string& name) {
  double largest = 0;
  double worst = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(right[i])));
    worst = std::max(worst, std::abs(static_cast<double>(found[i]) - static_cast<double>(right[i])));
  }
  if (found.size() == right.size() && worst <= 1e-5 * largest) return;
  fmt::print(stderr, "{}: logits are off by {} of {}\n", name, worst, largest);
  std::exit(1);
}

/// What a contestant took.
struct Result {
  std::string name = {};
  double ns = 0;                            ///< Median, of a token.
  Middle against = {};                      ///< The list recorded anew by hand / the contestant, round by round.
  std::optional<LaunchCounts> counts = {};  ///< Of a token.
  std::string chosen = {};
};

class Bench {
 public:
  Bench(bool is_inline, const Settings& settings) : settings_{settings}, device_{open_counted(is_inline)} {
    // Sessions with tuners of their own share what was measured of the device.
    runtime::Tuner tuner;
    must(tuner.calibrate(*device_.device, std::chrono::seconds{30}));
    calibration_ = *tuner.calibration();
  }

  ordered_json measure(const Case& each) {
    const Work work{each};
    const decode::Sizes& sizes = work.network.sizes;
    RawDecoder raw{work.network, work.kernels};
    std::vector<std::unique_ptr<InSession>> sessions;
    std::vector<Contestant> contestants;
    contestants.emplace_back("by hand, anew", sizes, true, [&](decode::State state) { return raw.next(state); });
    if (each.growth == Growth::State) {
      contestants.emplace_back("by hand, kept", sizes, true, [&](decode::State state) { return raw.next_kept(state); });
    }
    const std::size_t first_session = contestants.size();
    const auto add = [&](const std::string& name, const runtime::SessionOptions& options, bool map_logits) {
      sessions.push_back(std::make_unique<InSession>(
          device_.device, options, work, decode::DecoderOptions{.calls = each.calls, .map_logits = map_logits}));
      contestants.emplace_back(name, sizes, false,
                               [own = sessions.back().get()](decode::State state) { return own->decoder.next(state); });
    };
    for (const LaunchMode mode : runtime::kAllLaunchModes) {
      if (mode != LaunchMode::Auto) add(std::string{runtime::to_string(mode)}, {.mode = mode}, false);
    }
    const std::size_t first_auto = contestants.size();
    for (const bool map_logits : {false, true}) {
      const auto tuner = std::make_shared<runtime::Tuner>();
      must(tuner->set(calibration_));
      add(map_logits ? "auto, mapped" : "auto", {.tuner = tuner}, map_logits);
    }
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      const std::uint32_t warm = i < first_auto ? kCheckedToken + 2 : kLearnTokens;
      while (contestants[i].tokens() < warm) contestants[i].token();
      must_be_close(contestants[i].checked(), contestants[0].checked(), contestants[i].name());
    }
    std::vector<std::vector<double>> samples = run_rounds(contestants);
    std::vector<Result> results;
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      std::vector<double> ratios;
      for (std::size_t round = 0; round < samples[i].size(); ++round)
        ratios.push_back(samples[0][round] / samples[i][round]);
      results.push_back({.name = contestants[i].name(), .ns = median(samples[i]), .against = middle_of(ratios)});
    }
    std::string known;
    for (std::size_t i = first_session; i < contestants.size(); ++i) {
      InSession& own = *sessions[i - first_session];
      must(own.session.finish());
      const LaunchCounts before = *device_.counts;
      contestants[i].token();
      results[i].counts = LaunchCounts{.launches = device_.counts->launches - before.launches,
                                       .barriers = device_.counts->barriers - before.barriers,
                                       .copies = device_.counts->copies - before.copies,
                                       .submissions = device_.counts->submissions - before.submissions};
      const report::RunReport report = must(own.session.finish());
      if (i < first_auto || report.shapes.empty()) continue;
      results[i].chosen = to_string(report.shapes[0]->chosen);
      known += fmt::format("  {}:\n{}", results[i].name, to_text(*report.shapes[0]));
    }
    return print(each, results, score(samples, first_session, first_auto), settings_.explain ? known : "");
  }

  /// Fresh sessions and a list by hand, token by token.
  void measure_stutter(const Case& each) {
    constexpr std::size_t kTokens = 10'000;
    const Work work{each};
    RawDecoder raw{work.network, work.kernels};
    InSession own{device_.device, {.tuner = std::make_shared<runtime::Tuner>()}, work, {.calls = each.calls}};
    std::vector<Contestant> sides;
    sides.emplace_back("by hand, anew", work.network.sizes, true, [&](decode::State state) { return raw.next(state); });
    sides.emplace_back("auto", work.network.sizes, false, [&](decode::State state) { return own.decoder.next(state); });
    std::array<std::vector<double>, 2> ms;
    for (std::size_t i = 0; i < kTokens; ++i) {
      for (const std::size_t side : {i % 2, 1 - i % 2}) {
        const auto begin = Clock::now();
        sides[side].token();
        ms[side].push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
      }
    }
    fmt::print("{}, {} tokens, ms\n", to_string(each), kTokens);
    for (std::size_t side = 0; side < sides.size(); ++side) {
      const double middle = median(ms[side]);
      std::size_t late = 0;
      for (const double each_ms : ms[side]) late += each_ms > middle + 5;
      std::vector<double> sorted = ms[side];
      std::ranges::sort(sorted, std::greater{});
      fmt::print(
          "  {:<16} median {:.3f}, {} of them more than 5 ms later; the slowest {:.1f} {:.1f} {:.1f}, of the first "
          "ten {:.1f}\n",
          sides[side].name(), middle, late, sorted[0], sorted[1], sorted[2],
          *std::max_element(ms[side].begin(), ms[side].begin() + 10));
    }
  }

 private:
  /// The samples of each, round by round.
  std::vector<std::vector<double>> run_rounds(std::vector<Contestant>& contestants) {
    constexpr double kTurnNs = 1e7;
    const double token_ns = contestants[0].turn(2);
    const auto tokens = static_cast<std::uint32_t>(std::clamp(kTurnNs / token_ns, 2.0, 64.0));
    const double round_ns = (1.25 * tokens + 1) * token_ns * static_cast<double>(contestants.size());
    const auto rounds = static_cast<std::size_t>(std::clamp(settings_.seconds * 1e9 / round_ns, 8.0, 200.0));
    std::vector<std::vector<double>> samples(contestants.size());
    std::vector<std::size_t> order(contestants.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t round = 0; round < rounds; ++round) {
      std::ranges::shuffle(order, random_);
      for (const std::size_t i : order) samples[i].push_back(contestants[i].turn(tokens));
    }
    return samples;
  }

  /// What each of the choosing sessions takes, by the pinned mode that was best on the other half of the rounds.
  struct Score {
    std::size_t best = 0;
    std::vector<Middle> to_best = {};
  };
  static Score score(const std::vector<std::vector<double>>& samples, std::size_t first_session,
                     std::size_t first_auto) {
    const auto every_second = [](const std::vector<double>& of, std::size_t which) {
      std::vector<double> half;
      for (std::size_t i = which; i < of.size(); i += 2) half.push_back(of[i]);
      return half;
    };
    Score score{.best = first_session};
    for (std::size_t i = first_session; i < first_auto; ++i) {
      if (median(every_second(samples[i], 0)) < median(every_second(samples[score.best], 0))) score.best = i;
    }
    for (std::size_t i = first_auto; i < samples.size(); ++i) {
      std::vector<double> ratios;
      for (std::size_t round = 1; round < samples[i].size(); round += 2) {
        ratios.push_back(samples[i][round] / samples[score.best][round]);
      }
      score.to_best.push_back(middle_of(ratios));
    }
    return score;
  }

  ordered_json print(const Case& each, const std::vector<Result>& results, const Score& score,
                     const std::string& known) const {
    fmt::print("{}\n  {:<16} {:>10} {:>16} {:>9} {:>9} {:>7} {:>8}\n", to_string(each), "", "µs", "anew / this",
               "launches", "barriers", "copies", "submits");
    ordered_json rows = ordered_json::array();
    for (const Result& result : results) {
      fmt::print("  {:<16} {:>10.1f} {:>8.3f} ± {:.3f}", result.name, result.ns / 1e3, result.against.value,
                 result.against.error);
      ordered_json row{{"name", result.name},
                       {"ns", result.ns},
                       {"anew_over_this", result.against.value},
                       {"error", result.against.error}};
      if (result.counts) {
        fmt::print(" {:>9} {:>9} {:>7} {:>8}", result.counts->launches, result.counts->barriers, result.counts->copies,
                   result.counts->submissions);
        row["launches"] = result.counts->launches;
        row["barriers"] = result.counts->barriers;
        row["copies"] = result.counts->copies;
        row["submissions"] = result.counts->submissions;
      }
      if (!result.chosen.empty()) {
        fmt::print("  {}", result.chosen);
        row["chosen"] = result.chosen;
      }
      fmt::print("\n");
      rows.push_back(row);
    }
    for (std::size_t i = 0; i < score.to_best.size(); ++i) {
      const Middle& ratio = score.to_best[i];
      const std::string& name = results[results.size() - score.to_best.size() + i].name;
      fmt::print("  {} / {}: {:.3f} ± {:.3f}\n", name, results[score.best].name, ratio.value, ratio.error);
      rows[rows.size() - score.to_best.size() + i]["over_best"] = ratio.value;
      rows[rows.size() - score.to_best.size() + i]["over_best_error"] = ratio.error;
    }
    fmt::print("{}", known);
    std::fflush(stdout);
    return {{"case", to_string(each)}, {"best", results[score.best].name}, {"contestants", rows}};
  }

  Settings settings_;
  Counted device_;
  choice::Calibration calibration_;
  std::mt19937 random_{1};
};

constexpr std::array kMarks = {1.0, 2.0, 4.0};  // Seconds.

/// A process of its own: prints how many tokens were there at each of the marks.
void run_alone(std::string_view how, const Case& each, bool is_inline) {
  const Work work{each};
  const auto count = [&](const auto& next) {
    std::uint32_t tokens = 0;
    const auto begin = Clock::now();
    auto decoder = next();
    for (const double mark : kMarks) {
      while (std::chrono::duration<double>(Clock::now() - begin).count() < mark) {
        decoder(state_of(tokens, work.network.sizes));
        ++tokens;
      }
      fmt::print("{} ", tokens);
    }
    fmt::print("\n");
  };
  const Counted counted = open_counted(is_inline);
  if (how == "hand") {
    count([&] {
      auto raw = std::make_shared<RawDecoder>(work.network, work.kernels);
      return [raw](decode::State state) { static_cast<void>(raw->next(state)); };
    });
  } else {
    count([&] {
      auto own = std::make_shared<InSession>(counted.device, runtime::SessionOptions{}, work,
                                             decode::DecoderOptions{.calls = each.calls});
      return [own](decode::State state) { static_cast<void>(own->decoder.next(state)); };
    });
  }
}

std::array<double, kMarks.size()> count_alone(const std::string& self, const char* how, const Case& each,
                                              bool is_inline) {
  const std::string command =
      fmt::format("'{}' --alone {} '{}' {}", self, how, to_string(each), is_inline ? "inline" : "threaded");
  std::FILE* pipe = popen(command.c_str(), "r");
  std::array<double, kMarks.size()> tokens = {};
  bool is_read = pipe != nullptr;
  std::array<char, 512> line = {};
  // The last line has the numbers.
  while (is_read && std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr) {
    std::sscanf(line.data(), "%lf %lf %lf", &tokens[0], &tokens[1], &tokens[2]);
  }
  if (!is_read || pclose(pipe) != 0) {
    fmt::print(stderr, "'{}' does not run\n", command);
    std::exit(1);
  }
  return tokens;
}

void measure_marks(const std::string& self, const Case& each, bool is_inline) {
  constexpr std::size_t kTurns = 5;
  std::array<std::vector<double>, kMarks.size()> ratios;
  std::array<std::vector<double>, kMarks.size()> by_hand;
  std::array<std::vector<double>, kMarks.size()> chosen;
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    const bool is_hand_first = turn % 2 == 0;
    std::array<std::array<double, kMarks.size()>, 2> tokens;
    for (const bool is_hand : {is_hand_first, !is_hand_first}) {
      tokens[is_hand ? 0 : 1] = count_alone(self, is_hand ? "hand" : "session", each, is_inline);
    }
    for (std::size_t i = 0; i < kMarks.size(); ++i) {
      by_hand[i].push_back(tokens[0][i]);
      chosen[i].push_back(tokens[1][i]);
      ratios[i].push_back(tokens[1][i] / tokens[0][i]);
    }
  }
  fmt::print("{}, {}: tokens of a fresh session\n", to_string(each), is_inline ? "inline" : "threaded");
  for (std::size_t i = 0; i < kMarks.size(); ++i) {
    const Middle ratio = middle_of(ratios[i]);
    fmt::print("  after {} s  by hand, anew {:.0f}, auto {:.0f}; auto / by hand {:.3f} ± {:.3f}\n", kMarks[i],
               median(by_hand[i]), median(chosen[i]), ratio.value, ratio.error);
  }
  std::fflush(stdout);
}

/// What is counted: called once, before the tokens that count.
[[gnu::noinline]] void begin_counting() { asm volatile(""); }

constexpr std::uint32_t kCountedTokens = 16;

/// A process of its own, for callgrind: inline, with kernels that do nothing and nothing that changes. `how` is `anew`,
/// `kept`, or a launch mode.
void run_counted(std::string_view how, Calls calls, std::uint32_t tokens) {
  const Work work{{.only_launch = true, .growth = Growth::State, .calls = calls}};
  const auto device = open_lavapipe(true);
  const auto repeat = [&](const auto& next) {
    for (std::uint32_t i = 0; i < kCheckedToken; ++i) static_cast<void>(next(state_of(i, work.network.sizes)));
    begin_counting();
    for (std::uint32_t i = 0; i < tokens; ++i) static_cast<void>(next(state_of(i, work.network.sizes)));
  };
  if (how == "anew" || how == "kept") {
    RawDecoder raw{work.network, work.kernels};
    repeat([&](decode::State state) { return how == "anew" ? raw.next(state) : raw.next_kept(state); });
    return;
  }
  for (const LaunchMode mode : runtime::kAllLaunchModes) {
    if (runtime::to_string(mode) != how) continue;
    InSession own{device, {.mode = mode}, work, {.calls = calls, .map_logits = true}};
    repeat([&](decode::State state) { return own.decoder.next(state); });
  }
}

/// Of a process that makes some tokens, from the first that counts on: those of the calls that match.
double count_instructions(const std::string& self, std::string_view how, Calls calls, std::uint32_t tokens,
                          std::string_view options) {
  const std::string command = fmt::format(
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null --zero-before='*begin_counting*' {} '{}' --counted {} "
      "{} "
      "{} 2>&1 >/dev/null",
      options, self, how, static_cast<int>(calls), tokens);
  std::FILE* pipe = popen(command.c_str(), "r");
  double collected = -1;
  std::array<char, 512> line = {};
  while (pipe != nullptr && std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr) {
    const char* at = std::strstr(line.data(), "Collected :");
    if (at != nullptr) collected = std::strtod(at + 11, nullptr);
  }
  if (pipe != nullptr) pclose(pipe);
  if (collected < 0) {
    fmt::print(stderr, "valgrind does not run; it is the package valgrind\n");
    std::exit(1);
  }
  return collected;
}

/// Of a token: in the calling thread, and in all threads of the process, which run the dispatches, too.
void print_instructions(const std::string& self, const std::string& name, std::string_view how, Calls calls) {
  const double own = count_instructions(self, how, calls, kCountedTokens, "--toggle-collect='*Decoder::next*'");
  // What comes after the tokens is the same for few and for many.
  const double few = count_instructions(self, how, calls, kCountedTokens, "");
  const double many = count_instructions(self, how, calls, 2 * kCountedTokens, "");
  fmt::print("  {:<28} {:>12.0f} {:>12.0f}\n", name, own / kCountedTokens, (many - few) / kCountedTokens);
  std::fflush(stdout);
}

void measure_instructions(const std::string& self) {
  fmt::print("  {:<28} {:>12} {:>12}\n", "instructions of a token", "the calls", "the process");
  print_instructions(self, "by hand, kept", "kept", {});
  for (const LaunchMode mode : {LaunchMode::Replay, LaunchMode::Bindless}) {
    for (const Calls calls : {Calls::Replay, Calls::Enqueue, Calls::Dispatch}) {
      print_instructions(self, fmt::format("{}, {}", runtime::to_string(mode), calls_name(calls)),
                         runtime::to_string(mode), calls);
    }
  }
  print_instructions(self, "by hand, anew", "anew", {});
}

std::optional<Settings> parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--explain") {
      settings.explain = true;
    } else if (option == "--marks") {
      settings.marks = true;
    } else if (option == "--stutter") {
      settings.stutter = true;
    } else if (option == "--instructions") {
      settings.instructions = true;
    } else if (i + 1 == argc) {
      return std::nullopt;
    } else if (option == "--only") {
      settings.only = argv[++i];
    } else if (option == "--filter") {
      settings.filter = argv[++i];
    } else if (option == "--seconds") {
      settings.seconds = std::strtod(argv[++i], nullptr);
    } else if (option == "--json") {
      settings.json = argv[++i];
    } else {
      return std::nullopt;
    }
  }
  if (!settings.only.empty() && settings.only != "inline" && settings.only != "threaded") return std::nullopt;
  return settings;
}

int run(int argc, char** argv) {
  const std::vector<Case> cases = make_cases();
  if (argc == 5 && std::string_view{argv[1]} == "--alone") {
    const auto found = std::ranges::find(cases, std::string{argv[3]}, [](const Case& each) { return to_string(each); });
    if (found != cases.end()) run_alone(argv[2], *found, std::string_view{argv[4]} == "inline");
    return found == cases.end() ? 2 : 0;
  }
  if (argc == 5 && std::string_view{argv[1]} == "--counted") {
    run_counted(argv[2], static_cast<Calls>(std::strtoul(argv[3], nullptr, 10)),
                static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10)));
    return 0;
  }
  const std::optional<Settings> settings = parse(argc, argv);
  if (!settings) {
    fmt::print(stderr, "{}", kUsage);
    return 2;
  }
  if (settings->instructions) {
    measure_instructions(argv[0]);
    return 0;
  }
  keep_memory();
  ordered_json all = ordered_json::array();
  for (const bool is_inline : {false, true}) {
    if (!settings->only.empty() && (settings->only == "inline") != is_inline) continue;
    std::optional<Bench> bench;
    if (!settings->marks) bench.emplace(is_inline, *settings);
    ordered_json rows = ordered_json::array();
    for (const Case& each : cases) {
      if (to_string(each).find(settings->filter) == std::string::npos) continue;
      if (settings->marks) {
        measure_marks(argv[0], each, is_inline);
      } else if (settings->stutter) {
        bench->measure_stutter(each);
      } else {
        rows.push_back(bench->measure(each));
      }
    }
    all.push_back({{"configuration", is_inline ? "inline" : "threaded"}, {"cases", rows}});
  }
  if (!settings->json.empty()) {
    std::FILE* file = std::fopen(settings->json.c_str(), "w");
    if (file == nullptr) {
      fmt::print(stderr, "'{}' cannot be written: {}\n", settings->json, std::strerror(errno));
      return 2;
    }
    fmt::print(file, "{}\n", all.dump(2));
    std::fclose(file);
  }
  return 0;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) try {
  return vyre::bench::run(argc, argv);
} catch (const std::bad_expected_access<vyre::Error>& failure) {
  fmt::print(stderr, "{}\n", to_string(failure.error()));
  return 1;
}
