#pragma once

#include <array>

#include <backends/fake/fake_backend.hpp>

/// Devices that are not here, as others have published figures of them. What is not published (kernels, items within
/// one launch, compiling) is the same for all and made up.
namespace vyre::bench {

struct FakeProfile {
  const char* name = "";
  const char* source = "";
  backends::fake::Costs costs = {};
};

[[nodiscard]] inline std::array<FakeProfile, 6> fake_profiles() {
  const auto with = [](backends::fake::Costs costs) {
    costs.group_ns = 1000;
    costs.form_group_ns = 50;
    costs.item_ns = 150;
    costs.barrier_ns = 300;
    costs.compile_ns = 20'000;  // As of a driver that has it in its cache.
    costs.poll_ns = 100;
    costs.copy_ns = 1000;
    costs.copy_ns_per_kib = 50;
    return costs;
  };
  return {{
      // 6.4 µs a launch, 2.7 of them on the host; a graph 15 µs and 0.58 µs per node.
      {.name = "CUDA on an RTX 5070 Ti laptop, WSL2",
       .source = "issue ocannl#488",
       .costs = with(
           {.launch_ns = 2700, .record_ns = 15'000, .record_command_ns = 580, .start_ns = 3700, .dispatch_ns = 500})},
      // 80 kernels in 260 µs one by one, in 70 µs as a graph, 3.5 of them on the host.
      {.name = "CUDA, 80 tiny kernels",
       .source = "the documentation of CUDA.jl",
       .costs = with(
           {.launch_ns = 2420, .record_ns = 10'000, .record_command_ns = 500, .start_ns = 1000, .dispatch_ns = 830})},
      // About 1.3 µs per kernel in a graph.
      {.name = "H100",
       .source = "Hazy Research on megakernels",
       .costs = with(
           {.launch_ns = 2100, .record_ns = 10'000, .record_command_ns = 600, .start_ns = 2000, .dispatch_ns = 1300})},
      // 14.98 µs for one dispatch, 3.87 µs each of 941.
      {.name = "W7900, HIP graphs",
       .source = "issue rocm-systems#10834",
       .costs = with(
           {.launch_ns = 5000, .record_ns = 8000, .record_command_ns = 900, .start_ns = 6110, .dispatch_ns = 3870})},
      // 1.48 µs for one dispatch, 0.88 µs each of 941.
      {.name = "W7900, Vulkan",
       .source = "issue rocm-systems#10834",
       .costs =
           with({.launch_ns = 400, .record_ns = 1000, .record_command_ns = 100, .start_ns = 200, .dispatch_ns = 880})},
      // 24 to 36 µs per dispatch.
      {.name = "WebGPU on Vulkan",
       .source = "arXiv 2604.02344",
       .costs = with(
           {.launch_ns = 20'000, .record_ns = 2000, .record_command_ns = 6000, .start_ns = 2000, .dispatch_ns = 900})},
  }};
}

}  // namespace vyre::bench
