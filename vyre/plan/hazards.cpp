#include <vyre/plan/hazards.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include <vyre/base/check.hpp>

namespace vyre::plan {
namespace {

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

/// The last wave that wrote some bytes and the last wave that read them. Waves count from 1; 0 if there was none.
struct Last {
  std::uint32_t written = 0;
  std::uint32_t read = 0;

  friend bool operator==(const Last&, const Last&) = default;
};

constexpr Last latest(const Last& a, const Last& b) {
  return {.written = std::max(a.written, b.written), .read = std::max(a.read, b.read)};
}

/// A segment: bytes with the same last waves. It ends where the next segment begins.
struct Segment {
  std::uint64_t begin = 0;
  Last last = {};
};

/// A child of an inner node. Its bytes end where the next child begins.
struct Child {
  std::uint64_t begin = 0;
  Last last = {};   ///< The greatest values of `Last` among its bytes.
  Last whole = {};  ///< Touches of all of its bytes. They are noted here alone, and not in the node below.
  std::uint32_t node = 0;
};

/// A node of a tree. Its entries are segments in a leaf and children in an inner node, sorted by their first byte;
/// there are no gaps between them.
template <typename Entry>
struct Node {
  static constexpr std::uint32_t kRoom = 15;

  std::uint32_t count = 0;
  std::array<Entry, kRoom> entries = {};

  /// Whether the node must be split before a touch is marked in it: a touch cuts up to two entries, at its first and at
  /// its last byte, and so may add two.
  [[nodiscard]] bool is_full() const { return count + 2 > kRoom; }
  /// The end of entry `i`, in a node that ends at `end`.
  [[nodiscard]] std::uint64_t end_of(std::uint32_t i, std::uint64_t end) const {
    return i + 1 < count ? entries[i + 1].begin : end;
  }
  /// The entry that contains a byte.
  [[nodiscard]] std::uint32_t find(std::uint64_t byte) const {
    std::uint32_t i = 0;
    while (i + 1 < count && entries[i + 1].begin <= byte) ++i;
    return i;
  }
  [[nodiscard]] Last last() const {
    Last last;
    for (std::uint32_t i = 0; i < count; ++i) last = latest(last, entries[i].last);
    return last;
  }
  void insert(std::uint32_t at, const Entry& entry) {
    std::copy_backward(entries.begin() + at, entries.begin() + count, entries.begin() + count + 1);
    entries[at] = entry;
    ++count;
  }
  void move_half_to(Node& other) {
    const std::uint32_t kept = count / 2;
    other.count = count - kept;
    std::copy(entries.begin() + kept, entries.begin() + count, other.entries.begin());
    count = kept;
  }
};

/// Joins neighbouring segments that have the same last waves.
void join(Node<Segment>& leaf) {
  const auto alike = [](const Segment& a, const Segment& b) { return a.last == b.last; };
  const auto* end = std::unique(leaf.entries.begin(), leaf.entries.begin() + leaf.count, alike);
  leaf.count = static_cast<std::uint32_t>(end - leaf.entries.begin());
}

/// Values that are named by their index. `clear` gives all of them back at once and keeps the memory.
template <typename T>
class Pool {
 public:
  /// The index of an unused value, whose contents are arbitrary. References to values become invalid.
  [[nodiscard]] std::uint32_t take() {
    if (used_ == values_.size()) values_.emplace_back();
    return used_++;
  }
  [[nodiscard]] bool has(std::uint32_t i) const noexcept { return i < used_; }
  [[nodiscard]] T& operator[](std::uint32_t i) noexcept { return values_[i]; }
  void clear() noexcept { used_ = 0; }

 private:
  std::vector<T> values_;
  std::uint32_t used_ = 0;
};

/// The segments of a buffer, as a B+ tree. Most buffers have a single leaf.
struct Tree {
  std::uint32_t buffer = 0;
  std::uint32_t root = 0;
  std::uint32_t height = 0;  ///< 0 if the root is a leaf.
};

/// The trees of all buffers.
///
/// An operation goes into a later wave than the operations it conflicts with, so the waves noted for a byte only grow.
/// Therefore a touch of all bytes of a node can be noted once, in `Child::whole`, and need never be removed.
class Forest {
 public:
  /// A tree with one segment, untouched, for all bytes of the buffer.
  [[nodiscard]] Tree make_tree(std::uint32_t buffer) {
    const std::uint32_t leaf = leaves_.take();
    leaves_[leaf].count = 1;
    leaves_[leaf].entries[0] = {};
    return {.buffer = buffer, .root = leaf};
  }

  void clear() noexcept {
    leaves_.clear();
    inners_.clear();
  }

  [[nodiscard]] Last find(const Tree& tree, const Touch& touch) { return find(tree.root, tree.height, kEnd, touch); }

  void mark(Tree& tree, const Touch& touch, const Last& last) {
    if (needs_split(tree.root, tree.height)) {
      const std::uint32_t root = inners_.take();
      inners_[root].count = 1;
      inners_[root].entries[0] = {.last = last_of(tree.root, tree.height), .node = tree.root};
      split(root, 0, tree.height);
      tree.root = root;
      ++tree.height;
    }
    mark(tree.root, tree.height, kEnd, touch, last);
  }

 private:
  [[nodiscard]] Last find(std::uint32_t node, std::uint32_t height, std::uint64_t end, const Touch& touch) {
    Last last;
    if (height == 0) {
      const Node<Segment>& leaf = leaves_[node];
      for (std::uint32_t i = leaf.find(touch.begin); i < leaf.count && leaf.entries[i].begin < touch.end; ++i) {
        last = latest(last, leaf.entries[i].last);
      }
      return last;
    }
    const Node<Child>& inner = inners_[node];
    for (std::uint32_t i = inner.find(touch.begin); i < inner.count && inner.entries[i].begin < touch.end; ++i) {
      const Child& child = inner.entries[i];
      const std::uint64_t child_end = inner.end_of(i, end);
      const bool covered = touch.begin <= child.begin && child_end <= touch.end;
      last = latest(last, covered ? child.last : latest(child.whole, find(child.node, height - 1, child_end, touch)));
    }
    return last;
  }

  /// Marks some bytes of a node that is not full.
  void mark(std::uint32_t node, std::uint32_t height, std::uint64_t end, const Touch& touch, const Last& last) {
    if (height == 0) return mark(leaves_[node], end, touch, last);
    make_room(node, height, touch.begin);
    make_room(node, height, touch.end - 1);
    std::uint32_t i = inners_[node].find(touch.begin);
    for (; i < inners_[node].count && inners_[node].entries[i].begin < touch.end; ++i) {
      Child& child = inners_[node].entries[i];
      const std::uint64_t child_end = inners_[node].end_of(i, end);
      if (latest(child.whole, last) == child.whole) continue;
      child.last = latest(child.last, last);
      if (touch.begin <= child.begin && child_end <= touch.end) {
        child.whole = latest(child.whole, last);
      } else {
        mark(child.node, height - 1, child_end, touch, last);
      }
    }
  }

  static void mark(Node<Segment>& leaf, std::uint64_t end, const Touch& touch, const Last& last) {
    for (std::uint32_t i = leaf.find(touch.begin); i < leaf.count && leaf.entries[i].begin < touch.end; ++i) {
      const Segment before = leaf.entries[i];
      const Last after = latest(before.last, last);
      if (after == before.last) continue;
      if (touch.end < leaf.end_of(i, end)) leaf.insert(i + 1, {.begin = touch.end, .last = before.last});
      if (before.begin < touch.begin) leaf.insert(++i, {.begin = touch.begin});
      leaf.entries[i].last = after;
    }
  }

  /// Splits the child that contains a byte if the child is full.
  void make_room(std::uint32_t node, std::uint32_t height, std::uint64_t byte) {
    const std::uint32_t i = inners_[node].find(byte);
    if (needs_split(inners_[node].entries[i].node, height - 1)) split(node, i, height - 1);
  }

  [[nodiscard]] bool needs_split(std::uint32_t node, std::uint32_t height) {
    if (height != 0) return inners_[node].is_full();
    Node<Segment>& leaf = leaves_[node];
    if (!leaf.is_full()) return false;
    join(leaf);
    return leaf.count > Node<Segment>::kRoom / 2;
  }

  [[nodiscard]] Last last_of(std::uint32_t node, std::uint32_t height) {
    return height == 0 ? leaves_[node].last() : inners_[node].last();
  }

  /// Splits child `i` of a node into two halves. `height` is the child's.
  void split(std::uint32_t parent, std::uint32_t i, std::uint32_t height) {
    const std::uint32_t first = inners_[parent].entries[i].node;
    Child second;
    if (height == 0) {
      second.node = leaves_.take();
      leaves_[first].move_half_to(leaves_[second.node]);
      second.begin = leaves_[second.node].entries[0].begin;
    } else {
      second.node = inners_.take();
      inners_[first].move_half_to(inners_[second.node]);
      second.begin = inners_[second.node].entries[0].begin;
    }
    Child& child = inners_[parent].entries[i];
    child.last = latest(child.whole, last_of(first, height));
    second.whole = child.whole;
    second.last = latest(child.whole, last_of(second.node, height));
    inners_[parent].insert(i + 1, second);
  }

  Pool<Node<Segment>> leaves_;
  Pool<Node<Child>> inners_;
};

}  // namespace

struct WaveFinder::Tracker {
  /// By the number of the buffer: the index of its tree in `trees`. After `clear` that is the index of some other tree,
  /// or of none, which `tree_of` sees.
  std::vector<std::uint32_t> places;
  Pool<Tree> trees;
  Forest forest;

  [[nodiscard]] Tree& tree_of(std::uint32_t buffer) {
    if (buffer >= places.size()) places.resize(std::size_t{buffer} + 1);
    std::uint32_t& place = places[buffer];
    if (!trees.has(place) || trees[place].buffer != buffer) {
      place = trees.take();
      trees[place] = forest.make_tree(buffer);
    }
    return trees[place];
  }
};

WaveFinder::WaveFinder(const WaitRule& rule) : rule_{rule}, tracker_{std::make_unique<Tracker>()} {}
WaveFinder::~WaveFinder() = default;

std::uint32_t WaveFinder::add(std::span<const Touch> touches) {
  std::uint32_t wave = 0;
  for (const Touch& touch : touches) {
    VYRE_CHECK(touch.begin < touch.end, "a touch has bytes");
    const Last last = tracker_->forest.find(tracker_->tree_of(touch.buffer), touch);
    wave = std::max(
        {wave, rule_.waits(true, touch.writes) ? last.written : 0, rule_.waits(false, touch.writes) ? last.read : 0});
  }
  const std::uint32_t mark = wave + 1;
  for (const Touch& touch : touches) {
    const Last last = touch.writes ? Last{.written = mark} : Last{.read = mark};
    tracker_->forest.mark(tracker_->tree_of(touch.buffer), touch, last);
  }
  wave_count_ = std::max(wave_count_, mark);
  return wave;
}

bool WaveFinder::add_to(std::uint32_t wave, std::span<const Touch> touches) {
  for (const Touch& touch : touches) {
    const Last last = tracker_->forest.find(tracker_->tree_of(touch.buffer), touch);
    if (last.written > wave && rule_.waits(true, touch.writes)) return false;
    if (last.read > wave && rule_.waits(false, touch.writes)) return false;
  }
  for (const Touch& touch : touches) {
    const Last last = touch.writes ? Last{.written = wave + 1} : Last{.read = wave + 1};
    tracker_->forest.mark(tracker_->tree_of(touch.buffer), touch, last);
  }
  wave_count_ = std::max(wave_count_, wave + 1);
  return true;
}

void WaveFinder::clear() noexcept {
  wave_count_ = 0;
  tracker_->trees.clear();
  tracker_->forest.clear();
}

}  // namespace vyre::plan
