// Squares numbers on the first device there is, and checks every one of them.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include <vyre/vyre.hpp>

namespace {

constexpr const char* kSquare = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Params { uint count; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) values[i] *= values[i];
})";

vyre::Result<std::vector<std::uint32_t>> squares(std::uint32_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);

  const vyre::System system{vyre::backends::all()};
  VYRE_ASSIGN(const auto device, system.open());
  VYRE_ASSIGN(vyre::Session session, vyre::Session::open(device));
  VYRE_ASSIGN(const auto square, vyre::Program::from_glsl(kSquare, {.name = "square"}));
  VYRE_ASSIGN(const auto values, session.buffer<std::uint32_t>(numbers));
  VYRE_TRY(session.dispatch(square, {values}, {.groups = {(count + 63) / 64}, .params = vyre::params(count)}));
  VYRE_TRY(session.read(values, numbers));
  VYRE_ASSIGN(const vyre::RunReport report, session.finish());
  std::printf("%s", to_text(report).c_str());
  return numbers;
}

}  // namespace

int main() {
  const auto numbers = squares(10'000);
  if (!numbers) {
    std::fprintf(stderr, "%s\n", to_string(numbers.error()).c_str());
    return 1;
  }
  for (std::uint32_t i = 0; i < numbers->size(); ++i) {
    if ((*numbers)[i] != i * i) {
      std::fprintf(stderr, "the square of %u is not %u\n", i, (*numbers)[i]);
      return 1;
    }
  }
  std::printf("10,000 squares are right\n");
}
