#include "bench/regret_grid.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bench/must.hpp"

namespace vyre::bench {
namespace {

constexpr std::uint64_t kSlotBytes = 256;
constexpr std::uint32_t kMaxDispatches = 5000;
// Other buffers are so many slots further on.
constexpr std::uint32_t kRotations = 61;
constexpr double kLongestRunNs = 1e8;

struct Params {
  float scale = 0.5F;
  std::uint32_t count = 64;
};

std::string source(std::uint32_t iterations) {
  return fmt::format(R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X {{ float x[]; }};
layout(binding = 1) buffer Y {{ float y[]; }};
layout(push_constant) uniform P {{ float scale; uint count; }};
void main() {{
  uint i = gl_LocalInvocationID.x;
  float value = scale * x[i] + y[i];
  for (uint k = 0u; k < {}u; ++k) value = sqrt(value * value + 1.0) * 0.25 + scale;
  if (i < count) y[i] = value;
}}
)",
                     iterations);
}

}  // namespace

std::string to_string(const Workload& workload) {
  static constexpr std::array kNames = {"independent", "chained", "ping-pong", "fan-out", "fan-in"};
  static constexpr std::array kKernelNames = {"empty", "small", "middle", "large"};
  return fmt::format("{} {} {}, {}, {} times", workload.dispatches, kNames[static_cast<std::size_t>(workload.pattern)],
                     kKernelNames[workload.kernel], workload.is_same ? "same" : "others", workload.times);
}

std::vector<Kernel> make_kernels() {
  const auto make = [](const char* name, std::uint32_t iterations, std::uint32_t groups, double about_ns) {
    return Kernel{.name = name,
                  .program = must(program::Program::from_glsl(source(iterations), {.name = name})),
                  .groups = groups,
                  .about_ns = about_ns};
  };
  return {make("empty", 0, 1, 0), make("small", 100, 1, 5e3), make("middle", 200, 16, 1.5e5),
          make("large", 100, 256, 1e6)};
}

std::vector<Workload> make_grid(const std::vector<Kernel>& kernels, double launch_ns) {
  std::vector<Workload> grid;
  for (const Pattern pattern : kPatterns) {
    for (const std::uint32_t dispatches : {1U, 10U, 30U, 100U, 1000U, 5000U}) {
      if (dispatches == 1 && pattern != Pattern::Independent) continue;
      for (std::uint32_t kernel = 0; kernel < kernels.size(); ++kernel) {
        for (const bool is_same : {true, false}) {
          for (const std::uint32_t times : {1U, 10U, 100U}) {
            const double run_ns = (launch_ns + kernels[kernel].about_ns) * dispatches * times;
            if (run_ns > kLongestRunNs) continue;
            grid.push_back(
                {.pattern = pattern, .dispatches = dispatches, .kernel = kernel, .is_same = is_same, .times = times});
          }
        }
      }
    }
  }
  return grid;
}

WorkloadRunner::WorkloadRunner(const std::shared_ptr<backend::Device>& device, const runtime::SessionOptions& options,
                               const std::vector<Kernel>& kernels)
    : kernels_{kernels}, session_{must(runtime::Session::open(device, options))} {
  data_ = must(session_.bytes((kMaxDispatches + kRotations + 2) * kSlotBytes));
}

void WorkloadRunner::enqueue(const Workload& workload) {
  const Kernel& kernel = kernels_[workload.kernel];
  round_ = workload.is_same ? 0 : round_ + 1;
  const std::uint32_t first = round_ % kRotations;
  const Params params{.scale = 0.5F + static_cast<float>(round_ % 100'000) * 1e-7F};
  const auto slot = [&](std::uint32_t index, std::uint32_t count = 1) {
    runtime::BufferView view = data_;
    view.offset = (first + index) * kSlotBytes;
    view.size = count * kSlotBytes;
    return view;
  };
  const std::uint32_t last = workload.dispatches - 1;
  views_.clear();
  for (std::uint32_t i = 0; i <= last; ++i) {
    switch (workload.pattern) {
      case Pattern::Independent: views_.push_back({slot(0), slot(i + 1)}); break;
      case Pattern::Chained: views_.push_back({slot(0), slot(1)}); break;
      case Pattern::PingPong: views_.push_back({slot(i % 2), slot(1 - i % 2)}); break;
      case Pattern::FanOut:
        views_.push_back(i == 0 ? std::array{slot(1), slot(0)} : std::array{slot(0), slot(i + 1)});
        break;
      case Pattern::FanIn:
        views_.push_back(i == last ? std::array{slot(1, last), slot(0)} : std::array{slot(last + 1), slot(i + 1)});
        break;
    }
  }
  items_.clear();
  for (const auto& pair : views_) {
    items_.push_back({.buffers = pair, .groups = {kernel.groups}, .params = runtime::params_block(params)});
  }
  must(session_.dispatch_many(kernel.program, items_));
}

double WorkloadRunner::run(const Workload& workload, report::RunReport* report) {
  const std::uint64_t begin = session_.device().now_ns();
  for (std::uint32_t i = 0; i < workload.times; ++i) {
    enqueue(workload);
    if (i == 0) enqueue_ns_ = static_cast<double>(session_.device().now_ns() - begin);
    if (i + 1 < workload.times) must(session_.flush());
  }
  report::RunReport done = must(session_.finish());
  const auto taken = static_cast<double>(session_.device().now_ns() - begin);
  if (report != nullptr) *report = std::move(done);
  return taken;
}

}  // namespace vyre::bench
