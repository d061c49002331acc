#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "data.hpp"
#include "families.hpp"

namespace vyre::kernels {
namespace {

/// Sorts each run of `length` elements of the first buffer.
template <typename T, std::size_t length>
void sort_runs(Buffers& buffers) {
  const auto keys = buffers[0].as<T>();
  for (std::size_t first = 0; first < keys.size(); first += length) std::ranges::sort(keys.subspan(first, length));
}

KernelCase bitonic_shared() {
  return {.name = "bitonic_shared",
          .groups = {6, 1, 1},
          .buffers = {buffer(0, words(std::size_t{6} * 128, 100))},
          .oracle =
              [](Buffers& buffers) {
                // Runs of 128 end ascending: bit 7 of an index within the run is never set.
                sort_runs<std::uint32_t, 128>(buffers);
              },
          .expected = {.workgroup_size = {64, 1, 1},
                       .bindings = {runtime_array(0, "Keys", Access::ReadWrite, 4)},
                       .shared_bytes = 512,
                       .barriers = true,
                       .bounded_loops = 2}};
}

KernelCase odd_even_sort() {
  return {.name = "odd_even_sort",
          .groups = {5, 1, 1},
          .buffers = {buffer(0, integers<std::int32_t>(std::size_t{5} * 64, 101, -40, 40))},
          .oracle = sort_runs<std::int32_t, 64>,
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {runtime_array(0, "Keys", Access::ReadWrite, 4)},
                       .shared_bytes = 256,
                       .barriers = true,
                       .bounded_loops = 1}};
}

KernelCase bitonic_step() {
  constexpr std::uint32_t kSize = 32;
  constexpr std::uint32_t kReach = 8;
  return {.name = "bitonic_step",
          .groups = {8, 1, 1},
          .buffers = {buffer(0, eighths(512, 102, -900, 900))},
          .push_constants = pack(kSize, kReach),
          .oracle =
              [](Buffers& buffers) {
                const auto [keys] = views<float>(buffers);
                for (std::size_t i = 0; i < keys.size(); ++i) {
                  const std::size_t partner = i ^ kReach;
                  if (partner <= i) continue;
                  const bool ascending = (i & kSize) == 0;
                  if (ascending ? keys[i] > keys[partner] : keys[i] < keys[partner]) std::swap(keys[i], keys[partner]);
                }
              },
          .expected = {.workgroup_size = {64, 1, 1},
                       .bindings = {runtime_array(0, "Keys", Access::ReadWrite, 4)},
                       .push_constant_size = 8,
                       .push_constants = {{"size", 0, 4}, {"reach", 4, 4}}}};
}

KernelCase rank_sort() {
  constexpr std::size_t kCount = 300;
  return {.name = "rank_sort",
          .groups = {10, 1, 1},
          .buffers = {buffer(0, integers<std::uint32_t>(kCount, 103, 0, 99)), zeros<std::uint32_t>(1, kCount)},
          .oracle =
              [](Buffers& buffers) {
                const auto [source, sorted] = views<std::uint32_t, std::uint32_t>(buffers);
                std::ranges::copy(source, sorted.begin());
                std::ranges::sort(sorted);
              },
          .expected = {
              .workgroup_size = {32, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Sorted", Access::Write, 4)},
              .unbounded_loops = 1}};
}

KernelCase radix_split() {
  constexpr std::uint32_t kBit = 7;
  constexpr std::size_t kCount = 256;
  return {.name = "radix_split",
          .groups = {4, 1, 1},
          .buffers = {buffer(0, words(kCount, 104)), zeros<std::uint32_t>(1, kCount)},
          .push_constants = pack(kBit),
          .oracle =
              [](Buffers& buffers) {
                const auto [source, result] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t first = 0; first < kCount; first += 64) {
                  std::size_t target = first;
                  for (const std::uint32_t bit : {0u, 1u}) {
                    for (const std::uint32_t key : source.subspan(first, 64)) {
                      if ((key >> kBit & 1u) == bit) result[target++] = key;
                    }
                  }
                }
              },
          .expected = {
              .workgroup_size = {64, 1, 1},
              .bindings = {runtime_array(0, "Source", Access::Read, 4), runtime_array(1, "Result", Access::Write, 4)},
              .push_constant_size = 4,
              .push_constants = {{"bit", 0, 4}},
              .shared_bytes = 256,
              .barriers = true,
              .bounded_loops = 1}};
}

KernelCase insertion_sort_private() {
  return {.name = "insertion_sort_private",
          .groups = {2, 1, 1},
          .buffers = {buffer(0, integers<std::int32_t>(std::size_t{64} * 12, 105, -99, 99))},
          .oracle = sort_runs<std::int32_t, 12>,
          .expected = {.workgroup_size = {32, 1, 1},
                       .bindings = {runtime_array(0, "Keys", Access::ReadWrite, 4)},
                       .bounded_loops = 3,
                       .unbounded_loops = 1}};
}

}  // namespace

std::vector<KernelCase> sorting_kernels() {
  return {bitonic_shared(), odd_even_sort(), bitonic_step(), rank_sort(), radix_split(), insertion_sort_private()};
}

}  // namespace vyre::kernels
