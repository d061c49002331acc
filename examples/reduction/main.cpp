// Sums a million numbers: every pass leaves one sum for each 256 values, until one is left.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <numeric>
#include <utility>
#include <vector>

#include <vyre/vyre.hpp>

namespace {

constexpr std::uint32_t kCount = 1'000'000;
constexpr std::uint32_t kGroup = 256;

constexpr const char* kSum = R"(#version 450
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer Values { uint values[]; };
layout(binding = 1) writeonly buffer Sums { uint sums[]; };
layout(push_constant) uniform Params { uint count; };
shared uint part[256];
void main() {
  uint i = gl_LocalInvocationID.x;
  part[i] = gl_GlobalInvocationID.x < count ? values[gl_GlobalInvocationID.x] : 0;
  for (uint half_size = 128; half_size > 0; half_size /= 2) {
    barrier();
    if (i < half_size) part[i] += part[i + half_size];
  }
  if (i == 0) sums[gl_WorkGroupID.x] = part[0];
})";

constexpr std::uint32_t groups_for(std::uint32_t count) { return (count + kGroup - 1) / kGroup; }

}  // namespace

int main() try {
  std::vector<std::uint32_t> numbers(kCount);
  std::uint32_t seed = 1;
  for (std::uint32_t& number : numbers) number = (seed = seed * 1'664'525 + 1'013'904'223) >> 20;

  const vyre::System system{vyre::backends::all()};
  auto session = vyre::Session::open(system.open().value()).value();
  const auto sum = vyre::Program::from_glsl(kSum, {.name = "sum"}).value();
  auto values = session.buffer<std::uint32_t>(numbers).value();
  auto sums = session.buffer<std::uint32_t>(groups_for(kCount)).value();
  auto spare = session.buffer<std::uint32_t>(groups_for(groups_for(kCount))).value();
  for (std::uint32_t count = kCount; count > 1; count = groups_for(count)) {
    session.dispatch(sum, {values, sums}, {.groups = {groups_for(count)}, .params = vyre::params(count)}).value();
    values = sums;
    std::swap(sums, spare);
  }
  std::vector<std::uint32_t> total(1);
  session.read(values.part(0, 1), total).value();
  const vyre::RunReport report = session.finish().value();

  const std::uint32_t expected = std::accumulate(numbers.begin(), numbers.end(), 0U);
  std::printf("the sum is %u, the plain loop has %u\n%s", total[0], expected, to_text(report).c_str());
  return total[0] == expected ? 0 : 1;
} catch (const std::bad_expected_access<vyre::Error>& failure) {
  std::fprintf(stderr, "%s\n", to_string(failure.error()).c_str());
  return 1;
}
