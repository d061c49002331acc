// What it costs to have vyre's backend between a program and Vulkan: the same kernel, the same work, beside Vulkan
// written by hand, in turns in one process, with lavapipe inline and as it comes.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <vyre/backend/device.hpp>

#include "bench/lavapipe.hpp"
#include "bench/paired.hpp"
#include "bench/raw_vulkan.hpp"
#include "bench/saxpy.hpp"
#include "tests/support/allocations.hpp"

namespace vyre::bench {
namespace {

constexpr std::uint64_t kViewBytes = 256;
constexpr std::size_t kRounds = 61;

struct Params {
  float scale = 0.5F;
  std::uint32_t count = 64;
};

void row(const char* mode, std::uint32_t count, const Comparison& c, double allocated) {
  const double n = count;
  fmt::print("  {:<24} {:>5} {:>10.0f} {:>10.0f} {:>9.0f} {:>9.0f}   {:.3f} [{:.3f}, {:.3f}] {:>8.3f}\n", mode, count,
             c.base_ns / n, c.other_ns / n, c.base_cpu_ns / n, c.other_cpu_ns / n, c.ratio, c.low, c.high, allocated);
}

/// Runs both with `sets` different views in turn: 1 for the same buffers all the time.
void measure(backend::Device& device, const program::Program& kernel, std::uint32_t sets, const char* what) {
  RawVulkan raw{kernel.words(), 2, sizeof(Params), sets, kViewBytes};
  const backend::PipelineHandle pipeline = must(device.compile(kernel, {.warm = true}));
  const backend::BufferHandle x = must(device.allocate({.size = kViewBytes * sets}));
  const backend::BufferHandle y = must(device.allocate({.size = kViewBytes * sets}));
  const Params params;
  const std::span<const std::byte> bytes = std::as_bytes(std::span{&params, 1});
  backend::CommandList list;
  const auto build = [&](std::uint32_t count) {
    list.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t offset = i % sets * kViewBytes;
      const backend::BufferRange ranges[] = {{x, offset, kViewBytes}, {y, offset, kViewBytes}};
      list.dispatch(pipeline, ranges, {1, 1, 1}, bytes);
    }
  };
  const auto allocated = [&](auto run, std::uint32_t count) {
    for (int i = 0; i < 3; ++i) run();
    const std::uint64_t before = tests::allocation_count();
    run();
    return static_cast<double>(tests::allocation_count() - before) / count;
  };
  for (const std::uint32_t count : {1U, 10U, 100U, 1000U}) {
    const auto raw_list = [&] {
      raw.record(raw.scratch(), count, bytes, true);
      raw.run(raw.scratch());
    };
    const auto vyre_list = [&] {
      build(count);
      must(device.wait(must(device.submit(list))));
    };
    row(fmt::format("one list, {}", what).c_str(), count, compare(raw_list, vyre_list, kRounds),
        allocated(vyre_list, count));
  }
  for (const std::uint32_t count : {1U, 10U, 100U, 1000U}) {
    raw.record(raw.kept(), count, bytes, false);
    build(count);
    const backend::RecordingHandle recording = must(device.record(list));
    const auto raw_replay = [&] { raw.run(raw.kept()); };
    const auto vyre_replay = [&] { must(device.wait(must(device.replay(recording)))); };
    row(fmt::format("replay, {}", what).c_str(), count, compare(raw_replay, vyre_replay, kRounds),
        allocated(vyre_replay, count));
    must(device.free(recording));
  }
  constexpr std::uint32_t kSingles = 100;
  const auto raw_singles = [&] {
    for (std::uint32_t i = 0; i < kSingles; ++i) {
      raw.record(raw.scratch(), 1, bytes, true);
      raw.run(raw.scratch());
    }
  };
  const auto vyre_singles = [&] {
    for (std::uint32_t i = 0; i < kSingles; ++i) {
      build(1);
      must(device.wait(must(device.submit(list))));
    }
  };
  row(fmt::format("one by one, {}", what).c_str(), kSingles, compare(raw_singles, vyre_singles, kRounds),
      allocated(vyre_singles, kSingles));
}

void run(bool is_inline) {
  const std::shared_ptr<backend::Device> device = open_lavapipe(is_inline);
  const program::Program kernel = must(program::Program::from_glsl(kSaxpy, {.name = "saxpy"}));
  fmt::print("  {:<24} {:>5} {:>10} {:>10} {:>9} {:>9}   {}\n", "nanoseconds per dispatch", "n", "raw", "vyre",
             "raw cpu", "vyre cpu", "vyre / raw [95 %]   allocations per dispatch");
  measure(*device, kernel, 1, "same buffers");
  measure(*device, kernel, 1000, "own views");
}

}  // namespace
}  // namespace vyre::bench

int main() {
  vyre::bench::keep_memory();
  vyre::bench::run(true);
  vyre::bench::run(false);
}
