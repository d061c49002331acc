// How far is every vertex of a graph of a million edges from the first one? A dispatch per level, whose size only the
// device knows, and a look every few levels whether any is left.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <examples/support/compare.hpp>

namespace {

constexpr std::uint32_t kSide = 500;
constexpr std::uint32_t kVertices = kSide * kSide;
constexpr std::uint32_t kEdges = 4 * kVertices;
constexpr std::uint32_t kUnseen = 0xffff'ffff;
constexpr std::uint32_t kLevelsPerFrame = 16;  // Even, so that every frame begins with the same frontier.
constexpr std::uint32_t kMaxLevels = 1024;
constexpr std::uint32_t kGroups = 16;

struct Graph {
  std::vector<std::uint32_t> first_edge = {};  ///< Of every vertex, and the number of edges.
  std::vector<std::uint32_t> targets = {};
  std::vector<std::uint32_t> levels = {};  ///< By a search on the host.
};

/// A town: streets in a grid that is closed at its ends, and one road in 2,000 leads anywhere.
Graph make_graph() {
  Graph graph{.levels = std::vector<std::uint32_t>(kVertices, kUnseen)};
  std::mt19937 random{1};
  const auto pick = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  for (std::uint32_t y = 0; y < kSide; ++y) {
    for (std::uint32_t x = 0; x < kSide; ++x) {
      graph.first_edge.push_back(static_cast<std::uint32_t>(graph.targets.size()));
      const std::uint32_t right = y * kSide + (x + 1) % kSide;
      const std::uint32_t left = y * kSide + (x + kSide - 1) % kSide;
      const std::uint32_t below = (y + 1) % kSide * kSide + x;
      const std::uint32_t above = (y + kSide - 1) % kSide * kSide + x;
      for (const std::uint32_t next : {right, left, below, above}) {
        graph.targets.push_back(pick(2'000) == 0 ? pick(kVertices) : next);
      }
    }
  }
  graph.first_edge.push_back(kEdges);

  std::vector<std::uint32_t> reached{0};
  graph.levels[0] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const std::uint32_t from = reached[i];
    for (std::uint32_t edge = graph.first_edge[from]; edge < graph.first_edge[from + 1]; ++edge) {
      const std::uint32_t to = graph.targets[edge];
      if (graph.levels[to] != kUnseen) continue;
      graph.levels[to] = graph.levels[from] + 1;
      reached.push_back(to);
    }
  }
  return graph;
}

class Search {
 public:
  Search(vyre::Session& session, const Graph& graph)
      : session_{session},
        graph_{graph},
        first_edge_{session.buffer<std::uint32_t>(graph.first_edge).value()},
        targets_{session.buffer<std::uint32_t>(graph.targets).value()},
        levels_{session.buffer<std::uint32_t>(kVertices).value()},
        counts_{session.buffer<std::uint32_t>(kMaxLevels + 1).value()},
        frontier_{session.buffer<std::uint32_t>(kVertices).value()},
        next_{session.buffer<std::uint32_t>(kVertices).value()},
        found_(kVertices) {}

  vyre::RunReport run() {
    session_.fill(levels_, kUnseen).value();
    session_.fill(counts_, 0).value();
    session_.fill(levels_.part(0, 1), 0).value();
    session_.fill(counts_.part(0, 1), 1).value();
    session_.fill(frontier_.part(0, 1), 0).value();
    std::uint32_t left = 1;
    for (level_ = 0; left > 0 && level_ < kMaxLevels;) {
      for (std::uint32_t i = 0; i < kLevelsPerFrame; ++i, ++level_) {
        session_
            .dispatch(step_, {first_edge_, targets_, levels_, counts_, frontier_, next_},
                      {.groups = {kGroups}, .params = vyre::params(level_)})
            .value();
        std::swap(frontier_, next_);
      }
      session_.read(counts_.part(level_, 1), {&left, 1}).value();
      session_.wait(session_.flush().value()).value();
    }
    session_.read(levels_, found_).value();
    return session_.finish().value();
  }

  std::string check() const {
    const auto [found, expected] = std::ranges::mismatch(found_, graph_.levels);
    if (found != found_.end()) {
      throw examples::WrongResult{examples::text("vertex %td has level %u, the search on the host found %u",
                                                 found - found_.begin(), *found, *expected)};
    }
    return examples::text("%u vertices, %u edges, %u levels, each as expected", kVertices, kEdges,
                          std::ranges::max(found_) + 1);
  }

 private:
  vyre::Session& session_;
  const Graph& graph_;
  vyre::Program step_ = examples::load_kernel("level.comp");
  vyre::Buffer<std::uint32_t> first_edge_;
  vyre::Buffer<std::uint32_t> targets_;
  vyre::Buffer<std::uint32_t> levels_;
  vyre::Buffer<std::uint32_t> counts_;
  vyre::Buffer<std::uint32_t> frontier_;
  vyre::Buffer<std::uint32_t> next_;
  std::vector<std::uint32_t> found_;
  std::uint32_t level_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return examples::compare<Search>(argc, argv,
                                   {.name = "bfs",
                                    .does = "breadth-first search of a graph of a million edges",
                                    .checked_against = "a search on the host"},
                                   make_graph);
}
