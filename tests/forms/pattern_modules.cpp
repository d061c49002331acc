#include "tests/forms/pattern_modules.hpp"

#include <functional>
#include <utility>

#include "tests/kernels/data.hpp"

namespace vyre::tests {
namespace {

using Words = std::vector<std::uint32_t>;
using Oracle = std::function<void(std::vector<Words>&)>;

/// Invocations of a dispatch of two workgroups.
constexpr std::uint32_t kCount = 16;

class Collection {
 public:
  void add(HardModule module, std::vector<Words> buffers, const Oracle& oracle) {
    module.text = module_text(module.name + ".spvasm");
    module.is_glsl = false;
    module.options.name = module.name;
    if (module.version > 0x10300) module.options.target = program::TargetEnvironment::Vulkan12;
    PatternModule pattern{.module = std::move(module)};
    for (const Words& words : buffers) pattern.module.buffers.push_back(kernels::to_bytes(words));
    oracle(buffers);
    for (const Words& words : buffers) pattern.expected.push_back(kernels::to_bytes(words));
    patterns_.push_back(std::move(pattern));
  }
  std::vector<PatternModule> take() { return std::move(patterns_); }

 private:
  std::vector<PatternModule> patterns_;
};

void add_declarations(Collection& all) {
  using kernels::words;
  all.add({.name = "writeonly_loaded", .groups = {2, 1, 1}},
          {words(kCount, 501), words(kCount, 502), words(kCount, 503)}, [](std::vector<Words>& buffers) {
            for (std::size_t i = 0; i < kCount; ++i) {
              buffers[1][i] ^= buffers[2][i];
              buffers[2][i] = buffers[2][i] * 3 + buffers[0][i];
            }
          });
  const auto place = [](std::uint32_t i, std::uint32_t width, std::uint32_t groups) {
    return 0 - (i / width * 1000 + groups * 100 + i % width * 11);
  };
  all.add({.name = "signed_built_ins", .groups = {2, 1, 1}}, {words(kCount, 504), Words(kCount)},
          [&](std::vector<Words>& buffers) {
            for (std::uint32_t i = 0; i < kCount; ++i) buffers[1][i] = buffers[0][i] + place(i, 8, 2);
          });
  all.add({.name = "signed_built_ins_shared", .groups = {3, 1, 1}}, {words(192, 505), Words(192)},
          [&](std::vector<Words>& buffers) {
            for (std::uint32_t i = 0; i < 192; ++i) {
              buffers[1][i] = buffers[0][i / 64 * 64 + 63 - i % 64] + place(i, 64, 3);
            }
          });
  all.add({.name = "signed_lanes", .groups = {2, 1, 1}}, {words(kCount, 506), Words(kCount)},
          [](std::vector<Words>& buffers) {
            for (std::size_t i = 0; i < kCount; ++i) buffers[1][i] = buffers[0][i] + 1;
          });
}

void add_pointers(Collection& all) {
  using kernels::words;
  constexpr std::uint32_t kVersion = 0x10400;
  constexpr std::uint32_t kLength = 21;
  all.add({.name = "pointer_walk", .version = kVersion, .groups = {2, 1, 1}}, {words(kLength, 511), Words(kCount)},
          [](std::vector<Words>& buffers) {
            for (std::size_t i = 0; i < kCount; ++i) {
              for (std::size_t at = i; at < kLength; ++at) buffers[1][i] += buffers[0][at];
            }
          });
  all.add({.name = "pointer_backwards", .version = kVersion, .groups = {2, 1, 1}}, {words(kLength, 512), Words(kCount)},
          [](std::vector<Words>& buffers) {
            for (std::uint32_t i = 0; i < kCount; ++i) {
              const bool is_odd = i % 2 == 1;
              const std::uint32_t back = 0 - (is_odd ? i : kLength);
              buffers[1][i] = ((kLength - i) * 8 + back) * 2 + (is_odd ? 0 : 1);
            }
          });
  all.add({.name = "pointer_steps", .version = kVersion, .groups = {2, 1, 1}},
          {Words(kCount), words(std::size_t{2} + 3 * (kCount + 5), 513)}, [](std::vector<Words>& buffers) {
            Words& table = buffers[1];
            for (std::size_t i = 0; i < kCount; ++i) {
              const std::size_t item = 2 + 3 * (i + 3);
              buffers[0][i] = table[item + 2] + table[item + 1];
              table[item + 1] += table[item];
              table[item + 2] = buffers[0][i] + 1;
            }
          });
  all.add({.name = "pointer_outside", .version = kVersion, .groups = {2, 1, 1}}, {words(kCount, 514), Words(kCount)},
          [](std::vector<Words>& buffers) { buffers[1] = buffers[0]; });
}

}  // namespace

const std::vector<PatternModule>& pattern_modules() {
  static const std::vector<PatternModule> kAll = [] {
    Collection all;
    add_declarations(all);
    add_pointers(all);
    return all.take();
  }();
  return kAll;
}

}  // namespace vyre::tests
