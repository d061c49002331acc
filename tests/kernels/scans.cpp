#include <cstddef>
#include <cstdint>
#include <vector>

#include "data.hpp"
#include "families.hpp"

namespace vyre::kernels {
namespace {

KernelCase scan_inclusive() {
  constexpr std::size_t kGroups = 5;
  return {.name = "scan_inclusive",
          .groups = {kGroups, 1, 1},
          .buffers = {buffer(0, words(kGroups * 128, 40)), zeros<std::uint32_t>(1, kGroups)},
          .oracle =
              [](Buffers& buffers) {
                const auto [values, totals] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < values.size(); ++i) {
                  if (i % 128 != 0) values[i] += values[i - 1];
                  totals[i / 128] = values[i];
                }
              },
          .expected = {.workgroup_size = {128, 1, 1},
                       .bindings = {runtime_array(0, "Values", Access::ReadWrite, 4),
                                    runtime_array(1, "Totals", Access::Write, 4)},
                       .shared_bytes = 1024,
                       .barriers = true,
                       .bounded_loops = 1}};
}

KernelCase scan_exclusive_sweep() {
  constexpr std::size_t kGroups = 4;
  return {.name = "scan_exclusive_sweep",
          .groups = {kGroups, 1, 1},
          .buffers = {buffer(0, words(kGroups * 128, 41)), zeros<std::uint32_t>(1, kGroups * 128)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, result] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < source.size(); ++i) {
                  result[i] = i % 128 == 0 ? 0 : result[i - 1] + source[i - 1];
                }
              },
          .expected = {
              .workgroup_size = {64, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Result", Access::Write, 4)},
              .shared_bytes = 512,
              .barriers = true,
              .bounded_loops = 2}};
}

KernelCase scan_add_offsets() {
  constexpr std::size_t kGroups = 9;
  return {.name = "scan_add_offsets",
          .groups = {kGroups, 1, 1},
          .buffers = {buffer(0, words(kGroups, 42)), buffer(1, words(kGroups * 32, 43))},
          .oracle =
              [](Buffers& buffers) {
                const auto [totals, values] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < values.size(); ++i) {
                  for (std::size_t group = 0; group < i / 32; ++group) values[i] += totals[group];
                }
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {runtime_array(0, "Totals", Access::Read, 4),
                                    runtime_array(1, "Values", Access::ReadWrite, 4)},
                       .shared_bytes = 4,
                       .barriers = true,
                       .unbounded_loops = 1}};
}

KernelCase stream_compaction() {
  constexpr std::uint32_t kThreshold = 0xa000'0000u;
  constexpr std::size_t kCount = 640;
  return {.name = "stream_compaction",
          .groups = {10, 1, 1},
          .buffers = {buffer(0, words(kCount, 44)), zeros<std::uint32_t>(1, 1),
                      zeros<std::uint32_t>(2, kCount, kUnordered)},
          .push_constants = pack(kThreshold),
          .oracle =
              [](Buffers& buffers) {
                const auto [source, kept, values] = views<std::uint32_t, std::uint32_t, std::uint32_t>(buffers);
                for (const std::uint32_t value : source) {
                  if (value >= kThreshold) values[kept[0]++] = value;
                }
              },
          .expected = {
              .workgroup_size = {64, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), fixed_block(1, "Counter", Access::ReadWrite, 4),
                           runtime_array(2, "survivors", Access::Write, 4)},
              .push_constant_size = 4,
              .push_constants = {{"threshold", 0, 4}},
              .atomics = true}};
}

KernelCase scan_segmented() {
  constexpr std::size_t kGroups = 4;
  std::vector<std::uint32_t> heads = integers<std::uint32_t>(kGroups * 64, 45, 0, 6);
  for (std::uint32_t& head : heads) head = head == 0 ? 1 : 0;
  return {
      .name = "scan_segmented",
      .groups = {kGroups, 1, 1},
      .buffers = {buffer(0, integers<std::int32_t>(kGroups * 64, 46, -500, 500)), buffer(1, heads),
                  zeros<std::int32_t>(2, kGroups * 64)},
      .oracle =
          [](Buffers& buffers) {
            const auto [source, starts, result] = views<std::int32_t, std::uint32_t, std::int32_t>(buffers);
            for (std::size_t i = 0; i < source.size(); ++i) {
              const bool is_start = i % 64 == 0 || starts[i] != 0;
              result[i] = is_start ? source[i] : result[i - 1] + source[i];
            }
          },
      .expected = {.workgroup_size = {64, 1, 1},
                   .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Heads", Access::Read, 4),
                                runtime_array(2, "Result", Access::Write, 4)},
                   .shared_bytes = 512,
                   .barriers = true,
                   .bounded_loops = 1}};
}

}  // namespace

std::vector<KernelCase> scan_kernels() {
  return {scan_inclusive(), scan_exclusive_sweep(), scan_add_offsets(), stream_compaction(), scan_segmented()};
}

}  // namespace vyre::kernels
