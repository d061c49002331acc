#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data.hpp"
#include "families.hpp"

// How compilers and people write kernels: several variables at one slot, loose layouts, the Vulkan memory model.

namespace vyre::kernels {
namespace {

KernelCase slot_rewrite() {
  constexpr std::size_t kCount = 96;
  return {.name = "slot_rewrite",
          .groups = {3, 1, 1},
          .buffers = {buffer(0, words(kCount * 2, 400))},
          .oracle =
              [](Buffers& buffers) {
                const auto [data] = views<std::uint32_t>(buffers);
                for (std::uint32_t i = 0; i < kCount; ++i) {
                  const std::uint32_t first = data[2 * i];
                  data[2 * i] = data[2 * i + 1] ^ 7u;
                  data[2 * i + 1] = first + i;
                }
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {{.slot = 0,
                                     .name = "Words",
                                     .access = Access::ReadWrite,
                                     .stride = 8,
                                     .runtime_sized = true,
                                     .variables = {runtime_array(0, "Words", Access::Read, 4),
                                                   runtime_array(0, "Pairs", Access::Write, 8)}}}}};
}

KernelCase slot_views() {
  constexpr std::size_t kCount = 48;
  constexpr std::size_t kWords = 4 + kCount + 1;  // One more than pairs.
  std::vector<float> data = eighths(kWords, 401, 1, 99);
  for (std::size_t i = 0; i < 4; ++i) data[i] = std::bit_cast<float>(static_cast<std::uint32_t>(i));
  return {.name = "slot_views",
          .groups = {3, 1, 1},
          .buffers = {zeros<std::uint32_t>(1, kCount), buffer(3, data)},
          .oracle =
              [](Buffers& buffers) {
                const auto [result, bits] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const std::uint32_t raw = bits[4 + i];
                  bits[1] += raw >> 24u;
                  const auto eighth = static_cast<std::uint32_t>(std::bit_cast<float>(raw) * 8);
                  result[i] = raw ^ eighth ^ static_cast<std::uint32_t>(kWords * 1'001 + (kWords - 4) / 2 * 1'000'000);
                }
              },
          .expected = {.workgroup_size = {16, 1, 1},
                       .bindings = {runtime_array(1, "Result", Access::Write, 4),
                                    {.slot = 3,
                                     .name = "Bits",
                                     .access = Access::ReadWrite,
                                     .stride = 8,
                                     .size = 16,
                                     .runtime_sized = true,
                                     .variables = {runtime_array(3, "Bits", Access::Read, 4),
                                                   runtime_array(3, "Floats", Access::Read, 4),
                                                   {.slot = 3,
                                                    .name = "Headed",
                                                    .access = Access::ReadWrite,
                                                    .stride = 8,
                                                    .size = 16,
                                                    .runtime_sized = true}}}},
                       .atomics = true}};
}

KernelCase slot_uniforms() {
  constexpr std::size_t kCount = 16;
  return {.name = "slot_uniforms",
          .groups = {1, 1, 1},
          .buffers = {buffer(0, eighths(kCount, 402, -50, 50)), zeros<float>(1, kCount)},
          .oracle =
              [](Buffers& buffers) {
                const auto [numbers, result] = views<float, float>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) result[i] = numbers[i] + 2 * numbers[i % 4 * 4 + i / 4];
              },
          .expected = {.workgroup_size = {16, 1, 1},
                       .bindings = {{.slot = 0,
                                     .name = "Rows",
                                     .kind = Kind::UniformBuffer,
                                     .access = Access::Read,
                                     .stride = 16,
                                     .size = 64,
                                     .variables = {uniform_block(0, "Rows", 64, 16), uniform_block(0, "Matrix", 64)}},
                                    runtime_array(1, "Result", Access::Write, 4)}}};
}

KernelCase slot_arrays() {
  constexpr std::uint32_t kCount = 32;
  constexpr std::uint32_t kQuads = 4;  // Words before the first quad.
  KernelCase result = {.name = "slot_arrays",
                       .groups = {2, 1, 1},
                       .oracle =
                           [](Buffers& buffers) {
                             const auto [zero, one, two, sums] =
                                 views<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(buffers);
                             const auto length = static_cast<std::uint32_t>(zero.size());
                             for (std::uint32_t i = 0; i < kCount; ++i) {
                               sums[i] = (one[i] + length) ^ (two[kQuads + i / 4 * 4 + 2] + (length - kQuads) / 4);
                             }
                           },
                       .expected = {.workgroup_size = {16, 1, 1},
                                    .bindings = {{.slot = 0,
                                                  .name = "as_words",
                                                  .access = Access::Read,
                                                  .stride = 16,
                                                  .size = 16,
                                                  .runtime_sized = true,
                                                  .count = 3,
                                                  .variables = {runtime_array(0, "as_words", Access::Read, 4),
                                                                {.slot = 0,
                                                                 .name = "as_quads",
                                                                 .access = Access::Read,
                                                                 .stride = 16,
                                                                 .size = 16,
                                                                 .runtime_sized = true}}},
                                                 runtime_array(1, "Result", Access::Write, 4)}}};
  for (std::uint32_t element = 0; element < 3; ++element) {
    result.buffers.push_back(buffer(Place{.slot = 0, .element = element}, words(kQuads + kCount + 6, 403 + element)));
  }
  result.buffers.push_back(zeros<std::uint32_t>(1, kCount));
  return result;
}

KernelCase scalar_uniform() {
  constexpr std::size_t kCount = 48;
  constexpr std::uint32_t kFirst = 5;
  return {
      .name = "scalar_uniform",
      .groups = {3, 1, 1},
      .buffers = {buffer(0, eighths(9, 406, 1, 9)), buffer(1, eighths(kCount, 407, -9, 9))},
      .push_constants = pack(kFirst, 0.5F, 1.5F, -2.5F),
      .oracle =
          [](Buffers& buffers) {
            const auto [settings, values] = views<float, float>(buffers);
            constexpr float kShift[] = {0.5F, 1.5F, -2.5F};
            for (std::size_t i = kFirst; i < kCount; ++i) {
              values[i] =
                  values[i] * settings[0] + settings[1] + settings[2 + i % 3] + settings[5 + i % 4] + kShift[i % 3];
            }
          },
      .expected = {.workgroup_size = {16, 1, 1},
                   .bindings = {uniform_block(0, "Settings", 36, 4), runtime_array(1, "Values", Access::ReadWrite, 4)},
                   .push_constant_size = 16,
                   .push_constants = {{"first", 0, 4}, {"shift", 4, 12}}}};
}

KernelCase uniform_std430() {
  constexpr std::size_t kCount = 32;
  return {.name = "uniform_std430",
          .groups = {2, 1, 1},
          .buffers = {buffer(0, eighths(12, 408, 1, 99)), buffer(1, eighths(kCount, 409, -9, 9))},
          .oracle =
              [](Buffers& buffers) {
                const auto [settings, values] = views<float, float>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) values[i] += settings[i % 6] + 4 * settings[7 + i % 3 * 2];
              },
          .expected = {
              .workgroup_size = {16, 1, 1},
              .bindings = {uniform_block(0, "Settings", 48, 8), runtime_array(1, "Values", Access::ReadWrite, 4)}}};
}

KernelCase memory_model_exchange() {
  constexpr std::size_t kCount = 96;
  return {.name = "memory_model_exchange",
          .groups = {3, 1, 1},
          .buffers = {buffer(0, words(kCount, 410)), zeros<std::uint32_t>(1, kCount), zeros<std::uint32_t>(2, kCount)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, staged, result] = views<std::uint32_t, std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) staged[i] = source[i / 32 * 32 + 31 - i % 32] * 3;
                for (std::size_t i = 0; i < kCount; ++i) result[i] = staged[i ^ 1u] + source[i];
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {runtime_array(0, "Source", Access::Read, 4),
                                    runtime_array(1, "Staged", Access::ReadWrite, 4),
                                    runtime_array(2, "Result", Access::Write, 4)},
                       .shared_bytes = 128,
                       .barriers = true}};
}

}  // namespace

std::vector<KernelCase> pattern_kernels() {
  return {slot_rewrite(),   slot_views(),     slot_uniforms(),        slot_arrays(),
          scalar_uniform(), uniform_std430(), memory_model_exchange()};
}

}  // namespace vyre::kernels
