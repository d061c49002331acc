#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data.hpp"
#include "families.hpp"

namespace vyre::kernels {
namespace {

KernelCase buffer_array_constant() {
  constexpr std::size_t kCount = 96;
  KernelCase result = {.name = "buffer_array_constant",
                       .groups = {3, 1, 1},
                       .oracle =
                           [](Buffers& buffers) {
                             const auto [a, b, c, sum] =
                                 views<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(buffers);
                             for (std::size_t i = 0; i < kCount; ++i) sum[i] = a[i] + b[i] * c[i];
                           },
                       .expected = {.workgroup_size = {32, 1, 1},
                                    .bindings = {{.slot = 0,
                                                  .name = "parts",
                                                  .access = Access::ReadWrite,
                                                  .stride = 4,
                                                  .runtime_sized = true,
                                                  .count = 4}}}};
  for (std::uint32_t element = 0; element < 4; ++element) {
    result.buffers.push_back(buffer(Place{.slot = 0, .element = element}, words(kCount, 280 + element)));
  }
  return result;
}

KernelCase buffer_array_dynamic() {
  constexpr std::uint32_t kWhich = 2;
  constexpr std::uint32_t kTable = 1;
  constexpr std::size_t kCount = 64;
  KernelCase result = {.name = "buffer_array_dynamic",
                       .groups = {2, 1, 1},
                       .push_constants = pack(kWhich, kTable),
                       .oracle =
                           [](Buffers& buffers) {
                             const auto table = buffers[3 + kTable].as<std::uint32_t>();
                             const auto sums = buffers[5].as<std::uint32_t>();
                             for (std::size_t i = 0; i < kCount; ++i) {
                               std::uint32_t sum = buffers[kWhich].as<std::uint32_t>()[1 + i] * 1000;
                               for (std::size_t part = 0; part < 3; ++part) {
                                 sum += buffers[part].as<std::uint32_t>()[1 + i] + buffers[part].as<std::uint32_t>()[0];
                               }
                               sums[i] = sum ^ table[i % 4 * 4 + 2];
                             }
                           },
                       .expected = {.workgroup_size = {32, 1, 1},
                                    .bindings = {{.slot = 0,
                                                  .name = "parts",
                                                  .access = Access::Read,
                                                  .stride = 4,
                                                  .size = 4,
                                                  .runtime_sized = true,
                                                  .count = 3},
                                                 {.slot = 1,
                                                  .name = "tables",
                                                  .kind = Kind::UniformBuffer,
                                                  .access = Access::Read,
                                                  .stride = 16,
                                                  .size = 64,
                                                  .count = 2},
                                                 runtime_array(2, "Result", Access::Write, 4)},
                                    .push_constant_size = 8,
                                    .push_constants = {{"which", 0, 4}, {"table", 4, 4}},
                                    .bounded_loops = 1}};
  for (std::uint32_t element = 0; element < 3; ++element) {
    result.buffers.push_back(buffer(Place{.slot = 0, .element = element}, words(1 + kCount, 284 + element)));
  }
  for (std::uint32_t element = 0; element < 2; ++element) {
    result.buffers.push_back(buffer(Place{.slot = 1, .element = element}, words(16, 287 + element)));
  }
  result.buffers.push_back(zeros<std::uint32_t>(2, kCount));
  return result;
}

KernelCase sixteen_bindings() {
  constexpr std::size_t kCount = 48;
  static constexpr std::array<std::uint32_t, 16> kSlots = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 20, 21};
  KernelCase result = {.name = "sixteen_bindings",
                       .groups = {3, 1, 1},
                       .oracle =
                           [](Buffers& buffers) {
                             for (std::size_t i = 0; i < kCount; ++i) {
                               std::uint32_t sum = 0;
                               for (std::uint32_t b = 0; b < 14; ++b) {
                                 sum += (b + 1) * buffers[b].as<std::uint32_t>()[i];
                                 if (b == 6) buffers[14].as<std::uint32_t>()[i] ^= sum;
                               }
                               buffers[15].as<std::uint32_t>()[i] = sum;
                             }
                           },
                       .expected = {.workgroup_size = {16, 1, 1}}};
  for (std::uint32_t b = 0; b < 16; ++b) {
    const Access access = b < 14 ? Access::Read : b == 14 ? Access::ReadWrite : Access::Write;
    result.buffers.push_back(buffer(kSlots[b], words(kCount, 290 + b)));
    result.expected.bindings.push_back(runtime_array(kSlots[b], "b" + std::to_string(b), access, 4));
  }
  return result;
}

KernelCase four_sets() {
  constexpr std::size_t kCount = 96;
  const std::vector<std::int32_t> factors = {3, -2, 0, 0};
  return {.name = "four_sets",
          .groups = {3, 1, 1},
          .buffers = {buffer({.set = 0, .slot = 1}, integers<std::int32_t>(kCount, 310, -99, 99)),
                      buffer({.set = 1, .slot = 0}, factors),
                      buffer({.set = 1, .slot = 1}, integers<std::int32_t>(kCount, 311, -99, 99)),
                      buffer({.set = 2, .slot = 3}, std::vector<std::int32_t>(kCount)),
                      buffer({.set = 3, .slot = 0}, std::vector<std::uint32_t>{40})},
          .oracle =
              [](Buffers& buffers) {
                const auto [near, factor, far, result, positive] =
                    views<std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  result[i] = near[i] * factor[0] + far[i] * factor[1];
                  if (result[i] > 0) ++positive[0];
                }
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {{0, 1, "near", Kind::StorageBuffer, Access::Read, 4, 0, true},
                                    {1, 0, "Factors", Kind::UniformBuffer, Access::Read, 0, 8},
                                    {1, 1, "far", Kind::StorageBuffer, Access::Read, 4, 0, true},
                                    {2, 3, "result", Kind::StorageBuffer, Access::Write, 4, 0, true},
                                    {3, 0, "Count", Kind::StorageBuffer, Access::ReadWrite, 0, 4}},
                       .atomics = true}};
}

KernelCase qualifiers() {
  constexpr std::size_t kCount = 64;
  constexpr std::uint32_t kLimit = 40;
  return {.name = "qualifiers",
          .groups = {2, 1, 1},
          .buffers = {buffer(0, words(kCount, 312)), buffer(1, words(kCount, 313)), zeros<std::uint32_t>(2, kCount),
                      zeros<std::uint32_t>(3, kCount), buffer(4, words(kCount * 2, 314)),
                      buffer(6, std::vector<std::uint32_t>{kLimit, 1})},
          .oracle =
              [](Buffers& buffers) {
                const auto [plain, source, sink, exchanged, noted, members] =
                    views<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(
                        buffers);
                for (std::size_t i = 0; i < kCount; ++i) exchanged[i] = source[i] + plain[i];
                for (std::size_t i = 0; i < kCount; ++i) {
                  sink[i] = exchanged[i ^ 1u];
                  noted[i] += noted[(i ^ 1u) + kCount];
                }
                members[1] = kLimit;
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Plain", Access::Read, 4), runtime_array(1, "Source", Access::Read, 4),
                           runtime_array(2, "Sink", Access::Write, 4), runtime_array(3, "Shared", Access::ReadWrite, 4),
                           runtime_array(4, "Noted", Access::ReadWrite, 4),
                           fixed_block(6, "members", Access::ReadWrite, 8)},
              .barriers = true}};
}

KernelCase length_only() {
  constexpr std::size_t kCount = 30;
  return {.name = "length_only",
          .groups = {4, 1, 1},
          .buffers = {zeros<float>(0, 2 * 37), zeros<std::uint32_t>(1, 3 + 21), zeros<std::uint32_t>(2, kCount)},
          .oracle =
              [](Buffers& buffers) {
                const auto lengths = buffers[2].as<std::uint32_t>();
                for (std::uint32_t i = 0; i < kCount; ++i) lengths[i] = 37'000 + 21 * i;
              },
          .expected = {
              .workgroup_size = {8, 1, 1},
              .bindings = {
                  runtime_array(0, "measured", Access::None, 8),
                  {.slot = 1, .name = "headed", .access = Access::None, .stride = 4, .size = 12, .runtime_sized = true},
                  runtime_array(2, "Lengths", Access::Write, 4)}}};
}

KernelCase shared_slot() {
  constexpr std::size_t kCount = 64;
  return {.name = "shared_slot",
          .groups = {2, 1, 1},
          .buffers = {buffer(0, words(kCount * 4, 315)), zeros<std::uint32_t>(1, kCount)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, result] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  result[i] = source[4 * (i ^ 1u)] + kCount;
                  result[i] += source[4 * i] ^ source[4 * i + 1] ^ source[4 * i + 2] ^ source[4 * i + 3];
                }
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {{.slot = 0,
                                     .name = "Words",
                                     .access = Access::Read,
                                     .stride = 16,
                                     .runtime_sized = true,
                                     .variables = {runtime_array(0, "Words", Access::Read, 4),
                                                   runtime_array(0, "Quads", Access::Read, 16)}},
                                    runtime_array(1, "Result", Access::Write, 4)}}};
}

KernelCase atomics_buffer() {
  constexpr std::size_t kCount = 320;
  const std::vector<std::uint32_t> totals = {100, 0, 0, 0xffff'ffffu, 1, 2, 0};
  return {
      .name = "atomics_buffer",
      .groups = {5, 1, 1},
      .buffers = {buffer(0, integers<std::int32_t>(kCount, 316, -90'000, 90'000)), buffer(1, totals),
                  buffer(2, words(kCount, 317)), zeros<std::uint32_t>(3, kCount)},
      .oracle =
          [](Buffers& buffers) {
            const auto [source, total, slots, previous] =
                views<std::int32_t, std::uint32_t, std::uint32_t, std::uint32_t>(buffers);
            for (std::uint32_t i = 0; i < kCount; ++i) {
              const auto bits = static_cast<std::uint32_t>(source[i]);
              total[0] += bits;
              total[1] = static_cast<std::uint32_t>(std::min(static_cast<std::int32_t>(total[1]), source[i]));
              total[2] = static_cast<std::uint32_t>(std::max(static_cast<std::int32_t>(total[2]), source[i]));
              total[3] &= bits | 0x1000u;
              total[4] |= bits & 0xff'ff00u;
              total[5] ^= bits;
              total[6] = 77;
              previous[i] = slots[i];
              slots[i] = i * 3;
            }
          },
      .expected = {
          .workgroup_size = {64, 1, 1},
          .bindings = {runtime_array(0, "Source", Access::Read, 4), fixed_block(1, "Totals", Access::ReadWrite, 28),
                       runtime_array(2, "Slots", Access::ReadWrite, 4), runtime_array(3, "Previous", Access::Write, 4)},
          .atomics = true}};
}

KernelCase atomics_shared() {
  constexpr std::size_t kGroups = 4;
  return {.name = "atomics_shared",
          .groups = {kGroups, 1, 1},
          .buffers = {buffer(0, words(kGroups * 64, 318)), zeros<std::uint32_t>(1, kGroups * 4)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, result] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t group = 0; group < kGroups; ++group) {
                  const auto values = source.subspan(group * 64, 64);
                  std::uint32_t balance = 1000;
                  for (const std::uint32_t value : values) balance += value % 2 == 0 ? 1u : 0xffff'ffffu;
                  const std::array row = {std::ranges::min(values), std::ranges::max(values), 5u, balance};
                  std::ranges::copy(row, result.subspan(group * 4, 4).begin());
                }
              },
          .expected = {
              .workgroup_size = {64, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Result", Access::Write, 16)},
              .shared_bytes = 16,
              .barriers = true,
              .atomics = true}};
}

KernelCase atomics_64bit() {
  return {.name = "atomics_64bit",
          .groups = {6, 1, 1},
          .buffers = {buffer(0, words(std::size_t{6} * 32, 319)), buffer(1, std::vector<std::uint64_t>{17, 3})},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, totals] = views<std::uint32_t, std::uint64_t>(buffers);
                for (const std::uint64_t value : source) {
                  totals[0] += value * value;
                  totals[1] = std::max(totals[1], value << 16u);
                }
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {runtime_array(0, "Source", Access::Read, 4),
                                    fixed_block(1, "Totals", Access::ReadWrite, 16)},
                       .atomics = true}};
}

KernelCase compare_swap_loop() {
  std::vector<std::uint32_t> source = integers<std::uint32_t>(80, 320, 0, 500);
  for (std::uint32_t& value : source) value |= value * 4 << 16u;
  return {.name = "compare_swap_loop",
          .groups = {10, 1, 1},
          .buffers = {buffer(0, source), zeros<std::uint32_t>(1, 1)},
          .oracle =
              [](Buffers& buffers) {
                const auto [amounts, sums] = views<std::uint32_t, std::uint32_t>(buffers);
                std::uint32_t low = 0;
                std::uint32_t high = 0;
                for (const std::uint32_t amount : amounts) {
                  low += amount & 0xffffu;
                  high += amount >> 16u;
                }
                sums[0] = std::min(high, 0xffffu) << 16u | std::min(low, 0xffffu);
              },
          .expected = {
              .workgroup_size = {8, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), fixed_block(1, "Packed", Access::ReadWrite, 4)},
              .atomics = true,
              .unbounded_loops = 1}};
}

KernelCase struct_copy() {
  constexpr std::size_t kCount = 32;
  constexpr std::size_t kWords = 12;
  // The last word of an item is padding, which a copy may carry or leave: zero on both sides.
  std::vector<float> items = integers<float>(kCount * kWords, 322, 1, 99);
  for (std::size_t i = kWords - 1; i < items.size(); i += kWords) items[i] = 0;
  return {.name = "struct_copy",
          .groups = {2, 1, 1},
          .buffers = {buffer(0, integers<float>(48, 321, 1, 99)), buffer(1, items), zeros<float>(2, kCount * kWords)},
          .oracle =
              [](Buffers& buffers) {
                const auto [defaults, source, target] = views<float, float, float>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const auto item = target.subspan(i * kWords, kWords);
                  if (i % 3 != 0) {
                    std::ranges::copy(source.subspan((kCount - 1 - i) * kWords, kWords - 1), item.begin());
                    continue;
                  }
                  // The columns of the matrix and the samples lie 16 bytes apart in the uniform buffer.
                  const auto wide = defaults.subspan(i % 2 * 24, 24);
                  constexpr std::array<std::size_t, 11> kFrom = {0, 1, 2, 3, 4, 5, 8, 9, 12, 16, 20};
                  for (std::size_t k = 0; k < kFrom.size(); ++k) item[k] = wide[kFrom[k]];
                }
              },
          .expected = {.workgroup_size = {16, 1, 1},
                       .bindings = {uniform_block(0, "Defaults", 192, 96), runtime_array(1, "Source", Access::Read, 48),
                                    runtime_array(2, "Target", Access::Write, 48)}}};
}

KernelCase zero_iterations() {
  constexpr std::size_t kCount = 64;
  return {.name = "zero_iterations",
          .groups = {2, 1, 1},
          .buffers = {buffer(0, integers<std::uint32_t>(kCount, 323, 0, 3)), zeros<std::uint32_t>(1, kCount)},
          .push_constants = pack(std::uint32_t{0}),
          .oracle =
              [](Buffers& buffers) {
                const auto [counts, result] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) result[i] = 1 + counts[i] * (counts[i] + 1) / 2;
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Counts", Access::Read, 4), runtime_array(1, "Result", Access::Write, 4)},
              .push_constant_size = 4,
              .push_constants = {{"none", 0, 4}},
              .bounded_loops = 1,
              .unbounded_loops = 2}};
}

}  // namespace

std::vector<KernelCase> buffer_kernels() {
  return {buffer_array_constant(), buffer_array_dynamic(), sixteen_bindings(), four_sets(),      qualifiers(),
          length_only(),           shared_slot(),          atomics_buffer(),   atomics_shared(), atomics_64bit(),
          compare_swap_loop(),     struct_copy(),          zero_iterations()};
}

}  // namespace vyre::kernels
