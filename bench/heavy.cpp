#include "bench/heavy.hpp"

namespace vyre::bench {

std::vector<HeavyKernel> heavy_kernels() {
  const std::string begin = "#version 450\n";
  std::vector<HeavyKernel> all;
  all.push_back({.name = "matrix product",
                 .source = begin + R"(layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform P { uint n; };
void main() {
  uint row = gl_GlobalInvocationID.y, column = gl_GlobalInvocationID.x;
  float sum = 0.0;
  for (uint k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
)",
                 .groups = {16, 16, 1},
                 .buffer_bytes = {128 * 128 * 4, 128 * 128 * 4, 128 * 128 * 4},
                 .params = {128}});
  all.push_back({.name = "matrix product in tiles",
                 .source = begin + R"(layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform P { uint n; };
shared float left[8][8], right[8][8];
void main() {
  uint row = gl_GlobalInvocationID.y, column = gl_GlobalInvocationID.x;
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  float sum = 0.0;
  for (uint tile = 0; tile < n; tile += 8) {
    left[y][x] = a[row * n + tile + x];
    right[y][x] = b[(tile + y) * n + column];
    barrier();
    for (uint k = 0; k < 8; ++k) sum += left[y][k] * right[k][x];
    barrier();
  }
  c[row * n + column] = sum;
}
)",
                 .groups = {12, 12, 1},
                 .buffer_bytes = {96 * 96 * 4, 96 * 96 * 4, 96 * 96 * 4},
                 .params = {96}});
  all.push_back({.name = "bodies that attract",
                 .source = begin + R"(layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Positions { vec4 positions[]; };
layout(binding = 1) buffer Velocities { vec4 velocities[]; };
layout(push_constant) uniform P { uint n; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= n) return;
  vec3 own = positions[i].xyz, force = vec3(0.0);
  for (uint k = 0; k < n; ++k) {
    vec3 way = positions[k].xyz - own;
    float square = dot(way, way) + 0.01;
    force += way * (positions[k].w / (square * sqrt(square)));
  }
  velocities[i] += vec4(force * 0.01, 0.0);
}
)",
                 .groups = {16, 1, 1},
                 .buffer_bytes = {1024 * 16, 1024 * 16},
                 .params = {1024}});
  all.push_back({.name = "Mandelbrot set",
                 .source = begin + R"(layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) writeonly buffer Image { uint image[]; };
layout(push_constant) uniform P { uint n; };
void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  vec2 c = vec2(at) / float(n) * 2.5 - vec2(1.8, 1.25), z = vec2(0.0);
  uint steps = 0;
  for (; steps < 64 && dot(z, z) < 4.0; ++steps) z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
  image[at.y * n + at.x] = steps;
}
)",
                 .groups = {24, 24, 1},
                 .buffer_bytes = {192 * 192 * 4},
                 .params = {192}});
  all.push_back({.name = "convolution by weights of a uniform buffer",
                 .source = begin + R"(layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer Source { float source[]; };
layout(binding = 1) uniform Weights { vec4 weights[7]; };
layout(binding = 2) writeonly buffer Result { float result[]; };
layout(push_constant) uniform P { int n; };
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  float sum = 0.0;
  for (int y = -2; y <= 2; ++y) {
    for (int x = -2; x <= 2; ++x) {
      ivec2 from = clamp(at + ivec2(x, y), ivec2(0), ivec2(n - 1));
      int which = (y + 2) * 5 + x + 2;
      sum += weights[which / 4][which % 4] * source[from.y * n + from.x];
    }
  }
  result[at.y * n + at.x] = sum;
}
)",
                 .groups = {20, 20, 1},
                 .buffer_bytes = {160 * 160 * 4, 112, 160 * 160 * 4},
                 .params = {160}});
  all.push_back({.name = "hashes of words",
                 .source = begin + R"(layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 1) writeonly buffer Hashes { uint hashes[]; };
layout(push_constant) uniform P { uint length; };
void main() {
  uint i = gl_GlobalInvocationID.x, hash = 2166136261u;
  for (uint k = 0; k < length; ++k) {
    uint word = words[i * length + k];
    for (uint byte = 0; byte < 4; ++byte) hash = (hash ^ (word >> (8 * byte) & 255u)) * 16777619u;
  }
  hashes[i] = hash;
}
)",
                 .groups = {64, 1, 1},
                 .buffer_bytes = {4096 * 16 * 4, 4096 * 4},
                 .params = {16}});
  all.push_back({.name = "transcendental functions",
                 .source = begin + R"(layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { float values[]; };
layout(push_constant) uniform P { uint rounds; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  float v = values[i];
  for (uint k = 0; k < rounds; ++k) v = sin(v) * exp(-abs(v)) + log(1.0 + v * v);
  values[i] = v;
}
)",
                 .groups = {64, 1, 1},
                 .buffer_bytes = {4096 * 4},
                 .params = {8}});
  all.push_back({.name = "sums of all before, in shared memory",
                 .source = begin + R"(layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Values { uint values[]; };
layout(binding = 1) writeonly buffer Sums { uint sums[]; };
layout(push_constant) uniform P { uint n; };
shared uint part[64];
void main() {
  uint i = gl_GlobalInvocationID.x, own = gl_LocalInvocationIndex;
  part[own] = i < n ? values[i] : 0u;
  barrier();
  for (uint step = 1; step < 64; step *= 2) {
    uint before = own >= step ? part[own - step] : 0u;
    barrier();
    part[own] += before;
    barrier();
  }
  if (i < n) sums[i] = part[own];
}
)",
                 .groups = {96, 1, 1},
                 .buffer_bytes = {6144 * 4, 6144 * 4},
                 .params = {6144}});
  all.push_back({.name = "stencil in three dimensions",
                 .source = begin + R"(layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer From { float from[]; };
layout(binding = 1) writeonly buffer To { float to[]; };
layout(push_constant) uniform P { int n; };
float at(ivec3 p) { p = clamp(p, ivec3(0), ivec3(n - 1)); return from[(p.z * n + p.y) * n + p.x]; }
void main() {
  ivec3 p = ivec3(gl_GlobalInvocationID);
  float sum = at(p + ivec3(1, 0, 0)) + at(p - ivec3(1, 0, 0)) + at(p + ivec3(0, 1, 0)) + at(p - ivec3(0, 1, 0)) +
              at(p + ivec3(0, 0, 1)) + at(p - ivec3(0, 0, 1)) - 6.0 * at(p);
  to[(p.z * n + p.y) * n + p.x] = at(p) + 0.1 * sum;
}
)",
                 .groups = {6, 6, 48},
                 .buffer_bytes = {48 * 48 * 48 * 4, 48 * 48 * 48 * 4},
                 .params = {48}});
  all.push_back({.name = "a loop that stores vectors",
                 .source = begin + R"(layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer From { vec4 from[]; };
layout(binding = 1) writeonly buffer To { vec4 to[]; };
layout(push_constant) uniform P { uint length; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  vec4 sum = vec4(0.0);
  for (uint k = 0; k < length; ++k) {
    sum += from[i * length + k] * 0.5;
    to[i * length + k] = sum;
  }
}
)",
                 .groups = {32, 1, 1},
                 .buffer_bytes = {2048 * 16 * 16, 2048 * 16 * 16},
                 .params = {16}});
  return all;
}

}  // namespace vyre::bench
