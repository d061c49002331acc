#include "bench/tiny_job.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "bench/lavapipe.hpp"
#include "bench/saxpy.hpp"

namespace vyre::bench {
namespace {

constexpr std::uint32_t kItems = 1000;
constexpr std::uint32_t kWidth = 64;
constexpr std::uint64_t kViewBytes = kWidth * sizeof(float);

struct Params {
  float scale = 0;
  std::uint32_t count = 0;
};

Params params_of(const SaxpyByHand::Record& record) { return {.scale = record.scale, .count = record.count}; }

std::vector<RawStep> steps_of(const SaxpyByHand& saxpy) {
  std::vector<RawStep> steps;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    steps.push_back({.views = {{.buffer = 0, .offset = i * kViewBytes, .size = kViewBytes},
                               {.buffer = 1, .offset = i * kViewBytes, .size = kViewBytes}},
                     .params = bytes_of(params_of(saxpy.records()[i]))});
  }
  return steps;
}

struct Named {
  std::string name;
  HandVariant how = {};
};

/// One launch over a table of addresses, with the checks that vyre's forms have.
void add_one_launches(std::vector<Named>& all) {
  using enum HandForm;
  const std::pair<HandForm, const char*> forms[] = {{Merged, "merged"},
                                                    {Strided, "persistent, striding"},
                                                    {Contiguous, "persistent, shares"},
                                                    {Queue, "persistent, queue"}};
  const std::pair<HandRead, const char*> reads[] = {
      {HandRead::Scalars, "words"}, {HandRead::LanePairs, "lanes"}, {HandRead::Uniform, "uniform"}};
  for (const auto& [form, form_name] : forms) {
    for (const auto& [read, read_name] : reads) {
      for (const std::uint32_t local : {kWidth, 8U}) {
        for (const bool is_new : {false, true}) {
          all.push_back({fmt::format("{}, {}{}, {}", form_name, read_name, local < kWidth ? ", folded" : "",
                                     is_new ? "new table" : "table kept"),
                         {.form = form, .read = read, .local = local, .chunk = 16, .is_table_new = is_new}});
        }
      }
    }
  }
}

std::vector<Named> sensible_variants() {
  using enum HandForm;
  std::vector<Named> all{
      {"list, recorded anew", {.form = Descriptor, .is_recorded_anew = true}},
      {"list, replayed", {.form = Descriptor}},
      {"list by records, replayed", {.form = Pointer}},
      {"list by records, replayed, new table", {.form = Pointer, .is_table_new = true}},
  };
  add_one_launches(all);
  return all;
}

}  // namespace

TinyJob::TinyJob(const DevicePtr& device, const runtime::SessionOptions& session_options)
    : kernel_{compile_kernel(kSaxpy, "saxpy")},
      saxpy_{kItems, kWidth, HandItems::Even},
      raw_{kernel_.words(), std::array{kItems * kViewBytes, kItems * kViewBytes}, steps_of(saxpy_)},
      session_{must(runtime::Session::open(device, session_options))},
      x_{must(session_.buffer<float>(kItems * kWidth))},
      y_{must(session_.buffer<float>(kItems * kWidth))} {
  make_items();
}

void TinyJob::make_items() {
  for (std::uint64_t i = 0; i < kItems; ++i) {
    pairs_.push_back({x_.part(i * kWidth, kWidth), y_.part(i * kWidth, kWidth)});
  }
  for (std::size_t i = 0; i < kItems; ++i) {
    items_.push_back({.buffers = pairs_[i], .params = runtime::params_block(params_of(saxpy_.records()[i]))});
  }
}

std::vector<Version> TinyJob::by_hand() {
  std::vector<Version> versions;
  for (const Named& variant : sensible_variants()) {
    SaxpyByHand::Variant made = saxpy_.make(variant.how);
    must_agree(made.is_right(), variant.name);
    versions.push_back({.name = variant.name, .run = [made]() mutable { made.run(); }});
  }
  return versions;
}

runtime::RunReport TinyJob::run() {
  must(session_.dispatch_many(kernel_, items_));
  return must(session_.finish());
}

bool TinyJob::agree(const Version& version) {
  saxpy_.fill();
  must(session_.write(x_, saxpy_.x()));
  must(session_.write(y_, saxpy_.y()));
  std::ranges::copy(std::as_bytes(saxpy_.x()), raw_.mapped(0).begin());
  std::ranges::copy(std::as_bytes(saxpy_.y()), raw_.mapped(1).begin());
  version.run();
  run_raw_one_by_one();
  run();
  std::vector<float> found(saxpy_.y().size());
  must(session_.read(y_, found));
  must(session_.finish());
  const std::span<const std::byte> expected = std::as_bytes(saxpy_.y());
  return std::ranges::equal(std::as_bytes(std::span{found}), expected) && std::ranges::equal(raw_.mapped(1), expected);
}

}  // namespace vyre::bench
