#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <vyre/program/glsl/compile.hpp>
#include <vyre/program/program.hpp>
#include <vyre/program/reflect.hpp>
#include <vyre/program/validate.hpp>

// What it costs to read a module and derive everything from it, validation apart.

namespace vyre::program {
namespace {

/// A kernel that grows with `steps`: loops, branches, calls, several buffers.
std::vector<std::uint32_t> make_module(int steps) {
  std::string source = R"(#version 450
    layout(local_size_x = 64) in;
    layout(std430, binding = 0) readonly buffer A { float a[]; };
    layout(std430, binding = 1) readonly buffer B { uint b[]; };
    layout(std430, binding = 2) buffer C { vec4 c[]; };
    layout(push_constant) uniform P { uint n; float scale; };
    shared float tile[64];
    float mix_in(float x, uint y) { return x * scale + float(y); }
    void main() {
      uint i = gl_GlobalInvocationID.x;
      float v = 0.0;
)";
  for (int step = 0; step < steps; ++step) {
    source += fmt::format(
        "for (uint k = 0; k < {0}; ++k) {{ if (b[i + k] > {1}u) v += a[i + k] * {1}.0; else v = mix_in(v, b[k]); }}\n"
        "tile[gl_LocalInvocationIndex] = v; barrier(); v += tile[{0}]; c[i + {1}] = vec4(v, 1.0, 2.0, v);\n",
        step % 32 + 1, step + 1);
  }
  source += "}\n";
  return compile_glsl(source, {.optimise = false}).value();
}

void derive(benchmark::State& state) {
  const std::vector<std::uint32_t> words = make_module(static_cast<int>(state.range(0)));
  std::size_t instructions = 0;
  for (auto _ : state) {
    const auto module = spirv::Module::read(words);
    instructions = module->size();
    benchmark::DoNotOptimize(reflect(*module));
  }
  state.counters["instructions"] = static_cast<double>(instructions);
  state.counters["per_instruction"] = benchmark::Counter(
      static_cast<double>(instructions), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(derive)->Arg(1)->Arg(20)->Arg(150)->Unit(benchmark::kMicrosecond);

void read_only(benchmark::State& state) {
  const std::vector<std::uint32_t> words = make_module(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(spirv::Module::read(words));
}
BENCHMARK(read_only)->Arg(150)->Unit(benchmark::kMicrosecond);

void validate_only(benchmark::State& state) {
  const std::vector<std::uint32_t> words = make_module(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(validate(words));
}
BENCHMARK(validate_only)->Arg(150)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace vyre::program

BENCHMARK_MAIN();
