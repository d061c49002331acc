#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data.hpp"
#include "families.hpp"

namespace vyre::kernels {
namespace {

KernelCase stencil_halo() {
  constexpr std::int64_t kCount = 320;
  return {.name = "stencil_halo",
          .groups = {5, 1, 1},
          .buffers = {buffer(0, integers<std::int32_t>(kCount, 60, -999, 999)), zeros<std::int32_t>(1, kCount)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, result] = views<std::int32_t, std::int32_t>(buffers);
                for (std::int64_t i = 0; i < kCount; ++i) {
                  std::int32_t sum = 0;
                  for (std::int32_t k = 0; k <= 6; ++k) {
                    const std::int64_t at = i + k - 3;
                    if (at >= 0 && at < kCount) sum += (k + 1) * source[static_cast<std::size_t>(at)];
                  }
                  result[static_cast<std::size_t>(i)] = sum;
                }
              },
          .expected = {
              .workgroup_size = {64, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Result", Access::Write, 4)},
              .shared_bytes = 280,
              .barriers = true,
              .bounded_loops = 1}};
}

KernelCase laplacian() {
  constexpr std::uint32_t kWidth = 29;
  constexpr std::uint32_t kHeight = 22;
  return {.name = "laplacian",
          .groups = {4, 3, 1},
          .buffers = {buffer(0, integers<std::int32_t>(kWidth * kHeight, 61, -999, 999)),
                      zeros<std::int32_t>(1, kWidth * kHeight)},
          .push_constants = pack(kWidth, kHeight),
          .oracle =
              [](Buffers& buffers) {
                const auto [source, result] = views<std::int32_t, std::int32_t>(buffers);
                for (std::size_t y = 0; y < kHeight; ++y) {
                  for (std::size_t x = 0; x < kWidth; ++x) {
                    const std::size_t i = y * kWidth + x;
                    const bool is_edge = x == 0 || y == 0 || x == kWidth - 1 || y == kHeight - 1;
                    result[i] = is_edge ? source[i]
                                        : source[i - 1] + source[i + 1] + source[i - kWidth] + source[i + kWidth] -
                                              4 * source[i];
                  }
                }
              },
          .expected = {
              .workgroup_size = {8, 8, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Result", Access::Write, 4)},
              .push_constant_size = 8,
              .push_constants = {{"width", 0, 4}, {"height", 4, 4}}}};
}

KernelCase box_blur_3d() {
  static constexpr std::array<std::int32_t, 3> kExtent = {9, 7, 5};
  constexpr std::size_t kCount = 9 * 7 * 5;
  return {.name = "box_blur_3d",
          .groups = {3, 2, 2},
          .buffers = {buffer(0, integers<std::uint32_t>(kCount, 62, 0, 1000)), zeros<std::uint32_t>(1, kCount * 2)},
          .push_constants = pack(kExtent),
          .oracle =
              [](Buffers& buffers) {
                const auto [source, result] = views<std::uint32_t, std::uint32_t>(buffers);
                const auto position = [](std::size_t i) {
                  const auto flat = static_cast<std::int32_t>(i);
                  return std::array{flat % kExtent[0], flat / kExtent[0] % kExtent[1], flat / kExtent[0] / kExtent[1]};
                };
                for (std::size_t i = 0; i < kCount; ++i) {
                  for (std::size_t j = 0; j < kCount; ++j) {
                    bool is_near = true;
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                      const std::int32_t distance = position(i)[axis] - position(j)[axis];
                      is_near = is_near && distance >= -1 && distance <= 1;
                    }
                    if (!is_near) continue;
                    result[2 * i] += source[j];
                    result[2 * i + 1] += 1;
                  }
                }
              },
          .expected = {
              .workgroup_size = {4, 4, 4},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Result", Access::Write, 8)},
              .push_constant_size = 12,
              .push_constants = {{"extent", 0, 12}},
              .bounded_loops = 3}};
}

KernelCase life_step() {
  constexpr std::uint32_t kWidth = 30;
  constexpr std::uint32_t kHeight = 13;
  return {.name = "life_step",
          .groups = {2, 7, 1},
          .buffers = {buffer(0, integers<std::uint32_t>(kWidth * kHeight, 63, 0, 1)),
                      zeros<std::uint32_t>(1, kWidth * kHeight)},
          .push_constants = pack(kWidth, kHeight),
          .oracle =
              [](Buffers& buffers) {
                const auto [before, after] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t y = 0; y < kHeight; ++y) {
                  for (std::size_t x = 0; x < kWidth; ++x) {
                    std::uint32_t neighbours = 0;
                    for (const std::size_t row : {y + kHeight - 1, y, y + 1}) {
                      for (const std::size_t column : {x + kWidth - 1, x, x + 1}) {
                        if (row != y || column != x) neighbours += before[row % kHeight * kWidth + column % kWidth];
                      }
                    }
                    const std::size_t i = y * kWidth + x;
                    after[i] = neighbours == 3 || (neighbours == 2 && before[i] != 0) ? 1 : 0;
                  }
                }
              },
          .expected = {
              .workgroup_size = {16, 2, 1},
              .bindings = {runtime_array(0, "Before", Access::Read, 4), runtime_array(1, "After", Access::Write, 4)},
              .push_constant_size = 8,
              .push_constants = {{"extent", 0, 8}},
              .bounded_loops = 1}};
}

KernelCase convolve_weights() {
  constexpr std::size_t kCount = 256;
  std::vector<float> weights(20);
  for (std::size_t k = 0; k < 5; ++k) weights[4 * k] = static_cast<float>(k) - 1.5f;
  return {.name = "convolve_weights",
          .groups = {4, 1, 1},
          .buffers = {buffer(0, weights), buffer(1, eighths(kCount + 4, 64, -20, 20)), zeros<float>(2, kCount)},
          .oracle =
              [](Buffers& buffers) {
                const auto [kernel, source, result] = views<float, float, float>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  for (std::size_t k = 0; k < 5; ++k) result[i] += kernel[4 * k] * source[i + k];
                }
              },
          .expected = {.workgroup_size = {64, 1, 1},
                       .bindings = {uniform_block(0, "Weights", 80, 16), runtime_array(1, "Source", Access::Read, 4),
                                    runtime_array(2, "Result", Access::Write, 4)},
                       .bounded_loops = 1}};
}

}  // namespace

std::vector<KernelCase> stencil_kernels() {
  return {stencil_halo(), laplacian(), box_blur_3d(), life_step(), convolve_weights()};
}

}  // namespace vyre::kernels
