#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data.hpp"
#include "families.hpp"

namespace vyre::kernels {
namespace {

KernelCase spec_all_types() {
  constexpr std::int32_t kOffset = -1000;
  constexpr float kScale = 0.75f;
  constexpr double kFine = 0.0625;
  constexpr std::size_t kCount = 96;
  return {.name = "spec_all_types",
          .groups = {3, 1, 1},
          .buffers = {buffer(0, integers<std::int32_t>(kCount, 200, -9999, 9999)), zeros<std::int32_t>(1, kCount * 2),
                      zeros<float>(2, kCount), zeros<double>(3, kCount)},
          // The mask keeps its default.
          .spec_values = {{0, 1},
                          {1, std::bit_cast<std::uint32_t>(kOffset)},
                          {3, std::bit_cast<std::uint32_t>(kScale)},
                          {7, std::bit_cast<std::uint64_t>(kFine)}},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, whole, real, fine] = views<std::int32_t, std::int32_t, float, double>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  whole[2 * i] = -source[i] + kOffset;
                  whole[2 * i + 1] = source[i] & 0xff;
                  real[i] = static_cast<float>(source[i]) * kScale;
                  fine[i] = source[i] * kFine;
                }
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Whole", Access::Write, 8),
                           runtime_array(2, "Real", Access::Write, 4), runtime_array(3, "Fine", Access::Write, 8)},
              .spec_constants = {{.id = 0, .name = "kNegate", .is_bool = true, .default_bits = 0},
                                 {1, "kOffset", ScalarType::I32, false, 0xffff'fffbu},
                                 {2, "kMask", ScalarType::U32, false, 0xff},
                                 {3, "kScale", ScalarType::F32, false, 0x3fc0'0000u},
                                 {7, "kFine", ScalarType::F64, false, 0x3fd0'0000'0000'0000u}}}};
}

KernelCase spec_local_size() {
  constexpr std::array<std::uint32_t, 3> kLocal = {3, 4, 2};
  constexpr std::size_t kGroups = 6;
  constexpr std::uint32_t kPerGroup = kLocal[0] * kLocal[1] * kLocal[2];
  return {.name = "spec_local_size",
          .groups = {3, 2, 1},
          .buffers = {zeros<std::uint32_t>(0, kGroups * kPerGroup * 4)},
          .spec_values = {{10, 3}, {11, 4}, {12, 2}},
          .oracle =
              [](Buffers& buffers) {
                const auto [result] = views<std::uint32_t>(buffers);
                for (std::uint32_t i = 0; i < kGroups * kPerGroup; ++i) {
                  const std::uint32_t flat = i % kPerGroup;
                  const std::array values = {flat % 3, flat / 3 % 4, flat / 12, kPerGroup};
                  std::ranges::copy(values, result.subspan(std::size_t{4} * i, 4).begin());
                }
              },
          .expected = {.workgroup_size = {4, 1, 2},
                       .workgroup_spec_ids = {10, 11, 12},
                       .bindings = {runtime_array(0, "Result", Access::Write, 16)},
                       .spec_constants = {{10, "", ScalarType::U32, false, 4},
                                          {11, "", ScalarType::U32, false, 1},
                                          {12, "", ScalarType::U32, false, 2}}}};
}

KernelCase spec_shared_size() {
  constexpr std::size_t kRadius = 20;
  constexpr std::size_t kCount = 160;
  return {.name = "spec_shared_size",
          .groups = {5, 1, 1},
          .buffers = {buffer(0, words(kCount + 2 * kRadius, 201)), zeros<std::uint32_t>(1, kCount)},
          .spec_values = {{4, kRadius}},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, result] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  for (const std::uint32_t value : source.subspan(i, 2 * kRadius + 1)) result[i] += value;
                }
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Result", Access::Write, 4)},
              .spec_constants = {{4, "kRadius", ScalarType::U32, false, 2}},
              .shared_bytes = 144,
              .barriers = true,
              .bounded_loops = 2}};
}

KernelCase spec_unrolled() {
  constexpr std::uint32_t kRounds = 6;
  return {.name = "spec_unrolled",
          .groups = {6, 1, 1},
          .buffers = {buffer(0, words(std::size_t{6} * 20, 202))},
          .spec_values = {{0, 20}, {1, kRounds}, {2, 0}},
          .oracle =
              [](Buffers& buffers) {
                for (std::uint32_t& value : buffers[0].as<std::uint32_t>()) {
                  for (std::uint32_t round = 0; round < kRounds; ++round) value = value * 3 + round;
                }
              },
          .expected = {.workgroup_size = {1, 1, 1},
                       .workgroup_spec_ids = {0, -1, -1},
                       .bindings = {runtime_array(0, "Values", Access::ReadWrite, 4)},
                       .spec_constants = {{0, "", ScalarType::U32, false, 1},
                                          {1, "kRounds", ScalarType::U32, false, 10},
                                          {2, "kMode", ScalarType::I32, false, 1}},
                       .bounded_loops = 1}};
}

KernelCase push_full() {
  struct Push {
    std::array<float, 16> transform;
    std::array<std::array<float, 4>, 2> rows;
    std::array<float, 3> bias;
    float gain;
    std::array<std::uint32_t, 2> range;
    std::int32_t shift;
    std::uint32_t flags;
  };
  static_assert(sizeof(Push) == 128);
  Push push = {.transform = {},
               .rows = {{{1, 2, 3, 4}, {-4, -3, -2, -1}}},
               .bias = {0.5f, -0.5f, 8},
               .gain = 0.25f,
               .range = {5, 70},
               .shift = -7,
               .flags = 3};
  std::ranges::copy(integers<float>(16, 203, -5, 5), push.transform.begin());
  return {.name = "push_full",
          .groups = {5, 1, 1},
          .buffers = {buffer(0, integers<float>(320, 204, 1, 50)), buffer(1, std::vector<float>(320, 9))},
          .push_constants = pack(push),
          .oracle =
              [push](Buffers& buffers) {
                const auto [points, result] = views<float, float>(buffers);
                for (std::size_t i = push.range[0]; i < push.range[1]; ++i) {
                  for (std::size_t row = 0; row < 4; ++row) {
                    float sum = push.rows[i % 2][row];
                    for (std::size_t k = 0; k < 4; ++k) sum += push.transform[4 * k + row] * points[4 * i + k];
                    result[4 * i + row] =
                        row < 3 ? sum * push.gain + push.bias[row] : sum + static_cast<float>(push.shift);
                  }
                }
              },
          .expected = {
              .workgroup_size = {16, 1, 1},
              .bindings = {runtime_array(0, "Points", Access::Read, 16), runtime_array(1, "Result", Access::Write, 16)},
              .push_constant_size = 128,
              .push_constants = {{"transform", 0, 64},
                                 {"rows", 64, 32},
                                 {"bias", 96, 12},
                                 {"gain", 108, 4},
                                 {"range", 112, 8},
                                 {"shift", 120, 4},
                                 {"flags", 124, 4}}}};
}

KernelCase push_table() {
  const std::vector<std::uint32_t> table = words(32, 205);
  return {.name = "push_table",
          .groups = {4, 1, 1},
          .buffers = {buffer(0, words(256, 206))},
          .push_constants = to_bytes(table),
          .oracle =
              [table](Buffers& buffers) {
                for (std::uint32_t& value : buffers[0].as<std::uint32_t>()) value = table[value % 32] + table[31];
              },
          .expected = {.workgroup_size = {64, 1, 1},
                       .bindings = {runtime_array(0, "Values", Access::ReadWrite, 4)},
                       .push_constant_size = 128,
                       .push_constants = {{"table", 0, 128}}}};
}

KernelCase push_wide() {
  constexpr float kSmall = 0.5f;
  constexpr double kLarge = 1.0 + 1.0 / (1u << 30u);
  constexpr std::uint64_t kSeed = 0x9e37'79b9'7f4a'7c15u;
  static constexpr std::int64_t kLow = -9;
  static constexpr std::int64_t kHigh = 17;
  constexpr std::size_t kCount = 64;
  return {.name = "push_wide",
          .groups = {4, 1, 1},
          .buffers = {zeros<std::uint64_t>(0, kCount), zeros<double>(1, kCount)},
          .push_constants = pack(kSmall, std::uint32_t{0}, kLarge, kSeed, std::uint64_t{0}, kLow, kHigh),
          .oracle =
              [](Buffers& buffers) {
                const auto [whole, real] = views<std::uint64_t, double>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const std::int64_t clamped = std::min(kHigh, std::max(kLow, static_cast<std::int64_t>(i) - 20));
                  whole[i] = kSeed * i + static_cast<std::uint64_t>(clamped);
                  real[i] = kLarge * static_cast<double>(i) + double{kSmall};
                }
              },
          .expected = {
              .workgroup_size = {16, 1, 1},
              .bindings = {runtime_array(0, "Whole", Access::Write, 8), runtime_array(1, "Real", Access::Write, 8)},
              .push_constant_size = 48,
              .push_constants = {{"small", 0, 4}, {"large", 8, 8}, {"seed", 16, 8}, {"bounds", 32, 16}}}};
}

}  // namespace

std::vector<KernelCase> constant_kernels() {
  return {spec_all_types(), spec_local_size(), spec_shared_size(), spec_unrolled(),
          push_full(),      push_table(),      push_wide()};
}

}  // namespace vyre::kernels
