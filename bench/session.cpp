// What a session costs: its calls alone, a single dispatch beside Vulkan written by hand, and whole jobs beside the
// same jobs as one pre-recorded list, in turns in one process, with lavapipe inline and as it comes.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <vyre/runtime/session.hpp>

#include "bench/jobs.hpp"
#include "bench/lavapipe.hpp"
#include "bench/paired.hpp"
#include "bench/raw_vulkan.hpp"
#include "bench/saxpy.hpp"
#include "tests/support/allocations.hpp"

namespace vyre::bench {
namespace {

using runtime::Buffer;
using runtime::BufferView;
using runtime::params_block;
using runtime::Prepared;
using runtime::Session;

constexpr std::size_t kRounds = 61;
constexpr std::size_t kJobRounds = 31;
constexpr std::size_t kWarmRounds = 8;

struct SaxpyParams {
  float scale = 0.5F;
  std::uint32_t count = 64;
};

/// Prints what the host does for a batch of `count` dispatches: in the calls, and until the batch is launched.
template <typename Enqueue>
void host_row(Session& session, const std::string& what, std::size_t count, Enqueue enqueue) {
  using Clock = std::chrono::steady_clock;
  const auto n = static_cast<double>(count);
  std::vector<double> calls;
  std::vector<double> launched;
  std::vector<double> allocated;
  for (std::size_t round = 0; round < kWarmRounds + kRounds; ++round) {
    const std::uint64_t allocated_before = tests::allocation_count();
    const Clock::time_point begin = Clock::now();
    enqueue();
    const Clock::time_point called = Clock::now();
    must(session.flush());
    const Clock::time_point end = Clock::now();
    const std::uint64_t allocated_after = tests::allocation_count();
    must(session.finish());
    if (round < kWarmRounds) continue;
    calls.push_back(std::chrono::duration<double, std::nano>(called - begin).count() / n);
    launched.push_back(std::chrono::duration<double, std::nano>(end - begin).count() / n);
    allocated.push_back(static_cast<double>(allocated_after - allocated_before) / n);
  }
  fmt::print("  {:<38} {:>7.0f} {:>7.0f} {:>9.0f} {:>7.0f} {:>12.3f}\n", what, median(calls), std::ranges::min(calls),
             median(launched), std::ranges::min(launched), median(allocated));
}

/// A batch of tiny dispatches, each with its own of `sets` views.
void measure_calls(const DevicePtr& device, const program::Program& kernel, std::uint32_t sets, const char* views) {
  constexpr std::uint32_t kCount = 1000;
  constexpr std::uint64_t kViewFloats = 64;
  Session session = must(Session::open(device));
  const Buffer<float> x = must(session.buffer<float>(kViewFloats * sets));
  const Buffer<float> y = must(session.buffer<float>(kViewFloats * sets));
  std::vector<std::array<BufferView, 2>> pairs;
  std::vector<Prepared> prepared;
  std::vector<runtime::DispatchItem> items;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const std::uint64_t begin = i % sets * kViewFloats;
    pairs.push_back({x.part(begin, kViewFloats), y.part(begin, kViewFloats)});
    prepared.push_back(
        must(session.prepare(kernel, {pairs[i][0], pairs[i][1]}, {.params = params_block(SaxpyParams{})})));
  }
  for (const auto& pair : pairs) items.push_back({.buffers = pair, .params = params_block(SaxpyParams{})});
  SaxpyParams other;
  const auto dispatch_all = [&](const SaxpyParams& values) {
    for (const auto& pair : pairs) {
      must(session.dispatch(kernel, {pair[0], pair[1]}, {.params = runtime::params(values.scale, values.count)}));
    }
  };
  host_row(session, fmt::format("dispatch, new shape, {}", views), kCount, [&] {
    other.scale += 1;
    dispatch_all(other);
  });
  host_row(session, fmt::format("dispatch, known shape, {}", views), kCount, [&] { dispatch_all({}); });
  host_row(session, fmt::format("enqueue, new parameters, {}", views), kCount, [&] {
    other.scale += 1;
    for (const Prepared& work : prepared) must(session.enqueue(work, runtime::params(other.scale, other.count)));
  });
  host_row(session, fmt::format("enqueue, known shape, {}", views), kCount, [&] {
    for (const Prepared& work : prepared) must(session.enqueue(work));
  });
  host_row(session, fmt::format("dispatch_many, known shape, {}", views), kCount,
           [&] { must(session.dispatch_many(kernel, items)); });
}

void single_row(const char* what, const Comparison& c) {
  fmt::print("  {:<38} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f}   {:.3f} [{:.3f}, {:.3f}]\n", what, c.base_ns / 1e3,
             c.other_ns / 1e3, (c.other_ns - c.base_ns) / 1e3, c.base_cpu_ns / 1e3, c.other_cpu_ns / 1e3, c.ratio,
             c.low, c.high);
}

/// One dispatch and its end, beside recording, submitting and waiting by hand.
void measure_single(const DevicePtr& device, const program::Program& kernel) {
  constexpr std::uint64_t kBytes = 256;
  RawVulkan raw{kernel.words(), 2, sizeof(SaxpyParams), 1, kBytes};
  Session session = must(Session::open(device));
  const Buffer<float> x = must(session.buffer<float>(kBytes / sizeof(float)));
  const Buffer<float> y = must(session.buffer<float>(kBytes / sizeof(float)));
  const Prepared prepared = must(session.prepare(kernel, {x, y}, {.params = params_block(SaxpyParams{})}));
  SaxpyParams values;
  const auto raw_single = [&] {
    raw.record(raw.scratch(), 1, std::as_bytes(std::span{&values, 1}), true);
    raw.run(raw.scratch());
  };
  const auto dispatch = [&] {
    must(session.dispatch(kernel, {x, y}, {.params = runtime::params(values.scale, values.count)}));
    must(session.finish());
  };
  const auto dispatch_other = [&] {
    values.scale += 1;
    dispatch();
  };
  const auto enqueue = [&] {
    must(session.enqueue(prepared));
    must(session.finish());
  };
  single_row("dispatch, finish", compare(raw_single, dispatch, kRounds));
  single_row("dispatch, other parameters, finish", compare(raw_single, dispatch_other, kRounds));
  single_row("enqueue, finish", compare(raw_single, enqueue, kRounds));
}

void job_row(const std::string& what, const Comparison& c) {
  fmt::print("  {:<38} {:>9.1f} {:>9.1f}   {:.3f} [{:.3f}, {:.3f}]\n", what, c.base_ns / 1e3, c.other_ns / 1e3,
             1 / c.ratio, 1 / c.high, 1 / c.low);
}

void measure_stencil(const DevicePtr& device, std::uint32_t size) {
  StencilJob job{device, size};
  must_agree(job.agree(), "stencil");
  Session& session = job.session;
  const std::array prepared{must(session.prepare(job.kernel, {job.plates[0], job.plates[1]}, job.options)),
                            must(session.prepare(job.kernel, {job.plates[1], job.plates[0]}, job.options))};
  const runtime::Capture captured = must(session.capture([&] { return job.dispatch_all(); }));
  const auto raw = [&] { job.raw.run(); };
  const auto dispatch = [&] { job.run(); };
  const auto enqueue = [&] {
    for (std::uint32_t i = 0; i < StencilJob::kSteps; ++i) must(session.enqueue(prepared[i % 2]));
    must(session.finish());
  };
  const auto replay = [&] {
    must(session.replay(captured));
    must(session.finish());
  };
  const std::string what = fmt::format("1,000 steps of {0} x {0}", size);
  job_row(what + ", dispatch", compare(raw, dispatch, kJobRounds));
  job_row(what + ", enqueue", compare(raw, enqueue, kJobRounds));
  job_row(what + ", replay", compare(raw, replay, kJobRounds));
}

void measure_reduction(const DevicePtr& device) {
  ReductionJob job{device};
  must_agree(job.agree(), "reduction");
  const runtime::Capture captured = must(job.session.capture([&] { return job.dispatch_all(); }));
  const auto raw = [&] { job.run_raw(); };
  const auto dispatch = [&] { job.run(); };
  const auto replay = [&] {
    must(job.session.replay(captured));
    job.end();
  };
  job_row("reduction in 9 passes, dispatch", compare(raw, dispatch, kJobRounds));
  job_row("reduction in 9 passes, replay", compare(raw, replay, kJobRounds));
}

void measure_map(const DevicePtr& device) {
  MapJob job{device};
  must_agree(job.agree(), "map");
  std::vector<Prepared> prepared;
  for (const auto& pair : job.pairs) {
    prepared.push_back(must(job.session.prepare(job.kernel, {pair[0], pair[1]}, job.options)));
  }
  const auto raw = [&] { job.run_raw(); };
  const auto dispatch = [&] { job.run(); };
  const auto enqueue = [&] {
    job.run_chunks([&](std::uint32_t chunk) { must(job.session.enqueue(prepared[chunk])); });
  };
  job_row("map over 64 chunks, dispatch", compare(raw, dispatch, kJobRounds));
  job_row("map over 64 chunks, enqueue", compare(raw, enqueue, kJobRounds));
}

void run(bool is_inline) {
  const DevicePtr device = open_lavapipe(is_inline);
  const program::Program saxpy = compile_kernel(kSaxpy, "saxpy");
  fmt::print("  {:<38} {:>7} {:>7} {:>9} {:>7} {:>12}\n", "1,000 dispatches, ns each", "calls", "(least)", "+ flush",
             "(least)", "allocations");
  measure_calls(device, saxpy, 1, "same buffers");
  measure_calls(device, saxpy, 1000, "own views");
  fmt::print("  {:<38} {:>9} {:>9} {:>9} {:>9} {:>9}   {}\n", "one dispatch, µs", "raw", "vyre", "added", "raw cpu",
             "vyre cpu", "vyre / raw [95 %]");
  measure_single(device, saxpy);
  fmt::print("  {:<38} {:>9} {:>9}   {}\n", "jobs, µs", "raw", "vyre", "speed of raw's [95 %]");
  measure_stencil(device, 16);
  measure_stencil(device, 64);
  measure_reduction(device);
  measure_map(device);
}

}  // namespace
}  // namespace vyre::bench

int main() {
  vyre::bench::keep_memory();
  vyre::bench::run(true);
  vyre::bench::run(false);
}
