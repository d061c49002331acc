#include "tests/equivalence/kernels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include <vyre/base/check.hpp>

namespace vyre::tests {
namespace {

using backends::fake::Invocation;
using runtime::param;
using runtime::Params;

std::span<std::uint32_t> words_of(const Invocation& invocation, std::size_t binding) {
  const std::span<std::byte> bytes = invocation.bindings[binding];
  return {reinterpret_cast<std::uint32_t*>(bytes.data()), bytes.size() / 4};
}

std::size_t invocations(const Invocation& invocation) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < 3; ++i) count *= std::size_t{invocation.groups[i]} * invocation.workgroup[i];
  return count;
}

template <typename Block>
Block block_of(const Invocation& invocation) {
  Block block;
  VYRE_CHECK(invocation.params.size() == sizeof(Block), "a kernel gets all its parameters");
  std::memcpy(&block, invocation.params.data(), sizeof(Block));
  return block;
}

template <typename Block>
std::vector<std::byte> to_bytes(const Block& block) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span{&block, 1});
  return {bytes.begin(), bytes.end()};
}

constexpr auto kMixSlots = std::to_array<KernelSlot>({{.name = "x"}, {.name = "y", .writes = true}});
constexpr TestKernel kMix = {.name = "mix",
                             .glsl = R"(
layout(binding = 0) readonly buffer X { uint data[]; } x;
layout(binding = 1) buffer Y { uint data[]; } y;
layout(push_constant) uniform Push { uint k; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < x.data.length() && i < y.data.length()) y.data[i] = y.data[i] * 3 + x.data[i] + k;
})",
                             .slots = kMixSlots,
                             .params = [](const ParamWords& words, ParamStyle style) -> Params {
                               switch (style) {
                                 case ParamStyle::InOrder: return runtime::params(words[0]);
                                 case ParamStyle::ByName: return runtime::params(param("k", words[0]));
                                 case ParamStyle::Block: break;
                               }
                               return runtime::params_block(words[0]);
                             },
                             .block = [](const ParamWords& words) { return to_bytes(words[0]); },
                             .run =
                                 [](const Invocation& invocation) {
                                   const auto k = block_of<std::uint32_t>(invocation);
                                   const std::span<const std::uint32_t> x = words_of(invocation, 0);
                                   const std::span<std::uint32_t> y = words_of(invocation, 1);
                                   const std::size_t count = std::min({x.size(), y.size(), invocations(invocation)});
                                   for (std::size_t i = 0; i < count; ++i) y[i] = y[i] * 3 + x[i] + k;
                                 }};

/// Writes a part of its binding.
struct ScatterBlock {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t value = 0;

  static ScatterBlock of(const ParamWords& words) {
    return {.first = words[0] % 64, .count = words[1] % 128, .value = words[2]};
  }
};
constexpr auto kScatterSlots = std::to_array<KernelSlot>({{.name = "source"}, {.name = "target", .writes = true}});
constexpr TestKernel kScatter = {
    .name = "scatter_add",
    .glsl = R"(
layout(binding = 0) readonly buffer Source { uint data[]; } source;
layout(binding = 1) buffer Target { uint data[]; } target;
layout(push_constant) uniform Push { uint first; uint count; uint value; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < count && first + i < target.data.length())
    target.data[first + i] += source.data[i % source.data.length()] ^ value;
})",
    .slots = kScatterSlots,
    .params = [](const ParamWords& words, ParamStyle style) -> Params {
      const auto [first, count, value] = ScatterBlock::of(words);
      switch (style) {
        case ParamStyle::InOrder: return runtime::params(first, count, value);
        case ParamStyle::ByName:
          return runtime::params(param("value", value), param("first", first), param("count", count));
        case ParamStyle::Block: break;
      }
      return runtime::params_block(ScatterBlock::of(words));
    },
    .block = [](const ParamWords& words) { return to_bytes(ScatterBlock::of(words)); },
    .run =
        [](const Invocation& invocation) {
          const auto [first, count, value] = block_of<ScatterBlock>(invocation);
          const std::span<const std::uint32_t> source = words_of(invocation, 0);
          const std::span<std::uint32_t> target = words_of(invocation, 1);
          const std::size_t reached = std::min<std::size_t>(count, invocations(invocation));
          for (std::size_t i = 0; i < reached && first + i < target.size(); ++i) {
            target[first + i] += source[i % source.size()] ^ value;
          }
        }};

/// The order of bindings is that of sets and slots, not of the text.
constexpr auto kBlendSlots = std::to_array<KernelSlot>({{.name = "a"}, {.name = "c", .writes = true}, {.name = "b"}});
constexpr TestKernel kBlend = {.name = "blend",
                               .glsl = R"(
layout(set = 1, binding = 0) readonly buffer B { uint data[]; } b;
layout(set = 0, binding = 3) writeonly buffer C { uint data[]; } c;
layout(set = 0, binding = 0) readonly buffer A { uint data[]; } a;
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < a.data.length() && i < b.data.length() && i < c.data.length()) c.data[i] = a.data[i] * 5 + b.data[i];
})",
                               .slots = kBlendSlots,
                               .run = [](const Invocation& invocation) {
                                 const std::span<const std::uint32_t> a = words_of(invocation, 0);
                                 const std::span<std::uint32_t> c = words_of(invocation, 1);
                                 const std::span<const std::uint32_t> b = words_of(invocation, 2);
                                 const std::size_t count =
                                     std::min({a.size(), b.size(), c.size(), invocations(invocation)});
                                 for (std::size_t i = 0; i < count; ++i) c[i] = a[i] * 5 + b[i];
                               }};

constexpr auto kUniformSlots =
    std::to_array<KernelSlot>({{.name = "factors", .min_bytes = 32}, {.name = "values", .writes = true}});
constexpr TestKernel kUniform = {.name = "uniform_scale",
                                 .glsl = R"(
layout(binding = 0) uniform Factors { uvec4 factor; uint addend; } factors;
layout(binding = 1) buffer Values { uint data[]; } values;
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < values.data.length()) values.data[i] = values.data[i] * factors.factor[i & 3] + factors.addend;
})",
                                 .slots = kUniformSlots,
                                 .run = [](const Invocation& invocation) {
                                   const std::span<const std::uint32_t> factors = words_of(invocation, 0);
                                   const std::span<std::uint32_t> values = words_of(invocation, 1);
                                   const std::size_t count = std::min(values.size(), invocations(invocation));
                                   for (std::size_t i = 0; i < count; ++i) {
                                     values[i] = values[i] * factors[i & 3] + factors[4];
                                   }
                                 }};

/// Parameters of several types.
struct ManyBlock {
  std::uint32_t a = 0;
  float b = 0;
  std::int32_t c = 0;
  std::uint32_t padding = 0;
  std::array<std::uint32_t, 2> d = {};

  static ManyBlock of(const ParamWords& words) {
    return {.a = words[0],
            .b = static_cast<float>(words[1] % 4096) / 8,
            .c = static_cast<std::int32_t>(words[2]),
            .d = {words[3], words[4]}};
  }
};
constexpr auto kManySlots = std::to_array<KernelSlot>({{.name = "values", .writes = true}});
constexpr TestKernel kMany = {
    .name = "many_params",
    .glsl = R"(
layout(binding = 0) buffer Values { uint data[]; } values;
layout(push_constant) uniform Push { uint a; float b; int c; uvec2 d; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < values.data.length()) values.data[i] = (values.data[i] ^ floatBitsToUint(b)) * (a | 1) + uint(c) + d.x * i + d.y;
})",
    .slots = kManySlots,
    .params = [](const ParamWords& words, ParamStyle style) -> Params {
      const ManyBlock block = ManyBlock::of(words);
      switch (style) {
        case ParamStyle::InOrder: return runtime::params(block.a, block.b, block.c, block.d);
        case ParamStyle::ByName:
          return runtime::params(param("d", block.d), param("b", block.b), param("a", block.a), param("c", block.c));
        case ParamStyle::Block: break;
      }
      return runtime::params_block(block);
    },
    .block = [](const ParamWords& words) { return to_bytes(ManyBlock::of(words)); },
    .run =
        [](const Invocation& invocation) {
          const auto block = block_of<ManyBlock>(invocation);
          const std::span<std::uint32_t> values = words_of(invocation, 0);
          const std::size_t count = std::min(values.size(), invocations(invocation));
          for (std::size_t i = 0; i < count; ++i) {
            values[i] = (values[i] ^ std::bit_cast<std::uint32_t>(block.b)) * (block.a | 1) +
                        static_cast<std::uint32_t>(block.c) + block.d[0] * static_cast<std::uint32_t>(i) + block.d[1];
          }
        }};

constexpr auto kSpecSlots = std::to_array<KernelSlot>({{.name = "values", .writes = true}});
constexpr std::uint32_t kDefaultFactor = 7;
constexpr TestKernel kSpec = {.name = "spec_step",
                              .glsl = R"(
layout(local_size_x = 64, local_size_x_id = 1) in;
layout(constant_id = 3) const uint kFactor = 7;
layout(binding = 0) buffer Values { uint data[]; } values;
layout(push_constant) uniform Push { uint addend; };
void main() {
  const uint row = gl_GlobalInvocationID.z * gl_NumWorkGroups.y + gl_GlobalInvocationID.y;
  const uint i = row * gl_NumWorkGroups.x * gl_WorkGroupSize.x + gl_GlobalInvocationID.x;
  if (i < values.data.length()) values.data[i] = values.data[i] * kFactor + addend;
})",
                              .slots = kSpecSlots,
                              .has_values = true,
                              .is_grid = true,
                              .params = [](const ParamWords& words, ParamStyle style) -> Params {
                                switch (style) {
                                  case ParamStyle::InOrder: return runtime::params(words[0]);
                                  case ParamStyle::ByName: return runtime::params(param("addend", words[0]));
                                  case ParamStyle::Block: break;
                                }
                                return runtime::params_block(words[0]);
                              },
                              .block = [](const ParamWords& words) { return to_bytes(words[0]); },
                              .run =
                                  [](const Invocation& invocation) {
                                    const auto addend = block_of<std::uint32_t>(invocation);
                                    std::uint32_t factor = kDefaultFactor;
                                    for (const program::spirv::SpecOverride& value : invocation.values) {
                                      if (value.spec_id == kFactorSpecId)
                                        factor = static_cast<std::uint32_t>(value.bits);
                                    }
                                    const std::span<std::uint32_t> values = words_of(invocation, 0);
                                    const std::size_t count = std::min(values.size(), invocations(invocation));
                                    for (std::size_t i = 0; i < count; ++i) values[i] = values[i] * factor + addend;
                                  }};

/// Every invocation writes the same few words.
constexpr auto kTotalSlots = std::to_array<KernelSlot>({{.name = "source"}, {.name = "total", .writes = true}});
constexpr TestKernel kTotal = {.name = "total",
                               .glsl = R"(
layout(binding = 0) readonly buffer Source { uint data[]; } source;
layout(binding = 1) buffer Total { uint data[]; } total;
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < source.data.length()) atomicAdd(total.data[i % min(3, total.data.length())], source.data[i]);
})",
                               .slots = kTotalSlots,
                               .run = [](const Invocation& invocation) {
                                 const std::span<const std::uint32_t> source = words_of(invocation, 0);
                                 const std::span<std::uint32_t> total = words_of(invocation, 1);
                                 const std::size_t count = std::min(source.size(), invocations(invocation));
                                 const std::size_t sums = std::min<std::size_t>(3, total.size());
                                 for (std::size_t i = 0; i < count; ++i) total[i % sums] += source[i];
                               }};

/// An array of buffers, whose elements have no names of their own.
constexpr auto kGatherSlots =
    std::to_array<KernelSlot>({{.name = "parts"}, {.name = "parts"}, {.name = "target", .writes = true}});
constexpr TestKernel kGather = {.name = "gather",
                                .glsl = R"(
layout(binding = 0) readonly buffer Part { uint data[]; } parts[2];
layout(binding = 1) writeonly buffer Target { uint data[]; } target;
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < target.data.length())
    target.data[i] = parts[0].data[i % parts[0].data.length()] * 31 + parts[1].data[i % parts[1].data.length()];
})",
                                .slots = kGatherSlots,
                                .has_names = false,
                                .run = [](const Invocation& invocation) {
                                  const std::span<const std::uint32_t> first = words_of(invocation, 0);
                                  const std::span<const std::uint32_t> second = words_of(invocation, 1);
                                  const std::span<std::uint32_t> target = words_of(invocation, 2);
                                  const std::size_t count = std::min(target.size(), invocations(invocation));
                                  for (std::size_t i = 0; i < count; ++i) {
                                    target[i] = first[i % first.size()] * 31 + second[i % second.size()];
                                  }
                                }};

/// Its bindings may be the same bytes: each invocation reads them before it writes them.
constexpr auto kFoldSlots = std::to_array<KernelSlot>({{.name = "from"}, {.name = "to", .writes = true}});
constexpr TestKernel kFold = {.name = "fold",
                              .glsl = R"(
layout(binding = 0) readonly buffer From { uint data[]; } from;
layout(binding = 1) buffer To { uint data[]; } to;
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < from.data.length() && i < to.data.length()) to.data[i] = to.data[i] * 9 + from.data[i];
})",
                              .slots = kFoldSlots,
                              .is_aliased = true,
                              .run = [](const Invocation& invocation) {
                                const std::span<std::uint32_t> from = words_of(invocation, 0);
                                const std::span<std::uint32_t> to = words_of(invocation, 1);
                                const std::size_t count = std::min({from.size(), to.size(), invocations(invocation)});
                                for (std::size_t i = 0; i < count; ++i) to[i] = to[i] * 9 + from[i];
                              }};

constexpr auto kKernels =
    std::to_array<TestKernel>({kMix, kScatter, kBlend, kUniform, kMany, kSpec, kTotal, kGather, kFold});

/// The module with every buffer decorated as aliased, which GLSL has no word for.
std::vector<std::uint32_t> aliased(std::span<const std::uint32_t> words) {
  constexpr std::uint32_t kOpDecorate = 71;
  constexpr std::uint32_t kBinding = 33;
  constexpr std::uint32_t kAliased = 20;
  constexpr std::size_t kHeaderWords = 5;
  std::vector<std::uint32_t> result(words.begin(), words.begin() + kHeaderWords);
  for (std::size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
    const std::span<const std::uint32_t> instruction = words.subspan(at, words[at] >> 16);
    result.insert(result.end(), instruction.begin(), instruction.end());
    if ((instruction[0] & 0xffff) == kOpDecorate && instruction[2] == kBinding) {
      result.insert(result.end(), {3U << 16 | kOpDecorate, instruction[1], kAliased});
    }
  }
  return result;
}

program::Program compile(const TestKernel& kernel) {
  const std::string_view size = kernel.has_values ? "" : "layout(local_size_x = 64) in;";
  const std::string source = fmt::format("#version 450\n{}{}", size, kernel.glsl);
  const program::ProgramOptions options{.name = std::string{kernel.name}};
  auto made = program::Program::from_glsl(source, options);
  if (made && kernel.is_aliased) made = program::Program::from_spirv(aliased(made->words()), options);
  if (!made) fmt::print(stderr, "{}\n", to_string(made.error()));
  VYRE_CHECK(made.has_value(), "a kernel of the tests does not compile");
  return *std::move(made);
}

}  // namespace

std::span<const TestKernel> test_kernels() { return kKernels; }

std::uint32_t kernel_index(std::string_view name) {
  const auto found = std::ranges::find(kKernels, name, &TestKernel::name);
  VYRE_CHECK(found != kKernels.end(), "there is no such kernel");
  return static_cast<std::uint32_t>(found - kKernels.begin());
}

const program::Program& program_of(std::uint32_t kernel) {
  static const std::vector<program::Program> kPrograms = [] {
    std::vector<program::Program> programs;
    for (const TestKernel& one : kKernels) programs.push_back(compile(one));
    return programs;
  }();
  return kPrograms[kernel];
}

std::map<std::string, backends::fake::Kernel> fake_kernels() {
  std::map<std::string, backends::fake::Kernel> kernels;
  for (const TestKernel& kernel : kKernels) kernels.emplace(kernel.name, kernel.run);
  return kernels;
}

}  // namespace vyre::tests
