#include <array>
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

KernelCase nbody_forces() {
  constexpr std::size_t kCount = 96;
  std::vector<float> bodies = eighths(kCount * 4, 140, -8, 8);
  for (std::size_t i = 0; i < kCount; ++i) bodies[4 * i + 3] = std::abs(bodies[4 * i + 3]) + 1;
  return {.name = "nbody_forces",
          .groups = {3, 1, 1},
          .buffers = {buffer(0, bodies), zeros<float>(1, kCount * 4, kWithin)},
          .oracle =
              [](Buffers& buffers) {
                const auto [body] = views<float>(buffers);
                std::vector<Bounded> results;
                for (std::size_t i = 0; i < kCount; ++i) {
                  std::array<Bounded, 3> sum = {0.0f, 0.0f, 0.0f};
                  for (std::size_t j = 0; j < kCount; ++j) {
                    std::array<Bounded, 3> offset = {0.0f, 0.0f, 0.0f};
                    Bounded square = 0.0f;
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                      offset[axis] = Bounded{body[4 * j + axis]} - body[4 * i + axis];
                      square = square + offset[axis] * offset[axis];
                    }
                    const Bounded softened = square + 0.0625f;
                    const Bounded scale = body[4 * j + 3] / (softened * sqrt(softened));
                    for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] = sum[axis] + offset[axis] * scale;
                  }
                  results.insert(results.end(), sum.begin(), sum.end());
                  results.emplace_back(0.0f);  // Between the vectors.
                }
                expect_within(buffers[1], results);
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {runtime_array(0, "Bodies", Access::Read, 16),
                                    runtime_array(1, "Accelerations", Access::Write, 16)},
                       .shared_bytes = 512,
                       .barriers = true,
                       .bounded_loops = 1,
                       .unbounded_loops = 1}};
}

KernelCase nbody_integrate() {
  constexpr std::uint32_t kCount = 50;
  constexpr float kStep = 0.25f;
  return {.name = "nbody_integrate",
          .groups = {4, 1, 1},
          .buffers = {buffer(0, eighths(kCount * 8, 141, -4, 4)), buffer(1, eighths(kCount * 4, 142, -4, 4))},
          .push_constants = pack(kStep, kCount),
          .oracle =
              [](Buffers& buffers) {
                const auto [bodies, forces] = views<float, float>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  for (std::size_t axis = 0; axis < 3; ++axis) {
                    float& velocity = bodies[8 * i + 4 + axis];
                    velocity += forces[4 * i + axis] * (kStep * bodies[8 * i + 3]);
                    bodies[8 * i + axis] += velocity * kStep;
                  }
                }
              },
          .expected = {.workgroup_size = {16, 1, 1},
                       .bindings = {runtime_array(0, "Bodies", Access::ReadWrite, 32),
                                    runtime_array(1, "Forces", Access::Read, 16)},
                       .push_constant_size = 8,
                       .push_constants = {{"step_size", 0, 4}, {"count", 4, 4}}}};
}

KernelCase fft_butterfly() {
  constexpr std::uint32_t kHalf = 16;
  constexpr std::size_t kPairs = 128;
  return {.name = "fft_butterfly",
          .groups = {2, 1, 1},
          .buffers = {buffer(0, eighths(kPairs * 4, 143, -4, 4)), zeros<float>(1, kPairs * 4, kWithin)},
          .push_constants = pack(kHalf),
          .oracle =
              [](Buffers& buffers) {
                const auto [source] = views<float>(buffers);
                std::vector<Bounded> results(kPairs * 4, 0.0f);
                for (std::size_t i = 0; i < kPairs; ++i) {
                  const std::size_t k = i % kHalf;
                  const std::size_t low = 2 * (2 * (i - k) + k);
                  const std::size_t high = low + std::size_t{2} * kHalf;
                  const Bounded angle = Bounded{-3.14159265f} * static_cast<float>(k) / static_cast<float>(kHalf);
                  const Bounded real = source[high] * cos(angle) - source[high + 1] * sin(angle);
                  const Bounded imaginary = source[high] * sin(angle) + source[high + 1] * cos(angle);
                  results[low] = source[low] + real;
                  results[low + 1] = source[low + 1] + imaginary;
                  results[high] = source[low] - real;
                  results[high + 1] = source[low + 1] - imaginary;
                }
                expect_within(buffers[1], results);
              },
          .expected = {
              .workgroup_size = {64, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 8), runtime_array(1, "Result", Access::Write, 8)},
              .push_constant_size = 4,
              .push_constants = {{"half_size", 0, 4}}}};
}

KernelCase fft_radix4() {
  constexpr std::size_t kBlocks = 64;
  // No element is zero, so that no sum of two can be a negative zero on one side only.
  return {.name = "fft_radix4",
          .groups = {2, 1, 1},
          .buffers = {buffer(0, integers<float>(kBlocks * 8, 144, 1, 500))},
          .oracle =
              [](Buffers& buffers) {
                const auto [signal] = views<float>(buffers);
                for (std::size_t block = 0; block < kBlocks; ++block) {
                  const auto x = signal.subspan(block * 8, 8);
                  float sums[8] = {};
                  for (std::size_t k = 0; k < 4; ++k) {
                    for (std::size_t n = 0; n < 4; ++n) {
                      const float real = x[2 * n];
                      const float imaginary = x[2 * n + 1];
                      const float turned[4][2] = {
                          {real, imaginary}, {imaginary, -real}, {-real, -imaginary}, {-imaginary, real}};
                      sums[2 * k] += turned[k * n % 4][0];
                      sums[2 * k + 1] += turned[k * n % 4][1];
                    }
                  }
                  for (std::size_t i = 0; i < 8; ++i) x[i] = sums[i];
                }
              },
          .expected = {.workgroup_size = {32, 1, 1}, .bindings = {runtime_array(0, "Signal", Access::ReadWrite, 8)}}};
}

KernelCase walsh_hadamard() {
  constexpr std::size_t kGroups = 4;
  return {.name = "walsh_hadamard",
          .groups = {kGroups, 1, 1},
          .buffers = {buffer(0, integers<std::int32_t>(kGroups * 64, 145, -1000, 1000))},
          .oracle =
              [](Buffers& buffers) {
                const auto [signal] = views<std::int32_t>(buffers);
                const std::vector<std::int32_t> before(signal.begin(), signal.end());
                for (std::size_t i = 0; i < signal.size(); ++i) {
                  signal[i] = 0;
                  for (std::size_t k = 0; k < 64; ++k) {
                    const std::int32_t value = before[i / 64 * 64 + k];
                    signal[i] += std::popcount(i % 64 & k) % 2 == 0 ? value : -value;
                  }
                }
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {runtime_array(0, "Signal", Access::ReadWrite, 4)},
                       .shared_bytes = 256,
                       .barriers = true,
                       .bounded_loops = 1}};
}

}  // namespace

std::vector<KernelCase> nbody_fft_kernels() {
  return {nbody_forces(), nbody_integrate(), fft_butterfly(), fft_radix4(), walsh_hadamard()};
}

}  // namespace vyre::kernels
