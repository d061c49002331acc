// Instructions of a session's calls for batches of 1,000 dispatches, counted by callgrind: unlike times, the same on a
// busy machine. Beside them the same batch as a command buffer that is recorded once and submitted by hand. Then a step
// of a program that writes 16 bytes, runs a kept list of 123 dispatches, waits and reads 64 numbers: the thread that
// calls, with all that the driver does in it, and the whole process, with the driver's own threads.

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <vyre/runtime/session.hpp>
#include <vyre/runtime/tuner.hpp>

#include "bench/lavapipe.hpp"
#include "bench/raw_vulkan.hpp"
#include "bench/saxpy.hpp"

namespace vyre::bench {
namespace {

using runtime::Session;

constexpr std::uint32_t kDispatches = 1000;
constexpr std::uint32_t kWarmBatches = 40;
constexpr std::uint32_t kBatches = 8;
constexpr std::uint64_t kViewFloats = 64;

enum class Kind : std::uint8_t { New, Dispatch, Enqueue, EnqueueSpan, Many, Replay, Changed, Raw, Step, StepRaw };
constexpr std::array<std::string_view, 10> kKinds = {"dispatch, new shape",
                                                     "dispatch, known shape",
                                                     "enqueue, known shape",
                                                     "enqueue of a span, known shape",
                                                     "dispatch_many, known shape",
                                                     "replay of a capture",
                                                     "replay, other parameters of one",
                                                     "list kept by hand",
                                                     "step: replay with write and read",
                                                     "step: list kept by hand"};

/// How a session chooses: by the rule that holds before the device is measured, or by forecasts.
enum class Choice : std::uint8_t { Rule, Forecast };

/// What a device may take: merging is worth it.
choice::Calibration some_calibration() {
  choice::Calibration made;
  made.ways.fill({.fixed_ns = 8'000, .slope_ns = 1'000});
  made.way(choice::Way::Replay) = {.fixed_ns = 6'000, .slope_ns = 800};
  made.way(choice::Way::Merged) = {.fixed_ns = 9'000, .slope_ns = 300};
  made.way(choice::Way::MergedReplay) = {.fixed_ns = 7'000, .slope_ns = 150};
  made.record = {.fixed_ns = 2'000, .slope_ns = 500};
  made.has_form.fill(true);
  made.compile_ns = 100'000;
  return made;
}

struct Params {
  float scale = 1;
  std::uint32_t count = kViewFloats;
};

/// Called before and after the batches that are counted. Their contents differ, because compilers make one function of
/// two alike ones.
[[gnu::noinline]] void begin_counting() { asm volatile("# begin"); }
[[gnu::noinline]] void end_counting() { asm volatile("# end"); }

/// A step of a program, which is counted as a whole.
[[gnu::noinline]] void run_step(const std::function<void()>& step) {
  step();
  asm volatile("");
}

template <typename Run>
void repeat(Run run) {
  for (std::uint32_t i = 0; i < kWarmBatches; ++i) run();
  begin_counting();
  for (std::uint32_t i = 0; i < kBatches; ++i) run();
  end_counting();
}

constexpr std::uint32_t kStepDispatches = 123;
using StepIn = std::array<std::uint32_t, 4>;
using StepOut = std::array<float, 64>;

void run_steps(const program::Program& kernel) {
  const Params params;
  RawVulkan raw{kernel.words(), 2, sizeof(Params), kStepDispatches, kViewFloats * sizeof(float)};
  raw.record(raw.kept(), kStepDispatches, std::as_bytes(std::span{&params, 1}), false);
  StepIn in = {};
  StepOut out = {};
  const std::function<void()> step = [&] {
    std::memcpy(raw.mapped(0).data(), in.data(), sizeof(in));
    raw.run_fenced(raw.kept());
    std::memcpy(out.data(), raw.mapped(1).data(), sizeof(out));
  };
  repeat([&] { run_step(step); });
}

void run_steps(Session& session, const program::Program& kernel) {
  const auto x = must(session.buffer<float>(kViewFloats * kStepDispatches));
  const auto y = must(session.buffer<float>(kViewFloats * kStepDispatches));
  const Params params;
  StepIn in = {};
  StepOut out = {};
  const runtime::Capture captured = must(session.capture([&]() -> Result<void> {
    VYRE_TRY(session.write_bytes(x.view().bytes(0, sizeof(in)), std::as_bytes(std::span{in})));
    for (std::uint32_t i = 0; i < kStepDispatches; ++i) {
      VYRE_TRY(session.dispatch(kernel, {x.part(i * kViewFloats, kViewFloats), y.part(i * kViewFloats, kViewFloats)},
                                {.params = runtime::params_block(params)}));
    }
    return session.read(y.part(0, out.size()), out);
  }));
  const std::function<void()> step = [&] {
    must(session.replay(captured));
    must(session.wait(must(session.flush())));
  };
  repeat([&] { run_step(step); });
}

/// Batches of one kind, each of dispatches with views of their own.
void run(Kind kind, Choice choice) {
  const auto device = open_lavapipe(true);
  const program::Program kernel = must(program::Program::from_glsl(kSaxpy, {.name = "saxpy"}));
  if (kind == Kind::Raw) {
    RawVulkan raw{kernel.words(), 2, sizeof(Params), kDispatches, kViewFloats * sizeof(float)};
    const Params params;
    raw.record(raw.kept(), kDispatches, std::as_bytes(std::span{&params, 1}), false);
    repeat([&] { raw.run_fenced(raw.kept()); });
    return;
  }
  if (kind == Kind::StepRaw) return run_steps(kernel);
  Session session = must(Session::open(device, {.exploration = 0, .calibrate_after = std::chrono::hours{24}}));
  if (choice == Choice::Forecast) must(session.tuner().set(some_calibration()));
  if (kind == Kind::Step) return run_steps(session, kernel);
  const auto x = must(session.buffer<float>(kViewFloats * kDispatches));
  const auto y = must(session.buffer<float>(kViewFloats * kDispatches));
  Params params;
  std::vector<std::array<runtime::BufferView, 2>> pairs;
  std::vector<runtime::Prepared> prepared;
  std::vector<runtime::DispatchItem> items;
  for (std::uint32_t i = 0; i < kDispatches; ++i) {
    pairs.push_back({x.part(i * kViewFloats, kViewFloats), y.part(i * kViewFloats, kViewFloats)});
    prepared.push_back(
        must(session.prepare(kernel, {pairs[i][0], pairs[i][1]}, {.params = runtime::params_block(params)})));
  }
  for (const auto& pair : pairs) items.push_back({.buffers = pair, .params = runtime::params_block(params)});
  const auto dispatch_all = [&] {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      must(session.dispatch(kernel, {pairs[i][0], pairs[i][1]},
                            {.params = runtime::params(params.scale, params.count), .label = i == 0 ? "first" : ""}));
    }
  };
  const runtime::Capture captured = must(session.capture([&]() -> Result<void> {
    dispatch_all();
    return {};
  }));
  repeat([&] {
    switch (kind) {
      case Kind::New:
        params.scale += 1;
        dispatch_all();
        break;
      case Kind::Dispatch: dispatch_all(); break;
      case Kind::Enqueue:
        for (const runtime::Prepared& each : prepared) must(session.enqueue(each));
        break;
      case Kind::EnqueueSpan: must(session.enqueue(prepared)); break;
      case Kind::Many: must(session.dispatch_many(kernel, items)); break;
      case Kind::Replay: must(session.replay(captured)); break;
      case Kind::Changed: {
        params.scale += 1;
        const std::array changes{
            runtime::CaptureParams{.label = "first", .params = runtime::params(params.scale, params.count)}};
        must(session.replay(captured, changes));
        break;
      }
      case Kind::Raw:
      case Kind::Step:
      case Kind::StepRaw: break;
    }
    must(session.flush());
    must(session.finish());
  });
}

/// Instructions of a batch in all threads of the process.
double count_all(const std::string& self, std::size_t kind, Choice choice) {
  const std::filesystem::path out =
      std::filesystem::temp_directory_path() / fmt::format("bench_instructions_{}", getpid());
  const std::string command = fmt::format(
      "valgrind --tool=callgrind --callgrind-out-file='{}' --zero-before='*begin_counting*' "
      "--dump-before='*end_counting*' {} {} {} >/dev/null 2>&1",
      out.string(), self, kind, static_cast<int>(choice));
  const bool has_run = std::system(command.c_str()) == 0;
  double counted = -1;
  // The first part ends where the counting does.
  const std::filesystem::path part = out.string() + ".1";
  std::ifstream file{part};
  for (std::string line; has_run && std::getline(file, line);) {
    if (line.starts_with("totals:")) counted = std::strtod(line.c_str() + 7, nullptr);
  }
  std::filesystem::remove(part);
  std::filesystem::remove(out);
  return counted / kBatches;
}

/// Instructions of a batch in the calls that match.
double count(const std::string& self, std::size_t kind, Choice choice, std::string_view calls) {
  const std::string command = fmt::format(
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='{}*' "
      "--zero-before='*begin_counting*' {} {} {} 2>&1 >/dev/null",
      calls, self, kind, static_cast<int>(choice));
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return -1;
  double collected = -1;
  std::array<char, 512> line = {};
  while (std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr) {
    const std::string_view text{line.data()};
    const std::size_t at = text.find("Collected :");
    if (at != std::string_view::npos) collected = std::strtod(line.data() + at + 11, nullptr);
  }
  pclose(pipe);
  return collected / kBatches;
}

std::string_view call_of(Kind kind) {
  switch (kind) {
    case Kind::New:
    case Kind::Dispatch: return "vyre::runtime::Session::dispatch(";
    case Kind::Enqueue:
    case Kind::EnqueueSpan: return "vyre::runtime::Session::enqueue(";
    case Kind::Many: return "vyre::runtime::Session::dispatch_many(";
    case Kind::Replay:
    case Kind::Changed: return "vyre::runtime::Session::replay(";
    case Kind::Raw: return "vyre::bench::RawDevice::run_fenced(";
    case Kind::Step:
    case Kind::StepRaw: return "vyre::bench::(anonymous namespace)::run_step(";
  }
  return "";
}

int report(const std::string& self) {
  for (const Choice choice : {Choice::Rule, Choice::Forecast}) {
    fmt::print("{:<36} {:>12} {:>12} {:>12}\n",
               choice == Choice::Rule ? "instructions per batch, by the rule" : "by forecasts", "the calls",
               "the flush", "the finish");
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      const auto kind = static_cast<Kind>(i);
      const bool is_by_hand = kind == Kind::Raw || kind == Kind::StepRaw;
      if (is_by_hand && choice == Choice::Forecast) continue;
      fmt::print("{:<36}", kKinds[i]);
      const auto column = [&](std::string_view calls) {
        const double each = count(self, i, choice, calls);
        if (each < 0) {
          fmt::print(stderr, "valgrind does not run; it is the package valgrind\n");
          std::exit(1);
        }
        fmt::print(" {:>12.0f}", each);
        std::fflush(stdout);
      };
      column(call_of(kind));
      if (kind == Kind::Step || kind == Kind::StepRaw) {
        fmt::print(" {:>12.0f} in the process", count_all(self, i, choice));
      } else if (!is_by_hand) {
        column("vyre::runtime::Session::flush(");
        column("vyre::runtime::Session::finish(");
      }
      fmt::print("\n");
    }
  }
  return 0;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) {
  if (argc != 3) return vyre::bench::report(argv[0]);
  vyre::bench::run(static_cast<vyre::bench::Kind>(std::strtoul(argv[1], nullptr, 10)),
                   static_cast<vyre::bench::Choice>(std::strtoul(argv[2], nullptr, 10)));
}
