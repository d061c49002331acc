#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data.hpp"
#include "families.hpp"

namespace vyre::kernels {
namespace {

constexpr std::uint32_t kUnseen = 0xffff'ffffu;

/// A directed graph as the sorted successors of each vertex, one list after another.
struct Graph {
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> targets;
};

/// Edges lead from lower to higher vertices; each vertex has up to `reach` successors, so some have none.
Graph make_graph(std::uint32_t vertices, std::uint32_t reach, std::uint32_t seed) {
  Sequence sequence(seed);
  Graph graph = {.offsets = {0}, .targets = {}};
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
    const std::uint32_t last = std::min(vertex + reach, vertices - 1);
    for (std::uint32_t target = vertex + 1; target <= last; ++target) {
      if (sequence.next() % 3 == 0) graph.targets.push_back(target);
    }
    graph.offsets.push_back(static_cast<std::uint32_t>(graph.targets.size()));
  }
  return graph;
}

std::span<const std::uint32_t> successors(std::span<const std::uint32_t> offsets,
                                          std::span<const std::uint32_t> targets, std::size_t vertex) {
  return targets.subspan(offsets[vertex], offsets[vertex + 1] - offsets[vertex]);
}

KernelCase bfs_step() {
  constexpr std::uint32_t kVertices = 150;
  constexpr std::uint32_t kLevel = 1;
  const Graph graph = make_graph(kVertices, 40, 180);
  std::vector<std::uint32_t> levels(kVertices, kUnseen);
  levels[0] = 0;
  for (const std::uint32_t target : successors(graph.offsets, graph.targets, 0)) levels[target] = kLevel;
  return {
      .name = "bfs_step",
      .groups = {5, 1, 1},
      .buffers = {buffer(0, graph.offsets), buffer(1, graph.targets), buffer(2, levels), zeros<std::uint32_t>(3, 1)},
      .push_constants = pack(kVertices, kLevel),
      .oracle =
          [](Buffers& buffers) {
            const auto [offsets, targets, level, reached] =
                views<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>(buffers);
            for (std::size_t vertex = 0; vertex < kVertices; ++vertex) {
              if (level[vertex] != kLevel) continue;
              for (const std::uint32_t target : successors(offsets, targets, vertex)) {
                if (level[target] != kUnseen) continue;
                level[target] = kLevel + 1;
                ++reached[0];
              }
            }
          },
      .expected = {
          .workgroup_size = {32, 1, 1},
          .bindings = {runtime_array(0, "Offsets", Access::Read, 4), runtime_array(1, "Targets", Access::Read, 4),
                       runtime_array(2, "Levels", Access::ReadWrite, 4),
                       fixed_block(3, "frontier", Access::ReadWrite, 4)},
          .push_constant_size = 8,
          .push_constants = {{"vertices", 0, 4}, {"level", 4, 4}},
          .atomics = true,
          .unbounded_loops = 1}};
}

KernelCase relax_edges() {
  constexpr std::size_t kVertices = 60;
  constexpr std::size_t kEdges = 500;
  std::vector<std::uint32_t> edges = integers<std::uint32_t>(kEdges * 3, 181, 0, kVertices - 1);
  std::vector<std::uint32_t> distances = integers<std::uint32_t>(kVertices, 182, 0, 400);
  for (std::size_t vertex = 0; vertex < kVertices; vertex += 4) distances[vertex] = kUnseen;
  return {.name = "relax_edges",
          .groups = {8, 1, 1},
          .buffers = {buffer(0, edges), buffer(1, distances), buffer(2, distances)},
          .oracle =
              [](Buffers& buffers) {
                const auto [edge, before, after] = views<std::uint32_t, std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < edge.size(); i += 3) {
                  const std::uint32_t reached = before[edge[i]];
                  std::uint32_t& distance = after[edge[i + 1]];
                  if (reached != kUnseen) distance = std::min(distance, reached + edge[i + 2]);
                }
              },
          .expected = {
              .workgroup_size = {64, 1, 1},
              .bindings = {runtime_array(0, "Edges", Access::Read, 12), runtime_array(1, "Before", Access::Read, 4),
                           runtime_array(2, "After", Access::ReadWrite, 4)},
              .atomics = true}};
}

KernelCase degree_count() {
  constexpr std::size_t kVertices = 40;
  return {.name = "degree_count",
          .groups = {10, 1, 1},
          .buffers = {buffer(0, integers<std::uint32_t>(std::size_t{600} * 2, 183, 0, kVertices - 1)),
                      zeros<std::uint32_t>(1, kVertices * 2)},
          .oracle =
              [](Buffers& buffers) {
                const auto [edges, degrees] = views<std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t i = 0; i < edges.size(); ++i) ++degrees[2 * edges[i] + i % 2];
              },
          .expected = {.workgroup_size = {64, 1, 1},
                       .bindings = {runtime_array(0, "Edges", Access::Read, 8),
                                    runtime_array(1, "Degrees", Access::ReadWrite, 8)},
                       .atomics = true}};
}

KernelCase triangle_count() {
  constexpr std::uint32_t kVertices = 70;
  const Graph graph = make_graph(kVertices, 24, 186);
  return {.name = "triangle_count",
          .groups = {5, 1, 1},
          .buffers = {buffer(0, graph.offsets), buffer(1, graph.targets), zeros<std::uint32_t>(2, 1)},
          .oracle =
              [](Buffers& buffers) {
                const auto [offsets, targets, triangles] = views<std::uint32_t, std::uint32_t, std::uint32_t>(buffers);
                for (std::size_t a = 0; a < kVertices; ++a) {
                  for (const std::uint32_t b : successors(offsets, targets, a)) {
                    for (const std::uint32_t c : successors(offsets, targets, b)) {
                      if (std::ranges::count(successors(offsets, targets, a), c) != 0) ++triangles[0];
                    }
                  }
                }
              },
          .expected = {
              .workgroup_size = {16, 1, 1},
              .bindings = {runtime_array(0, "Offsets", Access::Read, 4), runtime_array(1, "Targets", Access::Read, 4),
                           fixed_block(2, "Triangles", Access::ReadWrite, 4)},
              .atomics = true,
              .unbounded_loops = 2}};
}

}  // namespace

std::vector<KernelCase> graph_kernels() { return {bfs_step(), relax_edges(), degree_count(), triangle_count()}; }

}  // namespace vyre::kernels
