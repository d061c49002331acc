#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data.hpp"
#include "families.hpp"

namespace vyre::kernels {
namespace {

void multiply(std::span<const float> a, std::span<const float> b, std::span<float> c, std::size_t inner,
              std::size_t columns) {
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (std::size_t k = 0; k < inner; ++k) c[i] += a[i / columns * inner + k] * b[k * columns + i % columns];
  }
}

KernelCase matmul_naive() {
  constexpr std::uint32_t kRows = 19;
  constexpr std::uint32_t kInner = 30;
  constexpr std::uint32_t kColumns = 26;
  return {.name = "matmul_naive",
          .groups = {4, 3, 1},
          .buffers = {buffer(0, eighths(kRows * kInner, 80, -4, 4)), buffer(1, eighths(kInner * kColumns, 81, -4, 4)),
                      zeros<float>(2, kRows * kColumns)},
          .push_constants = pack(kRows, kInner, kColumns),
          .oracle =
              [](Buffers& buffers) {
                const auto [a, b, c] = views<float, float, float>(buffers);
                multiply(a, b, c, kInner, kColumns);
              },
          .expected = {.workgroup_size = {8, 8, 1},
                       .bindings = {runtime_array(0, "A", Access::Read, 4), runtime_array(1, "B", Access::Read, 4),
                                    runtime_array(2, "C", Access::Write, 4)},
                       .push_constant_size = 12,
                       .push_constants = {{"rows", 0, 4}, {"inner", 4, 4}, {"columns", 8, 4}},
                       .unbounded_loops = 1}};
}

KernelCase matmul_tiled() {
  constexpr std::uint32_t kSize = 32;
  return {.name = "matmul_tiled",
          .groups = {4, 4, 1},
          .buffers = {buffer(0, eighths(kSize * kSize, 82, -4, 4)), buffer(1, eighths(kSize * kSize, 83, -4, 4)),
                      zeros<float>(2, kSize * kSize)},
          .push_constants = pack(kSize),
          .oracle =
              [](Buffers& buffers) {
                const auto [a, b, c] = views<float, float, float>(buffers);
                multiply(a, b, c, kSize, kSize);
              },
          .expected = {.workgroup_size = {8, 8, 1},
                       .bindings = {runtime_array(0, "A", Access::Read, 4), runtime_array(1, "B", Access::Read, 4),
                                    runtime_array(2, "C", Access::Write, 4)},
                       .push_constant_size = 4,
                       .push_constants = {{"size", 0, 4}},
                       .shared_bytes = 512,
                       .barriers = true,
                       .bounded_loops = 1,
                       .unbounded_loops = 1}};
}

KernelCase transpose_tiled() {
  constexpr std::uint32_t kWidth = 40;
  constexpr std::uint32_t kHeight = 23;
  return {.name = "transpose_tiled",
          .groups = {3, 2, 1},
          .buffers = {buffer(0, words(kWidth * kHeight, 84)), zeros<std::uint32_t>(1, kWidth * kHeight)},
          .push_constants = pack(kWidth, kHeight),
          .oracle =
              [](Buffers& buffers) {
                const auto [source, result] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < source.size(); ++i) result[i % kWidth * kHeight + i / kWidth] = source[i];
              },
          .expected = {
              .workgroup_size = {16, 4, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Result", Access::Write, 4)},
              .push_constant_size = 8,
              .push_constants = {{"width", 0, 4}, {"height", 4, 4}},
              .shared_bytes = 1088,
              .barriers = true,
              .bounded_loops = 2}};
}

KernelCase mat4_transform() {
  constexpr std::size_t kCount = 96;
  constexpr std::size_t kMatrices = 5;
  return {.name = "mat4_transform",
          .groups = {3, 1, 1},
          .buffers = {buffer(0, integers<float>(kMatrices * 16, 88, 1, 9)), buffer(1, eighths(kCount * 4, 89, -8, 8)),
                      zeros<float>(2, kCount * 4)},
          .oracle =
              [](Buffers& buffers) {
                const auto [matrices, points, result] = views<float, float, float>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const auto m = matrices.subspan(i % kMatrices * 16, 16);
                  const auto point = points.subspan(i * 4, 4);
                  for (std::size_t row = 0; row < 4; ++row) {
                    for (std::size_t k = 0; k < 4; ++k) {
                      result[4 * i + row] += m[4 * k + row] * point[k] + m[4 * row + k] * point[k];
                    }
                  }
                }
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {runtime_array(0, "Transforms", Access::Read, 64),
                                    runtime_array(1, "Points", Access::Read, 16),
                                    runtime_array(2, "Result", Access::Write, 16)}}};
}

KernelCase mat3_determinants() {
  constexpr std::size_t kCount = 48;
  // The fourth word of a column is padding and must survive.
  return {.name = "mat3_determinants",
          .groups = {3, 1, 1},
          .buffers = {buffer(0, integers<float>(kCount * 12, 90, 1, 20)), zeros<float>(1, kCount)},
          .oracle =
              [](Buffers& buffers) {
                const auto [matrices, determinants] = views<float, float>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const auto m = matrices.subspan(i * 12, 12);
                  const std::vector<float> before(m.begin(), m.end());
                  const auto at = [&](std::size_t row, std::size_t column) { return before[4 * column + row]; };
                  determinants[i] = at(0, 0) * (at(1, 1) * at(2, 2) - at(2, 1) * at(1, 2)) -
                                    at(0, 1) * (at(1, 0) * at(2, 2) - at(2, 0) * at(1, 2)) +
                                    at(0, 2) * (at(1, 0) * at(2, 1) - at(2, 0) * at(1, 1));
                  for (std::size_t row = 0; row < 3; ++row) {
                    for (std::size_t column = 0; column < 3; ++column) m[4 * row + column] = 2 * at(row, column);
                  }
                }
              },
          .expected = {.workgroup_size = {16, 1, 1},
                       .bindings = {runtime_array(0, "Matrices", Access::ReadWrite, 48),
                                    runtime_array(1, "Determinants", Access::Write, 4)}}};
}

}  // namespace

std::vector<KernelCase> matrix_kernels() {
  return {matmul_naive(), matmul_tiled(), transpose_tiled(), mat4_transform(), mat3_determinants()};
}

}  // namespace vyre::kernels
