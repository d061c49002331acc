#include <cstddef>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>

#include "cli/decide.hpp"

// Lines a second through `vyre decide`'s reader, deciding and writing included, on one core.

namespace vyre::cli {
namespace {

constexpr std::size_t kRepeats = 1'000;

std::string read(const std::string& name) {
  std::ifstream file{VYRE_SOURCE_DIR "/tests/vectors/" + name, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

void decide_file(benchmark::State& state, const std::string& name) {
  const std::string once = read(name);
  std::size_t lines = 0;
  for (auto _ : state) {
    std::size_t at = 0;
    const auto summary = decide(
        [&](std::span<char> room) -> Result<std::size_t> {
          const std::size_t left = once.size() * kRepeats - at;
          const std::size_t count = std::min({room.size(), left, once.size() - at % once.size()});
          once.copy(room.data(), count, at % once.size());
          at += count;
          return count;
        },
        [](std::string_view text) -> Result<void> {
          benchmark::DoNotOptimize(text.data());
          return {};
        });
    lines += summary.value().lines;
  }
  state.counters["lines"] = benchmark::Counter(static_cast<double>(lines), benchmark::Counter::kIsRate);
}

}  // namespace
}  // namespace vyre::cli

int main(int argc, char** argv) {
  for (const char* name : {"command_reuse.jsonl", "trace_jit.jsonl", "arm_independence.jsonl", "dispatch_bundle.jsonl",
                           "graph_capture.jsonl"}) {
    benchmark::RegisterBenchmark(name, [name](auto& state) {
      vyre::cli::decide_file(state, name);
    })->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
