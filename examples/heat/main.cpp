// Heat spreads over a plate whose rim stays as it is: two buffers that take turns, checked against a plain loop.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <utility>
#include <vector>

#include <vyre/vyre.hpp>

namespace {

constexpr std::uint32_t kWidth = 96;
constexpr std::uint32_t kHeight = 64;
constexpr std::uint32_t kSteps = 400;
constexpr std::uint32_t kStepsPerFrame = 40;
constexpr float kRate = 0.2F;

constexpr const char* kHeat = R"(#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer Before { float before[]; };
layout(binding = 1) writeonly buffer After { float after[]; };
layout(push_constant) uniform Params { uint width; uint height; float rate; };
void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x == 0 || at.y == 0 || at.x >= width - 1 || at.y >= height - 1) return;
  uint i = at.y * width + at.x;
  float around = before[i - 1] + before[i + 1] + before[i - width] + before[i + width];
  after[i] = before[i] + rate * (around - 4.0 * before[i]);
})";

/// Cold, with one hot side.
std::vector<float> make_plate() {
  std::vector<float> plate(std::size_t{kWidth} * kHeight);
  std::fill_n(plate.begin(), kWidth, 100.0F);
  return plate;
}

std::vector<float> spread_on_host() {
  std::vector<float> before = make_plate();
  std::vector<float> after = before;
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    for (std::size_t y = 1; y + 1 < kHeight; ++y) {
      for (std::size_t x = 1; x + 1 < kWidth; ++x) {
        const std::size_t i = y * kWidth + x;
        const float around = before[i - 1] + before[i + 1] + before[i - kWidth] + before[i + kWidth];
        after[i] = before[i] + kRate * (around - 4.0F * before[i]);
      }
    }
    std::swap(before, after);
  }
  return before;
}

}  // namespace

int main() try {
  const vyre::System system{vyre::backends::all()};
  auto session = vyre::Session::open(system.open().value()).value();
  const auto heat = vyre::Program::from_glsl(kHeat, {.name = "heat"}).value();
  auto before = session.buffer<float>(make_plate()).value();
  auto after = session.buffer<float>(make_plate()).value();
  const vyre::DispatchOptions options{.groups = {(kWidth + 15) / 16, (kHeight + 15) / 16},
                                      .params = vyre::params(kWidth, kHeight, kRate)};
  for (std::uint32_t step = 1; step <= kSteps; ++step) {
    session.dispatch(heat, {before, after}, options).value();
    std::swap(before, after);
    // Frames are alike, so what was planned for the first ones serves the others.
    if (step % kStepsPerFrame == 0) session.flush().value();
  }
  std::vector<float> plate(before.size());
  session.read(before, plate).value();
  const vyre::RunReport report = session.finish().value();

  const std::vector<float> expected = spread_on_host();
  float worst = 0;
  for (std::size_t i = 0; i < plate.size(); ++i) worst = std::max(worst, std::abs(plate[i] - expected[i]));
  std::printf("in the middle %g degrees, at most %g from the plain loop\n%s", plate[plate.size() / 2 + kWidth / 2],
              worst, to_text(report).c_str());
  return worst < 1e-3F ? 0 : 1;
} catch (const std::bad_expected_access<vyre::Error>& failure) {
  std::fprintf(stderr, "%s\n", to_string(failure.error()).c_str());
  return 1;
}
