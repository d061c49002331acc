#include <examples/support/compare.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <numeric>
#include <optional>
#include <vector>

namespace examples {
namespace {

constexpr std::size_t kMinRounds = 3;
constexpr std::size_t kMaxRounds = 21;
constexpr std::chrono::milliseconds kEnough{1'500};

struct Arguments {
  bool json = false;
  bool run_inline = false;
};

/// One of the two sessions.
struct Side {
  vyre::LaunchMode mode = vyre::LaunchMode::Auto;
  std::optional<vyre::Session> session = {};
  Runner runner = {};
  std::vector<double> times_ms = {};
  vyre::RunReport report = {};
  std::string found = {};

  void run_once() {
    const auto begin = std::chrono::steady_clock::now();
    report = runner.run();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    times_ms.push_back(time.count());
    found = runner.check();
  }
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// How far the speed-up may be off, as a share of it: the standard error of its logarithm over the rounds, in each of
/// which both sessions ran.
double speed_up_error(const std::vector<double>& plain_ms, const std::vector<double>& auto_ms) {
  const std::size_t rounds = plain_ms.size();
  std::vector<double> logarithms(rounds);
  for (std::size_t i = 0; i < rounds; ++i) logarithms[i] = std::log(plain_ms[i] / auto_ms[i]);
  const double count = static_cast<double>(rounds);
  const double mean = std::accumulate(logarithms.begin(), logarithms.end(), 0.0) / count;
  double squares = 0;
  for (const double each : logarithms) squares += (each - mean) * (each - mean);
  return std::sqrt(squares / (count - 1) / count);
}

std::string json_string(std::string_view words) {
  std::string all = "\"";
  for (const char c : words) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + '"';
}

void print_figures(const About& about, const Arguments& arguments, const Side& plain, const Side& decided,
                   const std::string& device) {
  std::uint64_t replayed = 0;
  for (const auto& program : decided.report.programs) replayed += program.replayed;
  const double plain_ms = median(plain.times_ms);
  const double auto_ms = median(decided.times_ms);
  const double error = speed_up_error(plain.times_ms, decided.times_ms);
  const auto dispatches = static_cast<unsigned long long>(decided.report.dispatches);
  std::printf("%s on %s: %s\n", about.name, device.c_str(), decided.found.c_str());
  std::printf("plain %.1f ms, auto %.1f ms, %.2fx (standard error %.0f %%); replayed %llu of %llu dispatches\n",
              plain_ms, auto_ms, plain_ms / auto_ms, 100 * error, static_cast<unsigned long long>(replayed),
              dispatches);
  if (!arguments.json) return;
  std::printf(
      R"({"example":%s,"does":%s,"checked_against":%s,"device":%s,"found":%s,"dispatches":%llu,"replayed":%llu,)"
      R"("runs":%zu,"plain_ms":%.4f,"auto_ms":%.4f,"speed_up_error":%.4f})"
      "\n",
      json_string(about.name).c_str(), json_string(about.does).c_str(), json_string(about.checked_against).c_str(),
      json_string(device).c_str(), json_string(decided.found).c_str(), dispatches,
      static_cast<unsigned long long>(replayed), decided.times_ms.size(), plain_ms, auto_ms, error);
}

void measure(const About& about, const Arguments& arguments, const std::function<Runner(vyre::Session&)>& make) {
  // lavapipe reads it when it is opened.
  if (arguments.run_inline) setenv("LP_NUM_THREADS", "0", 1);
  const vyre::System system{vyre::backends::all()};
  const auto device = system.open().value();
  std::array<Side, 2> sides{Side{.mode = vyre::LaunchMode::Plain}, Side{.mode = vyre::LaunchMode::Auto}};
  for (Side& side : sides) {
    side.session = vyre::Session::open(device, {.mode = side.mode}).value();
    side.runner = make(*side.session);
    side.run_once();
    side.times_ms.clear();
  }
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t round = 0; round < kMaxRounds; ++round) {
    if (round >= kMinRounds && std::chrono::steady_clock::now() - begin > kEnough) break;
    // Whoever comes second finds other caches; so both do by turns.
    sides[round % 2].run_once();
    sides[1 - round % 2].run_once();
  }
  std::string name = device->info().name;
  if (!device->info().configuration.empty()) name += ", " + device->info().configuration;
  print_figures(about, arguments, sides[0], sides[1], name);
}

}  // namespace

vyre::Program load_kernel(std::string_view file, const std::source_location& source) {
  return vyre::Program::from_file(std::filesystem::path{source.file_name()}.replace_filename(file)).value();
}

std::string text(const char* format, ...) {
  std::array<char, 512> room;
  std::va_list arguments;
  va_start(arguments, format);
  const int size = std::vsnprintf(room.data(), room.size(), format, arguments);
  va_end(arguments);
  return {room.data(), std::min(static_cast<std::size_t>(std::max(size, 0)), room.size() - 1)};
}

int compare(int argc, char** argv, const About& about, const std::function<Runner(vyre::Session&)>& make) try {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--json") {
      arguments.json = true;
    } else if (argument == "--inline") {
      arguments.run_inline = true;
    } else {
      std::fprintf(stderr, "%s: usage: example_%s [--json] [--inline]\n", about.does, about.name);
      return 2;
    }
  }
  measure(about, arguments, make);
  return 0;
} catch (const WrongResult& wrong) {
  std::fprintf(stderr, "%s: wrong result: %s\n", about.name, wrong.what());
  return 1;
} catch (const std::bad_expected_access<vyre::Error>& failure) {
  std::fprintf(stderr, "%s: %s\n", about.name, to_string(failure.error()).c_str());
  return 1;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s: %s\n", about.name, failure.what());
  return 1;
}

}  // namespace examples
