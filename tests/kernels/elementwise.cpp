#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data.hpp"
#include "families.hpp"
#include "precision.hpp"

namespace vyre::kernels {
namespace {

KernelCase saxpy() {
  constexpr std::uint32_t kCount = 1000;
  constexpr float kScale = 2.5f;
  return {
      .name = "saxpy",
      .groups = {16, 1, 1},
      .buffers = {buffer(0, eighths(kCount, 1, -8, 8)), buffer(1, eighths(kCount, 2, -8, 8))},
      .push_constants = pack(kScale, kCount),
      .oracle =
          [](Buffers& buffers) {
            const auto [x, y] = views<float, float>(buffers);
            for (std::size_t i = 0; i < kCount; ++i) y[i] += kScale * x[i];
          },
      .expected = {.workgroup_size = {64, 1, 1},
                   .bindings = {runtime_array(0, "X", Access::Read, 4), runtime_array(1, "Y", Access::ReadWrite, 4)},
                   .push_constant_size = 8,
                   .push_constants = {{"scale", 0, 4}, {"count", 4, 4}}}};
}

KernelCase vector_add() {
  constexpr std::size_t kWords = 4 * 32 * 64;
  return {
      .name = "vector_add",
      .groups = {64, 1, 1},
      .buffers = {buffer(0, words(kWords, 3)), buffer(1, words(kWords, 4)), zeros<std::uint32_t>(2, kWords)},
      .oracle =
          [](Buffers& buffers) {
            const auto [left, right, sum] = views<std::uint32_t, std::uint32_t, std::uint32_t>(buffers);
            for (std::size_t i = 0; i < kWords; ++i) sum[i] = left[i] + right[i];
          },
      .expected = {.workgroup_size = {32, 1, 1},
                   .bindings = {runtime_array(0, "left", Access::Read, 16), runtime_array(1, "right", Access::Read, 16),
                                runtime_array(2, "sum", Access::Write, 16)}}};
}

KernelCase clamp_mix() {
  constexpr std::uint32_t kWidth = 37;
  constexpr std::uint32_t kHeight = 11;
  constexpr std::size_t kCount = kWidth * kHeight;
  return {.name = "clamp_mix",
          .groups = {3, 3, 1},
          .buffers = {buffer(0, eighths(kCount * 2, 5, -4, 4)), zeros<float>(1, kCount * 4)},
          .push_constants = pack(kWidth, kHeight),
          .oracle =
              [](Buffers& buffers) {
                const auto [source, result] = views<float, float>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const float x = source[2 * i];
                  const float y = source[2 * i + 1];
                  const float sign = x > 0 ? 1.0f : x < 0 ? -1.0f : 0.0f;
                  result[4 * i] = std::clamp(x, -2.0f, 2.5f);
                  result[4 * i + 1] = x * 0.75f + y * 0.25f;
                  result[4 * i + 2] = sign * std::floor(y);
                  result[4 * i + 3] = std::max(std::abs(x), y < x ? 0.0f : 1.0f);
                }
              },
          .expected = {
              .workgroup_size = {16, 4, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 8), runtime_array(1, "Result", Access::Write, 16)},
              .push_constant_size = 8,
              .push_constants = {{"extent", 0, 8}}}};
}

KernelCase bit_tricks() {
  constexpr std::size_t kCount = 256;
  std::vector<std::uint32_t> source = words(kCount, 6);
  source[0] = 0;
  source[1] = 0xffff'ffffu;
  return {.name = "bit_tricks",
          .groups = {4, 1, 1},
          .buffers = {buffer(0, source), zeros<std::int32_t>(1, kCount * 4)},
          .oracle =
              [](Buffers& buffers) {
                const auto [values, result] = views<std::uint32_t, std::int32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const std::uint32_t v = values[i];
                  std::uint32_t reversed = 0;
                  for (std::uint32_t bit = 0; bit < 32; ++bit) reversed |= (v >> bit & 1u) << (31u - bit);
                  result[4 * i] = std::popcount(v);
                  result[4 * i + 1] = 31 - std::countl_zero(v);
                  result[4 * i + 2] = v == 0 ? -1 : std::countr_zero(v);
                  result[4 * i + 3] = std::bit_cast<std::int32_t>(reversed ^ (v >> 5u & 0x1ffu));
                }
              },
          .expected = {.workgroup_size = {64, 1, 1},
                       .bindings = {runtime_array(0, "Source", Access::Read, 4),
                                    runtime_array(1, "Result", Access::Write, 16)}}};
}

KernelCase integer_division() {
  constexpr std::size_t kCount = 512;
  std::vector<std::int32_t> denominators = integers<std::int32_t>(kCount, 8, 1, 300);
  for (std::size_t i = 0; i < kCount; i += 3) denominators[i] = -denominators[i];
  return {.name = "integer_division",
          .groups = {8, 1, 1},
          .buffers = {buffer(0, integers<std::int32_t>(kCount, 7, -100'000, 100'000)), buffer(1, denominators),
                      zeros<std::int32_t>(2, kCount * 2)},
          .oracle =
              [](Buffers& buffers) {
                const auto [n, d, quotients] = views<std::int32_t, std::int32_t, std::int32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  quotients[2 * i] = n[i] / d[i];
                  quotients[2 * i + 1] =
                      static_cast<std::int32_t>(static_cast<std::uint32_t>(n[i]) % static_cast<std::uint32_t>(d[i]));
                }
              },
          .expected = {.workgroup_size = {64, 1, 1},
                       .bindings = {runtime_array(0, "Numerators", Access::Read, 4),
                                    runtime_array(1, "Denominators", Access::Read, 4),
                                    runtime_array(2, "Quotients", Access::Write, 8)}}};
}

KernelCase transcendentals() {
  constexpr std::size_t kCount = 256;
  return {.name = "transcendentals",
          .groups = {4, 1, 1},
          .buffers = {buffer(0, eighths(kCount, 9, 0, 3)), zeros<float>(1, kCount * 4, kWithin)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source] = views<float>(buffers);
                std::vector<Bounded> results;
                for (const float v : source) {
                  for (const Bounded& each : {sin(v), exp(-v), log(v + 1.0f), pow(v + 0.5f, 1.5f)}) {
                    results.push_back(each);
                  }
                }
                expect_within(buffers[1], results);
              },
          .expected = {.workgroup_size = {64, 1, 1},
                       .bindings = {runtime_array(0, "Source", Access::Read, 4),
                                    runtime_array(1, "Result", Access::Write, 16)}}};
}

KernelCase pack_half() {
  constexpr std::size_t kCount = 128;
  return {.name = "pack_half",
          .groups = {4, 1, 1},
          .buffers = {buffer(0, eighths(kCount * 2, 10, -64, 64)), zeros<std::uint32_t>(1, kCount),
                      zeros<std::uint32_t>(2, kCount * 2)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, halves, bits] = views<float, std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  halves[i] = to_half(source[2 * i]) | to_half(source[2 * i + 1]) << 16u;
                  bits[2 * i] = std::bit_cast<std::uint32_t>(source[2 * i] * 2);
                  bits[2 * i + 1] = std::bit_cast<std::uint32_t>(source[2 * i + 1] * 2);
                }
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 8), runtime_array(1, "Packed", Access::Write, 4),
                           runtime_array(2, "Bits", Access::Write, 8)}}};
}

}  // namespace

std::vector<KernelCase> elementwise_kernels() {
  return {saxpy(), vector_add(), clamp_mix(), bit_tricks(), integer_division(), transcendentals(), pack_half()};
}

}  // namespace vyre::kernels
