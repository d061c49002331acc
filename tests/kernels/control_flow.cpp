#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "data.hpp"
#include "families.hpp"

namespace vyre::kernels {
namespace {

KernelCase early_returns() {
  constexpr std::size_t kCount = 200;
  return {.name = "early_returns",
          .groups = {7, 1, 1},
          .buffers = {buffer(0, integers<std::int32_t>(kCount, 220, -100, 100)),
                      buffer(1, std::vector<std::int32_t>(kCount * 2, 7777))},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, result] = views<std::int32_t, std::int32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const std::int32_t v = source[i];
                  if (v == 13) continue;
                  result[i] = v < -50 ? -2 : v < 0 ? -1 : v == 1 ? 1 : 100;
                  for (std::int32_t divisor = 9; v >= 0 && divisor >= 2; --divisor) {
                    if (v % divisor == 0) result[i] = divisor;
                  }
                  if (v <= 80) result[i + kCount] = v * v;
                }
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Result", Access::Write, 4)},
              .bounded_loops = 1}};
}

KernelCase switch_machine() {
  constexpr std::size_t kCount = 64;
  return {.name = "switch_machine",
          .groups = {4, 1, 1},
          .buffers = {buffer(0, integers<std::uint32_t>(9, 221, 0, 60)),
                      buffer(1, integers<std::int32_t>(kCount * 2, 222, -900, 900))},
          .oracle =
              [](Buffers& buffers) {
                const auto [code, registers] = views<std::uint32_t, std::int32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  std::int32_t x = registers[2 * i];
                  std::int32_t y = registers[2 * i + 1];
                  for (const std::uint32_t word : code) {
                    const std::size_t operation = (word + i) % 7;
                    if (operation == 3) {
                      std::swap(x, y);
                      continue;
                    }
                    if (operation == 5) {
                      x = -x;
                      y = -y;
                      break;
                    }
                    if (operation == 0) x += y;
                    if (operation == 1) y -= 3;
                    if (operation == 1 || operation == 2) x ^= y;
                    if (operation == 4 || operation == 6) x &= 0xffff;
                    ++y;
                  }
                  registers[2 * i] = x;
                  registers[2 * i + 1] = y;
                }
              },
          .expected = {.workgroup_size = {16, 1, 1},
                       .bindings = {runtime_array(0, "Code", Access::Read, 4),
                                    runtime_array(1, "Registers", Access::ReadWrite, 8)},
                       .unbounded_loops = 1}};
}

KernelCase breaks_and_continues() {
  constexpr std::size_t kCount = 64;
  return {.name = "breaks_and_continues",
          .groups = {2, 1, 1},
          .buffers = {buffer(0, integers<std::uint32_t>(kCount * 20, 223, 0, 95)), zeros<std::uint32_t>(1, kCount * 2)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, result] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const auto values = source.subspan(i * 20, 20);
                  std::uint32_t sum = 0;
                  std::uint32_t steps = 0;
                  for (const std::uint32_t v : values) {
                    if (v % 5 == 0) continue;
                    if (v > 90) break;
                    sum += v;
                    steps += v > 80 ? 1 : v > 60 ? 2 : v > 40 ? 3 : 4;
                  }
                  std::uint32_t last = 20;
                  while (last > 0 && values[last - 1] <= 70) --last;
                  result[2 * i] = sum * 1000 + steps;
                  result[2 * i + 1] = last;
                }
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Result", Access::Write, 8)},
              .bounded_loops = 2,
              .unbounded_loops = 1}};
}

KernelCase nested_loops() {
  constexpr std::uint32_t kWidth = 8;
  constexpr std::uint32_t kHeight = 4;
  constexpr std::uint32_t kDepth = 6;
  return {.name = "nested_loops",
          .groups = {2, 1, 3},
          .buffers = {zeros<std::uint32_t>(0, std::size_t{kWidth} * kHeight * kDepth)},
          .oracle =
              [](Buffers& buffers) {
                const auto [result] = views<std::uint32_t>(buffers);
                for (std::uint32_t i = 0; i < kWidth * kHeight * kDepth; ++i) {
                  const std::uint32_t x = i % kWidth;
                  const std::uint32_t y = i / kWidth % kHeight;
                  for (std::uint32_t a = 1; a < 12; ++a) {
                    for (std::uint32_t b = a; b < 12; ++b) {
                      for (std::uint32_t c = 0; c <= i / kWidth / kHeight; ++c) {
                        if ((a * x + b * y + c) % 3 == 0) result[i] += a + b * c;
                      }
                    }
                  }
                }
              },
          .expected = {.workgroup_size = {4, 4, 2},
                       .bindings = {runtime_array(0, "Result", Access::Write, 4)},
                       .bounded_loops = 2,
                       .unbounded_loops = 1}};
}

KernelCase digit_sums() {
  constexpr std::size_t kCount = 192;
  std::vector<std::uint32_t> source = words(kCount, 224);
  source[0] = 0;
  for (std::size_t i = 1; i < 20; ++i) source[i] = static_cast<std::uint32_t>(60 + i);
  return {.name = "digit_sums",
          .groups = {3, 1, 1},
          .buffers = {buffer(0, source), zeros<std::uint32_t>(1, kCount)},
          .oracle =
              [](Buffers& buffers) {
                const auto [values, result] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  std::uint32_t rest = values[i];
                  do {
                    result[i] += rest % 10;
                    rest /= 10;
                    if (rest != 7) result[i] += 100;
                  } while (rest != 0);
                }
              },
          .expected = {
              .workgroup_size = {64, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Result", Access::Write, 4)},
              .unbounded_loops = 1}};
}

KernelCase collatz_steps() {
  return {.name = "collatz_steps",
          .groups = {4, 1, 1},
          .buffers = {buffer(0, integers<std::uint32_t>(256, 225, 1, 9000))},
          .oracle =
              [](Buffers& buffers) {
                for (std::uint32_t& value : buffers[0].as<std::uint32_t>()) {
                  std::uint32_t steps = 0;
                  for (; value != 1; ++steps) value = value % 2 == 0 ? value / 2 : 3 * value + 1;
                  value = steps;
                }
              },
          .expected = {.workgroup_size = {64, 1, 1},
                       .bindings = {runtime_array(0, "Values", Access::ReadWrite, 4)},
                       .unbounded_loops = 1}};
}

KernelCase short_circuits() {
  constexpr std::size_t kCount = 64;
  return {.name = "short_circuits",
          .groups = {2, 1, 1},
          .buffers = {buffer(0, integers<std::int32_t>(kCount * 2, 226, 0, 9)), zeros<std::int32_t>(1, kCount * 2)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, result] = views<std::int32_t, std::int32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const bool x = source[2 * i] % 2 == 0;
                  const bool y = source[2 * i + 1] % 2 == 0;
                  result[2 * i] = (x && y ? 1 : 0) | (x || y ? 2 : 0) | (x != y ? 4 : 0) | (x ? (y ? 8 : 16) : 32);
                  // The second operand counts only where it decides: twice if x is even, once if it is odd.
                  result[2 * i + 1] = x ? 2 + 1 + 2 + 2 : 1 + 2 + 2 + 1;
                }
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 8), runtime_array(1, "Result", Access::Write, 8)}}};
}

KernelCase built_ins() {
  constexpr std::array<std::uint32_t, 3> kGroups = {2, 3, 2};
  constexpr std::uint32_t kWidth = 6;
  constexpr std::uint32_t kHeight = 6;
  constexpr std::uint32_t kDepth = 4;
  return {.name = "built_ins",
          .groups = kGroups,
          .buffers = {zeros<std::uint32_t>(0, std::size_t{kWidth} * kHeight * kDepth * 12)},
          .oracle =
              [](Buffers& buffers) {
                const auto [result] = views<std::uint32_t>(buffers);
                for (std::uint32_t i = 0; i < kWidth * kHeight * kDepth; ++i) {
                  const std::uint32_t x = i % kWidth;
                  const std::uint32_t y = i / kWidth % kHeight;
                  const std::uint32_t z = i / kWidth / kHeight;
                  const std::array<std::uint32_t, 12> values = {
                      x / 3, y / 2, z / 2, z % 2 * 6 + y % 2 * 3 + x % 3, x % 3, y % 2, z % 2, 2, x, y, z, 302};
                  std::ranges::copy(values, result.subspan(std::size_t{12} * i, 12).begin());
                }
              },
          .expected = {.workgroup_size = {3, 2, 2}, .bindings = {runtime_array(0, "Result", Access::Write, 16)}}};
}

}  // namespace

std::vector<KernelCase> control_flow_kernels() {
  return {early_returns(), switch_machine(), breaks_and_continues(), nested_loops(),
          digit_sums(),    collatz_steps(),  short_circuits(),       built_ins()};
}

}  // namespace vyre::kernels
