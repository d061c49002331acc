// What a session costs: its calls alone, a single dispatch beside Vulkan written by hand, and whole jobs beside the
// same jobs as one pre-recorded list, in turns in one process, with lavapipe inline and as it comes.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <vyre/runtime/session.hpp>

#include "bench/lavapipe.hpp"
#include "bench/paired.hpp"
#include "bench/raw_list.hpp"
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
using DevicePtr = std::shared_ptr<backend::Device>;

constexpr std::size_t kRounds = 61;
constexpr std::size_t kJobRounds = 31;
constexpr std::size_t kWarmRounds = 8;

constexpr const char* kStencil = R"(#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer Before { float before[]; };
layout(binding = 1) writeonly buffer After { float after[]; };
layout(push_constant) uniform P { uint size; float rate; };
void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x == 0 || at.y == 0 || at.x >= size - 1 || at.y >= size - 1) return;
  uint i = at.y * size + at.x;
  float around = before[i - 1] + before[i + 1] + before[i - size] + before[i + size];
  after[i] = before[i] + rate * (around - 4.0 * before[i]);
}
)";

constexpr const char* kSumOfFour = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Values { uint values[]; };
layout(binding = 1) writeonly buffer Sums { uint sums[]; };
layout(push_constant) uniform P { uint count; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) sums[i] = values[4 * i] + values[4 * i + 1] + values[4 * i + 2] + values[4 * i + 3];
}
)";

constexpr const char* kMap = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Values { float values[]; };
layout(binding = 1) writeonly buffer Results { float results[]; };
layout(push_constant) uniform P { float scale; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  results[i] = scale * values[i] + 1.0;
}
)";

struct SaxpyParams {
  float scale = 0.5F;
  std::uint32_t count = 64;
};

struct StencilParams {
  std::uint32_t size = 0;
  float rate = 0.2F;
};

program::Program compile(const char* source, const char* name) {
  return must(program::Program::from_glsl(source, {.name = name}));
}

template <typename T>
std::vector<std::byte> bytes_of(const T& value) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span{&value, 1});
  return {bytes.begin(), bytes.end()};
}

void must_agree(bool agree, const char* what) {
  if (agree) return;
  fmt::print(stderr, "{}: vyre and raw Vulkan differ\n", what);
  std::exit(1);
}

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

/// A plate of `size` x `size` cells, a multiple of 16.
void measure_stencil(const DevicePtr& device, std::uint32_t size) {
  constexpr std::uint32_t kSteps = 1000;
  const std::uint64_t bytes = std::uint64_t{size} * size * sizeof(float);
  const program::Program kernel = compile(kStencil, "stencil");
  const StencilParams values{.size = size};
  std::vector<float> plate(std::size_t{size} * size);
  std::fill_n(plate.begin(), size, 100.0F);

  std::vector<RawStep> steps;
  for (std::uint32_t i = 0; i < kSteps; ++i) {
    steps.push_back({.views = {{.buffer = i % 2, .size = bytes}, {.buffer = (i + 1) % 2, .size = bytes}},
                     .groups = {size / 16, size / 16, 1},
                     .params = bytes_of(values),
                     .waits = i > 0});
  }
  RawList raw{kernel.words(), std::array{bytes, bytes}, steps};
  std::memcpy(raw.mapped(0).data(), plate.data(), bytes);
  std::memcpy(raw.mapped(1).data(), plate.data(), bytes);

  Session session = must(Session::open(device));
  const std::array plates{must(session.buffer<float>(plate)), must(session.buffer<float>(plate))};
  const runtime::DispatchOptions options{.groups = {size / 16, size / 16}, .params = params_block(values)};
  const auto dispatch_all = [&]() -> Result<void> {
    for (std::uint32_t i = 0; i < kSteps; ++i) {
      VYRE_TRY(session.dispatch(kernel, {plates[i % 2], plates[(i + 1) % 2]}, options));
    }
    return {};
  };
  const auto raw_all = [&] { raw.run(); };
  raw_all();
  must(dispatch_all());
  std::vector<float> result(plate.size());
  must(session.read(plates[0], result));
  must(session.finish());
  must_agree(std::ranges::equal(std::as_bytes(std::span{result}), raw.mapped(0)), "stencil");

  const std::array prepared{must(session.prepare(kernel, {plates[0], plates[1]}, options)),
                            must(session.prepare(kernel, {plates[1], plates[0]}, options))};
  const runtime::Capture captured = must(session.capture(dispatch_all));
  const auto dispatch = [&] {
    must(dispatch_all());
    must(session.finish());
  };
  const auto enqueue = [&] {
    for (std::uint32_t i = 0; i < kSteps; ++i) must(session.enqueue(prepared[i % 2]));
    must(session.finish());
  };
  const auto replay = [&] {
    must(session.replay(captured));
    must(session.finish());
  };
  const std::string what = fmt::format("1,000 steps of {0} x {0}", size);
  job_row(what + ", dispatch", compare(raw_all, dispatch, kJobRounds));
  job_row(what + ", enqueue", compare(raw_all, enqueue, kJobRounds));
  job_row(what + ", replay", compare(raw_all, replay, kJobRounds));
}

void measure_reduction(const DevicePtr& device) {
  constexpr std::uint32_t kCount = 1U << 18;
  const program::Program kernel = compile(kSumOfFour, "sum_of_four");
  std::vector<std::uint32_t> numbers(kCount);
  std::iota(numbers.begin(), numbers.end(), 1U);
  const std::array<std::uint64_t, 3> sizes{kCount * 4, kCount, kCount / 4};

  // From the numbers into the second buffer, and from there on to and fro between the second and the third.
  struct Pass {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t count = 0;
  };
  std::vector<Pass> passes;
  std::vector<RawStep> steps;
  std::uint32_t from = 0;
  std::uint32_t to = 1;
  for (std::uint32_t count = kCount / 4; count > 0; count /= 4) {
    passes.push_back({.from = from, .to = to, .count = count});
    steps.push_back({.views = {{.buffer = from, .size = sizes[from]}, {.buffer = to, .size = sizes[to]}},
                     .groups = {(count + 63) / 64, 1, 1},
                     .params = bytes_of(count),
                     .waits = from != 0});
    from = std::exchange(to, to == 1 ? 2 : 1);
  }
  RawList raw{kernel.words(), sizes, steps};
  std::memcpy(raw.mapped(0).data(), numbers.data(), sizes[0]);

  Session session = must(Session::open(device));
  const std::array buffers{must(session.buffer<std::uint32_t>(numbers)),
                           must(session.buffer<std::uint32_t>(sizes[1] / 4)),
                           must(session.buffer<std::uint32_t>(sizes[2] / 4))};
  const auto dispatch_all = [&]() -> Result<void> {
    for (const Pass& pass : passes) {
      VYRE_TRY(session.dispatch(kernel, {buffers[pass.from], buffers[pass.to]},
                                {.groups = {(pass.count + 63) / 64}, .params = runtime::params(pass.count)}));
    }
    return {};
  };
  std::vector<std::uint32_t> total(1);
  std::uint32_t raw_total = 0;
  const auto end = [&] {
    must(session.read(buffers[from].part(0, 1), total));
    must(session.finish());
  };
  const auto raw_all = [&] {
    raw.run();
    std::memcpy(&raw_total, raw.mapped(from).data(), sizeof(raw_total));
  };
  const auto dispatch = [&] {
    must(dispatch_all());
    end();
  };
  raw_all();
  dispatch();
  must_agree(total[0] == raw_total && raw_total == std::accumulate(numbers.begin(), numbers.end(), 0U), "reduction");

  const runtime::Capture captured = must(session.capture(dispatch_all));
  const auto replay = [&] {
    must(session.replay(captured));
    end();
  };
  job_row("reduction in 9 passes, dispatch", compare(raw_all, dispatch, kJobRounds));
  job_row("reduction in 9 passes, replay", compare(raw_all, replay, kJobRounds));
}

void measure_map(const DevicePtr& device) {
  constexpr std::uint32_t kChunks = 64;
  constexpr std::uint32_t kChunkFloats = 4096;
  constexpr std::uint64_t kChunkBytes = kChunkFloats * sizeof(float);
  constexpr std::uint64_t kBytes = kChunks * kChunkBytes;
  const program::Program kernel = compile(kMap, "map");
  const float scale = 0.5F;
  std::vector<float> values(std::size_t{kChunks} * kChunkFloats);
  std::iota(values.begin(), values.end(), 0.0F);
  std::vector<float> results(values.size());
  std::vector<float> raw_results(values.size());

  std::vector<RawStep> steps;
  for (std::uint32_t i = 0; i < kChunks; ++i) {
    steps.push_back({.views = {{.buffer = 0, .offset = i * kChunkBytes, .size = kChunkBytes},
                               {.buffer = 1, .offset = i * kChunkBytes, .size = kChunkBytes}},
                     .groups = {kChunkFloats / 64, 1, 1},
                     .params = bytes_of(scale)});
  }
  RawList raw{kernel.words(), std::array{kBytes, kBytes}, steps};
  const auto raw_all = [&] {
    std::memcpy(raw.mapped(0).data(), values.data(), kBytes);
    raw.run();
    std::memcpy(raw_results.data(), raw.mapped(1).data(), kBytes);
  };

  Session session = must(Session::open(device));
  const Buffer<float> in = must(session.buffer<float>(values.size()));
  const Buffer<float> out = must(session.buffer<float>(values.size()));
  const auto chunks = [&](auto launch) {
    for (std::uint32_t i = 0; i < kChunks; ++i) {
      const std::size_t begin = std::size_t{i} * kChunkFloats;
      must(session.write(in.part(begin, kChunkFloats), std::span{values}.subspan(begin, kChunkFloats)));
      launch(i);
      must(session.read(out.part(begin, kChunkFloats), std::span{results}.subspan(begin, kChunkFloats)));
    }
    must(session.finish());
  };
  const runtime::DispatchOptions options{.groups = {kChunkFloats / 64}, .params = runtime::params(scale)};
  std::vector<std::array<BufferView, 2>> pairs;
  std::vector<Prepared> prepared;
  for (std::uint64_t i = 0; i < kChunks; ++i) {
    pairs.push_back({in.part(i * kChunkFloats, kChunkFloats), out.part(i * kChunkFloats, kChunkFloats)});
    prepared.push_back(must(session.prepare(kernel, {pairs[i][0], pairs[i][1]}, options)));
  }
  const auto dispatch = [&] {
    chunks([&](std::uint32_t i) { must(session.dispatch(kernel, {pairs[i][0], pairs[i][1]}, options)); });
  };
  const auto enqueue = [&] { chunks([&](std::uint32_t i) { must(session.enqueue(prepared[i])); }); };
  raw_all();
  dispatch();
  must_agree(results == raw_results, "map");
  job_row("map over 64 chunks, dispatch", compare(raw_all, dispatch, kJobRounds));
  job_row("map over 64 chunks, enqueue", compare(raw_all, enqueue, kJobRounds));
}

void run(bool is_inline) {
  const DevicePtr device = open_lavapipe(is_inline);
  const program::Program saxpy = compile(kSaxpy, "saxpy");
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
