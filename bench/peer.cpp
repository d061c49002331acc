// A session beside Vulkan as a thin wrapper uses it: one command buffer that is recorded once, one fence, results read
// from mapped memory. Times by turns in one process; the time from SPIR-V to the first result and the most memory that
// a process had, of processes of their own in turns.
//
//   bench_peer [ROUNDS]

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <vyre/runtime/session.hpp>
#include <vyre/runtime/tuner.hpp>

#include "bench/lavapipe.hpp"
#include "bench/paired.hpp"
#include "bench/raw_vulkan.hpp"
#include "bench/saxpy.hpp"

namespace vyre::bench {
namespace {

using runtime::Buffer;
using runtime::BufferView;
using runtime::Capture;
using runtime::LaunchMode;
using runtime::params_block;
using runtime::Prepared;
using runtime::Session;

constexpr std::uint32_t kMany = 1000;
constexpr std::uint64_t kViewFloats = 64;
constexpr std::uint64_t kViewBytes = kViewFloats * sizeof(float);
/// Single dispatches for each round of a batch of many.
constexpr std::size_t kSingles = 100;
/// Batches until the session has decided how to launch them.
constexpr int kWarmBatches = 400;

struct SaxpyParams {
  float scale = 0.5F;
  std::uint32_t count = kViewFloats;
};

using Floats = std::array<float, kViewFloats>;

/// Dispatches of one kernel, each with views of its own, as a session keeps them.
class Work {
 public:
  Work(const std::shared_ptr<backend::Device>& device, const program::Program& kernel, std::uint32_t count,
       LaunchMode mode)
      : session{must(Session::open(device, {.mode = mode}))}, kernel_{kernel} {
    const Buffer<float> x = must(session.buffer<float>(kViewFloats * count));
    const Buffer<float> y = must(session.buffer<float>(kViewFloats * count));
    result = y.part(kViewFloats * (count - 1), kViewFloats);
    for (std::uint32_t i = 0; i < count; ++i) {
      pairs_.push_back({x.part(i * kViewFloats, kViewFloats), y.part(i * kViewFloats, kViewFloats)});
      prepared_.push_back(
          must(session.prepare(kernel, {pairs_[i][0], pairs_[i][1]}, {.params = params_block(SaxpyParams{})})));
    }
    for (const auto& pair : pairs_) items_.push_back({.buffers = pair, .params = params_block(SaxpyParams{})});
    capture_ = must(session.capture([&] { return session.dispatch_many(kernel_, items_); }));
  }

  void dispatch() { must(session.dispatch_many(kernel_, items_)); }
  void enqueue() {
    for (const Prepared& each : prepared_) must(session.enqueue(each));
  }
  void replay() { must(session.replay(capture_)); }
  /// Reads a result and waits, by `finish` or for the ticket of a flush.
  void finish() {
    must(session.read(result, values));
    must(session.finish());
  }
  void wait() {
    must(session.read(result, values));
    must(session.wait(must(session.flush())));
  }

  Session session;
  Buffer<float> result;
  Floats values = {};

 private:
  program::Program kernel_;
  std::vector<std::array<BufferView, 2>> pairs_;
  std::vector<Prepared> prepared_;
  std::vector<runtime::DispatchItem> items_;
  Capture capture_;
};

void row(const std::string& what, const Comparison& c) {
  // A row compares a base, by hand if it is not named, with another; the times of the calling thread stand behind.
  fmt::print("  {:<40} {:>9.2f} {:>9.2f} {:>8.2f} {:>8.2f}   {:.3f} [{:.3f}, {:.3f}] ± {:.3f}\n", what, c.base_ns / 1e3,
             c.other_ns / 1e3, c.base_cpu_ns / 1e3, c.other_cpu_ns / 1e3, c.ratio, c.low, c.high, c.error);
  std::fflush(stdout);
}

void measure(const std::shared_ptr<backend::Device>& device, const program::Program& kernel, std::uint32_t count,
             LaunchMode mode, std::size_t rounds) {
  RawVulkan raw{kernel.words(), 2, sizeof(SaxpyParams), count, kViewBytes};
  const SaxpyParams params;
  raw.record(raw.kept(), count, std::as_bytes(std::span{&params, 1}), false);
  Floats values = {};
  const auto by_hand = [&] {
    raw.run_fenced(raw.kept());
    std::memcpy(values.data(), raw.mapped(1).last(kViewBytes).data(), kViewBytes);
  };
  const auto by_hand_timeline = [&] {
    raw.run(raw.kept());
    std::memcpy(values.data(), raw.mapped(1).last(kViewBytes).data(), kViewBytes);
  };
  Work work{device, kernel, count, mode};
  const auto dispatch_finish = [&] {
    work.dispatch();
    work.finish();
  };
  const auto dispatch_wait = [&] {
    work.dispatch();
    work.wait();
  };
  const auto enqueue_wait = [&] {
    work.enqueue();
    work.wait();
  };
  const auto replay_wait = [&] {
    work.replay();
    work.wait();
  };
  for (int i = 0; i < kWarmBatches; ++i) {
    dispatch_wait();
    replay_wait();
    enqueue_wait();
  }
  // Where threads sleep and wake, a turn of many calls is at one of several speeds throughout.
  const auto beside = [&](const auto& base, const auto& other) {
    return count == 1 ? compare(base, other, rounds * kSingles, 0) : compare(base, other, rounds);
  };
  const std::string what = count == 1 ? "one dispatch" : fmt::format("{} dispatches", count);
  const auto name = [&](const char* how) { return fmt::format("{}, {}", to_string(mode), how); };
  fmt::print("  {:<40} {:>9} {:>9} {:>8} {:>8}   {}\n", fmt::format("{}, read, µs", what), "base", "other", "cpu",
             "cpu", "other / base [95 %] ± standard error");
  row(name("by hand, a timeline for a fence"), beside(by_hand, by_hand_timeline));
  row(name("dispatch_many, finish"), beside(by_hand, dispatch_finish));
  row(name("dispatch_many, flush, wait"), beside(by_hand, dispatch_wait));
  row(name("enqueue, flush, wait"), beside(by_hand, enqueue_wait));
  row(name("replay, flush, wait"), beside(by_hand, replay_wait));
  row(name("replay beside dispatch_many"), beside(dispatch_wait, replay_wait));
  const runtime::RunReport report = must(work.session.finish());
  for (const auto& shape : report.shapes) {
    fmt::print("    chosen for {} dispatches: {}\n", shape->dispatches, to_string(shape->chosen));
  }
}

void run(bool is_inline, std::size_t rounds) {
  const std::shared_ptr<backend::Device> device = open_lavapipe(is_inline);
  const program::Program kernel = must(program::Program::from_glsl(kSaxpy, {.name = "saxpy"}));
  for (const std::uint32_t count : {1U, kMany}) {
    for (const LaunchMode mode : {LaunchMode::Auto, LaunchMode::Replay}) measure(device, kernel, count, mode, rounds);
  }
}

using Clock = std::chrono::steady_clock;

/// The most memory that this process had so far, in KiB.
std::uint64_t peak_kib() {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

/// What a process of its own prints: the time to its first result, and its peak memory in the end.
void print_alone(Clock::time_point begin, Clock::time_point first) {
  fmt::print("{} {}\n", std::chrono::duration_cast<std::chrono::nanoseconds>(first - begin).count(), peak_kib());
}

/// For longer than it takes until the session has measured the device.
template <typename Run>
void keep_busy(Run run) {
  const Clock::time_point until = Clock::now() + std::chrono::milliseconds{1500};
  while (Clock::now() < until) run();
}

void run_alone_by_hand(std::span<const std::uint32_t> words) {
  const Clock::time_point begin = Clock::now();
  RawVulkan raw{words, 2, sizeof(SaxpyParams), kMany, kViewBytes};
  const SaxpyParams params;
  raw.record(raw.kept(), kMany, std::as_bytes(std::span{&params, 1}), false);
  Floats values = {};
  const auto run = [&] {
    raw.run_fenced(raw.kept());
    std::memcpy(values.data(), raw.mapped(1).last(kViewBytes).data(), kViewBytes);
  };
  run();
  const Clock::time_point first = Clock::now();
  keep_busy(run);
  print_alone(begin, first);
}

void run_alone_in_session(std::span<const std::uint32_t> words) {
  const Clock::time_point begin = Clock::now();
  const program::Program kernel = must(program::Program::from_spirv(words, {.name = "saxpy"}));
  const auto backend = backends::vulkan::make_vulkan_backend();
  const std::shared_ptr<backend::Device> device =
      must(backend::Device::open(*backend, must(backend->devices()).front()));
  Session session = must(Session::open(device));
  const Buffer<float> x = must(session.buffer<float>(kViewFloats * kMany));
  const Buffer<float> y = must(session.buffer<float>(kViewFloats * kMany));
  Floats values = {};
  const auto run = [&] {
    for (std::uint32_t i = 0; i < kMany; ++i) {
      must(session.dispatch(kernel, {x.part(i * kViewFloats, kViewFloats), y.part(i * kViewFloats, kViewFloats)},
                            {.params = params_block(SaxpyParams{})}));
    }
    must(session.read(y.part(kViewFloats * (kMany - 1), kViewFloats), values));
    must(session.wait(must(session.flush())));
  };
  run();
  const Clock::time_point first = Clock::now();
  keep_busy(run);
  if (!session.tuner().is_calibrated()) fmt::print(stderr, "the device was not measured\n");
  print_alone(begin, first);
}

/// A process of its own: the kernel is in a file.
void run_alone(std::string_view how, const char* path) {
  std::vector<std::uint32_t> words(std::filesystem::file_size(path) / sizeof(std::uint32_t));
  std::ifstream file{path, std::ios::binary};
  file.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(words.size() * sizeof(std::uint32_t)));
  how == "hand" ? run_alone_by_hand(words) : run_alone_in_session(words);
}

struct Alone {
  std::vector<double> first_ns = {};
  std::vector<double> peak_kib = {};

  void run(const std::string& self, const char* how, const std::string& path) {
    std::FILE* pipe = popen(fmt::format("'{}' {} '{}'", self, how, path).c_str(), "r");
    double ns = 0;
    double kib = 0;
    if (pipe == nullptr || std::fscanf(pipe, "%lf %lf", &ns, &kib) != 2) {
      fmt::print(stderr, "the process '{}' does not run\n", how);
      std::exit(1);
    }
    pclose(pipe);
    first_ns.push_back(ns);
    peak_kib.push_back(kib);
  }
};

void measure_alone(const std::string& self) {
  constexpr std::size_t kProcesses = 9;
  const program::Program kernel = must(program::Program::from_glsl(kSaxpy, {.name = "saxpy"}));
  const std::string path = (std::filesystem::temp_directory_path() / fmt::format("bench_peer_{}", getpid())).string();
  std::ofstream{path, std::ios::binary}.write(reinterpret_cast<const char*>(kernel.words().data()),
                                              static_cast<std::streamsize>(kernel.words().size_bytes()));
  Alone hand;
  Alone session;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < kProcesses; ++i) {
    hand.run(self, "hand", path);
    session.run(self, "session", path);
    ratios.push_back(session.first_ns.back() / hand.first_ns.back());
  }
  std::filesystem::remove(path);
  fmt::print("\n1,000 dispatches in a process of its own{:>22} {:>9}\n", "by hand", "vyre");
  fmt::print("  {:<50} {:>9.1f} {:>9.1f}   {:.3f}\n", "from SPIR-V to the first result, ms",
             median(hand.first_ns) / 1e6, median(session.first_ns) / 1e6, median(ratios));
  fmt::print("  {:<50} {:>9.1f} {:>9.1f}\n", "most memory, MiB", median(hand.peak_kib) / 1024,
             median(session.peak_kib) / 1024);
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) {
  if (argc == 3) {
    vyre::bench::run_alone(argv[1], argv[2]);
    return 0;
  }
  vyre::bench::measure_alone(argv[0]);
  vyre::bench::keep_memory();
  const std::size_t rounds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 61;
  vyre::bench::run(true, rounds);
  vyre::bench::run(false, rounds);
}
