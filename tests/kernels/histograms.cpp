#include <cstddef>
#include <cstdint>
#include <vector>

#include "data.hpp"
#include "families.hpp"

namespace vyre::kernels {
namespace {

KernelCase histogram_shared() {
  constexpr std::uint32_t kCount = 3001;
  return {.name = "histogram_shared",
          .groups = {6, 1, 1},
          .buffers = {buffer(0, words(kCount, 121)), buffer(1, integers<std::uint32_t>(64, 122, 0, 9))},
          .push_constants = pack(kCount),
          .oracle =
              [](Buffers& buffers) {
                const auto [source, bins] = views<std::uint32_t, std::uint32_t>(buffers);
                for (const std::uint32_t value : source) ++bins[value % 64];
              },
          .expected = {.workgroup_size = {64, 1, 1},
                       .bindings = {runtime_array(0, "Source", Access::Read, 4),
                                    fixed_block(1, "Bins", Access::ReadWrite, 256, 4)},
                       .push_constant_size = 4,
                       .push_constants = {{"count", 0, 4}},
                       .shared_bytes = 256,
                       .barriers = true,
                       .atomics = true,
                       .unbounded_loops = 1}};
}

KernelCase histogram_2d() {
  constexpr std::uint32_t kWidth = 24;
  constexpr std::size_t kCount = std::size_t{kWidth} * 16;
  std::vector<float> points = eighths(kCount * 2, 123, 0, 3);
  for (std::size_t i = 0; i < kCount; ++i) points[2 * i] *= 2;
  return {.name = "histogram_2d",
          .groups = {3, 4, 1},
          .buffers = {buffer(0, points), zeros<std::uint32_t>(1, 32)},
          .push_constants = pack(kWidth),
          .oracle =
              [](Buffers& buffers) {
                const auto [xy, cells] = views<float, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  ++cells[static_cast<std::size_t>(xy[2 * i]) * 4 + static_cast<std::size_t>(xy[2 * i + 1])];
                }
              },
          .expected = {.workgroup_size = {8, 4, 1},
                       .bindings = {runtime_array(0, "Points", Access::Read, 8),
                                    fixed_block(1, "grid", Access::ReadWrite, 128, 16)},
                       .push_constant_size = 4,
                       .push_constants = {{"width", 0, 4}},
                       .atomics = true}};
}

KernelCase histogram_packed_bytes() {
  return {.name = "histogram_packed_bytes",
          .groups = {10, 1, 1},
          .buffers = {buffer(0, integers<std::uint8_t>(std::size_t{10} * 32 * 4, 124, 32, 126)),
                      zeros<std::uint32_t>(1, 256)},
          .oracle =
              [](Buffers& buffers) {
                const auto [text, bins] = views<std::uint8_t, std::uint32_t>(buffers);
                for (const std::uint8_t byte : text) ++bins[byte];
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Text", Access::Read, 4), runtime_array(1, "Bins", Access::ReadWrite, 4)},
              .atomics = true,
              .bounded_loops = 1}};
}

}  // namespace

std::vector<KernelCase> histogram_kernels() { return {histogram_shared(), histogram_2d(), histogram_packed_bytes()}; }

}  // namespace vyre::kernels
