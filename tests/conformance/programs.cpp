#include "tests/conformance/programs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include <vyre/base/check.hpp>

namespace vyre::tests {
namespace {

using backends::fake::Invocation;

/// A binding as words; a last part of one is left out, as it is in GLSL.
std::span<std::uint32_t> words_of(std::span<std::byte> bytes) {
  return {reinterpret_cast<std::uint32_t*>(bytes.data()), bytes.size() / 4};
}

std::uint32_t param(const Invocation& invocation, std::size_t index) {
  std::uint32_t value = 0;
  std::memcpy(&value, invocation.params.data() + 4 * index, 4);
  return value;
}

std::uint64_t invocations(const Invocation& invocation) {
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < 3; ++i) count *= std::uint64_t{invocation.groups[i]} * invocation.workgroup[i];
  return count;
}

bool has_groups(const Invocation& invocation) { return invocations(invocation) > 0; }

/// The words that a dispatch of 64 invocations per group reaches.
std::span<std::uint32_t> reached(const Invocation& invocation, std::size_t binding) {
  const std::span<std::uint32_t> words = words_of(invocation.bindings[binding]);
  return words.first(std::min<std::size_t>(words.size(), invocations(invocation)));
}

struct SuiteProgram {
  std::string_view name = {};
  std::string_view glsl = {};
  void (*kernel)(const Invocation&) = nullptr;
};

constexpr SuiteProgram kIndices = {.name = "indices",
                                   .glsl = R"(
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer Values { uint values[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < values.length()) values[i] = i;
})",
                                   .kernel = [](const Invocation& invocation) {
                                     std::uint32_t i = 0;
                                     for (std::uint32_t& value : reached(invocation, 0)) value = i++;
                                   }};

constexpr SuiteProgram kStep = {.name = "step",
                                .glsl = R"(
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint addend; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < values.length()) values[i] = values[i] * 3 + addend;
})",
                                .kernel = [](const Invocation& invocation) {
                                  for (std::uint32_t& value : reached(invocation, 0))
                                    value = stepped(value, param(invocation, 0));
                                }};

constexpr SuiteProgram kStepAcross = {.name = "step_across",
                                      .glsl = R"(
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Target { uint target[]; };
layout(push_constant) uniform Push { uint addend; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < source.length() && i < target.length()) target[i] = source[i] * 3 + addend;
})",
                                      .kernel = [](const Invocation& invocation) {
                                        const std::span<std::uint32_t> source = reached(invocation, 0);
                                        const std::span<std::uint32_t> target = reached(invocation, 1);
                                        for (std::size_t i = 0; i < std::min(source.size(), target.size()); ++i) {
                                          target[i] = stepped(source[i], param(invocation, 0));
                                        }
                                      }};

constexpr SuiteProgram kEnds = {.name = "ends",
                                .glsl = R"(
layout(local_size_x = 1) in;
layout(binding = 0) writeonly buffer Values { uint values[]; };
void main() {
  values[0] = 7;
  values[values.length() - 1] = 9;
})",
                                .kernel = [](const Invocation& invocation) {
                                  const std::span<std::uint32_t> values = words_of(invocation.bindings[0]);
                                  values.front() = 7;
                                  values.back() = 9;
                                }};

constexpr SuiteProgram kUniform = {.name = "uniform_words",
                                   .glsl = R"(
layout(local_size_x = 4) in;
layout(binding = 0) uniform Params { uvec4 param; };
layout(binding = 1) writeonly buffer Values { uint values[4]; };
void main() { values[gl_LocalInvocationIndex] = param[gl_LocalInvocationIndex]; })",
                                   .kernel = [](const Invocation& invocation) {
                                     std::ranges::copy(words_of(invocation.bindings[0]).first(4),
                                                       words_of(invocation.bindings[1]).begin());
                                   }};

constexpr SuiteProgram kPush = {.name = "push_words",
                                .glsl = R"(
layout(local_size_x = 1) in;
layout(binding = 0) writeonly buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint words[WORDS]; };
void main() {
  for (uint i = 0; i < WORDS; ++i) values[i] = words[i];
})",
                                .kernel = [](const Invocation& invocation) {
                                  const std::span<std::uint32_t> values = words_of(invocation.bindings[0]);
                                  for (std::size_t i = 0; i < invocation.params.size() / 4; ++i)
                                    values[i] = param(invocation, i);
                                }};

constexpr SuiteProgram kVisit = {.name = "visit",
                                 .glsl = R"(
layout(LOCAL_SIZE) in;
layout(binding = 0) buffer Values { uint values[]; };
void main() {
  const uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
  const uvec3 at = gl_GlobalInvocationID;
  atomicAdd(values[(at.z * size.y + at.y) * size.x + at.x], 1 + at.x + (at.y << 10) + (at.z << 20));
})",
                                 .kernel = [](const Invocation& invocation) {
                                   std::uint32_t* value = words_of(invocation.bindings[0]).data();
                                   std::array<std::uint32_t, 3> size = {};
                                   for (std::size_t i = 0; i < 3; ++i)
                                     size[i] = invocation.groups[i] * invocation.workgroup[i];
                                   for (std::uint32_t z = 0; z < size[2]; ++z) {
                                     for (std::uint32_t y = 0; y < size[1]; ++y) {
                                       for (std::uint32_t x = 0; x < size[0]; ++x) *value++ += visit_mark(x, y, z);
                                     }
                                   }
                                 }};

constexpr SuiteProgram kShared = {.name = "through_shared",
                                  .glsl = R"(
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { uint values[]; };
shared uint tile[64];
void main() {
  tile[gl_LocalInvocationIndex] = values[gl_GlobalInvocationID.x];
  barrier();
  const uint other = tile[63 - gl_LocalInvocationIndex];
  barrier();
  tile[gl_LocalInvocationIndex] = other * 2;
  barrier();
  values[gl_GlobalInvocationID.x] = tile[gl_LocalInvocationIndex ^ 1] + other;
})",
                                  .kernel = [](const Invocation& invocation) {
                                    const std::span<std::uint32_t> values = words_of(invocation.bindings[0]);
                                    for (std::size_t group = 0; group < invocation.groups[0]; ++group) {
                                      const std::span<std::uint32_t> tile = values.subspan(64 * group, 64);
                                      std::array<std::uint32_t, 64> before = {};
                                      std::ranges::copy(tile, before.begin());
                                      for (std::size_t i = 0; i < 64; ++i)
                                        tile[i] = before[63 - (i ^ 1)] * 2 + before[63 - i];
                                    }
                                  }};

// Every word comes from one that another invocation wrote, of another workgroup where there is one.
constexpr SuiteProgram kTurn = {.name = "turn",
                                .glsl = R"(
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Target { uint target[]; };
layout(push_constant) uniform Push { uint shift; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  target[i] = source[(i + shift) % source.length()] * 3 + i;
})",
                                .kernel = [](const Invocation& invocation) {
                                  const std::span<std::uint32_t> source = words_of(invocation.bindings[0]);
                                  const std::span<std::uint32_t> target = words_of(invocation.bindings[1]);
                                  for (std::uint32_t i = 0; i < target.size(); ++i) {
                                    target[i] = source[(i + param(invocation, 0)) % source.size()] * 3 + i;
                                  }
                                }};

constexpr SuiteProgram kTurnShared = {.name = "turn_shared",
                                      .glsl = R"(
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Target { uint target[]; };
layout(push_constant) uniform Push { uint shift; };
shared uint tile[64];
void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint at = gl_LocalInvocationIndex;
  tile[63 - at] = source[(i + shift) % source.length()];
  barrier();
  target[i] = tile[at] * 3 + i;
})",
                                      .kernel = [](const Invocation& invocation) {
                                        const std::span<std::uint32_t> source = words_of(invocation.bindings[0]);
                                        const std::span<std::uint32_t> target = words_of(invocation.bindings[1]);
                                        for (std::uint32_t i = 0; i < target.size(); ++i) {
                                          const std::uint32_t from = i / 64 * 64 + 63 - i % 64;
                                          target[i] = source[(from + param(invocation, 0)) % source.size()] * 3 + i;
                                        }
                                      }};

/// What one dispatch writes, the next one reads, and no access says that others have a part in it.
constexpr SuiteProgram kTurnModel = {.name = "turn_model",
                                     .glsl = R"(
#pragma use_vulkan_memory_model
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) writeonly buffer Target { uint target[]; };
layout(push_constant) uniform Push { uint shift; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  target[i] = source[(i + shift) % source.length()] * 3 + i;
})",
                                     .kernel = kTurn.kernel};

constexpr SuiteProgram kSharedLimit = {.name = "fill_shared",
                                       .glsl = R"(
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer Values { uint values[64]; };
layout(push_constant) uniform Push { uint seed; uint stride; };
shared uint tile[WORDS];
void main() {
  for (uint i = gl_LocalInvocationIndex; i < WORDS; i += 64) tile[i] = i * seed;
  barrier();
  values[gl_LocalInvocationIndex] = tile[(gl_LocalInvocationIndex + 1) * stride - 1];
})",
                                       .kernel = [](const Invocation& invocation) {
                                         const std::span<std::uint32_t> values = words_of(invocation.bindings[0]);
                                         for (std::uint32_t i = 0; i < 64; ++i)
                                           values[i] = ((i + 1) * param(invocation, 1) - 1) * param(invocation, 0);
                                       }};

constexpr SuiteProgram kAtomics = {.name = "atomics",
                                   .glsl = R"(
layout(local_size_x = 64) in;
layout(binding = 0) buffer Counters { uint counters[8]; };
layout(binding = 1) writeonly buffer Order { uint order[]; };
void main() {
  const uint id = gl_GlobalInvocationID.x;
  atomicAdd(counters[0], id);
  atomicMin(counters[1], id);
  atomicMax(counters[2], id);
  atomicAnd(counters[3], ~(1u << (id % 31)));
  atomicOr(counters[4], 1u << (id % 31));
  atomicXor(counters[5], id * 0x9e3779b9u);
  atomicCompSwap(counters[6], 0, 0x80000000u | id);
  order[atomicAdd(counters[7], 1)] = id;
})",
                                   .kernel = [](const Invocation& invocation) {
                                     const std::span<std::uint32_t> counters = words_of(invocation.bindings[0]);
                                     const std::span<std::uint32_t> order = words_of(invocation.bindings[1]);
                                     for (std::uint32_t id = 0; id < invocations(invocation); ++id) {
                                       counters[0] += id;
                                       counters[1] = std::min(counters[1], id);
                                       counters[2] = std::max(counters[2], id);
                                       counters[3] &= ~(1U << (id % 31));
                                       counters[4] |= 1U << (id % 31);
                                       counters[5] ^= id * 0x9e37'79b9U;
                                       if (counters[6] == 0) counters[6] = 0x8000'0000U | id;
                                       order[counters[7]++] = id;
                                     }
                                   }};

constexpr SuiteProgram kSpin = {.name = "spin",
                                .glsl = R"(
layout(local_size_x = 8) in;
layout(binding = 0) buffer Values { uint value; };
layout(push_constant) uniform Push { uint iterations; uint seed; };
void main() {
  uint x = seed;
  for (uint i = 0; i < iterations; ++i) x = x * 1664525 + 1013904223 + (x >> 7);
  if (gl_GlobalInvocationID.x == 0) value = x;
})",
                                .kernel = [](const Invocation& invocation) {
                                  if (has_groups(invocation))
                                    words_of(invocation.bindings[0])[0] = spun(param(invocation, 1));
                                }};

constexpr SuiteProgram kLong = {.name = "long_loop",
                                .glsl = R"(
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint seed; };
void main() {
  uint x = seed + gl_GlobalInvocationID.x;
  for (uint i = 0; i < 10000; ++i) x = x * 1664525 + 1013904223 + (x >> 7);
  if (gl_GlobalInvocationID.x < values.length()) values[gl_GlobalInvocationID.x] = x;
})",
                                .kernel = [](const Invocation& invocation) {
                                  std::uint32_t seed = param(invocation, 0);
                                  for (std::uint32_t& value : reached(invocation, 0)) value = looped(seed++);
                                }};

constexpr SuiteProgram kStorageArray = {.name = "storage_array",
                                        .glsl = R"(
layout(local_size_x = 1) in;
layout(binding = 0) buffer Values { uint value; } buffers[COUNT];
void main() {
  buffers[0].value += 1;
  buffers[COUNT - 1].value += 2;
})",
                                        .kernel = [](const Invocation& invocation) {
                                          words_of(invocation.bindings.front())[0] += 1;
                                          words_of(invocation.bindings.back())[0] += 2;
                                        }};

constexpr SuiteProgram kUniformArray = {.name = "uniform_array",
                                        .glsl = R"(
layout(local_size_x = 1) in;
layout(binding = 0) writeonly buffer Values { uint value; };
layout(binding = 1) uniform Params { uvec4 param; } params[COUNT];
void main() { value = params[0].param.x * 1000 + params[COUNT - 1].param.x; })",
                                        .kernel = [](const Invocation& invocation) {
                                          words_of(invocation.bindings[0])[0] =
                                              words_of(invocation.bindings[1])[0] * 1000 +
                                              words_of(invocation.bindings.back())[0];
                                        }};

constexpr SuiteProgram kBothArrays = {.name = "both_arrays",
                                      .glsl = R"(
layout(local_size_x = 1) in;
layout(binding = 0) buffer Values { uint value; } buffers[STORAGE];
layout(binding = 1) uniform Params { uvec4 param; } params[UNIFORM];
void main() { buffers[STORAGE - 1].value = params[UNIFORM - 1].param.x; })",
                                      .kernel = [](const Invocation&) {}};

// A storage and a uniform buffer that only code behind a branch touches that the specialisation decides against.
constexpr SuiteProgram kUnneeded = {.name = "unneeded",
                                    .glsl = R"(
layout(local_size_x = 64) in;
layout(constant_id = 0) const bool kAdds = false;
layout(binding = 0) readonly buffer More { uint more[]; };
layout(binding = 1) uniform Factor { uint factor; };
layout(binding = 2) buffer Values { uint values[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (kAdds) values[i] += more[i] * factor;
  if (i < values.length()) values[i] += 1u;
})",
                                    .kernel = [](const Invocation& invocation) {
                                      for (std::uint32_t& value : reached(invocation, 2)) ++value;
                                    }};

constexpr SuiteProgram kSpecPlace = {.name = "spec_place",
                                     .glsl = R"(
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint kPlace = 0;
layout(binding = 0) buffer Values { uint values[]; };
void main() { values[kPlace] += kPlace + 1; })",
                                     .kernel = [](const Invocation& invocation) {
                                       const std::uint64_t place =
                                           invocation.values.empty() ? 0 : invocation.values.front().bits;
                                       words_of(invocation.bindings[0])[place] += static_cast<std::uint32_t>(place) + 1;
                                     }};

constexpr std::array kPrograms = {kTurnModel,  kUnneeded, kSpecPlace,    kIndices,      kStep,
                                  kStepAcross, kEnds,     kUniform,      kPush,         kVisit,
                                  kShared,     kTurn,     kTurnShared,   kSharedLimit,  kAtomics,
                                  kSpin,       kLong,     kStorageArray, kUniformArray, kBothArrays};

constexpr std::uint64_t extended(std::int64_t value) { return static_cast<std::uint64_t>(value); }

constexpr std::string_view kIntegerLow = "uint(kValue)";
constexpr std::string_view kFloatLow = "floatBitsToUint(float(kValue))";

constexpr std::array<SpecType, 13> kSpecTypes = {
    SpecType{.type = "bool", .literal = "true", .low = kIntegerLow, .high = "0", .default_words = 1},
    SpecType{.type = "int",
             .literal = "-5",
             .low = kIntegerLow,
             .high = "uint(kValue >> 31)",
             .default_words = extended(-5),
             .bits = extended(-100'000) & 0xffff'ffff,
             .words = extended(-100'000)},
    SpecType{.type = "uint",
             .literal = "5",
             .low = kIntegerLow,
             .high = "0",
             .default_words = 5,
             .bits = 4'000'000'000,
             .words = 4'000'000'000},
    SpecType{.type = "float",
             .literal = "1.5",
             .low = kFloatLow,
             .high = "0",
             .default_words = std::bit_cast<std::uint32_t>(1.5F),
             .bits = std::bit_cast<std::uint32_t>(-0.1F),
             .words = std::bit_cast<std::uint32_t>(-0.1F)},
    SpecType{.type = "double",
             .literal = "1.5lf",
             .low = "unpackDouble2x32(kValue).x",
             .high = "unpackDouble2x32(kValue).y",
             .capability = "Float64",
             .default_words = std::bit_cast<std::uint64_t>(1.5),
             .bits = std::bit_cast<std::uint64_t>(-0.1),
             .words = std::bit_cast<std::uint64_t>(-0.1)},
    SpecType{.type = "int8_t",
             .literal = "int8_t(-5)",
             .low = "uint(int(kValue))",
             .high = "uint(int(kValue) >> 31)",
             .capability = "Int8",
             .default_words = extended(-5),
             .bits = 0x9c,
             .words = extended(-100)},
    SpecType{.type = "uint8_t",
             .literal = "uint8_t(5)",
             .low = kIntegerLow,
             .high = "0",
             .capability = "Int8",
             .default_words = 5,
             .bits = 250,
             .words = 250},
    SpecType{.type = "int16_t",
             .literal = "-5s",
             .low = "uint(int(kValue))",
             .high = "uint(int(kValue) >> 31)",
             .capability = "Int16",
             .default_words = extended(-5),
             .bits = extended(-30'000) & 0xffff,
             .words = extended(-30'000)},
    SpecType{.type = "uint16_t",
             .literal = "5us",
             .low = kIntegerLow,
             .high = "0",
             .capability = "Int16",
             .default_words = 5,
             .bits = 60'000,
             .words = 60'000},
    SpecType{.type = "int64_t",
             .literal = "-5l",
             .low = kIntegerLow,
             .high = "uint(kValue >> 32)",
             .capability = "Int64",
             .default_words = extended(-5),
             .bits = extended(-1'234'567'890'123),
             .words = extended(-1'234'567'890'123)},
    SpecType{.type = "uint64_t",
             .literal = "5ul",
             .low = kIntegerLow,
             .high = "uint(kValue >> 32)",
             .capability = "Int64",
             .default_words = 5,
             .bits = 0xfedc'ba98'7654'3210,
             .words = 0xfedc'ba98'7654'3210},
    SpecType{.type = "float16_t",
             .literal = "1.5hf",
             .low = kFloatLow,
             .high = "0",
             .capability = "Float16",
             .default_words = std::bit_cast<std::uint32_t>(1.5F),
             .bits = 0xc500,
             .words = std::bit_cast<std::uint32_t>(-5.0F)},
    // Again, with the default that is not 1 for true.
    SpecType{.type = "bool",
             .literal = "false",
             .low = kIntegerLow,
             .high = "0",
             .default_words = 0,
             .bits = 1,
             .words = 1}};

std::uint32_t spun_for(std::uint32_t iterations, std::uint32_t seed) {
  std::uint32_t x = seed;
  for (std::uint32_t i = 0; i < iterations; ++i) x = x * 1'664'525 + 1'013'904'223 + (x >> 7);
  return x;
}

std::string spec_name(const SpecType& type) { return fmt::format("spec_{}_{}", type.type, type.literal); }

program::Program make_program(std::string name, std::string_view body, const Defines& defines = {}) {
  auto program = program::Program::from_glsl(fmt::format("#version 460\n{}\n", body),
                                             {.name = std::move(name), .defines = defines});
  VYRE_CHECK(program.has_value(), to_string(program.error()).c_str());
  return *std::move(program);
}

}  // namespace

program::Program suite_program(std::string_view name, const Defines& defines) {
  const auto found = std::ranges::find(kPrograms, name, &SuiteProgram::name);
  VYRE_CHECK(found != kPrograms.end(), "the suite has no such program");
  return make_program(std::string{name}, found->glsl, defines);
}

std::map<std::string, backends::fake::Kernel> suite_kernels() {
  std::map<std::string, backends::fake::Kernel> kernels;
  for (const SuiteProgram& program : kPrograms) kernels.emplace(program.name, program.kernel);
  kernels.emplace("separate_buffers", [](const Invocation& invocation) {
    std::uint32_t addend = 1;
    for (const std::span<std::byte> binding : invocation.bindings) words_of(binding)[0] += addend++;
  });
  for (const SpecType& type : spec_types()) {
    kernels.emplace(spec_name(type), [type](const Invocation& invocation) {
      const std::uint64_t words = invocation.values.empty() ? type.default_words : type.words;
      std::memcpy(invocation.bindings[0].data(), &words, sizeof(words));
    });
  }
  return kernels;
}

program::Program separate_buffers_program(std::uint32_t count, std::uint32_t per_set, std::uint32_t first_set) {
  std::string declarations = "layout(local_size_x = 1) in;\n";
  std::string statements;
  for (std::uint32_t i = 0; i < count; ++i) {
    declarations += fmt::format("layout(set = {}, binding = {}) buffer Values{} {{ uint value_{}; }};\n",
                                first_set + i / per_set, i % per_set, i, i);
    statements += fmt::format("  value_{} += {};\n", i, i + 1);
  }
  return make_program("separate_buffers", fmt::format("{}void main() {{\n{}}}", declarations, statements));
}

std::span<const SpecType> spec_types() { return kSpecTypes; }

program::Program spec_program(const SpecType& type) {
  return make_program(spec_name(type), fmt::format(R"(
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(constant_id = 3) const {} kValue = {};
layout(binding = 0) writeonly buffer Values {{ uint values[2]; }};
void main() {{
  values[0] = {};
  values[1] = {};
}})",
                                                   type.type, type.literal, type.low, type.high));
}

std::uint32_t spun(std::uint32_t seed) { return spun_for(kSpinIterations, seed); }

std::uint32_t looped(std::uint32_t seed) { return spun_for(kLongLoop, seed); }

}  // namespace vyre::tests
