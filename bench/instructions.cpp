// Instructions of a session's calls per dispatch, counted by callgrind: unlike times, the same on a busy machine.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <vyre/runtime/session.hpp>

#include "bench/lavapipe.hpp"
#include "bench/saxpy.hpp"

namespace vyre::bench {
namespace {

using runtime::Session;

constexpr std::uint32_t kDispatches = 1000;
constexpr std::array<std::string_view, 4> kKinds = {"dispatch, new shape", "dispatch, known shape",
                                                    "enqueue, known shape", "dispatch_many, known shape"};

/// Batches of one kind, each of dispatches with views of their own.
void run(std::size_t kind, std::uint32_t batches) {
  constexpr std::uint64_t kViewFloats = 64;
  const program::Program kernel = must(program::Program::from_glsl(kSaxpy, {.name = "saxpy"}));
  Session session = must(Session::open(open_lavapipe(true)));
  const auto x = must(session.buffer<float>(kViewFloats * kDispatches));
  const auto y = must(session.buffer<float>(kViewFloats * kDispatches));
  float scale = 1;
  std::vector<std::array<runtime::BufferView, 2>> pairs;
  std::vector<runtime::Prepared> prepared;
  std::vector<runtime::DispatchItem> items;
  for (std::uint32_t i = 0; i < kDispatches; ++i) {
    pairs.push_back({x.part(i * kViewFloats, kViewFloats), y.part(i * kViewFloats, kViewFloats)});
    prepared.push_back(
        must(session.prepare(kernel, {pairs[i][0], pairs[i][1]}, {.params = runtime::params(scale, 1U)})));
  }
  for (const auto& pair : pairs) items.push_back({.buffers = pair, .params = runtime::params(scale, 1U)});
  for (std::uint32_t batch = 0; batch < batches; ++batch) {
    if (kind == 0) scale += 1;
    if (kind < 2) {
      for (const auto& pair : pairs) {
        must(session.dispatch(kernel, {pair[0], pair[1]}, {.params = runtime::params(scale, 1U)}));
      }
    } else if (kind == 2) {
      for (const runtime::Prepared& each : prepared) must(session.enqueue(each));
    } else {
      must(session.dispatch_many(kernel, items));
    }
    must(session.flush());
    must(session.finish());
  }
}

/// Instructions that so many batches take in the calls that match; a few warm ones are counted too.
double count(const std::string& self, std::size_t kind, std::uint32_t batches, std::string_view calls) {
  const std::string command = fmt::format(
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='vyre::runtime::Session::{}*' {} {} "
      "{} "
      "2>&1 >/dev/null",
      calls, self, kind, batches);
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return -1;
  double collected = -1;
  std::array<char, 512> line = {};
  while (std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr) {
    const std::string_view text{line.data()};
    const std::size_t at = text.find("Collected :");
    if (at != std::string_view::npos) collected = std::strtod(line.data() + at + 11, nullptr);
  }
  pclose(pipe);
  return collected;
}

int report(const std::string& self) {
  constexpr std::uint32_t kFew = 8;
  constexpr std::uint32_t kMany = 16;
  fmt::print("{:<28} {:>12} {:>12}\n", "instructions per dispatch", "the call", "the flush");
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    const auto per_dispatch = [&](std::string_view calls) {
      const double few = count(self, kind, kFew, calls);
      const double many = count(self, kind, kMany, calls);
      if (few < 0 || many < 0) {
        fmt::print(stderr, "valgrind does not run; it is the package valgrind\n");
        std::exit(1);
      }
      return (many - few) / (kDispatches * (kMany - kFew));
    };
    constexpr std::array<std::string_view, 4> kCalls = {"dispatch(", "dispatch(", "enqueue(", "dispatch_many("};
    fmt::print("{:<28} {:>12.0f}", kKinds[kind], per_dispatch(kCalls[kind]));
    fmt::print(" {:>12.0f}\n", per_dispatch("flush("));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) {
  if (argc != 3) return vyre::bench::report(argv[0]);
  vyre::bench::run(std::strtoul(argv[1], nullptr, 10), static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)));
}
