#include "tests/forms/bounds_modules.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tests/kernels/data.hpp"

namespace vyre::tests {
namespace {

using kernels::integers;
using kernels::to_bytes;
using kernels::words;
using program::TargetEnvironment;

using Bytes = std::vector<std::byte>;

/// Two indices of one invocation, as the kernels take them.
struct Pair {
  std::int32_t x = 0;
  std::int32_t y = 0;
};
using Pairs = std::vector<Pair>;

/// An index into an array: how far apart its elements are, and how many there are where no more can be reached.
struct Step {
  std::int64_t index = 0;
  std::int64_t stride = 4;
  std::optional<std::int64_t> count = {};
};

/// Where an access begins, which may be outside the view; nothing if one of its indices is outside its array and may
/// not be.
template <typename... Steps>
std::optional<std::int64_t> place(std::int64_t offset, const Steps&... steps) {
  const bool is_inside = ((!steps.count || (steps.index >= 0 && steps.index < *steps.count)) && ...);
  if (!is_inside) return std::nullopt;
  return offset + ((steps.index * steps.stride) + ... + 0);
}

/// A view whose accesses are checked, those of vectors by component.
class View {
 public:
  explicit View(Bytes& bytes) : bytes_{bytes} {}

  /// Whether an access of any view was outside since this was false.
  static inline bool was_left = false;

  template <typename T>
  [[nodiscard]] T load(std::optional<std::int64_t> at) const {
    T value = {};
    for (std::size_t i = 0; i < sizeof(T); i += kScalar<T>) {
      if (has(at, i, kScalar<T>)) std::memcpy(as_bytes(value) + i, bytes_.data() + *at + i, kScalar<T>);
    }
    return value;
  }
  template <typename T>
  void store(std::optional<std::int64_t> at, const T& value) {
    T copy = value;
    for (std::size_t i = 0; i < sizeof(T); i += kScalar<T>) {
      if (has(at, i, kScalar<T>)) std::memcpy(bytes_.data() + *at + i, as_bytes(copy) + i, kScalar<T>);
    }
  }
  /// Puts what `change` makes of a value in its place, and gives the value.
  template <typename T, typename Change>
  T atomic(std::optional<std::int64_t> at, Change change) {
    const T before = load<T>(at);
    store<T>(at, static_cast<T>(change(before)));
    return before;
  }

 private:
  /// Vectors here have components of 4 bytes.
  template <typename T>
  static constexpr std::size_t kScalar = std::is_arithmetic_v<T> ? sizeof(T) : 4;

  template <typename T>
  static std::byte* as_bytes(T& value) {
    return reinterpret_cast<std::byte*>(&value);
  }
  [[nodiscard]] bool has(std::optional<std::int64_t> at, std::size_t behind, std::size_t size) const {
    const auto begin = at.value_or(-1) + static_cast<std::int64_t>(behind);
    const auto end = begin + static_cast<std::int64_t>(size);
    const bool is_inside = at && begin >= 0 && end <= static_cast<std::int64_t>(bytes_.size());
    was_left = was_left || !is_inside;
    return is_inside;
  }

  Bytes& bytes_;
};

struct Quad {
  std::uint32_t x, y, z, w;
};

/// (0, 0), (1, 0) and so on.
Pairs line(std::int32_t count) {
  Pairs pairs;
  for (std::int32_t x = 0; x < count; ++x) pairs.push_back({.x = x});
  return pairs;
}
Pairs grid(std::int32_t columns, std::int32_t rows) {
  Pairs pairs;
  for (std::int32_t x = 0; x < columns; ++x) {
    for (std::int32_t y = 0; y < rows; ++y) pairs.push_back({.x = x, .y = y});
  }
  return pairs;
}

/// Indices outside an array: close by, far away, and those that come back to its start where offsets have 32 bits.
std::vector<std::int32_t> outside(std::int32_t count, std::int64_t stride) {
  std::vector<std::int32_t> indices{count, count + 1, -1, -2, -1000, 0x7fff'ffff, 0x7fff'fffe, -0x7fff'ffff - 1};
  for (std::int64_t k = 1; k <= 3; ++k) {
    const std::int64_t wraps = ((k << 32) + stride - 1) / stride;
    if (wraps < 0x7fff'ffff) indices.push_back(static_cast<std::int32_t>(wraps));
    indices.push_back(static_cast<std::int32_t>(-(k << 30) / stride));
  }
  for (const std::int32_t far : {0x4000'0000, 0x4000'0001, 0x2000'0000, 0x1000'0000, 0x0800'0001}) {
    indices.push_back(far);
  }
  return indices;
}

/// Some pairs, and among them as many with an index of `xs` in the place of the first.
Pairs with_first(const Pairs& inside, const std::vector<std::int32_t>& xs) {
  Pairs pairs = inside;
  for (const std::int32_t x : xs) pairs.push_back({.x = x});
  std::ranges::rotate(pairs, pairs.begin() + static_cast<std::ptrdiff_t>(pairs.size() / 3));
  return pairs;
}
/// The same, and further ones with an index of `ys` as the second, alone and with both.
Pairs with_both(const Pairs& inside, const std::vector<std::int32_t>& xs, const std::vector<std::int32_t>& ys) {
  Pairs pairs = with_first(inside, xs);
  for (std::size_t i = 0; i < ys.size(); ++i) {
    pairs.push_back({.x = 0, .y = ys[i]});
    pairs.push_back({.x = 1, .y = ys[i]});
    pairs.push_back({.x = xs[i % xs.size()], .y = ys[i]});
    // Taken as one number, the two could be inside again.
    pairs.push_back({.x = 1, .y = -1});
  }
  return pairs;
}

/// Those pairs that write where no other does, so that their order is nothing. Of two that would meet, the one whose
/// second index leaves the first row stays.
Pairs apart(const Pairs& pairs, std::int64_t stride, std::int64_t inner, const std::vector<std::int64_t>& words) {
  std::set<std::int64_t> taken;
  std::vector<bool> stays(pairs.size(), false);
  for (const bool is_crossing : {true, false}) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Pair& at = pairs[i];
      const bool crosses = at.y < 0 || at.y * inner >= stride || at.x < 0;
      if (crosses != is_crossing) continue;
      const auto is_taken = [&](std::int64_t word) { return taken.contains(at.x * stride + at.y * inner + word); };
      if (std::ranges::any_of(words, is_taken)) continue;
      for (const std::int64_t word : words) taken.insert(at.x * stride + at.y * inner + word);
      stays[i] = true;
    }
  }
  Pairs kept;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (stays[i]) kept.push_back(pairs[i]);
  }
  return kept;
}
/// Those pairs that do not read what another invocation writes: rows of four, one for each.
Pairs without_neighbours(const Pairs& pairs) {
  Pairs kept;
  for (const Pair& at : pairs) {
    if ((at.y >= 0 && at.y < 4) || std::abs(std::int64_t{at.y}) > 1000) kept.push_back(at);
  }
  return kept;
}

using Oracle = std::function<void(const Pairs&, std::vector<Bytes>&)>;

/// What one kernel is given besides its indices.
struct Work {
  Pairs indices = {};
  std::vector<Bytes> buffers = {};
  Bytes params = {};
};

/// The same with the pairs alone that stay inside all views, whatever arrays they leave.
Work inside_views(const Work& work, const Oracle& oracle) {
  Work kept = work;
  std::erase_if(kept.indices, [&](const Pair& at) {
    std::vector<Bytes> buffers{to_bytes(Pairs{at})};
    buffers.insert(buffers.end(), work.buffers.begin(), work.buffers.end());
    View::was_left = false;
    oracle({at}, buffers);
    return View::was_left;
  });
  return kept;
}

Bytes random_words(std::size_t count, std::uint32_t seed) { return to_bytes(words(count, seed)); }
Bytes some_bytes(std::size_t count, std::uint32_t seed) {
  Bytes bytes = random_words((count + 3) / 4, seed);
  bytes.resize(count);
  return bytes;
}
Bytes some_floats(std::size_t count, std::uint32_t seed) { return to_bytes(kernels::eighths(count, seed, 1, 16)); }
Bytes zeros(std::size_t count) { return Bytes(4 * count); }

class Collection {
 public:
  /// A kernel with one invocation for each of its indices, which are the first buffer.
  void glsl(const std::string& file, const Oracle& oracle, const Work& inside, const Work& outside) {
    const Work past = inside_views(outside, oracle);
    using Kind = std::tuple<const Work*, bool, std::string_view>;
    for (const auto& [work, is_inside, kind] :
         {Kind{&inside, true, ".inside."}, Kind{&past, true, ".past."}, Kind{&outside, false, ".outside."}}) {
      if (work->indices.empty()) continue;  // Every index leads out of some view.
      std::vector<Bytes> buffers{to_bytes(work->indices)};
      buffers.insert(buffers.end(), work->buffers.begin(), work->buffers.end());
      std::vector<Bytes> expected = buffers;
      oracle(work->indices, expected);
      const auto groups = static_cast<std::uint32_t>((work->indices.size() + 7) / 8);
      for (const bool optimise : {false, true}) {
        const TargetEnvironment target = optimise ? TargetEnvironment::Vulkan13 : TargetEnvironment::Vulkan11;
        const std::string name = file + std::string{kind} + std::string{to_string(target)};
        modules_.push_back({.module = {.name = name,
                                       .text = module_text(file + ".comp"),
                                       .options = {.name = name, .target = target, .optimise = optimise},
                                       .groups = {file == "outside_buffer_array" ? 1 : groups, 1, 1},
                                       .buffers = buffers,
                                       .params = work->params},
                            .is_inside = is_inside,
                            .expected = expected});
      }
    }
  }
  void add(BoundsModule bounds) { modules_.push_back(std::move(bounds)); }

  /// One in assembly, whose indices are of another type.
  template <typename T>
  void assembly(const std::string& file, const std::vector<T>& indices, const std::vector<Bytes>& more, bool is_inside,
                const std::function<void(std::vector<Bytes>&)>& oracle) {
    std::vector<Bytes> buffers{to_bytes(indices)};
    buffers.insert(buffers.end(), more.begin(), more.end());
    std::vector<Bytes> expected = buffers;
    oracle(expected);
    const std::string name = file + (is_inside ? ".inside" : ".outside");
    modules_.push_back({.module = {.name = name,
                                   .text = module_text(file + ".spvasm"),
                                   .is_glsl = false,
                                   .options = {.name = name, .target = TargetEnvironment::Vulkan11},
                                   .groups = {static_cast<std::uint32_t>(indices.size() / 8), 1, 1},
                                   .buffers = buffers},
                        .is_inside = is_inside,
                        .expected = expected});
  }

  std::vector<BoundsModule> take() { return std::move(modules_); }

 private:
  std::vector<BoundsModule> modules_;
};

/// For every pair of indices, its number and itself.
template <typename Each>
void for_each(const Pairs& pairs, Each each) {
  for (std::size_t i = 0; i < pairs.size(); ++i) each(static_cast<std::uint32_t>(i), pairs[i]);
}

/// Where the result of an invocation is.
std::optional<std::int64_t> result_at(std::uint32_t i, std::int64_t stride) {
  return place(0, Step{.index = i, .stride = stride});
}

void add_scalars(Collection& all) {
  const Pairs hostile = with_first(line(9), outside(9, 4));
  all.glsl("outside_load",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             View view{buffers[1]};
             View result{buffers[2]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               result.store<std::uint32_t>(result_at(i, 4), view.load<std::uint32_t>(place(0, Step{at.x})) + 1);
             });
           },
           {.indices = line(9), .buffers = {random_words(9, 1), zeros(9)}},
           {.indices = hostile, .buffers = {random_words(9, 2), random_words(hostile.size(), 3)}});
  all.glsl(
      "outside_store",
      [](const Pairs& pairs, std::vector<Bytes>& buffers) {
        View view{buffers[1]};
        for_each(pairs,
                 [&](std::uint32_t i, const Pair& at) { view.store<std::uint32_t>(place(0, Step{at.x}), 1000 + i); });
      },
      {.indices = line(9), .buffers = {random_words(9, 4)}}, {.indices = hostile, .buffers = {random_words(9, 5)}});
  const auto walk = [](const Pairs& pairs, std::vector<Bytes>& buffers) {
    View view{buffers[1]};
    View target{buffers[2]};
    View result{buffers[3]};
    for_each(pairs, [&](std::uint32_t i, const Pair& at) {
      std::uint32_t sum = 0;
      for (std::uint32_t k = 0; k < 20; ++k) {
        const auto index = static_cast<std::int32_t>(static_cast<std::uint32_t>(at.x) + k * 3);
        sum = sum * 3 + view.load<std::uint32_t>(place(0, Step{index}));
        if (i == 0) target.store<std::uint32_t>(place(0, Step{index}), k);
      }
      result.store<std::uint32_t>(result_at(i, 4), sum);
    });
  };
  const Pairs starts = {{.x = -7}, {.x = 0}, {.x = 5}, {.x = 11}, {.x = 12}, {.x = -60}, {.x = 0x7fff'ffff - 30}};
  all.glsl("outside_walk", walk, {.indices = line(6), .buffers = {random_words(64, 6), random_words(64, 7), zeros(6)}},
           {.indices = starts, .buffers = {random_words(12, 8), random_words(12, 9), zeros(starts.size())}});
  const Pairs narrow = with_first(line(8), {8, 9, 10, -1, 0x7fff'ffff, -0x7fff'ffff - 1, 0x4000'0000, 0x4000'0001});
  all.glsl("outside_narrow",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             View bytes{buffers[1]};
             View shorts{buffers[2]};
             View quads{buffers[3]};
             View result{buffers[4]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               const std::uint32_t byte = bytes.load<std::uint8_t>(place(0, Step{at.x, 1}));
               const std::uint32_t z = quads.load<std::uint8_t>(place(2, Step{at.x, 4}));
               result.store<std::uint32_t>(result_at(i, 4), byte + 1 + z * 1000);
               shorts.store<std::uint16_t>(place(0, Step{at.x, 2}), static_cast<std::uint16_t>(1000 + i));
             });
           },
           {.indices = line(8), .buffers = {some_bytes(8, 10), some_bytes(16, 11), random_words(8, 12), zeros(8)}},
           {.indices = narrow,
            .buffers = {some_bytes(8, 13), some_bytes(18, 14), random_words(10, 15), zeros(narrow.size())}});
  const Pairs wide = with_first(line(6), outside(6, 8));
  all.glsl("outside_wide",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             View view{buffers[1]};
             View target{buffers[2]};
             View result{buffers[3]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               result.store<std::uint64_t>(result_at(i, 8), view.load<std::uint64_t>(place(0, Step{at.x, 8})) + 1);
               target.store<double>(place(0, Step{at.x, 8}), i + 0.5);
             });
           },
           {.indices = line(6), .buffers = {random_words(13, 16), random_words(13, 17), zeros(12)}},
           {.indices = wide, .buffers = {random_words(13, 18), random_words(13, 19), zeros(2 * wide.size())}});
  const Pairs slots = with_first(line(10), outside(10, 16));
  all.glsl("outside_slots",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             View view{buffers[1]};
             View result{buffers[2]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               result.store<std::uint32_t>(place(0, Step{i, 8}), view.load<std::uint32_t>(place(0, Step{at.x})) + 1);
               result.store<std::uint32_t>(place(4, Step{i, 8}),
                                           view.load<std::uint32_t>(place(12, Step{at.x, 16})) + 1);
             });
           },
           {.indices = line(2), .buffers = {random_words(10, 20), zeros(4)}},
           {.indices = slots, .buffers = {random_words(10, 21), zeros(2 * slots.size())}});
}

void add_vectors(Collection& all) {
  const Pairs hostile = with_first(line(3), outside(3, 16));
  all.glsl("outside_vector",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             View view{buffers[1]};
             View target{buffers[2]};
             View result{buffers[3]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               const auto value = view.load<Quad>(place(0, Step{at.x, 16}));
               result.store<Quad>(result_at(i, 16), {value.x + 1, value.y + 1, value.z + 1, value.w + 1});
               target.store<Quad>(place(0, Step{at.x, 16}), {i, i + 1, i + 2, i + 3});
             });
           },
           {.indices = line(3), .buffers = {random_words(14, 30), random_words(14, 31), zeros(12)}},
           {.indices = hostile, .buffers = {random_words(14, 32), random_words(14, 33), zeros(4 * hostile.size())}});
  const Pairs components = apart(with_both(grid(3, 3), outside(5, 16), outside(4, 4)), 16, 4, {0});
  all.glsl(
      "outside_component",
      [](const Pairs& pairs, std::vector<Bytes>& buffers) {
        View view{buffers[1]};
        View target{buffers[2]};
        View triples{buffers[3]};
        View result{buffers[4]};
        for_each(pairs, [&](std::uint32_t i, const Pair& at) {
          const auto where = place(0, Step{at.x, 16}, Step{at.y, 4});
          result.store<std::uint32_t>(result_at(i, 4), view.load<std::uint32_t>(where) + 1);
          target.store<std::uint32_t>(where, 1000 + i);
          triples.store<std::uint32_t>(place(0, Step{at.x, 16}, Step{at.y, 4}), 2000 + i);
        });
      },
      {.indices = grid(5, 3), .buffers = {random_words(20, 34), random_words(20, 35), random_words(20, 36), zeros(15)}},
      {.indices = components,
       .buffers = {random_words(20, 37), random_words(20, 38), random_words(20, 39), zeros(components.size())}});
  const Pairs stored = without_neighbours(with_both(grid(1, 4), {0}, outside(4, 4)));
  all.glsl("outside_stored_component",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             View view{buffers[1]};
             View result{buffers[2]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               view.store<Quad>(result_at(i, 16), {i, 100 + i, 200 + i, 300 + i});
               const auto where = place(0, Step{i, 16}, Step{at.y, 4});
               result.store<std::uint32_t>(result_at(i, 4), view.load<std::uint32_t>(where) + 1);
             });
           },
           {.indices = grid(2, 4), .buffers = {zeros(32), zeros(8)}},
           {.indices = stored, .buffers = {zeros(4 * stored.size()), zeros(stored.size())}});
  const Pairs matrices = apart(with_both(grid(3, 3), outside(3, 48), outside(3, 16)), 32, 4, {0, 16});
  all.glsl("outside_matrix",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             View columns{buffers[1]};
             View rows{buffers[2]};
             View result{buffers[3]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               const auto column = columns.load<std::array<float, 3>>(place(0, Step{at.x, 48}, Step{at.y, 16}));
               result.store(place(0, Step{i, 16}), column);
               result.store(place(12, Step{i, 16}), columns.load<float>(place(16, Step{at.x, 48}, Step{at.y, 4})));
               // A column lies across the rows.
               rows.store<float>(place(0, Step{at.x, 32}, Step{at.y, 4}), static_cast<float>(i));
               rows.store<float>(place(16, Step{at.x, 32}, Step{at.y, 4}), 0.5F);
             });
           },
           {.indices = grid(3, 3), .buffers = {some_floats(36, 40), some_floats(24, 41), zeros(36)}},
           {.indices = matrices, .buffers = {some_floats(36, 42), some_floats(24, 43), zeros(4 * matrices.size())}});
}

void add_structures(Collection& all) {
  const Pairs hostile = with_first(line(4), outside(4, 32));
  all.glsl("outside_struct",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             constexpr std::array<std::int64_t, 6> kWords = {0, 8, 12, 16, 20, 24};  // The rest is padding.
             View view{buffers[1]};
             View target{buffers[2]};
             View result{buffers[3]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               const std::array<std::uint32_t, 6> stored = {i, i, 1, 2, 3, i};
               for (std::size_t k = 0; k < kWords.size(); ++k) {
                 const auto word = view.load<std::uint32_t>(place(kWords[k], Step{at.x, 32}));
                 result.store<std::uint32_t>(place(kWords[k], Step{i, 32}), word + (k == 0 || k == 5 ? 1 : 0));
                 target.store<std::uint32_t>(place(kWords[k], Step{at.x, 32}), stored[k]);
               }
             });
           },
           {.indices = line(4), .buffers = {random_words(32, 50), random_words(32, 51), zeros(32)}},
           {.indices = hostile, .buffers = {random_words(32, 52), random_words(32, 53), zeros(8 * hostile.size())}});
  const Pairs inner = apart(with_both(grid(3, 4), outside(3, 24), outside(4, 4)), 24, 4, {0});
  all.glsl("outside_inner_array",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             View view{buffers[1]};
             View target{buffers[2]};
             View result{buffers[3]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               const auto where = place(4, Step{at.x, 24}, Step{at.y, 4});
               result.store<std::uint32_t>(result_at(i, 4), view.load<std::uint32_t>(where) + 1);
               target.store<std::uint32_t>(where, 1000 + i);
             });
           },
           {.indices = grid(3, 4), .buffers = {random_words(18, 54), random_words(18, 55), zeros(12)}},
           {.indices = inner, .buffers = {random_words(18, 56), random_words(18, 57), zeros(inner.size())}});
  const Pairs cells = apart(with_both(grid(4, 5), outside(4, 20), outside(5, 4)), 20, 4, {0});
  all.glsl("outside_fixed_block",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             View view{buffers[1]};
             View result{buffers[2]};
             View target{buffers[3]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               const auto where = place(4, Step{at.x, 20}, Step{at.y, 4});
               result.store<std::uint32_t>(result_at(i, 4), view.load<std::uint32_t>(where) + 1);
               target.store<std::uint32_t>(where, 1000 + i);
             });
           },
           {.indices = grid(4, 5), .buffers = {random_words(24, 58), zeros(20), random_words(22, 59)}},
           {.indices = cells, .buffers = {random_words(24, 60), zeros(cells.size()), random_words(22, 61)}});
  const Pairs behind = with_first(line(5), outside(5, 4));
  all.glsl("outside_behind_header",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             View view{buffers[1]};
             View result{buffers[2]};
             View target{buffers[3]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               const auto where = place(16, Step{at.x});
               result.store<std::uint32_t>(result_at(i, 4), view.load<std::uint32_t>(where) + 1);
               target.store<std::uint32_t>(where, 1000 + i);
             });
           },
           {.indices = line(5), .buffers = {random_words(9, 62), zeros(5), random_words(9, 63)}},
           {.indices = behind, .buffers = {random_words(9, 64), zeros(behind.size()), random_words(9, 65)}});
}

void add_arrays_of_buffers(Collection& all) {
  const auto buffers_of = [](std::size_t count, std::uint32_t seed) -> std::vector<Bytes> {
    return {random_words(5, seed),     random_words(4, seed + 1), random_words(6, seed + 2),
            random_words(5, seed + 3), random_words(4, seed + 4), random_words(6, seed + 5),
            random_words(8, seed + 6), random_words(8, seed + 7), zeros(2 * count)};
  };
  const Pairs inside = grid(2, 2);
  const Pairs hostile = with_both(grid(3, 6), outside(3, 16), outside(6, 4));
  all.glsl("outside_buffer_array",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             View result{buffers[9]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               const auto x = static_cast<std::size_t>(at.x);
               const bool has_view = at.x >= 0 && at.x < 3;
               const bool has_table = at.x >= 0 && at.x < 2;
               const auto row = place(8, Step{at.y, 16});
               View::was_left = View::was_left || !has_view || !has_table;
               result.store<std::uint32_t>(
                   place(0, Step{i, 8}),
                   (has_view ? View{buffers[1 + x]}.load<std::uint32_t>(place(0, Step{at.y})) : 0) + 1);
               result.store<std::uint32_t>(place(4, Step{i, 8}),
                                           (has_table ? View{buffers[7 + x]}.load<std::uint32_t>(row) : 0) + 1);
               if (has_view) View{buffers[4 + x]}.store<std::uint32_t>(place(0, Step{at.y}), 1000 + i);
             });
           },
           {.indices = inside, .buffers = buffers_of(inside.size(), 70)},
           {.indices = hostile, .buffers = buffers_of(hostile.size(), 80)});
}

void add_constants(Collection& all) {
  const Pairs pushed = with_both(grid(6, 4), outside(6, 4), outside(4, 4));
  const Bytes params = random_words(21, 90);
  all.glsl("outside_push",
           [params](const Pairs& pairs, std::vector<Bytes>& buffers) {
             Bytes copy = params;
             const View push{copy};
             View result{buffers[1]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               const auto word = push.load<std::uint32_t>(place(4, Step{at.x, 4, 6}));
               const auto component = push.load<std::uint32_t>(place(32, Step{at.x, 16, 3}, Step{at.y, 4, 4}));
               result.store<std::uint32_t>(place(0, Step{i, 8}), word + 1);
               result.store<std::uint32_t>(place(4, Step{i, 8}), component + 1);
             });
           },
           {.indices = grid(3, 4), .buffers = {zeros(24)}, .params = params},
           {.indices = pushed, .buffers = {zeros(2 * pushed.size())}, .params = params});
  const Pairs uniform = with_both(grid(4, 4), outside(4, 16), outside(4, 4));
  all.glsl("outside_uniform",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             const View table{buffers[1]};
             View result{buffers[2]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               result.store<Quad>(result_at(i, 16),
                                  {table.load<std::uint32_t>(place(4, Step{at.x, 16})) + 1,
                                   table.load<std::uint32_t>(place(16, Step{at.y, 4})) + 1,
                                   table.load<std::uint32_t>(place(96, Step{at.x, 48}, Step{at.y, 16})) + 1,
                                   table.load<std::uint32_t>(place(128, Step{at.x, 4})) + 1});
             });
           },
           {.indices = grid(2, 2), .buffers = {random_words(44, 91), zeros(16)}},
           {.indices = uniform, .buffers = {random_words(44, 92), zeros(4 * uniform.size())}});
}

void add_atomics(Collection& all) {
  const Pairs hostile = with_first(line(7), outside(7, 4));
  const auto start = [](std::uint32_t seed) { return to_bytes(integers<std::uint32_t>(7, seed, 1, 200)); };
  const auto signs = [](std::uint32_t seed) { return to_bytes(integers<std::int32_t>(7, seed, -20, 20)); };
  all.glsl(
      "outside_atomics",
      [](const Pairs& pairs, std::vector<Bytes>& buffers) {
        View view{buffers[1]};
        View signs{buffers[2]};
        View result{buffers[3]};
        for_each(pairs, [&](std::uint32_t i, const Pair& at) {
          using Word = std::uint32_t;
          const auto where = place(0, Step{at.x});
          const std::array<Word, 10> seen = {
              view.atomic<Word>(where, [i](Word v) { return v + 5 + i; }),
              view.atomic<Word>(where, [](Word v) { return std::min<Word>(v, 90); }),
              view.atomic<Word>(where, [](Word v) { return std::max<Word>(v, 60); }),
              view.atomic<Word>(where, [](Word v) { return v & 0x3eU; }),
              view.atomic<Word>(where, [](Word v) { return v | 0x41U; }),
              view.atomic<Word>(where, [](Word v) { return v ^ 0xffU; }),
              view.atomic<Word>(where, [](Word) { return 0; }),
              view.atomic<Word>(where, [i](Word v) { return v == 0 ? 77 + i : v; }),
              static_cast<Word>(signs.atomic<std::int32_t>(where, [](std::int32_t v) { return std::min(v, -9); })),
              static_cast<Word>(signs.atomic<std::int32_t>(where, [](std::int32_t v) { return std::max(v, -4); }))};
          for (std::size_t k = 0; k < seen.size(); ++k) {
            result.store<Word>(place(4 * static_cast<std::int64_t>(k), Step{i, 40}), seen[k] + 1);
          }
        });
      },
      {.indices = line(7), .buffers = {start(100), signs(101), zeros(70)}},
      {.indices = hostile, .buffers = {start(102), signs(103), zeros(10 * hostile.size())}});
  const Pairs longs = with_first(line(5), outside(5, 8));
  all.glsl("outside_atomics_64",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             View view{buffers[1]};
             View result{buffers[2]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               using Long = std::uint64_t;
               const auto where = place(0, Step{at.x, 8});
               const std::array<Long, 3> seen = {
                   view.atomic<Long>(where, [](Long v) { return v + (Long{5} << 33); }),
                   view.atomic<Long>(where, [](Long) { return 0; }),
                   view.atomic<Long>(where, [i](Long v) { return v == 0 ? Long{i + 7} << 35 : v; })};
               for (std::size_t k = 0; k < seen.size(); ++k) {
                 result.store<Long>(place(8 * static_cast<std::int64_t>(k), Step{i, 24}), seen[k] + 1);
               }
             });
           },
           {.indices = line(5), .buffers = {random_words(10, 104), zeros(30)}},
           {.indices = longs, .buffers = {random_words(10, 105), zeros(6 * longs.size())}});
  const Pairs inner = apart(with_both(grid(3, 3), outside(3, 16), outside(3, 4)), 16, 4, {0});
  all.glsl("outside_inner_atomics",
           [](const Pairs& pairs, std::vector<Bytes>& buffers) {
             View view{buffers[1]};
             View result{buffers[2]};
             for_each(pairs, [&](std::uint32_t i, const Pair& at) {
               using Word = std::uint32_t;
               const auto where = place(4, Step{at.x, 16}, Step{at.y, 4});
               result.store<Word>(place(0, Step{i, 8}), view.atomic<Word>(where, [](Word v) { return v + 7; }) + 1);
               result.store<Word>(place(4, Step{i, 8}),
                                  view.atomic<Word>(where, [](Word v) { return v == 0 ? 9 : v; }) + 1);
             });
           },
           {.indices = grid(3, 3), .buffers = {random_words(12, 106), zeros(18)}},
           {.indices = inner, .buffers = {random_words(12, 107), zeros(2 * inner.size())}});
}

void add_assembly(Collection& all) {
  for (const bool is_inside : {true, false}) {
    std::vector<std::int64_t> longs = {0, 1, 2, 3, 4, 5, 6, 7};
    if (!is_inside) {
      longs.insert(longs.end(), {8, -1, 0x1'0000'0000, 0x1'0000'0001, -0x1'0000'0000, 0x7fff'ffff'ffff'ffff,
                                 0x4000'0000'0000'0000, 0x4000'0000'0000'0001});
    }
    all.assembly("outside_long_index", longs,
                 {random_words(8, 110), random_words(8, 111), random_words(longs.size(), 112)}, is_inside,
                 [longs](std::vector<Bytes>& buffers) {
                   View view{buffers[1]};
                   View written{buffers[2]};
                   View result{buffers[3]};
                   for (std::uint32_t i = 0; i < longs.size(); ++i) {
                     // The product would not fit where the index is far outside.
                     const bool is_near = longs[i] >= 0 && longs[i] < 8;
                     const auto where = is_near ? place(0, Step{longs[i]}) : std::nullopt;
                     result.store<std::uint32_t>(result_at(i, 4), view.load<std::uint32_t>(where) + 1);
                     written.store<std::uint32_t>(where, i);
                   }
                 });
    std::vector<std::int32_t> indices = {0, 0, 1, 1, 2, 2, 3, 3};
    if (!is_inside) {
      indices.insert(indices.end(), {4, 4, 5, 5, 11, 11, 12, 12, -1, -1, 0x7fff'ffff, 0x7fff'ffff, 0x4000'0000,
                                     0x4000'0000, -0x7fff'ffff - 1, -0x7fff'ffff - 1});
    }
    all.assembly("outside_select", indices,
                 {random_words(12, 113), random_words(5, 114), random_words(12, 115), random_words(5, 116),
                  zeros(indices.size())},
                 is_inside, [indices](std::vector<Bytes>& buffers) {
                   View result{buffers[5]};
                   for (std::uint32_t i = 0; i < indices.size(); ++i) {
                     const bool odd = (i & 1U) != 0;
                     const auto where = place(0, Step{indices[i]});
                     const auto seen = View{buffers[odd ? 1 : 2]}.load<std::uint32_t>(where);
                     result.store<std::uint32_t>(result_at(i, 4), seen + 1);
                     View{buffers[odd ? 3 : 4]}.store<std::uint32_t>(where, i);
                   }
                 });
    std::vector<std::int32_t> copies = {0, 1, 2, 3, 4, 5, 6, 7};
    if (!is_inside) {
      copies.insert(copies.end(), {8, 9, -1, -2, 0x7fff'ffff, 0x4000'0000, 0x4000'0001, -0x7fff'ffff - 1});
    }
    all.assembly("outside_copy_memory", copies,
                 {random_words(8, 117), random_words(8, 118), random_words(copies.size(), 119)}, is_inside,
                 [copies](std::vector<Bytes>& buffers) {
                   View view{buffers[1]};
                   View written{buffers[2]};
                   View result{buffers[3]};
                   for (std::uint32_t i = 0; i < copies.size(); ++i) {
                     const auto where = place(0, Step{copies[i]});
                     result.store<std::uint32_t>(result_at(i, 4), view.load<std::uint32_t>(where));
                     written.store<std::uint32_t>(where, view.load<std::uint32_t>(4));
                   }
                 });
  }
}

/// Lengths of views with some bytes left over, and with too few for an element.
void add_lengths(Collection& all) {
  const std::vector<Bytes> buffers = {zeros(7), zeros(18), zeros(15), zeros(5), zeros(1), random_words(5, 120)};
  std::vector<Bytes> expected = buffers;
  expected.back() = to_bytes(std::vector<std::uint32_t>{7, 4, 2, 2, 0});
  for (const bool optimise : {false, true}) {
    const TargetEnvironment target = optimise ? TargetEnvironment::Vulkan13 : TargetEnvironment::Vulkan11;
    const std::string name = "outside_length." + std::string{to_string(target)};
    all.add({.module = {.name = name,
                        .text = module_text("outside_length.comp"),
                        .options = {.name = name, .target = target, .optimise = optimise},
                        .buffers = buffers,
                        .params = kernels::pack(1U)},
             .is_inside = true,
             .expected = expected});
  }
}

std::vector<BoundsModule> make_modules() {
  Collection all;
  add_scalars(all);
  add_vectors(all);
  add_structures(all);
  add_arrays_of_buffers(all);
  add_constants(all);
  add_atomics(all);
  add_assembly(all);
  add_lengths(all);
  return all.take();
}

}  // namespace

const std::vector<BoundsModule>& bounds_modules() {
  static const std::vector<BoundsModule> kModules = make_modules();
  return kModules;
}

}  // namespace vyre::tests
