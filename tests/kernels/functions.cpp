#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "data.hpp"
#include "families.hpp"

namespace vyre::kernels {
namespace {

KernelCase inout_parameters() {
  constexpr std::size_t kCount = 96;
  return {.name = "inout_parameters",
          .groups = {3, 1, 1},
          .buffers = {buffer(0, integers<std::int32_t>(kCount * 2, 260, -99, 99)), zeros<std::int32_t>(1, kCount)},
          .oracle =
              [](Buffers& buffers) {
                const auto [pairs, gaps] = views<std::int32_t, std::int32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const auto [low, high] = std::minmax({pairs[2 * i], pairs[2 * i + 1]});
                  gaps[i] = high - low;
                  std::swap(pairs[2 * i], pairs[2 * i + 1]);
                  pairs[2 * i] += low - gaps[i] / 2;
                  pairs[2 * i + 1] += high + gaps[i] / 2;
                }
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {runtime_array(0, "Pairs", Access::ReadWrite, 8),
                                    runtime_array(1, "Gaps", Access::Write, 4)}}};
}

KernelCase array_parameters() {
  constexpr std::size_t kCount = 48;
  return {.name = "array_parameters",
          .groups = {3, 1, 1},
          .buffers = {buffer(0, words(kCount * 8, 261))},
          .oracle =
              [](Buffers& buffers) {
                const auto [values] = views<std::uint32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  const auto mine = values.subspan(i * 8, 8);
                  std::uint32_t backwards = 0;
                  for (std::size_t k = i % 3; k < 8; ++k) backwards += mine[7 - k] * static_cast<std::uint32_t>(k + 1);
                  mine[i % 8] = backwards;
                  std::uint32_t forwards = 0;
                  for (std::uint32_t k = 0; k < 8; ++k) forwards += mine[k] * (k + 1);
                  mine[7] ^= forwards;
                }
              },
          .expected = {.workgroup_size = {16, 1, 1},
                       .bindings = {runtime_array(0, "Values", Access::ReadWrite, 32)},
                       .bounded_loops = 2}};
}

KernelCase shared_functions() {
  constexpr std::size_t kGroups = 4;
  return {.name = "shared_functions",
          .groups = {kGroups, 1, 1},
          .buffers = {buffer(0, words(kGroups * 32, 262))},
          .oracle =
              [](Buffers& buffers) {
                const auto [values] = views<std::uint32_t>(buffers);
                for (std::size_t group = 0; group < kGroups; ++group) {
                  const auto result = values.subspan(group * 32, 32);
                  const std::vector<std::uint32_t> keys(result.begin(), result.end());
                  std::uint32_t winners = 0;
                  for (std::size_t lane = 0; lane < 32; ++lane) winners += keys[lane] > keys[(lane + 1) % 32] ? 1U : 0U;
                  for (std::uint32_t lane = 0; lane < 32; ++lane) {
                    result[lane] = keys[lane] * 3 + keys[(lane + 3) % 32] * (lane ^ 1u) + winners;
                  }
                }
              },
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {runtime_array(0, "Values", Access::ReadWrite, 4)},
                       .shared_bytes = 388,
                       .barriers = true,
                       .atomics = true}};
}

KernelCase select_buffer() {
  constexpr std::size_t kCount = 64;
  // Read from the first, combine into the second.
  const std::vector<std::uint32_t> steps = {2, 0, 0, 1, 1, 0, 2, 1};
  return {.name = "select_buffer",
          .groups = {2, 1, 1},
          .buffers = {buffer(0, steps), buffer(1, integers<std::int32_t>(kCount, 263, -99, 99)),
                      buffer(2, integers<std::int32_t>(kCount, 264, -99, 99)),
                      buffer(3, integers<std::int32_t>(kCount, 265, -99, 99))},
          .oracle =
              [](Buffers& buffers) {
                const auto plan = buffers[0].as<std::uint32_t>();
                for (std::size_t k = 0; k < plan.size(); k += 2) {
                  const auto from = buffers[1 + plan[k]].as<std::int32_t>();
                  const auto to = buffers[1 + plan[k + 1]].as<std::int32_t>();
                  for (std::size_t i = 0; i < kCount; ++i) to[i] = from[i] * 2 - to[i];
                }
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "plan", Access::Read, 8), runtime_array(1, "red", Access::ReadWrite, 4),
                           runtime_array(2, "green", Access::ReadWrite, 4), runtime_array(3, "blue", Access::Read, 4)},
              .unbounded_loops = 1}};
}

KernelCase private_globals() {
  constexpr std::size_t kCount = 256;
  std::vector<std::uint32_t> source(kCount);
  for (std::size_t i = 0; i < kCount; ++i) source[i] = static_cast<std::uint32_t>(i);
  return {.name = "private_globals",
          .groups = {8, 1, 1},
          .buffers = {buffer(0, source), zeros<std::uint32_t>(1, kCount)},
          .oracle =
              [](Buffers& buffers) {
                const auto [values, result] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) {
                  std::vector<std::uint32_t> stack = {9, 8, 7};
                  const auto push = [&](std::uint32_t value) {
                    if (stack.size() < 6) stack.push_back(value);
                  };
                  const auto pop = [&] {
                    if (stack.empty()) return 0u;
                    const std::uint32_t top = stack.back();
                    stack.pop_back();
                    return top;
                  };
                  for (std::uint32_t bit = 0; bit < 8; ++bit) {
                    if ((values[i] >> bit & 1u) != 0) {
                      push(bit + 10);
                    } else {
                      const std::uint32_t top = pop();
                      push(top + pop());
                    }
                  }
                  result[i] = static_cast<std::uint32_t>(stack.size());
                  while (!stack.empty()) result[i] = result[i] * 31 + pop();
                }
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Result", Access::Write, 4)},
              .bounded_loops = 1,
              .unbounded_loops = 1}};
}

}  // namespace

std::vector<KernelCase> function_kernels() {
  return {inout_parameters(), array_parameters(), shared_functions(), select_buffer(), private_globals()};
}

}  // namespace vyre::kernels
