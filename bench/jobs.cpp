#include "bench/jobs.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "bench/lavapipe.hpp"

namespace vyre::bench {
namespace {

using runtime::RunReport;
using runtime::Session;

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

constexpr float kMapScale = 0.5F;

struct StencilParams {
  std::uint32_t size = 0;
  float rate = 0.2F;
};

bool is_same(std::span<const std::byte> a, std::span<const std::byte> b) { return std::ranges::equal(a, b); }

/// Hot along one edge.
std::vector<float> make_plate(std::uint32_t size) {
  std::vector<float> plate(std::size_t{size} * size);
  std::fill_n(plate.begin(), size, 100.0F);
  return plate;
}

std::vector<RawStep> stencil_steps(std::uint32_t size) {
  const std::uint64_t bytes = std::uint64_t{size} * size * sizeof(float);
  std::vector<RawStep> steps;
  for (std::uint32_t i = 0; i < StencilJob::kSteps; ++i) {
    steps.push_back({.views = {{.buffer = i % 2, .size = bytes}, {.buffer = (i + 1) % 2, .size = bytes}},
                     .groups = {size / 16, size / 16, 1},
                     .params = bytes_of(StencilParams{.size = size}),
                     .waits = i > 0});
  }
  return steps;
}

constexpr std::array<std::uint64_t, 3> kReductionBytes{ReductionJob::kCount * 4, ReductionJob::kCount,
                                                       ReductionJob::kCount / 4};

std::vector<ReductionJob::Pass> reduction_passes() {
  std::vector<ReductionJob::Pass> passes;
  std::uint32_t from = 0;
  std::uint32_t to = 1;
  for (std::uint32_t count = ReductionJob::kCount / 4; count > 0; count /= 4) {
    passes.push_back({.from = from, .to = to, .count = count});
    from = std::exchange(to, to == 1 ? 2 : 1);
  }
  return passes;
}

std::vector<RawStep> reduction_steps(std::span<const ReductionJob::Pass> passes) {
  std::vector<RawStep> steps;
  for (const auto& [from, to, count] : passes) {
    steps.push_back(
        {.views = {{.buffer = from, .size = kReductionBytes[from]}, {.buffer = to, .size = kReductionBytes[to]}},
         .groups = {(count + 63) / 64, 1, 1},
         .params = bytes_of(count),
         .waits = from != 0});
  }
  return steps;
}

std::vector<std::uint32_t> count_up() {
  std::vector<std::uint32_t> numbers(ReductionJob::kCount);
  std::iota(numbers.begin(), numbers.end(), 1U);
  return numbers;
}

std::vector<RawStep> map_steps() {
  std::vector<RawStep> steps;
  for (std::uint32_t i = 0; i < MapJob::kChunks; ++i) {
    const std::uint64_t offset = i * MapJob::kChunkBytes;
    steps.push_back({.views = {{.buffer = 0, .offset = offset, .size = MapJob::kChunkBytes},
                               {.buffer = 1, .offset = offset, .size = MapJob::kChunkBytes}},
                     .groups = {MapJob::kChunkFloats / 64, 1, 1},
                     .params = bytes_of(kMapScale)});
  }
  return steps;
}

}  // namespace

program::Program compile_kernel(const char* source, const char* name) {
  return must(program::Program::from_glsl(source, {.name = name}));
}

void must_agree(bool agree, const std::string& what) {
  if (agree) return;
  fmt::print(stderr, "{}: vyre and raw Vulkan differ\n", what);
  std::exit(1);
}

StencilJob::StencilJob(const DevicePtr& device, std::uint32_t size, const runtime::SessionOptions& session_options)
    : kernel{compile_kernel(kStencil, "stencil")},
      plate{make_plate(size)},
      raw{kernel.words(), std::array{plate.size() * sizeof(float), plate.size() * sizeof(float)}, stencil_steps(size)},
      session{must(Session::open(device, session_options))},
      plates{must(session.buffer<float>(plate)), must(session.buffer<float>(plate))},
      options{.groups = {size / 16, size / 16}, .params = runtime::params_block(StencilParams{.size = size})} {}

Result<void> StencilJob::dispatch_all() {
  for (std::uint32_t i = 0; i < kSteps; ++i) {
    VYRE_TRY(session.dispatch(kernel, {plates[i % 2], plates[(i + 1) % 2]}, options));
  }
  return {};
}

RunReport StencilJob::run() {
  must(dispatch_all());
  return must(session.finish());
}

bool StencilJob::agree() {
  for (std::uint32_t i = 0; i < plates.size(); ++i) {
    std::memcpy(raw.mapped(i).data(), plate.data(), raw.mapped(i).size());
    must(session.write(plates[i], plate));
  }
  raw.run();
  run();
  std::vector<float> result(plate.size());
  must(session.read(plates[0], result));
  must(session.finish());
  return is_same(std::as_bytes(std::span{result}), raw.mapped(0));
}

ReductionJob::ReductionJob(const DevicePtr& device, const runtime::SessionOptions& session_options)
    : kernel{compile_kernel(kSumOfFour, "sum_of_four")},
      passes{reduction_passes()},
      numbers{count_up()},
      raw{kernel.words(), kReductionBytes, reduction_steps(passes)},
      session{must(Session::open(device, session_options))},
      buffers{must(session.buffer<std::uint32_t>(numbers)), must(session.buffer<std::uint32_t>(kReductionBytes[1] / 4)),
              must(session.buffer<std::uint32_t>(kReductionBytes[2] / 4))} {
  std::memcpy(raw.mapped(0).data(), numbers.data(), kReductionBytes[0]);
}

void ReductionJob::run_raw() {
  raw.run();
  std::memcpy(&raw_total, raw.mapped(passes.back().to).data(), sizeof(raw_total));
}

void ReductionJob::run_raw_one_by_one() {
  raw.run_one_by_one();
  std::memcpy(&raw_total, raw.mapped(passes.back().to).data(), sizeof(raw_total));
}

Result<void> ReductionJob::dispatch_all() {
  for (const Pass& pass : passes) {
    VYRE_TRY(session.dispatch(kernel, {buffers[pass.from], buffers[pass.to]},
                              {.groups = {(pass.count + 63) / 64}, .params = runtime::params(pass.count)}));
  }
  return {};
}

RunReport ReductionJob::end() {
  must(session.read(buffers[passes.back().to].part(0, 1), total));
  return must(session.finish());
}

RunReport ReductionJob::run() {
  must(dispatch_all());
  return end();
}

bool ReductionJob::agree() {
  raw_total = total[0] = 0;
  run_raw();
  run();
  return total[0] == raw_total && raw_total == std::accumulate(numbers.begin(), numbers.end(), 0U);
}

MapJob::MapJob(const DevicePtr& device, const runtime::SessionOptions& session_options)
    : kernel{compile_kernel(kMap, "map")},
      values(std::size_t{kChunks} * kChunkFloats),
      results(values.size()),
      raw_results(values.size()),
      raw{kernel.words(), std::array{kChunks * kChunkBytes, kChunks * kChunkBytes}, map_steps()},
      session{must(Session::open(device, session_options))},
      in{must(session.buffer<float>(values.size()))},
      out{must(session.buffer<float>(values.size()))},
      options{.groups = {kChunkFloats / 64}, .params = runtime::params(kMapScale)} {
  std::iota(values.begin(), values.end(), 0.0F);
  for (std::uint64_t i = 0; i < kChunks; ++i) {
    pairs.push_back({in.part(i * kChunkFloats, kChunkFloats), out.part(i * kChunkFloats, kChunkFloats)});
  }
}

void MapJob::copy_in(std::uint64_t offset, std::uint64_t bytes) {
  std::memcpy(raw.mapped(0).data() + offset, std::as_bytes(std::span{values}).data() + offset, bytes);
}

void MapJob::copy_out(std::uint64_t offset, std::uint64_t bytes) {
  std::memcpy(std::as_writable_bytes(std::span{raw_results}).data() + offset, raw.mapped(1).data() + offset, bytes);
}

void MapJob::run_raw() {
  copy_in(0, kChunks * kChunkBytes);
  raw.run();
  copy_out(0, kChunks * kChunkBytes);
}

void MapJob::run_raw_one_by_one() {
  for (std::uint32_t i = 0; i < kChunks; ++i) {
    copy_in(i * kChunkBytes, kChunkBytes);
    raw.run_alone(i);
    copy_out(i * kChunkBytes, kChunkBytes);
  }
}

void MapJob::write(std::uint32_t chunk) {
  const std::size_t begin = std::size_t{chunk} * kChunkFloats;
  must(session.write(in.part(begin, kChunkFloats), std::span{values}.subspan(begin, kChunkFloats)));
}

void MapJob::read(std::uint32_t chunk) {
  const std::size_t begin = std::size_t{chunk} * kChunkFloats;
  must(session.read(out.part(begin, kChunkFloats), std::span{results}.subspan(begin, kChunkFloats)));
}

RunReport MapJob::finish() { return must(session.finish()); }

RunReport MapJob::run() {
  return run_chunks(
      [&](std::uint32_t chunk) { must(session.dispatch(kernel, {pairs[chunk][0], pairs[chunk][1]}, options)); });
}

bool MapJob::agree() {
  std::ranges::fill(results, 0.0F);
  std::ranges::fill(raw_results, 0.0F);
  run_raw();
  run();
  return is_same(std::as_bytes(std::span{results}), std::as_bytes(std::span{raw_results}));
}

}  // namespace vyre::bench
