// The decode step of a transformer: 123 dispatches and 92 barriers for each token, one small write, and one read of the
// logits, from which the host chooses the next token. Sequences end with the context, and the next one begins with
// another token.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <examples/decode/decoder.hpp>
#include <examples/decode/model.hpp>
#include <examples/decode/network.hpp>
#include <examples/decode/reference.hpp>
#include <examples/support/compare.hpp>

namespace {

using namespace decode;

/// How far a logit may be from that in double precision, as a share of the largest.
constexpr double kTolerance = 1e-3;

constexpr const char* kUsage =
    "the decode step of a transformer: usage: example_decode [OPTIONS]\n"
    "  --weights f32|f16|q8               how weights are kept (f16)\n"
    "  --calls dispatch|enqueue|replay    how dispatches are handed to the session (dispatch)\n"
    "  --growth params|state|groups       what changes with the position: parameters, nothing but a buffer, or "
    "parameters\n"
    "                                     and workgroups (params)\n"
    "  --logits read|map                  whether logits are read or mapped (read)\n"
    "  --tokens N, --layers N, --seed N   16, 6 and 1\n"
    "  --model FOLDER                     weights from the .npy files that make.py writes\n"
    "  --mode MODE                        in one launch mode alone, with its report, not plain and auto by turns\n"
    "  --every                            in every launch mode, with all calls and growths\n"
    "  --inline                           software drivers run work without threads of their own\n"
    "  --json                             a line for programs\n";

struct Settings {
  Format format = Format::F16;
  Growth growth = Growth::Params;
  DecoderOptions decoder = {};
  Sizes sizes = {};
  std::uint32_t tokens = 16;
  std::uint32_t seed = 1;
  std::string model = {};
  std::optional<vyre::LaunchMode> mode = {};
  bool every = false;
  bool run_inline = false;
  bool json = false;
};

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the device is compared with, for the tokens that the device chose.
class Oracle {
 public:
  explicit Oracle(const Model& model) : reference_{model} {}

  /// The logits after token number `i` of a run. A run that begins as the one before is not computed again.
  const std::vector<double>& logits(std::size_t i, State state) {
    if (i < tokens_.size() && tokens_[i] != state.token) {
      // The cache has later positions of another sequence: this one begins again.
      const std::size_t first = i - state.position;
      logits_.resize(i);
      tokens_.resize(i);
      for (std::size_t k = first; k < i; ++k) {
        static_cast<void>(reference_.next(tokens_[k], static_cast<std::uint32_t>(k - first)));
      }
    }
    if (i == tokens_.size()) {
      tokens_.push_back(state.token);
      logits_.push_back(reference_.next(state.token, state.position));
    }
    return logits_[i];
  }

 private:
  Reference reference_;
  std::vector<std::uint32_t> tokens_;
  std::vector<std::vector<double>> logits_;
};

std::string kernel_folder(const std::source_location& source = std::source_location::current()) {
  return std::filesystem::path{source.file_name()}.parent_path().string();
}

/// A network and its kernels.
struct Loaded {
  Network network = {};
  std::vector<Compiled> kernels = {};
};

/// What all runs share.
struct Expected {
  explicit Expected(const Settings& settings)
      : tokens{settings.tokens},
        model{settings.model.empty() ? make_model(settings.sizes, settings.format, settings.seed)
                                     : load_model(settings.model, settings.sizes, settings.format)},
        oracle{model},
        format{settings.format} {}

  const Loaded& loaded(Growth growth) {
    auto& own = loaded_[static_cast<std::size_t>(growth)];
    if (!own) own = {.network = make_network(model, growth), .kernels = load_kernels(kernel_folder(), format, growth)};
    return *own;
  }

  std::uint32_t tokens;
  Model model;
  Oracle oracle;
  Format format;

 private:
  std::array<std::optional<Loaded>, 3> loaded_;  // By growth.
};

class Decode {
 public:
  Decode(vyre::Session& session, Expected& expected, const Settings& settings)
      : session_{session},
        expected_{expected},
        sizes_{expected.model.sizes},
        decoder_{session, expected.loaded(settings.growth).network, expected.loaded(settings.growth).kernels,
                 settings.decoder} {}

  vyre::RunReport run() {
    states_.clear();
    logits_.clear();
    times_ms_.clear();
    for (std::uint32_t i = 0; i < expected_.tokens; ++i) {
      const std::uint32_t position = i % sizes_.context;
      const std::uint32_t first = 1 + i / sizes_.context;
      states_.push_back({.token = position == 0 ? first % sizes_.vocabulary : chosen(i - 1), .position = position});
      const auto begin = std::chrono::steady_clock::now();
      const std::span<const float> logits = decoder_.next(states_.back());
      const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
      times_ms_.push_back(time.count());
      logits_.emplace_back(logits.begin(), logits.end());
    }
    return session_.finish().value();
  }

  std::string check() const {
    double worst = 0;
    std::uint32_t close = 0;
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
      const std::vector<double>& right = expected_.oracle.logits(i, states_[i]);
      double largest = 0;
      for (const double each : right) largest = std::max(largest, std::abs(each));
      for (std::size_t k = 0; k < right.size(); ++k) {
        const double off = std::abs(static_cast<double>(logits_[i][k]) - right[k]) / largest;
        if (!(off <= kTolerance)) {
          throw examples::WrongResult{examples::text("logit %zu of token %u is %g, not %g", k, i,
                                                     static_cast<double>(logits_[i][k]), right[k])};
        }
        worst = std::max(worst, off);
      }
      // Either may be chosen where two logits are closer than what they may be off by.
      const std::size_t best = static_cast<std::size_t>(std::ranges::max_element(right) - right.begin());
      if (chosen(i) == best) continue;
      ++close;
      if (right[best] - right[chosen(i)] > 2 * kTolerance * largest) {
        throw examples::WrongResult{examples::text("token %u is %u, not %zu", i, chosen(i), best)};
      }
    }
    if (close > states_.size() / 10) throw examples::WrongResult{examples::text("%u tokens differ", close)};
    return examples::text(
        "%zu tokens, %u of them other than in double precision where two are close; logits off by %.1e", states_.size(),
        close, worst);
  }

  /// Without the first, in which kernels are compiled.
  [[nodiscard]] double median_ms() const {
    std::vector<double> times{times_ms_.begin() + (times_ms_.size() > 1 ? 1 : 0), times_ms_.end()};
    std::ranges::sort(times);
    return times.empty() ? 0 : times[times.size() / 2];
  }

 private:
  /// By the logits of token number `i`.
  [[nodiscard]] std::uint32_t chosen(std::uint32_t i) const {
    return static_cast<std::uint32_t>(std::ranges::max_element(logits_[i]) - logits_[i].begin());
  }

  vyre::Session& session_;
  Expected& expected_;
  Sizes sizes_;
  Decoder decoder_;
  std::vector<State> states_;
  std::vector<std::vector<float>> logits_;
  std::vector<double> times_ms_;
};

/// The value of a name.
template <typename T>
T find(std::string_view option, std::string_view name, std::initializer_list<std::pair<std::string_view, T>> names) {
  for (const auto& [each, value] : names) {
    if (each == name) return value;
  }
  throw UsageError{"'" + std::string{name} + "' is no value of " + std::string{option}};
}

vyre::LaunchMode find_mode(std::string_view name) {
  for (const vyre::LaunchMode mode : vyre::runtime::kAllLaunchModes) {
    if (to_string(mode) == name) return mode;
  }
  throw UsageError{"'" + std::string{name} + "' is no launch mode"};
}

std::uint32_t find_number(std::string_view option, const std::string& text, std::uint32_t most) {
  char* end = nullptr;
  const unsigned long number = std::strtoul(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || text[0] == '-' || number < 1 || number > most) {
    throw UsageError{"'" + text + "' is no value of " + std::string{option} + ", which is 1 to " +
                     std::to_string(most)};
  }
  return static_cast<std::uint32_t>(number);
}

Settings parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--every") {
      settings.every = true;
      continue;
    }
    if (option == "--inline") {
      settings.run_inline = true;
      continue;
    }
    if (option == "--json") {
      settings.json = true;
      continue;
    }
    if (i + 1 == argc) throw UsageError{"'" + std::string{option} + "' is no option, or has no value"};
    const std::string value = argv[++i];
    if (option == "--weights") {
      settings.format = find<Format>(option, value, {{"f32", Format::F32}, {"f16", Format::F16}, {"q8", Format::Q8}});
    } else if (option == "--calls") {
      settings.decoder.calls = find<Calls>(
          option, value, {{"dispatch", Calls::Dispatch}, {"enqueue", Calls::Enqueue}, {"replay", Calls::Replay}});
    } else if (option == "--growth") {
      settings.growth = find<Growth>(
          option, value, {{"params", Growth::Params}, {"state", Growth::State}, {"groups", Growth::Groups}});
    } else if (option == "--logits") {
      settings.decoder.map_logits = find<bool>(option, value, {{"read", false}, {"map", true}});
    } else if (option == "--tokens") {
      settings.tokens = find_number(option, value, 100'000);
    } else if (option == "--layers") {
      settings.sizes.layers = find_number(option, value, 64);
    } else if (option == "--seed") {
      settings.seed = find_number(option, value, 1'000'000'000);
    } else if (option == "--model") {
      settings.model = value;
    } else if (option == "--mode") {
      settings.mode = find_mode(value);
    } else {
      throw UsageError{"'" + std::string{option} + "' is no option"};
    }
  }
  return settings;
}

/// Runs in one launch mode, and checks.
std::string run_in(const std::shared_ptr<vyre::Device>& device, vyre::LaunchMode mode, const Settings& settings,
                   Expected& expected, bool print_report) {
  vyre::Session session = vyre::Session::open(device, {.mode = mode}).value();
  Decode decode{session, expected, settings};
  const vyre::RunReport report = decode.run();
  std::string found = decode.check();
  if (print_report) {
    std::printf("%s", to_text(report).c_str());
    std::printf("a token takes %.2f ms in the middle\n", decode.median_ms());
  }
  return found;
}

void run_every(const std::shared_ptr<vyre::Device>& device, Settings settings, Expected& expected) {
  for (const vyre::LaunchMode mode : vyre::runtime::kAllLaunchModes) {
    std::string found;
    for (const Calls calls : {Calls::Dispatch, Calls::Enqueue, Calls::Replay}) {
      for (const Growth growth : {Growth::Params, Growth::State, Growth::Groups}) {
        settings.growth = growth;
        settings.decoder = {.calls = calls, .map_logits = growth == Growth::State};
        found = run_in(device, mode, settings, expected, false);
      }
    }
    std::printf("%s: %s\n", std::string{to_string(mode)}.c_str(), found.c_str());
  }
}

int run(int argc, char** argv) {
  const Settings settings = parse(argc, argv);
  Expected expected{settings};
  if (!settings.every && !settings.mode) {
    std::vector<char*> rest{argv[0]};
    std::string json = "--json";
    std::string run_inline = "--inline";
    if (settings.json) rest.push_back(json.data());
    if (settings.run_inline) rest.push_back(run_inline.data());
    return examples::compare(static_cast<int>(rest.size()), rest.data(),
                             {.name = "decode",
                              .does = "tokens of a transformer, one after another",
                              .checked_against = "the same network in double precision"},
                             [&](vyre::Session& session) {
                               auto decode = std::make_shared<Decode>(session, expected, settings);
                               return examples::Runner{.run = [decode] { return decode->run(); },
                                                       .check = [decode] { return decode->check(); }};
                             });
  }
  if (settings.run_inline) setenv("LP_NUM_THREADS", "0", 1);
  const auto device = vyre::System{vyre::backends::all()}.open().value();
  if (settings.every) {
    run_every(device, settings, expected);
  } else {
    std::printf("%s\n", run_in(device, *settings.mode, settings, expected, true).c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try { return run(argc, argv); } catch (const UsageError& wrong) {
  std::fprintf(stderr, "decode: %s\n%s", wrong.what(), kUsage);
  return 2;
} catch (const std::bad_expected_access<vyre::Error>& failure) {
  std::fprintf(stderr, "decode: %s\n", to_string(failure.error()).c_str());
  return 1;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "decode: %s\n", failure.what());
  return 1;
}
