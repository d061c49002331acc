// Forms of a kernel: 1,000 small items as a list of dispatches, by addresses, and as one launch, in turns in one
// process, with lavapipe inline and as it comes.
//
// --quick takes fewer turns, --filter only the first row and those with a text in their names. --heavy measures only
// what a kernel's body costs through addresses. --sweep answers which
// way of writing a one-launch form by hand is the cheapest.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/forms_by_hand.hpp"
#include "bench/forms_by_vyre.hpp"
#include "bench/heavy.hpp"
#include "bench/lavapipe.hpp"
#include "bench/paired.hpp"
#include "bench/sum_by_hand.hpp"

namespace vyre::bench {
namespace {

constexpr std::uint32_t kItems = 1000;

struct Options {
  std::size_t rounds = 15;
  std::vector<std::string> filters = {};  ///< Only rows with one of these in their names, and the first.
  bool sweep = false;
  bool heavy_only = false;
};

struct Named {
  std::string name;
  HandVariant how = {};
};

/// One row of a table.
struct Row {
  std::string name;
  std::function<void()> run;
};

/// Measures the rows in turns and prints each as time per item, and that and the time of all threads against the first.
void print_rows(const std::string& what, std::vector<Row>& rows, std::uint32_t items, const Options& options,
                std::size_t rounds) {
  for (std::size_t i = rows.size() - 1; i > 0; --i) {
    const auto is_wanted = [&](const std::string& text) { return rows[i].name.contains(text); };
    if (!options.filters.empty() && std::ranges::none_of(options.filters, is_wanted)) {
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  std::vector<std::function<void()>> runs;
  for (const Row& row : rows) runs.push_back(row.run);
  const std::vector<Turns> turns = compare_all(runs, rounds);
  fmt::print("  {:<52} {:>9} {:>9} {:>9} {:>8} {:>8}\n", what, "ns each", "low", "cpu", "/ first", "cpu /");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fmt::print("  {:<52} {:>9.0f} {:>9.0f} {:>9.0f} {:>8.3f} {:>8.3f}\n", rows[i].name, turns[i].ns / items,
               turns[i].low_ns / items, turns[i].cpu_ns / items, turns[i].ratio, turns[i].cpu_ns / turns[0].cpu_ns);
  }
}

void must_be_right(bool is_right, const std::string& what) {
  if (is_right) return;
  fmt::print(stderr, "{}: the results are wrong\n", what);
  std::exit(1);
}

void add_by_hand(SaxpyByHand& saxpy, const std::vector<Named>& variants, std::vector<Row>& rows) {
  for (const Named& variant : variants) {
    SaxpyByHand::Variant made = saxpy.make(variant.how);
    must_be_right(made.is_right(), fmt::format("{}, {} wide", variant.name, saxpy.width()));
    rows.push_back({.name = variant.name, .run = [made]() mutable { made.run(); }});
  }
}

/// The forms that vyre derives, each with the ways to launch it that say something.
constexpr std::pair<program::FormKind, VyreLaunch> kVyreVariants[] = {
    {program::FormKind::Descriptor, VyreLaunch::Anew},   {program::FormKind::Descriptor, VyreLaunch::Replay},
    {program::FormKind::Pointer, VyreLaunch::Anew},      {program::FormKind::Pointer, VyreLaunch::Replay},
    {program::FormKind::Pointer, VyreLaunch::Updated},   {program::FormKind::Merged, VyreLaunch::Anew},
    {program::FormKind::Merged, VyreLaunch::Replay},     {program::FormKind::Merged, VyreLaunch::Updated},
    {program::FormKind::Persistent, VyreLaunch::Anew},   {program::FormKind::Persistent, VyreLaunch::Replay},
    {program::FormKind::Persistent, VyreLaunch::Updated}};

std::string name_of(program::FormKind form, VyreLaunch launch, bool is_robust) {
  const char* how = launch == VyreLaunch::Anew ? "anew" : launch == VyreLaunch::Replay ? "replayed" : "new table";
  return fmt::format("vyre {}, {}{}", to_string(form), how, is_robust ? "" : ", unchecked");
}

/// Adds what vyre does for the same items.
void add_vyre_variants(backend::Device& device, bool is_robust, const SaxpyByHand& saxpy, std::vector<Row>& rows) {
  const auto items = std::make_shared<VyreSaxpy>(device, saxpy.count(), saxpy.width());
  for (const auto& [form, launch] : kVyreVariants) {
    const auto made = std::make_shared<VyreItems>(device, items->program, form, launch, items->items);
    const std::string name = name_of(form, launch, is_robust);
    must_be_right(items->is_right(*made), name);
    rows.push_back({.name = name, .run = [made, items] { made->run(); }});
  }
}

/// Adds what vyre does for dispatches of as many buffers.
void add_vyre_bindless(backend::Device& device, std::uint32_t dispatches, std::uint32_t buffers,
                       std::vector<Row>& rows) {
  const auto sums = std::make_shared<VyreSums>(device, dispatches, buffers);
  for (const auto& [form, launch] : kVyreVariants) {
    if (form == program::FormKind::Merged || form == program::FormKind::Persistent) continue;
    const bool fits = buffers <= device.info().limits.max_storage_buffers;
    if (form == program::FormKind::Descriptor && !fits) continue;
    const auto made = std::make_shared<VyreItems>(device, sums->program, form, launch, sums->items);
    rows.push_back({.name = name_of(form, launch, true), .run = [made, sums] { made->run(); }});
  }
}

std::vector<Named> variants_for(std::uint32_t width) {
  using enum HandForm;
  using enum HandBounds;
  using enum HandRead;
  std::vector<Named> all{
      {"list by descriptors, recorded anew", {.form = Descriptor, .is_recorded_anew = true}},
      {"list by descriptors, replayed", {.form = Descriptor}},
      {"list by records, recorded anew", {.form = Pointer, .is_recorded_anew = true}},
      {"list by records, replayed", {.form = Pointer}},
      {"list by records, replayed, new table", {.form = Pointer, .is_table_new = true}},
      {"list by records, replayed, new table, unchecked", {.form = Pointer, .bounds = None, .is_table_new = true}},
      {"merged, lanes, new table", {.form = Merged, .read = LanePairs, .is_table_new = true}},
      {"contiguous, lanes, new table", {.form = Contiguous, .read = LanePairs, .is_table_new = true}},
  };
  const std::pair<HandForm, const char*> forms[] = {
      {Merged, "merged"}, {Strided, "strided"}, {Contiguous, "contiguous"}, {Queue, "queue"}};
  const std::pair<HandRead, const char*> reads[] = {{Scalars, "words"}, {LanePairs, "lanes"}, {Uniform, "uniform"}};
  for (const std::uint32_t local : {width, 8U}) {
    for (const auto& [form, form_name] : forms) {
      for (const auto& [read, read_name] : reads) {
        const std::string name = fmt::format("{}, {}{}", form_name, read_name, local < width ? ", folded" : "");
        const HandVariant how{.form = form, .read = read, .local = local, .chunk = 16};
        HandVariant unchecked = how;
        unchecked.bounds = None;
        all.push_back({name, how});
        all.push_back({name + ", unchecked", unchecked});
      }
    }
    if (width == 8) break;
  }
  return all;
}

void measure(backend::Device& device, backend::Device& unchecked, std::uint32_t width, const Options& options) {
  SaxpyByHand saxpy{kItems, width};
  std::vector<Row> rows;
  add_by_hand(saxpy, variants_for(width), rows);
  add_vyre_variants(device, true, saxpy, rows);
  add_vyre_variants(unchecked, false, saxpy, rows);
  print_rows(fmt::format("{} items of {} invocations", kItems, width), rows, kItems, options, options.rounds);
}

/// What is asked of the one-launch forms, each question a table.
void sweep(std::uint32_t width, const Options& options) {
  using enum HandForm;
  constexpr HandRead kRead = HandRead::LanePairs;
  SaxpyByHand saxpy{kItems, width};
  const auto ask = [&](const char* question, const std::vector<Named>& variants) {
    std::vector<Row> rows;
    add_by_hand(saxpy, variants, rows);
    print_rows(fmt::format("{} wide: {}", width, question), rows, kItems, options, options.rounds);
  };
  const std::pair<HandForm, const char*> forms[] = {
      {Merged, "merged"}, {Strided, "strided"}, {Contiguous, "contiguous"}, {Queue, "queue"}};
  std::vector<std::uint32_t> locals{width};
  if (width > 8) locals.push_back(8);

  std::vector<Named> groups;
  for (const std::uint32_t local : locals) {
    for (const auto& [form, name] : forms) {
      if (form == Merged) continue;
      for (const std::uint32_t count : {1U, 2U, 4U, 8U, 16U, 64U, 250U}) {
        groups.push_back({fmt::format("{}, {} invocations, {} groups", name, local, count),
                          {.form = form, .read = kRead, .local = local, .groups = count, .chunk = 4}});
      }
    }
  }
  ask("workgroups", groups);

  std::vector<Named> chunks;
  for (const std::uint32_t local : locals) {
    for (const std::uint32_t chunk : {1U, 4U, 16U, 64U}) {
      chunks.push_back({fmt::format("queue, {} invocations, chunks of {}", local, chunk),
                        {.form = Queue, .read = kRead, .local = local, .chunk = chunk}});
    }
  }
  ask("chunks", chunks);

  const std::pair<HandRead, const char*> reads[] = {
      {HandRead::Struct, "struct"},   {HandRead::Vectors, "vectors"},        {HandRead::Scalars, "scalars"},
      {HandRead::Lanes, "lanes"},     {HandRead::LanePairs, "lanes, pairs"}, {HandRead::Pairs, "pairs"},
      {HandRead::Storage, "storage"}, {HandRead::Uniform, "uniform"}};
  std::vector<Named> records;
  for (const std::uint32_t local : locals) {
    for (const HandForm form : {Merged, Strided}) {
      for (const auto& [read, name] : reads) {
        records.push_back({fmt::format("{}, {} invocations, {}", form == Merged ? "merged" : "strided", local, name),
                           {.form = form, .read = read, .local = local}});
      }
    }
  }
  ask("reading a record", records);

  const std::pair<HandBounds, const char*> checks[] = {{HandBounds::None, "none"},
                                                       {HandBounds::Branch, "branch"},
                                                       {HandBounds::Address, "address"},
                                                       {HandBounds::Clamp, "clamp"},
                                                       {HandBounds::First, "first"}};
  std::vector<Named> bounds;
  for (const std::uint32_t local : locals) {
    for (const auto& [form, name] : forms) {
      if (form == Contiguous) continue;
      for (const auto& [check, check_name] : checks) {
        bounds.push_back({fmt::format("{}, {} invocations, bounds by {}", name, local, check_name),
                          {.form = form, .bounds = check, .read = kRead, .local = local, .chunk = 16}});
      }
    }
  }
  ask("bounds", bounds);

  std::vector<Named> grids;
  for (const std::uint32_t local : locals) {
    for (const auto& [read, read_name] : {std::pair{HandRead::LanePairs, "lanes"}, {HandRead::Uniform, "uniform"}}) {
      for (const auto& [grid, grid_name] : {std::pair{HandGrid::One, "one group"},
                                            {HandGrid::Loops, "a loop for each dimension"},
                                            {HandGrid::Carry, "one loop"}}) {
        grids.push_back({fmt::format("contiguous, {} invocations, {}, {}", local, read_name, grid_name),
                         {.form = Contiguous, .read = read, .grid = grid, .local = local}});
      }
    }
  }
  ask("workgroups of an item", grids);
}

/// Kernels of many buffers: by descriptors as far as they go, and by a table of addresses.
void measure_bindless(backend::Device& device, const Options& options) {
  using enum SumBinding;
  constexpr std::uint32_t kDispatches = 200;
  constexpr std::uint32_t kMostDescriptors = 32;
  SumByHand sums{kDispatches, 500};
  for (const std::uint32_t buffers : {4U, 24U, 32U, 100U, 500U}) {
    const bool is_many = buffers > kMostDescriptors;
    std::vector<std::pair<std::string, SumVariant>> variants;
    if (!is_many) {
      variants = {
          {"descriptors, recorded anew", {.buffers = buffers, .is_recorded_anew = true}},
          {"descriptors, replayed", {.buffers = buffers}},
          {"descriptors, bound anew", {.buffers = buffers, .is_recorded_anew = true, .is_bound_anew = true}},
      };
    }
    for (const auto& [binding, name] : {std::pair{Loop, "loop"}, {Unrolled, "unrolled"}, {Lanes, "lanes"}}) {
      variants.insert(variants.end(),
                      {{fmt::format("table, {}, recorded anew", name),
                        {.binding = binding, .buffers = buffers, .is_recorded_anew = true}},
                       {fmt::format("table, {}, replayed", name), {.binding = binding, .buffers = buffers}},
                       {fmt::format("table, {}, bound anew", name),
                        {.binding = binding, .buffers = buffers, .is_bound_anew = true}},
                       {fmt::format("table, {}, replayed, unchecked", name),
                        {.binding = binding, .buffers = buffers, .is_checked = false}}});
    }
    // The table is shared, so that of the last variant checked is there for all: they have as many buffers.
    std::vector<Row> rows;
    for (const auto& [name, how] : variants) {
      SumByHand::Variant made = sums.make(how);
      must_be_right(made.is_right(), fmt::format("{}, {} buffers", name, buffers));
      rows.push_back({.name = name, .run = [made]() mutable { made.run(); }});
    }
    add_vyre_bindless(device, kDispatches, buffers, rows);
    print_rows(fmt::format("{} dispatches of {} buffers", kDispatches, buffers), rows, kDispatches, options,
               is_many ? options.rounds / 4 + 1 : options.rounds);
  }
}

/// What a kernel's body costs through addresses: dispatches that compute for long, in pairs.
void measure_heavy(backend::Device& device, backend::Device& unchecked, const Options& options) {
  fmt::print("  {:<46} {:>12} {:>9} {:>10}\n", "kernels that compute, by addresses", "as written", "checked",
             "unchecked");
  double product = 1;
  double product_unchecked = 1;
  const std::vector<HeavyKernel> kernels = heavy_kernels();
  for (const HeavyKernel& kernel : kernels) {
    const program::Program program = must(program::Program::from_glsl(kernel.source, {.name = kernel.name}));
    std::vector<std::function<void()>> runs;
    const auto add = [&](backend::Device& on, program::FormKind form) {
      const backend::PipelineHandle pipeline = must(on.compile(program, {.form = form}));
      std::vector<backend::BufferRange> ranges;
      for (const std::uint64_t bytes : kernel.buffer_bytes) {
        ranges.push_back({.buffer = must(on.allocate({.size = bytes}))});
        must(on.write(ranges.back().buffer, 0, std::vector<std::byte>(bytes, std::byte{0x3f})));
      }
      backend::CommandList list;
      list.dispatch(pipeline, ranges, kernel.groups, std::as_bytes(std::span{kernel.params}));
      const backend::RecordingHandle recording = must(on.record(list));
      runs.emplace_back([&on, recording] { must(on.wait(must(on.replay(recording)))); });
    };
    add(device, program::FormKind::Descriptor);
    add(device, program::FormKind::Pointer);
    add(unchecked, program::FormKind::Pointer);
    const std::vector<Turns> turns = compare_all(runs, options.rounds);
    product *= turns[1].ratio;
    product_unchecked *= turns[2].ratio;
    fmt::print("  {:<46} {:>9.0f} us {:>9.2f} {:>10.2f}\n", kernel.name, turns[0].ns / 1000, turns[1].ratio,
               turns[2].ratio);
  }
  const double root = 1.0 / static_cast<double>(kernels.size());
  fmt::print("  {:<46} {:>12} {:>9.2f} {:>10.2f}\n", "geometric mean", "", std::pow(product, root),
             std::pow(product_unchecked, root));
}

void run(bool is_inline, const Options& options) {
  const std::shared_ptr<backend::Device> device = open_lavapipe(is_inline);
  const std::shared_ptr<backend::Device> unchecked = open_lavapipe(is_inline, {.robust = false});
  for (const std::uint32_t width : {64U, 8U}) {
    if (options.sweep) {
      sweep(width, options);
    } else if (!options.heavy_only) {
      measure(*device, *unchecked, width, options);
    }
  }
  if (options.sweep) return;
  measure_heavy(*device, *unchecked, options);
  if (!options.heavy_only) measure_bindless(*device, options);
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) {
  vyre::bench::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") {
      options.rounds = 7;
    } else if (argument == "--filter" && i + 1 < argc) {
      options.filters.emplace_back(argv[++i]);
    } else if (argument == "--heavy") {
      options.heavy_only = true;
    } else if (argument == "--sweep") {
      options.sweep = true;
    } else {
      fmt::print(stderr, "usage: {} [--quick] [--sweep] [--heavy] [--filter TEXT]...\n", argv[0]);
      return 2;
    }
  }
  vyre::bench::keep_memory();
  vyre::bench::run(true, options);
  vyre::bench::run(false, options);
}
