#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data.hpp"
#include "families.hpp"

namespace vyre::kernels {
namespace {

KernelCase reduce_sum_shared() {
  constexpr std::uint32_t kCount = 1000;
  return {.name = "reduce_sum_shared",
          .groups = {8, 1, 1},
          .buffers = {buffer(0, words(kCount, 20)), zeros<std::uint32_t>(1, 8)},
          .push_constants = pack(kCount),
          .oracle =
              [](Buffers& buffers) {
                const auto [source, sums] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < kCount; ++i) sums[i / 128] += source[i];
              },
          .expected = {
              .workgroup_size = {128, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Sums", Access::Write, 4)},
              .push_constant_size = 4,
              .push_constants = {{"count", 0, 4}},
              .shared_bytes = 512,
              .barriers = true,
              .bounded_loops = 1}};
}

KernelCase reduce_min_max() {
  constexpr std::size_t kGroups = 12;
  return {.name = "reduce_min_max",
          .groups = {4, 3, 1},
          .buffers = {buffer(0, integers<std::int32_t>(kGroups * 64, 21, -100'000, 100'000)),
                      zeros<std::int32_t>(1, kGroups * 2)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, extremes] = views<std::int32_t, std::int32_t>(buffers);
                for (std::size_t group = 0; group < kGroups; ++group) {
                  const auto [low, high] = std::ranges::minmax(source.subspan(group * 64, 64));
                  extremes[2 * group] = low;
                  extremes[2 * group + 1] = high;
                }
              },
          .expected = {
              .workgroup_size = {8, 8, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Extremes", Access::Write, 8)},
              .shared_bytes = 512,
              .barriers = true,
              .bounded_loops = 1}};
}

KernelCase reduce_atomic_total() {
  constexpr std::uint32_t kGroups = 10;
  return {.name = "reduce_atomic_total",
          .groups = {kGroups, 1, 1},
          .buffers = {buffer(0, words(kGroups * 64, 22)), buffer(1, std::vector<std::uint32_t>{5, 7})},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, total] = views<std::uint32_t, std::uint32_t>(buffers);
                for (const std::uint32_t value : source) total[0] += value;
                total[1] += kGroups;
              },
          .expected = {
              .workgroup_size = {64, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), fixed_block(1, "Total", Access::ReadWrite, 8)},
              .shared_bytes = 4,
              .barriers = true,
              .atomics = true}};
}

KernelCase dot_product() {
  constexpr std::uint32_t kGroups = 4;
  constexpr std::size_t kCount = 1500;
  return {
      .name = "dot_product",
      .groups = {kGroups, 1, 1},
      .buffers = {buffer(0, eighths(kCount, 23, -4, 4)), buffer(1, eighths(kCount, 24, -4, 4)),
                  zeros<float>(2, kGroups)},
      .oracle =
          [](Buffers& buffers) {
            const auto [left, right, partials] = views<float, float, float>(buffers);
            for (std::size_t i = 0; i < kCount; ++i) partials[i / 32 % kGroups] += left[i] * right[i];
          },
      .expected = {.workgroup_size = {32, 1, 1},
                   .bindings = {runtime_array(0, "Left", Access::Read, 4), runtime_array(1, "Right", Access::Read, 4),
                                runtime_array(2, "Partials", Access::Write, 4)},
                   .shared_bytes = 128,
                   .barriers = true,
                   .bounded_loops = 1,
                   .unbounded_loops = 1}};
}

KernelCase argmax() {
  constexpr std::size_t kGroups = 6;
  return {.name = "argmax",
          .groups = {kGroups, 1, 1},
          .buffers = {buffer(0, integers<std::int32_t>(kGroups * 64, 25, -20, 20)), zeros<std::uint32_t>(1, kGroups)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, best] = views<std::int32_t, std::uint32_t>(buffers);
                for (std::size_t group = 0; group < kGroups; ++group) {
                  const auto values = source.subspan(group * 64, 64);
                  const auto offset = std::ranges::max_element(values) - values.begin();
                  best[group] = static_cast<std::uint32_t>(group * 64 + static_cast<std::size_t>(offset));
                }
              },
          .expected = {
              .workgroup_size = {64, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Best", Access::Write, 4)},
              .shared_bytes = 512,
              .barriers = true,
              .bounded_loops = 1}};
}

KernelCase reduce_subgroup_sum() {
  constexpr std::size_t kGroups = 5;
  return {.name = "reduce_subgroup_sum",
          .groups = {kGroups, 1, 1},
          .buffers = {buffer(0, words(kGroups * 64, 27)), zeros<std::uint32_t>(1, kGroups)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, sums] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < source.size(); ++i) sums[i / 64] += source[i];
              },
          .expected = {
              .workgroup_size = {64, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Sums", Access::Write, 4)},
              .shared_bytes = 4,
              .barriers = true,
              .atomics = true}};
}

KernelCase vote_any_negative() {
  constexpr std::size_t kGroups = 16;
  return {.name = "vote_any_negative",
          .groups = {kGroups, 1, 1},
          .buffers = {buffer(0, integers<std::int32_t>(kGroups * 32, 28, -1, 50)), zeros<std::uint32_t>(1, kGroups)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, votes] = views<std::int32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < source.size(); ++i) votes[i / 32] |= source[i] < 0 ? 1u : 0u;
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Votes", Access::Write, 4)},
              .shared_bytes = 4,
              .barriers = true,
              .atomics = true}};
}

}  // namespace

std::vector<KernelCase> reduction_kernels() {
  return {reduce_sum_shared(),   reduce_min_max(),   reduce_atomic_total(), dot_product(), argmax(),
          reduce_subgroup_sum(), vote_any_negative()};
}

}  // namespace vyre::kernels
