// Adds a multiple of one vector to another, a hundred times: all that a program needs to run a kernel.
#include <cstdint>
#include <cstdio>
#include <expected>
#include <vector>

#include <vyre/vyre.hpp>

constexpr const char* kSaxpy = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Params { float scale; uint count; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) y[i] += scale * x[i];
})";

int main() try {
  const std::uint32_t n = 1'000;
  const std::vector<float> host_x(n, 1.5F);
  std::vector<float> host_y(n);

  const vyre::System system{vyre::backends::all()};
  auto device = system.open().value();
  auto session = vyre::Session::open(device).value();
  auto saxpy = vyre::Program::from_glsl(kSaxpy, {.name = "saxpy"}).value();
  auto x = session.buffer<float>(host_x).value();
  auto y = session.buffer<float>(n).value();  // zeros
  for (int step = 0; step < 100; ++step) {
    session.dispatch(saxpy, {x, y}, {.groups = {16}, .params = vyre::params(2.0F, n)}).value();
  }
  session.read(y, host_y).value();
  const vyre::RunReport report = session.finish().value();

  std::printf("y[0] is %g\n%s", host_y[0], to_text(report).c_str());
  return host_y == std::vector<float>(n, 300.0F) ? 0 : 1;
} catch (const std::bad_expected_access<vyre::Error>& failure) {
  std::fprintf(stderr, "%s\n", to_string(failure.error()).c_str());
  return 1;
}
